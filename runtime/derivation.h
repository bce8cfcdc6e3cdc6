// SPDX-License-Identifier: Apache-2.0
//
// Derivations as entries of the trace: a row with the rule instance that gives it, nested
// like the sketch of §19, found again when the entry is written.
//
//   (reach(?a, ?c) <- (reach(?a, ?b) <- edge(1, 2)) ^^ {?a 1, ?b 2}, edge(2, 3)) ^^ {?a 1, ?c 3}
//
// Each row is explained once, where it comes up first; after that, in the same sentence and
// in later ones, the row alone stands for it. So all sentences together are as long as what
// they explain. A row rests on rows that were derived before it, never on itself.
//
// Borrows the engine. Evaluates by the solver, whose tables stay.
#ifndef RPL_RUNTIME_DERIVATION_H_
#define RPL_RUNTIME_DERIVATION_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/eval/engine.h"
#include "interp/eval/table.h"

namespace rpl {

struct Collected;
struct Definition;

class Derivations {
 public:
  /// How deep a sentence nests, and how many rows it explains at most. What is left out is
  /// counted in a comment at its end.
  static constexpr std::size_t kMaxDepth = 100;
  static constexpr std::size_t kMaxRows = 500;

  explicit Derivations(interp::Engine& engine) : engine_(engine) {}

  struct Sentence {
    std::string text;
    std::optional<Span> rule;  // that gives the row
  };
  /// The sentence of a row that rules derive; empty for other rows, and for one that had it.
  Sentence SentenceOf(RelationId relation, const std::vector<Value>& row);
  /// A row of a collected heading, as `name(?a) ^^ {?a 1}`; `avars`: with `$a` for avars.
  std::string CollectedText(const Collected& collected, std::span<const Value> row,
                            bool avars) const;
  /// Something was taken back: what rows rest on may have changed.
  void Forget() { explained_.clear(); }

  /// Each value as Text shows it with `most` bytes.
  std::string RowText(RelationId relation, std::span<const Value> row,
                      std::size_t most = kMaxTextBytes) const;
  std::string BindingsText(const std::vector<Value>& entries,
                           std::size_t most = kMaxTextBytes) const;

 private:
  using Fact = std::pair<RelationId, std::vector<Value>>;
  /// A row on its way to a text.
  struct Open {
    Fact fact;
    const Definition* def = nullptr;
    std::vector<Premise> premises;
    std::size_t next = 0;  // of the premises
    std::string tail;      // of those before
  };

  bool IsDerived(const Fact& fact) const;
  bool Find(Open& open, const std::set<Fact>& above);
  std::string Finished(const Open& open) const;
  std::string Leaf(const Fact& fact) const;

  interp::Engine& engine_;
  std::map<Fact, bool> explained_;  // rows in some sentence; true: they had one of their own
};

}  // namespace rpl

#endif  // RPL_RUNTIME_DERIVATION_H_
