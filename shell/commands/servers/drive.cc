// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/drive/drive_server.h"

namespace rpl {
namespace {

constexpr const char* kDriveFooter =
    R"(A program in any language opens runs, answers their questions and calls their tools: each request
is a line of JSON on standard input, each result a line on standard output. See docs/drive.md.

Examples
  rpl drive
  rpl drive --policy refund-policy.json --allow-tool stock)";

}  // namespace

// rpl drive: runs that another program drives, by lines of JSON on standard input and output.
Command DescribeDrive(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<EngineOptions>();
  AddToolOptions(command, *options, kBesideDocument);
  AddGuardOptions(command, options->guard);
  AddLimitOptions(command, options->limits);
  AddThreads(command, options->threads);
  command.Footer(kDriveFooter);
  return {.run = [options] { return ServeDriver(*options); }};
}

}  // namespace rpl
