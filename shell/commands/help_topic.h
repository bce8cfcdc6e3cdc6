// SPDX-License-Identifier: Apache-2.0
//
// `rpl help TOPIC` where TOPIC is no command: a code of a finding, or a page of docs/, from the
// program itself, so that it needs neither the repository nor a network.
#ifndef RPL_SHELL_COMMANDS_HELP_TOPIC_H_
#define RPL_SHELL_COMMANDS_HELP_TOPIC_H_

#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// What `topic` leads to: the section of a code (`RPL2005`, in either case), a page by its name
/// (`tour`, `tour.md`, `docs/tour.md`), or for `topics` the list of pages. "" if there is none.
/// Lines end with \n.
std::string HelpOn(std::string_view topic);

/// The codes and pages that HelpOn knows.
std::vector<std::string> HelpTopics();

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_HELP_TOPIC_H_
