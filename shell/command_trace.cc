// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "runtime/json_value.h"
#include "runtime/saved_session.h"
#include "shell/commands.h"
#include "shell/engine_setup.h"
#include "shell/input.h"
#include "shell/report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// Nobody: what a session did is looked at, not gone on with.
class NobodyAnswers : public Agent {
 public:
  rpl::Answer Answer(const Request&, Pool&, bool) override { return {}; }
  void Chat(const std::string&) override {}
  void OfferToContinue(const std::string&) override {}
};

// The file, or nullptr with a message.
std::unique_ptr<SessionFile> Open(const std::string& path) {
  SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kRead);
  if (opened.file == nullptr) {
    std::cerr << "rpl: " << path << ": " << opened.error << '\n';
    if (!opened.hint.empty()) std::cerr << "help: " << opened.hint << '\n';
  } else if (!opened.file->damage().empty()) {
    std::cerr << "rpl: " << path << ": the session is damaged: " << opened.file->damage() << '\n';
  }
  return std::move(opened.file);
}

void Show(const std::vector<TraceEntry>& entries, bool json) {
  if (!json) {
    for (const TraceEntry& entry : entries) std::cout << TraceLine(entry) << '\n';
    return;
  }
  ordered_json list = ordered_json::array();
  for (const TraceEntry& entry : entries)
    list.push_back({{"timestep", entry.timestep},
                    {"phase", entry.phase},
                    {"kind", EntryName(entry.kind)},
                    {"text", entry.text}});
  std::cout << Dump({{"schema", "rpl.trace/1"}, {"entries", std::move(list)}}) << '\n';
}

// Goes through the last epoch again. Nothing new is kept.
std::unique_ptr<SavedSession> Again(Agent& agent, const std::vector<Event>& events) {
  const std::optional<ProgramEvent> program = LastProgram(events);
  if (!program) return nullptr;
  SessionOptions options;
  options.interrupted = Interrupted;
  auto saved = std::make_unique<SavedSession>(agent, std::move(options), events, nullptr);
  saved->Start(program->files, [](const std::string&) { return std::nullopt; });
  return saved;
}

int Query(const TraceOptions& options, const std::vector<Event>& events) {
  const std::size_t begin = options.query.find_first_not_of(" \t");
  if (begin == std::string::npos || options.query[begin] != '%') {
    std::cerr << "rpl: expected a goal form, got `" << Printable(options.query) << "`\n"
              << "help: as in `%who(?x) <- user(?x)`\n";
    return kExitInvalid;
  }
  NobodyAnswers nobody;
  const std::unique_ptr<SavedSession> saved = Again(nobody, events);
  if (saved == nullptr || !saved->journal().broken().empty()) {
    std::cerr << "rpl: " << options.session << ": "
              << (saved == nullptr ? "nothing was recorded yet" : saved->journal().broken())
              << '\n';
    return kExitFile;
  }
  const Outcome outcome = saved->session().Say("<query>", options.query);
  PrintDiagnostics(outcome.diagnostics, saved->session().sources(), std::cerr);
  if (options.json) {
    std::cout << Dump(OutcomeJson("rpl.query/1", outcome, saved->session().pool())) << '\n';
  } else {
    for (const std::string& line : Session::Reply(outcome)) std::cout << line << '\n';
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

// What is wrong with lines that ExportEvents printed, or ""; their number.
std::string DamageOf(const std::string& exported, std::size_t& events) {
  std::string hash = FirstHash();
  std::istringstream lines(exported);
  std::size_t number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    const auto damaged = [&] { return fmt::format("line {} is not what was written", number); };
    const JsonText parsed = ParseJson(line);
    if (!parsed.error.empty() || !parsed.json.is_object()) return damaged();
    ordered_json expected;
    if (parsed.json.contains("events")) {
      expected = {{"events", number - 1}, {"hash", Hex(hash)}};
      events = number - 1;
    } else {
      const auto text = [&](const char* key) {
        const auto at = parsed.json.find(key);
        return at != parsed.json.end() && at->is_string() ? at->get<std::string>() : "";
      };
      const std::optional<Event::Kind> kind = EventKindOf(text("kind"));
      if (!kind) return damaged();
      hash = EventHash(hash, {*kind, text("body")});
      expected = {
          {"event", number}, {"kind", text("kind")}, {"body", text("body")}, {"hash", Hex(hash)}};
    }
    if (Dump(expected) != line) return damaged();
    if (parsed.json.contains("events") && lines.peek() == EOF) return "";
  }
  return fmt::format("line {} is missing", number);
}

// Exported lines, in place of a session.
int VerifyLines(const std::string& path, const std::string& exported) {
  std::size_t events = 0;
  if (const std::string damage = DamageOf(exported, events); !damage.empty()) {
    std::cerr << "rpl: " << path << ": the export is damaged: " << damage << '\n';
    return kExitNo;
  }
  std::cerr << fmt::format("sound: {} events\n", events);
  return kExitOk;
}

int Replay(const TraceOptions& options, const std::vector<Event>& events) {
  NobodyAnswers nobody;
  const std::unique_ptr<SavedSession> saved = Again(nobody, events);
  if (saved == nullptr) {
    std::cerr << "rpl: " << options.session << ": nothing was recorded yet\n";
    return kExitFile;
  }
  Show(saved->session().Entries(), options.json);
  std::cout << std::flush;
  if (saved->journal().broken().empty()) return kExitOk;
  std::cerr << "differs: " << saved->journal().broken() << '\n';
  return kExitNo;
}

int Diff(const std::vector<TraceEntry>& a, const std::vector<TraceEntry>& b) {
  std::size_t same = 0;
  const auto equal = [](const TraceEntry& x, const TraceEntry& y) {
    return x.timestep == y.timestep && x.phase == y.phase && x.kind == y.kind && x.text == y.text;
  };
  while (same < a.size() && same < b.size() && equal(a[same], b[same])) ++same;
  for (std::size_t i = same; i < a.size(); ++i) std::cout << "- " << TraceLine(a[i]) << '\n';
  for (std::size_t i = same; i < b.size(); ++i) std::cout << "+ " << TraceLine(b[i]) << '\n';
  std::cerr << fmt::format("{} entr{} in common\n", same, same == 1 ? "y" : "ies");
  return same == a.size() && same == b.size() ? kExitOk : kExitNo;
}

}  // namespace

int CommandTrace(const TraceOptions& options) {
  if (options.what == TraceOptions::What::kVerify) {
    const Input input = ReadFile(options.session);
    if (input.error.empty() && input.text.starts_with('{'))
      return VerifyLines(options.session, input.text);
  }
  const std::unique_ptr<SessionFile> file = Open(options.session);
  if (file == nullptr) return kExitFile;
  const std::vector<Event>& events = file->events();
  const bool sound = file->damage().empty();
  using What = TraceOptions::What;
  switch (options.what) {
    case What::kShow: Show(Entries(events, false), options.json); break;
    case What::kQuery: return sound ? Query(options, events) : kExitFile;
    case What::kExport:
      if (options.json) ExportEvents(events);
      else std::cout << TraceProgram(Entries(events, true));
      break;
    case What::kVerify:
      if (!sound) return kExitNo;
      std::cerr << fmt::format("sound: {} events\n", events.size());
      break;
    case What::kReplay: return sound ? Replay(options, events) : kExitFile;
    case What::kDiff: {
      const std::unique_ptr<SessionFile> other = Open(options.other);
      if (other == nullptr || !other->damage().empty() || !sound) return kExitFile;
      return Diff(Entries(events, false), Entries(other->events(), false));
    }
  }
  return sound ? kExitOk : kExitFile;
}

}  // namespace rpl
