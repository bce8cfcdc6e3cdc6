// SPDX-License-Identifier: Apache-2.0
#include "formats/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace rpl {

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    else if (n < 0 && errno != EINTR) return false;
  }
  return true;
}

}  // namespace rpl
