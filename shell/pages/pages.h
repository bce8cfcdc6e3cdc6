// SPDX-License-Identifier: Apache-2.0
//
// The presence of pages in this build of the program (RPL_WITH_PAGES). Without them no command
// offers one.
#ifndef RPL_SHELL_PAGES_PAGES_H_
#define RPL_SHELL_PAGES_PAGES_H_

namespace rpl {

bool MakesPages();

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PAGES_H_
