// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/run_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/json_rpc.h"
#include "runtime/session.h"
#include "shell/host/program_files.h"
#include "shell/mcp/mcp_tasks.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kStatePurpose = "requestState";
constexpr const char* kDeclined = "the user declined";  // so begin the notes about that
constexpr const char* kQuestionPurpose = "question";
constexpr std::int64_t kQuestionSeconds = 86'400;
constexpr auto kLookElsewhere = std::chrono::milliseconds(250);
constexpr std::int64_t kStateSeconds = 600;
constexpr std::size_t kMostQuestions = 256;  // open and late questions of one client
constexpr int kMostRounds = 20;              // of questions in one call
constexpr auto kNobodyAnswersSoFast = std::chrono::milliseconds(1000);
constexpr auto kLeastAsk = std::chrono::milliseconds(5000);
constexpr auto kFirstPause = std::chrono::milliseconds(20);  // while another process has the run
constexpr auto kLongestPause = std::chrono::milliseconds(250);

std::vector<OpenQuestion> QuestionsOfRun(ProtocolRun& run) {
  if (!run.has_outcome()) run.Turn({});
  return OpenQuestionsOf(run.outcome().pending, run.session().pool(),
                         [&](const Request& request) { return run.IsPersonal(request); });
}

void Append(std::vector<GivenAnswer>& to, std::vector<GivenAnswer> more) {
  for (GivenAnswer& answer : more) to.push_back(std::move(answer));
}

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
  Reader read;
  bool begins = false;
  bool shows = false;  // the state is wanted, from the answer `first` on
  std::size_t first = 0;
  bool held = false;                      // the run, by this process (RunRecords::Hold)
  std::vector<ordered_json> inputs = {};  // that no turn has taken, while it is held
  Clock::time_point give_up = {};         // to wait for a run that another process has
  std::chrono::milliseconds pause = kFirstPause;
  int rounds = 0;
  std::uint64_t deadline = 0;  // of the pool; 0: none
  std::uint64_t ticking = 0;
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

void RunTurns::Start(std::shared_ptr<McpCall> call, std::shared_ptr<ServedRun> run, Reader read,
                     bool begins) {
  auto turn = std::make_shared<Turn>();
  turn->call = std::move(call);
  turn->run = std::move(run);
  turn->read = std::move(read);
  turn->begins = begins;
  turn->held = begins;
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
  turn->deadline = service_.pool.At(Clock::now() + service_.reply_within, [turn] {
    if (turn->call->tasks && turn->run->running) {
      turn->call->ReplyAs("task",
                          TaskJson(*turn->run, "working", turn->run->protocol + " is working"));
      return;
    }
    turn->call->ReplyTool(
        RunningReport(turn->run->handle, turn->run->protocol, turn->run->report()), false);
  });
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
  if (turn->held) return true;
  RunRecords::Held held = service_.runs.records().Hold(*turn->run);
  turn->held = held.held;
  turn->inputs = std::move(held.inputs);
  if (turn->held) return true;
  if (held.fault.reason.empty()) TryLater(turn, "another worker does a turn of this run");
  else
    turn->call->ReplyTool(RunFaultJson(turn->run->handle, held.fault.reason, held.fault.hint),
                          true);
  return false;
}

void RunTurns::TryLater(const std::shared_ptr<Turn>& turn, const std::string& why) {
  if (Clock::now() + turn->pause >= turn->give_up) {
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
      {service_.runs.records().NameOf(run.handle), *path, run.protocol, run.goal}, service_.engine,
      {[this, &run] { return service_.stopping || run.cancelled; }});
  run.run = std::move(opened.run);
  if (run.run != nullptr) return true;
  if (service_.runs.shared() && opened.refusal.may_pass && !turn->call->cancelled()) {
    Release(*turn, {});
    TryLater(turn, opened.refusal.reason);
    return false;
  }
  ordered_json refused = RefusalJson(turn->begins ? "" : run.handle, opened.refusal);
  if (turn->begins) {
    turn->held = false;
    service_.runs.Drop(run, refused);
  } else {
    Release(*turn, {});
  }
  turn->call->ReplyTool(std::move(refused), true);
  return false;
}

// Before this, the session of a run that others may want is closed.
void RunTurns::Release(Turn& turn, const RunRecords::Turn& what) {
  if (service_.runs.shared()) turn.run->run.reset();
  if (!turn.held) return;
  turn.held = false;
  turn.inputs.clear();
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

// A turn with the inputs that were stored, if there are any, and the one of the call.
RunReport RunTurns::Evaluate(Turn& turn) {
  ProtocolRun& run = *turn.run->run;
  ordered_json faults = ordered_json::array();
  std::vector<GivenAnswer> stored;
  for (const ordered_json& input : turn.inputs) {
    TurnInput read = StoredInput(input, run);
    if (read.fault.empty()) Append(stored, std::move(read.answers));
    else
      faults.push_back(
          {{"input", input.value("number", 0)}, {"error", read.fault}, {"hint", read.hint}});
  }
  if (!turn.inputs.empty()) run.Turn(std::move(stored), true);
  TurnInput input = turn.read ? turn.read(run) : TurnInput();
  turn.read = nullptr;
  if (input.fault.empty()) run.Turn(std::move(input.answers));
  else if (!run.has_outcome()) run.Turn({});
  RunReport report = Report(*turn.run, 0);
  if (!faults.empty()) report.json["faults"] = std::move(faults);
  if (!input.fault.empty()) {
    report.json["error"] = input.fault;
    report.json["hint"] = input.hint;
    report.json["now"] = input.fault + ". " + input.hint + ". " + report.json.value("now", "");
  } else if (!input.note.empty()) {
    report.json["hint"] = input.note;
    report.json["now"] = "Note: " + input.note + ". " + report.json.value("now", "");
  }
  return report;
}

// A task of the strand.
void RunTurns::Run(const std::shared_ptr<Turn>& turn) {
  ServedRun& run = *turn->run;
  if (service_.stopping || turn->call->cancelled())
    return Release(*turn, {std::nullopt, false, nullptr, true});
  if (!Hold(turn)) return;
  run.cancelled = false;
  run.stopped = false;
  run.running = true;
  turn->call->OnCancel([served = turn->run] { served->cancelled = true; });
  RunReport report;
  bool opened = false;
  try {
    opened = OpenRun(turn);
    if (opened) report = Evaluate(*turn);
  } catch (const std::exception& error) {
    opened = false;
    run.run.reset();
    Release(*turn, {});
    turn->call->Fail(kRpcInternalError, fmt::format("internal error: {}", error.what()));
  }
  turn->call->OnCancel(nullptr);
  if (opened) {
    run.SetReport(report.json, report.questions);
    const bool waits_for_person =
        std::any_of(report.questions.begin(), report.questions.end(),
                    [](const OpenQuestion& q) { return q.personal || q.secret; });
    RunRecords::Turn done{run.run->outcome().status, run.run->outcome().not_run, report.json};
    if (!run.run->broken().empty()) done = {std::nullopt, false, report.json, turn->begins};
    // A person may answer at a terminal, and only one process can have the session open.
    if (!run.run->broken().empty() || (waits_for_person && !MayAsk(*turn->call))) {
      run.run.reset();
      run.SetReport(nullptr);
    }
    Release(*turn, done);
  }
  run.running = false;
  turn->begins = turn->begins && !opened;
  service_.runs.Used(turn->run);
  if (opened) service_.Changed(run.handle);
  if (opened) Conclude(turn, std::move(report));
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
  std::vector<OpenQuestion> questions;
  for (const OpenQuestion& question : report.questions)
    if (IsForForm(question)) questions.push_back(question);
  const bool declined = report.json.value("hint", "").starts_with(kDeclined);
  if (status == "waiting" && !questions.empty() && !fault && !declined && MayAsk(*turn->call) &&
      turn->rounds < kMostRounds) {
    if (turn->call->modern) return AskModern(turn, report, questions);
    return AskLegacy(turn, std::move(report), std::move(questions));
  }
  const bool is_error = fault || status == "rejected";
  turn->call->ReplyTool(std::move(report.json), is_error);
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
  std::string sealed, last_turn;
  if (service_.runs.shared()) {
    ordered_json keys = ordered_json::array();
    for (const OpenQuestion& question : questions) keys.push_back(question.key);
    sealed = service_.seals.Seal(kQuestionPurpose,
                                 {{"sid", turn->run->handle},
                                  {"seq", report.json.value("seq", std::size_t{0})},
                                  {"keys", std::move(keys)},
                                  {"who", call.peer->who}},
                                 SecondsNow() + kQuestionSeconds);
    last_turn = turn->run->turn();
  }
  const std::string id = QuestionId(number, sealed);
  const auto give_up = [turn, id](const char* why) {
    turn->call->send(
        RpcNotification("notifications/cancelled", {{"requestId", id}, {"reason", why}}));
  };
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
  {
    const std::lock_guard lock(call.peer->mutex);
    // Kept after the time is up: an answer that comes late is an answer.
    while (call.peer->asked.size() >= kMostQuestions)
      call.peer->asked.erase(call.peer->asked.begin());
    call.peer->asked[number] = [this, turn, report, questions, asked_at](
                                   const ordered_json& result, const ordered_json& error) {
      const auto took =
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - asked_at);
      Answered(turn, report, questions, took, result, error);
    };
  }
  call.send(RpcRequest(id, "elicitation/create", std::move(form)));
  if (!sealed.empty()) GoOnElsewhere(turn, number, last_turn);
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
    if (found.hint.starts_with(kDeclined))
      turn->read = [hint = found.hint](ProtocolRun&) { return TurnInput{{}, "", "", hint}; };
    Watch(turn);
    Post(turn);
  };
  service_.pool.At(Clock::now() + kLookElsewhere, [this, look] { service_.pool.Post(look); });
}

void RunTurns::TakeStray(const std::shared_ptr<McpPeer>& peer, const std::string& sealed,
                         const ordered_json& result) {
  const std::optional<ordered_json> state =
      service_.seals.Open(kQuestionPurpose, sealed, SecondsNow());
  if (!state || state->value("who", "") != peer->who || !result.is_object()) return;
  const std::string action = result.contains("action") && result["action"].is_string()
                                 ? result["action"].get<std::string>()
                                 : "";
  const ordered_json content = result.value("content", ordered_json::object());
  if ((action != "accept" && action != "decline" && action != "cancel") || !content.is_object())
    return;
  const auto read = [state = *state, action, content](ProtocolRun& run) {
    TurnInput input;
    std::vector<OpenQuestion> asked;
    const ordered_json keys = state.value("keys", ordered_json::array());
    for (const OpenQuestion& question : QuestionsOfRun(run))
      if (IsForForm(question) && std::find(keys.begin(), keys.end(), question.key) != keys.end())
        asked.push_back(question);
    if (run.seq() != state.value("seq", std::size_t{0}) || asked.empty()) return input;
    if (action == "decline") return DeclinedInput(run, asked);
    if (action == "cancel")
      for (const OpenQuestion& question : asked)
        input.note +=
            (input.note.empty() ? "the user declined to answer now: " : ", ") + question.key;
    else if (auto answers = AnswersIn(content, asked)) input.answers = std::move(*answers);
    return input;
  };
  service_.pool.Post([this, peer, read, handle = state->value("sid", "")] {
    const auto run = service_.runs.Find(handle, peer->who).run;
    if (run == nullptr || service_.stopping) return;
    auto call = std::make_shared<McpCall>();  // whose result nobody waits for
    call->peer = peer;
    call->send = [](const ordered_json&) {};
    Start(call, run, read);
  });
}

void RunTurns::Answered(const std::shared_ptr<Turn>& turn, const RunReport& report,
                        const std::vector<OpenQuestion>& questions, std::chrono::milliseconds took,
                        const ordered_json& result, const ordered_json& error) {
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
  if (!nobody && said == "decline") {
    turn->read = [questions](ProtocolRun& run) { return DeclinedInput(run, questions); };
  } else if (!nobody && said == "accept") {
    const auto content = result.find("content");
    std::optional<std::vector<GivenAnswer>> answers =
        AnswersIn(content == result.end() ? ordered_json::object() : *content, questions);
    if (!answers) return void(call.ReplyTool(report.json, false));
    turn->read = [answers = std::move(*answers)](ProtocolRun&) {
      TurnInput input;
      input.answers = answers;
      return input;
    };
  } else {
    call.ReplyTool(report.json, false);
    return;
  }
  if (!call.done()) Watch(turn);
  Post(turn);
}

// --- A modern client ---------------------------------------------------------------------------

void RunTurns::AskModern(const std::shared_ptr<Turn>& turn, const RunReport& report,
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
  const ordered_json state = {{"sid", turn->run->handle},
                              {"seq", report.json.value("seq", std::size_t{0})},
                              {"d", CallDigest(*turn->call)},
                              {"who", turn->call->peer->who}};
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
  const std::size_t seq = state->value("seq", std::size_t{0});
  return Retry{state->value("sid", ""), [answers, seq](ProtocolRun& run) {
                 TurnInput input;
                 const std::vector<OpenQuestion> questions = QuestionsOfRun(run);
                 // The questions are others by now: these are asked.
                 if (run.seq() != seq) return input;
                 std::vector<OpenQuestion> declined;
                 std::string cancelled;
                 for (const OpenQuestion& question : questions) {
                   const auto at = answers.find(question.key);
                   if (at == answers.end() || !IsForForm(question)) continue;
                   const std::string action = (*at)["action"];
                   if (action == "decline") declined.push_back(question);
                   if (action == "cancel")
                     cancelled += (cancelled.empty() ? "" : ", ") + question.key;
                   const auto content = at->find("content");
                   if (action != "accept" || content == at->end()) continue;
                   if (auto read = AnswersIn(*content, {question})) Append(input.answers, *read);
                 }
                 if (!declined.empty()) {
                   TurnInput no = DeclinedInput(run, declined);
                   Append(input.answers, std::move(no.answers));
                   input.note = no.note;
                 } else if (!cancelled.empty() && input.answers.empty()) {
                   input.note = "the user declined to answer now: " + cancelled;
                 }
                 return input;
               }};
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

// A task of the strand. Inputs that were stored are left to others.
void RunTurns::ShowRun(const std::shared_ptr<Turn>& turn) {
  ServedRun& served = *turn->run;
  if (service_.stopping || turn->call->cancelled()) return;
  if (!Hold(turn)) return;
  served.cancelled = false;
  served.running = true;
  turn->call->OnCancel([kept = turn->run] { kept->cancelled = true; });
  try {
    if (OpenRun(turn)) {
      if (!served.run->has_outcome()) served.run->Turn({});
      RunReport report = Report(served, turn->first);
      if (turn->first == 0) served.SetReport(report.json, report.questions);
      RunRecords::Turn done{served.run->outcome().status, served.run->outcome().not_run};
      if (turn->first == 0) done.report = report.json;
      if (!served.run->broken().empty() || !turn->inputs.empty()) done = {};
      if (!served.run->broken().empty()) served.run.reset();
      Release(*turn, done);
      served.running = false;
      turn->call->ReplyTool(std::move(report.json), false);
    }
  } catch (const std::exception& error) {
    served.run.reset();
    Release(*turn, {});
    turn->call->Fail(kRpcInternalError, fmt::format("internal error: {}", error.what()));
  }
  served.running = false;
  turn->call->OnCancel(nullptr);
  service_.runs.Used(turn->run);
  if (turn->call->done() || turn->call->cancelled()) service_.pool.Forget(turn->deadline);
}

}  // namespace rpl
