// SPDX-License-Identifier: Apache-2.0
//
// Forms that are legal but rarely intended: an author may expect the other reading of a decision.
// One method per decision, each over one sentence.
#include <algorithm>
#include <optional>

#include "grammar/printer.h"
#include "interp/lint/context.h"
#include "interp/program/lower.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl::check {
namespace {

bool IsLvar(const Node& node, const std::string& name) {
  const auto* v = Ungroup(node).As<Lvar>();
  return v != nullptr && v->name == name;
}

template <typename Fn>
void Walk(const Node& node, Fn&& fn) {
  fn(node);
  ForEachChild(node, [&](const Node& child) { Walk(child, fn); });
}

class Forms {
 public:
  explicit Forms(Context& context) : context_(context) {}

  void Run() {
    FindSets();
    FindBrokenSections();
    for (const Part& part : context_.parts) {
      if (!part.checked) {
        Captures(part);
        continue;
      }
      body_.clear();
      uses_.reset();
      const Rule& rule = part.rule();
      for (const Node& n : rule.tail) body_.push_back(&n);
      for (const Abductive& a : rule.abductives)
        for (const Node& n : a.clauses) body_.push_back(&n);
      for (const Node& n : rule.constraints) body_.push_back(&n);
      for (const Node& head : rule.heads) Walk(head, [&](const Node& n) { Commas(n); });
      for (const Node* n : body_) Walk(*n, [&](const Node& node) { Commas(node); });
      if (part.role != Role::kAssertion) {
        for (const Node* n : body_) Walk(*n, [&](const Node& node) { Visit(node); });
        GatheredFromList(rule);
      }
      AssertsNothing(part);
      Captures(part);
    }
    Retractions();
  }

 private:
  void Visit(const Node& node) {
    if (const auto* b = node.As<Binary>()) {
      if (b->op == Operator::kEqual) Equality(node, *b);
      if (b->op == Operator::kLessEqual) OldArrow(node, *b);
    }
    if (const auto* call = node.As<Call>()) SetPattern(*call);
    if (const auto* count = node.As<rpl::Count>()) CountOfTerm(*count);
    if (const auto* a = node.As<Annotated>()) Keys(*a);
  }

  // --- Variables of the body ----------------------------------------------------------------

  // The uses of each variable in the body; computed in one walk, on first use.
  struct Uses {
    std::unordered_map<std::string, int> bound;  // places in a call, a pattern, `?x = …`, …
    std::unordered_set<std::string> scalars;     // compared, computed with, or an argument
    std::unordered_set<std::string> maps;        // `^ ?m`
    std::unordered_set<std::string> calls;       // `?t = rel(…)`
    std::unordered_set<std::string> lists;       // `[… & ?rest]`
  };

  const Uses& UsesOfBody() {
    if (uses_) return *uses_;
    uses_.emplace();
    for (const Node* n : body_) {
      Bound(*n, false, uses_->bound);
      Walk(*n, [&](const Node& node) { Note(node, *uses_); });
    }
    return *uses_;
  }

  static const std::string* NameOf(const Node& node) {
    const auto* v = Ungroup(node).As<Lvar>();
    return v == nullptr ? nullptr : &v->name;
  }

  // Counts the places below `node` that bind a variable; `inside`: of a call or pattern.
  static void Bound(const Node& node, bool inside, std::unordered_map<std::string, int>& to) {
    const auto side = [&](const Node& n) {
      if (const std::string* name = NameOf(n)) ++to[*name];
    };
    inside = inside || node.As<Call>() || node.As<Match>();
    if (inside) {
      if (const auto* v = node.As<Lvar>()) ++to[v->name];
      if (const auto* v = node.As<Avar>()) ++to[v->name];
      if (const auto* v = node.As<Expansion>()) ++to[v->name];
      if (const auto* t = node.As<Template>())
        for (const std::string& hole : t->holes) ++to[hole];
    }
    if (const auto* b = node.As<Binary>()) {
      if (b->op == Operator::kEqual || b->op == Operator::kIn) side(b->sides[0]);
      if (b->op == Operator::kEqual) side(b->sides[1]);
    }
    const auto* a = node.As<Annotated>();
    if (a == nullptr) return ForEachChild(node, [&](const Node& n) { Bound(n, inside, to); });
    for (const Node& n : a->form) Bound(n, inside, to);
    for (const Suffix& s : a->suffixes) {
      for (const Node& n : s.key) Bound(n, inside, to);
      for (const Node& n : s.value) Bound(n, true, to);
    }
  }

  static void Note(const Node& node, Uses& to) {
    if (const auto* call = node.As<Call>(); call && call->ns == Namespace::kRelation)
      for (const Node& arg : call->args)
        if (const std::string* name = NameOf(arg)) to.scalars.insert(*name);
    if (const auto* b = node.As<Binary>())
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
        if (const std::string* name = NameOf(b->sides[side])) NoteSide(*b, side, *name, to);
    if (const auto* a = node.As<Annotated>())
      for (const Suffix& s : a->suffixes)
        if (const std::string* name = NameOf(s.value.front()); name && s.key.empty())
          to.maps.insert(*name);
    if (const auto* c = node.As<Collection>();
        c && c->kind != CollectionKind::kMap && c->rest.size() == 1)
      if (const std::string* name = NameOf(c->rest.front())) to.lists.insert(*name);
  }

  static void NoteSide(const Binary& b, std::size_t side, const std::string& name, Uses& to) {
    const Node& other = Ungroup(b.sides[1 - side]);
    switch (b.op) {
      case Operator::kLess:
      case Operator::kGreater:
      case Operator::kLessEqual:
      case Operator::kGreaterEqual:
      case Operator::kAdd:
      case Operator::kSubtract:
      case Operator::kMultiply:
      case Operator::kDivide:
      case Operator::kBefore:
      case Operator::kAfter: to.scalars.insert(name); break;
      case Operator::kEqual:
      case Operator::kNotEqual:
        if (other.As<String>() || other.As<Number>() || other.As<Keyword>())
          to.scalars.insert(name);
        if (const auto* call = other.As<Call>();
            call && call->ns == Namespace::kRelation && b.op == Operator::kEqual)
          to.calls.insert(name);
        break;
      case Operator::kIn:
      case Operator::kNotIn:
        if (side == 0) to.scalars.insert(name);
        break;
      default: break;
    }
  }

  // --- Equality (decisions 27, 29, 30, 54) ------------------------------------------------

  void Equality(const Node& node, const Binary& b) {
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Node& left = Ungroup(b.sides[side]);
      const Node& right = Ungroup(b.sides[1 - side]);
      const auto* v = left.As<Lvar>();
      const auto* c = right.As<Collection>();
      if (v != nullptr && c != nullptr && c->kind == CollectionKind::kSet &&
          UsesOfBody().scalars.contains(v->name))
        context_.Add(Code::kSetAsScalar, node.span,
                     "?" + v->name + " is the whole set here, and used like one element",
                     "for one instance per element write `?" + v->name + " = ~ " +
                         std::string(context_.sources.Text(right.span)) + "`");
      if (v != nullptr && c != nullptr && c->kind == CollectionKind::kMap && HasVariables(right) &&
          AllBoundElsewhere(left, node) && !AllBoundElsewhere(right, node))
        context_.Add(Code::kMapUnderEquals, node.span,
                     "a map under plain `=` must be equal, key for key",
                     "to match some of its keys write `?" + v->name + " = ~ " +
                         std::string(context_.sources.Text(right.span)) + "`");
      const auto* match = right.As<Match>();
      if (v != nullptr && match != nullptr) EntryPattern(*v, *match, right.span);
      const auto* a = left.As<Avar>();
      const bool computed = right.As<rpl::Count>() || right.As<Binary>();
      if (a != nullptr && computed && side == 0)
        context_.Add(Code::kAvarAsLvar, left.span,
                     "$" + a->name + " comes from a computation, not from outside",
                     "use an lvar: `?" + a->name + "`");
    }
  }

  // Whether other clauses of the tail bind the variables of `node`. A map with such
  // variables is built, not matched.
  bool AllBoundElsewhere(const Node& node, const Node& self) {
    std::vector<std::string> names;
    CollectVariables(node, names);
    std::unordered_map<std::string, int> own;
    Bound(self, false, own);
    const std::unordered_map<std::string, int>& all = UsesOfBody().bound;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      const auto at = all.find(name);
      return at != all.end() && at->second > own[name];
    });
  }

  void EntryPattern(const Lvar& v, const Match& match, Span span) {
    const auto* c = match.pattern.front().As<Collection>();
    if (c == nullptr || c->kind != CollectionKind::kList || !c->rest.empty()) return;
    if (c->items.size() == 2) return;
    if (UsesOfBody().maps.contains(v.name))
      context_.Add(Code::kEntryPattern, span,
                   "?" + v.name + " is a map, and a list of " + std::to_string(c->items.size()) +
                       " never matches it",
                   "its entries are pairs: `?" + v.name + " ~ [?key ?value]`");
  }

  // `ready <= b()`: the left side is no call, but the right one is (decision 4).
  void OldArrow(const Node& node, const Binary& b) {
    const bool call = Ungroup(b.sides[0]).As<Call>() || Ungroup(b.sides[1]).As<Call>();
    if (!call) return;
    const std::string_view between =
        context_.sources.Text({node.span.file, b.sides[0].span.end, b.sides[1].span.begin});
    const std::size_t at = between.find("<=");
    if (at == std::string_view::npos) return;
    const auto begin = static_cast<std::uint32_t>(b.sides[0].span.end + at);
    const Span arrow{node.span.file, begin, begin + 2};
    context_.Add(Code::kOldArrow, arrow, "`<=` compares values, and calls have no order",
                 "write `<-` for a rule", {{arrow, "<-"}});
  }

  // --- Sets, maps, counts, metadata (decisions 8, 25, 33, 50) -----------------------------

  // Headings with an invalid signature: sentences below would join it.
  void FindBrokenSections() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> errors;
    for (const Finding& f : context_.findings)
      if (f.diagnostic.severity == Severity::kError)
        errors.emplace(f.diagnostic.span.file, f.diagnostic.span.begin);
    for (const Document& document : context_.documents)
      for (const Scope& scope : document.scopes) {
        if (scope.signature || scope.level == 0) continue;
        const auto at = errors.lower_bound({document.file, scope.span.begin});
        if (at != errors.end() && at->first == document.file && at->second < scope.span.end)
          broken_sections_.insert(&scope);
      }
  }

  // The columns of relations that hold sets, as far as facts show.
  void FindSets() {
    context_.ForEachFact([&](RelationId relation, std::span<const Value> row) {
      for (std::size_t i = 0; i < row.size() && i < kMaxArity; ++i)
        if (row[i].kind() == Kind::kSet) sets_[relation] |= Columns{1} << i;
    });
    for (const Assertion& a : context_.assertions) facts_.insert(a.relation);
    for (const auto& [relation, span] : context_.given_relations) facts_.insert(relation);
  }

  void SetPattern(const Call& call) {
    if (call.ns != Namespace::kRelation || call.args.size() > kMaxArity) return;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const auto* c = call.args[i].As<Collection>();
      if (const auto* m = call.args[i].As<Match>()) c = m->pattern.front().As<Collection>();
      if (c == nullptr || c->kind != CollectionKind::kSet || c->rest.empty()) continue;
      const RelationId r = context_.engine.store.Find(Space::kRelation, call.label,
                                                      static_cast<std::uint32_t>(call.args.size()));
      if (r == kNoId || !facts_.contains(r) || context_.engine.program.HasRules(r)) continue;
      const auto at = sets_.find(r);
      if (at != sets_.end() && (at->second & (Columns{1} << i)) != 0) continue;
      context_.Add(Code::kSetPatternWithoutSets, call.args[i].span,
                   "`" + call.label + "` holds no sets here, so this is each value by itself",
                   "to take all of them together, gather them in a head");
    }
  }

  // Commas are blanks (decision 8), and part the entries for the reader.
  void Commas(const Node& node) {
    const auto* map = node.As<Collection>();
    if (map == nullptr || map->kind != CollectionKind::kMap || map->dotted) return;
    std::vector<Edit> edits;
    for (std::size_t i = 2; i < map->items.size(); i += 2) {
      const std::uint32_t end = map->items[i - 1].span.end;
      const Span gap{node.span.file, end, map->items[i].span.begin};
      if (context_.sources.Text(gap).find(',') == std::string_view::npos)
        edits.push_back({{node.span.file, end, end}, ","});
    }
    if (edits.empty()) return;
    context_.Add(Code::kMapWithoutCommas, node.span,
                 "the entries of this map are not separated by commas", "", std::move(edits));
  }

  void CountOfTerm(const rpl::Count& count) {
    const auto* v = Ungroup(count.operand.front()).As<Lvar>();
    if (v == nullptr) return;
    if (UsesOfBody().calls.contains(v->name))
      context_.Add(Code::kCountOfTerm, count.operand.front().span,
                   "?" + v->name + " is a call, and its value has no size",
                   "to count its rows write `|#?" + v->name + "|`");
  }

  void Keys(const Annotated& a) {
    std::vector<std::string> names;
    CollectVariables(a.form.front(), names);
    const std::unordered_set<std::string> own(names.begin(), names.end());
    for (const Suffix& s : a.suffixes) {
      if (s.bindings || s.value.empty()) continue;
      const Node* value = &s.value.front();
      if (const auto* m = value->As<Match>()) value = &m->pattern.front();
      const auto* map = value->As<Collection>();
      if (!s.key.empty() || map == nullptr || map->kind != CollectionKind::kMap) continue;
      for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
        const auto* keyword = map->items[i].As<Keyword>();
        const auto* symbol = map->items[i].As<Symbol>();
        const std::string name = keyword ? keyword->name : symbol ? symbol->name : "";
        if (!own.contains(name)) continue;
        if (IsLvar(map->items[i + 1], name)) continue;
        context_.Add(Code::kKeyNamedLikeVariable, map->items[i].span,
                     "this is a metadata key, not the variable ?" + name + " of the clause",
                     "for the variable write `^^ {?" + name + " ...}`");
      }
    }
  }

  // --- Rules (decisions 32, 61, 62) -----------------------------------------------------------

  void GatheredFromList(const Rule& rule) {
    for (const Node& head : rule.heads) {
      const auto* call = head.As<Call>();
      if (call == nullptr) continue;
      for (const Node& arg : call->args) {
        const auto* c = arg.As<Collection>();
        if (c == nullptr || c->rest.size() != 1) continue;
        const auto* v = c->rest.front().As<Lvar>();
        if (v == nullptr || v->name.empty()) continue;
        if (UsesOfBody().lists.contains(v->name))
          context_.Add(Code::kGatheredFromList, c->rest.front().span,
                       "?" + v->name + " is a list already, so this gathers lists",
                       "to pass the list on, write ?" + v->name + " without `[& ]`");
      }
    }
  }

  // The captures of a goal are named by the first rule that captures as many (decision 97).
  void Captures(const Part& part) {
    if (part.role == Role::kAssertion) return;
    for (const Node& head : part.rule().heads) {
      const auto* call = head.As<Call>();
      if (call == nullptr || call->ns != Namespace::kGoal || call->args.empty()) continue;
      // Rules that capture another number of values are read apart (decision 97).
      const auto [at, is_new] =
          captures_.emplace(KeyOf(*call) + "/" + std::to_string(call->args.size()), &head);
      if (is_new) continue;
      const Node& first = *at->second;
      const Call& other = *first.As<Call>();
      bool same = true;
      for (std::size_t i = 0; same && i < call->args.size(); ++i) {
        const std::string a = CaptureName(other.args[i]);
        const std::string b = CaptureName(call->args[i]);
        same = a.empty() || b.empty() || a == b;
      }
      if (same) continue;
      context_.Add(Code::kDifferentCaptures, head.span,
                   "this rule captures otherwise than `" +
                       std::string(context_.sources.Text(first.span)) + "` at " +
                       context_.sources.Where(first.span),
                   "give the arguments of one goal the same names in all its rules");
    }
  }

  static std::string CaptureName(const Node& arg) {
    if (const auto* v = arg.As<Lvar>()) return v->name;
    if (const auto* a = arg.As<Avar>()) return a->name;
    return "";
  }

  // --- Sentences (decisions 34, 43) -------------------------------------------------------------

  void AssertsNothing(const Part& part) {
    if (part.role != Role::kObligation || part.rule().tail.size() != 1) return;
    const Node* form = &Ungroup(part.rule().tail.front());
    if (const auto* a = form->As<Annotated>()) form = &Ungroup(a->form.front());
    if (const auto* b = form->As<Binary>(); b != nullptr && b->op == Operator::kEqual)
      return CallEqualsCall(part, *form, *b);
    const auto* call = form->As<Call>();
    const bool lone = form->As<Lvar>() || form->As<Avar>() || form->As<String>() ||
                      form->As<Number>() || form->As<Keyword>();
    if (call == nullptr && !lone) return;
    if (IsFailure(part.rule())) return;
    context_.Blame(part.sentence->span, "*");
    if (broken_sections_.contains(&part.section())) return;
    std::string hint = "did you mean a rule or a shell query?";
    if (call != nullptr && call->ns == Namespace::kRelation)
      hint = "did you mean a rule, `" + std::string(context_.sources.Text(form->span)) +
             " <- ...`, or a shell query?";
    if (form->span.end - form->span.begin > 60) hint = "did you mean a rule or a shell query?";
    if (call != nullptr && call->ns == Namespace::kTool && call->label == "index")
      hint = SourceHint(*call);
    context_.Add(Code::kAssertsNothing, form->span,
                 "`" + std::string(context_.sources.Text(form->span)) + "` asserts nothing", hint);
  }

  // `$index("stock.csv", stock(_, _))` names a relation by a pattern.
  static std::string SourceHint(const Call& call) {
    const Call* const named = call.args.size() == 2 ? call.args[1].As<Call>() : nullptr;
    if (named != nullptr)
      return "the source is not read: name the relation by a string, `\"" + named->label + "\"`";
    return "the source is not read: a sentence names it without variables";
  }

  // `l(?x) = a(?x)` may have been meant as a rule.
  void CallEqualsCall(const Part& part, const Node& form, const Binary& b) {
    const auto* left = Ungroup(b.sides[0]).As<Call>();
    const auto* right = Ungroup(b.sides[1]).As<Call>();
    if (left == nullptr || right == nullptr || left->label == right->label) return;
    context_.Blame(part.sentence->span, "*");
    context_.Add(
        Code::kAssertsNothing, form.span,
        "`" + check::NameOf(*left) + "` and `" + check::NameOf(*right) + "` are never equal",
        "for a rule write `<-` instead of `=`");
  }

  void Retractions() {
    for (const Assertion* a : RetractionsOfNothing(context_.engine.program, context_.engine.store,
                                                   context_.assertions, context_.question_entries))
      if (!context_.given_relations.contains(a->relation))
        context_.Add(Code::kNothingToRetract, a->span,
                     "nothing before this line asserts what it retracts",
                     "for a rule that nothing may break, use a variable on the left");
  }

  Context& context_;
  std::vector<const Node*> body_;
  std::optional<Uses> uses_;  // of body_
  std::unordered_map<RelationId, Columns> sets_;
  std::unordered_set<RelationId> facts_;
  std::unordered_set<const Scope*> broken_sections_;
  std::unordered_map<std::string, const Node*> captures_;
};

}  // namespace

void CheckForms(Context& context) { Forms(context).Run(); }

}  // namespace rpl::check
