// SPDX-License-Identifier: Apache-2.0
#include "shell/host/findings.h"

#include <iostream>

#include "runtime/facts_file.h"
#include "shell/host/engine_setup.h"
#include "shell/host/tool_setup.h"

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

bool IsChecked(const std::vector<ProgramFile>& files) {
  std::size_t size = 0;
  for (const ProgramFile& file : files) size += file.text.size();
  return size <= kCheckedBytes;
}

bool PassesCheck(const std::vector<ProgramFile>& files, const std::vector<std::string>& paths,
                 const EngineOptions& options) {
  if (!IsChecked(files)) return true;
  ToolConfig tools;
  if (ReadTools(ConfigPath(options.config, paths), tools) != kExitOk) return false;
  Sources sources;
  std::vector<std::uint32_t> documents;
  std::vector<ProgramFile> facts;
  for (const ProgramFile& file : files) {
    if (FactsNameOf(file.name)) facts.push_back(file);
    else documents.push_back(sources.Add(file.name, file.text));
  }
  CheckOptions with;
  with.reader = ReaderBeside(paths);
  with.facts = FactsReader(facts, options.strict_facts);
  for (const ToolCommand& tool : tools.tools) with.tools.insert(tool.name);
  bool passes = true;
  for (const Finding& finding : CheckFiles(sources, documents, with)) {
    const Diagnostic& d = finding.diagnostic;
    if (d.severity == Severity::kInfo) continue;
    std::cerr << Render(d, sources);
    passes =
        passes && (d.severity != Severity::kError || d.code == Code::kRecursionThroughNegation ||
                   d.code == Code::kCircularGoals);
  }
  return passes;
}

}  // namespace rpl
