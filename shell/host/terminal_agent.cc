// SPDX-License-Identifier: Apache-2.0
#include "shell/host/terminal_agent.h"

#include "shell/host/input.h"
#include "shell/host/report.h"

namespace rpl {
namespace {

// Blanks around an answer do not belong to it.
std::string Trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string PromptOf(const Request& request) {
  return Printable(request.prompt.empty() ? request.id : request.prompt);
}

}  // namespace

rpl::Answer TerminalAgent::Answer(const Request& request, Pool& pool, bool) {
  if (!read_line_ || request.kind == Request::Kind::kTool) return {};
  return request.kind == Request::Kind::kChoose ? Choose(request, pool) : Ask(request, pool);
}

void TerminalAgent::Chat(const std::string& line) { out_ << Printable(line) << std::endl; }

// The next line in UTF-8, trimmed; nullopt at the end of input, after which nothing is asked.
std::optional<std::string> TerminalAgent::Line() {
  for (;;) {
    err_ << mark_ << std::flush;
    std::optional<std::string> line = read_line_();
    if (!line) {
      if (!mark_.empty()) err_ << '\n';
      read_line_ = nullptr;
      return std::nullopt;
    }
    if (IsUtf8(*line)) return Trim(*line);
    err_ << "this line is not UTF-8, please write it again\n";
  }
}

rpl::Answer TerminalAgent::Ask(const Request& request, Pool& pool) {
  err_ << PromptOf(request) << '\n';
  std::optional<std::string> line = Line();
  if (line && line->empty()) {
    err_ << "this line is empty; another empty line answers with the empty text\n";
    line = Line();
  }
  if (!line) return {};
  return {rpl::Answer::Kind::kValue, TypedValue(pool, *line)};
}

rpl::Answer TerminalAgent::Choose(const Request& request, Pool& pool) {
  err_ << PromptOf(request) << '\n';
  for (std::size_t i = 0; i < request.options.size(); ++i) {
    err_ << "  " << i + 1 << "  " << Printable(PlainText(pool, request.options[i])) << '\n';
  }
  while (std::optional<std::string> line = Line()) {
    const Value option = TypedOption(pool, *line, request.options);
    if (!option.is_none()) return {rpl::Answer::Kind::kValue, option};
    err_ << "`" << Printable(*line) << "` is not one of them: expected a number from 1 to "
         << request.options.size() << ", or the text of an option\n";
  }
  return {};
}

}  // namespace rpl
