// SPDX-License-Identifier: Apache-2.0
//
// Fixtures of the engine's unit tests: text in, text out.
//
// An Engine is that of interp/eval/engine.h with sources and findings of its own. A Silent agent
// answers nothing.
#ifndef RPL_INTERP_TESTING_TESTING_H_
#define RPL_INTERP_TESTING_TESTING_H_

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grammar/parser.h"
#include "interp/eval/constraint_watch.h"
#include "interp/eval/engine.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/machine.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "interp/store/value.h"
#include "runtime/nobody.h"

namespace rpl::testing {

/// Limits with which every stratum of joins is withdrawn from (interp/plan/withdrawal.h), however
/// few rows it has and however many of them are in doubt.
inline Limits Withdrawing(Limits limits = {}) {
  limits.min_withdrawn = 0;
  limits.large_part = 1;
  return limits;
}

inline std::string Join(const std::vector<std::string>& parts, const char* separator = "\n") {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? separator : "") + parts[i];
  return out;
}

/// The tree of a term; nullopt when the text is none.
inline std::optional<Node> Term(const std::string& text) {
  Sources sources;
  Diagnostics findings;
  const std::uint32_t file = sources.Add("term", text);
  return ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
}

/// The value of a ground term; kNone when it is not one.
inline Value Read(Pool& pool, const std::string& text) {
  const std::optional<Node> node = Term(text);
  return node ? GroundValue(pool, *node) : kNone;
}

/// "(1, [2])"
inline std::string RowText(const Pool& pool, std::span<const Value> row) {
  std::string out = "(";
  for (std::size_t i = 0; i < row.size(); ++i) out += (i > 0 ? ", " : "") + Text(pool, row[i]);
  return out + ")";
}

/// The rows of a relation in id order, separated by blanks.
inline std::string Rows(const Store& store, RelationId id) {
  if (id == kNoId) return "no relation";
  std::vector<std::string> out;
  for (RowId r = 0; r < store.at(id).size(); ++r)
    out.push_back(RowText(store.pool(), store.at(id).Cells(r)));
  return Join(out, " ");
}

struct OwnSources {
  Sources own;
};

struct Engine : private OwnSources, interp::Engine {
  explicit Engine(Limits with = {}) : interp::Engine(own, std::move(with)) {}

  /// Loads plain RPL (or Markdown, by `name`), asserts and retracts what it says.
  void Take(const std::string& text, const std::string& name = "test.rpl") {
    const std::uint32_t file = sources.Add(name, text);
    Assert(program.Load(ReadDocument(sources, file, findings, form), findings));
    Prepare();
  }

  RelationId Find(const std::string& name, std::uint32_t arity) const {
    return store.Find(Space::kRelation, name, arity);
  }

  /// Rows of a relation after quiescence, in id order.
  std::string Derived(const std::string& name, std::uint32_t arity) {
    Quiesce();
    return Rows(store, Find(name, arity));
  }

  std::string Findings() const {
    std::string out;
    for (const Diagnostic& d : findings.all()) out += CodeText(d.code) + " " + d.message + "\n";
    return out;
  }

  Diagnostics findings;
  FactForm form = FactForm::kPlain;
};

/// Keeps what was said, and answers nothing unless AnswerTo is overridden.
struct Silent : Nobody {
  /// The answer to a question or a call.
  virtual rpl::Answer AnswerTo(const Request&, Pool&, std::string_view) { return {}; }
  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view refused) override {
    return AnswerTo(question, pool, refused);
  }
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override {
    std::vector<rpl::Answer> out;
    for (const ToolCall& call : calls) out.push_back(AnswerTo(call, pool, ""));
    return out;
  }
  virtual void Chat(const std::string& line) { said.push_back(line); }

  std::vector<std::string> said;
};

}  // namespace rpl::testing

#endif  // RPL_INTERP_TESTING_TESTING_H_
