// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/serve_workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "formats/data/json_text.h"
#include "runtime/postgres/database_url.h"
#include "runtime/postgres/open_session.h"
#include "runtime/run/session.h"
#include "shell/serve/turn_spans.h"
#include "shell/serving/protocol_run.h"
#include "shell/serving/request_state.h"
#include "shell/serving/run_report.h"
#include "shell/serving/turn_input.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kListen = milliseconds(500);  // so long at once
constexpr auto kListenAgain = std::chrono::seconds(10);

std::vector<std::string> TextsIn(const ordered_json& json, const char* key) {
  const auto at = json.find(key);
  return at == json.end() ? std::vector<std::string>() : at->get<std::vector<std::string>>();
}

RunQueue::Turn Refused(const RunQueue::Claim& claim, const Refusal& refusal) {
  RunQueue::Turn turn;
  turn.taken = claim.inputs.empty() ? claim.run.taken : claim.inputs.back().first;
  ordered_json report = {{"schema", "rpl.mcp.run/1"},
                         {"session", claim.run.session},
                         {"protocol", claim.run.protocol},
                         {"status", "rejected"},
                         {"error", refusal.reason}};
  if (!refusal.hint.empty()) report["hint"] = refusal.hint;
  if (refusal.findings.is_array()) report["findings"] = refusal.findings;
  turn.state = "refused";
  turn.report = DumpJson(report);
  return turn;
}

RunQueue::Turn Postponed(const RunQueue::Claim& claim) {
  RunQueue::Turn turn;
  turn.taken = claim.run.taken;
  turn.state = "ready";
  turn.again = true;
  turn.due = PauseAfter(claim.run.attempts);
  return turn;
}

// Of a turn that was not done: it is tried again later if that may help, or the run is refused.
RunQueue::Turn NotDone(const RunQueue::Claim& claim, const Refusal& why) {
  return why.may_pass && claim.run.attempts < kMostAttempts ? Postponed(claim)
                                                            : Refused(claim, why);
}

}  // namespace

ServeWorkers::ServeWorkers(ServeSettings settings, const EngineOptions& engine,
                           const ProtocolFolder& protocols, ServeMetrics& metrics)
    : settings_(std::move(settings)),
      engine_(engine),
      protocols_(protocols),
      metrics_(metrics),
      owner_("w_" + RandomText(12)) {}

void ServeWorkers::Start(WorkerPool& pool, std::function<void(const std::string&)> done) {
  done_ = std::move(done);
  for (std::size_t i = 0; i < settings_.workers; ++i) pool.Post([this, i] { Work(i); });
  pool.Post([this] { RenewClaims(); });
  pool.Post([this] { Listen(); });
}

bool ServeWorkers::Wake() {
  const std::lock_guard lock(mutex_);
  if (woken_ >= idle_) {
    again_ = true;
    return false;
  }
  ++woken_;
  ready_.notify_all();  // also others wait for it
  return true;
}

void ServeWorkers::Drain() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
  ready_.notify_all();
}

// Until a run is ready, as far as this process knows, or it is time to look again.
void ServeWorkers::WaitForWork(RunQueue& queue) {
  milliseconds most = settings_.look;
  if (hears_) {
    const RunQueue::NextDue next = queue.UntilDue();
    if (!next.error) most = std::min(settings_.long_look, next.wait.value_or(settings_.long_look));
  }
  std::unique_lock lock(mutex_);
  ++idle_;
  ready_.wait_for(lock, most, [this] { return woken_ > 0 || again_ || draining_; });
  --idle_;
  if (woken_ > 0) --woken_;
  else again_ = false;
}

// Hears of runs that have become ready. Where the server or something before it does not pass
// notifications on, workers poll the queue as often as without them.
void ServeWorkers::Listen() {
  while (!draining_) {
    SqlConnection::Options options;
    options.url = settings_.store;
    SqlConnection database(std::move(options));
    SqlError error = database.Execute(std::string("LISTEN ") + kRunChannel).error;
    if (!error) hears_ = Hears(database);
    while (!error && hears_ && !draining_) {
      const SqlConnection::Noticed noticed = database.WaitForNotices(kListen);
      error = noticed.error;
      // One worker is enough for one run; those that are busy look again anyway.
      for (std::size_t i = 0; i < noticed.notices.size() && Wake(); ++i) {
      }
    }
    hears_ = false;
    database.Close();  // it is not to be used again for something else
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, kListenAgain, [this] { return draining_.load(); });
  }
}

// Whether a notification of this process comes back to it.
bool ServeWorkers::Hears(SqlConnection& database) {
  if (database.Execute("SELECT pg_notify($1, $2)", {kRunChannel, owner_}).error) return false;
  const auto until = Clock::now() + kListen;
  while (Clock::now() < until) {
    const SqlConnection::Noticed noticed = database.WaitForNotices(kListen);
    if (noticed.error) return false;
    for (const SqlConnection::Notice& notice : noticed.notices)
      if (notice.payload == owner_) return true;
  }
  return false;
}

void ServeWorkers::Report(const SqlError& error) {
  metrics_.DatabaseError();
  std::cerr << fmt::format("rpl serve: {}\n", error.message);
}

void ServeWorkers::RenewClaims() {
  RunQueue queue = QueueIn(settings_);
  while (!IsDrained()) {
    {
      std::unique_lock lock(mutex_);
      ready_.wait_for(lock, settings_.lease / 3, [this] { return IsDrained(); });
    }
    if (busy_ == 0) continue;
    for (std::size_t i = 0; i < settings_.workers; ++i)
      if (const SqlError error = queue.Renew(fmt::format("{}/{}", owner_, i), settings_.lease))
        Report(error);
  }
}

void ServeWorkers::Work(std::size_t number) {
  RunQueue queue = QueueIn(settings_);
  const std::string owner = fmt::format("{}/{}", owner_, number);
  while (!draining_) {
    ++busy_;
    const RunQueue::Claimed claimed = queue.Take(owner, settings_.lease, settings_.limits);
    if (claimed.error || !claimed.claim) {
      --busy_;
      if (claimed.error) Report(claimed.error);
      WaitForWork(queue);
      continue;
    }
    RunQueue::Turn turn;
    try {
      turn = Do(*claimed.claim);
    } catch (const std::exception& error) {
      std::cerr << fmt::format("rpl serve: {}: internal error: {}\n", claimed.claim->run.session,
                               error.what());
      turn = NotDone(*claimed.claim,
                     {std::string("internal error: ") + error.what(), "", nullptr, true});
    }
    if (const SqlError error = queue.Finish(claimed.claim->run.session, owner, turn)) Report(error);
    else done_(claimed.claim->run.session);
    --busy_;
  }
}

RunQueue::Turn ServeWorkers::Do(const RunQueue::Claim& claim) {
  const auto began = Clock::now();
  const QueuedRun& queued = claim.run;
  const std::vector<ordered_json> inputs = InputsAsJson(claim);
  std::set<std::string> retry;
  std::string trace;
  for (const ordered_json& input : inputs) {
    for (std::string& tool : TextsIn(input, "retry")) retry.insert(std::move(tool));
    if (trace.empty()) trace = input.value("traceparent", "");
  }
  TurnSpans spans(queued.session, queued.protocol, trace);
  const auto end = [&](const std::string& status, bool failed) {
    metrics_.Turn(queued.tenant, status,
                  std::chrono::duration<double>(Clock::now() - began).count(), spans.timesteps(),
                  spans.calls());
    if (!settings_.spans.empty()) WriteSpans(spans.End(status, failed));
  };

  const std::optional<std::string> path = protocols_.Find(queued.protocol);
  Refusal refusal;
  std::unique_ptr<ProtocolRun> run;
  if (path) {
    ProtocolRun::Opened opened = ProtocolRun::Open(
        {SessionUrlIn(settings_.store, queued.session, settings_.lease), *path, queued.protocol,
         queued.goal},
        engine_,
        {[] { return false; },
         [&](const std::string&, const std::string& tool) { return retry.contains(tool); },
         [&](const ordered_json& event) { spans.Take(event); }});
    run = std::move(opened.run);
    refusal = std::move(opened.refusal);
  } else {  // another worker may have it
    refusal = {"there is no protocol `" + queued.protocol + "`", "", nullptr};
    refusal.may_pass = true;
  }
  const auto not_done = [&](const Refusal& why) {
    RunQueue::Turn turn = NotDone(claim, why);
    end(turn.state == "refused" ? "refused" : "postponed", true);
    return turn;
  };
  if (run == nullptr) return not_done(refusal);
  ordered_json faults = ordered_json::array();
  std::vector<GivenAnswer> answers;
  std::string note;
  for (const ordered_json& input : inputs) {
    TurnInput read = ReadInput(input, *run);
    if (!read.note.empty()) note = read.note;
    if (read.fault.empty()) {
      for (GivenAnswer& answer : read.answers) answers.push_back(std::move(answer));
      continue;
    }
    faults.push_back({{"input", input["number"]}, {"error", read.fault}, {"hint", read.hint}});
  }
  const Outcome& outcome =
      run->Turn(std::move(answers), queued.every.count() > 0 || !inputs.empty());
  // What is not recorded was not done.
  if (!run->broken().empty())
    return not_done({"the turn cannot be recorded: " + run->broken(), "", nullptr, true});
  RunQueue::Turn turn;
  turn.taken = inputs.empty() ? queued.taken : claim.inputs.back().first;
  SetState(outcome.status, outcome.not_run, queued, settings_.review, turn);
  ordered_json report =
      ReportOf(*run, queued.session, SessionUrlIn(WithoutPassword(settings_.store), queued.session))
          .json;
  if (!faults.empty()) report["faults"] = std::move(faults);
  if (!note.empty()) report["hint"] = note;
  turn.report = DumpJson(report);
  end(report.value("status", ""), turn.state != "ended" && turn.state != "waiting");
  return turn;
}

void ServeWorkers::WriteSpans(const std::string& line) {
  const std::lock_guard lock(spans_);
  const int fd = open(settings_.spans.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string text = line + "\n";
  const bool whole =
      fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  if (!whole) std::cerr << "rpl serve: " << settings_.spans << ": spans cannot be written\n";
}

}  // namespace rpl
