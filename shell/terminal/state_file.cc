// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/state_file.h"

#include <cstdlib>

namespace rpl {

std::string StateFile(const std::string& name) {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && state[0] == '/') return std::string(state) + "/rpl/" + name;
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return "";
  return std::string(home) + "/.local/state/rpl/" + name;
}

}  // namespace rpl
