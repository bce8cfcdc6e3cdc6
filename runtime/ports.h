// SPDX-License-Identifier: Apache-2.0
//
// The ports of a run: whoever answers its questions and calls, reads its sources and shows its chat
// (§18). The terminal, scripted answers and tests implement them; the runtime itself never reads
// input.
//
// They are called in phase 8: Tools::Call once for the calls that go out together, then People::Ask
// for the open questions, in written order, until one has an answer. A reply enters the program in
// phase 1 of the next timestep. Sources are read again in phase 1.
//
// The failure of a tool is a reply as well: the map {:status :error, :code "timeout", :message
// "…"}. Such a call holds only for a clause that reads its metadata.
#ifndef RPL_RUNTIME_PORTS_H_
#define RPL_RUNTIME_PORTS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/plan/takes.h"
#include "interp/sql/sql_source.h"
#include "interp/store/rows_by.h"
#include "interp/store/value.h"
#include "runtime/attempt.h"

namespace rpl {

struct Answer;

/// The key of the choice what becomes of a failure (§18.6), which a person decides.
inline constexpr const char* kWhatNow = "what-now";

/// A call or question to be answered.
struct Request {
  enum class Kind {
    kAsk,     // $ask(?prompt), a bare avar or an argument: free input
    kChoose,  // $choose, or a question whose prose names a relation of choices
    kTool,    // any other tool
  };
  Kind kind = Kind::kAsk;
  /// The call as RPL text, its name everywhere: `$ask("Q")`, `$focus`, `draft(?draft-id)`; for a
  /// heading with several open arguments followed by the one asked for: `stay(?from, ?to) for ?to`.
  std::string id;
  std::string heading = {};    // with several open arguments: its call, `stay(?from, ?to)`; else ""
  std::string name;            // accepted as KEY of --answer: "ask", "focus", "draft-id"
  std::string argument;        // the one asked for, with its mark: "?draft-id", "$focus", or ""
  std::string relation;        // the relation whose argument is asked for, or ""
  std::string prompt;          // for people
  std::string tool;            // label of the tool, "" for avars and arguments
  std::vector<Value> args;     // of a tool call
  std::vector<Value> options;  // kChoose: the only replies accepted, or rows of them
  /// The program counts, gathers, iterates or negates what is asked for: the reply is any number of
  /// rows (decision 81), a list of them, with a value for each of these arguments. Else empty.
  std::vector<std::string> row;
  Takes takes = Takes::kAny;  // of a value
  /// The parties whose answers count (decision 92).
  RowsBy::Parties admits = 0xFF;
  bool Admits(By by) const { return (admits & RowsBy::Bit(by)) != 0; }
  std::string place;  // of the clause or heading that asks: "p.md:3:1", or ""
  /// kTool: a command was started for this call in a run that was cut off, with an unknown effect.
  /// It must not be started again unless the user says so.
  bool in_doubt = false;
  /// Of `$write`: the files that this session wrote, as location and hash.
  std::vector<std::pair<std::string, std::string>> written;
  /// kTool: to be called immediately before a command is started. False: the start could not be
  /// recorded; it must not happen, and the answer is kNobody. May be empty.
  std::function<bool()> starting;
  /// Of `$index`, polled while the source is read: whether a limit or an interrupt ends the wait.
  /// May be empty.
  std::function<bool()> stop;
  /// Of `$index`: the relation is evaluated by a database.
  std::optional<SqlPushed> pushed = {};
  /// kTool: may be called with the reply as soon as it arrives, before concurrent calls have ended.
  /// May be empty.
  std::function<void(const Answer&)> finished;
  /// Of a question, for models: the titles of the headings above it, its prose with `[name]` in the
  /// place of each value, and the values by name. Without prose of a heading `prose` is "". Of
  /// `$index` with the name of a heading: its titles and prose, and `row` its arguments.
  std::vector<std::string> path = {};
  std::string prose = {};
  std::vector<std::pair<std::string, std::string>> known = {};
  /// Of one of several open arguments of a heading: the questions for the others, to be called
  /// within Ask alone. May be empty.
  std::function<std::vector<Request>()> others = {};
  /// The attempts of models in this run, to which new ones are added. Borrowed; null where no model
  /// may be asked.
  AttemptBook* attempts = nullptr;
};

/// A query by which a source was read, recorded in place of its text.
struct SourceQuery {
  std::string database;  // the variable of the environment with the URL
  std::string sql;
  std::vector<std::string> parameters;
  std::string digest;  // HashOfText of the text

  friend bool operator==(const SourceQuery&, const SourceQuery&) = default;
};

/// A source of facts, as `$index` reads it: its name and its text.
struct SourceText {
  std::string name;
  std::string text;
  std::optional<SourceQuery> query = {};  // what a session records in place of the text
  /// Who says its facts. What a model read in a text is RPL, whatever the name.
  By by = By::kFile;
};

struct Answer {
  enum class Kind {
    kValue,    // `value` is the result
    kMeta,     // `value` is a map: the whole result metadata ({:status 200, :body "ok"})
    kNotRun,   // the call was not permitted or could not be started; `value` as for kMeta. It
               // fails in this turn and is made again in the next.
    kDecline,  // the user refuses: %fail, the run continues where it can (§18.6)
    kNobody,   // no answer now: the call stays pending
  };
  Kind kind = Kind::kNobody;
  Value value = kNone;
  double took_ms = 0;    // wall time of a tool call; 0 if the agent does not measure it
  By by = By::kHost;     // who answered
  bool vouched = false;  // `by` is what the one who started the run says (answers_by)
  /// Given by who starts the run (`--answer`, REPLY), who may answer in the place of a command.
  bool prepared = false;
  std::optional<SourceText> source = {};  // kMeta, of `$index`: its facts are asserted
  std::string model = {};                 // kValue, of a model: its name
  /// The same: the attempt that gave it, which is recorded when the answer is taken.
  std::optional<Attempt> attempt = {};
};

/// A call of `$index` to be made again, and the hash of the text that it gave.
struct Reread {
  Request request;
  std::string hash;
};

/// A call of `$index` and what a session recorded of its source.
struct RecordedRead {
  Request request;
  SourceQuery query;
};
struct RecordedText {
  std::string text;
  std::string failure;   // for people; "" with a text
  bool differs = false;  // it was read, and has another digest
};

/// The people who answer questions.
class People {
 public:
  virtual ~People() = default;

  /// The reply to a question. Values are built in `pool`. A reply that the question does not take
  /// (TakenReply) is refused: Ask is called again, with the reason as `refused`, else "".
  virtual Answer Ask(const Request& request, Pool& pool, std::string_view refused) = 0;
  /// The questions that are open, before the first of them is put: `open` gives them, to be called
  /// within Ask alone.
  using OpenQuestions = std::function<std::vector<Request>()>;
  virtual void Open(OpenQuestions open) { static_cast<void>(open); }
  /// Whether the model that answered a question would answer it again, after its answer turned out
  /// to violate a constraint. The call is the question's.
  virtual bool AnswersAgain(const std::string& call, const AttemptBook& attempts) {
    static_cast<void>(call), static_cast<void>(attempts);
    return false;
  }
  /// The root goal is satisfied; outside shell mode the user decides how to continue (§15.6).
  virtual void OfferToContinue(const std::string& goal) = 0;
};

/// The tools that calls go to.
class Tools {
 public:
  virtual ~Tools() = default;

  /// The replies to calls, in the order of the requests; calls may run concurrently.
  virtual std::vector<Answer> Call(const std::vector<Request>& requests, Pool& pool) = 0;
  /// Whether a command, server, database or file of the settings answers the call of a tool, so
  /// that no other party does (decision 92).
  virtual bool AnswersAlone(const Request&) const { return false; }
};

/// The places that sources lie at, but for the first reading, which is a call.
class SourceAccess {
 public:
  virtual ~SourceAccess() = default;

  /// The replies to calls of `$index` made again, of those whose source is another one now than
  /// that with the hash; else without a source. What lies in one database is read in one snapshot.
  /// The default says that none is.
  virtual std::vector<Answer> ReadAgain(const std::vector<Reread>& calls, Pool& pool);
  /// The text of each source by the query that a session recorded in place of it, or why it cannot
  /// be read. The default cannot.
  virtual std::vector<RecordedText> ReadRecorded(const std::vector<RecordedRead>& reads,
                                                 Pool& pool);
  /// Where the relation of each call of `$index` lies, if a database has it and may evaluate rules
  /// over it.
  virtual std::vector<std::optional<SqlSource>> Places(const std::vector<Request>& calls,
                                                       const Pool& pool);
};

/// Where chat is written.
class ChatSink {
 public:
  virtual ~ChatSink() = default;

  /// A line of chat written by a tool ($json), without its newline.
  virtual void Chat(const std::string& line) = 0;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_PORTS_H_
