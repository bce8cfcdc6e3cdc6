// SPDX-License-Identifier: Apache-2.0
//
// Whether this build of the program makes pages (RPL_WITH_PAGES). Without them no command offers
// one.
#ifndef RPL_SHELL_PAGES_PAGES_H_
#define RPL_SHELL_PAGES_PAGES_H_

namespace rpl {

bool MakesPages();

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PAGES_H_
