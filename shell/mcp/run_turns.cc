// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/run_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/data/json_rpc.h"
#include "runtime/run/session.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/mcp_tasks.h"
#include "shell/program/program_files.h"
#include "shell/serving/run_report.h"
#include "shell/serving/turn_input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kStatePurpose = "requestState";
constexpr const char* kQuestionPurpose = "question";
constexpr std::int64_t kQuestionSeconds = 86'400;
constexpr auto kLookElsewhere = std::chrono::milliseconds(250);
constexpr std::int64_t kStateSeconds = 600;
constexpr std::size_t kMostQuestions = 256;  // open and late questions of one client
constexpr int kMostRounds = 20;              // of questions in one call
constexpr int kMostFruitless = 3;            // forms for the same questions that bring nothing
constexpr auto kNobodyAnswersSoFast = std::chrono::milliseconds(1000);
constexpr auto kLeastAsk = std::chrono::milliseconds(5000);
constexpr auto kFirstPause = std::chrono::milliseconds(20);  // while another process has the run
constexpr auto kLongestPause = std::chrono::milliseconds(250);
constexpr auto kLongestHeld = std::chrono::seconds(3);  // a file, by a server with nothing to do

}  // namespace

std::string CallDigest(const McpCall& call) {
  const auto at = [&](const char* key) {
    const auto found = call.params.find(key);
    return found == call.params.end() ? ordered_json() : *found;
  };
  return DigestOf({{"method", call.method}, {"name", at("name")}, {"arguments", at("arguments")}});
}

ordered_json RunTurns::RefusalJson(const std::string& session, const Refusal& refusal) {
  ordered_json out = RunFaultJson(session, refusal.reason, refusal.hint);
  if (refusal.findings.is_array()) out["findings"] = refusal.findings;
  return out;
}

struct RunTurns::Turn {
  std::shared_ptr<McpCall> call;
  std::shared_ptr<ServedRun> run;
  std::string note = "";  // for the result
  bool begins = false;
  bool shows = false;  // the state is wanted, from the answer `first` on
  std::size_t first = 0;
  RunRecords::Held held = {};         // the run, by this process
  Clock::time_point give_up = {};     // to wait for a run that another process has
  std::chrono::milliseconds pause{};  // before it is tried again
  int rounds = 0;
  std::string asked;           // what the last form asked, a digest
  int fruitless = 0;           // rounds in succession that brought nothing
  std::uint64_t deadline = 0;  // of the pool; 0: none
  std::uint64_t ticking = 0;

  void SetInput(ordered_json given) {
    const std::lock_guard lock(mutex);
    input = std::move(given);
    kept = 0;
  }

  std::mutex mutex;       // for these: the clock stores the input of a turn that takes long
  ordered_json input;     // that the turn has not taken; or null
  std::int64_t kept = 0;  // its number, if it is stored
};

// A part of a call that uses a run, for McpService::working.
class RunTurns::Working {
 public:
  explicit Working(McpService& service) : service_(service) { ++service_.working; }
  ~Working() { --service_.working; }
  Working(const Working&) = delete;

 private:
  McpService& service_;
};

void RunTurns::GoOn(std::shared_ptr<McpCall> call, std::shared_ptr<ServedRun> run, Retry retry) {
  auto turn = std::make_shared<Turn>();
  turn->asked = std::move(retry.asked);
  turn->fruitless = retry.fruitless;
  Begin(turn, std::move(call), std::move(run), std::move(retry.input), false);
}

void RunTurns::Start(std::shared_ptr<McpCall> call, std::shared_ptr<ServedRun> run,
                     ordered_json input, bool begins) {
  Begin(std::make_shared<Turn>(), std::move(call), std::move(run), std::move(input), begins);
}

void RunTurns::Begin(const std::shared_ptr<Turn>& turn, std::shared_ptr<McpCall> call,
                     std::shared_ptr<ServedRun> run, ordered_json input, bool begins) {
  turn->call = std::move(call);
  turn->run = std::move(run);
  if (!input.empty()) turn->input = std::move(input);
  turn->begins = begins;
  turn->held.held = begins;
  Watch(turn);
  if (turn->call->progress_token) TellProgress(turn);
  Post(turn);
}

void RunTurns::Post(const std::shared_ptr<Turn>& turn) {
  turn->run->strand->Post([this, turn] {
    const Working working(service_);
    if (turn->shows) ShowRun(turn);
    else Run(turn);
  });
}

// Ends the call when it has taken long enough; what it does goes on.
void RunTurns::Watch(const std::shared_ptr<Turn>& turn) {
  turn->give_up = Clock::now() + service_.reply_within * 9 / 10;
  turn->pause = kFirstPause;
  turn->deadline = service_.pool.At(Clock::now() + service_.reply_within, [this, turn] {
    const std::string fault = turn->call->done() ? "" : KeepInput(*turn);
    if (turn->call->tasks && turn->run->running && fault.empty()) {
      turn->call->ReplyAs("task",
                          TaskJson(*turn->run, "working", turn->run->protocol + " is working"));
      return;
    }
    turn->call->ReplyTool(
        RunningReport(turn->run->handle, turn->run->protocol, turn->run->report(), fault), false);
  });
}

// The reason why the input is lost if this process ends before the turn does, or "".
std::string RunTurns::KeepInput(Turn& turn) {
  const std::lock_guard lock(turn.mutex);
  if (turn.input.is_null() || turn.kept > 0) return "";
  if (turn.begins) return "";  // RunRecords::Begin has stored it
  const RunRecords::Kept kept = service_.runs.records().Keep(*turn.run, turn.input);
  turn.kept = kept.number;
  return kept.fault.reason;
}

// Whether the input is left to the next turn: the process ends before this one was done, or the
// client gave up the call that began the run, and may repeat it.
bool RunTurns::IsLeft(const Turn& turn, bool done) {
  return (service_.stopping && !done) || (turn.begins && turn.call->cancelled());
}

// The turn has taken its input, or nobody wants it any more.
void RunTurns::TakenInput(Turn& turn) {
  const std::lock_guard lock(turn.mutex);
  if (turn.kept > 0) service_.runs.records().Taken(*turn.run, turn.kept);
  turn.input = nullptr;
  turn.kept = 0;
}

void RunTurns::TellProgress(const std::shared_ptr<Turn>& turn) {
  turn->ticking = service_.pool.At(Clock::now() + service_.progress_every, [this, turn] {
    if (turn->call->done() || turn->call->cancelled()) return;
    turn->call->TellProgress(turn->run->running ? turn->run->protocol + " is working"
                                                : turn->run->protocol + " waits for an answer");
    TellProgress(turn);
  });
}

// False: it is tried again while another process has the run, or the call was answered.
bool RunTurns::Hold(const std::shared_ptr<Turn>& turn) {
  if (turn->held.held) return true;
  turn->held = service_.runs.records().Hold(*turn->run);
  if (turn->held.held) return true;
  const RunRecords::Fault& fault = turn->held.fault;
  if (fault.reason.empty()) TryLater(turn, "another worker does a turn of this run");
  else turn->call->ReplyTool(RunFaultJson(turn->run->handle, fault.reason, fault.hint), true);
  return false;
}

void RunTurns::TryLater(const std::shared_ptr<Turn>& turn, const std::string& why) {
  // A turn in a database ends; a person at a terminal may keep a file for long.
  if (!service_.runs.shared() && turn->pause == kFirstPause)
    turn->give_up = std::min(turn->give_up, Clock::now() + kLongestHeld);
  if (Clock::now() + turn->pause >= turn->give_up) {
    TakenInput(*turn);
    turn->call->ReplyTool(
        RunFaultJson(turn->run->handle, why,
                     "Nothing was done: make the same call again in some seconds", "waiting"),
        true);
    return;
  }
  service_.pool.At(Clock::now() + turn->pause, [this, turn] { Post(turn); });
  turn->pause = std::min(2 * turn->pause, kLongestPause);
}

bool RunTurns::OpenRun(const std::shared_ptr<Turn>& turn) {
  ServedRun& run = *turn->run;
  if (run.run != nullptr) return true;
  const std::optional<std::string> path = service_.protocols.Find(run.protocol);
  if (!path) {
    Release(*turn, {});
    turn->call->ReplyTool(
        RunFaultJson(run.handle, "there is no protocol `" + run.protocol + "` any more",
                     "rpl_protocols lists those there are"),
        true);
    return false;
  }
  ProtocolRun::Opened opened = ProtocolRun::Open(
      {service_.runs.records().NameOf(run.handle), *path, run.protocol, run.goal, run.bound()},
      service_.engine, {[this, &run] { return service_.stopping || run.cancelled; }});
  run.run = std::move(opened.run);
  run.open = run.run != nullptr;
  if (run.open) return true;
  if (opened.refusal.may_pass && !turn->call->cancelled()) {
    Release(*turn, {});
    TryLater(turn, opened.refusal.reason);
    return false;
  }
  ordered_json refused = RefusalJson(turn->begins ? "" : run.handle, opened.refusal);
  if (turn->begins) {
    turn->held = {};
    service_.runs.Drop(run, refused);
  } else {
    Release(*turn, {});
  }
  turn->call->ReplyTool(std::move(refused), true);
  return false;
}

// Before this, the session of a run that others may want is closed.
void RunTurns::Release(Turn& turn, const RunRecords::Turn& what) {
  if (service_.runs.shared() || turn.run->bound()) turn.run->Close();
  if (!turn.held.held) return;
  turn.held = {};
  turn.run->SetTurn(service_.runs.records().Release(*turn.run, what));
}

// With the answers from `first` on, and a cursor to those that follow.
RunReport RunTurns::Report(ServedRun& run, std::size_t first) {
  RunReport report =
      ReportOf(*run.run, run.handle, service_.runs.records().ShownNameOf(run.handle));
  if (first == 0 && !report.json.contains("more")) return report;
  const AnswerPage page = PageOf(run.run->outcome().json_answers, first);
  report.json["answers"] = page.answers;
  if (page.next > 0)
    report.json["next"] = service_.seals.Seal(
        kAnswersPurpose, {{"sid", run.handle}, {"seq", run.run->seq()}, {"at", page.next}},
        SecondsNow() + kCursorSeconds);
  else if (first > 0) report.json.erase("more");
  return report;
}

// A turn with the inputs that were stored, if there are any, and the one of the call. Its report
// has no `error` or `hint`: those belong to the call.
struct RunTurns::Evaluated {
  RunReport report;
  TurnInput input;
};

RunTurns::Evaluated RunTurns::Evaluate(Turn& turn) {
  ProtocolRun& run = *turn.run->run;
  ordered_json faults = ordered_json::array();
  std::vector<GivenAnswer> stored;
  for (const ordered_json& input : turn.held.inputs) {
    TurnInput read = ReadInput(input, run);
    if (!read.note.empty()) turn.note = read.note;
    if (read.fault.empty()) stored.insert(stored.end(), read.answers.begin(), read.answers.end());
    else
      faults.push_back(
          {{"input", input.value("number", 0)}, {"error", read.fault}, {"hint", read.hint}});
  }
  std::string early;  // answers of these inputs that the run does not ask for yet
  if (!turn.held.inputs.empty()) {
    run.Turn(std::move(stored), true);
    for (const UnusedAnswer& unused : run.unused())
      if (unused.why.empty()) early += (early.empty() ? "" : ", ") + unused.key;
  }
  ordered_json given;
  {
    const std::lock_guard lock(turn.mutex);
    if (turn.kept == 0 || turn.kept > turn.held.last_input) given = turn.input;
  }
  TurnInput input = given.is_null() ? TurnInput() : ReadInput(given, run);
  if (input.note.empty()) input.note = std::exchange(turn.note, "");
  if (input.fault.empty()) run.Turn(std::move(input.answers));
  else if (!run.has_outcome()) run.Turn({});
  if (!IsLeft(turn, run.broken().empty())) TakenInput(turn);
  Evaluated out{Report(*turn.run, 0), std::move(input)};
  if (!faults.empty()) out.report.json["faults"] = std::move(faults);
  if (!early.empty())
    Tell({{},
          "",
          "",
          "nothing asks yet for what was given before: " + early + ", give it again then"},
         out.report.json);
  return out;
}

// What the call is told about its input, beside the report of the run.
void RunTurns::Tell(const TurnInput& input, ordered_json& report) {
  if (!input.fault.empty()) {
    report["error"] = input.fault;
    report["hint"] = input.hint;
    report["now"] = input.fault + ". " + input.hint + ". " + report.value("now", "");
  } else if (!input.note.empty()) {
    report["hint"] = input.note;
    report["now"] = "Note: " + input.note + ". " + report.value("now", "");
  }
}

// A task of the strand.
void RunTurns::Run(const std::shared_ptr<Turn>& turn) {
  ServedRun& run = *turn->run;
  if (service_.stopping || turn->call->cancelled()) {  // nobody else is to do it, unless it is left
    const bool left = IsLeft(*turn, false);
    if (!left) TakenInput(*turn);
    return Release(*turn, {std::nullopt, false, nullptr, service_.runs.shared() || !left});
  }
  if (!Hold(turn)) return;
  run.cancelled = false;
  run.stopped = false;
  run.running = true;
  turn->call->OnCancel([served = turn->run] { served->cancelled = true; });
  Evaluated done;
  bool opened = false;
  try {
    opened = OpenRun(turn);
    if (opened) done = Evaluate(*turn);
  } catch (const std::exception& error) {
    opened = false;
    run.Close();
    Release(*turn, {});
    turn->call->Fail(kRpcInternalError, fmt::format("internal error: {}", error.what()));
  }
  turn->call->OnCancel(nullptr);
  if (opened) {
    const std::vector<OpenQuestion> questions = done.report.questions;
    const ordered_json state = done.report.json;
    Tell(done.input, done.report.json);
    // A client that does not wait any more is told by rpl_status.
    run.SetReport(turn->call->done() ? done.report.json : state, questions);
    const bool waits_for_person = std::any_of(
        questions.begin(), questions.end(),
        [](const OpenQuestion& question) { return question.personal || question.secret; });
    const bool broken = !run.run->broken().empty();
    RunRecords::Turn ended{run.run->outcome().status, run.run->outcome().not_run, done.report.json};
    if (broken)
      ended = {std::nullopt, false, done.report.json,
               service_.runs.shared() ? turn->begins : !IsLeft(*turn, false)};
    else if (!service_.runs.shared() && IsLeft(*turn, true)) ended.status = std::nullopt;
    Release(*turn, ended);
    // A person may answer at a terminal, and only one process can have the session open.
    if (broken || (waits_for_person && !MayAsk(*turn->call))) service_.runs.Close(turn->run);
    if (broken && !turn->call->done()) run.SetReport(nullptr);
  }
  run.running = false;
  turn->begins = turn->begins && !opened;
  service_.runs.Used(turn->run);
  if (opened) service_.Changed(run.handle);
  if (opened) Conclude(turn, std::move(done.report));
  if (turn->call->done() || turn->call->cancelled()) {
    service_.pool.Forget(turn->deadline);
    service_.pool.Forget(turn->ticking);
  }
}

bool RunTurns::MayAsk(const McpCall& call) {
  if (service_.ask == AskMode::kNever) return false;
  if (service_.ask == AskMode::kAlways) return true;
  if (call.modern) return call.forms;
  const std::lock_guard lock(call.peer->mutex);
  return call.forms && !call.peer->no_questions;
}

void RunTurns::Conclude(const std::shared_ptr<Turn>& turn, RunReport report) {
  if (turn->call->done() || turn->call->cancelled()) return;
  const std::string status = report.json.value("status", "");
  const bool fault = report.json.contains("error");
  std::vector<OpenQuestion> questions = ForOneForm(report.questions);
  const bool declined = report.json.value("hint", "").starts_with(kDeclinedNote);
  if (status == "waiting" && !questions.empty() && !fault && !declined && MayAsk(*turn->call) &&
      turn->rounds < kMostRounds && AsksOnceMore(*turn, questions)) {
    if (turn->call->modern) return AskModern(turn, std::move(report), questions);
    return AskLegacy(turn, std::move(report), std::move(questions));
  }
  const bool is_error = fault || status == "rejected";
  turn->call->ReplyTool(std::move(report.json), is_error);
}

// Whether a form for the questions may bring something: one that came back empty or unusable is
// shown three times in all, one after the other.
bool RunTurns::AsksOnceMore(Turn& turn, const std::vector<OpenQuestion>& questions) {
  ordered_json ids = ordered_json::array();
  for (const OpenQuestion& question : questions) ids.push_back(question.id);
  const std::string asks = DigestOf(ids);
  turn.fruitless = turn.asked == asks ? turn.fruitless + 1 : 0;
  turn.asked = asks;
  return turn.fruitless < kMostFruitless;
}

// --- A client with a handshake -----------------------------------------------------------------

void RunTurns::AskLegacy(const std::shared_ptr<Turn>& turn, RunReport report,
                         std::vector<OpenQuestion> questions) {
  McpCall& call = *turn->call;
  // The client waits for the call, too: without word of progress it may give up after a minute.
  std::chrono::milliseconds most = service_.ask_timeout;
  if (!call.progress_token) {
    const auto used =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - call.began);
    most -= std::min(most, used);
    if (turn->rounds > 0 && most < std::min(kLeastAsk, service_.ask_timeout)) {
      call.ReplyTool(std::move(report.json), false);
      return;
    }
  }
  ++turn->rounds;
  service_.pool.Forget(turn->deadline);
  std::string refused;
  for (const UnusedAnswer& unused : report.unused)
    if (!unused.why.empty()) refused = unused.why;
  ordered_json form = FormOf(questions, turn->run->protocol, refused,
                             call.Has("2025-11-25") ? FormDialect::kLists : FormDialect::kPlain);
  if (call.Has("2025-11-25")) form["mode"] = "form";
  const auto asked_at = Clock::now();
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(call.peer->mutex);
    number = ++call.peer->last_question;
  }
  ordered_json keys = ordered_json::array();
  for (const OpenQuestion& question : questions) keys.push_back(question.key);
  const std::string id =
      QuestionId(number, service_.seals.Seal(kQuestionPurpose,
                                             {{"sid", turn->run->handle},
                                              {"seq", report.json.value("seq", std::size_t{0})},
                                              {"keys", std::move(keys)},
                                              {"who", call.peer->who}},
                                             SecondsNow() + kQuestionSeconds));
  const std::string last_turn = turn->run->turn();
  const auto give_up = [turn, id](const char* why) {
    turn->call->send(
        RpcNotification("notifications/cancelled", {{"requestId", id}, {"reason", why}}));
  };
  // An answer that comes after that is a stray one.
  call.OnCancel([give_up, turn, number] {
    {
      const std::lock_guard lock(turn->call->peer->mutex);
      turn->call->peer->asked.erase(number);
    }
    give_up("the call was cancelled");
  });
  // Before the question is known to the peer: its answer, on another thread, forgets the deadline.
  turn->deadline = service_.pool.At(Clock::now() + most, [turn, give_up, report] {
    if (turn->call->done() || turn->call->cancelled()) return;
    give_up("nobody answered in time");
    turn->call->OnCancel(nullptr);
    turn->call->ReplyTool(report.json, false);
  });
  bool left = false;
  {
    const std::lock_guard lock(call.peer->mutex);
    left = call.peer->left;
    // Kept after the time is up: an answer that comes late is an answer.
    while (call.peer->asked.size() >= kMostQuestions)
      call.peer->asked.erase(call.peer->asked.begin());
    if (!left)  // else the question would hold the client that holds it
      call.peer->asked[number] = [this, turn, report, questions, asked_at](
                                     const ordered_json& result, const ordered_json& error) {
        const auto took =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - asked_at);
        return Answered(turn, report, questions, took, result, error);
      };
  }
  if (left) return service_.pool.Forget(turn->deadline);
  call.send(RpcRequest(id, "elicitation/create", std::move(form)));
  if (service_.runs.shared()) GoOnElsewhere(turn, number, last_turn);
}

// Looks whether another process took the answer: then the call goes on with what is asked next.
void RunTurns::GoOnElsewhere(const std::shared_ptr<Turn>& turn, std::uint64_t question,
                             const std::string& last_turn) {
  const auto look = [this, turn, question, last_turn] {
    McpCall& call = *turn->call;
    if (call.done() || call.cancelled() || service_.stopping) return;
    const auto found = service_.runs.records().Find(turn->run->handle, call.peer->who);
    const bool changed = found.record && !found.elsewhere && found.last_turn != last_turn;
    {
      const std::lock_guard lock(call.peer->mutex);
      if (!call.peer->asked.contains(question)) return;  // it was answered here
      if (changed) call.peer->asked.erase(question);
    }
    if (!changed) return GoOnElsewhere(turn, question, last_turn);
    service_.pool.Forget(turn->deadline);
    call.OnCancel(nullptr);
    if (found.hint.starts_with(kDeclinedNote)) turn->note = found.hint;
    Watch(turn);
    Post(turn);
  };
  service_.pool.At(Clock::now() + kLookElsewhere, [this, look] { service_.pool.Post(look); });
}

std::string RunTurns::TakeStray(const std::shared_ptr<McpPeer>& peer, const std::string& sealed,
                                const ordered_json& result) {
  const std::optional<ordered_json> state =
      service_.seals.Open(kQuestionPurpose, sealed, SecondsNow());
  if (!state || state->value("who", "") != peer->who || !result.is_object()) return "";
  const std::string action = result.contains("action") && result["action"].is_string()
                                 ? result["action"].get<std::string>()
                                 : "";
  const ordered_json content = result.value("content", ordered_json::object());
  if ((action != "accept" && action != "decline" && action != "cancel") || !content.is_object())
    return "";
  ordered_json forms = ordered_json::object();
  for (const ordered_json& key : state->value("keys", ordered_json::array()))
    forms[FormKey(key, state->value("seq", std::size_t{0}))] = {{"action", action},
                                                                {"content", content}};
  const ServedRuns::Found found = service_.runs.Find(state->value("sid", ""), peer->who);
  if (found.run == nullptr) return found.fault.reason;
  auto turn = std::make_shared<Turn>();
  turn->call = std::make_shared<McpCall>();  // whose result nobody waits for
  turn->call->peer = peer;
  turn->call->send = [](const ordered_json&) {};
  turn->run = found.run;
  turn->SetInput({{"by", "person"}, {"forms", std::move(forms)}});
  const std::string fault = KeepInput(*turn);
  Watch(turn);
  Post(turn);
  return fault;
}

std::string RunTurns::Answered(const std::shared_ptr<Turn>& turn, const RunReport& report,
                               const std::vector<OpenQuestion>& questions,
                               std::chrono::milliseconds took, const ordered_json& result,
                               const ordered_json& error) {
  McpCall& call = *turn->call;
  service_.pool.Forget(turn->deadline);
  call.OnCancel(nullptr);
  const auto action = result.is_object() ? result.find("action") : result.end();
  const std::string said = result.is_object() && action != result.end() && action->is_string()
                               ? action->get<std::string>()
                               : "";
  const bool no = said == "decline" || said == "cancel";
  if (!error.is_null() || (said == "decline" && took < kNobodyAnswersSoFast)) {
    const std::lock_guard lock(call.peer->mutex);
    call.peer->no_questions = true;
  }
  const bool nobody = !error.is_null() || (no && took < kNobodyAnswersSoFast) || said == "cancel";
  ordered_json input = {{"by", "person"}};
  if (!nobody && said == "decline") {
    for (const OpenQuestion& question : questions)
      input["forms"][question.id] = {{"action", "decline"}};
  } else if (!nobody && said == "accept") {
    const auto content = result.find("content");
    const std::optional<std::vector<GivenAnswer>> answers =
        AnswersIn(content == result.end() ? ordered_json::object() : *content, questions);
    if (!answers) {
      call.ReplyTool(report.json, false);
      return "";
    }
    for (const GivenAnswer& answer : *answers) input["typed"][answer.key] = answer.value;
  } else {
    call.ReplyTool(report.json, false);
    return "";
  }
  turn->SetInput(std::move(input));
  // On a pipe nothing acknowledges an answer but what comes of it.
  const std::string fault = call.peer->send ? "" : KeepInput(*turn);
  if (!call.done()) Watch(turn);
  Post(turn);
  return fault;
}

// --- A modern client ---------------------------------------------------------------------------

void RunTurns::AskModern(const std::shared_ptr<Turn>& turn, RunReport report,
                         const std::vector<OpenQuestion>& questions) {
  std::string refused;
  for (const UnusedAnswer& unused : report.unused)
    if (!unused.why.empty()) refused = unused.why;
  ordered_json asked = ordered_json::object();
  for (const OpenQuestion& question : questions) {
    ordered_json form = FormOf({question}, turn->run->protocol, refused, FormDialect::kLists);
    form["mode"] = "form";
    asked[question.key] = {{"method", "elicitation/create"}, {"params", std::move(form)}};
  }
  const ordered_json state = {
      {"sid", turn->run->handle},     {"seq", report.json.value("seq", std::size_t{0})},
      {"asked", turn->asked},         {"fruitless", turn->fruitless},
      {"d", CallDigest(*turn->call)}, {"who", turn->call->peer->who}};
  turn->call->ReplyAs(
      "input_required",
      {{"inputRequests", std::move(asked)},
       {"requestState", service_.seals.Seal(kStatePurpose, state, SecondsNow() + kStateSeconds)}});
}

std::optional<RunTurns::Retry> RunTurns::ReadRetry(const std::shared_ptr<McpCall>& call) {
  const auto given = call->params.find("requestState");
  const auto responses = call->params.find("inputResponses");
  const auto refuse = [&]() -> std::optional<Retry> {
    call->Fail(kRpcInvalidParams, "invalid requestState", {{"reason", "invalid_request_state"}});
    return std::nullopt;
  };
  if (given == call->params.end() || !given->is_string()) return refuse();
  const std::optional<ordered_json> state =
      service_.seals.Open(kStatePurpose, given->get_ref<const std::string&>(), SecondsNow());
  if (!state || state->value("d", "") != CallDigest(*call) ||
      state->value("who", "") != call->peer->who)
    return refuse();
  ordered_json answers = ordered_json::object();
  if (responses != call->params.end()) {
    const bool sound =
        responses->is_object() &&
        std::all_of(responses->begin(), responses->end(), [](const ordered_json& response) {
          return response.is_object() && response.contains("action") &&
                 response["action"].is_string() &&
                 (response["action"] != "accept" || !response.contains("content") ||
                  response["content"].is_object());
        });
    if (!sound) {
      call->Fail(kRpcInvalidParams, "`inputResponses` is an object of objects with an `action`");
      return std::nullopt;
    }
    answers = *responses;
  }
  ordered_json forms = ordered_json::object();
  const std::size_t seq = state->value("seq", std::size_t{0});
  for (const auto& [key, response] : answers.items()) forms[FormKey(key, seq)] = response;
  return Retry{state->value("sid", ""),
               {{"by", "person"}, {"forms", std::move(forms)}},
               state->value("asked", ""),
               state->value("fruitless", 0)};
}

// --- The state ---------------------------------------------------------------------------------

void RunTurns::Show(std::shared_ptr<McpCall> call, std::shared_ptr<ServedRun> run,
                    std::size_t first) {
  if (run->busy()) {
    call->ReplyTool(RunningReport(run->handle, run->protocol, run->report()), false);
    return;
  }
  if (const ordered_json report = run->report(); report.is_object() && first == 0) {
    call->ReplyTool(report, false);
    return;
  }
  auto turn = std::make_shared<Turn>();
  turn->call = std::move(call);
  turn->run = std::move(run);
  turn->shows = true;
  turn->first = first;
  Watch(turn);
  Post(turn);
}

// A task of the strand. Inputs that were stored for other processes are left to them.
void RunTurns::ShowRun(const std::shared_ptr<Turn>& turn) {
  ServedRun& served = *turn->run;
  if (service_.stopping || turn->call->cancelled()) return;
  if (!Hold(turn)) return;
  served.cancelled = false;
  served.running = true;
  turn->call->OnCancel([kept = turn->run] { kept->cancelled = true; });
  try {
    if (OpenRun(turn)) {
      const bool takes = !service_.runs.shared() && !turn->held.inputs.empty();
      if (!takes && !served.run->has_outcome()) served.run->Turn({});
      RunReport report = takes ? Evaluate(*turn).report : RunReport();
      if (!takes || turn->first > 0) report = Report(served, turn->first);
      if (turn->first == 0) served.SetReport(report.json, report.questions);
      RunRecords::Turn done{served.run->outcome().status, served.run->outcome().not_run};
      if (turn->first == 0) done.report = report.json;
      const bool broken = !served.run->broken().empty();
      if (broken || (!takes && !turn->held.inputs.empty())) done = {};
      Release(*turn, done);
      if (broken) service_.runs.Close(turn->run);
      served.running = false;
      turn->call->ReplyTool(std::move(report.json), false);
    }
  } catch (const std::exception& error) {
    served.Close();
    Release(*turn, {});
    turn->call->Fail(kRpcInternalError, fmt::format("internal error: {}", error.what()));
  }
  served.running = false;
  turn->call->OnCancel(nullptr);
  service_.runs.Used(turn->run);
  if (turn->call->done() || turn->call->cancelled()) service_.pool.Forget(turn->deadline);
}

}  // namespace rpl
