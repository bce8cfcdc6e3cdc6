// SPDX-License-Identifier: Apache-2.0
//
// Lowering of metadata suffixes (§11). A suffix needs the row its form matched, so an
// annotated atom gets a slot for a row reference, and the suffix becomes a clause after
// it:
//
//   user(?u) ^^ ~ {?u ?v}     Atom user(s0) row=s1;  Metadata rows=[s1] bindings {?u s2}
//
// `^ ?m` is about every instance of the form by itself (decision 48), so it becomes an
// Aggregate with a copy of the form.
#include <algorithm>
#include <unordered_set>

#include "grammar/printer.h"
#include "interp/program/lower.h"
#include "interp/store/store.h"

namespace rpl {

namespace {

/// In place of the row of a `$json`: it has none while its line is only to be written.
constexpr SlotId kNoRow = -1;

std::vector<SlotId> WithRows(std::vector<SlotId> slots) {
  std::erase(slots, kNoRow);
  return slots;
}

// Marks the fields of a row whose status is read as well: they know if its call failed.
void MarkKnownFailures(Clauses& fields, Value status) {
  std::unordered_set<SlotId> known;
  const auto is_field = [](const Metadata* m) { return m != nullptr && !m->bindings; };
  for (const Clause& clause : fields)
    if (const auto* m = clause.As<Metadata>();
        is_field(m) && m->pattern.parts.front().constant == status)
      known.insert(m->rows.front());
  for (Clause& clause : fields)
    if (auto* m = clause.As<Metadata>(); is_field(m))
      m->knows_failure = known.contains(m->rows.front());
}

}  // namespace

OwnSlots Lowering::OwnOf(const Node& form) {
  OwnSlots own;
  Pool& pool = program_.store().pool();
  std::vector<std::string> names;
  CollectVariables(form, names);
  for (const std::string& name : names) {
    const auto avar = slots_.find("$" + name);
    const auto lvar = slots_.find("?" + name);
    if (avar == slots_.end() && lvar == slots_.end()) continue;
    own.slots.push_back(lvar != slots_.end() ? lvar->second : avar->second);
    own.names.push_back(pool.Slot(name));
  }
  return own;
}

// In a bindings map ?g is the literal name of a slot (decision 46).
Pattern Lowering::MetadataPattern(const Node& value, bool bindings) {
  const Node* at = &value;
  if (const auto* m = at->As<Match>()) at = &m->pattern.front();
  const auto* map = at->As<Collection>();
  if (map == nullptr || map->kind != CollectionKind::kMap) return Term(*at, true);
  Pattern p;
  p.kind = Pattern::Kind::kMap;
  p.open = true;
  for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
    const auto* key = map->items[i].As<Lvar>();
    if (bindings && key != nullptr)
      p.parts.push_back(Pattern::Constant(program_.store().pool().Slot(key->name)));
    else p.parts.push_back(Term(map->items[i], true));
    p.parts.push_back(Term(map->items[i + 1], true));
  }
  for (const Node& rest : map->rest) p.rest.push_back(Term(rest, true));
  if (!p.rest.empty()) p.open = false;
  return p;
}

// Data shared by the clauses of several suffixes: there is a clause per field of the text, so
// nothing here may be rebuilt for each.
struct Lowering::Annotation {
  const Node& node;
  const Node& form;
  std::vector<const Node*> members;                  // forms with rows, without their suffixes
  std::vector<std::unordered_set<std::string>> has;  // their variables
  std::string text;                                  // of the clauses
  PrintedVariables variables;                        // of the text

  Annotation(const Node& whole, const Node& of) : node(whole), form(of) {
    constexpr std::size_t kMostText = 1000;
    std::vector<PrintedVariable> found;
    text = Print(whole, found);
    if (text.size() > kMostText) {
      std::size_t end = kMostText;
      while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
      text = text.substr(0, end) + "...";
      std::erase_if(found, [end](const PrintedVariable& v) { return v.end > end; });
    }
    variables = Shared(std::move(found));
    Flatten(of);
    for (const Node* member : members) {
      std::vector<std::string> names;
      CollectVariables(*member, names);
      has.emplace_back(names.begin(), names.end());
    }
  }

  void Flatten(const Node& n) {
    const Node& inner = Ungroup(n);
    if (const auto* c = inner.As<Conjunction>()) {
      for (const Node& clause : c->clauses) Flatten(clause);
    } else if (const auto* a = inner.As<Annotated>()) {
      Flatten(a->form.front());
    } else if (inner.As<Call>() || inner.As<Expansion>() || inner.As<Avar>()) {
      members.push_back(&inner);
    }
  }
};

// What a fact carries in a slot is an argument of it as those in its parentheses are: where it is a
// set, each element is an instance (decision 27). The slots of the form's own lvars are theirs.
void Lowering::MatchInstances(const Annotation& of, const OwnSlots& own, Pattern& map) {
  const bool of_rows = std::ranges::all_of(of.members, [](const Node* member) {
    const auto* call = member->As<Call>();
    return call != nullptr && call->ns != Namespace::kGoal;
  });
  if (!of_rows || map.kind != Pattern::Kind::kMap) return;
  Pool& pool = program_.store().pool();
  for (std::size_t i = 0; i + 1 < map.parts.size(); i += 2) {
    const Pattern& key = map.parts[i];
    if (key.kind != Pattern::Kind::kConstant) continue;
    const bool is_name = key.constant.kind() == Kind::kSymbol || key.constant.kind() == Kind::kSlot;
    if (is_name && std::ranges::count(own.names, pool.Slot(pool.TextOf(key.constant))) > 0)
      continue;
    Pattern& value = map.parts[i + 1];
    const bool is_set =
        value.kind == Pattern::Kind::kSet || value.kind == Pattern::Kind::kEach ||
        value.kind == Pattern::Kind::kAny ||
        (value.kind == Pattern::Kind::kConstant && value.constant.kind() == Kind::kSet);
    if (is_set) continue;
    Pattern each;
    each.kind = Pattern::Kind::kEach;
    each.parts.push_back(std::move(value));
    value = std::move(each);
  }
}

void Lowering::BindingsSuffix(const Annotation& of, Pattern pattern, Clauses& out) {
  Metadata m;
  m.rows = WithRows(row_slots_);
  m.own = OwnOf(of.form);
  MatchInstances(of, m.own, pattern);
  m.bindings = true;
  m.pattern = std::move(pattern);
  out.push_back({std::move(m), of.node.span, of.text, of.variables});
}

// A field of `$json`: its trace has {:tool :json} (§14.2), and so has each line that it writes.
void Lowering::ShownField(const Annotation& of, const Node& key, const Node& value, Clauses& out) {
  const auto* keyword = key.As<Keyword>();
  if (keyword == nullptr || keyword->name != "tool") {
    out.push_back({Truth{false}, of.node.span, of.text, of.variables});
    return;
  }
  MatchWith with;
  with.value.term = Pattern::Constant(program_.store().pool().Keyword("json"));
  with.pattern = Term(value, true);
  out.push_back({std::move(with), of.node.span, of.text, of.variables});
}

// Fields of ^ ~ {…}: :bindings is the bindings map; every other field goes to the members
// of the form that mention one of its variables, or to all when it has none (decision 51).
void Lowering::FieldsSuffix(const Annotation& of, const Collection& fields, Clauses& out) {
  for (std::size_t i = 0; i + 1 < fields.items.size(); i += 2) {
    const auto* key = fields.items[i].As<Keyword>();
    if (key != nullptr && key->name == "bindings") {
      BindingsSuffix(of, MetadataPattern(fields.items[i + 1], true), out);
      continue;
    }
    std::vector<std::string> wanted;
    CollectVariables(fields.items[i + 1], wanted);
    for (std::size_t k = 0; k < of.members.size() && k < row_slots_.size(); ++k) {
      const bool mentions = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
        return of.has[k].contains(w);
      });
      if (of.members.size() > 1 && !wanted.empty() && !mentions) continue;
      if (row_slots_[k] == kNoRow) {
        ShownField(of, fields.items[i], fields.items[i + 1], out);
        continue;
      }
      Metadata m;
      m.rows.push_back(row_slots_[k]);
      m.pattern.kind = Pattern::Kind::kMap;
      m.pattern.open = true;
      m.pattern.parts.push_back(Term(fields.items[i], true));
      m.pattern.parts.push_back(Term(fields.items[i + 1], true));
      m.primary = program_.store().pool().Symbol(IsToolOrAvar(*of.members[k]) ? "result" : "doc");
      out.push_back({std::move(m), of.node.span, of.text, of.variables});
    }
  }
}

void Lowering::AnnotatedClause(const Node& node, const Annotated& a, Clauses& out) {
  const Node& form = Ungroup(a.form.front());

  // %goal ^ true, %goal ^ false (§15.5); on other forms they read as the clause and its
  // negation.
  std::vector<const Suffix*> suffixes;
  for (const Suffix& s : a.suffixes) {
    const auto* truth = s.value.front().As<Boolean>();
    if (truth == nullptr || s.bindings || !s.key.empty()) {
      suffixes.push_back(&s);
    } else if (!truth->value) {
      return Tail({Not{{form}}, node.span}, out);
    }
  }
  // ?v = $t(…) ^ …: the suffixes are about the call.
  if (const auto* b = form.As<Binary>(); b != nullptr && b->op == Operator::kEqual &&
                                         b->sides[0].As<Lvar>() &&
                                         IsToolOrAvar(Ungroup(b->sides[1]))) {
    Annotated moved;
    moved.form.push_back(Ungroup(b->sides[1]));
    Suffix result;
    result.key.push_back({Keyword{"result"}, node.span});
    result.value.push_back(b->sides[0]);
    moved.suffixes.push_back(std::move(result));
    for (const Suffix* s : suffixes) moved.suffixes.push_back(*s);
    return AnnotatedClause(node, moved, out);
  }

  const std::vector<SlotId> outer_rows = std::move(row_slots_);
  row_slots_.clear();
  Clauses body;
  Tail(form, body);
  for (Clause& clause : body) {  // every member gets a row reference
    if (const auto* read = clause.As<ReadAvar>()) {
      // With metadata, the avar is a call like any other.
      Atom channel;
      channel.relation = read->channel;
      clause.is = std::move(channel);
    }
    if (SlotId* const row = RowSlotOf(clause)) {
      if (*row < 0) *row = FreshSlot();
      row_slots_.push_back(*row);
    } else if (clause.As<ShowJson>()) {
      row_slots_.push_back(kNoRow);
    }
  }
  const Annotation of(node, form);
  Clauses after;
  for (const Suffix* s : suffixes) {
    const Node& value = s->value.front();
    if (!s->key.empty()) {  // ^:key V, ^name V, ^^ name V: one field
      Collection fields{CollectionKind::kMap, {s->key.front(), value}, {}, false};
      if (!s->bindings) {
        FieldsSuffix(of, fields, after);
        continue;
      }
      BindingsSuffix(of, MetadataPattern({std::move(fields), s->span}, true), after);
      continue;
    }
    if (s->bindings) {
      BindingsSuffix(of, MetadataPattern(value, true), after);
      continue;
    }
    const Node* at = &value;
    if (const auto* m = at->As<Match>()) at = &m->pattern.front();
    const auto* map = at->As<Collection>();
    if (map != nullptr && map->kind == CollectionKind::kMap && map->rest.empty()) {
      FieldsSuffix(of, *map, after);
      continue;
    }
    Aggregate aggregate;
    aggregate.body = body;
    aggregate.rows = WithRows(row_slots_);
    aggregate.own = OwnOf(form);
    aggregate.pattern = Term(value, true);
    Push(after, node, std::move(aggregate));
  }
  MarkKnownFailures(after, program_.store().pool().Keyword("status"));
  for (Clause& clause : body) out.push_back(std::move(clause));
  for (Clause& clause : after) out.push_back(std::move(clause));
  row_slots_ = std::move(outer_rows);
}

}  // namespace rpl
