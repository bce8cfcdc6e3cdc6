// SPDX-License-Identifier: Apache-2.0
//
// A sentence is lowered clause by clause, in written order. Two analyses cover the whole sentence:
// avars that nothing in it supplies become questions, and lvars may stand for a call written in
// the same sentence (`?t = p(_), |#?t|` reads p(_)).
// Terms and expressions are lowered in lower_terms.cc, metadata suffixes in lower_metadata.cc,
// activation clauses in lower_activation.cc.
#include "interp/program/lower.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "grammar/printer.h"
#include "interp/program/builtins.h"
#include "interp/program/rewrite.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

// Whether a set after `~` stands in the pattern, which then matches lists as well (decision 90).
bool ReadsLists(const Pattern& p) {
  return p.lists || std::ranges::any_of(p.parts, ReadsLists) ||
         std::ranges::any_of(p.rest, ReadsLists);
}

// Calls fn(slot) for each slot that the clause supplies with a value. `?v = $x` reads an
// avar, and only `$x = …` of a computed value resolves it (decisions 54, 55).
template <typename Fn>
void ForEachProduct(const Clause& clause, const std::vector<bool>& avar, const Fn& fn) {
  const auto bound = [&](PartUse use, const auto& part) {
    if (use == PartUse::kBinds) ForEachSlot(part, fn);
  };
  ForEachPart(
      clause, [&](PartUse use, const Pattern& p) { bound(use, p); },
      [&](PartUse use, const Expr& e) { bound(use, e); },
      [&](PartUse use, SlotId s) { bound(use, Pattern::Slot(s)); });
  if (const Compare* c = EqualityIn(clause)) {
    const auto side = [&](const Expr& e, const Expr& other, const auto& each) {
      const bool constant =
          other.kind == Expr::Kind::kTerm && other.term.kind == Pattern::Kind::kConstant;
      if (e.kind == Expr::Kind::kTerm && !constant) ForEachSlot(e.term, each);
    };
    side(c->left, c->right, fn);
    side(c->right, c->left, [&](SlotId s) {
      if (!avar[static_cast<std::size_t>(s)]) fn(s);
    });
  }
  const auto all = [&](const Clauses& body, const auto& each) {
    for (const Clause& inner : body) ForEachProduct(inner, avar, std::function<void(SlotId)>(each));
  };
  if (const auto* c = clause.As<First>()) all(c->body, fn);
  if (const auto* c = clause.As<Alternatives>()) {  // slots that every branch supplies
    std::unordered_map<SlotId, std::size_t> branches;
    for (std::size_t i = 0; i < c->branches.size(); ++i)
      all(c->branches[i], [&](SlotId s) {
        std::size_t& has = branches.emplace(s, 0).first->second;
        if (has == i) ++has;
      });
    for (const auto& [slot, has] : branches)
      if (has == c->branches.size()) fn(slot);
  }
}

// Whether the value that the pattern has matched is the one that is built from it.
bool IsBuilt(const Pattern& p) {
  return p.kind != Pattern::Kind::kAny && p.kind != Pattern::Kind::kRegex &&
         p.kind != Pattern::Kind::kEach && !p.open && !p.lists &&
         std::ranges::all_of(p.parts, IsBuilt) && std::ranges::all_of(p.rest, IsBuilt);
}

// The alternatives of a disjunction, and in their places those of alternatives that are
// disjunctions themselves: parentheses alone mean nothing.
void AlternativesOf(const Disjunction& d, std::vector<const Node*>& out) {
  for (const Node& branch : d.branches) {
    const Node& inner = Ungroup(branch);
    if (const auto* nested = inner.As<Disjunction>()) AlternativesOf(*nested, out);
    else out.push_back(&branch);
  }
}

}  // namespace

Space SpaceOf(Namespace ns) {
  switch (ns) {
    case Namespace::kRelation: return Space::kRelation;
    case Namespace::kGoal: return Space::kGoal;
    case Namespace::kTool: return Space::kTool;
  }
  return Space::kRelation;
}

bool IsToolOrAvar(const Node& node) {
  if (node.As<Avar>()) return true;
  const auto* call = node.As<Call>();
  return call != nullptr && call->ns == Namespace::kTool;
}

std::optional<Rule> WithPin(const Rule& rule) {
  if (rule.constraints.size() != 1 || rule.tail.size() != 1) return std::nullopt;
  const auto* form = Ungroup(rule.constraints.front()).As<Call>();
  const auto* clauses = rule.tail.front().As<Conjunction>();
  if (form == nullptr || form->ns != Namespace::kRelation || clauses == nullptr)
    return std::nullopt;
  const Node pinned = clauses->clauses.back();
  const auto* lvar = pinned.As<Lvar>();
  if (lvar == nullptr || lvar->name.empty()) return std::nullopt;
  Rule out = rule;
  auto& left = out.tail.front().As<Conjunction>()->clauses;
  left.pop_back();
  std::vector<std::string> others;
  for (const Node& node : out.heads) CollectVariables(node, others);
  for (const Node& node : left) CollectVariables(node, others);
  if (std::find(others.begin(), others.end(), lvar->name) == others.end()) return std::nullopt;
  if (left.size() == 1) {
    Node only = std::move(left.front());
    out.tail.front() = std::move(only);
  }
  out.constraints.insert(out.constraints.begin(), pinned);
  return out;
}

bool IsFailure(const Rule& rule) {
  if (!rule.heads.empty() || rule.tail.size() != 1) return false;
  if (!rule.abductives.empty() || !rule.constraints.empty()) return false;
  const Node& statement = Ungroup(rule.tail.front());
  const auto* call = statement.As<Call>();
  std::vector<std::string> variables;
  CollectVariables(statement, variables);
  return call != nullptr && call->ns == Namespace::kGoal && call->label == "fail" &&
         variables.empty();
}

void Lowering::Fail(Code code, Span span, std::string message, std::string hint) {
  failed_ = true;
  out_.Add(code, span, std::move(message), std::move(hint));
}

void Lowering::Push(Clauses& out, const Node& node, decltype(Clause::is) is) {
  std::vector<PrintedVariable> variables;
  std::string text = Print(node, variables);
  out.push_back({std::move(is), node.span, std::move(text), Shared(std::move(variables))});
}

void Lowering::CallClause(const Node& node, const Call& call, Clauses& out, SlotId row) {
  if (call.ns == Namespace::kTool && call.label == "json" && call.args.size() == 1) {
    const auto* v = call.args.front().As<Lvar>();
    if (v != nullptr && !v->name.empty()) {
      Push(out, node, ShowJson{SlotOf(v->name, false)});
      return;
    }
  }
  if (call.args.size() > kMaxArity) {
    Fail(Code::kTooLong, node.span,
         "expected at most " + std::to_string(kMaxArity) + " arguments, got " +
             std::to_string(call.args.size()));
    return;
  }
  Atom atom;
  const auto arity =
      call.ns == Namespace::kGoal ? 1u : static_cast<std::uint32_t>(call.args.size());
  atom.relation = program_.store().Declare(SpaceOf(call.ns), call.label, arity);
  atom.row = row;
  for (const Node& arg : call.args) {
    const std::optional<Node> folder = FolderArgument(call, arg);
    atom.args.push_back(Term(folder ? *folder : arg));
    Pattern& p = atom.args.back();
    if (p.kind != Pattern::Kind::kSet) continue;
    if (!p.rest.empty()) atom.whole = true;
    else if (p.parts.size() > 1)
      for (Pattern& part : p.parts)
        if (!IsBuilt(part)) part.slot = FreshSlot();
  }
  if (call.ns == Namespace::kRelation && HasOpenRows(call.label, arity)) {
    atom.args.push_back(Pattern::Constant(StartOf(atom.args.back())));
    atom.relation = program_.store().Declare(SpaceOf(call.ns), call.label, arity + 1);
  }
  if (atom.whole) program_.store().Whole(atom.relation);
  Push(out, node, std::move(atom));
}

// Before an atom over the calls of a host, of which some rows may not be known, the calls that have
// such rows: so what is not known of one call leaves what the clauses say of others decided.
void Lowering::NameCall(const Node& node, const std::string& label, Clauses& out) {
  Atom read = *out.back().As<Atom>();
  if (read.args.front().kind == Pattern::Kind::kConstant) return;
  if (read.args.front().kind == Pattern::Kind::kAny) read.args.front() = Pattern::Slot(FreshSlot());
  Atom acts;
  acts.relation = program_.store().Declare(Space::kRelation, "std#acts", 2);
  acts.args = {
      read.args.front(),
      Pattern::Constant(program_.store().pool().String(label.substr(label.find('#') + 1)))};
  out.back().is = std::move(acts);
  Push(out, node, std::move(read));
}

// What values that match the pattern begin with: a text, a list, or nil.
Value Lowering::StartOf(const Pattern& p) {
  Pool& pool = program_.store().pool();
  if (p.kind == Pattern::Kind::kConstant) return p.constant;
  if (p.kind == Pattern::Kind::kTemplate) return pool.String(p.texts().front());
  if (p.kind != Pattern::Kind::kList) return kNil;
  std::vector<Value> known;
  for (const Pattern& part : p.parts) {
    if (part.kind != Pattern::Kind::kConstant) break;
    known.push_back(part.constant);
  }
  // `["push" & _]` asks for no more than its beginning.
  const bool is_enough = !known.empty() && known.size() == p.parts.size() && p.rest.size() == 1 &&
                         p.rest.front().kind == Pattern::Kind::kAny;
  const Value start = pool.List(known);
  return is_enough ? pool.List({&start, 1}) : start;
}

void Lowering::Tail(const Node& node, Clauses& out) {
  const auto is_false = [&](const Node& goal) {
    GoalIsFalse is;
    Clauses called;
    CallClause(goal, *goal.As<Call>(), called, -1);
    is.goal = *called.front().As<Atom>();
    is.activation = activation_;
    Push(out, node, std::move(is));
  };
  const auto temporal = [&](Temporal::Kind kind, const Nodes& parts) {
    Temporal t{kind, {}};
    for (const Node& part : parts) t.operands.push_back(Compute(part, out));
    Push(out, node, std::move(t));
  };
  Visit(
      node,
      [&](const Conjunction& c) {
        if (out.empty()) out.reserve(c.clauses.size());
        for (const Node& clause : c.clauses) Tail(clause, out);
      },
      [&](const Group& g) { Tail(g.inner.front(), out); },
      [&](const Rule& rule) { NestedRule(rule, out); },
      [&](const Disjunction& d) {
        Alternatives alternatives;
        std::vector<const Node*> branches;
        AlternativesOf(d, branches);
        for (const Node* branch : branches) Tail(*branch, alternatives.branches.emplace_back());
        Push(out, node, std::move(alternatives));
      },
      [&](const Not& n) {
        const Node& inner = Ungroup(n.clause.front());
        const auto* call = inner.As<Call>();
        if (call != nullptr && call->ns == Namespace::kGoal) return is_false(inner);
        Negation negation;
        Tail(n.clause.front(), negation.body);
        Push(out, node, std::move(negation));
      },
      [&](const GoalFalse& g) { is_false(g.goal.front()); },
      [&](const Binary& b) { BinaryClause(node, b, out); },
      [&](const Within& w) { temporal(Temporal::Kind::kWithin, w.parts); },
      [&](const Between& b) { temporal(Temporal::Kind::kBetween, b.parts); },
      [&](const Call& c) {
        CallClause(node, c, out, -1);
        if (c.ns == Namespace::kRelation &&
            HasOpenRows(c.label, static_cast<std::uint32_t>(c.args.size())))
          NameCall(node, c.label, out);
      },
      [&](const Annotated& a) { AnnotatedClause(node, a, out); },
      [&](const Expansion& e) {
        if (const auto form = forms_.find(e.name); form != forms_.end())
          return Tail(*form->second, out);
        Push(out, node, Expand{SlotOf(e.name, false)});
      },
      [&](const Avar& v) {
        const SlotId slot = SlotOf(v.name, true);
        Push(out, node,
             ReadAvar{program_.store().Declare(Space::kAvar, v.name, 0), slot,
                      QuestionFor(v.name, "$" + v.name)});
      },
      [&](const Lvar& v) {
        // A prose term (§17.4), or a variable that asserts nothing by itself.
        if (!v.name.empty()) SlotOf(v.name, false);
        if (heading_.signature && !v.name.empty())
          Push(out, node,
               ReadAvar{program_.store().Declare(Space::kAvar, v.name, 0), SlotOf(v.name, false),
                        QuestionFor(v.name, "$" + v.name)});
        else Push(out, node, Truth{true});
      },
      [&](const Boolean& t) { Push(out, node, Truth{t.value}); },
      [&](const Among<Count, Collection, Match> auto&) {
        Fail(Code::kSyntaxError, node.span,
             "expected a clause, got the value `" + Print(node) + "`",
             "compare it: `?x = " + Print(node) + "`");
      },
      [&](const Nil&) { Push(out, node, Truth{false}); },
      [&](const Among<String, Template, Number, Keyword, Symbol, Regex, Now> auto&) {
        Push(out, node, Truth{true});
      });
}

// (HEAD <- TAIL) as a clause: both heads hold for each answer of the inner tail (decision 37), so
// the inner tail is part of this one, and the inner head is a rule of its own, made by Program. The
// parser refuses `;` and `->` there.
void Lowering::NestedRule(const Rule& rule, Clauses& out) {
  for (const Node& tail : rule.tail) Tail(tail, out);
}

void Lowering::BinaryClause(const Node& node, const Binary& b, Clauses& out) {
  const Node& left = Ungroup(b.sides[0]);
  const Node& right = Ungroup(b.sides[1]);
  switch (b.op) {
    case Operator::kBefore:
    case Operator::kAfter: {
      Temporal t{b.op == Operator::kBefore ? Temporal::Kind::kBefore : Temporal::Kind::kAfter, {}};
      t.operands.push_back(Compute(left, out));
      t.operands.push_back(Compute(right, out));
      Push(out, node, std::move(t));
      return;
    }
    case Operator::kIn:
    case Operator::kNotIn: {
      Member m;
      m.element = Compute(left, out);
      m.collection = Compute(right, out);
      m.negated = b.op == Operator::kNotIn;
      Push(out, node, std::move(m));
      return;
    }
    case Operator::kEqual: {
      const auto* v = left.As<Lvar>();
      if (v != nullptr && right.As<Call>() && IsToolOrAvar(right)) {  // async bind sugar (§13.3)
        Annotated sugar;
        sugar.form.push_back(right);
        Suffix suffix;
        suffix.key.push_back({Keyword{"result"}, node.span});
        suffix.value.push_back(left);
        suffix.span = node.span;
        sugar.suffixes.push_back(std::move(suffix));
        AnnotatedClause(node, sugar, out);
        return;
      }
      const auto match = [&](const Node& value, const Match& m) {
        MatchWith with;
        with.value = Compute(value, out);
        with.pattern = Term(m.pattern.front(), true);
        Push(out, node, std::move(with));
      };
      if (const auto* m = right.As<Match>()) return match(left, *m);
      if (const auto* m = left.As<Match>()) return match(right, *m);
      break;
    }
    case Operator::kNotEqual:
    case Operator::kLess:
    case Operator::kGreater:
    case Operator::kLessEqual:
    case Operator::kGreaterEqual: break;
    default:
      Fail(Code::kSyntaxError, node.span, "expected a clause, got the value `" + Print(node) + "`",
           "compare it: `?x = " + Print(node) + "`");
      return;
  }
  Compare compare{b.op, {}, {}};
  compare.left = Compute(left, out);
  compare.right = Compute(right, out);
  // A set after `~` equals more than one value, so `!=` says that none of them does.
  if (b.op == Operator::kNotEqual &&
      (ReadsLists(compare.left.term) || ReadsLists(compare.right.term))) {
    compare.op = Operator::kEqual;
    Negation none;
    Push(none.body, node, std::move(compare));
    Push(out, node, std::move(none));
    return;
  }
  Push(out, node, std::move(compare));
}

int Lowering::QuestionFor(const std::string& name, const std::string& subject) {
  ArgumentQuestion q;
  q.name = name;
  q.subject = subject;
  if (heading_.words == nullptr) q.prompt = SharedText(name);
  else if (prompt_.str().empty()) q.prompt = prompt_ = SharedText(heading_.words->text);
  else q.prompt = prompt_;
  q.words = heading_.words;
  const auto options = Options().rbegin();
  if (options != options_.rend()) q.options = options->second;
  else if (!heading_.offers.empty()) q.offers = heading_.prefix + heading_.offers.back();
  program_.questions_.push_back(std::move(q));
  return static_cast<int>(program_.questions_.size()) - 1;
}

// The unary relations, of those declared by now, that spans of the heading name.
const std::map<std::size_t, RelationId>& Lowering::Options() {
  if (heading_.offers.empty()) return options_;
  const Store& store = program_.store();
  const auto take = [&](std::size_t span, RelationId relation) {
    if (relation != kNoId) options_[span] = relation;
  };
  if (spans_.empty()) {
    for (std::size_t i = 0; i < heading_.offers.size(); ++i) {
      spans_[heading_.offers[i]] = i;
      take(i, store.Find(Space::kRelation, heading_.prefix + heading_.offers[i], 1));
    }
    related_ = store.size();
  }
  for (; related_ < store.size(); ++related_) {
    const Relation& r = store.at(static_cast<RelationId>(related_));
    if (r.space() != Space::kRelation || r.arity() != 1) continue;
    std::string_view label = store.pool().TextOf(r.label());
    if (!label.starts_with(heading_.prefix)) continue;
    label.remove_prefix(heading_.prefix.size());
    const auto span = spans_.find(label);
    if (span != spans_.end()) take(span->second, static_cast<RelationId>(related_));
  }
  return options_;
}

// An avar that nothing supplies is read from outside (§18.4.5): before the first clause
// that mentions it, or last when only the head does. One in an argument position of a
// relation is matched like a variable first (decision 53), and one that only a variable is
// equated with is read last, unless that variable resolves it (decisions 54, 55). So is an
// argument of a heading, or a span of its prose, that the plan finds bound by nothing.
//
// An avar of a branch of a disjunction alone is read there.
void Lowering::ReadAvars(Clauses& body, const std::vector<Pattern>& head) {
  if (!heading_.signature && std::find(avar_.begin(), avar_.end(), true) == avar_.end()) return;
  std::vector<bool> dealt_with(names_.size());
  ReadAvars(body, head, dealt_with);
}

void Lowering::ReadAvars(Clauses& body, const std::vector<Pattern>& head,
                         std::vector<bool>& dealt_with) {
  constexpr std::size_t kNoClause = static_cast<std::size_t>(-1);
  struct Use {
    bool supplied = false;          // by another clause than one that reads it
    bool read = false;              // by a clause of its own
    bool resolved = false;          // by an equality with a variable, if that is bound
    bool in_head = false;           // as an argument
    bool in_one = true;             // no two clauses mention it
    std::size_t first = kNoClause;  // clause that mentions it
    std::size_t atom = kNoClause;   // the first that has it as an argument
  };
  std::map<SlotId, Use> uses;
  for (const Pattern& p : head)
    if (p.kind == Pattern::Kind::kSlot) uses[p.slot].in_head = true;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool reads = body[i].As<ReadAvar>() != nullptr;
    const SlotId resolved = ResolvedIn(body[i]);
    ForEachProduct(body[i], avar_, [&](SlotId s) {
      if (s == resolved) uses[s].resolved = true;
      else (reads ? uses[s].read : uses[s].supplied) = true;
    });
    ForEachSlot(body[i], [&](SlotId s) {
      Use& use = uses[s];
      if (use.first == kNoClause) use.first = i;
      use.in_one = use.in_one && use.first == i;
    });
    if (const auto* atom = body[i].As<Atom>())
      for (const Pattern& p : atom->args)
        if (p.kind == Pattern::Kind::kSlot) uses[p.slot].atom = std::min(uses[p.slot].atom, i);
  }
  const auto clause_reading = [&](SlotId slot, Span span, bool last) {
    const auto s = static_cast<std::size_t>(slot);
    ReadAvar read = {program_.store().Declare(Space::kAvar, names_[s], 0), slot,
                     QuestionFor(names_[s], "$" + names_[s]), last};
    const Node variable = avar_[s] ? Node{Avar{names_[s]}, span} : Node{Lvar{names_[s]}, span};
    Clauses made;
    Push(made, variable, std::move(read));
    return std::move(made.front());
  };
  std::vector<std::pair<std::size_t, Clause>> added;  // before which clause
  Clauses last;
  for (const auto& [slot, use] : uses) {
    const auto s = static_cast<std::size_t>(slot);
    if (dealt_with[s]) continue;
    const bool nowhere = use.first == kNoClause;
    if (avar_[s] && !use.in_head && use.in_one && body[use.first].As<Alternatives>()) continue;
    dealt_with[s] = true;
    const Span span = nowhere ? Span{} : body[use.first].span;
    if (use.supplied || use.read) {  // an atom that alone can supply an avar asks for it
      if (avar_[s] && use.atom != kNoClause) body[use.atom].As<Atom>()->avars.push_back(slot);
    } else if (avar_[s] && !use.resolved) {
      added.emplace_back(std::min(use.first, body.size()), clause_reading(slot, span, false));
    } else if (avar_[s] || (heading_.signature && use.in_head && names_[s] != kAnyInput)) {
      last.push_back(clause_reading(slot, span, true));
    }
  }
  for (Clause& clause : body)
    if (auto* alternatives = clause.As<Alternatives>())
      for (Clauses& branch : alternatives->branches) ReadAvars(branch, {}, dealt_with);
  std::stable_sort(added.begin(), added.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Clauses out;
  auto next = added.begin();
  for (std::size_t i = 0; i <= body.size(); ++i) {
    for (; next != added.end() && next->first == i; ++next) out.push_back(std::move(next->second));
    if (i == body.size()) break;
    auto* read = body[i].As<ReadAvar>();
    if (read != nullptr && !avar_[static_cast<std::size_t>(read->slot)]) {  // a prose term
      read->last = true;
      last.push_back(std::move(body[i]));
      continue;
    }
    out.push_back(std::move(body[i]));
  }
  out.insert(out.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  body = std::move(out);
}

// The avar of `$x = ?v`: a value of ?v resolves it. -1 for another clause.
SlotId Lowering::ResolvedIn(const Clause& clause) const {
  const Compare* c = EqualityIn(clause);
  if (c == nullptr) return -1;
  const auto slot_of = [](const Expr& e) {
    return e.kind == Expr::Kind::kTerm && e.term.kind == Pattern::Kind::kSlot ? e.term.slot : -1;
  };
  const SlotId left = slot_of(c->left);
  const SlotId right = slot_of(c->right);
  if (left < 0 || right < 0 || !avar_[static_cast<std::size_t>(left)]) return -1;
  const auto other = static_cast<std::size_t>(right);
  return avar_[other] || names_[other].empty() ? -1 : left;
}

}  // namespace rpl
