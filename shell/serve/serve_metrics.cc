// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/serve_metrics.h"

#include <fmt/format.h>

namespace rpl {
namespace {

// The value of a label.
std::string LabelText(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string Heading(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

void ServeMetrics::Turn(const std::string& tenant, const std::string& status, double seconds,
                        std::size_t timesteps, std::size_t calls) {
  const std::lock_guard lock(mutex_);
  Counters& to = of_[tenant];
  ++to.turns[status];
  to.seconds += seconds;
  to.timesteps += timesteps;
  to.calls += calls;
  for (std::size_t i = 0; i < kBounds.size(); ++i)
    if (seconds <= kBounds[i]) {
      ++to.within[i];
      break;
    }
}

void ServeMetrics::Request(const std::string& tenant, unsigned status) {
  const std::lock_guard lock(mutex_);
  ++of_[tenant].requests[status];
}

void ServeMetrics::DatabaseError() {
  const std::lock_guard lock(mutex_);
  ++database_errors_;
}

std::string ServeMetrics::Text(const std::string& tenant,
                               const std::vector<RunQueue::Count>& runs) {
  const std::lock_guard lock(mutex_);
  const Counters& of = of_[tenant];
  std::string out = Heading("rpl_runs", "gauge", "Runs in the database by state");
  for (const RunQueue::Count& count : runs)
    out += fmt::format("rpl_runs{{tenant={},state={}}} {}\n", LabelText(count.tenant),
                       LabelText(count.state), count.runs);
  out += Heading("rpl_oldest_ready_seconds", "gauge",
                 "How long the first ready run of a tenant has been due");
  for (const RunQueue::Count& count : runs)
    if (count.state == "ready")
      out += fmt::format("rpl_oldest_ready_seconds{{tenant={}}} {}\n", LabelText(count.tenant),
                         count.oldest);
  out += Heading("rpl_turns_total", "counter", "Turns that this process did, by outcome");
  std::uint64_t turns = 0;
  for (const auto& [status, count] : of.turns) {
    out += fmt::format("rpl_turns_total{{status={}}} {}\n", LabelText(status), count);
    turns += count;
  }
  out += Heading("rpl_turn_seconds", "histogram", "Wall time of a turn");
  std::uint64_t within = 0;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    within += of.within[i];
    out += fmt::format("rpl_turn_seconds_bucket{{le=\"{}\"}} {}\n", kBounds[i], within);
  }
  out += fmt::format("rpl_turn_seconds_bucket{{le=\"+Inf\"}} {}\n", turns);
  out += fmt::format("rpl_turn_seconds_sum {}\nrpl_turn_seconds_count {}\n", of.seconds, turns);
  out += Heading("rpl_timesteps_total", "counter", "Timesteps of these turns");
  out += fmt::format("rpl_timesteps_total {}\n", of.timesteps);
  out += Heading("rpl_tool_calls_total", "counter", "Calls of tools in these turns");
  out += fmt::format("rpl_tool_calls_total {}\n", of.calls);
  out += Heading("rpl_http_requests_total", "counter", "Requests by the status of the answer");
  for (const auto& [status, count] : of.requests)
    out += fmt::format("rpl_http_requests_total{{status=\"{}\"}} {}\n", status, count);
  out += Heading("rpl_database_errors_total", "counter",
                 "Transactions that failed after all their tries");
  out += fmt::format("rpl_database_errors_total {}\n", database_errors_);
  return out;
}

}  // namespace rpl
