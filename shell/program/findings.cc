// SPDX-License-Identifier: Apache-2.0
#include "shell/program/findings.h"

#include <algorithm>
#include <iostream>

#include "formats/file_name.h"
#include "interp/program/novelty.h"
#include "interp/store/store.h"
#include "runtime/facts/facts_file.h"
#include "shell/program/engine_setup.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/refusal.h"

namespace rpl {

std::function<std::vector<Novelty>(Sources&, Store&, Diagnostics&)> FactsReader(
    const std::vector<ProgramFile>& files, bool strict) {
  if (files.empty()) return nullptr;
  return [&files, strict](Sources& sources, Store& store, Diagnostics& out) {
    std::vector<Novelty> facts;
    for (const ProgramFile& file : files) {
      const FactsName name = FactsNameOf(file.name).value();
      const std::uint32_t number = sources.Add(name.path, file.text);
      facts.push_back(ReadFacts(sources, number, name, strict, store, out));
    }
    return facts;
  };
}

namespace {

bool IsFacts(const ProgramFile& file) { return FactsNameOf(file.name).has_value(); }

// A facts file's first rows.
ProgramFile FirstRows(const ProgramFile& file) {
  constexpr std::size_t kEnough = 4096;
  const std::size_t end = file.text.find('\n', kEnough);
  return {file.name, file.text.substr(0, end == std::string::npos ? end : end + 1)};
}

}  // namespace

bool AreDocumentsChecked(const std::vector<ProgramFile>& files) {
  std::size_t size = 0;
  for (const ProgramFile& file : files)
    if (!IsFacts(file)) size += file.text.size();
  return size <= kCheckedBytes;
}

std::vector<Diagnostic> FindingsInFacts(std::vector<Diagnostic> findings, const Sources& sources) {
  std::erase_if(findings,
                [&](const Diagnostic& d) { return !IsFactsFile(sources.at(d.span.file).name); });
  return findings;
}

bool PassesCheck(const std::vector<ProgramFile>& files, const std::vector<std::string>& paths,
                 const EngineOptions& options) {
  if (!AreDocumentsChecked(files)) return true;
  ToolConfig tools;
  if (ReadTools(ConfigPath(options.config, paths), tools) != kExitOk) return false;
  Sources sources;
  std::vector<std::uint32_t> documents;
  std::vector<ProgramFile> facts;
  for (const ProgramFile& file : files) {
    if (IsFacts(file)) facts.push_back(FirstRows(file));
    else documents.push_back(sources.Add(file.name, file.text));
  }
  CheckOptions with;
  with.reader = ReaderBeside(paths);
  with.facts = FactsReader(facts, options.strict_facts);
  for (const ToolCommand& tool : tools.tools) with.tools.insert(tool.name);
  bool passes = true;
  for (const Finding& finding : CheckFiles(sources, documents, with)) {
    const Diagnostic& d = finding.diagnostic;
    const bool in_rows = d.code == Code::kBadRow || d.code == Code::kBadFactsFile;
    if (d.severity == Severity::kInfo || in_rows) continue;
    PrintFinding(d, sources, std::cerr);
    passes =
        passes && (d.severity != Severity::kError || d.code == Code::kRecursionThroughNegation ||
                   d.code == Code::kCircularGoals);
  }
  return passes;
}

}  // namespace rpl
