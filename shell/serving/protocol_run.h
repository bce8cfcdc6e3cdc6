// SPDX-License-Identifier: Apache-2.0
//
// A run of a protocol with its session, open: what `rpl run --session` and `rpl resume` do for a
// process, for as long as a server keeps it.
//
// Every turn is stored when it returns. A turn that is cut off, by a cancellation or a limit on
// time or memory, leaves the file as a crash would: `broken` then says that the run must be closed
// and opened again. One thread at a time.
#ifndef RPL_SHELL_SERVING_PROTOCOL_RUN_H_
#define RPL_SHELL_SERVING_PROTOCOL_RUN_H_

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/outcome.h"
#include "runtime/wire/given_answers.h"
#include "shell/program/options.h"

namespace rpl {

class Nobody;
class RelayingAgent;
class Run;
class Session;
struct Event;
class SessionStore;
class ToolSetup;
struct GateSetup;
struct ProgramFile;

/// A protocol that cannot be run, for the client.
struct Refusal {
  std::string reason;                    // "" if there is none
  std::string hint;                      // or ""
  nlohmann::ordered_json findings = {};  // of the text: an array, or null
  bool may_pass = false;                 // the same may succeed later: another has the session open
};

/// What a run asks and tells while it evaluates.
struct RunHooks {
  std::function<bool()> interrupted;  // polled
  /// Whether a call, as RPL text, of which nobody knows whether it ran is made again; null: never.
  std::function<bool(const std::string& call, const std::string& tool)> retry = nullptr;
  /// Takes events as they happen (SessionOptions::event), but for derived rows; may be null.
  std::function<void(const nlohmann::ordered_json&)> event = nullptr;
};

/// The findings of `rpl check` about a program, as a JSON array of objects with `rule`, `severity`,
/// `file`, `line`, `column`, `message` and `hint`. `errors`: the number of errors that keep it from
/// running, if not null. `tools`: the names that the configuration offers.
nlohmann::ordered_json CheckedText(const std::string& name, const std::string& text,
                                   const std::string& path, const std::set<std::string>& tools,
                                   std::size_t* errors = nullptr);

/// A text with the name of a protocol in place of that of its file.
std::string WithName(std::string text, const std::string& file, const std::string& name);
/// The name of the protocol's file in the texts of a session; "" if it has no program yet.
std::string RecordedName(const std::vector<Event>& events);

class ProtocolRun {
 public:
  /// Where a run is and what it runs.
  struct Place {
    std::string session;   // the path of its file, or its URL in a database
    std::string protocol;  // the path of the program
    std::string name;      // of the protocol, for the client
    std::string goal;      // as a client gives it (GoalNamed)
    bool binds = false;    // the session is that of a protocol that binds an agent
  };

  struct Opened {
    std::unique_ptr<ProtocolRun> run;  // or
    Refusal refusal;
  };
  /// Opens the session, or begins it if there is no file. `engine`: the options of the server.
  static Opened Open(const Place& place, const EngineOptions& engine, RunHooks hooks);
  ~ProtocolRun();

  /// Runs until the goal is decided or waits; with the answers, each for the question of its key.
  /// A run that has ended does nothing without answers, unless `again`: time has passed.
  const Outcome& Turn(std::vector<GivenAnswer> answers, bool again = false);
  /// Whether the run would end if these questions were declined: its goal makes no provision for
  /// that. Tried on a copy.
  bool EndsByDeclining(const std::vector<GivenAnswer>& declines);
  /// Takes in facts, or retractions, as one message: sentences of RPL. The outcome is that of the
  /// message: kRejected or kFailed if it was not taken in as said.
  Outcome Say(const std::string& sentences, By by);

  /// The answers that the last turn did not use.
  const std::vector<UnusedAnswer>& unused() const { return unused_; }
  /// What tools wrote to the chat in the last turn.
  const std::vector<std::string>& chat() const { return chat_; }
  /// The outcome of the last turn. REQUIRES: there was one, or has_outcome().
  const Outcome& outcome() const { return *outcome_; }
  bool has_outcome() const { return outcome_.has_value(); }
  /// Whether there was a turn, of this process or another.
  bool was_run() const { return was_run_; }
  /// The reason why the run must be opened again, or "".
  const std::string& broken() const { return broken_; }
  /// The recorded answers for a key: calls and values, as RPL text.
  std::vector<std::pair<std::string, std::string>> Recorded(const std::string& key);
  /// Whether the key was declined and is not asked any more.
  bool IsDeclined(const std::string& key);
  /// Whether the configuration has a command for the tool.
  bool HasCommand(const std::string& tool) const { return commands_.contains(tool); }

  Session& session();
  /// A text of the engine with the name of the protocol in place of that of its file.
  std::string Shown(std::string text) const;
  const Place& place() const { return place_; }
  /// What `rpl guard pending` needs behind it to find a review of the run (StoreOptionAnywhere).
  std::string store_option() const;
  /// Grows with each entry of the trace.
  std::size_t seq();

 private:
  ProtocolRun(Place place, EngineOptions engine, RunHooks hooks);
  Refusal Begin(std::vector<ProgramFile> files);
  void TakeBackDeclined(const std::vector<GivenAnswer>& answers);

  Place place_;
  EngineOptions engine_;
  RunHooks hooks_;
  std::string recorded_name_;       // of the program, in the session
  std::set<std::string> commands_;  // the tools of the configuration
  std::unique_ptr<Nobody> nobody_;
  std::unique_ptr<ToolSetup> tools_;
  std::unique_ptr<GateSetup> gate_;
  GivenAnswers given_;
  std::unique_ptr<RelayingAgent> agent_;  // answers with them first
  std::unique_ptr<Run> run_;
  std::optional<Outcome> outcome_;
  std::vector<UnusedAnswer> unused_;
  std::vector<std::string> chat_;
  bool was_run_ = false;
  std::string broken_;
  std::map<std::string, std::string> recorded_;  // values as RPL text, by call
};

/// A session of a program that is not kept, for queries and explanations: questions stay open,
/// sources of `$index` are read, no tool runs.
struct ScratchRun {
  std::unique_ptr<Nobody> nobody;
  std::unique_ptr<ToolSetup> tools;      // of a protocol
  std::unique_ptr<GivenAnswers> given;   // of a copy
  std::unique_ptr<RelayingAgent> agent;  // answers with them first
  std::unique_ptr<GateSetup> gate;
  std::unique_ptr<SessionStore> store;  // of a copy: before the run
  std::unique_ptr<Run> run;             // of a protocol, or a copy of a run
  Refusal refusal;                      // or this
  std::string file;                     // the name of the program in texts of it

  ScratchRun();
  ScratchRun(ScratchRun&&) noexcept;
  ~ScratchRun();
  Session& of();
};
ScratchRun ScratchOf(const std::string& path, const std::string& name, const EngineOptions& engine,
                     std::function<bool()> interrupted);
/// The last state of a session file, which may be open elsewhere.
ScratchRun CopyOf(const std::string& session, const EngineOptions& engine,
                  std::function<bool()> interrupted);

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_PROTOCOL_RUN_H_
