// SPDX-License-Identifier: Apache-2.0
//
// Sources of facts: the replies of `$index`, and its calls as sentences of the program; and the
// relations that a database evaluates in place of sources.
//
// The text of a source comes with the reply of its call in phase 8 and is read there, because a
// source that is refused is a call that failed. Its facts are asserted with the reply, in phases 1
// and 2 of the next timestep.
//
// A source that changed is read again in phase 1 of a timestep that is not replayed, after the
// replies were taken: a timestep sees the rows that one snapshot of a database has. What it stated
// is exchanged for what it states now; a row stays that somebody else states as well. A source that
// cannot be read any more, or is refused, keeps its facts. What a model read is not read again.
//
// A source that the program states is awaited: until its call has a reply, and when that is a
// failure, no goal and no constraint is decided, because an absent row proves nothing.
//
// Owns what sources state. Borrows the rest. One thread.
#ifndef RPL_RUNTIME_FACTS_SOURCE_FEED_H_
#define RPL_RUNTIME_FACTS_SOURCE_FEED_H_

#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/program/program.h"
#include "interp/sql/sql_source.h"
#include "interp/store/by.h"
#include "runtime/facts/part_names.h"
#include "runtime/log.h"

namespace rpl {

enum class From;
struct Said;
struct SourceText;
struct ToolCall;

class SourceFeed {
 public:
  /// What it borrows. `call_for`: a call of `$index` as it goes out.
  struct Parts {
    interp::Engine& engine;
    const SessionOptions& options;
    SourceAccess& access;
    Recorder& recorder;
    const CallBook& calls;
    FactWriter& facts;
    std::deque<Said>& said;
    const Door& door;
    std::function<ToolCall(const OpenCall&)> call_for;
  };
  explicit SourceFeed(Parts run);

  /// Reads the source of a new reply, in phase 8. A source that is refused is a failure of the
  /// call.
  Answer Received(const OpenCall& call, Answer answer);
  /// The same for a reply that was recorded, which was taken in then.
  Answer Recorded(const OpenCall& call, Answer answer);
  /// Hands on the facts of a source, when phase 1 takes the reply of its call.
  void TakeReply(const OpenCall& call);
  /// Reads the sources again: `live`, those that changed since, in one batch, so that the rows of
  /// one database are those of one snapshot, also of the sources that phase 1 took; else those that
  /// were recorded at this point.
  void ReadAgain(bool live);

  /// Takes in a sentence `$index(…)`.
  void TakeSentence(const SourceSentence& sentence, From from, By by);
  /// Whether a source of the program was not read.
  bool Awaits() const;
  /// The calls of the sources that were not read.
  Evaluation Open() const;

  /// Decides whether a database evaluates rules, or whether it no longer does; `query`: the goal,
  /// or null for the program's. True if it no longer does: the program is to be prepared again.
  bool PushDown(const Definition* query);
  /// Notes that somebody states or takes back a fact, in a text that is not of such a database.
  void NoteStated(RelationId relation);
  /// Whether it is what a database evaluated.
  bool IsPushed(const Said& said) const;
  /// The relations that a database evaluates, by the call that reads each.
  const std::map<CallId, SqlPushed>& pushed() const { return push_.calls; }
  /// The relations that it has in their place, and that the session has not.
  std::vector<std::string> NotRead() const;
  /// Notes that a database cannot go on, for the reason of this call.
  void EndPushFor(std::string call) { push_.changed = std::move(call); }
  /// Whether the next timestep has to read the sources in place of a database.
  bool ends_push() const { return !push_.changed.empty(); }

  /// Findings in the rows of sources, not reported yet.
  Diagnostics& findings() { return findings_; }

 private:
  using Verb = LogLine::Verb;
  /// Relations that a database evaluates in place of the sources below them
  /// (interp/sql/sql_push.h). Each is read by a call of its own, `$index("paid", :query)`, or
  /// `$index("paid", :query, 2)` where several have its label, which stands in place of sentences
  /// of the program until something reads or states what is not here then.
  struct Push {
    bool decided = false;  // once in an epoch
    bool active = false;
    std::map<CallId, SqlPushed> calls;
    std::vector<OpenCall> sentences;         // as the program states them
    std::set<RelationId> heads, replaced;    // as SqlPush has them
    std::set<RelationId> partial;            // of the heads: on whose absence nothing may rest
    std::size_t rules = 0, constraints = 0;  // of the program that was decided about
    std::string changed;                     // why a database cannot go on, or ""
    RelationId stated = kNoId;               // one of those of which somebody else states a fact
  };
  /// A source that was read, by its call, with the hash of its text and its question in the
  /// journal.
  struct Known {
    OpenCall call;
    std::string hash;
    nlohmann::ordered_json question;
  };

  /// The facts of a source, and who states them.
  struct Stated {
    Novelty facts;
    By by = By::kFile;
  };

  Answer Read(const OpenCall& call, Answer answer, bool strict);
  std::optional<Stated> FactsOf(const OpenCall& call, const SourceText& source, bool strict,
                                std::string* why);
  std::optional<Stated> FactsIn(const Known& source, const nlohmann::ordered_json& answer,
                                bool strict);
  bool ExceedsLimit(const CallId& call, const Stated* again = nullptr) const;
  std::vector<Known> KnownSources() const;
  void Retake(const Known& source, const nlohmann::ordered_json& answer,
              std::optional<Stated> stated);
  void Exchange(const CallId& call, Stated now);

  // pushing.cc
  std::set<std::string> SourceNames(std::vector<const OpenCall*>* calls) const;
  std::vector<SqlSource> AskPlaces(const std::vector<const OpenCall*>& calls);
  void BeginPush(std::set<int> as_written, const std::vector<SqlSource>& sources,
                 const Definition* query);
  std::string WhyNoLongerPushed(const Definition* query) const;
  void EndPush(const std::string& why);

  const Parts run_;
  interp::Engine& engine_;
  std::vector<OpenCall> sentences_;  // `$index(…)` as a sentence, in order, each once
  std::map<CallId, Stated> coming_;  // read, with a reply that phase 1 has not taken
  std::map<CallId, Stated> stated_;  // asserted
  std::set<std::string> refused_;    // hashes of sources that were read again and refused
  Diagnostics findings_;
  Push push_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_SOURCE_FEED_H_
