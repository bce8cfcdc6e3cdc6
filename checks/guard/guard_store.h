// SPDX-License-Identifier: Apache-2.0
//
// The store of a guard: the calls of an agent, their metrics and the reviews of people, in one
// database file (formats/database.h) that all its processes share.
//
//   calls     open ones one by one; of those that ended, number and duration by run and tool
//   metrics   each value with its time; and totals by minute, hour and day
//   reviews   a request, the answer to it, and what is left of an approval
//   policies  as bytes, those read last
//   pins      the definitions of tools of MCP servers, as they were approved
//
// A decision that reads calls and adds its own does both in one transaction, so that of a hundred
// processes at a cap of five, five get through. Its cost does not depend on how many calls there
// were: the counts of a run are a row per tool, and a window is a few totals and the values of at
// most a minute at either end.
//
// A reviewed call is identified by its rule, tool, arguments and end user, across runs; the id of
// its request is a hash of these, independent of the order of keys. An approval holds for a number
// of calls, one unless its author says otherwise, and until it expires. It is spent by the decision
// that lets a call pass; the same call (`by`) may be decided again and still finds it.
//
// Functions that return a text return the reason why it could not be done, or "". Names of tools
// are kept as they were written. One thread.
#ifndef RPL_CHECKS_GUARD_GUARD_STORE_H_
#define RPL_CHECKS_GUARD_GUARD_STORE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "checks/guard/guard_call.h"
#include "checks/guard/history.h"
#include "checks/guard/zone.h"

namespace rpl {

class Database;

/// A hash of 256 bits (BLAKE2b) as 64 hexadecimal digits.
std::string ContentHash(std::string_view text);

/// The id of a request: the first 40 digits of such a hash.
std::string ReviewId(const ReviewRequest& request);

/// A request in the store, and its state.
struct KnownReview {
  nlohmann::ordered_json request;  // docs/schemas/review.json, and "audit", a log
  Review review;
};

/// Opens the database of a store, and makes it if there is none. Null, with a reason in `error`, if
/// that failed.
std::unique_ptr<Database> OpenGuardStore(const std::string& path,
                                         std::chrono::milliseconds patience, std::string& error);

/// A person's answer to a request. An approval holds for `calls` calls, until `expires`.
struct ReviewAnswer {
  bool approved = false;
  std::string reason;
  std::string by;
  Moment at = 0;
  Moment expires = 0;
  std::int64_t calls = 1;
};

/// A call that was decided and may have gone out.
struct BegunCall {
  std::size_t step = 0;
  Moment at = 0;  // of the decision
};

class GuardStore {
 public:
  /// The file is opened, and made, when it is first used. With an empty path nothing is kept: there
  /// are no earlier calls, and every request for a review is a new one. `agent`: the slug of the
  /// agent, to whose calls metrics belong.
  explicit GuardStore(std::string path = "", std::string agent = "",
                      std::chrono::milliseconds patience = std::chrono::seconds(5));
  ~GuardStore();
  GuardStore(GuardStore&&) noexcept;
  GuardStore& operator=(GuardStore&&) noexcept;

  const std::string& path() const { return path_; }
  bool keeps() const { return !path_.empty(); }
  /// Requests from now on name this audit log, so that their answers are recorded there; "": none.
  void RecordAnswersIn(const std::string& audit);

  /// Runs `work` in one transaction: if it returns a reason, or the store fails, nothing is kept
  /// and that reason is returned. Within it, the functions below are part of it.
  std::string Transact(const std::function<std::string()>& work);

  /// A run as the store knows it.
  struct Run {
    bool is_new = true;
    std::size_t steps = 0;  // one more than the last
    std::size_t ended = 0;  // calls
  };
  /// The run, with its calls added to `to`.
  Sourced<Run> ReadRun(const std::string& run, History& to);
  /// A decision before a call. After kAllow the call is open; after kHitl, too, for a host may have
  /// asked its user, who may have allowed it. Without effect on a call that is open already.
  std::string Decided(const std::string& run, std::size_t step, const GuardCall& call,
                      Effect effect, Moment now);
  /// The last open call of the run with this tool and id. Without ids and with concurrent calls it
  /// may be another call of the tool; the sum of the durations is the same.
  Sourced<std::optional<BegunCall>> FindBegun(const std::string& run, const GuardCall& call);
  /// A call ended: the open one with this step, or one that was not known. Its metrics count from
  /// now on. Without effect if the call of this step ended before.
  std::string Ended(const std::string& run, std::size_t step, const PastCall& call);
  /// Whether the store has a call that ended at this step and time, of a run whose name begins so.
  Sourced<bool> HasEnded(const std::string& run, std::size_t step, Moment at);
  /// Adds metrics that became known after the call ended.
  std::string AddMetrics(const PastCall& call);
  /// The values of a metric within the window that ends at `now`, of all runs of the agent.
  Sourced<MetricTotals> Totals(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                               Moment now);

  /// The number of open calls, of all runs, that the window may come to count: those that began in
  /// it, or later than `now`.
  Sourced<std::size_t> OpenCalls(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                                 Moment now);

  /// The state of a review; kUnasked if there is no request, or its approval is spent or expired.
  /// `by`: the call, so that its own approval is found again; "" for none.
  Sourced<Review> Find(const ReviewRequest& request, const std::string& by, Moment now);
  /// Makes a request unless there is one, and gives its state.
  Sourced<Review> Ask(const ReviewRequest& request, const std::string& run, Moment now);
  /// Spends an approval on a call. False: there is none any more.
  Sourced<bool> Spend(const std::string& id, const std::string& by, Moment now);
  /// Undoes Spend for a call that was not made after all.
  std::string GiveBack(const std::string& id, const std::string& by);
  /// Stores an answer. Without effect if `id` names no request.
  std::string Answer(const std::string& id, const ReviewAnswer& answer);
  /// Closes those of the requests that are pending, because their call went out: the user of a host
  /// allowed it. The next such call needs a review again.
  std::string Made(const std::vector<ReviewRequest>& requests);
  /// All requests, in order.
  Sourced<std::vector<KnownReview>> Reviews();

  /// The hash of the definition of a tool of a server as it was pinned; "" if there is none.
  Sourced<std::string> Pin(const std::string& server, const std::string& tool);
  /// Pins a definition, in place of another.
  std::string SetPin(const std::string& server, const std::string& tool, const std::string& hash);

  /// The image of a policy (policy_image.h) that was kept under this name; nullopt if there is
  /// none, or the store cannot be read.
  std::optional<std::string> PolicyImage(std::string_view name);
  /// Keeps an image, and the most recent others. A failure is none of the caller's: it reads the
  /// policy again.
  void KeepPolicyImage(std::string_view name, std::string_view image);

 private:
  /// Totals by tool, of one metric, window and user.
  using ByTool = std::map<std::int64_t, MetricTotals>;
  struct Tool {
    std::string name;
    std::vector<std::string> tags;
  };

  template <typename T>
  Sourced<T> Read(const std::function<T()>& read);
  std::string Told(const std::string& error) const;
  std::string Open();
  std::int64_t IdOf(const char* find, const char* add, std::string_view name);
  std::int64_t RunId(const std::string& run);
  std::int64_t ToolId(const std::string& tool, const std::vector<std::string>& tags);
  const Tool& ToolOf(std::int64_t id);
  void Expire(Moment now);
  void MakePins();
  void MakeBegunBy();
  void AddSamples(const PastCall& call);
  void AddTotals(std::int64_t metric, std::int64_t user, Moment from, Moment to, std::size_t level,
                 ByTool& out);
  const ByTool& TotalsOf(std::int64_t metric, std::int64_t user, Moment from, Moment to);

  std::string path_;
  std::string agent_;
  std::string audit_;  // of new requests, or ""
  std::chrono::milliseconds patience_;
  std::unique_ptr<Database> database_;  // null until it is used
  bool in_transaction_ = false;
  std::map<std::int64_t, Tool> tools_;  // those read so far
  // Of the present transaction: rules often share a window.
  std::map<std::tuple<std::int64_t, std::int64_t, Moment, Moment>, ByTool> totals_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_GUARD_STORE_H_
