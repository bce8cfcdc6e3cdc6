// SPDX-License-Identifier: Apache-2.0
//
// The calls of an agent's host in one run: what the host asked about and reported, in order.
//
// A call is numbered from 1. It is *deciding* while it is decided about, then *denied* or *open*,
// and an open one *ended*, *failed* or, if it was never reported, *cut off*. What the call does,
// its commands, files and addresses (checks/calls/call_views.h), is stored with it, so that no
// later decision reads its text again.
//
// Entries are only added. Each has a number, so that the log can be read as it was at an earlier
// one: a timestep of a session sees the log as it was then, also when it is replayed.
//
// The log lies in a database of SQLite, the file of a session or memory, and takes part in its
// transactions. One thread.
#ifndef RPL_RUNTIME_HOST_HOST_LOG_H_
#define RPL_RUNTIME_HOST_HOST_LOG_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace rpl {

enum class HostCallState { kDeciding, kOpen, kDenied, kEnded, kFailed, kCutOff };

/// "deciding", "open", "denied", "ended", "failed", "cut-off".
std::string_view NameOf(HostCallState state);

/// A call as its host names it.
struct ReportedCall {
  std::string tool = {};
  nlohmann::ordered_json arguments = nlohmann::ordered_json::object();
  std::string id = {};       // of the host, or ""
  std::string session = {};  // of the host, or ""
  std::string agent = {};    // the subagent that makes it, or ""
};

/// A row of what a call does: one of a relation of two or three arguments, without the call. An
/// open row stands for rows that are not known but for how they begin; a denied call, which
/// is never made, has no open rows.
struct HostRow {
  std::string relation;  // "runs", "edits", …
  /// The first argument, of three; of an open row nullopt if it is not known.
  std::optional<std::string> first = {};
  /// The last argument: a text, or a list of texts. Of an open row the text, or the texts, that it
  /// begins with.
  nlohmann::ordered_json last;
  bool open = false;
};

class HostLog {
 public:
  /// A log in memory.
  HostLog();
  /// The log in a database, which must outlive it. Makes its tables if none is there; if only some
  /// are, it throws.
  explicit HostLog(sqlite3* db);
  ~HostLog();
  HostLog(const HostLog&) = delete;
  HostLog& operator=(const HostLog&) = delete;

  /// Adds a call that is decided about, with what it does. Returns its number. Throws
  /// std::runtime_error, as the others do, if the database fails.
  std::int64_t Begin(const ReportedCall& call, const std::vector<HostRow>& rows);
  /// Sets the state. `result`: what the host reported, of an ended or a failed call; of another
  /// null. `why`: of a denied one.
  void Set(std::int64_t call, HostCallState state, const nlohmann::ordered_json& result = nullptr,
           const std::string& why = "");
  /// The open call of this session and tool with the host's id, or without one with these
  /// arguments; nullopt if there is none, or several.
  std::optional<std::int64_t> FindOpen(const ReportedCall& call) const;
  /// Ends what a session of the host leaves open: those calls are cut off.
  void EndSession(const std::string& session);
  /// What the user said to the agent.
  void AddSaid(const std::string& text);
  /// The agent wants to end its turn: the event is under decision until the next entry.
  std::int64_t BeginTurnEnd();

  /// The number of the last entry; 0 for none.
  std::int64_t last() const;
  /// From here on the log is read as it was at this entry; nullopt: as it is.
  void ReadAt(std::optional<std::int64_t> entry);

  /// A call with its state at that entry.
  struct Call {
    std::int64_t number;
    HostCallState state;
    std::string tool;
    std::string arguments;  // JSON
    std::string result;     // JSON, or ""
    std::string agent;
    std::string why;  // it was denied, or would have been
  };
  /// Calls in order; of `only`, that one. `whole`: with arguments and result.
  void ForEachCall(std::optional<std::int64_t> only, bool whole,
                   const std::function<void(const Call&)>& fn) const;
  /// Which rows are read: of a relation, and of a call, with a first argument, of calls that ended.
  struct Reading {
    std::string_view relation;
    std::optional<std::int64_t> call = {};
    std::optional<std::string> first = {};  // also open rows of which it is not known
    bool ended = false;
    bool open = false;  // open rows alone
  };
  void ForEachRow(const Reading& of,
                  const std::function<void(std::int64_t call, const HostRow&)>& fn) const;
  /// Whether one of the last hundred calls is open that edits something, or may, since the turn
  /// began: one that is never reported, because the user refused it, counts no longer in the next.
  bool EditsUnderWay() const;
  /// The call that is decided about: the last one, if it is.
  std::optional<std::int64_t> Deciding() const;
  /// The calls with rows of a relation, in order; of `only`, that one.
  void ForEachActing(std::string_view relation, std::optional<std::int64_t> only,
                     const std::function<void(std::int64_t call)>& fn) const;
  void ForEachSaid(const std::function<void(std::int64_t number, std::string_view text)>& fn) const;
  /// How often the end of a turn was decided about since the last call, the present one included.
  int TurnEndsSinceCall() const;
  /// The turn whose end is under decision.
  std::optional<std::int64_t> TurnEnd() const;

 private:
  struct Database;
  std::unique_ptr<Database> db_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_HOST_HOST_LOG_H_
