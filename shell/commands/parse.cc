// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "formats/data/diagnostic_json.h"
#include "grammar/ast_json.h"
#include "grammar/document.h"
#include "grammar/printer.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl parse FILE: prints the result of the parser.
struct ParseOptions {
  std::string file;
  const OutputFormat* format = kOutputFormats;
  SessionLimits limits;
};

constexpr const char* kParseFooter =
    R"(Examples
  rpl parse protocol.md
  rpl parse program.rpl --format json)";

using nlohmann::ordered_json;

// Headings and sentences in document order, one per line: `LINE  TEXT`. The contents of a heading
// are indented by its level.
void PrintTrees(const Document& document, const Sources& sources) {
  auto line = [&](Span span) { return sources.PlaceOf(document.file, span.begin).line; };
  auto print_heading = [&](const Scope& scope) {
    std::cout << fmt::format("{:5}  {:#<{}} {}\n", line(scope.span), "", scope.level,
                             PrintableLine(scope.title));
    if (!scope.signature) return;
    std::cout << fmt::format("{:5}  {:{}}{}\n", line(scope.signature->span), "", 2 * scope.level,
                             PrintableLine(PrintTree(*scope.signature)));
  };
  std::size_t next = 1;  // scope 0 is the document itself
  for (const PlacedSentence& placed : document.sentences) {
    const Span span = placed.sentence.span;
    for (; next < document.scopes.size() && document.scopes[next].span.begin < span.begin; ++next) {
      print_heading(document.scopes[next]);
    }
    const int level = document.scopes[static_cast<std::size_t>(placed.scope)].level;
    std::cout << fmt::format("{:5}  {:{}}{}\n", line(span), "", 2 * level,
                             PrintableLine(PrintTree(placed.sentence)));
  }
  for (; next < document.scopes.size(); ++next) print_heading(document.scopes[next]);
}

void PrintData(const OutputFormat& format, const Document& document, const Sources& sources,
               const std::vector<Diagnostic>& diagnostics) {
  ordered_json object = {{"schema", "rpl.parse/1"}};  // first in the output
  const nlohmann::json parsed = ToJson(document, sources);
  for (const auto& [key, value] : parsed.items()) object[key] = value;
  object["diagnostics"] = ordered_json::array();
  for (const Diagnostic& d : diagnostics) {
    object["diagnostics"].push_back(DiagnosticJson(d, sources));
  }
  format.write(std::cout, object);
}

// kExitInvalid after errors; the valid part is printed nevertheless.
int CommandParse(const ParseOptions& options) {
  Input input = ReadFile(options.file);
  if (!input.error.empty()) {
    Complain(options.file, input.error);
    return kExitFile;
  }
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.Add(options.file, std::move(input.text));
  const Document document = ReadDocument(sources, file, diagnostics);
  diagnostics.Sort();
  if (options.format->IsText()) PrintTrees(document, sources);
  else PrintData(*options.format, document, sources, diagnostics.all());
  std::cout << std::flush;
  PrintDiagnostics(diagnostics.all(), sources, std::cerr);
  return diagnostics.has_errors() ? kExitInvalid : kExitOk;
}

}  // namespace

Command DescribeParse(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<ParseOptions>();
  ParseOptions& to = *options;
  command.Add("FILE", to.file, "A Markdown protocol, or plain RPL (*.rpl)").Required();
  AddFormat(command, to.format);
  AddTimeAndMemory(command, to.limits);
  command.Footer(kParseFooter);
  return {.run = [options] { return CommandParse(*options); }, .limits = &to.limits};
}

}  // namespace rpl
