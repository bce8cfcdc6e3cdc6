// SPDX-License-Identifier: Apache-2.0
//
// The records that a server keeps of its runs beside their sessions: whose a run is, what it runs,
// and which request began it. So a server that starts anew goes on with every run.
//
// There are two kinds. RunFiles (run_files.h) keeps records in the folder of the sessions, for one
// process. RunRows (shell/serve/run_rows.h) keeps them in a database that many processes share:
// then a run is held by one process for the length of a turn, and what this process remembers of a
// run may be out of date.
//
// All functions may be called from any thread. Those of shared records may wait for a database.
#ifndef RPL_SHELL_SERVING_RUN_RECORDS_H_
#define RPL_SHELL_SERVING_RUN_RECORDS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/outcome.h"

namespace rpl {

/// A run of a server. Its handle is `s_` and 96 random bits; clients give handles, never paths.
struct RunRecord {
  std::string handle;
  std::string protocol;  // its name
  std::string goal;      // "" for the program's own
  std::string who;       // whose it is
  std::string request;  // of the request that began it: `n:` if the client named it, else `d:`, and
                        // a digest, in the latter case also of the client
  std::int64_t began = 0;    // seconds since 1970
  std::string session = "";  // the file of the run that binds an agent (bound_place.h), which this
                             // is; else ""

  /// Whether the same request is this run for ever.
  bool named() const { return request.starts_with("n:"); }
  /// Whether the hook of a host uses the session as well: it is then open for turns alone.
  bool bound() const { return !session.empty(); }
};

/// Whether the text has the form of a handle.
bool IsHandle(const std::string& text);
/// Whether a run that ended a turn so is decided: no answer, review or retry is missing.
bool IsDecided(Status status);
/// A handle that no other run has.
std::string NewHandle();

class RunRecords {
 public:
  /// How long a request that has no answer and is repeated word by word means the same run.
  static constexpr std::int64_t kRepeatSeconds = 120;

  virtual ~RunRecords() = default;

  /// Whether other processes use the same records: runs are then held for their turns, and closed
  /// after them.
  virtual bool shared() const = 0;

  /// A failure, for the client; "" if there is none.
  struct Fault {
    std::string reason;
    std::string hint;
  };

  struct Begun {
    std::optional<RunRecord> record;  // nullopt: `fault` says why
    bool again = false;               // an earlier request began it
    Fault fault;
  };
  /// Records a new run, or finds the one that the same request began: for ever if it is named, else
  /// in the last two minutes, and until the run is decided, the request is answered (Answered), or
  /// its handle is used, which shows that the client has it. A new run of shared records is held.
  /// `input`: the members of the request that an input has (ReadInput in turn_input.h), for whoever
  /// does its turn if this process does not; or empty.
  virtual Begun Begin(const RunRecord& fresh, const nlohmann::ordered_json& input) = 0;

  /// The request that began the run is about to be answered: from now on an equal one that is not
  /// named begins another run.
  virtual void Answered(const RunRecord& run) = 0;

  struct Found {
    std::optional<RunRecord> record;  // nullopt: no such run, somebody else's, or a fault
    Fault fault;
    /// Another text for each turn of any process; what is not shared has it while it is not open.
    std::string last_turn;
    std::string hint = {};   // that of the report of that turn, or ""
    bool elsewhere = false;  // another process has it
  };
  /// A run of this party, whose handle is used from now on.
  virtual Found Find(const std::string& handle, const std::string& who) = 0;

  /// The handles that begin so, in their order, of one party.
  virtual std::vector<std::string> Handles(const std::string& prefix, const std::string& who,
                                           std::size_t most) = 0;
  /// The name by which its session is opened, and the same without what is secret in it.
  virtual std::string NameOf(const std::string& handle) const = 0;
  virtual std::string ShownNameOf(const std::string& handle) const { return NameOf(handle); }

  struct Held {
    bool held = false;  // or another process has it, if there is no fault
    Fault fault;
    /// That no turn has taken, oldest first, each with its `number`.
    std::vector<nlohmann::ordered_json> inputs;
    std::int64_t last_input = 0;  // the number of the last of them, or of the last one taken
  };
  /// Holds a run, so that no other process does a turn of it before Release.
  virtual Held Hold(const RunRecord& run) = 0;

  /// The input of a turn that has not ended, stored so that Hold hands it to another process if
  /// this one ends before Taken. To be called before anybody is told that it was received.
  struct Kept {
    std::int64_t number = 0;  // of the input; 0 if there is a fault
    Fault fault;
  };
  virtual Kept Keep(const RunRecord& run, const nlohmann::ordered_json& input) = 0;
  /// A turn has taken the input, or it is not wanted any more.
  virtual void Taken(const RunRecord& run, std::int64_t number) = 0;

  /// What became of a run that was held.
  struct Turn {
    std::optional<Status> status;             // nullopt: it was not done, the run is as it was
    bool not_run = false;                     // as Outcome says
    nlohmann::ordered_json report = nullptr;  // for other processes; null: as it was
    bool drop_inputs = false;                 // of a turn that was not done: no other is to do it
  };
  /// Lets go of it. `last_turn` as Found has it, "" after a failure.
  virtual std::string Release(const RunRecord& run, const Turn& turn) = 0;
  /// Undoes Begin, of a run that could not be opened. Lets go of it.
  virtual void Drop(const RunRecord& run, const nlohmann::ordered_json& report) = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_RUN_RECORDS_H_
