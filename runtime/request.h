// SPDX-License-Identifier: Apache-2.0
//
// The requests of a run: questions, which people and models answer, and calls of tools.
#ifndef RPL_RUNTIME_REQUEST_H_
#define RPL_RUNTIME_REQUEST_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "interp/plan/takes.h"
#include "interp/sql/sql_source.h"
#include "interp/store/parties.h"
#include "interp/store/value.h"

namespace rpl {

class AttemptBook;
struct Answer;
struct Question;
struct ToolCall;

/// The key of the choice what becomes of a failure (§18.6), which a person decides.
inline constexpr const char* kWhatNow = "what-now";

/// A Question or a ToolCall, and what both have.
struct Request {
  enum class Kind {
    kAsk,     // a Question: $ask(?prompt), a bare avar or an argument: free input
    kChoose,  // a Question: $choose, or one whose prose names a relation of choices
    kTool,    // a ToolCall: any other tool
  };
  Kind kind;
  /// The call as RPL text, its name everywhere: `$ask("Q")`, `$focus`, `draft(?draft-id)`; for a
  /// heading with several open arguments followed by the one asked for: `stay(?from, ?to) for ?to`.
  std::string id;
  std::string name;         // accepted as KEY of --answer: "ask", "focus", "draft-id"
  std::string tool;         // label of the tool, "" for avars and arguments
  std::vector<Value> args;  // of the tool
  std::string prompt;       // for people
  std::string place;        // of the clause or heading that asks: "p.md:3:1", or ""
  /// The parties whose answers count (decision 92).
  Parties admits = kAllParties;
  bool Admits(By by) const { return (admits & PartyBit(by)) != 0; }
  /// The names of the columns, where rows are wanted: the program counts, gathers, iterates or
  /// negates what is asked for (decision 81), or `$index` reads for a heading. Else empty.
  std::vector<std::string> row;
  /// For models: the titles of the headings above, and the prose of the heading with `[name]` in
  /// the place of each value; "" without one.
  std::vector<std::string> path;
  std::string prose;
  /// The attempts of models in this run, to which new ones are added. Borrowed; null where no model
  /// may be asked.
  AttemptBook* attempts = nullptr;

  /// As which of the two it is; null if it is the other.
  const Question* question() const;
  const ToolCall* call() const;
  /// Question::relation, options and takes, and ToolCall::in_doubt; of the other nothing.
  std::string_view relation_asked() const;
  std::span<const Value> choices() const;
  Takes wanted() const;
  bool doubtful() const;

 protected:
  explicit Request(Kind of) : kind(of) {}
  Request(const Request&) = default;
  Request& operator=(const Request&) = default;
  ~Request() = default;
};

/// What people and models are asked.
struct Question : Request {
  explicit Question(Kind of = Kind::kAsk) : Request(of) {}

  std::string heading;         // with several open arguments: its call, `stay(?from, ?to)`; else ""
  std::string argument;        // the one asked for, with its mark: "?draft-id", "$focus", or ""
  std::string relation;        // the relation whose argument is asked for, or ""
  std::vector<Value> options;  // kChoose: the only replies accepted, or rows of them
  Takes takes = Takes::kAny;   // of a value
  /// The values in the prose, by name.
  std::vector<std::pair<std::string, std::string>> known;
  /// Of one of several open arguments of a heading: the questions for the others, to be called
  /// within Ask alone. May be empty.
  std::function<std::vector<Question>()> others;
};

/// A call of a tool.
struct ToolCall : Request {
  ToolCall() : Request(Kind::kTool) {}

  /// A command was started for this call in a run that was cut off, with an unknown effect. It must
  /// not be started again unless the user says so.
  bool in_doubt = false;
  /// To be called immediately before a command is started. False: the start could not be recorded;
  /// it must not happen, and the answer is kNobody. May be empty.
  std::function<bool()> starting;
  /// May be called with the reply as soon as it arrives, before concurrent calls have ended. May be
  /// empty.
  std::function<void(const Answer&)> finished;
  /// Of `$write`: the files that this session wrote, as location and hash.
  std::vector<std::pair<std::string, std::string>> written;
  /// Of `$index`, polled while the source is read: whether a limit or an interrupt ends the wait.
  /// May be empty.
  std::function<bool()> stop;
  /// Of `$index`: the relation is evaluated by a database.
  std::optional<SqlPushed> pushed;
};

inline const Question* Request::question() const {
  return kind == Kind::kTool ? nullptr : static_cast<const Question*>(this);
}
inline const ToolCall* Request::call() const {
  return kind == Kind::kTool ? static_cast<const ToolCall*>(this) : nullptr;
}
inline std::string_view Request::relation_asked() const {
  return question() != nullptr ? question()->relation : std::string_view();
}
inline std::span<const Value> Request::choices() const {
  return question() != nullptr ? question()->options : std::span<const Value>();
}
inline Takes Request::wanted() const {
  return question() != nullptr ? question()->takes : Takes::kAny;
}
inline bool Request::doubtful() const { return call() != nullptr && call()->in_doubt; }

/// One that waits for its answer.
class OpenRequest {
 public:
  OpenRequest(Question question) : is_(std::move(question)) {}
  OpenRequest(ToolCall call) : is_(std::move(call)) {}

  const Request& operator*() const {
    return std::visit([](const Request& is) -> const Request& { return is; }, is_);
  }
  const Request* operator->() const { return &**this; }

 private:
  std::variant<Question, ToolCall> is_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_REQUEST_H_
