// SPDX-License-Identifier: Apache-2.0
//
// Where there is no SQLite, a log of a host's calls stays empty.
#include <stdexcept>

#include "runtime/host/host_log.h"

namespace rpl {

struct HostLog::Database {};

namespace {

[[noreturn]] void CannotKeep() {
  throw std::runtime_error("this build of rpl keeps no calls of a host");
}

}  // namespace

HostLog::HostLog() = default;
HostLog::HostLog(sqlite3*) {}
HostLog::~HostLog() = default;

std::string_view NameOf(HostCallState) { return ""; }
std::int64_t HostLog::Begin(const ReportedCall&, const std::vector<HostRow>&) { CannotKeep(); }
void HostLog::Set(std::int64_t, HostCallState, const nlohmann::ordered_json&, const std::string&) {
  CannotKeep();
}
std::optional<std::int64_t> HostLog::FindOpen(const ReportedCall&) const { return std::nullopt; }
void HostLog::EndSession(const std::string&) {}
void HostLog::AddSaid(const std::string&) { CannotKeep(); }
std::int64_t HostLog::BeginTurnEnd() { CannotKeep(); }
std::int64_t HostLog::last() const { return 0; }
void HostLog::ReadAt(std::optional<std::int64_t>) {}
void HostLog::ForEachCall(std::optional<std::int64_t>, bool,
                          const std::function<void(const Call&)>&) const {}
void HostLog::ForEachRow(const Reading&,
                         const std::function<void(std::int64_t, const HostRow&)>&) const {}
std::optional<std::int64_t> HostLog::Deciding() const { return std::nullopt; }
void HostLog::ForEachActing(std::string_view, std::optional<std::int64_t>,
                            const std::function<void(std::int64_t)>&) const {}
void HostLog::ForEachSaid(const std::function<void(std::int64_t, std::string_view)>&) const {}
int HostLog::TurnEndsSinceCall() const { return 0; }
std::optional<std::int64_t> HostLog::TurnEnd() const { return std::nullopt; }

}  // namespace rpl
