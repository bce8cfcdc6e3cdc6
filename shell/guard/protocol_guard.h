// SPDX-License-Identifier: Apache-2.0
//
// A protocol that binds an agent: one run for the work in a project, and a decision about each
// event of the agent's host by the protocol's constraints (docs/bind.md).
//
// The run is a session file, found by the protocol and the project (bound_place.h). The calls of
// the host are a log in it, and each event is one transaction: what is decided is on disk before it
// is answered. Processes that decide at once wait for each other.
//
// The program is the one that the run began with. If the file changes, the run goes on with the
// recorded one until a person accepts the new one.
//
// Undecided is denied, as are limits and faults; nothing is asked or called.
#ifndef RPL_SHELL_GUARD_PROTOCOL_GUARD_H_
#define RPL_SHELL_GUARD_PROTOCOL_GUARD_H_

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/calls/call_rows.h"
#include "runtime/host/host_log.h"
#include "runtime/outcome.h"
#include "runtime/record/question_history.h"
#include "shell/guard/bound_place.h"
#include "shell/program/options.h"

namespace rpl {

class Run;
class SessionStore;
struct HookHost;

/// Why the protocol with this text binds no agent, for people, or "": it has errors, it is a
/// policy, or none of its constraints is about the calls of a host.
std::string BindingFault(const std::string& path, const std::string& text);

class ProtocolGuard {
 public:
  struct Opened {
    std::unique_ptr<ProtocolGuard> guard;  // or
    std::string error;
    std::string hint;
  };
  /// Opens the run, or begins it. Waits for other processes until
  /// `interrupted` holds; may be null.
  static Opened Open(const BoundPlace& place, const EngineOptions& engine,
                     std::function<bool()> interrupted);
  ~ProtocolGuard();

  struct Decision {
    bool denies = false;
    bool asks = false;         // the host asks its user instead, and the call is open
    std::string reason;        // of a denial, for the agent
    std::int64_t call = 0;     // its number
    std::string failure = {};  // why there is none: also a denial
  };
  struct Deciding {
    std::string folder;         // the working folder of the call
    bool only_records = false;  // a denial is recorded, and the call is open nevertheless
    bool protects = true;       // also what the agent may not touch (host_protection.h)
    bool closed = false;        // a call is denied that no constraint applies to
    bool asks = false;          // the host asks its user about a call that waits for an answer
    /// Of a tool of an MCP server: the two names, where the host tells that it is one.
    std::optional<ServedTool> served = {};
    const HookHost* host = nullptr;  // null if it is not known
    std::string reads_as = {};       // the built-in tool that a server's tool is read as, or ""
  };
  /// Decides about a call of the host, before it is made.
  Decision Decide(const ReportedCall& call, const Deciding& how);
  /// A policy denies a call that the protocol lets through.
  std::string Deny(std::int64_t call, const std::string& why);
  /// The host reports how a call ended. Returns what is wrong about the report, or "".
  std::string Report(const ReportedCall& call, HostCallState state,
                     const nlohmann::ordered_json& result);
  /// Decides about the end of the agent's turn; denied at most `most` times without a call between.
  Decision EndTurn(int most);
  /// The host's session ended: its open calls are cut off. Returns a failure, or "".
  std::string EndSession(const std::string& session);
  /// What the user typed. Returns a failure, or "".
  std::string TakeSaid(const std::string& text);

  /// Pursues the goal with the answers of the engine's options, which a person gives for `key`. An
  /// answer that nothing asks for yet is stated as a fact. Returns why it is not taken, or "".
  std::string Answer(const std::string& key);
  /// What persons did in the run.
  std::vector<PersonAct> Acts() const;
  /// The sentences by which the file differs from the program of the run: `+ …`, `- …`.
  std::vector<std::string> Changes() const;

  /// What to do now, for the agent.
  std::string Now();
  /// Why the goal is not satisfied, for a person: what is lacking, as the engine has it; or "".
  std::string WhyNotYet();
  /// Whether the goal is satisfied now.
  bool IsSatisfied();
  /// Whether no event came yet, and a run before this one has ended.
  bool begins_anew();
  /// The calls so far.
  HostLog& log();
  /// Whether the file of the protocol differs from the program of the run.
  bool changed() const { return changed_; }
  const BoundPlace& place() const { return place_; }

 private:
  struct Parts;
  ProtocolGuard(BoundPlace place, EngineOptions engine, std::string runs);

  Decision Found(std::int64_t call, bool closed, const CallViews& views);
  std::optional<Outcome> Pursued();
  std::string RelationFor(const std::string& key) const;

  const EngineOptions engine_;
  const BoundPlace place_;
  const std::string runs_;  // the folder of the protocol's runs in the project
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<Run> run_;
  SessionStore* store_ = nullptr;  // the run's
  bool changed_ = false;
};

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_PROTOCOL_GUARD_H_
