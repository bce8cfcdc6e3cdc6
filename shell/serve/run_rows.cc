// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/run_rows.h"

#include <fmt/format.h>

#include <iostream>
#include <thread>
#include <utility>

#include "formats/data/json_text.h"
#include "runtime/postgres/database_url.h"
#include "shell/serve/serve_metrics.h"
#include "shell/serving/request_state.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Keys of clients are headers, which have no line ends: none of them is such a key.
std::string KeyOf(const RunRecord& run) { return "mcp\n" + run.request; }

RunRecord RecordOf(const QueuedRun& run) {
  return {run.session, run.protocol, run.goal, run.tenant, "", run.began};
}

std::int64_t LastInput(const RunQueue::Claim& claim) {
  return claim.inputs.empty() ? claim.run.taken : claim.inputs.back().first;
}

}  // namespace

RunRows::RunRows(ServeSettings settings, QueuePool& queues, QueuePool& patient,
                 ServeMetrics& metrics)
    : settings_(std::move(settings)),
      queues_(queues),
      patient_(patient),
      metrics_(metrics),
      owner_("m_" + RandomText(12)) {}

RunRecords::Fault RunRows::Unreachable(const SqlError& error) const {
  metrics_.DatabaseError();
  return {TextForClients(error), "Nothing was done: make the same call again"};
}

void RunRows::RenewClaims() {
  for (;;) {
    std::this_thread::sleep_for(settings_.lease / 3.0);
    {
      const std::lock_guard lock(mutex_);
      if (held_.empty()) continue;
    }
    if (const SqlError error = QueuePool::Borrowed(patient_)->Renew(owner_, settings_.lease)) {
      metrics_.DatabaseError();
      std::cerr << fmt::format("rpl serve: {}\n", error.message);
    }
  }
}

RunRecords::Begun RunRows::Begin(const RunRecord& fresh, const ordered_json& input) {
  const NewRun run{.session = fresh.handle,
                   .tenant = fresh.who,
                   .protocol = fresh.protocol,
                   .goal = fresh.goal,
                   .key = KeyOf(fresh),
                   .input = input.empty() ? "" : DumpJson(input)};
  std::optional<std::chrono::seconds> repeat;
  if (!fresh.named()) repeat = std::chrono::seconds(kRepeatSeconds);
  const RunQueue::Added added =
      QueuePool::Borrowed(queues_)->Begin(run, owner_, settings_.lease, repeat, settings_.limits);
  if (added.error) return {std::nullopt, false, Unreachable(added.error)};
  if (added.taken == RunQueue::Taken::kFull)
    return {std::nullopt, false, {"too many runs wait for a worker", "Call again later"}};
  if (added.taken == RunQueue::Taken::kAgain) return {RecordOf(added.run), true, {}};
  RunQueue::Claim claim{added.run, {}, "waiting"};
  if (added.run.given > 0) claim.inputs.emplace_back(1, run.input);
  Remember(std::move(claim));
  return {RecordOf(added.run), false, {}};
}

void RunRows::Remember(RunQueue::Claim claim) {
  const std::lock_guard lock(mutex_);
  const std::string session = claim.run.session;
  held_[session] = {std::move(claim), Clock::now()};
}

void RunRows::Answered(const RunRecord& run) {
  const RunQueue::Found found = QueuePool::Borrowed(queues_)->Use(run.handle, run.who);
  if (found.error) Unreachable(found.error);
}

RunRecords::Found RunRows::Find(const std::string& handle, const std::string& who) {
  const RunQueue::Found found = QueuePool::Borrowed(queues_)->Use(handle, who);
  if (found.error) return {std::nullopt, Unreachable(found.error), "", "", false};
  if (!found.run) return {};
  std::string hint;
  if (!found.run->report.empty()) hint = ParseOwnJson(found.run->report).value("hint", "");
  const std::lock_guard lock(mutex_);
  return {RecordOf(*found.run),
          {},
          found.run->last_turn,
          std::move(hint),
          found.run->working && !held_.contains(handle)};
}

std::vector<std::string> RunRows::Handles(const std::string& prefix, const std::string& who,
                                          std::size_t most) {
  return QueuePool::Borrowed(queues_)->NamesFrom(prefix, who, most).names;
}

std::string RunRows::NameOf(const std::string& handle) const {
  return SessionUrlIn(settings_.store, handle, settings_.lease);
}

std::string RunRows::ShownNameOf(const std::string& handle) const {
  return SessionUrlIn(WithoutPassword(settings_.store), handle);
}

RunRecords::Held RunRows::Hold(const RunRecord& run) {
  RunQueue::OneClaimed held = QueuePool::Borrowed(queues_)->Hold(run.handle, run.who, owner_,
                                                                 settings_.lease, settings_.limits);
  if (held.error) return {false, Unreachable(held.error), {}};
  if (!held.claim && !held.version.empty())
    return {
        false,
        {fmt::format("version {} of rpl began this run, and this is {}", held.version, RPL_VERSION),
         "Ask a worker of that version, or start again with rpl_run"},
        {},
        0};
  if (!held.claim) return {};
  Held out{true, {}, InputsAsJson(*held.claim), LastInput(*held.claim)};
  Remember(std::move(*held.claim));
  return out;
}

// An input of the run as any other, so that whoever does the next turn takes it.
RunRecords::Kept RunRows::Keep(const RunRecord& run, const ordered_json& input) {
  const RunQueue::Added added = QueuePool::Borrowed(queues_)->Give(
      run.handle, run.who, "mcp\n" + RandomText(12), DumpJson(input), TenantLimits());
  if (added.error) return {0, Unreachable(added.error)};
  if (added.taken == RunQueue::Taken::kNoRun) return {0, {"there is no such run any more", ""}};
  return {added.run.given, {}};
}

// If others were given before it that this process has not seen, they come first, and it is taken
// once more, as one that is known.
void RunRows::Taken(const RunRecord& run, std::int64_t number) {
  const std::lock_guard lock(mutex_);
  const auto at = held_.find(run.handle);
  if (at != held_.end() && LastInput(at->second.claim) + 1 == number)
    at->second.claim.inputs.emplace_back(number, "");
}

std::string RunRows::Release(const RunRecord& run, const Turn& turn) {
  HeldRun held;
  {
    const std::lock_guard lock(mutex_);
    const auto at = held_.find(run.handle);
    if (at == held_.end()) return "";
    held = std::move(at->second);
    held_.erase(at);
  }
  RunQueue::Turn done;
  done.taken = turn.status || turn.drop_inputs ? LastInput(held.claim) : held.claim.run.taken;
  done.state = held.claim.before;
  if (turn.report.is_object()) done.report = DumpJson(turn.report);
  if (turn.status) {
    SetState(*turn.status, turn.not_run, held.claim.run, settings_.review, done);
    metrics_.Turn(run.who, std::string(StatusName(*turn.status)),
                  std::chrono::duration<double>(Clock::now() - held.since).count(), 0, 0);
  }
  return Finish(held, done);
}

void RunRows::Drop(const RunRecord& run, const ordered_json& report) {
  HeldRun held;
  {
    const std::lock_guard lock(mutex_);
    const auto at = held_.find(run.handle);
    if (at == held_.end()) return;
    held = std::move(at->second);
    held_.erase(at);
  }
  RunQueue::Turn done;
  done.taken = LastInput(held.claim);
  done.state = "refused";
  ordered_json named = report;
  named["session"] = run.handle;
  done.report = DumpJson(named);
  Finish(held, done);
}

// If the database is away for long, the claim runs out, and a worker looks at the run.
std::string RunRows::Finish(const HeldRun& held, const RunQueue::Turn& turn) {
  std::string last_turn;
  const SqlError error =
      QueuePool::Borrowed(patient_)->Finish(held.claim.run.session, owner_, turn, &last_turn);
  if (!error) return last_turn;
  metrics_.DatabaseError();
  std::cerr << fmt::format("rpl serve: {}\n", error.message);
  return "";
}

}  // namespace rpl
