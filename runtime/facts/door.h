// SPDX-License-Identifier: Apache-2.0
//
// The door for statements from outside the program (decision 92): facts, answers, sources and
// retractions of a person, a host, a model, a tool or a file pass it, in whatever way they come.
//
// It asks the authority who may state what. A message is refused as a whole; of a source, the rows
// that it may not state are left out. What the program says itself is only noted here, because its
// facts close their relations.
#ifndef RPL_RUNTIME_FACTS_DOOR_H_
#define RPL_RUNTIME_FACTS_DOOR_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "interp/eval/engine.h"
#include "interp/plan/authority.h"
#include "runtime/trace.h"

namespace rpl {

struct Document;
struct OpenCall;
struct Sentence;

/// Why a party may not say something.
struct Refused {
  std::string reason;  // who, what, and the sentence that closes it
  std::string hint;    // what the party may do instead
  Span line = {};      // of that sentence; its end is 0 without one
  Span at = {};        // of what is refused in a message
};

class Door {
 public:
  /// Borrows both. `policy`: whether a policy decides about calls.
  Door(interp::Engine& engine, const Trace& trace, bool policy);

  const Authority& authority() const { return authority_; }

  /// Notes the facts of the program in a text; `is_program`: of the sentence there.
  void Note(const Novelty& novelty, const std::function<bool(Span)>& is_program);
  /// Why a sentence of a message cannot be said from outside, whatever it is about: rules,
  /// constraints and headings are the program's.
  std::optional<Refused> RefusalOf(const Sentence& sentence, By by) const;
  /// Why a message may not state or take back one of these, or nullopt.
  std::optional<Refused> RefusalOf(const Novelty& said, By by) const;
  /// Why the party may not answer the call.
  Refused RefusedAnswer(const OpenCall& call, By by) const;
  /// Leaves out what a source may not state, and says so in `out`: as warnings, or with `strict` as
  /// errors. `by`: a file, or a model that read it, whose facts are statements as any others.
  /// `named`: the relation that its call names, "" without one; `stem`: the one that its own name
  /// gives.
  void Filter(Novelty& source, By by, std::string_view named, std::string_view stem, bool strict,
              Diagnostics& out) const;
  /// Leaves out what a file of facts may not state, with an error for each relation: those with
  /// rules.
  void FilterFacts(Novelty& facts, Diagnostics& out) const;
  /// Leaves out the guard data (interp/plan/authority.h) that a message of the program states, with
  /// an error for each: only documents state them.
  void FilterGuardData(Document& message, Diagnostics& out) const;
  void FilterGuardData(Novelty& message, Diagnostics& out) const;
  /// Leaves out what the trace of an earlier epoch says that a party may not say any more, with a
  /// warning for each. `by`: who said the sentence there.
  void FilterTrace(Novelty& trace, const std::function<By(Span)>& by, Diagnostics& out) const;

  /// Whose statements of a row with these parties one party takes back.
  static Parties TakenBack(Parties stated, By by);

 private:
  enum class Way { kStatement, kSource, kNamedSource };
  std::optional<Refused> Refuse(RelationId relation, By by, Way way) const;
  std::optional<Refused> RefuseTakingBack(const Assertion& a, By by) const;
  std::optional<Refused> RefuseQuestion(const QuestionEntry& entry, By by) const;
  std::optional<Refused> RefuseReply(RelationId relation, std::span<const Value> row, By by) const;
  Refused Closed(RelationId relation, By by, const Authority::Entry& entry,
                 std::string_view verb) const;
  bool MayGive(std::string_view label, By by, std::string_view named) const;
  void Leave(Novelty& facts, const std::function<bool(RelationId, Span)>& keep) const;
  std::optional<By> WhoAnswered(const std::string& call) const;

  interp::Engine& engine_;
  const Trace& trace_;
  Authority authority_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_DOOR_H_
