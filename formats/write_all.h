// SPDX-License-Identifier: Apache-2.0
#ifndef RPL_FORMATS_WRITE_ALL_H_
#define RPL_FORMATS_WRITE_ALL_H_

#include <string_view>

namespace rpl {

/// Writes the whole text, however many calls that takes. False with errno set if one fails; a part
/// may then be written.
bool WriteAll(int fd, std::string_view text);

}  // namespace rpl

#endif  // RPL_FORMATS_WRITE_ALL_H_
