// SPDX-License-Identifier: Apache-2.0
//
// A set of rules and facts with the engine that evaluates them, as checks use it.
//
// Rules come in as RPL, facts as RPL or as rows. Quiesce derives to fixpoint; afterwards violated
// constraints and derivations can be read. Checking a constraint calls the tools that it depends
// on, if there is a caller for them, each call once. Nobody is asked: `$ask` and `$choose` stay
// unanswered.
//
// Borrows the sources and adds the programs to them. Single-threaded; neither copyable nor movable.
#ifndef RPL_CHECKS_VERIFY_FACT_BASE_H_
#define RPL_CHECKS_VERIFY_FACT_BASE_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/document.h"
#include "interp/eval/engine.h"
#include "interp/eval/evaluation.h"
#include "interp/explain/explanation.h"

namespace rpl {

struct Constraint;

class FactBase {
 public:
  /// An empty set. `sources` must outlive it.
  explicit FactBase(Sources& sources, Limits limits = {});
  FactBase(const FactBase&) = delete;
  FactBase& operator=(const FactBase&) = delete;

  /// Adds a document, or plain RPL if `name` ends in .rpl. Errors are added to `found`; the
  /// sentences without errors are loaded nevertheless.
  Document Load(const std::string& name, std::string text, Diagnostics& found);

  /// Sets the value of `now` (§5.4), in ISO 8601.
  void SetNow(std::string_view now);

  /// A function that calls a tool. Returns the metadata of its result, {:result …} or {:status
  /// :error …}; kNone if there is no such tool.
  using ToolCaller =
      std::function<Value(Pool& pool, const std::string& tool, const std::vector<Value>& args)>;
  /// Sets the caller of tools; without one, calls stay unanswered. REQUIRES: before Check.
  void SetTools(ToolCaller caller) { tools_ = std::move(caller); }

  /// The relation of that name and arity for rules and facts; created if it is new.
  RelationId Declare(std::string_view label, std::uint32_t arity);
  /// Adds a fact with `place` as its source. REQUIRES: one value per column of the relation.
  void Add(RelationId relation, std::span<const Value> row, Span place);

  /// Derives to fixpoint. Stop::kGoesOn, or the limit that was reached.
  Stop Quiesce();
  /// The message for a limit, "the limit of rows was reached in `p(?x) <- …`"; "" for
  /// Stop::kGoesOn. REQUIRES: `stop` is the result of the last Quiesce or Check.
  std::string Problem(Stop stop) const;

  /// The result of checking a constraint.
  struct Checked {
    /// A violating instance: those variables that have a value, by name.
    using Bindings = std::vector<std::pair<std::string, Value>>;
    std::vector<Bindings> violated;  // in answer order
    /// The reason why the constraint could not be evaluated to the end: a call that failed or has
    /// no answer, a relation that depends on itself, a limit. "" if it was.
    std::string problem;
  };
  /// Evaluates a constraint of program() as in phase 7 (§18.3). REQUIRES: Quiesce returned kGoesOn.
  Checked Check(const Constraint& constraint);

  /// The maximal number of rounds of tool calls in one Check.
  static constexpr std::size_t kMaxCalls = 1000;

  /// A derivation of a fact, or the reason why it does not hold. `form` is one call,
  /// `predicate-pass(3)`. REQUIRES: Quiesce was called, and `form` is well-formed RPL.
  Explanation Explain(const std::string& form);

  /// Valid as long as the FactBase; rows of the store are complete after Quiesce.
  Pool& pool() { return engine_.pool; }
  const Program& program() const { return engine_.program; }
  const Store& store() const { return engine_.store; }
  const Sources& sources() const { return engine_.sources; }

 private:
  /// Check without tool calls.
  Checked CheckOnce(const Constraint& constraint, std::vector<OpenCall>& open);
  /// Makes the open calls and stores their results; false if one has no caller.
  bool CallTools(const std::vector<OpenCall>& open);

  interp::Engine engine_;
  std::string stopped_at_;
  ToolCaller tools_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_FACT_BASE_H_
