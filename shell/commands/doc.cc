// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "formats/data/diagnostic_json.h"
#include "formats/shorten.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/pages/catalogue_page.h"
#include "shell/pages/pages.h"
#include "shell/pages/program_graph.h"
#include "shell/program/engine_setup.h"
#include "shell/program/program_files.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl doc FILE…: documents the parts of a program and their uses of each other. The files are one
// program.
enum class DocFormat { kMarkdown, kHtml, kDot, kMermaid, kJson };
struct DocOptions {
  std::vector<std::string> files;
  DocFormat format = DocFormat::kMarkdown;
  EngineOptions engine;  // facts
};

constexpr const char* kDocFooter =
    R"(Examples
  rpl doc protocol.md > program.md
  rpl doc protocol.md facts.rpl            # several files form one program
  rpl doc protocol.md --format dot | dot -Tsvg >program.svg
  rpl doc protocol.md --format json)";

using nlohmann::ordered_json;

// The maximal number of places or names in a table cell, which then gives the number of others.
constexpr std::size_t kMostInCell = 8;

// --- JSON ---------------------------------------------------------------------------------

ordered_json IdsJson(const std::vector<std::size_t>& numbers, const Catalogue& catalogue) {
  ordered_json out = ordered_json::array();
  for (const std::size_t number : numbers) out.push_back(catalogue.entries[number].Id());
  return out;
}

void PrintJson(const Catalogue& catalogue) {
  ordered_json entries = ordered_json::array();
  for (const CatalogueEntry& entry : catalogue.entries) {
    ordered_json defined = ordered_json::array();
    for (const Span span : entry.defined) defined.push_back(PlaceJson(span, catalogue.sources));
    entries.push_back({{"id", entry.Id()},
                       {"kind", CatalogueKindName(entry.kind)},
                       {"name", entry.name},
                       {"namespace", entry.name_space},
                       {"arity", entry.arity},
                       {"prose", entry.prose},
                       {"defined", std::move(defined)},
                       {"facts", entry.facts},
                       {"statedBy", entry.stated_by},
                       {"needs", entry.needs},
                       {"uses", IdsJson(entry.uses, catalogue)},
                       {"usedBy", IdsJson(entry.used_by, catalogue)}});
  }
  ordered_json constraints = ordered_json::array();
  for (const CatalogueConstraint& c : catalogue.constraints)
    constraints.push_back({{"text", c.text},
                           {"place", PlaceJson(c.span, catalogue.sources)},
                           {"reads", IdsJson(c.reads, catalogue)}});
  std::cout << Dump({{"schema", "rpl.doc/1"},
                     {"entries", std::move(entries)},
                     {"constraints", std::move(constraints)}})
            << '\n';
}

// --- Markdown -----------------------------------------------------------------------------

// Prose in a cell: without HTML, and without characters that end the cell.
std::string Cell(std::string_view text) {
  std::string out;
  for (const char c : PrintableLine(text)) {
    if (c == '|') out += "\\|";
    else if (c == '<') out += "&lt;";
    else out += c;
  }
  return out;
}

// A code span, delimited by more backticks than any run inside.
std::string CodeCell(std::string_view text) {
  std::string inside;
  std::size_t run = 0;
  std::size_t longest = 0;
  for (const char c : PrintableLine(text)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    inside += c == '|' ? "\\|" : std::string(1, c);
  }
  const std::string marks(longest + 1, '`');
  return longest == 0 ? marks + inside + marks : marks + " " + inside + " " + marks;
}

std::string PlaceText(Span span, const Sources& sources) {
  return CodeCell(fmt::format("{}:{}", sources.at(span.file).name,
                              sources.PlaceOf(span.file, span.begin).line));
}

void PrintTable(const Catalogue& catalogue, std::size_t begin, std::size_t end) {
  const auto id = [&](std::size_t number) { return CodeCell(catalogue.entries[number].Id()); };
  const auto place = [&](Span span) { return PlaceText(span, catalogue.sources); };
  std::cout << "| name | kind | what | defined | facts | stated by | uses | used by |\n"
               "|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = begin; i < end; ++i) {
    const CatalogueEntry& entry = catalogue.entries[i];
    std::cout << fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {} |\n", id(i), CatalogueKindName(entry.kind),
        Cell(entry.prose + (entry.needs.empty()   ? ""
                            : entry.prose.empty() ? "needs " + entry.needs
                                                  : " Needs " + entry.needs + ".")),
        FirstOf(entry.defined, kMostInCell, place),
        entry.facts == 0 ? "" : std::to_string(entry.facts), Cell(entry.stated_by),
        FirstOf(entry.uses, kMostInCell, id), FirstOf(entry.used_by, kMostInCell, id));
  }
  std::cout << '\n';
}

void PrintMarkdown(const Catalogue& catalogue, const ProgramGraph& graph) {
  const auto id = [&](std::size_t number) { return CodeCell(catalogue.entries[number].Id()); };
  std::cout << "# " << Cell(catalogue.sources.at(0).name) << "\n\n";
  for (std::size_t begin = 0; begin < catalogue.entries.size();) {
    const std::string& name = catalogue.entries[begin].name_space;
    std::size_t end = begin;
    while (end < catalogue.entries.size() && catalogue.entries[end].name_space == name) ++end;
    std::cout << "## " << (name.empty() ? "The program" : CodeCell(name)) << "\n\n";
    PrintTable(catalogue, begin, end);
    begin = end;
  }
  if (!catalogue.constraints.empty()) {
    std::cout << "## Constraints\n\n";
    for (const CatalogueConstraint& c : catalogue.constraints)
      std::cout << "- " << CodeCell(c.text) << ", " << PlaceText(c.span, catalogue.sources)
                << ", reads " << FirstOf(c.reads, kMostInCell, id) << '\n';
    std::cout << '\n';
  }
  std::cout << "## Graph\n\n";
  if (!graph.note.empty()) std::cout << "The graph is " << graph.note << ".\n\n";
  std::cout << "```mermaid\n" << MermaidText(catalogue, graph) << "```\n";
}

// kExitInvalid for a program with errors, of which nothing is printed.
int CommandDoc(const DocOptions& options) {
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadProgram(options.files, files); code != kExitOk) return code;
  // After the program, by whose first file the document is called.
  if (const ExitCode code = ReadFactsFiles(options.engine, files); code != kExitOk) return code;
  const Catalogue catalogue =
      CatalogueOf(files, ReaderBeside(options.files), options.engine.strict_facts);
  PrintDiagnostics(catalogue.findings, catalogue.sources, std::cerr);
  if (HasErrors(catalogue.findings)) return kExitInvalid;
  if (options.format == DocFormat::kJson) {
    PrintJson(catalogue);
    return kExitOk;
  }
  const bool dot = options.format == DocFormat::kDot;
  const ProgramGraph graph = GraphOf(catalogue, dot ? kDotLimits : kMermaidLimits);
  if (!graph.note.empty()) std::cerr << "note: the graph is " << graph.note << '\n';
  if (options.format == DocFormat::kHtml)
    std::cout << CataloguePage(catalogue, graph) << std::flush;
  else if (dot) std::cout << DotText(catalogue, graph);
  else if (options.format == DocFormat::kMermaid) std::cout << MermaidText(catalogue, graph);
  else PrintMarkdown(catalogue, graph);
  return kExitOk;
}

}  // namespace

Command DescribeDoc(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<DocOptions>();
  DocOptions& to = *options;
  command.Add("FILE", to.files, kPrograms).Required();
  AddFactsOptions(command, to.engine);
  std::vector<std::pair<std::string, DocFormat>> formats = {{"markdown", DocFormat::kMarkdown},
                                                            {"dot", DocFormat::kDot},
                                                            {"mermaid", DocFormat::kMermaid},
                                                            {"json", DocFormat::kJson}};
  if (MakesPages()) formats.insert(formats.begin() + 1, {"html", DocFormat::kHtml});
  AddFormat(command, to.format, formats);
  if (MakesPages())
    command.FlagCalling(
        "--html", [&to] { to.format = DocFormat::kHtml; }, "The same as --format html: a page");
  AddTimeAndMemory(command, to.engine.limits);
  command.Footer(kDocFooter);
  return {.run = [options] { return CommandDoc(*options); }, .limits = &to.engine.limits};
}

}  // namespace rpl
