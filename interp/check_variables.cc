// SPDX-License-Identifier: Apache-2.0
//
// Variables: which are never bound, and which stand only once.
//
// Whether something is bound is the planner's knowledge: each rule is planned with its
// arguments given, each constraint with nothing given, and a plan that ends in a kStuck
// step names the lvar it waits for. The lvar is then looked up in the author's text.
#include <algorithm>
#include <functional>

#include "interp/check_context.h"

namespace rpl::check {
namespace {

struct Culprit {
  std::string variable;  // with its mark
  const Clause* clause = nullptr;
  bool shared_not = false;
};

// The clause of `clauses` (or below) that waits: its text is the one the problem quotes.
const Clause* FindClause(const std::vector<const Clause*>& clauses, const std::string& text) {
  const std::function<const Clause*(const Clause&)> find = [&](const Clause& c) -> const Clause* {
    if (c.text == text) return &c;
    const Clause* found = nullptr;
    ForEachBody(c, [&](const Clauses& body) {
      for (const Clause& inner : body)
        if (found == nullptr) found = find(inner);
    });
    return found;
  };
  for (const Clause* c : clauses)
    if (const Clause* found = find(*c)) return found;
  return nullptr;
}

// What stops `plan`, one for each lvar.
std::vector<Culprit> CulpritsOf(const Plan& plan, const std::vector<const Clause*>& clauses) {
  std::vector<Culprit> out;
  for (const Step& step : plan.steps) {
    if (step.kind != Step::Kind::kStuck || step.problem.empty()) continue;
    if (step.problem[0] != '?' && step.problem[0] != '$') continue;
    Culprit c;
    c.variable = step.problem.substr(0, step.problem.find(' '));
    const bool known = std::any_of(
        out.begin(), out.end(), [&](const Culprit& other) { return other.variable == c.variable; });
    if (known) continue;
    constexpr std::string_view kIn = " is never bound in `";
    if (const std::size_t at = step.problem.find(kIn); at != std::string::npos) {
      const std::size_t begin = at + kIn.size();
      c.clause = FindClause(clauses, step.problem.substr(begin, step.problem.size() - begin - 1));
    }
    if (c.clause == nullptr) c.clause = step.clause;
    c.shared_not = c.clause != nullptr && c.clause->As<Negation>() != nullptr;
    out.push_back(std::move(c));
  }
  return out;
}

// The occurrences of each variable of a sentence, names of regex groups included.
void Count(const Node& node, std::unordered_map<std::string, int>& counts) {
  if (const auto* v = node.As<Lvar>()) ++counts[v->name];
  if (const auto* v = node.As<Avar>()) ++counts[v->name];
  if (const auto* v = node.As<Expansion>()) ++counts[v->name];
  if (const auto* t = node.As<Template>())
    for (const std::string& hole : t->holes) ++counts[hole];
  if (const auto* r = node.As<Regex>()) {
    for (const std::string_view open : {"(?P<", "(?<"})
      for (std::size_t at = r->body.find(open); at != std::string::npos;
           at = r->body.find(open, at + 1)) {
        const std::size_t begin = at + open.size();
        const std::size_t end = r->body.find('>', begin);
        if (end == std::string::npos) break;
        std::string name = r->body.substr(begin, end - begin);
        std::replace(name.begin(), name.end(), '_', '-');
        ++counts[name];
      }
  }
  ForEachChild(node, [&](const Node& child) { Count(child, counts); });
}

// Variables of forms whose bindings are read as a map: `^^ ?b`, `^ ?m` (§11). Their names
// show, so `_` would say something else.
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

template <typename Fn>
void ForEachNode(const Rule& rule, Fn&& fn) {
  for (const Node& n : rule.heads) fn(n);
  for (const Node& n : rule.tail) fn(n);
  for (const Abductive& a : rule.abductives)
    for (const Node& n : a.clauses) fn(n);
  for (const Node& n : rule.constraints) fn(n);
}

std::unordered_map<std::string, int> CountsOf(const Rule& rule) {
  std::unordered_map<std::string, int> counts;
  ForEachNode(rule, [&](const Node& n) { Count(n, counts); });
  return counts;
}

class Variables {
 public:
  explicit Variables(Context& context)
      : context_(context), planner_(context.analysis, context.store, Mode::kSolve) {}

  void Run() {
    for (std::size_t i = 0; i < context_.parts.size(); ++i) {
      const Part& part = context_.parts[i];
      if (!part.checked) continue;
      const Span span = part.role == Role::kSignature ? part.section().span : part.sentence->span;
      parts_by_place_[Place(span)].push_back(i);
    }
    FindCalledGoals();
    DropFalseHeads();
    for (const Definition& def : context_.program.definitions()) Bound(def);
    for (const Constraint& c : context_.program.constraints()) Grounds(c);
    Singletons();
  }

 private:
  static std::uint64_t Place(Span span) { return std::uint64_t{span.file} << 32 | span.begin; }

  void FindCalledGoals() {
    const std::function<void(const Clauses&)> walk = [&](const Clauses& clauses) {
      for (const Clause& c : clauses) {
        if (const auto* atom = c.As<Atom>()) called_.insert(atom->relation);
        ForEachBody(c, walk);
      }
    };
    for (const Definition& def : context_.program.definitions()) walk(def.body);
  }

  // --- Never bound --------------------------------------------------------------------------

  void Bound(const Definition& def) {
    if (!context_.checked_files.contains(def.span.file)) return;
    std::vector<bool> bound(def.slots.size());
    const bool goal = def.head != kNoId && context_.store.at(def.head).space() == Space::kGoal;
    const bool given = !goal || called_.contains(def.head);
    for (std::size_t i = 0; i < def.args.size() && given; ++i)
      if (std::find(def.gathered.begin(), def.gathered.end(), i) == def.gathered.end())
        ForEachSlot(def.args[i], [&](SlotId s) { bound[static_cast<std::size_t>(s)] = true; });
    if (def.head_expansion >= 0) bound[static_cast<std::size_t>(def.head_expansion)] = true;
    const std::vector<const Clause*> clauses = ClausesOf(def);
    std::vector<bool> wanted = HeadSlots(def);
    const auto plan = planner_.Make(clauses, bound, wanted, def.slots, def.avar);
    for (const Culprit& c : CulpritsOf(*plan, clauses)) {
      if (c.clause == nullptr) {
        // The head of a goal or a gathering head; a plain head is RPL2001's business.
        if (!Mentioned(def, c.variable)) continue;
      }
      Report(c, def.span);
    }
    for (const Step& step : plan->steps) Inputs(step, def);
  }

  // A call of a relation that needs an argument from its caller (decision 38), and gets none.
  void Inputs(const Step& step, const Definition& def) {
    if (step.kind != Step::Kind::kAtom || step.access != Access::kTable || step.clause == nullptr)
      return;
    const auto* atom = step.clause->As<Atom>();
    const Columns open = context_.analysis.InputsOf(step.relation) & ~step.probe;
    if (atom == nullptr || open == 0 || step.all_bound) return;
    if (unbound_heads_.contains(step.relation)) return;  // that is where it went wrong
    for (std::size_t i = 0; i < atom->args.size(); ++i) {
      if ((open >> i & 1) == 0 || atom->args[i].kind != Pattern::Kind::kSlot) continue;
      const auto slot = static_cast<std::size_t>(atom->args[i].slot);
      const std::string& name = def.slots[slot];
      if (!name.empty() && !def.avar[slot])
        return Report({"?" + name, step.clause, false}, def.span);
    }
  }

  static bool Mentioned(const Definition& def, const std::string& variable) {
    std::vector<bool> seen(def.slots.size());
    for (const Clause* clause : ClausesOf(def)) CollectSlots(*clause, seen);
    for (std::size_t s = 0; s < def.slots.size(); ++s)
      if (seen[s] && "?" + def.slots[s] == variable) return true;
    return false;
  }

  void Report(const Culprit& c, Span sentence) {
    const std::string name = c.variable.substr(1);
    const Span place = PlaceOf(c, sentence, name);
    if (!reported_.insert(std::to_string(place.file) + ":" + std::to_string(place.begin)).second)
      return;
    context_.Blame(sentence, name);
    if (c.shared_not)
      context_.Add(Code::kUnboundInNot, place,
                   c.variable + " is shared with this `not`, and nothing binds it",
                   "bind it in a clause of its own, or write `_` where any value will do");
    else
      context_.Add(Code::kNeverBound, place, c.variable + " is used here, and nothing binds it",
                   "bind it in another clause of the rule");
  }

  // Where the variable stands in the clause, as the author wrote it.
  Span PlaceOf(const Culprit& c, Span sentence, const std::string& name) const {
    const Span wanted = c.clause != nullptr ? c.clause->span : sentence;
    const Node* holder = nullptr;  // the largest node of that span
    Span fallback = wanted.end == 0 ? sentence : wanted;
    const std::function<void(const Node&)> find = [&](const Node& n) {
      if (holder != nullptr) return;
      if (n.span == wanted) {
        holder = &n;
        return;
      }
      ForEachChild(n, find);
    };
    for (const Part& part : PartsNear(sentence, wanted))
      ForEachNode(part.rule(), [&](const Node& n) { find(n); });
    if (holder != nullptr) return SpanOfVariable(*holder, name);
    for (const Part& part : PartsNear(sentence, wanted)) {
      Span found{};
      ForEachNode(part.rule(), [&](const Node& n) {
        if (found.end != 0) return;
        const Span s = SpanOfVariable(n, name);
        if (s != n.span || s == wanted) found = s;
      });
      if (found.end != 0) return found;
    }
    return fallback;
  }

  // The sentence itself, and for a heading the sentences that join it.
  std::vector<Part> PartsNear(Span sentence, Span clause) const {
    std::vector<Part> out;
    const auto at = parts_by_place_.find(Place(sentence));
    if (at == parts_by_place_.end()) return out;
    for (const std::size_t i : at->second) {
      const Part& part = context_.parts[i];
      out.push_back(part);
      if (part.role != Role::kSignature) continue;
      for (std::size_t k = i + 1; k < context_.parts.size(); ++k) {
        const Part& other = context_.parts[k];
        if (other.role == Role::kSignature || other.document != part.document) break;
        const Span s = other.sentence->span;
        if (s.begin <= clause.begin && clause.end <= s.end) out.push_back(other);
      }
    }
    return out;
  }

  void Grounds(const Constraint& c) {
    if (!context_.checked_files.contains(c.span.file)) return;
    if (context_.IsBlamed(c.span, "*")) return;  // a lone call that asserts nothing
    std::vector<const Clause*> left, right;
    for (const Clause& clause : c.left) left.push_back(&clause);
    for (const Clause& clause : c.right) right.push_back(&clause);
    std::vector<bool> bound(c.slots.size());
    const std::vector<bool> nothing(c.slots.size());
    const auto plan = planner_.Make(left, bound, nothing, c.slots, c.avar);
    std::vector<Culprit> culprits = CulpritsOf(*plan, left);
    if (culprits.empty() && !right.empty()) {
      for (const Clause* clause : left) CollectSlots(*clause, bound);
      const auto after = planner_.Make(right, bound, nothing, c.slots, c.avar);
      culprits = CulpritsOf(*after, right);
    }
    if (culprits.empty()) return;
    if (culprits.front().shared_not) return Report(culprits.front(), c.span);
    const Culprit& first = culprits.front();
    context_.Blame(c.span, first.variable.substr(1));
    context_.Add(Code::kNeverGrounds, PlaceOf(first, c.span, first.variable.substr(1)),
                 "this constraint can never be checked: nothing binds " + first.variable,
                 "bind it in another clause");
  }

  // --- Heads and singletons -------------------------------------------------------------------

  // Lowering counts no names of regex groups when it looks for unbound heads.
  void DropFalseHeads() {
    std::unordered_map<std::uint64_t, const Part*> by_head;
    for (const Part& part : context_.parts)
      for (const Node& head : part.rule().heads) by_head.emplace(Place(head.span), &part);
    std::erase_if(context_.findings, [&](const Finding& f) {
      const Diagnostic& d = f.diagnostic;
      if (d.code != Code::kUnboundHead) return false;
      const auto at = by_head.find(Place(d.span));
      if (at == by_head.end()) return false;
      const std::string name = d.message.substr(1, d.message.find(' ') - 1);
      const std::unordered_map<std::string, int> counts = CountsOf(at->second->rule());
      const auto count = counts.find(name);
      if (count != counts.end() && count->second > 1) return true;
      context_.Blame(at->second->sentence->span, name);
      return false;
    });
    for (Finding& f : context_.findings) {
      Diagnostic& d = f.diagnostic;
      if (d.code != Code::kUnboundHead) continue;
      const auto at = by_head.find(Place(d.span));
      if (at == by_head.end()) continue;
      const std::string name = d.message.substr(1, d.message.find(' ') - 1);
      for (const Node& head : at->second->rule().heads) {
        if (head.span != d.span) continue;
        if (const auto* call = head.As<Call>())
          unbound_heads_.insert(context_.store.Find(Space::kRelation, call->label,
                                                    static_cast<std::uint32_t>(call->args.size())));
        d.span = SpanOfVariable(head, name);
        break;
      }
    }
  }

  // Once in a rule means: any value. Sentences of a section share the heading's variables,
  // and those of headings and prose are named for the reader.
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
        for (const ProseSpan& span : prose.spans)
          shared[&document.scopes[static_cast<std::size_t>(prose.scope)]][span.name] += 1;
    for (const Part& part : context_.parts) {
      if (!part.checked || part.role == Role::kSignature || part.role == Role::kAssertion) continue;
      const Rule& rule = part.rule();
      // A lone call that asserts nothing has its own finding.
      if (part.role == Role::kObligation && rule.tail.size() == 1 &&
          Ungroup(rule.tail.front()).As<Conjunction>() == nullptr)
        continue;
      std::unordered_map<std::string, int> counts = CountsOf(rule);
      std::unordered_set<std::string> shown;
      ForEachNode(rule, [&](const Node& n) { Shown(n, shown); });
      ForEachNode(rule, [&](const Node& n) {
        std::vector<std::string> names;
        CollectVariables(n, names);
        for (const std::string& name : names) {
          if (counts[name] != 1 || shown.contains(name)) continue;
          if (Elsewhere(part, name, shared)) continue;
          if (context_.IsBlamed(part.sentence->span, name)) continue;
          const Span span = SpanOfVariable(n, name);
          if (span == n.span && !n.As<Lvar>()) continue;  // in a template
          if (context_.sources.Text(span).substr(0, 1) != "?") continue;
          context_.Add(Code::kSingletonVariable, span, "?" + name + " is used only once",
                       "write `_` if any value will do");
        }
      });
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
    if (part.role == Role::kOwn) return in(part.section());
    if (part.role != Role::kConjoined) return false;
    return std::any_of(part.targets.begin(), part.targets.end(), [&](int target) {
      return in(part.document->scopes[static_cast<std::size_t>(target)]);
    });
  }

  Context& context_;
  Planner planner_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> parts_by_place_;
  std::unordered_set<RelationId> called_;
  std::unordered_set<RelationId> unbound_heads_;  // relations with an RPL2001 finding
  std::unordered_set<std::string> reported_;
};

}  // namespace

void CheckVariables(Context& context) { Variables(context).Run(); }

}  // namespace rpl::check
