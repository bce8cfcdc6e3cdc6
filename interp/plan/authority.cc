// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/authority.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "formats/list_text.h"
#include "grammar/namespaces.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr Parties kModel = PartyBit(By::kModel);
constexpr Parties kUntrusted =
    static_cast<Parties>(kModel | PartyBit(By::kTool) | PartyBit(By::kFile));

// The parties that are, or with `negated` are not, the one of a keyword.
Parties PartiesOf(const Pool& pool, Value keyword, bool negated) {
  const std::optional<By> by =
      keyword.kind() == Kind::kKeyword ? ByOf(pool.TextOf(keyword)) : std::nullopt;
  const Parties one = by ? PartyBit(*by) : Parties{0};
  return static_cast<Parties>(negated ? ~one : one);
}

std::optional<Value> ConstantOf(const Expr& e) {
  if (e.kind != Expr::Kind::kTerm || e.term.kind != Pattern::Kind::kConstant) return std::nullopt;
  return e.term.constant;
}

bool IsSlot(const Expr& e, SlotId slot) {
  return e.kind == Expr::Kind::kTerm && e.term.kind == Pattern::Kind::kSlot && e.term.slot == slot;
}

// The parties that a clause lets the slot be; nullopt if it says something else.
std::optional<Parties> AdmittedBy(const Pool& pool, const Clause& clause, SlotId slot) {
  if (const auto* c = clause.As<Compare>()) {
    if (c->op != Operator::kEqual && c->op != Operator::kNotEqual) return std::nullopt;
    const auto value = IsSlot(c->left, slot)    ? ConstantOf(c->right)
                       : IsSlot(c->right, slot) ? ConstantOf(c->left)
                                                : std::nullopt;
    if (!value) return std::nullopt;
    return PartiesOf(pool, *value, c->op == Operator::kNotEqual);
  }
  const auto* m = clause.As<Member>();
  if (m == nullptr || !IsSlot(m->element, slot)) return std::nullopt;
  const std::optional<Value> list = ConstantOf(m->collection);
  if (!list || (list->kind() != Kind::kSet && list->kind() != Kind::kList)) return std::nullopt;
  Parties any = 0;
  for (const Value item : pool.ItemsOf(*list)) any |= PartiesOf(pool, item, false);
  return static_cast<Parties>(m->negated ? ~any : any);
}

// The pattern that a metadata pattern has for `:by`; null without one.
const Pattern* ByIn(const Pool& pool, const Metadata& metadata) {
  const Pattern& map = metadata.pattern;
  if (metadata.bindings || map.kind != Pattern::Kind::kMap) return nullptr;
  for (std::size_t i = 0; i + 1 < map.parts.size(); i += 2)
    if (const Pattern& key = map.parts[i]; key.kind == Pattern::Kind::kConstant &&
                                           key.constant.kind() == Kind::kKeyword &&
                                           pool.TextOf(key.constant) == "by")
      return &map.parts[i + 1];
  return nullptr;
}

// Whether the text has the pieces in order: the first at its beginning, the last at its end.
bool HasPieces(std::string_view text, const std::vector<std::string>& pieces) {
  if (pieces.size() == 1) return text == pieces.front();
  if (!text.starts_with(pieces.front())) return false;
  std::size_t at = pieces.front().size();
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    at = text.find(pieces[i], at);
    if (at == text.npos) return false;
    at += pieces[i].size();
  }
  return text.size() >= at + pieces.back().size() && text.ends_with(pieces.back());
}

// Whether the argument of a reading may be this value. Not seen through: it may.
bool MayBe(const Pool& pool, const Pattern& pattern, Value value) {
  if (value.is_none()) return true;
  if (pattern.kind == Pattern::Kind::kConstant) return pattern.constant == value;
  if (pattern.kind == Pattern::Kind::kTemplate)
    return value.kind() == Kind::kString && HasPieces(pool.TextOf(value), pattern.texts());
  return true;
}

bool IsEngines(const Relation& of, std::string_view label) {
  const bool made = label.find(' ') != label.npos;  // of calls, for guards (Program::CallsOf)
  return label.starts_with(std::string(kLibrary) + "#") || label == "guard-decision" || made ||
         of.space() == Space::kIntermediate || (of.space() == Space::kTool && label == "what-now");
}

}  // namespace

// Reads the definitions and constraints of a program.
struct AuthorityReader {
  const Authority& of;
  Authority::Reading& to;
  const Store& store = of.store_;
  const Pool& pool = store.pool();

  using Rows = std::unordered_map<SlotId, const Atom*>;

  // The atoms by the slots of their rows.
  static void CollectRows(const Clauses& clauses, Rows& rows) {
    ForEachAtom(clauses, [&](const Atom& atom) {
      if (atom.row >= 0) rows.emplace(atom.row, &atom);
    });
  }

  // What the other clauses of a conjunction let `:by` be.
  Parties Admits(const Pattern& by, const Clauses& beside) const {
    if (by.kind == Pattern::Kind::kConstant) return PartiesOf(pool, by.constant, false);
    Parties out = 0xFF;
    if (by.kind == Pattern::Kind::kSlot)
      for (const Clause& clause : beside)
        if (const auto some = AdmittedBy(pool, clause, by.slot)) out &= *some;
    return out;
  }

  void Add(const Atom& atom, Parties admits, Span span,
           const std::function<std::string(SlotId)>& name) {
    const bool tool = store.at(atom.relation).space() == Space::kTool;
    const Authority::Gate gate{atom.relation, tool ? &atom.args : nullptr, admits, span};
    to.gates[store.BaseOf(atom.relation)].push_back(gate);
    for (const SlotId avar : atom.avars)
      if (const RelationId channel = store.Find(Space::kAvar, name(avar), 0); channel != kNoId)
        to.gates[channel].push_back({channel, nullptr, admits, span});
  }

  // The gates of a conjunction that must hold (`holds`), and of those in it.
  void ReadGates(const Clauses& clauses, bool holds, const Rows& rows,
                 const std::vector<std::string>& slots) {
    const auto name = [&](SlotId slot) { return slots[static_cast<std::size_t>(slot)]; };
    for (const Clause& clause : clauses) {
      if (const auto* metadata = clause.As<Metadata>(); metadata != nullptr && holds)
        if (const Pattern* by = ByIn(pool, *metadata))
          if (const Parties admits = Admits(*by, clauses); (admits & 0x3F) != 0x3F)
            for (const SlotId row : metadata->rows)
              if (const auto at = rows.find(row); at != rows.end())
                Add(*at->second, admits, clause.span, name);
      ForEachPart(clause, [&](Sense sense, const Clauses& body) {
        ReadGates(body, (sense == Sense::kFails) != holds, rows, slots);
      });
    }
  }

  // Of a constraint over one atom with `:by` alone: who states its relation.
  bool ReadStatedBy(const Constraint& c) {
    if (c.left.size() != 2) return false;
    const auto* atom = c.left[0].As<Atom>();
    const auto* metadata = c.left[1].As<Metadata>();
    if (atom == nullptr || metadata == nullptr || atom->row < 0) return false;
    const Pattern* by = ByIn(pool, *metadata);
    if (by == nullptr || metadata->pattern.parts.size() != 2) return false;
    Parties admits = 0xFF;
    if (c.forbids) {
      if (by->kind != Pattern::Kind::kConstant) return false;
      admits = PartiesOf(pool, by->constant, true);
    } else {
      if (by->kind != Pattern::Kind::kSlot || c.right.empty()) return false;
      for (const Clause& clause : c.right) {
        const auto some = AdmittedBy(pool, clause, by->slot);
        if (!some) return false;
        admits &= *some;
      }
    }
    const auto any = [](const Pattern& arg) {
      return arg.kind == Pattern::Kind::kAny || arg.kind == Pattern::Kind::kSlot;
    };
    if (!std::ranges::all_of(atom->args, any)) return false;
    const RelationId relation = store.BaseOf(atom->relation);
    auto [at, is_new] =
        to.stated_by.try_emplace(relation, Authority::Gate{relation, nullptr, admits, c.span});
    if (!is_new) at->second.admits &= admits;
    return true;
  }

  // Notes what a conjunction reads: that it holds `lets` a call pass, or `stops` one.
  void ReadGuard(const Clauses& clauses, bool lets, bool stops, Span span) {
    const auto in = [&](Sense sense, const auto& note) {
      if (sense == Sense::kHolds) note(lets, stops);
      else if (sense == Sense::kFails) note(stops, lets);
      else note(lets || stops, lets || stops);
    };
    for (const Clause& clause : clauses)
      ForEachPart(
          clause,
          [&](Sense sense, const ClauseRead& read) {
            if (read.relation == kNoId) return;
            in(sense, [&](bool more, bool less) { NoteRead(read.relation, more, less, span); });
          },
          [&](Sense sense, const Clauses& body) {
            in(sense, [&](bool more, bool less) { ReadGuard(body, more, less, span); });
          });
  }

  void NoteRead(RelationId read, bool lets, bool stops, Span span) {
    const RelationId relation = store.BaseOf(read);
    const Space space = store.at(relation).space();
    if (space == Space::kTool || space == Space::kIntermediate) return;
    auto [at, is_new] = to.guards.try_emplace(relation, Authority::Guarded{false, false, span});
    Authority::Guarded& known = at->second;
    const bool news = is_new || (lets && !known.more) || (stops && !known.fewer);
    known.more = known.more || lets;
    known.fewer = known.fewer || stops;
    if (news) open.push_back({relation, lets, stops, span});
  }

  // What the rules of a relation read that a guard reads. No recursion: chains of rules are long.
  void FollowGuards() {
    while (!open.empty()) {
      const auto [relation, lets, stops, span] = open.back();
      open.pop_back();
      const auto rules = to.bodies.find(relation);
      if (rules == to.bodies.end()) continue;
      for (const Definition* def : rules->second) {
        const bool both = def->choice || !def->gathered.empty() || def->extremum.has_value();
        const bool some = lets || stops;
        ReadGuard(def->activation, both ? some : lets, both ? some : stops, span);
        ReadGuard(def->body, both ? some : lets, both ? some : stops, span);
      }
    }
  }

  bool IsOverCalls(const Constraint& c) const {
    return std::ranges::any_of(OwnAtoms(c.left), [&](const auto& own) {
      const Relation& relation = store.at(own.atom.relation);
      return relation.space() == Space::kTool && !IsQuestion(relation);
    });
  }

  void Read(const Definition& def) {
    if (def.head == kNoId) return;
    to.rules.try_emplace(def.head, def.span);
    to.bodies[def.head].push_back(&def);
    Rows rows;
    CollectRows(def.activation, rows);
    CollectRows(def.body, rows);
    ReadGates(def.activation, true, rows, def.slots);
    ReadGates(def.body, true, rows, def.slots);
  }

  void Read(const Constraint& c) {
    if (c.left.empty() || ReadStatedBy(c)) return;
    Rows rows;
    CollectRows(c.left, rows);
    CollectRows(c.right, rows);
    ReadGates(c.left, false, rows, c.slots);
    ReadGates(c.right, true, rows, c.slots);
    if (!IsOverCalls(c)) return;
    ReadGuard(c.left, false, true, c.span);
    ReadGuard(c.right, true, false, c.span);
  }

  struct Open {
    RelationId relation;
    bool lets, stops;
    Span span;
  };
  std::vector<Open> open = {};
};

const Authority::Reading& Authority::Read() const {
  const std::size_t definitions = program_.definitions().size();
  const std::size_t constraints = program_.constraints().size();
  if (reading_.definitions == definitions && reading_.constraints == constraints) return reading_;
  reading_ = {};
  AuthorityReader reader{*this, reading_};
  for (const Definition& def : program_.definitions()) reader.Read(def);
  for (const Constraint& c : program_.constraints()) reader.Read(c);
  reader.FollowGuards();
  reading_.definitions = definitions;
  reading_.constraints = constraints;
  return reading_;
}

Parties Authority::AnswersTo(RelationId relation, std::span<const Value> args) const {
  Parties out = kOutside;
  const auto gates = Read().gates.find(relation);
  if (gates == Read().gates.end()) return out;
  const Pool& pool = store_.pool();
  for (const Gate& gate : gates->second) {
    bool fits = true;
    for (std::size_t i = 0; gate.args != nullptr && i < gate.args->size() && i < args.size(); ++i)
      fits = fits && MayBe(pool, (*gate.args)[i], args[i]);
    // What a host answers for a tool or at a command line counts as the gate says; a model's answer
    // would only close the question to the person.
    if (fits) out &= static_cast<Parties>(gate.admits | (gate.args == nullptr ? 0 : ~kModel));
  }
  return out;
}

Authority::Entry Authority::Of(RelationId id) const {
  const RelationId relation = store_.BaseOf(id);
  const Relation& of = store_.at(relation);
  const std::string_view label = store_.pool().TextOf(of.label());
  const Reading& read = Read();
  const auto closed = [](Kind kind, Span line) { return Entry{kind, 0, 0, 0, line}; };
  if (IsEngines(of, label)) return closed(Kind::kEngine, {});
  if (const auto rule = read.rules.find(relation); rule != read.rules.end())
    return closed(Kind::kRules, rule->second);
  if (of.space() == Space::kGoal) return closed(Kind::kEngine, {});
  if (IsGuardData(label) && of.space() == Space::kRelation && HasGuards())
    return closed(Kind::kGuardData, {});
  Entry out;
  const auto constraint = read.stated_by.find(relation);
  const bool said = constraint != read.stated_by.end();
  const auto guard = read.guards.find(relation);
  const bool guarded = guard != read.guards.end() && !said;
  if (said) {
    out.state = out.take_back = constraint->second.admits & kOutside;
    out.line = constraint->second.span;
  }
  const std::optional<Span> fact = FactOf(relation);
  const bool answered = program_.FindCollected(relation) != nullptr || of.space() == Space::kAvar ||
                        of.space() == Space::kTool;
  if (fact && of.space() == Space::kRelation) {
    out.kind = Kind::kFacts;
    if (!said) out.state = out.take_back = 0, out.line = *fact;
    out.source = said ? out.state : guarded ? 0 : kOutside;
  } else if (answered) {
    out.kind = Kind::kHeading;
    const Parties gate = AnswersTo(relation, {});
    if ((gate & kOutside) != kOutside) out.line = read.gates.at(relation).front().span;
    out.state &= gate;
    out.source = out.state;
    if (guarded && of.space() != Space::kTool) out.state &= static_cast<Parties>(~kUntrusted);
    out.take_back = out.state;
  } else {
    out.source = out.state;
    if (guarded && guard->second.more) out.state &= static_cast<Parties>(~kUntrusted);
    if (guarded && guard->second.fewer) out.take_back &= static_cast<Parties>(~kUntrusted);
  }
  out.source &= PartyBit(By::kFile);
  if (guarded && !fact && out.line.end == 0) out.line = guard->second.span;
  out.guarded = guarded;
  return out;
}

std::vector<Authority::Closed> Authority::Unanswerable() const {
  std::vector<Closed> out;
  for (const auto& [relation, gates] : Read().gates) {
    if (store_.at(relation).space() == Space::kTool || Of(relation).kind != Kind::kHeading)
      continue;
    Parties admits = kOutside;
    for (const Gate& gate : gates) {
      admits &= gate.admits;
      if (admits != 0) continue;
      out.push_back({relation, gates.front().span, gate.span});
      break;
    }
  }
  std::ranges::sort(out, {}, &Closed::relation);
  return out;
}

std::string_view PartyText(By by) {
  static constexpr std::array<std::string_view, 6> kTexts = {"the program", "a person", "a host",
                                                             "a model",     "a tool",   "a source"};
  return kTexts[static_cast<std::size_t>(by)];
}

std::string PartiesText(Parties parties) {
  std::vector<std::string_view> names;
  for (int by = 0; by <= static_cast<int>(By::kFile); ++by)
    if ((parties & PartyBit(static_cast<By>(by))) != 0)
      names.push_back(PartyText(static_cast<By>(by)));
  if (names.empty()) return "nobody";
  return ListText(names, " or ", std::identity());
}

bool IsGuardData(std::string_view label) {
  static constexpr std::array<std::string_view, 8> kLabels = {
      "end-user", "end-user-tag", "signal",   "subject",
      "metric",   "tool-name",    "tool-tag", "severity"};
  return std::ranges::find(kLabels, label) != kLabels.end();
}

}  // namespace rpl
