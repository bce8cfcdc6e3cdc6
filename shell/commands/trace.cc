// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "formats/data/json_text.h"
#include "grammar/ast.h"
#include "grammar/parser.h"
#include "grammar/printer.h"
#include "runtime/gate_setup.h"
#include "runtime/host/host_calls.h"
#include "runtime/model/cassette.h"
#include "runtime/nobody.h"
#include "runtime/postgres/open_session.h"
#include "runtime/record/event_sequence.h"
#include "runtime/record/question_history.h"
#include "runtime/run/run.h"
#include "runtime/run/saved_session.h"
#include "runtime/wire/outcome_json.h"
#include "shell/commands/commands.h"
#include "shell/commands/resume.h"
#include "shell/commands/shared_options.h"
#include "shell/pages/pages.h"
#include "shell/pages/trace_page.h"
#include "shell/program/engine_setup.h"
#include "shell/program/guard_setup.h"
#include "shell/program/program_files.h"
#include "shell/program/recorded_sources.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl trace …: the trace of a session.
struct TraceOptions {
  enum class What { kShow, kQuestions, kQuery, kExport, kVerify, kAnchor, kDiff, kReplay, kHtml };
  What what = What::kShow;
  std::string session;
  std::string other;   // kDiff
  std::string query;   // kQuery
  std::string anchor;  // kVerify: SessionStore::Anchor of an earlier time, or ""
  std::string output;  // kHtml: a file; "" for standard output
  const OutputFormat* format = kOutputFormats;  // kShow, kQuestions, kQuery, kReplay
  bool ndjson = false;                          // kExport: with hashes
  bool cassette = false;                        // kExport: the replies of models
  std::size_t threads = 1;                      // kReplay
  SessionLimits limits;
};

constexpr const char* kTraceFooter =
    R"(Examples
  rpl trace show trip.rpls
  rpl trace query trip.rpls '%where(?d, ?focus) <- edit-brief(?d, ?focus)'
  rpl trace export trip.rpls > trace.rpl     # then: rpl run protocol.md trace.rpl
  rpl trace verify trip.rpls
  rpl trace diff monday.rpls tuesday.rpls
  rpl trace replay trip.rpls
  rpl trace html trip.rpls -o report.html)";

using nlohmann::ordered_json;

// The session, or null after a message.
std::unique_ptr<SessionStore> Open(const std::string& path) {
  SessionStore::Opened opened = OpenSession(path, SessionStore::Mode::kRead, Interrupted);
  if (opened.store == nullptr) {
    Complain(path, opened.error, opened.hint);
  } else if (!opened.store->damage().empty()) {
    Complain(path, "the session is damaged: " + opened.store->damage());
  }
  return std::move(opened.store);
}

void Show(const std::vector<TraceEntry>& entries, const OutputFormat& format) {
  if (format.IsText()) {
    for (const TraceEntry& entry : entries)
      if (!entry.again) std::cout << TraceLine(entry) << '\n';
    return;
  }
  ordered_json list = ordered_json::array();
  for (const TraceEntry& entry : entries) {
    if (entry.again) continue;
    list.push_back({{"timestep", entry.timestep},
                    {"phase", entry.phase},
                    {"kind", EntryName(entry.kind)},
                    {"text", entry.text}});
    if (entry.by) list.back()["by"] = NameOf(*entry.by);
  }
  format.write(std::cout, {{"schema", "rpl.trace/1"}, {"entries", std::move(list)}});
}

void ShowQuestions(const std::vector<Event>& events, const OutputFormat& format) {
  ordered_json list = ordered_json::array();
  for (const QuestionHistory& question : QuestionsOf(events)) {
    if (format.IsText()) std::cout << PrintableLine(question.call) << '\n';
    ordered_json states = ordered_json::array();
    for (const QuestionEvent& event : question.events) {
      ordered_json state = {{"timestep", event.timestep}, {"state", NameOf(event.state)}};
      const bool tried = event.state == QuestionState::kTried;
      if (event.state == QuestionState::kAnswered || (tried && !event.value.empty()))
        state["value"] = event.value;
      if (event.by) state["by"] = NameOf(*event.by);
      if (!event.person.empty()) state["person"] = event.person;
      if (!event.model.empty()) state["model"] = event.model;
      if (tried) state["gate"] = event.gate, state["reason"] = event.reason;
      states.push_back(std::move(state));
      if (!format.IsText()) continue;
      std::cout << fmt::format("  {:<4} {}", event.timestep, NameOf(event.state));
      if (!event.value.empty()) std::cout << ": " << PrintableLine(event.value);
      if (event.by)
        std::cout << " (" << NameOf(*event.by)
                  << (event.person.empty() && event.model.empty() ? "" : ": ")
                  << PrintableLine(event.person + event.model) << ")";
      if (tried) std::cout << ", " << event.gate << ": " << PrintableLine(event.reason);
      std::cout << '\n';
    }
    list.push_back({{"call", question.call}, {"states", std::move(states)}});
  }
  if (!format.IsText())
    format.write(std::cout, {{"schema", "rpl.questions/1"}, {"questions", std::move(list)}});
}

// The goal form of a single clause, `place(?where)` or `%go`, with its variables as captures; "" if
// the text is not a clause.
std::string AsGoal(const std::string& clause) {
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file = sources.Add("<query>", clause);
  const auto term =
      ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(clause.size())}, ignored);
  const auto* call = term ? term->As<Call>() : nullptr;
  if (call == nullptr || call->label.empty()) return "";
  std::vector<std::string> variables;
  CollectVariables(*term, variables);
  std::string captures;
  for (const std::string& variable : variables)
    captures += (captures.empty() ? "?" : ", ?") + variable;
  const std::string head = captures.empty() ? "%" : "%found(" + captures + ")";
  return head + " <- " + Print(*term);
}

int NothingRecorded(const TraceOptions& options) {
  Complain(options.session, "nothing was recorded yet");
  return kExitFile;
}

int Query(const TraceOptions& options, SessionStore& store) {
  const std::vector<Event>& events = store.events();
  const std::size_t begin = options.query.find_first_not_of(" \t");
  const std::string goal = AsGoal(options.query);
  if (begin == std::string::npos || options.query[begin] != '%' || !goal.empty()) {
    Complain("query", "expected a goal form, got `" + options.query + "`",
             goal.empty() ? "as in `%who(?x) <- user(?x)`" : "write `" + goal + "`");
    return kExitInvalid;
  }
  const std::shared_ptr<SourceAccess> reader = ReaderOfRecorded(options.session, events);
  const std::optional<ProgramEvent> program = LastProgram(events);
  if (!program) return NothingRecorded(options);
  const std::unique_ptr<GateSetup> gate = GateSetupFrom(program->guard);
  SessionOptions with;
  with.interrupted = Interrupted;
  with.gate = gate.get();
  with.host = store.host();
  Nobody nobody;
  const std::unique_ptr<Run> run =
      Run::Read({nobody, nobody, *reader}, events, {.options = std::move(with)}).run;
  if (!run->broken().empty()) {
    Complain(options.session, run->broken());
    return kExitFile;
  }
  const Outcome outcome = run->Say("<query>", options.query);
  PrintDiagnostics(outcome.diagnostics, run->session().sources(), std::cerr);
  if (!options.format->IsText()) {
    options.format->write(std::cout, OutcomeJson("rpl.query/1", outcome, run->session().pool()));
  } else if (outcome.status == Status::kSatisfied) {
    PrintLines(Session::Reply(outcome));
    PrintCutOff(outcome, std::cerr);
  } else {  // a reason is no result
    for (const std::string& line : Session::Reply(outcome)) std::cerr << Printable(line) << '\n';
  }
  return ExitCodeOf(outcome.status);
}

void ExportEvents(const std::vector<Event>& events) {
  std::string hash = FirstHash();
  for (std::size_t i = 0; i < events.size(); ++i) {
    hash = EventHash(hash, events[i]);
    std::cout << Dump({{"event", i + 1},
                       {"kind", EventName(events[i].kind)},
                       {"body", events[i].body},
                       {"hash", Hex(hash)}})
              << '\n';
  }
  std::cout << Dump({{"events", events.size()}, {"hash", Hex(hash)}}) << '\n';
}

// The replies of models, as a cassette.
ExitCode ExportCassette(const std::vector<Event>& events) {
  std::size_t left_out = 0;
  for (const Event& event : events) {
    if (event.kind != Event::Kind::kAttempt) continue;
    const Attempt attempt = AttemptOf(ParseJson(event.body).json);
    if (!attempt.Counts()) continue;
    if (const std::optional<std::string> line = CassetteLine(attempt)) std::cout << *line << '\n';
    else ++left_out;
  }
  if (left_out > 0)
    std::cerr << "note: of " << left_out << " replies the session has digests alone: `record: full`"
              << " keeps them\n";
  return kExitOk;
}

std::string Exported(const std::vector<Event>& events) {
  Trace trace = TraceSoFar(events);
  for (TraceEntry& entry : HalfAnswers(events)) trace.push_back(std::move(entry));
  return TraceProgram(trace);
}

// The first fault in lines that ExportEvents printed, or ""; and the events before it.
std::string DamageOf(const std::string& exported, std::vector<Event>& events) {
  std::string hash = FirstHash();
  std::istringstream lines(exported);
  EventSequence sequence;
  std::size_t number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    const auto damaged = [&] { return fmt::format("line {} is not what was written", number); };
    const JsonText parsed = ParseJson(line);
    if (!parsed.error.empty() || !parsed.json.is_object()) return damaged();
    ordered_json expected;
    if (parsed.json.contains("events")) {
      expected = {{"events", number - 1}, {"hash", Hex(hash)}};
    } else {
      const auto text = [&](const char* key) {
        const auto at = parsed.json.find(key);
        return at != parsed.json.end() && at->is_string() ? at->get<std::string>() : "";
      };
      const std::optional<Event::Kind> kind = EventKindOf(text("kind"));
      if (!kind) return damaged();
      const Event event{*kind, text("body")};
      hash = EventHash(hash, event);
      expected = {
          {"event", number}, {"kind", text("kind")}, {"body", text("body")}, {"hash", Hex(hash)}};
      if (Dump(parsed.json) != Dump(expected)) return damaged();
      if (const std::string why = sequence.Take(event); !why.empty())
        return fmt::format("event {} cannot be right: {}", number, why);
      events.push_back(event);
    }
    if (Dump(parsed.json) != Dump(expected)) return damaged();
    if (parsed.json.contains("events") && lines.peek() == EOF) return "";
  }
  return fmt::format("line {} is missing", number);
}

// The rows that are recorded as queries: what cannot be checked is said and is no fault.
ExitCode CheckRows(const std::string& path, const std::vector<Event>& events) {
  const RecordedCheck rows = CheckRecorded(path, events);
  for (const std::string& line : rows.unknown)
    std::cerr << "not checked: " << Printable(line) << '\n';
  for (const std::string& line : rows.differs) std::cerr << "differs: " << Printable(line) << '\n';
  return rows.differs.empty() ? kExitOk : kExitNo;
}

// Exported lines instead of a session.
int VerifyLines(const std::string& path, const std::string& exported) {
  std::vector<Event> events;
  if (const std::string damage = DamageOf(exported, events); !damage.empty()) {
    Complain(path, "the export is damaged: " + damage);
    return kExitNo;
  }
  const ExitCode code = CheckRows(path, events);
  std::cerr << fmt::format("sound: {} events\n", events.size());
  return code;
}

int Replay(const TraceOptions& options, SessionStore& store) {
  const std::vector<Event>& events = store.events();
  if (!LastProgram(events)) return NothingRecorded(options);
  const std::shared_ptr<SourceAccess> reader = ReaderOfRecorded(options.session, events);
  const Replayed again =
      ReplayAll(events, GateSetupFrom, Interrupted, options.threads, reader.get(), store.host());
  Show(again.entries, *options.format);
  std::cout << std::flush;
  if (Interrupted()) return kExitInterrupted;
  if (again.differs.empty()) return kExitOk;
  std::cerr << "differs: " << Printable(again.differs) << '\n';
  return kExitNo;
}

// Writes the page to standard output or to a file.
int Html(const TraceOptions& options, SessionStore& store) {
  const std::vector<Event>& events = store.events();
  std::error_code none;
  if (std::filesystem::equivalent(options.session, options.output, none)) {
    Complain(options.output, "this is the session itself", "name another file for the page");
    return kExitInvalid;
  }
  if (const std::optional<ProgramEvent> program = LastProgram(events))
    for (const ProgramFile& file : program->files) {
      if (!std::filesystem::equivalent(PathFromSession(options.session, file.name), options.output,
                                       none))
        continue;
      Complain(options.output, "this is a document of the session",
               "name another file for the page");
      return kExitInvalid;
    }
  const std::shared_ptr<SourceAccess> reader = ReaderOfRecorded(options.session, events);
  const std::vector<StoryEpoch> story = TellStory(events, reader.get(), store.host());
  if (story.empty()) {
    Complain(options.session, "nothing was recorded yet");
    return kExitFile;
  }
  if (Interrupted()) return kExitInterrupted;
  const std::string page = TracePage(story);
  if (options.output.empty()) {
    std::cout << page << std::flush;
    return kExitOk;
  }
  std::ofstream file(options.output, std::ios::binary | std::ios::trunc);
  if (!(file << page << std::flush)) {
    Complain(options.output, "cannot be written");
    return kExitFile;
  }
  return kExitOk;
}

// The lines of `rpl trace show`.
std::vector<std::string> LinesOf(const std::vector<Event>& events) {
  std::vector<std::string> out;
  for (const TraceEntry& entry : Entries(events))
    if (!entry.again) out.push_back(TraceLine(entry));
  return out;
}

int PrintDiff(const std::vector<Event>& left, const std::vector<Event>& right) {
  const std::vector<std::string> a = LinesOf(left);
  const std::vector<std::string> b = LinesOf(right);
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  for (auto it = at; it != a.end(); ++it) std::cout << "- " << *it << '\n';
  for (auto it = other; it != b.end(); ++it) std::cout << "+ " << *it << '\n';
  const auto same = at - a.begin();
  std::cerr << fmt::format("{} entr{} in common\n", same, same == 1 ? "y" : "ies");
  return at == a.end() && other == b.end() ? kExitOk : kExitNo;
}

// kExitFile for an unreadable or damaged session. kVerify: kExitNo for a damaged one, and for one
// that does not go on from the anchor. kDiff,
// kReplay: kExitNo if traces differ. kQuery: the code of the outcome.
int CommandTrace(const TraceOptions& options) {
  if (options.what == TraceOptions::What::kVerify) {
    const Input input = ReadFile(options.session);
    if (input.error.empty() && input.text.starts_with('{'))
      return VerifyLines(options.session, input.text);
  }
  const std::unique_ptr<SessionStore> store = Open(options.session);
  if (store == nullptr) return Interrupted() ? kExitInterrupted : kExitFile;
  const std::vector<Event>& events = store->events();
  const bool sound = store->damage().empty();
  using What = TraceOptions::What;
  switch (options.what) {
    case What::kShow: Show(Entries(events), *options.format); break;
    case What::kQuestions: ShowQuestions(events, *options.format); break;
    case What::kQuery: return sound ? Query(options, *store) : kExitFile;
    case What::kExport:
      if (options.cassette) return sound ? ExportCassette(events) : kExitFile;
      if (options.ndjson) ExportEvents(events);
      else PrintDocument(Exported(events));
      break;
    case What::kVerify:
      if (!sound) return kExitNo;
      if (!options.anchor.empty())
        if (const std::string why = store->Departs(options.anchor); !why.empty()) {
          Complain(options.session, why, kDeparted);
          return kExitNo;
        }
      if (CheckRows(options.session, events) != kExitOk) return kExitNo;
      // A run that was killed while it made its session leaves one without events.
      if (events.empty()) std::cerr << "sound: nothing was recorded yet\n";
      else std::cerr << fmt::format("sound: {} events\n", events.size());
      break;
    case What::kAnchor:
      if (sound && !events.empty()) std::cout << store->Anchor() << '\n';
      break;
    case What::kHtml: return sound ? Html(options, *store) : kExitFile;
    case What::kReplay: return sound ? Replay(options, *store) : kExitFile;
    case What::kDiff: {
      if (!sound) return kExitFile;
      std::error_code ignored;  // one file cannot be opened twice
      if (std::filesystem::equivalent(options.session, options.other, ignored))
        return PrintDiff(events, events);
      const std::unique_ptr<SessionStore> other = Open(options.other);
      if (other == nullptr || !other->damage().empty()) return kExitFile;
      return PrintDiff(events, other->events());
    }
  }
  return sound ? kExitOk : kExitFile;
}

}  // namespace

Command DescribeTrace(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<TraceOptions>();
  TraceOptions& to = *options;
  using What = TraceOptions::What;
  command.RequirePart(1);
  const auto add = [&](const char* name, const char* help, What what) {
    const CommandOptions part = AddPart(command, name, help, to.what, what);
    part.Add("SESSION", to.session,
             "A session file, or postgresql://…/NAME, as saved by `rpl run --session`")
        .Required();
    return part;
  };
  AddFormat(add("show", "Print the entries, in order", What::kShow), to.format);
  AddFormat(add("questions", "Print what became of each question", What::kQuestions), to.format);
  const CommandOptions query = add("query", "Answer a goal from the current state", What::kQuery);
  query.Add("GOAL", to.query, "A goal form: `% <- …`, `%name(?x) <- …`").Required();
  AddFormat(query, to.format);
  const CommandOptions exported =
      add("export", "Print an RPL program that restores the current state", What::kExport);
  AddChoice(exported, "--format", to.ndjson, "FORMAT",
            "rpl (default), or ndjson: every event with its hash",
            {{"rpl", false}, {"ndjson", true}});
  exported.Flag("--cassette", to.cassette,
                "The replies of models instead, for `--model cassette:FILE`");
  add("verify", "Check that no event was altered", What::kVerify)
      .Add("--anchor", to.anchor, "Also check that the session goes on from here")
      .Unit("N:HASH");
  add("anchor", "Print the number and hash of the last event, for --anchor", What::kAnchor);
  add("diff", "Print the entries in which two sessions differ", What::kDiff)
      .Add("OTHER", to.other, "Another session file, or postgresql://…/NAME")
      .Required();
  const CommandOptions replay =
      add("replay", "Run the session again with its recorded replies, and compare", What::kReplay);
  AddFormat(replay, to.format);
  AddThreads(replay, to.threads);
  if (MakesPages())
    add("html", "Write an HTML page with the timeline, the proofs of goals and the source",
        What::kHtml)
        .Add("-o,--output", to.output, "Write to FILE (default: standard output)")
        .Unit("FILE")
        .Check(CheckNamed);
  command.Footer(kTraceFooter);
  return {.run = [options] { return CommandTrace(*options); }, .limits = &to.limits};
}

}  // namespace rpl
