// SPDX-License-Identifier: Apache-2.0
//
// Findings about variables that are never bound or occur only once.
//
// The planner decides boundness: each rule is planned with its arguments bound, each constraint
// with nothing bound, and a plan that ends in a kStuck step names the lvar it waits for. The lvar
// is then located in the author's text.
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "grammar/abductives.h"
#include "interp/lint/context.h"
#include "interp/plan/analysis.h"
#include "interp/plan/plain_rule.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl::check {
namespace {

struct Culprit {
  std::string variable;  // with its mark
  const Clause* clause = nullptr;
  bool shared_not = false;
};

// The first of `clauses` and those below them with each text.
std::unordered_map<std::string_view, const Clause*> ByText(
    const std::vector<const Clause*>& clauses) {
  std::unordered_map<std::string_view, const Clause*> out;
  const auto add = [&](const Clause& c) { out.emplace(c.text, &c); };
  for (const Clause* c : clauses) {
    add(*c);
    ForEachBody(*c, [&](const Clauses& body) { ForEachClause(body, add); });
  }
  return out;
}

// The reasons why `plan` is stuck, one per lvar. The waiting clause is the one whose text the
// problem quotes.
std::vector<Culprit> CulpritsOf(const Plan& plan, const std::vector<const Clause*>& clauses) {
  std::vector<Culprit> out;
  std::unordered_set<std::string> known;
  std::unordered_map<std::string_view, const Clause*> by_text;  // made for the first culprit
  for (const Step& step : plan.steps) {
    if (step.kind != Step::Kind::kStuck || step.too_large || step.problem.empty()) continue;
    if (step.problem[0] != '?' && step.problem[0] != '$') continue;
    Culprit c;
    c.variable = step.problem.substr(0, step.problem.find(' '));
    if (!known.insert(c.variable).second) continue;
    if (by_text.empty()) by_text = ByText(clauses);
    constexpr std::string_view kIn = " is never bound in `";
    if (const std::size_t at = step.problem.find(kIn); at != std::string::npos) {
      const std::size_t begin = at + kIn.size();
      const auto clause = by_text.find(
          std::string_view(step.problem).substr(begin, step.problem.size() - begin - 1));
      if (clause != by_text.end()) c.clause = clause->second;
    }
    if (c.clause == nullptr) c.clause = step.clause;
    c.shared_not = c.clause != nullptr && c.clause->As<Negation>() != nullptr;
    out.push_back(std::move(c));
  }
  return out;
}

// The occurrences of each variable of a sentence, names of regex groups included.
void Count(const Node& node, std::unordered_map<std::string, int>& counts) {
  ForEachOwnName(node, [&](const std::string& name) { ++counts[name]; });
  ForEachChild(node, [&](const Node& child) { Count(child, counts); });
}

// Variables of forms whose bindings are read as a map: `^^ ?b`, `^ ?m` (§11). Their names are
// visible in the map, so `_` would change the meaning.
void Shown(const Node& node, std::unordered_set<std::string>& out) {
  if (const auto* a = node.As<Annotated>())
    for (const Suffix& s : a->suffixes) {
      if (!s.bindings && (!s.key.empty() || !s.value.front().As<Lvar>())) continue;
      std::vector<std::string> names;
      CollectVariables(a->form.front(), names);
      out.insert(names.begin(), names.end());
    }
  ForEachChild(node, [&](const Node& child) { Shown(child, out); });
}

std::unordered_map<std::string, int> CountsOf(const Rule& rule) {
  std::unordered_map<std::string, int> counts;
  ForEachChild(rule, [&](const Node& n) { Count(n, counts); });
  return counts;
}

class Variables {
 public:
  explicit Variables(Context& context)
      : context_(context), planner_(context.engine.analysis, context.engine.store, Mode::kSolve) {}

  void Run() {
    for (std::size_t i = 0; i < context_.parts.size(); ++i) {
      const Part& part = context_.parts[i];
      if (!part.checked) continue;
      const Span span = part.role == Role::kSignature ? part.section().span : part.sentence->span;
      parts_by_place_[Place(span)].push_back(i);
      sentences_.emplace(Place(part.sentence->span), i);
      if (part.role == Role::kOwn) joined_[&part.section()].push_back(i);
      for (const int target : part.targets)
        joined_[&part.document->scopes[static_cast<std::size_t>(target)]].push_back(i);
    }
    FindCalledGoalsAndTools();
    DropFalseHeads();
    for (const Definition& def : context_.engine.program.definitions()) Bound(def);
    for (const Definition& def : context_.engine.program.definitions()) OnlyDenied(def);
    for (const Constraint& c : context_.engine.program.constraints()) Grounds(c);
    for (const OpenCall& call : open_calls_)
      if (call.def->head != kNoId &&
          !context_.engine.analysis.RestOnEachOther(call.relation, call.def->head))
        broken_.insert(call.def->head);
    SpreadBroken();
    for (const OpenCall& call : open_calls_) Inputs(call);
    Singletons();
  }

 private:
  /// A call of a relation that needs an argument from its caller (decision 38), and gets none.
  struct OpenCall {
    const Definition* def;
    const Clause* clause;
    const Atom* atom;  // which the clause is
    RelationId relation;
    Columns open;  // the missing arguments
  };

  static std::uint64_t Place(Span span) { return std::uint64_t{span.file} << 32 | span.begin; }

  void FindCalledGoalsAndTools() {
    std::unordered_set<RelationId> here;
    const auto walk = [&](const Clauses& clauses) {
      ForEachAtom(clauses, [&](const Atom& atom) {
        read_.insert(atom.relation);
        const Space space = context_.engine.store.at(atom.relation).space();
        if (space == Space::kGoal && atom.rule < 0) called_.insert(atom.relation);
        if (space == Space::kTool) here.insert(atom.relation);
      });
    };
    for (const Definition& def : context_.engine.program.definitions()) {
      here.clear();
      walk(def.activation);
      walk(def.body);
      for (const RelationId relation : here) ++readers_[relation];
    }
    for (const Constraint& c : context_.engine.program.constraints()) {
      walk(c.left);
      walk(c.right);
    }
  }

  // `$t(?x)` has the replies to the calls that other rules make (§13).
  bool ReadsReplies(const Culprit& c) const {
    const auto* atom = c.clause == nullptr ? nullptr : c.clause->As<Atom>();
    if (atom == nullptr || context_.engine.store.at(atom->relation).space() != Space::kTool)
      return false;
    const auto readers = readers_.find(atom->relation);
    return readers != readers_.end() && readers->second > 1;
  }

  // --- Never bound --------------------------------------------------------------------------

  void Bound(const Definition& def) {
    if (!context_.checked_files.contains(def.span.file)) return;
    if (IsPlain(def, context_.engine.analysis, context_.engine.store)) return;
    std::vector<bool> bound(def.slots.size());
    const bool goal =
        def.head != kNoId && context_.engine.store.at(def.head).space() == Space::kGoal;
    const bool given = !goal || called_.contains(def.head);
    for (std::size_t i = 0; i < def.args.size() && given; ++i)
      if (std::find(def.gathered.begin(), def.gathered.end(), i) == def.gathered.end())
        ForEachSlot(def.args[i], [&](SlotId s) { bound[static_cast<std::size_t>(s)] = true; });
    if (def.head_expansion >= 0) bound[static_cast<std::size_t>(def.head_expansion)] = true;
    const std::vector<const Clause*> clauses = ClausesOf(def);
    std::vector<bool> wanted = HeadSlots(def);
    std::unique_ptr<Plan> plan = planner_.Make(clauses, bound, wanted, def.slots, def.avar);
    const std::size_t open_before = open_calls_.size();
    for (const Step& step : plan->steps) NoteOpenCall(step, def);
    const std::vector<Culprit> culprits = CulpritsOf(*plan, clauses);
    std::unordered_set<std::string> mentioned;
    if (!culprits.empty()) mentioned = MentionedIn(def);
    for (const Culprit& c : culprits) {
      if (c.clause == nullptr) {
        // The head of a goal or an aggregate head; a plain head is RPL2001's business.
        if (!mentioned.contains(c.variable)) continue;
      }
      if (ReadsReplies(c)) continue;
      Report(c, def.span);
      broken_.insert(def.head);
    }
    if (open_calls_.size() > open_before) plans_.push_back(std::move(plan));
  }

  // `free(?seat) <- not taken(?seat)`, which no rule calls: a caller would have to give ?seat.
  void OnlyDenied(const Definition& def) {
    if (!context_.checked_files.contains(def.span.file) || def.head == kNoId) return;
    if (context_.engine.store.at(def.head).space() != Space::kRelation) return;
    if (read_.contains(def.head) || broken_.contains(def.head)) return;
    if (IsPlain(def, context_.engine.analysis, context_.engine.store)) return;
    const std::vector<const Clause*> clauses = ClausesOf(def);
    const std::vector<bool> nothing(def.slots.size());
    const std::unique_ptr<Plan> plan =
        planner_.Make(clauses, nothing, HeadSlots(def), def.slots, def.avar);
    for (const Culprit& c : CulpritsOf(*plan, clauses)) {
      if (!c.shared_not) continue;
      BlameAll(c, def.span);
      context_.Add(Code::kUnboundForSome, PlaceOf(c, def.span, c.variable.substr(1)),
                   c.variable + " stands in the head and in this `not`, and nothing binds it",
                   "a `not` only tests: bind " + c.variable + " in a clause before it");
      return;
    }
  }

  void NoteOpenCall(const Step& step, const Definition& def) {
    if (step.kind != Step::Kind::kAtom || step.access != Access::kTable || step.all_bound) return;
    const Columns open = context_.engine.analysis.ModesOf(step.relation).Missing(step.probe);
    if (open != 0) open_calls_.push_back({&def, step.clause, step.atom, step.relation, open});
  }

  // Users of a relation with a finding of its own may lack inputs only for that reason.
  void SpreadBroken() {
    if (broken_.empty()) return;
    std::unordered_map<RelationId, std::vector<RelationId>> readers;
    for (const Definition& def : context_.engine.program.definitions())
      ForEachAtom(def.body, [&](const Atom& atom) { readers[atom.relation].push_back(def.head); });
    std::vector<RelationId> work(broken_.begin(), broken_.end());
    while (!work.empty()) {
      const RelationId at = work.back();
      work.pop_back();
      for (const RelationId reader : readers[at])
        if (broken_.insert(reader).second) work.push_back(reader);
    }
  }

  void Inputs(const OpenCall& call) {
    if (unbound_heads_.contains(call.relation) || broken_.contains(call.relation))
      return;  // the cause has its own finding
    const Definition& def = *call.def;
    const std::vector<Pattern>& args = call.atom->args;
    if (context_.engine.analysis.ModesOf(call.relation).modes().size() > 1)
      return Alternatives(call);
    for (std::size_t i = 0; i < args.size(); ++i) {
      if ((call.open >> i & 1) == 0) continue;
      if (args[i].kind == Pattern::Kind::kAny) return AnyInput(call, i);
      if (args[i].kind != Pattern::Kind::kSlot) continue;
      const auto slot = static_cast<std::size_t>(args[i].slot);
      const std::string& name = def.slots[slot];
      if (!name.empty() && !def.avar[slot])
        return Report({"?" + name, call.clause, false}, def.span, call.relation);
    }
  }

  // Whether a relation has rows without the arguments that some of its rules need.
  bool HasOtherRows(RelationId relation) const {
    return relation != kNoId &&
           (context_.stated.contains(relation) || context_.given_relations.contains(relation) ||
            context_.engine.analysis.IsDerived(relation) ||
            context_.engine.analysis.HasInputFreeRows(relation, 0));
  }

  // `relation`: the one whose rules need it; kNoId where that is an operator.
  void NeverBound(Span place, const std::string& what, const std::string& hint,
                  RelationId relation) {
    if (HasOtherRows(relation))
      context_.Add(Code::kUnboundForSome, place, what + "; only rows that do not need it are found",
                   hint);
    else context_.Add(Code::kNeverBound, place, what, hint);
  }

  // `same(?x, ?y)`, where `same(?x, ?y) <- ?x = ?y` has to be given one of the two (decision 87).
  void Alternatives(const OpenCall& call) {
    const Span place = call.clause->span;
    if (!reported_.insert(std::to_string(place.file) + ":" + std::to_string(place.begin)).second)
      return;
    const std::vector<Pattern>& args = call.atom->args;
    const auto argument = [&](std::size_t i) {
      const std::string name = args[i].kind == Pattern::Kind::kSlot
                                   ? call.def->slots[static_cast<std::size_t>(args[i].slot)]
                                   : "";
      return name.empty() ? "argument " + std::to_string(i + 1) : "?" + name;
    };
    const std::string needs = context_.engine.analysis.ModesOf(call.relation).Text(argument);
    NeverBound(place, "`" + call.clause->text + "` needs " + needs,
               "bind what it needs in another clause of the rule", call.relation);
  }

  // `big(_)`, where `big(?x) <- ?x > 3` has to be given a value.
  void AnyInput(const OpenCall& open, std::size_t argument) {
    const Span clause = open.clause->span;
    const Node* found = nullptr;
    const std::function<void(const Node&)> look = [&](const Node& n) {
      const auto* call = n.As<Call>();
      if (found == nullptr && call != nullptr && n.span == clause && argument < call->args.size())
        found = &n;
      ForEachChild(n, look);
    };
    auto after = sentences_.upper_bound(Place(clause));
    if (after == sentences_.begin()) return;
    ForEachChild(context_.parts[(--after)->second].rule(), look);
    if (found == nullptr) return;
    const Call& call = *found->As<Call>();
    const Span place = call.args[argument].span;
    if (!reported_.insert(std::to_string(place.file) + ":" + std::to_string(place.begin)).second)
      return;
    NeverBound(place, "`" + NameOf(call) + "` needs a value here",
               "write a variable, and bind it in another clause of the rule", open.atom->relation);
  }

  // The variables of the clauses, with their mark.
  static std::unordered_set<std::string> MentionedIn(const Definition& def) {
    std::vector<bool> seen(def.slots.size());
    for (const Clause* clause : ClausesOf(def)) CollectSlots(*clause, seen);
    std::unordered_set<std::string> out;
    for (std::size_t s = 0; s < def.slots.size(); ++s)
      if (seen[s]) out.insert("?" + def.slots[s]);
    return out;
  }

  void Report(const Culprit& c, Span sentence, RelationId relation = kNoId) {
    const std::string name = c.variable.substr(1);
    const Span place = PlaceOf(c, sentence, name);
    if (!reported_.insert(std::to_string(place.file) + ":" + std::to_string(place.begin)).second)
      return;
    BlameAll(c, sentence);
    if (c.shared_not)
      context_.Add(Code::kUnboundInNot, place,
                   c.variable + " is shared with this `not`, and nothing binds it",
                   "bind it in a clause of its own, or write `_` where any value will do");
    else
      NeverBound(place, c.variable + " is used here, and nothing binds it",
                 "bind it in another clause of the rule", relation);
  }

  // --- Places of variables ------------------------------------------------------------------

  // The text of one sentence or, for a heading, of the sentences that join it, too.
  struct Text {
    std::vector<Span> sentences;                                   // in order
    std::unordered_set<std::uint64_t> nodes;                       // begin and end of each
    std::unordered_map<std::string, std::vector<Span>> variables;  // in order
    std::vector<std::pair<Span, std::string>> all;                 // of them, in order
  };

  // The variables of a clause that waits get no second finding for standing alone in it.
  void BlameAll(const Culprit& c, Span sentence) {
    context_.Blame(sentence, c.variable.substr(1));
    if (c.clause == nullptr) return;
    const Span clause = c.clause->span;
    const Text& text = TextOf(sentence);
    auto holder = std::upper_bound(text.sentences.begin(), text.sentences.end(), clause.begin,
                                   [](std::uint32_t begin, Span s) { return begin < s.begin; });
    if (holder == text.sentences.begin()) return;
    --holder;
    auto at = std::lower_bound(text.all.begin(), text.all.end(), clause.begin,
                               [](const auto& v, std::uint32_t to) { return v.first.begin < to; });
    for (; at != text.all.end() && at->first.end <= clause.end; ++at)
      context_.Blame(*holder, at->second);
  }

  // The place of the variable in the clause, in the author's text.
  Span PlaceOf(const Culprit& c, Span sentence, const std::string& name) {
    const Span wanted = c.clause != nullptr ? c.clause->span : sentence;
    const Span fallback = wanted.end == 0 ? sentence : wanted;
    const Text& text = TextOf(sentence);
    const auto at = text.variables.find(name);
    if (text.nodes.contains(Range(wanted))) {
      if (at == text.variables.end()) return wanted;
      const Span first = FirstFrom(at->second, wanted.begin);
      return first.end <= wanted.end && first.end != 0 ? first : wanted;
    }
    if (at == text.variables.end()) return fallback;
    // Anywhere in the sentence itself, or else in the one that holds the clause.
    const Span first = at->second.front();
    if (first.end <= text.sentences.front().end) return first;
    auto holder = std::upper_bound(text.sentences.begin(), text.sentences.end(), wanted.begin,
                                   [](std::uint32_t begin, Span s) { return begin < s.begin; });
    if (holder == text.sentences.begin()) return fallback;
    --holder;
    const Span inside = FirstFrom(at->second, holder->begin);
    return inside.end != 0 && inside.end <= holder->end ? inside : fallback;
  }

  const Text& TextOf(Span sentence) {
    if (text_of_ == sentence) return text_;
    text_of_ = sentence;
    text_ = Text();
    const auto at = parts_by_place_.find(Place(sentence));
    if (at == parts_by_place_.end()) return text_;
    for (const std::size_t i : at->second) {
      const Part& part = context_.parts[i];
      AddText(part);
      if (part.role != Role::kSignature) continue;
      for (const std::size_t k : joined_[&part.section()]) AddText(context_.parts[k]);
    }
    return text_;
  }

  void AddText(const Part& part) {
    text_.sentences.push_back(part.sentence->span);
    const std::function<void(const Node&)> add = [&](const Node& n) {
      text_.nodes.insert(Range(n.span));
      const auto* v = n.As<Lvar>();
      const auto* a = n.As<Avar>();
      const auto* e = n.As<Expansion>();
      if (v || a || e) AddVariable(v ? v->name : a ? a->name : e->name, n.span);
      if (const auto* t = n.As<Template>()) AddHoles(*t, n.span);
      ForEachChild(n, add);
    };
    ForEachChild(part.rule(), add);
  }

  void AddVariable(const std::string& name, Span span) {
    text_.variables[name].push_back(span);
    text_.all.emplace_back(span, name);
  }

  void AddHoles(const Template& t, Span span) {
    const std::string_view text = context_.sources.Text(span);
    std::size_t at = 0;
    for (const std::string& hole : t.holes) {
      at = text.find("{" + (hole.empty() ? "_" : "?" + hole) + "}", at);
      if (at == std::string_view::npos) return;
      const auto begin = span.begin + static_cast<std::uint32_t>(++at);
      if (!hole.empty())
        AddVariable(hole, {span.file, begin, begin + static_cast<std::uint32_t>(hole.size() + 1)});
    }
  }

  static std::uint64_t Range(Span span) { return std::uint64_t{span.begin} << 32 | span.end; }

  // The first of `spans`, which are in order, at or behind `begin`; or an empty one.
  static Span FirstFrom(const std::vector<Span>& spans, std::uint32_t begin) {
    const auto at = std::lower_bound(spans.begin(), spans.end(), begin,
                                     [](Span s, std::uint32_t to) { return s.begin < to; });
    return at == spans.end() ? Span{} : *at;
  }

  // A constraint that forbids calls reads them, and makes none: they bind their arguments.
  const Clauses& LeftOf(const Constraint& c) const {
    if (c.guards)
      for (const CallGuard& guard : context_.engine.program.guards())
        if (guard.constraint == c.number) return guard.readings.front().form.left;
    return c.left;
  }

  // A constraint has no caller, so what its left side leaves open is open in every case (decision
  // 94).
  bool NoteOpenCalls(const Plan& plan, const Constraint& c) {
    Definition left;
    left.slots = c.slots;
    left.avar = c.avar;
    left.span = c.span;
    lefts_.push_back(std::move(left));
    const std::size_t before = open_calls_.size();
    for (const Step& step : plan.steps) NoteOpenCall(step, lefts_.back());
    if (open_calls_.size() > before) return true;
    lefts_.pop_back();
    return false;
  }

  void Grounds(const Constraint& c) {
    if (!context_.checked_files.contains(c.span.file)) return;
    if (context_.IsBlamed(c.span, "*")) return;  // a lone call that asserts nothing
    const std::vector<const Clause*> left = PointersTo(LeftOf(c)), right = PointersTo(c.right);
    std::vector<bool> bound(c.slots.size());
    const std::vector<bool> nothing(c.slots.size());
    // Some clauses of culprits are the plan's own.
    std::unique_ptr<Plan> plan = planner_.Make(left, bound, nothing, c.slots, c.avar);
    const bool open = NoteOpenCalls(*plan, c);
    std::vector<Culprit> culprits = CulpritsOf(*plan, left);
    if (open) plans_.push_back(std::move(plan));
    if (culprits.empty() && !right.empty()) {
      for (const Clause* clause : left) CollectSlots(*clause, bound);
      plan = planner_.Make(right, bound, nothing, c.slots, c.avar);
      culprits = CulpritsOf(*plan, right);
    }
    if (culprits.empty()) return;
    if (culprits.front().shared_not) return Report(culprits.front(), c.span);
    const Culprit& first = culprits.front();
    BlameAll(first, c.span);
    context_.Add(Code::kNeverGrounds, PlaceOf(first, c.span, first.variable.substr(1)),
                 "this constraint can never be checked: nothing binds " + first.variable,
                 "bind it in another clause");
  }

  // --- Heads and singletons -------------------------------------------------------------------

  // Lowering ignores names of regex groups when it reports unbound heads.
  void DropFalseHeads() {
    const auto is_unbound_head = [](const Finding& f) {
      return f.diagnostic.code == Code::kUnboundHead;
    };
    if (std::ranges::none_of(context_.findings, is_unbound_head)) return;
    std::unordered_map<std::uint64_t, const Part*> by_head;
    for (const Part& part : context_.parts)
      for (const Node& head : part.rule().heads) by_head.emplace(Place(head.span), &part);
    std::erase_if(context_.findings, [&](const Finding& f) {
      if (!is_unbound_head(f)) return false;
      const Diagnostic& d = f.diagnostic;
      const auto at = by_head.find(Place(d.span));
      if (at == by_head.end()) return false;
      const std::unordered_map<std::string, int> counts = CountsOf(at->second->rule());
      const auto count = counts.find(d.name.substr(1));
      if (count != counts.end() && count->second > 1) return true;
      context_.Blame(at->second->sentence->span, d.name.substr(1));
      return false;
    });
    for (Finding& f : context_.findings) {
      if (!is_unbound_head(f)) continue;
      Diagnostic& d = f.diagnostic;
      const auto at = by_head.find(Place(d.span));
      if (at == by_head.end()) continue;
      for (const Node& head : at->second->rule().heads) {
        if (head.span != d.span) continue;
        if (const auto* call = head.As<Call>())
          unbound_heads_.insert(context_.engine.store.Find(
              Space::kRelation, call->label, static_cast<std::uint32_t>(call->args.size())));
        d.span = SpanOfVariable(context_.sources, head, d.name.substr(1));
        break;
      }
    }
  }

  // A variable that occurs once in a rule matches any value. Sentences of a section share the
  // heading's variables, those of prose are named for the reader, and so are the arguments of a
  // heading.
  void Singletons() {
    std::unordered_map<const Scope*, std::unordered_map<std::string, int>> shared;
    for (const Part& part : context_.parts) {
      if (part.role == Role::kSignature || part.role == Role::kOwn) {
        for (const auto& [name, n] : CountsOf(part.rule())) shared[&part.section()][name] += n;
      }
      if (part.role == Role::kConjoined)
        for (const int target : part.targets)
          for (const auto& [name, n] : CountsOf(part.rule()))
            shared[&part.document->scopes[static_cast<std::size_t>(target)]][name] += n;
    }
    for (const Document& document : context_.documents)
      for (const Prose& prose : document.prose)
        for (int at = prose.scope; at >= 0;
             at = document.scopes[static_cast<std::size_t>(at)].parent)
          for (const ProseSpan& span : prose.spans)
            shared[&document.scopes[static_cast<std::size_t>(at)]][span.name] += 1;
    for (const Part& part : context_.parts) {
      if (!part.checked || part.role == Role::kAssertion) continue;
      const Rule& rule = part.rule();
      // A lone call that asserts nothing has its own finding.
      if (part.role == Role::kObligation && rule.tail.size() == 1 &&
          Ungroup(rule.tail.front()).As<Conjunction>() == nullptr)
        continue;
      std::unordered_map<std::string, int> counts = CountsOf(rule);
      const auto* head = rule.heads.empty() ? nullptr : rule.heads.front().As<Call>();
      const bool of_root = head != nullptr && head->ns == Namespace::kGoal && head->label.empty();
      // A name beside no other one misspells none: it says what the column is. Of a root goal its
      // values may be wanted.
      const bool alone = std::count_if(counts.begin(), counts.end(),
                                       [](const auto& name) { return !name.first.empty(); }) < 2;
      if (alone && !of_root && part.role != Role::kOwn && part.role != Role::kConjoined) continue;
      std::unordered_set<std::string> shown;
      if (part.role == Role::kSignature) {
        std::vector<std::string> arguments;
        for (const Node& h : rule.heads) CollectVariables(h, arguments);
        shown.insert(arguments.begin(), arguments.end());
      }
      ForEachChild(rule, [&](const Node& n) { Shown(n, shown); });
      for (const Abductive& a : rule.abductives)  // a step binds a fresh one
        if (AbductiveOf(a.kind).arguments == AbductiveArguments::kBindingTailStep) {
          std::vector<std::string> fresh;
          CollectVariables(a.clauses.back(), fresh);
          shown.insert(fresh.begin(), fresh.end());
        }
      // What stands once, in a template or in the name of a regex group, is no Lvar.
      const std::function<void(const Node&)> look = [&](const Node& n) {
        ForEachChild(n, look);
        const auto* v = n.As<Lvar>();
        if (v == nullptr || v->name.empty() || counts[v->name] != 1) return;
        if (shown.contains(v->name) || Elsewhere(part, v->name, shared)) return;
        if (context_.IsBlamed(part.sentence->span, v->name)) return;
        context_.Add(Code::kSingletonVariable, n.span, "?" + v->name + " is used only once",
                     of_root ? "write `_` if any value will do; to see its values, give the goal a "
                               "name and arguments, as in `%name(?" +
                                   v->name + ") <- …`"
                             : "write `_` if any value will do");
      };
      ForEachChild(rule, look);
    }
  }

  template <typename Shared>
  static bool Elsewhere(const Part& part, const std::string& name, const Shared& shared) {
    const auto in = [&](const Scope& scope) {
      const auto at = shared.find(&scope);
      if (at == shared.end()) return false;
      const auto n = at->second.find(name);
      return n != at->second.end() && n->second > 1;
    };
    if (part.role == Role::kOwn || part.role == Role::kSignature) return in(part.section());
    if (part.role != Role::kConjoined) return false;
    return std::any_of(part.targets.begin(), part.targets.end(), [&](int target) {
      return in(part.document->scopes[static_cast<std::size_t>(target)]);
    });
  }

  Context& context_;
  Planner planner_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> parts_by_place_;
  std::unordered_map<const Scope*, std::vector<std::size_t>> joined_;  // parts, by heading
  std::map<std::uint64_t, std::size_t> sentences_;  // parts, by where their sentence begins
  std::unordered_set<RelationId> called_;           // goals
  std::unordered_set<RelationId> read_;             // what a rule or constraint reads
  std::unordered_map<RelationId, int> readers_;     // by tool: the definitions that read it
  std::vector<std::unique_ptr<Plan>> plans_;        // of open_calls_: they own some of its clauses
  std::vector<OpenCall> open_calls_;
  std::deque<Definition> lefts_;  // of constraints with open calls, as rules without a head
  std::unordered_set<RelationId> broken_;         // relations that need one with a finding
  std::unordered_set<RelationId> unbound_heads_;  // relations with an RPL2001 finding
  std::unordered_set<std::string> reported_;
  Span text_of_;  // the sentence whose text this is, the last one asked for
  Text text_;
};

}  // namespace

void CheckVariables(Context& context) { Variables(context).Run(); }

}  // namespace rpl::check
