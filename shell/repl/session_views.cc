// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/session_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <utility>

#include "grammar/namespaces.h"
#include "interp/explain/explain_print.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/explained.h"
#include "shell/program/known_names.h"
#include "shell/program/profile_report.h"
#include "shell/repl/answer_printer.h"
#include "shell/repl/console.h"
#include "shell/repl/session.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

constexpr std::size_t kWhyDepth = 64;    // levels of a proof
constexpr std::size_t kWhyNotDepth = 2;  // levels of rules examined

// Of a relation: what is stored and what the program says.
struct RelationPart {
  std::size_t stored = 0;
  std::vector<std::string> rules;
  std::vector<std::string> constraints;
  bool asks = false;  // a heading that asks
};

bool IsOfLibrary(std::string_view name) { return name.starts_with(std::string(kLibrary) + "#"); }

// Whether one of the clauses, or a clause in them, reads the relation.
bool Reads(const Clauses& clauses, RelationId relation) {
  bool found = false;
  ForEachAtom(clauses, [&](const Atom& atom) { found = found || atom.relation == relation; });
  return found;
}

// The relations of the program and the store by name and arity, without the library.
std::map<std::string, RelationPart> PartsOf(const Session& session) {
  const Program& program = session.program();
  const Store& store = session.store();
  std::map<std::string, RelationPart> parts;
  const auto name_of = [&](RelationId id) {
    return fmt::format("{}/{}", store.at(id).name(), store.at(id).arity());
  };
  for (const Definition& def : program.definitions())
    if (def.head != kNoId && store.at(def.head).space() == Space::kRelation)
      parts[name_of(def.head)].rules.push_back(def.text);
  for (RelationId id = 0; id < store.size(); ++id) {
    const Relation& relation = store.at(id);
    const Collected* const heading = program.FindCollected(id);
    if (heading == nullptr && !IsListed(store, id) && !parts.contains(name_of(id))) continue;
    if (relation.space() != Space::kRelation || store.IsWhole(id)) continue;
    RelationPart& part = parts[name_of(id)];
    part.stored += relation.size();
    part.asks = part.asks || heading != nullptr;
    for (const Constraint& c : program.constraints())
      if (Reads(c.left, id) || Reads(c.right, id)) part.constraints.push_back(c.text);
  }
  std::erase_if(parts, [](const auto& of) { return IsOfLibrary(of.first); });
  return parts;
}

// "3 rows", "3 rows, 1 rule", "asked"
std::string Summary(const RelationPart& part) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (part.stored > 0 || part.rules.empty()) add(Counted(part.stored, "row"));
  if (!part.rules.empty()) add(Counted(part.rules.size(), "rule"));
  if (part.asks) add("asked");
  return out;
}

std::size_t AssertedRows(const Relation& relation) {
  std::size_t count = 0;
  for (RowId row = 0; row < relation.size(); ++row) count += relation.asserted(row) ? 1 : 0;
  return count;
}

}  // namespace

void SessionViews::Tables(const std::string& argument) {
  bool any = false;
  for (const auto& [name, part] : PartsOf(session_.session())) {
    if (name.find(argument) == name.npos) continue;
    any = true;
    std::cout << fmt::format("{:<24} {}\n", Printable(name), Summary(part));
  }
  std::cout << std::flush;
  if (any) return;
  if (argument.empty())
    console_.Note("no relations; .load FILE takes a document in, or enter a fact");
  else console_.Note("no relation has `" + argument + "` in its name; .tables lists all");
}

void SessionViews::Schema(const std::string& argument) {
  bool any = false;
  for (const auto& [name, part] : PartsOf(session_.session())) {
    if (!argument.empty() &&
        (argument.find('/') == argument.npos ? LabelOf(name) != LabelOf(argument)
                                             : name != argument))
      continue;
    if (std::exchange(any, true)) std::cout << '\n';
    std::cout << fmt::format("{:<24} {}\n", Printable(name), Summary(part));
    for (const std::string& rule : part.rules) std::cout << "  " << Printable(rule) << '\n';
    for (const std::string& c : part.constraints) std::cout << "  " << Printable(c) << '\n';
  }
  std::cout << std::flush;
  if (any) return;
  if (argument.empty())
    console_.Note("no relations; .load FILE takes a document in, or enter a fact");
  else console_.Note("no relation " + argument + "; .tables lists them");
}

void SessionViews::Facts(const std::string& argument) {
  const Store& store = session_.session().store();
  bool known = false;
  for (RelationId id = 0; id < store.size(); ++id) {
    const Relation& relation = store.at(id);
    if (!IsListed(store, id)) continue;
    const std::string name = fmt::format("{}/{}", relation.name(), relation.arity());
    if (argument.empty()) {
      const std::size_t asserted = AssertedRows(relation);
      std::cout << fmt::format("{:<24} {:>10} asserted {:>10} derived\n", Printable(name), asserted,
                               relation.size() - asserted);
      known = true;
      continue;
    }
    if (relation.name() != LabelOf(argument)) continue;
    if (argument.find('/') != argument.npos && argument != name) continue;
    known = true;
    const std::size_t shown = answers_.most_rows() == 0
                                  ? relation.size()
                                  : std::min<std::size_t>(relation.size(), answers_.most_rows());
    for (RowId row = 0; row < shown; ++row)
      std::cout << Printable(FactText(store, relation.id(), relation.Cells(row), kDerivationBytes))
                << (relation.asserted(row) ? "" : "  -- derived") << '\n';
    console_.PrintRest(relation.size() - shown, "fact");
  }
  std::cout << std::flush;
  if (!known)
    console_.Note(argument.empty() ? "no facts"
                                   : "no facts of " + argument + "; .tables lists the relations");
}

// Those of the library (std/std.md) by name only.
void SessionViews::Rules(const std::string& argument) {
  bool known = false;
  for (const std::string& rule : session_.session().Rules()) {
    if (argument.empty() ? rule.starts_with(std::string(kLibrary) + "#")
                         : LabelOf(rule) != LabelOf(argument))
      continue;
    known = true;
    std::cout << Printable(rule) << '\n';
  }
  std::cout << std::flush;
  if (!known)
    console_.Note(argument.empty() ? "no rules"
                                   : "no rules of " + argument + "; .tables lists the relations");
}

void SessionViews::Goals() {
  bool known = false;
  for (const std::string& rule : session_.session().Rules()) {
    if (!rule.starts_with('%')) continue;
    known = true;
    std::cout << Printable(rule) << '\n';
  }
  for (const TraceEntry& entry : session_.session().Entries())
    if (entry.kind == TraceEntry::Kind::kGoal) std::cout << Printable(entry.text) << '\n';
  std::cout << std::flush;
  if (!known) console_.Note("no goals");
}

void SessionViews::Trace() {
  for (const TraceEntry& entry : session_.session().Entries())
    std::cout << TraceLine(entry) << '\n';
  std::cout << std::flush;
  if (session_.session().Entries().empty()) console_.Note("nothing has been established yet");
}

void SessionViews::Profile() {
  const ReplSession::Profiled& last = session_.profiled();
  if (last.profile == nullptr || last.profile->rules().empty())
    return console_.Note("no rule ran in the last entry");
  const Store* store = last.stands ? &session_.session().store() : nullptr;
  std::cout << ProfileText(*last.profile, last.sources, store, {true, 0, TerminalWidth()})
            << std::flush;
}

void SessionViews::PrintExplained(const std::string& fact, bool absent) {
  const Explained explained = session_.session().Explain(fact, {10, kWhyDepth}, kWhyNotDepth);
  const Sources& sources = session_.session().sources();
  if (Interrupted()) return console_.Note("cancelled");
  if (explained.rejected) {
    console_.Findings(explained.diagnostics, sources);
    console_.Fail();
    return;
  }
  const bool known = explained.doubt == Status::kNothing;
  if (explained.why_not) {
    if (!known) console_.Note("it is not known whether it holds: " + Printable(explained.reason));
    else if (!absent) console_.Note("it does not hold:");
    std::cout << Printable(ExplanationText(*explained.why_not, sources)) << std::flush;
    return;
  }
  if (absent) console_.Note("it holds:");
  for (const Explanation& proof : explained.why.proofs)
    std::cout << Printable(ExplanationText(proof, sources));
  console_.PrintRest(explained.why.more, "fact");
  if (!known) console_.Note("there may be more: " + Printable(explained.reason));
}

void SessionViews::Why(const std::string& argument) { PrintExplained(argument, false); }

void SessionViews::WhyNot(const std::string& argument) { PrintExplained(argument, true); }

}  // namespace rpl
