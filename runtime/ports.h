// SPDX-License-Identifier: Apache-2.0
//
// The ports of a run (§18): people and models who answer, tools, readers of sources, and its chat.
// A terminal, commands and tests implement them; the runtime itself never reads input.
//
// They are called in phase 8: Tools::Call once for the calls that go out together, then People::Ask
// for the open questions, in written order, until one has an answer. A reply enters the program in
// phase 1 of the next timestep. Sources are read again in phase 1.
//
// The failure of a tool is a reply as well: the map {:status :error, :code "timeout", :message
// "…"}. Such a call holds only for a clause that reads its metadata.
#ifndef RPL_RUNTIME_PORTS_H_
#define RPL_RUNTIME_PORTS_H_

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/store/by.h"
#include "interp/store/value.h"
#include "runtime/attempt.h"
#include "runtime/request.h"

namespace rpl {

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
  /// Given when the run is started (`--answer`, REPLY): it may stand for the reply of a command.
  bool prepared = false;
  std::optional<SourceText> source = {};  // kMeta, of `$index`: its facts are asserted
  std::string model = {};                 // kValue, of a model: its name
  /// The same: the attempt that gave it, which is recorded when the answer is taken.
  std::optional<Attempt> attempt = {};
};

/// A call of `$index` to be made again, and the hash of the text that it gave.
struct Reread {
  ToolCall call;
  std::string hash;
};

/// A call of `$index` and what a session recorded of its source.
struct RecordedRead {
  ToolCall call;
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
  virtual Answer Ask(const Question& question, Pool& pool, std::string_view refused) = 0;
  /// The questions that are open, before the first of them is put: `open` gives them, to be called
  /// within Ask alone.
  using OpenQuestions = std::function<std::vector<Question>()>;
  virtual void Open(OpenQuestions open) { static_cast<void>(open); }
  /// Whether the model that answered a question would answer it again, after its answer turned out
  /// to violate a constraint. The call is the question's.
  virtual bool AnswersAgain(const std::string& call, const AttemptBook& attempts) {
    static_cast<void>(call), static_cast<void>(attempts);
    return false;
  }
};

/// The tools that calls go to.
class Tools {
 public:
  virtual ~Tools() = default;

  /// The replies to calls, in their order; calls may run concurrently.
  virtual std::vector<Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) = 0;
  /// Whether a command, server, database or file of the settings answers the call of a tool, so
  /// that no other party does (decision 92).
  virtual bool AnswersAlone(const ToolCall&) const { return false; }
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
  virtual std::vector<std::optional<SqlSource>> Places(const std::vector<ToolCall>& calls,
                                                       const Pool& pool);
};

/// Shows a line of chat written by a tool ($json), without its newline.
using ChatSink = std::function<void(const std::string& line)>;

/// All of them, as a run has them. Borrows them.
struct Ports {
  /// Without a sink, chat is not shown.
  Ports(People& asked, Tools& called, SourceAccess& read, ChatSink shown = nullptr)
      : people(asked), tools(called), access(read), chat(std::move(shown)) {}
  /// Those of one party; chat is shown to it if it has a function Chat.
  template <std::derived_from<People> Party>
  Ports(Party& all) : Ports(all, all, all) {
    if constexpr (requires { all.Chat(std::string()); })
      chat = [&all](const std::string& line) { all.Chat(line); };
  }

  People& people;
  Tools& tools;
  SourceAccess& access;
  ChatSink chat;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_PORTS_H_
