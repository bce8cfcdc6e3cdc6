// SPDX-License-Identifier: Apache-2.0
#include "shell/program/sql_program.h"

#include <iostream>
#include <map>
#include <utility>

#include "grammar/document.h"
#include "interp/plan/analysis.h"
#include "interp/sql/sql_push.h"
#include "interp/sql/sql_script.h"
#include "interp/sql/sql_source.h"
#include "interp/store/store.h"
#include "runtime/facts/facts_file.h"
#include "runtime/ports.h"
#include "runtime/tools/tool_config.h"
#include "shell/program/engine_setup.h"
#include "shell/program/options.h"
#include "shell/program/program_files.h"
#include "shell/terminal/report.h"

namespace rpl {

SqlProgram::SqlProgram(const std::vector<std::string>& documents, bool strict_facts)
    : strict_facts_(strict_facts),
      reader_(sources_, [this](Document document, bool, Diagnostics& found) {
        Take(std::move(document), found);
      }) {
  reader_.SetFiles(ReaderBeside(documents));
}

// Facts are all that a table has: what else a document states is refused.
void SqlProgram::Take(Document document, Diagnostics& found) {
  const Novelty novelty = engine_.program.Load(document, found);
  for (const SourceSentence& source : novelty.sources) {
    refused_.Add(Code::kSqlOutside, source.span, "`$index` reads a file");
    sentences_.push_back(source);
  }
  for (const HalfAnswer& half : novelty.half_answers)
    refused_.Add(Code::kSqlOutside, half.span, "a question has half an answer");
  for (const QuestionEntry& entry : novelty.question_entries)
    refused_.Add(Code::kSqlOutside, entry.span, "a question has an answer");
  for (const Assertion& assertion : novelty.assertions)
    if (engine_.store.at(assertion.relation).space() != Space::kRelation)
      refused_.Add(Code::kSqlOutside, assertion.span, "a goal, tool or question has a fact");
  engine_.Assert(novelty);
}

bool SqlProgram::IsSound(Diagnostics& found) {
  found.Sort();
  PrintDiagnostics(found.all(), sources_, std::cerr);
  return !found.has_errors();
}

bool SqlProgram::Load(std::vector<ProgramFile> files) {
  Diagnostics found;
  for (ProgramFile& file : files) {
    if (const std::optional<FactsName> facts = FactsNameOf(file.name)) {
      const std::uint32_t number = sources_.Add(facts->path, std::move(file.text));
      engine_.Assert(ReadFacts(sources_, number, *facts, strict_facts_, engine_.store, found));
      continue;
    }
    const std::uint32_t number = sources_.Add(file.name, std::move(file.text));
    reader_.Read(ReadDocument(sources_, number, found, FactForm::kPlain), found);
  }
  return IsSound(found);
}

std::optional<Definition> SqlProgram::TakeMessage(const std::string& name, std::string text) {
  Diagnostics found;
  const std::uint32_t number = sources_.Add(name, std::move(text));
  Message message = ReadMessage(sources_, number, found, FactForm::kPlain);
  reader_.Read(std::move(message.document), found);
  std::optional<Definition> query;
  if (message.query) {
    reader_.ReadFiles(FilesNamed(*message.query), found);
    query = engine_.program.LowerQuery(*message.query, found);
  }
  return IsSound(found) ? std::move(query) : std::nullopt;
}

std::optional<SqlScript> SqlProgram::Write() {
  engine_.Prepare();
  return Write(SqlRequestOf(engine_.program));
}

std::optional<SqlScript> SqlProgram::Write(const Definition& query) {
  engine_.Prepare();
  const std::string_view label = engine_.pool.TextOf(engine_.store.at(query.head).label());
  return Write({{{std::string(label), {&query}}}, {}});
}

// A line for each relation over sources of which no place is known, with the reason for that.
std::string SqlProgram::Unplaced(const std::map<std::string, std::string>& why) {
  std::map<RelationId, std::string> kept;
  for (const Definition& def : engine_.program.definitions()) {
    if (def.head == kNoId || engine_.store.at(def.head).space() != Space::kRelation) continue;
    for (const RelationId read : Mentioned(def, engine_.store)) {
      const std::string& name = engine_.store.at(read).name();
      const auto source = why.find(name);
      if (source == why.end() || !engine_.analysis.RulesOf(read).empty()) continue;
      kept.emplace(def.head, engine_.store.at(def.head).name() + ": it reads " + name + ", " +
                                 source->second);
    }
  }
  std::string out;
  for (const auto& [relation, line] : kept) out += "-- evaluated here: " + line + "\n";
  return out;
}

std::string SqlProgram::Pushed(SourceAccess& places,
                               const std::vector<DatabaseRelation>& relations) {
  engine_.Prepare();
  std::vector<ToolCall> calls;
  for (const SourceSentence& sentence : sentences_) {
    if (sentence.row.size() != 1) continue;
    ToolCall& call = calls.emplace_back();
    call.tool = "index";
    call.args = sentence.row;
  }
  std::vector<SqlSource> sources;
  std::map<std::string, std::string> unplaced;  // why, by name
  std::vector<std::optional<SqlSource>> found = places.Places(calls, engine_.pool);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (found[i]) {
      sources.push_back(std::move(*found[i]));
      continue;
    }
    for (const DatabaseRelation& relation : relations)
      if (calls[i].args.front() == engine_.pool.String(relation.name))
        unplaced[relation.name] =
            relation.record_query ? "which has `record: query`"
            : !relation.push      ? "which has `push: false`"
                             : "which the database of " + relation.variable + " does not describe";
  }
  const SqlPush push = FindPush(engine_.program, engine_.analysis, sources, nullptr);
  std::string out;
  for (const SqlPush::Query& query : push.queries) {
    std::string below;
    for (const SqlSource& source : query.pushed.sources)
      below += (below.empty() ? "" : ", ") + source.relation;
    out += "-- " + query.name + ", in place of " + below + ", in the database of " +
           query.pushed.database + "\n" + query.pushed.select + ";\n\n";
  }
  for (const std::string& why : push.kept) out += "-- evaluated here: " + why + "\n";
  return out + Unplaced(unplaced);
}

std::optional<SqlScript> SqlProgram::Write(const SqlRequest& request) {
  Diagnostics refused = refused_;
  std::optional<SqlScript> script = WriteSql(engine_.program, engine_.analysis, request, refused);
  return IsSound(refused) ? std::move(script) : std::nullopt;
}

}  // namespace rpl
