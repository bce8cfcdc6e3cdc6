// SPDX-License-Identifier: Apache-2.0
//
// Derivations as entries of the trace: a row with the rule instance that derives it, nested
// like the sketch of §19, and recomputed when the entry is written.
//
//   (reach(?a, ?c) <- (reach(?a, ?b) <- edge(1, 2)) ^^ {?a 1, ?b 2}, edge(2, 3)) ^^ {?a 1, ?c 3}
//
// Each row is explained once, at its first occurrence; after that, in the same sentence and in
// later ones, only the row is written. So the total length is linear in the rows explained. A row
// rests on rows that were derived before it, never on itself.
//
// Borrows the engine. Evaluates with the solver, and leaves its tables.
#ifndef RPL_RUNTIME_FACTS_DERIVATION_H_
#define RPL_RUNTIME_FACTS_DERIVATION_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/eval/engine.h"
#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

struct Collected;
struct Constraint;
struct Definition;

class Derivations {
 public:
  /// Limits on the nesting of a sentence and on the rows it explains. A comment at its end counts
  /// the omissions.
  static constexpr std::size_t kMaxDepth = 100;
  static constexpr std::size_t kMaxRows = 500;

  explicit Derivations(interp::Engine& engine) : engine_(engine) {}

  struct Sentence {
    std::string text;
    std::optional<Span> rule;  // that gives the row
  };
  /// The sentence of a derived row; empty for other rows, and for a row that already had one.
  Sentence SentenceOf(RelationId relation, const std::vector<Value>& row);
  /// A row of a collected heading, as `name(?a) ^^ {?a 1}`; `avars`: with `$a` for avars.
  std::string CollectedText(const Collected& collected, std::span<const Value> row,
                            bool avars) const;
  using Fact = std::pair<RelationId, std::vector<Value>>;
  /// The stated and answered rows that these rest on, by one derivation of each, at most kMaxRows
  /// of them are followed; each once.
  std::vector<Fact> GroundsOf(const std::vector<Fact>& facts) const;
  /// To be called after a retraction: derivations may have changed.
  void Forget() { explained_.clear(); }

  /// The bindings of an instance of a constraint: slot, value, …, of the named slots with a known
  /// one.
  std::vector<Value> BoundOf(const Constraint& c, const std::vector<Value>& slots) const;
  /// Each value as Text shows it with `most` bytes.
  std::string RowText(RelationId relation, std::span<const Value> row,
                      std::size_t most = kMaxTextBytes) const;
  std::string BindingsText(const std::vector<Value>& entries,
                           std::size_t most = kMaxTextBytes) const;

 private:
  struct Open;  // a row whose text is being built

  bool IsDerived(const Fact& fact) const;
  bool Find(Open& open, const std::set<Fact>& above) const;
  std::string Finished(const Open& open) const;
  std::string Leaf(const Fact& fact) const;

  interp::Engine& engine_;
  std::map<Fact, bool> explained_;  // rows in some sentence; true: with a sentence of their own
};

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_DERIVATION_H_
