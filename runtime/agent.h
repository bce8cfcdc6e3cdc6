// SPDX-License-Identifier: Apache-2.0
//
// The agent: whoever answers what a program asks (§18). A seam: the terminal,
// scripted answers and tests implement it; the runtime never reads input by itself.
//
// The runtime calls it in phase 8 only: Call once for the tool calls that go out together,
// then Answer for at most one question to a person, the first in written order. A reply
// enters the program in phase 1 of the next timestep.
//
// A tool that fails replies too: the map {:status :error, :code "timeout", :message "…"}.
// Such a call holds only for a clause that reads its metadata.
#ifndef RPL_RUNTIME_AGENT_H_
#define RPL_RUNTIME_AGENT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/store/value.h"

namespace rpl {

struct Answer;

/// One thing asked for.
struct Request {
  enum class Kind {
    kAsk,     // $ask(?prompt), a bare avar or an argument: free input
    kChoose,  // $choose, or a question whose prose names a relation of choices
    kTool,    // any other tool
  };
  Kind kind = Kind::kAsk;
  /// The call as RPL text, `$ask("Q")`, `$focus`, `draft(?draft-id)`; of a heading with several
  /// open arguments, with the one that is asked for: `stay(?from, ?to) for ?to`. It names the
  /// call everywhere.
  std::string id;
  std::string name;            // what --answer KEY may say: "ask", "focus", "draft-id"
  std::string relation;        // the relation whose argument is asked for, or ""
  std::string prompt;          // for people
  std::string tool;            // label of the tool, "" for avars and arguments
  std::vector<Value> args;     // of a tool call
  std::vector<Value> options;  // kChoose: the only replies accepted
  std::string place;           // of the clause or heading that asks: "p.md:3:1", or ""
  /// kTool: a command was started for this call before, in a run that was cut off, and
  /// nobody knows what it did. It must not be started again by itself.
  bool in_doubt = false;
  /// kTool: to be called right before a command is started for it. False: that could not be
  /// recorded, so it must not be started, and the answer is kNobody. May be empty.
  std::function<bool()> starting;
  /// kTool: may be called with the reply as soon as it is there, before others that run
  /// beside it. May be empty.
  std::function<void(const Answer&)> finished;
};

struct Answer {
  enum class Kind {
    kValue,    // `value` is the result
    kMeta,     // `value` is a map: the whole result metadata ({:status 200, :body "ok"})
    kNotRun,   // the call was not permitted or could not be started; `value` as kMeta. It
               // fails in this turn, and is made again in another.
    kDecline,  // the user refuses: %fail, the run continues where it can (§18.6)
    kNobody,   // nobody answers now: the call stays pending
  };
  Kind kind = Kind::kNobody;
  Value value;
  double took_ms = 0;  // of a tool call, as far as the agent measures it
};

class Agent {
 public:
  virtual ~Agent() = default;

  /// The reply to a request. Values are built in `pool`. A reply to kChoose that is not
  /// among the options is refused: Answer is called again with `again` set.
  virtual rpl::Answer Answer(const Request& request, Pool& pool, bool again) = 0;

  /// The replies to tool calls, one for each request, in their order; calls may run side
  /// by side. By default each is asked for by Answer.
  virtual std::vector<rpl::Answer> Call(const std::vector<Request>& requests, Pool& pool);

  /// A line of chat written by a tool ($json), without its newline.
  virtual void Chat(const std::string& line) = 0;

  /// The root goal is satisfied; outside shell mode the user decides what is next (§15.6).
  virtual void OfferToContinue(const std::string& goal) = 0;
};

/// The value that a person's text stands for: a number literal is a number, a quoted
/// string its text, anything else the text itself as a string.
Value TypedValue(Pool& pool, const std::string& text);

/// The reply of a tool that failed: {:status :error, :code code, :message message}.
Answer FailedCall(Pool& pool, std::string_view code, std::string_view message);
/// The same of one that did not run.
Answer NotRunCall(Pool& pool, std::string_view code, std::string_view message);

/// The option a person's text means: its number from 1 (`2` or `#2`) or its plain text.
/// kNone when there is none. Text wins over number.
Value TypedOption(Pool& pool, const std::string& text, const std::vector<Value>& options);

}  // namespace rpl

#endif  // RPL_RUNTIME_AGENT_H_
