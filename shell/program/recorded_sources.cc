// SPDX-License-Identifier: Apache-2.0
#include "shell/program/recorded_sources.h"

#include <fmt/format.h>

#include "grammar/parser.h"
#include "interp/program/program.h"
#include "runtime/nobody.h"
#include "runtime/run/saved_session.h"
#include "shell/program/program_files.h"
#include "shell/program/tool_setup.h"

namespace rpl {
namespace {

// The call that a session recorded; without arguments if the text is no call.
ToolCall ToolCallOf(Pool& pool, const std::string& call) {
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file = sources.Add("call", call);
  const auto term = ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(call.size())}, ignored);
  const Value value = term ? GroundValue(pool, *term) : kNone;
  ToolCall out;
  out.tool = "index";
  out.id = call;
  if (value.kind() != Kind::kTerm) return out;
  const std::span<const Value> args = pool.ItemsOf(value);
  out.args.assign(args.begin(), args.end());
  return out;
}

// With no option of the command line.
struct RecordedReader {
  EngineOptions options;
  Nobody nobody;
  ToolSetup tools{options, false, nobody};
};

}  // namespace

std::shared_ptr<SourceAccess> ReaderOfRecorded(const std::string& session,
                                               const std::vector<Event>& events) {
  const std::optional<ProgramEvent> program = LastProgram(events);
  if (!program || QueriesOf(events).empty()) return std::make_shared<SourceAccess>();
  std::vector<std::string> paths;
  for (const ProgramFile& file : program->files)
    if (const std::string path = PathFromSession(session, file.name); IsInTree(session, path))
      paths.push_back(path);
  const auto reader = std::make_shared<RecordedReader>();
  reader->tools.OnlyRead(false);
  reader->tools.Prepare(paths);
  return {reader, &reader->tools.access()};
}

RecordedCheck CheckRecorded(const std::string& session, const std::vector<Event>& events) {
  RecordedCheck out;
  const std::vector<RecordedQuery> queries = QueriesOf(events);
  if (queries.empty()) return out;
  Pool pool;
  std::vector<RecordedRead> reads;
  for (const RecordedQuery& query : queries)
    reads.push_back({ToolCallOf(pool, query.call), query.query});
  const std::vector<RecordedText> texts =
      ReaderOfRecorded(session, events)->ReadRecorded(reads, pool);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (texts[i].failure.empty()) continue;
    (texts[i].differs ? out.differs : out.unknown)
        .push_back(fmt::format("event {}, the rows of {}: {}", queries[i].event, queries[i].call,
                               texts[i].failure));
  }
  return out;
}

}  // namespace rpl
