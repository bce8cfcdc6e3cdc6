// SPDX-License-Identifier: Apache-2.0
//
// A program, the facts that it is about, and what follows: the engine as checks use it.
//
// Rules come in as RPL, facts as RPL or as rows; Quiesce derives what follows, and then the
// violated constraints and derivations can be read. Checking a constraint calls the tools that
// it needs, if there is a caller for them, each call once; nobody is asked anything.
//
// Borrows the sources, which take in the programs. One thread. Not to be copied or moved.
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
  explicit FactBase(Sources& sources, Limits limits = {});
  FactBase(const FactBase&) = delete;
  FactBase& operator=(const FactBase&) = delete;

  /// Takes in a document, or plain RPL when `name` ends in .rpl. What is wrong goes to `found`.
  Document Load(const std::string& name, std::string text, Diagnostics& found);

  /// What `now` stands for, in ISO 8601.
  void SetNow(std::string_view now);

  /// Calls a tool: the metadata of its result, {:result …} or {:status :error …}; kNone when
  /// there is no such tool.
  using ToolCaller =
      std::function<Value(Pool& pool, const std::string& tool, const std::vector<Value>& args)>;
  void SetTools(ToolCaller caller) { tools_ = std::move(caller); }

  /// The relation of rules and facts of that name, made when it is new.
  RelationId Declare(std::string_view label, std::uint32_t arity);
  /// Adds a fact that stands at `place`. REQUIRES: as many values as the relation has columns.
  void Add(RelationId relation, std::span<const Value> row, Span place);

  /// Derives what follows from all of it. kGoesOn, or the limit that was reached.
  Stop Quiesce();
  /// "the limit of rows was reached in p(?x) <- …".
  std::string Problem(Stop stop) const;

  /// What becomes of a constraint.
  struct Checked {
    /// An instance that is violated: its variables that have a value, by name.
    using Bindings = std::vector<std::pair<std::string, Value>>;
    std::vector<Bindings> violated;  // in answer order
    /// Why it cannot be evaluated, or not to its end, in words: a call that failed or that
    /// nobody answers, a relation that needs itself, a limit. Else "".
    std::string problem;
  };
  /// REQUIRES: Quiesce gave kGoesOn.
  Checked Check(const Constraint& constraint);

  /// Calls that one Check may make.
  static constexpr std::size_t kMaxCalls = 1000;

  /// Why a fact holds, or why it does not. `form` is one call: `predicate-pass(3)`.
  /// REQUIRES: Quiesce, and that `form` is RPL.
  Explanation Explain(const std::string& form);

  Pool& pool() { return engine_.pool; }
  const Program& program() const { return engine_.program; }
  const Store& store() const { return engine_.store; }
  const Sources& sources() const { return engine_.sources; }

 private:
  Checked CheckOnce(const Constraint& constraint);
  bool CallTools();

  interp::Engine engine_;
  std::string stopped_at_;
  std::vector<OpenCall> open_;  // that the last check waits for
  ToolCaller tools_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_FACT_BASE_H_
