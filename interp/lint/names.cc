// SPDX-License-Identifier: Apache-2.0
//
// Definitions and uses of relations, goals and tools.
//
// The names form a graph, with edges from the head of a rule to each call of its tail. Constraints,
// goals and prose are its roots. It gives four findings: names used but not defined, names defined
// but not used, names that no root reaches, and cycles through an edge that needs its target
// complete (`not`, a count, an aggregate), which have no answer (decision 40). Terms in arguments
// are weak uses: they need no definition.
#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>

#include "formats/character.h"
#include "formats/spelling.h"
#include "grammar/line_start.h"
#include "grammar/markdown.h"
#include "interp/lint/context.h"
#include "interp/lint/indexed.h"
#include "interp/plan/components.h"
#include "interp/program/builtin_tools.h"
#include "interp/program/lower.h"
#include "interp/store/store.h"

namespace rpl::check {
namespace {

constexpr int kRoot = -1;

bool IsBuiltin(const Call& call) {
  if (call.ns == Namespace::kGoal) return call.label == "fail";
  return call.ns == Namespace::kTool && FindBuiltinTool(call.label) != nullptr;
}

// How a use reads its relation; all but kPlain need it complete.
enum class Needs { kPlain, kNot, kCount, kGather, kMetadata };

const char* NeedsText(Needs needs) {
  switch (needs) {
    case Needs::kPlain: return "";
    case Needs::kNot: return "`not`";
    case Needs::kCount: return "a count";
    case Needs::kGather: return "gathering";
    case Needs::kMetadata: return "`^`, which covers all its instances";
  }
  return "";
}

struct Name {
  const Call* call;  // any call of that name
  Span first_definition;
  Span first_use;   // strong, and in a checked file
  Span first_rule;  // of the rules that define it
  bool defined = false;
  bool has_rule = false;   // a rule, not only facts or a heading
  bool used = false;       // strongly, in a checked file
  bool term = false;       // occurs as an argument
  bool prose = false;      // an emphasised span names it
  std::string as_head;     // it is one side of a constraint: the rule with that arrow turned
  Span on_left;            // a clause of the left side of a constraint that has to hold
  bool elsewhere = false;  // used in another way
};

struct Edge {
  int from;  // an index into names, or kRoot
  int to;
  Needs needs;
  Span span;
};

class Names {
 public:
  explicit Names(Context& context) : context_(context) {}

  void Run() {
    index_.reserve(context_.parts.size());
    for (const auto& [relation, given] : context_.given_relations)
      Define(given.call, given.span, false);
    for (const Part& part : context_.parts) Read(part);
    ReadProse();
    Undefined();
    SeveralArities();
    Imperatives();
    if (has_roots_) Unused();
    NegativeCycles();
    CircularGoals();
  }

 private:
  // Whether a source without rows is named to give it.
  bool IsGiven(const Call& call) const {
    const Store& store = context_.engine.store;
    const RelationId relation =
        store.Find(Space::kRelation, call.label, static_cast<std::uint32_t>(call.args.size()));
    return call.ns == Namespace::kRelation && relation != kNoId && store.IsGiven(relation);
  }

  int IndexOf(const Call& call) {
    const auto [at, is_new] = index_.emplace(KeyOf(call), static_cast<int>(names_.size()));
    if (is_new) {
      names_.emplace_back();
      names_.back().call = &call;
    }
    return at->second;
  }

  Name& At(int index) { return names_[static_cast<std::size_t>(index)]; }

  // --- Reading ----------------------------------------------------------------------------

  int Define(const Call& call, Span span, bool rule) {
    const int index = IndexOf(call);
    Name& name = At(index);
    if (!name.defined) {
      name.defined = true;
      name.first_definition = span;
      name.call = &call;
    }
    if (rule && !name.has_rule) {
      name.has_rule = true;
      name.first_rule = span;
    }
    for (const Node& arg : call.args) Term(arg, {index});
    return index;
  }

  void Use(const Call& call, Span span, const std::vector<int>& owners, Needs needs) {
    const int index = IndexOf(call);
    Name& name = At(index);
    if (part_->checked && !name.used) {
      name.used = true;
      name.first_use = span;
    }
    if (turned_ != nullptr && name.first_use == span) name.as_head = TurnedRule(span, *turned_);
    if (!left_ || needs != Needs::kPlain) name.elsewhere = true;
    else if (name.on_left.end == 0) name.on_left = span;
    for (const int owner : owners) edges_.push_back({owner, index, needs, span});
    for (const Node& arg : call.args) Term(arg, owners);
  }

  // A call as data: it may become a clause through `#?x` (§5.7).
  void Term(const Node& node, const std::vector<int>& owners) {
    if (const auto* call = node.As<Call>()) {
      const int index = IndexOf(*call);
      At(index).term = true;
      for (const int owner : owners) edges_.push_back({owner, index, Needs::kPlain, node.span});
    }
    if (const auto* count = node.As<Count>()) return Counted(count->operand.front(), owners);
    ForEachChild(node, [&](const Node& child) { Term(child, owners); });
  }

  void Counted(const Node& node, const std::vector<int>& owners) {
    const Node& operand = Ungroup(node);
    if (const auto* call = operand.As<Call>())
      return Use(*call, operand.span, owners, Needs::kCount);
    Term(operand, owners);
  }

  void Clause(const Node& node, const std::vector<int>& owners, Needs needs) {
    const bool left = left_;
    Visit(
        node, [&](const Call& call) { Use(call, node.span, owners, needs); },
        [&](const Not& n) { Clause(n.clause.front(), owners, Needs::kNot); },
        [&](const GoalFalse& g) { Clause(g.goal.front(), owners, Needs::kNot); },
        [&](const Annotated& a) {
          left_ = false;
          const bool covers = std::ranges::any_of(a.suffixes, CoversAll);
          Clause(a.form.front(), owners, covers ? Needs::kMetadata : needs);
          for (const Suffix& s : a.suffixes)
            for (const Node& value : s.value) Term(value, owners);
        },
        [&](const Rule& rule) {
          left_ = false;
          ARule(rule, owners);
        },
        [&](const Disjunction& d) {
          left_ = false;
          for (const Node& branch : d.branches) Clause(branch, owners, needs);
        },
        [&](const Among<Conjunction, Group> auto&) {
          ForEachChild(node, [&](const Node& child) { Clause(child, owners, needs); });
        },
        [&](const Binary& b) {
          const Node& right = Ungroup(b.sides[1]);
          const auto* call = right.As<Call>();
          if (b.op == Operator::kEqual && call != nullptr && call->ns == Namespace::kTool)
            Use(*call, right.span, owners, needs);  // ?v = $t()
          else Term(node, owners);
        },
        [&](const Among<Lvar, Avar, String, Template, Number, Keyword, Symbol, Boolean, Nil, Regex,
                        Match, Now, Collection, Expansion, rpl::Count, Within, Between> auto&) {
          Term(node, owners);
        });
    left_ = left;
  }

  // Whether the suffix reads the metadata of all instances together: ^ ?m (decision 48).
  static bool CoversAll(const Suffix& suffix) {
    if (suffix.bindings || !suffix.key.empty() || suffix.value.empty()) return false;
    const Node* value = &Ungroup(suffix.value.front());
    if (const auto* match = value->As<Match>()) value = &match->pattern.front();
    const auto* map = value->As<Collection>();
    return value->As<Boolean>() == nullptr &&
           (map == nullptr || map->kind != CollectionKind::kMap || !map->rest.empty());
  }

  // A rule in parentheses: its heads count as used by the enclosing rule. One with more heads than
  // the loader accepts has a finding; the excess heads own nothing here, so that heads times
  // clauses stays small.
  void ARule(const Rule& rule, const std::vector<int>& outer) {
    std::vector<int> owners = outer;
    bool gathers = false;
    const Node* previous = nullptr;
    for (const Node& head : rule.heads) {
      const auto* call = head.As<Call>();
      if (call == nullptr) {
        expands_ = true;
        continue;
      }
      const int index = Define(*call, head.span, true);
      if (call->ns == Namespace::kGoal) Root(index, head.span);
      for (const Node& arg : call->args) {
        const auto* match = arg.As<Match>();
        const auto* c = (match != nullptr ? match->pattern.front() : arg).As<Collection>();
        gathers |= c != nullptr && !c->rest.empty();
      }
      // The middle head of `a() <- b() <- c()` is used by the outer one.
      if (previous != nullptr && !owners.empty())
        edges_.push_back({owners.back(), index, Needs::kPlain, head.span});
      for (const int owner : outer) edges_.push_back({owner, index, Needs::kPlain, head.span});
      if (owners.size() < kMaxNesting) owners.push_back(index);
      previous = &head;
    }
    if (owners.empty()) owners.push_back(kRoot);
    Body(rule, owners, gathers ? Needs::kGather : Needs::kPlain);
  }

  void Body(const Rule& written, const std::vector<int>& owners, Needs needs) {
    std::optional<Rule> with_pin = WithPin(written);
    const Rule& rule = with_pin ? pinned_.emplace_back(std::move(*with_pin)) : written;
    // Activation clauses read the state before the body (decision 40).
    for (const Abductive& a : rule.abductives)
      for (const Node& clause : a.clauses) Clause(clause, {kRoot}, Needs::kPlain);
    left_ = rule.heads.empty() && !rule.constraints.empty();
    const bool may_turn = left_ && rule.constraints.size() == 1 && rule.abductives.empty();
    const bool single = rule.tail.size() == 1 && Ungroup(rule.tail.front()).As<Call>() != nullptr;
    if (may_turn && single) turned_ = &rule.constraints;
    for (const Node& tail : rule.tail) Clause(tail, owners, needs);
    left_ = false;
    turned_ = nullptr;
    if (may_turn && Ungroup(rule.constraints.front()).As<Call>() != nullptr) turned_ = &rule.tail;
    // A rule with a constraint is checked, whether it is used or not.
    if (rule.constraints.size() == 1)
      for (const int owner : owners)
        if (owner != kRoot) Root(owner, {});
    // `-> ?r -> inner(?x)` pins a form (decision 19).
    for (std::size_t i = 0; i < rule.constraints.size(); ++i) {
      if (rule.constraints.size() == 2 && i == 1) Term(rule.constraints[i], owners);
      else Clause(rule.constraints[i], {kRoot}, Needs::kPlain);
    }
    turned_ = nullptr;
  }

  // `a(?x) -> %b(?x)` as `%b(?x) <- a(?x)`, for hints.
  std::string TurnedRule(Span head, const Nodes& tail) const {
    constexpr std::size_t kShown = 60;
    if (tail.empty()) return "";
    const std::string_view body = context_.sources.Text(Cover(tail.front().span, tail.back().span));
    const bool whole = body.size() <= kShown && body.find('\n') == body.npos;
    return std::string(context_.sources.Text(head)) + " <- " + (whole ? std::string(body) : "…");
  }

  void Root(int index, Span span) { edges_.push_back({kRoot, index, Needs::kPlain, span}); }

  // Facts, replies of tools, traces: each asserted form defines.
  void Asserted(const Node& node) {
    const Node& form = Ungroup(node);
    Visit(
        form, [&](const Annotated& a) { Asserted(a.form.front()); },
        [&](const GoalFalse& g) { Asserted(g.goal.front()); },
        [&](const Conjunction& c) {
          for (const Node& clause : c.clauses) Asserted(clause);
        },
        [&](const Rule& rule) {
          for (const Node& head : rule.heads) Asserted(head);
        },
        [&](const Call& call) { Define(call, form.span, false); },
        [](const Among<Lvar, Avar, String, Template, Number, Keyword, Symbol, Boolean, Nil, Regex,
                       Match, Now, Collection, Expansion, rpl::Count, Not, Binary, Within, Between,
                       Disjunction, Group> auto&) {});
  }

  void Read(const Part& part) {
    part_ = &part;
    const Rule& rule = part.rule();
    switch (part.role) {
      case Role::kAssertion:
        for (const Node& tail : rule.tail) Asserted(tail);
        return;
      case Role::kConjoined: {
        std::vector<int> owners;
        for (const int target : part.targets) {
          const auto& heads =
              part.document->scopes[static_cast<std::size_t>(target)].signature->rule.heads;
          if (!heads.empty())
            if (const auto* call = heads.front().As<Call>()) owners.push_back(IndexOf(*call));
        }
        if (owners.empty()) owners.push_back(kRoot);
        return Body(rule, owners, Needs::kPlain);
      }
      case Role::kSignature:
        if (rule.heads.empty()) break;
        if (rule.tail.empty() && rule.heads.size() == 1) {
          if (const auto* call = rule.heads.front().As<Call>()) {
            const int index = Define(*call, rule.heads.front().span, false);
            if (call->ns == Namespace::kGoal) {
              Root(index, rule.heads.front().span);
              has_roots_ = true;
            }
          }
          return Body(rule, {kRoot}, Needs::kPlain);
        }
        [[fallthrough]];
      case Role::kOwn:
      case Role::kRule:
        for (const Node& head : rule.heads)
          if (const auto* call = head.As<Call>(); call != nullptr && call->ns == Namespace::kGoal)
            has_roots_ = true;
        return ARule(rule, {});
      case Role::kConstraint:
      case Role::kFailure:
      case Role::kObligation:
      case Role::kRefused: break;
    }
    has_roots_ |= part.role != Role::kObligation;
    Body(rule, {kRoot}, Needs::kPlain);
  }

  // A span that names a relation, and no variable, offers its facts (decisions 75, 96).
  void ReadProse() {
    std::set<std::string> unknown_spans;
    for (const Document& document : context_.documents)
      for (const Prose& prose : document.prose) {
        const std::vector<std::string> variables = prose.spans.empty()
                                                       ? std::vector<std::string>()
                                                       : VariablesAbove(document, prose.scope);
        for (const ProseSpan& span : prose.spans)
          if (std::ranges::find(variables, span.name) != variables.end()) continue;
          else if (const auto at = index_.find(document.prefix + span.name + "/1");
                   at != index_.end()) {
            At(at->second).prose = true;
            Root(at->second, span.span);
          } else {
            unknown_spans.insert(document.prefix + span.name);
          }
      }
    if (unknown_spans.empty()) return;
    // The name that a misspelt span means counts as used.
    std::vector<std::string> unary;
    for (const Name& name : names_)
      if (name.defined && name.call->ns == Namespace::kRelation && name.call->args.size() == 1)
        unary.push_back(name.call->label);
    for (const std::string& span : unknown_spans)
      if (const std::string close = Closest(span, unary, context_.suggestions); !close.empty())
        At(index_.at(close + "/1")).prose = true;
  }

  // --- Undefined --------------------------------------------------------------------------

  bool IsExcused(const Name& name) const {
    const std::string& label = name.call->label;
    if (IsBuiltin(*name.call) || label.empty() || context_.broken_heads.contains(label))
      return true;
    if (name.call->ns == Namespace::kRelation && indexed_.relations.contains(label)) return true;
    if (const std::size_t hash = label.find('#'); hash != std::string::npos)
      if (context_.unread_files.contains(label.substr(0, hash))) return true;
    return expands_ && name.term;  // `#?h <- …` may define it
  }

  void Undefined() {
    const auto is_undefined = [](const Name& name) { return name.used && !name.defined; };
    if (std::ranges::none_of(names_, is_undefined)) return;
    // Labels that are defined, by mark and label, with one of their names.
    std::unordered_map<std::string, int> labels;
    std::vector<std::string> relations, goals, tools;
    for (const BuiltinTool& tool : kBuiltinTools) tools.push_back("$" + std::string(tool.label));
    for (const std::string& tool : context_.host_tools) tools.push_back("$" + tool);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Name& name = names_[i];
      if (!name.defined) continue;
      const std::string text = NameOf(*name.call);
      if (!labels.emplace(text, static_cast<int>(i)).second) continue;
      switch (name.call->ns) {
        case Namespace::kRelation: relations.push_back(text); break;
        case Namespace::kGoal: goals.push_back(text); break;
        case Namespace::kTool: tools.push_back(text); break;
      }
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      Name& name = names_[i];
      if (!is_undefined(name)) continue;
      if (IsBuiltin(*name.call)) BuiltinArity(name);
      const Call& call = *name.call;
      if (IsExcused(name) || IsGiven(call)) continue;
      const std::string text = NameOf(call);
      // The intended name counts as used.
      const auto meant = [&](const std::string& other) {
        if (const auto at = labels.find(other); at != labels.end()) Root(at->second, {});
      };
      if (const auto other = labels.find(text); other != labels.end()) {
        Root(other->second, name.first_use);
        Arity(text, call.args.size(), name.first_use, At(other->second));
        continue;
      }
      const std::size_t before = context_.findings.size();
      if (text == "guard-decision") continue;  // asserted by the runtime
      switch (call.ns) {
        case Namespace::kRelation: {
          std::string close = Closest(text, relations, context_.suggestions);
          if (FindBuiltinTool(text) != nullptr) close = "$" + text;
          else if (labels.contains("$" + text)) close = "$" + text;
          else if (labels.contains("%" + text)) close = "%" + text;
          else if (const std::string own = text.substr(text.rfind('#') + 1); labels.contains(own))
            close = own;
          if (indexed_.others && (close.empty() || !IsLower(close.front()))) break;
          meant(close);
          context_.Add(Code::kUndefinedRelation, name.first_use,
                       "`" + text + "` is used here and defined nowhere",
                       FenceHint(text, HeadHint(name, BareHint(call, close))));
          if (name.on_left.end == 0 || context_.findings.size() == before) break;
          if (!name.elsewhere) context_.NeverHolds(before);
          else
            context_.findings.back().diagnostic.message +=
                ", and until it is stated, the constraint at " +
                context_.sources.Where(name.on_left) + " does not apply";
          break;
        }
        case Namespace::kGoal: {
          std::string close = Closest(text, goals, context_.suggestions);
          if (close.empty() && labels.contains(call.label)) close = call.label;
          meant(close);
          context_.Add(Code::kUndefinedGoal, name.first_use,
                       "the goal `" + text + "` is used here and defined nowhere",
                       FenceHint(text, HeadHint(name, Suggest(close))));
          break;
        }
        case Namespace::kTool: {
          if (context_.host_tools.contains(call.label)) break;
          const std::string close = Closest(text, tools, context_.suggestions);
          meant(close);
          context_.Add(Code::kUndeclaredTool, name.first_use,
                       "the tool `" + text + "` is neither built in nor declared here",
                       close.empty() ? "declare it in a heading, as in `# Title - " + text +
                                           (call.args.empty() ? "()`" : "(?x)`")
                                     : "did you mean `" + close + "`?");
          break;
        }
      }
    }
  }

  void BuiltinArity(const Name& name) {
    const Call& call = *name.call;
    if (call.ns != Namespace::kTool || call.label == "json") return;
    const BuiltinTool& tool = *FindBuiltinTool(call.label);
    if (call.args.size() >= tool.least && call.args.size() <= tool.most) return;
    const std::string few = tool.least < tool.most ? std::to_string(tool.least) + " or " : "";
    context_.Add(Code::kWrongArity, name.first_use,
                 "`$" + call.label + "` takes " + few + Arguments(tool.most) + ", here it has " +
                     (call.args.empty() ? "none" : std::to_string(call.args.size())),
                 "write `" + std::string(tool.form) + "`");
  }

  // A fence without a tag may have been meant as RPL.
  std::string FenceHint(const std::string& name, std::string otherwise) {
    if (!unread_) CollectUnread();
    const auto fence = unread_->find(name);
    if (fence == unread_->end()) return otherwise;
    return "it stands in the fence at " + context_.sources.Where(fence->second) +
           ", which is RPL with the tag `rpl`";
  }

  // The names that begin a line in fences of the checked documents without a tag.
  void CollectUnread() {
    unread_.emplace();
    for (const Document& document : context_.documents) {
      const Sources::File& file = context_.sources.at(document.file);
      if (!context_.checked_files.contains(document.file) || IsPlainRpl(file.name)) continue;
      for (const Block& block : ReadBlocks(context_.sources, document.file)) {
        if (block.kind != BlockKind::kFence || !TagOf(block.info).empty()) continue;
        const std::string_view text = std::string_view(file.text).substr(0, block.content.end);
        for (std::size_t line = block.content.begin; line < text.size();
             line = LineEnd(text, line) + 1) {
          const std::size_t begin = SkipBlanks(text, line);
          const std::string_view row = text.substr(begin, LineEnd(text, begin) - begin);
          const Start start = StartOf(text, begin, row);
          if (start != Start::kCall && start != Start::kMaybe) continue;
          const std::size_t mark = row[0] == '%' || row[0] == '$' ? 1 : 0;
          std::size_t size = mark;
          while (size < row.size() && IsNameChar(row[size])) ++size;
          unread_->try_emplace(std::string(row.substr(0, size)), block.span);
        }
      }
    }
  }

  // `ready` alone on a line, or behind the ` - ` of a heading, is text (decision 16).
  std::string BareHint(const Call& call, const std::string& close) {
    if (!call.args.empty()) return Suggest(close);
    const std::string& label = call.label;
    for (const Document& document : context_.documents) {
      if (!context_.checked_files.contains(document.file)) continue;
      for (const Scope& scope : document.scopes)
        if (!scope.signature && scope.title.ends_with(" - " + label))
          return "the heading at " + context_.sources.Where(scope.span) +
                 " defines it when it ends in `" + label + "()`";
      for (const Prose& prose : document.prose) {
        if (bare_budget_ < prose.span.end - prose.span.begin) return Suggest(close);
        bare_budget_ -= prose.span.end - prose.span.begin;
        const std::string_view text = context_.sources.Text(prose.span);
        for (std::size_t at = text.find(label); at != text.npos; at = text.find(label, at + 1)) {
          const std::size_t end = at + label.size();
          const bool line = (at == 0 || text[at - 1] == '\n') &&
                            (end == text.size() || text[end] == '\n' || text[end] == '\r');
          if (!line) continue;
          const auto begin = prose.span.begin + static_cast<std::uint32_t>(at);
          return "the line at " + context_.sources.Where({document.file, begin, begin + 1}) +
                 " states it when it reads `" + label + "()`";
        }
      }
    }
    return Suggest(close);
  }

  // `a(?x) -> b(?x)` says what must hold; perhaps a rule was meant.
  static std::string HeadHint(const Name& name, std::string hint) {
    if (!hint.empty() || name.as_head.empty()) return hint;
    return "`->` says what must hold; for a rule write `" + name.as_head + "`";
  }

  static std::string Suggest(const std::string& close) {
    return close.empty() ? "" : "did you mean `" + close + "`?";
  }

  void Arity(const std::string& text, std::size_t got, Span span, const Name& defined) {
    const std::size_t wanted = defined.call->args.size();
    context_.Add(Code::kWrongArity, span,
                 "`" + text + "` is defined with " + Arguments(wanted) + ", here it has " +
                     (got == 0 ? "none" : std::to_string(got)),
                 "it is defined at " + context_.sources.Where(defined.first_definition));
  }

  static std::string Arguments(std::size_t n) {
    return n == 0 ? "no arguments" : n == 1 ? "1 argument" : std::to_string(n) + " arguments";
  }

  // --- Several arities, unused, unreachable ---------------------------------------------

  // Not if a rule of one reads the other: `needed() <- needed(?r)` is a projection.
  void SeveralArities() {
    std::unordered_map<std::string_view, int> first;  // relations, by label
    std::vector<std::pair<int, int>> pairs;           // of one label, the second one in order
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Name& name = names_[i];
      if (!name.defined || name.call->ns != Namespace::kRelation) continue;
      const auto [at, is_new] = first.emplace(name.call->label, static_cast<int>(i));
      if (!is_new) pairs.emplace_back(at->second, static_cast<int>(i));
    }
    if (pairs.empty()) return;
    std::set<std::pair<int, int>> related;
    for (const Edge& e : edges_) {
      related.emplace(e.from, e.to);
      related.emplace(e.to, e.from);
    }
    for (const auto& pair : pairs) {
      if (related.contains(pair)) continue;
      const Name& other = At(pair.first);
      const Name& name = At(pair.second);
      context_.Add(Code::kSeveralArities, name.first_definition,
                   "`" + name.call->label + "` is defined with " +
                       Arguments(name.call->args.size()) + " here and with " +
                       Arguments(other.call->args.size()) + " at " +
                       context_.sources.Where(other.first_definition),
                   "these are two relations");
    }
  }

  // §9: `collect-name(?first, ?last)` is an action, `name(?first, ?last)` a fact. Words that
  // are nouns as well (`order-line`, `report-date`) and names of one word are left alone.
  void Imperatives() {
    static const std::unordered_set<std::string_view> kVerbs = {
        "apply",    "assign",   "calculate", "choose",   "collect",    "compute",
        "confirm",  "convert",  "create",    "decide",   "delete",     "determine",
        "ensure",   "evaluate", "execute",   "extract",  "fetch",      "gather",
        "generate", "get",      "identify",  "inform",   "initialise", "initialize",
        "notify",   "obtain",   "remove",    "retrieve", "validate",   "verify"};
    std::unordered_set<std::string> told;
    for (const Name& name : names_) {
      if (!name.defined || name.call->ns != Namespace::kRelation) continue;
      const std::string& label = name.call->label;
      const std::string own = Kebab(label.substr(label.rfind('#') + 1));
      const std::size_t hyphen = own.find('-');
      if (hyphen == std::string::npos || !kVerbs.contains(own.substr(0, hyphen))) continue;
      if (!told.insert(label).second) continue;
      context_.Add(Code::kImperativeName, name.first_definition,
                   "`" + label + "` is named like an action, and a relation states facts",
                   "name what holds, as in `" + own.substr(hyphen + 1) + "`");
    }
  }

  // Reports names that no root reaches: of a chain of such rules only the unused one, of a cycle
  // the first one.
  void Unused() {
    const std::size_t n = names_.size();
    std::vector<std::vector<int>> to(n);
    std::vector<bool> reached(n), from_other(n);
    std::vector<int> work;
    for (const Edge& e : edges_) {
      if (e.from == kRoot) {
        work.push_back(e.to);
      } else {
        to[static_cast<std::size_t>(e.from)].push_back(e.to);
        if (e.from != e.to) from_other[static_cast<std::size_t>(e.to)] = true;
      }
    }
    const auto spread = [&] {
      while (!work.empty()) {
        const auto at = static_cast<std::size_t>(work.back());
        work.pop_back();
        if (reached[at]) continue;
        reached[at] = true;
        for (const int next : to[at]) work.push_back(next);
      }
    };
    spread();
    for (const bool cyclic : {false, true}) {
      for (std::size_t i = 0; i < n; ++i) {
        Name& name = names_[i];
        const Call& call = *name.call;
        if (reached[i] || from_other[i] != cyclic || !name.defined || name.prose) continue;
        if (call.ns == Namespace::kGoal || IsExcused(name)) continue;
        if (call.ns == Namespace::kTool && !name.has_rule) continue;  // offered to the reader
        if (context_.broken_names.contains(call.label)) continue;
        work.push_back(static_cast<int>(i));
        spread();
        const std::string text = NameOf(call);
        if (name.has_rule)
          context_.Add(Code::kUnreachableRule, name.first_rule,
                       "no goal or constraint needs `" + text + "`");
        else
          context_.Add(Code::kUnusedDefinition, name.first_definition,
                       "`" + text + "` is defined here and used nowhere");
      }
    }
  }

  // --- Cycles -------------------------------------------------------------------------------

  // The component of each name.
  std::vector<int> ComponentOfNames() const {
    std::vector<std::vector<std::uint32_t>> to(names_.size());
    for (const Edge& e : edges_)
      if (e.from != kRoot)
        to[static_cast<std::size_t>(e.from)].push_back(static_cast<std::uint32_t>(e.to));
    return StronglyConnected(to, std::vector<bool>(names_.size(), true)).of;
  }

  // The components of the heads with a finding RPL3003, which says more than RPL3001.
  std::set<int> ComponentsWithError(const std::vector<int>& component) {
    std::set<int> out;
    std::set<std::pair<std::uint32_t, std::uint32_t>> errors;
    for (const Finding& f : context_.findings)
      if (f.diagnostic.code == Code::kGatheringRecursion)
        errors.emplace(f.diagnostic.span.file, f.diagnostic.span.begin);
    if (errors.empty()) return out;
    for (const Part& part : context_.parts)
      for (const Node& head : part.rule().heads) {
        const auto at = errors.lower_bound({head.span.file, head.span.begin});
        if (at == errors.end() || at->first != head.span.file || at->second >= head.span.end)
          continue;
        if (const auto* call = head.As<Call>())
          out.insert(component[static_cast<std::size_t>(IndexOf(*call))]);
      }
    return out;
  }

  void NegativeCycles() {
    const std::vector<int> component = ComponentOfNames();
    std::set<int> told;
    for (const int own : ComponentsWithError(component)) told.insert(own), broken_.insert(own);
    for (const Edge& e : edges_) {
      if (e.from == kRoot || e.needs == Needs::kPlain) continue;
      const int own = component[static_cast<std::size_t>(e.from)];
      if (own != component[static_cast<std::size_t>(e.to)]) continue;
      if (!told.insert(own).second) continue;
      const std::string from = NameOf(*At(e.from).call);
      const std::string to = NameOf(*At(e.to).call);
      broken_.insert(own);
      context_.AddOfRun(
          Code::kRecursionThroughNegation, e.span,
          from == to ? "`" + from + "` needs itself through " + NeedsText(e.needs)
                     : "`" + from + "` needs `" + to + "` through " + NeedsText(e.needs) +
                           ", and `" + to + "` needs `" + from + "`",
          e.needs == Needs::kGather
              ? "gather what is complete; a list is taken apart in the tail, as in "
                "`?l = ~ [_ & ?t]`"
              : "break the cycle: what is negated, counted or covered must be complete "
                "first");
    }
    component_ = component;
  }

  // Reports goals that can hold only if one of them already does. A goal is founded if one of its
  // rules needs only founded goals.
  void CircularGoals() {
    struct GoalRule {
      int goal;
      const Rule* rule;
      Span span;
      bool checked;
    };
    std::vector<GoalRule> rules;
    std::unordered_set<int> founded;
    for (const Part& part : context_.parts) {
      const Rule& rule = part.rule();
      if (part.role == Role::kAssertion) {
        for (const Node& tail : rule.tail) {
          const Node* form = &Ungroup(tail);
          if (const auto* a = form->As<Annotated>()) form = &Ungroup(a->form.front());
          if (const auto* call = form->As<Call>(); call && call->ns == Namespace::kGoal)
            founded.insert(IndexOf(*call));
        }
      }
      if (rule.heads.empty() || part.role == Role::kAssertion) continue;
      for (const Node& head : rule.heads)
        if (const auto* call = head.As<Call>(); call && call->ns == Namespace::kGoal)
          rules.push_back({IndexOf(*call), &rule, head.span, part.checked});
    }
    // The tails as trees of conditions, each with the number of parts that it still needs; the root
    // is a rule. A condition that holds is propagated upwards, once; a founded goal releases the
    // conditions that wait for it.
    struct Condition {
      int above;  // an index into conditions; -1 - i for rule i
      std::size_t missing;
    };
    std::vector<Condition> conditions;
    std::unordered_map<int, std::vector<int>> waiting;  // conditions, by goal
    std::vector<int> work;                              // `above` of conditions that hold
    const std::function<void(const Node&, int)> wait = [&](const Node& node, int above) {
      const auto parts = [&](const Nodes& nodes, std::size_t missing) {
        const int own = static_cast<int>(conditions.size());
        conditions.push_back({above, missing});
        if (missing == 0) work.push_back(above);
        for (const Node& part : nodes) wait(part, own);
      };
      if (const auto* call = node.As<Call>(); call && call->ns == Namespace::kGoal) {
        const int goal = IndexOf(*call);
        if (!founded.contains(goal) && At(goal).defined) return waiting[goal].push_back(above);
      }
      if (const auto* c = node.As<Conjunction>()) return parts(c->clauses, c->clauses.size());
      if (const auto* d = node.As<Disjunction>()) return parts(d->branches, 1);
      if (const auto* r = node.As<Rule>()) return parts(r->tail, r->tail.size());
      if (const auto* g = node.As<Group>()) return wait(g->inner.front(), above);
      if (const auto* a = node.As<Annotated>()) {
        const bool truth = std::any_of(a->suffixes.begin(), a->suffixes.end(), [](const Suffix& s) {
          return !s.bindings && s.key.empty() && s.value.front().As<Boolean>();
        });
        if (!truth) return wait(a->form.front(), above);
      }
      work.push_back(above);
    };
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const int own = static_cast<int>(conditions.size());
      const Nodes& tail = rules[i].rule->tail;
      conditions.push_back({-1 - static_cast<int>(i), tail.size()});
      if (tail.empty()) work.push_back(conditions.back().above);
      for (const Node& part : tail) wait(part, own);
    }
    while (!work.empty()) {
      const int at = work.back();
      work.pop_back();
      if (at >= 0) {
        Condition& c = conditions[static_cast<std::size_t>(at)];
        if (c.missing > 0 && --c.missing == 0) work.push_back(c.above);
        continue;
      }
      const int goal = rules[static_cast<std::size_t>(-1 - at)].goal;
      if (!founded.insert(goal).second) continue;
      const std::vector<int>& next = waiting[goal];
      work.insert(work.end(), next.begin(), next.end());
    }
    std::unordered_set<int> cyclic;  // components with an edge inside
    for (const Edge& e : edges_) {
      if (e.from == kRoot) continue;
      const int own = component_[static_cast<std::size_t>(e.from)];
      if (own == component_[static_cast<std::size_t>(e.to)]) cyclic.insert(own);
    }
    std::set<int> told;
    for (const GoalRule& r : rules) {
      if (founded.contains(r.goal) || !r.checked) continue;
      // Only goals on a cycle; those that merely use one follow from it.
      const int own = component_[static_cast<std::size_t>(r.goal)];
      if (!cyclic.contains(own) || broken_.contains(own) || !told.insert(own).second) continue;
      context_.Add(Code::kCircularGoals, r.span,
                   "`" + NameOf(*At(r.goal).call) + "` can hold only if it already holds",
                   "give one of the goals of this cycle a rule without them");
    }
  }

  Context& context_;
  const Indexed indexed_ = IndexedBy(context_.documents);
  const Part* part_ = nullptr;
  bool left_ =
      false;  // reading clauses of the left side of a constraint, all of which have to hold
  const Nodes* turned_ = nullptr;  // reading one side of a constraint, a call: the other side
  std::deque<Rule> pinned_;        // rules as WithPin makes them, of which names keep calls
  std::vector<Name> names_;
  std::unordered_map<std::string, int> index_;
  std::vector<Edge> edges_;
  std::vector<int> component_;
  std::set<int> broken_;  // components with a cycle through negation
  std::optional<std::unordered_map<std::string, Span>> unread_;  // see CollectUnread
  std::size_t bare_budget_ = 4'000'000;  // bytes of prose that hints may still search
  bool has_roots_ = false;               // there is a goal or constraint
  bool expands_ = false;                 // some head is `#?h`
};

}  // namespace

void CheckNames(Context& context) { Names(context).Run(); }

}  // namespace rpl::check
