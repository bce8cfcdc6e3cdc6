// SPDX-License-Identifier: Apache-2.0
//
// The authority of parties to state facts from outside the program (decision 92).
//
// The program's own text may state anything. What comes from a person, a host, a model, a tool or a
// source passes one door (runtime/facts/door.h), which asks this analysis. It is read off the
// normal form:
//
//   rules       the relation has rules: nobody states it
//   facts       the program states it: nobody else does, but a source that the program reads for it
//   heading     it is answered, by those whom every reader admits (`^ ~ {:by :person}`)
//   open        neither: everybody states it
//   engine      relations of the library, decisions and truths of goals: nobody
//   guard data  the input of policies and guards: only documents and the library state it
//
// What a constraint over calls of a tool reads, directly or through rules, is closed to models,
// tools and sources: headings always, open relations to statements where one more row could let a
// call pass, and to taking back where one fewer could. A constraint over one atom with `:by` alone
// says for facts, headings and open relations who states them.
//
// Borrows the program and its store. Follows them: questions may be asked at any time, and cost
// O(rules) after rules have joined the program, else O(1).
#ifndef RPL_INTERP_PLAN_AUTHORITY_H_
#define RPL_INTERP_PLAN_AUTHORITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interp/program/program.h"
#include "interp/store/parties.h"

namespace rpl {

class Store;

class Authority {
 public:
  /// All but the program.
  static constexpr Parties kOutside = static_cast<Parties>(0x3E);

  enum class Kind : std::uint8_t { kRules, kFacts, kHeading, kOpen, kEngine, kGuardData };

  /// Who states a relation, goal, tool or avar.
  struct Entry {
    Kind kind = Kind::kOpen;
    Parties state = kOutside;      // who may state rows of it
    Parties take_back = kOutside;  // who may take back rows of their own
    Parties source = 0;            // kFile, if a source that is read for it may state it
    /// The sentence that closes it; its end is 0 if it is not closed by one.
    Span line = {};
    bool guarded = false;  // a guard closes it
  };

  /// `policy`: whether a policy decides about calls as well.
  Authority(const Program& program, const Store& store, bool policy)
      : program_(program), store_(store), policy_(policy) {}

  /// Notes that the program states facts of the relation, at that place.
  void NoteFact(RelationId relation, Span place) {
    if (relation >= facts_.size()) facts_.resize(relation + 1);
    if (!facts_[relation]) facts_[relation] = place;
  }

  Entry Of(RelationId relation) const;
  /// Who may answer a call of a tool or a question with these arguments; kNone in place of what is
  /// asked for.
  Parties AnswersTo(RelationId relation, std::span<const Value> args) const;

  /// Headings and questions that no party may answer, since their readers admit different ones.
  struct Closed {
    RelationId relation;
    Span first, second;  // two of the readings
  };
  std::vector<Closed> Unanswerable() const;
  /// Whether the program or a policy decides about calls.
  bool HasGuards() const { return policy_ || !Read().guards.empty(); }

 private:
  /// A reading that admits some parties only, or a constraint that says who states a relation.
  struct Gate {
    RelationId relation;
    const std::vector<Pattern>* args;  // of a tool; else null
    Parties admits;
    Span span;
  };
  struct Guarded {
    bool more = false;   // one more row could let a call pass
    bool fewer = false;  // one fewer could
    Span span;
  };
  struct Reading {
    std::size_t definitions = 0, constraints = 0;  // those that were read
    std::unordered_map<RelationId, Span> rules;    // by head
    std::unordered_map<RelationId, std::vector<const Definition*>> bodies;
    std::unordered_map<RelationId, std::vector<Gate>> gates;
    std::unordered_map<RelationId, Gate> stated_by;  // by constraints over `:by`
    std::unordered_map<RelationId, Guarded> guards;
  };
  friend struct AuthorityReader;

  const Reading& Read() const;
  std::optional<Span> FactOf(RelationId relation) const {
    return relation < facts_.size() ? facts_[relation] : std::nullopt;
  }

  const Program& program_;
  const Store& store_;
  bool policy_;
  std::vector<std::optional<Span>> facts_;  // by relation
  mutable Reading reading_;
};

/// "a person", "a model", …; several as "a person or a host"; "nobody".
std::string PartiesText(Parties parties);
/// The party with its article: "a model".
std::string_view PartyText(By by);

/// Whether relations of that label are guard data, the input of guards and policies: `end-user`,
/// `signal`, ….
bool IsGuardData(std::string_view label);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_AUTHORITY_H_
