// SPDX-License-Identifier: Apache-2.0
//
// Habits of other languages, each of which is legal RPL and means something else: a function call
// for a value, `[& ?x]` for all ?x, a variable without its `?`, one variable for two counts.
#include <algorithm>
#include <functional>

#include "formats/character.h"
#include "formats/list_text.h"
#include "interp/lint/context.h"
#include "interp/program/lower.h"
#include "interp/store/store.h"

namespace rpl::check {
namespace {

using NameSet = std::set<std::string>;

template <typename Fn>
void ForEachBelow(const Node& node, Fn&& fn) {
  fn(node);
  ForEachChild(node, [&](const Node& child) { ForEachBelow(child, fn); });
}

template <typename Fn>
void ForEachBodyNode(const Rule& rule, Fn&& fn) {
  for (const Node& n : rule.tail) fn(n);
  for (const Abductive& a : rule.abductives)
    for (const Node& n : a.clauses) fn(n);
  for (const Node& n : rule.constraints) fn(n);
}

const Lvar* LvarOf(const Node& node) {
  const auto* v = Ungroup(node).As<Lvar>();
  return v == nullptr || v->name.empty() ? nullptr : v;
}

// The names of `node`, each as often as it stands there.
void CountLvars(const Node& node, std::unordered_map<std::string, int>& to) {
  ForEachBelow(node, [&](const Node& n) {
    if (const auto* v = n.As<Lvar>()) ++to[v->name];
    if (const auto* e = n.As<Expansion>()) ++to[e->name];
    if (const auto* t = n.As<Template>())
      for (const std::string& hole : t->holes) ++to[hole];
  });
}

// The symbols of a sentence by what they may be.
struct Symbols {
  NameSet head;       // arguments of its heads
  NameSet tail;       // arguments of calls in its body
  NameSet elsewhere;  // operands, elements of collections, keys
  NameSet asked;      // arguments of a heading that would be asked for if they were variables
  bool asks = false;  // a heading without tail

  // Those that other languages would read as variables.
  bool LooksLikeVariable(const std::string& name) const {
    return head.contains(name) && !elsewhere.contains(name) &&
           (asked.contains(name) || tail.contains(name));
  }
};

class Habits {
 public:
  explicit Habits(Context& context) : context_(context) {}

  void Run() {
    for (const auto& [relation, given] : context_.given_relations)
      defined_.insert(given.call.label);
    FindQuestions();
    for (const Part& part : context_.parts) Read(part);
    context_.ForEachFact([&](RelationId relation, std::span<const Value> row) {
      for (std::size_t i = 0; i < row.size() && i < kMaxArity; ++i)
        if (row[i].kind() == Kind::kList || row[i].kind() == Kind::kSet)
          lists_[relation] |= Columns{1} << i;
    });
    for (const Part& part : context_.parts) {
      if (!part.checked) continue;
      LibraryTerms(part.rule());
      if (part.role == Role::kAssertion) continue;
      ForEachBodyNode(part.rule(), [&](const Node& clause) {
        ForEachBelow(clause, [&](const Node& node) {
          if (const auto* call = node.As<Call>()) HostCall(*call);
          const auto* b = node.As<Binary>();
          if (b == nullptr || b->op != Operator::kEqual) return;
          for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            CallAsFunction(*b, side);
            RestOfElement(part.rule(), *b, side);
          }
        });
      });
      ForgottenMark(part);
      CountPerValue(part);
    }
  }

 private:
  // --- What the program has -----------------------------------------------------------------

  void Read(const Part& part) {
    const Rule& rule = part.rule();
    for (const Node& head : rule.heads)
      if (const auto* call = head.As<Call>()) {
        defined_.insert(call->label);
        NoteColumns(*call);
        if (!rule.tail.empty() || part.role == Role::kSignature) ruled_.insert(KeyOf(*call));
      }
    if (part.role == Role::kAssertion) {
      for (const Node& tail : rule.tail) Asserted(tail);
    } else {
      const Symbols symbols = SymbolsOf(part);
      for (const NameSet* names : {&symbols.head, &symbols.tail, &symbols.elsewhere})
        for (const std::string& name : *names)
          if (!symbols.LooksLikeVariable(name)) constants_.insert(name);
    }
    NameSet terms;  // of this sentence
    const auto note = [&](const Node& node) { Terms(node, terms); };
    ForEachChild(rule, note);
    for (const std::string& term : terms) ++sentences_with_term_[term];
    if (part.role != Role::kSignature && part.role != Role::kOwn && part.role != Role::kConjoined)
      return;
    const auto shared = [&](int scope) {
      auto& names = shared_[&part.document->scopes[static_cast<std::size_t>(scope)]];
      ForEachChild(rule, [&](const Node& n) { CountLvars(n, names); });
    };
    if (part.role != Role::kConjoined) shared(part.scope);
    for (const int target : part.targets) shared(target);
  }

  void Asserted(const Node& node) {
    ForEachBelow(node, [&](const Node& n) {
      if (const auto* s = n.As<Symbol>()) constants_.insert(s->name);
    });
    ForEachBelow(node, [&](const Node& n) {
      const auto* call = n.As<Call>();
      if (call == nullptr) return;
      defined_.insert(call->label);
      NoteColumns(*call);
    });
  }

  void NoteColumns(const Call& call) {
    for (std::size_t i = 0; i < call.args.size(); ++i)
      if (const auto* s = call.args[i].As<Symbol>())
        columns_[KeyOf(call) + ":" + std::to_string(i)].insert(s->name);
  }

  // Calls `fn(call, node, in)` for the calls below `node` that are data, of the node `in`.
  template <typename Fn>
  static void ForEachTerm(const Node& node, Fn&& fn) {
    ForEachBelow(node, [&](const Node& in) {
      const auto take = [&](const Node& n) {
        const auto* call = Ungroup(n).As<Call>();
        if (call != nullptr && call->ns == Namespace::kRelation) fn(*call, Ungroup(n), in);
      };
      if (const auto* call = in.As<Call>()) std::ranges::for_each(call->args, take);
      if (const auto* b = in.As<Binary>()) std::ranges::for_each(b->sides, take);
      if (const auto* m = in.As<Match>()) std::ranges::for_each(m->pattern, take);
    });
  }

  static void Terms(const Node& node, NameSet& to) {
    ForEachTerm(node, [&](const Call& call, const Node&, const Node&) { to.insert(KeyOf(call)); });
  }

  // --- Functions (§3, §5.2) -------------------------------------------------------------------

  static std::string_view FunctionHint(std::string_view label) {
    constexpr std::string_view kSum =
        "`+` adds two numbers; for the sum of many, gather them and go through the list";
    constexpr std::string_view kExtreme =
        "the largest is the one that nothing exceeds: `p(?x), not (p(?y), ?y > ?x)`";
    constexpr std::string_view kText = "to join texts write one string, as in `\"{?a} {?b}\"`";
    static const std::unordered_map<std::string_view, std::string_view> kHints = {
        {"count", "|"},        {"length", "|"},       {"len", "|"},      {"size", "|"},
        {"cardinality", "|"},  {"sum", kSum},         {"total", kSum},   {"avg", kSum},
        {"average", kSum},     {"mean", kSum},        {"max", kExtreme}, {"min", kExtreme},
        {"maximum", kExtreme}, {"minimum", kExtreme}, {"concat", kText}, {"str", kText}};
    const auto at = kHints.find(label);
    return at == kHints.end() ? "" : at->second;
  }

  // `?n = count(p(_))` binds ?n to the term `count(p(_))`. A term that stands in several sentences
  // is data of the author's own.
  void CallAsFunction(const Binary& b, std::size_t side) {
    const Node& node = Ungroup(b.sides[side]);
    const auto* call = node.As<Call>();
    if (call == nullptr || call->ns != Namespace::kRelation || call->args.empty()) return;
    if (call->label.starts_with(kLibrary) || LvarOf(b.sides[1 - side]) == nullptr ||
        defined_.contains(call->label))
      return;
    if (sentences_with_term_[KeyOf(*call)] > 1) return;
    std::string hint(FunctionHint(call->label));
    if (hint.empty()) return;
    std::vector<Edit> edits;
    if (hint == "|") {
      hint = "`|rel(_)|` counts rows, and `|?list|` elements";
      const Node& operand = call->args.front();
      const auto* inner = operand.As<Call>();
      const bool counts = inner != nullptr ? inner->ns == Namespace::kRelation
                                           : operand.As<Lvar>() || operand.As<Collection>();
      if (call->args.size() == 1 && counts) {
        const std::string count = "|" + std::string(context_.sources.Text(operand.span)) + "|";
        hint = "write `" + count + "`";
        edits.push_back({node.span, count});
      }
    }
    context_.Add(Code::kCallAsFunction, node.span,
                 "`" + call->label + "` is no function: " + LvarText(b.sides[1 - side]) +
                     " is bound to this term as it stands",
                 hint, std::move(edits));
  }

  static std::string LvarText(const Node& node) { return "?" + LvarOf(node)->name; }

  // The library has relations, so `?n = std#number(?t)` binds ?n to a term.
  void LibraryTerms(const Rule& rule) {
    const auto check = [&](const Node& sentence, bool states) {
      ForEachTerm(sentence, [&](const Call& call, const Node& node, const Node& in) {
        const bool chooses = states && &in == &sentence && ExtremumCall(node) != nullptr;
        if (call.label.starts_with(kLibrary) && !chooses) LibraryTerm(call, node, in);
      });
    };
    for (const Node& head : rule.heads) check(head, true);
    ForEachBodyNode(rule, [&](const Node& clause) { check(clause, rule.heads.empty()); });
  }

  void LibraryTerm(const Call& call, const Node& node, const Node& in) {
    std::string hint;
    std::vector<Edit> edits;
    const auto at = Library().find(call.label);
    if (ExtremumCall(node) != nullptr) {
      hint = "it chooses among the answers of a rule, as an argument of the head";
    } else if (at == Library().end()) {
      const std::string close = Closest(call.label, library_names_, context_.suggestions);
      hint = close.empty() ? "the library has no relation of that name"
                           : "did you mean `" + close + "`?";
    } else if (!at->second.contains(call.args.size() + 1)) {
      const std::size_t arity = *at->second.begin();
      hint = "it is a relation with " + std::to_string(arity) +
             (arity == 1 ? " argument" : " arguments") + ", to be called in its own clause";
    } else {
      const auto* equation = in.As<Binary>();
      const Node* const other = equation != nullptr && equation->op == Operator::kEqual
                                    ? &equation->sides[&Ungroup(equation->sides[0]) == &node]
                                    : nullptr;
      const bool binds = other != nullptr && LvarOf(*other) != nullptr;
      std::string text(context_.sources.Text(node.span));
      text.insert(text.rfind(')'), (call.args.empty() ? "" : ", ") +
                                       (binds ? LvarText(*other) : std::string("?value")));
      hint = "it is a relation: write `" + text + "`" + (binds ? "" : " in its own clause");
      if (binds) edits.push_back({in.span, text});
    }
    context_.Add(Code::kCallAsFunction, node.span,
                 "`" + call.label + "` is no function: this is a term as it stands", hint,
                 std::move(edits));
  }

  // The relations of the library with their numbers of arguments. Found when first asked for.
  const std::map<std::string, std::set<std::size_t>>& Library() {
    if (!library_.empty()) return library_;
    const interp::Engine& engine = context_.engine;
    for (RelationId r = 0; r < engine.store.size(); ++r) {
      const Relation& rel = engine.store.at(r);
      if (rel.name().starts_with(kLibrary) &&
          (engine.program.HasRules(r) || engine.program.FindBuiltin(r) != nullptr))
        library_[rel.name()].insert(rel.arity());
    }
    library_names_ = {"std#least", "std#greatest"};
    for (const auto& [name, arities] : library_) library_names_.push_back(name);
    return library_;
  }

  // --- Calls of a host (std/std.md) -------------------------------------------------------------

  // A program is named without its folder and its arguments, a file from the project's folder.
  void HostCall(const Call& call) {
    if (call.ns != Namespace::kRelation || call.args.size() < 2) return;
    const auto* text = call.args[1].As<String>();
    if (text == nullptr) return;
    const std::string& name = text->text;
    const auto add = [&](const char* what, const char* hint) {
      context_.Add(Code::kNoSuchHostCall, call.args[1].span,
                   std::string("no call ") + what + " `" + name + "`", hint);
    };
    const bool succeeded = call.label == "std#succeeded";
    if (call.label == "std#runs" || call.label == "std#options" || succeeded) {
      if (name.find_first_of(" \t") != std::string::npos)
        add("runs a program of the name",
            "the program is one word, and its arguments are a list of texts: `\"git\", [\"push\" & "
            "_]`");
      else if (!succeeded && name.find('/') != std::string::npos)
        add("runs a program of the name", "programs are named without their folder");
    } else if (call.label == "std#edits" || call.label == "std#reads") {
      if (name.starts_with("./") || name.starts_with("~") || name.find("/../") != name.npos)
        add("reaches a file of the name",
            "files are named from the project's folder, or from `/` outside of it");
    }
  }

  // --- Gathering (§8) -------------------------------------------------------------------------

  // `?l = [& ?x], p(?x)`: a tail takes collections apart, and only a head gathers.
  void RestOfElement(const Rule& rule, const Binary& b, std::size_t side) {
    const Node* node = &Ungroup(b.sides[side]);
    if (const auto* m = node->As<Match>()) node = &m->pattern.front();
    const auto* c = node->As<Collection>();
    const Lvar* whole = LvarOf(b.sides[1 - side]);
    if (c == nullptr || c->kind == CollectionKind::kMap || whole == nullptr) return;
    if (!c->items.empty() || c->rest.size() != 1) return;
    const Lvar* rest = LvarOf(c->rest.front());
    if (rest == nullptr) return;
    const Node* source = nullptr;
    bool given = false;  // something else binds ?l
    ForEachBodyNode(rule, [&](const Node& clause) {
      ForEachBelow(clause, [&](const Node& n) {
        const auto* call = n.As<Call>();
        if (call == nullptr) {
          const auto* other = n.As<Binary>();
          if (other == nullptr || other == &b || other->op != Operator::kEqual) return;
          for (const Node& s : other->sides)
            given |= LvarOf(s) != nullptr && LvarOf(s)->name == whole->name;
          return;
        }
        for (std::size_t i = 0; i < call->args.size(); ++i) {
          const Lvar* v = LvarOf(call->args[i]);
          if (v == nullptr) continue;
          given |= v->name == whole->name && call->ns == Namespace::kRelation;
          const bool element = v->name == rest->name && call->ns == Namespace::kRelation;
          if (element && !HoldsLists(*call, i)) source = &n;
        }
      });
    });
    if (source == nullptr || given) return;
    const std::string text(context_.sources.Text(node->span));
    context_.Add(Code::kRestOfElement, node->span,
                 "`" + text + "` collects nothing here: its ?" + rest->name + " is one value of `" +
                     std::string(context_.sources.Text(source->span)) + "`",
                 "only a head gathers: `all(" + text + ") <- " +
                     std::string(context_.sources.Text(source->span)) + "`");
  }

  // Whether a fact has a list or a set there.
  bool HoldsLists(const Call& call, std::size_t column) const {
    const RelationId relation = context_.engine.store.Find(
        Space::kRelation, call.label, static_cast<std::uint32_t>(call.args.size()));
    const auto at = lists_.find(relation);
    return at != lists_.end() && column < kMaxArity && (at->second >> column & 1) != 0;
  }

  // --- Variables without their mark (§3) --------------------------------------------------------

  // `# Tone - tone(formal)` may state what holds. `# Draft - draft(id)` is a question if its prose
  // asks one or marks `__id__`, or if the program has `?id`.
  void FindQuestions() {
    for (const Document& document : context_.documents)
      for (const Prose& prose : document.prose) {
        const Scope* scope = &document.scopes[static_cast<std::size_t>(prose.scope)];
        if (context_.sources.Text(prose.span).find('?') != std::string_view::npos)
          questions_.insert(scope);
        for (const ProseSpan& span : prose.spans) spans_[scope].insert(span.name);
      }
  }

  // Whether the program has the lvar.
  bool IsLvar(const std::string& name) {
    if (lvars_.empty())
      for (const Part& part : context_.parts)
        ForEachChild(part.rule(), [&](const Node& n) { CountLvars(n, lvars_); });
    return lvars_.contains(name);
  }

  Symbols SymbolsOf(const Part& part) {
    const Rule& rule = part.rule();
    Symbols out;
    for (const Node& head : rule.heads) {
      const auto* call = head.As<Call>();
      if (call == nullptr) continue;
      for (const Node& arg : call->args) {
        if (const auto* s = arg.As<Symbol>()) out.head.insert(s->name);
        else SymbolsIn(arg, out.elsewhere);
      }
    }
    ForEachBodyNode(rule, [&](const Node& n) { BodySymbols(n, out); });
    out.asks = part.role == Role::kSignature && rule.tail.empty() && rule.constraints.empty();
    if (!out.asks) return out;
    const auto spans = spans_.find(&part.section());
    for (const std::string& name : out.head)
      if (questions_.contains(&part.section()) || IsLvar(name) ||
          (spans != spans_.end() && spans->second.contains(name)))
        out.asked.insert(name);
    return out;
  }

  static void SymbolsIn(const Node& node, NameSet& to) {
    ForEachBelow(node, [&](const Node& n) {
      if (const auto* s = n.As<Symbol>()) to.insert(s->name);
    });
  }

  static void BodySymbols(const Node& node, Symbols& to) {
    if (const auto* s = node.As<Symbol>()) to.elsewhere.insert(s->name);
    const auto* call = node.As<Call>();
    if (call == nullptr) return ForEachChild(node, [&](const Node& n) { BodySymbols(n, to); });
    for (const Node& arg : call->args) {
      if (const auto* s = arg.As<Symbol>()) to.tail.insert(s->name);
      else BodySymbols(arg, to);
    }
  }

  // `q(x) <- p(x)` and `# Draft - draft(id)`. A symbol that the program has anywhere else is one,
  // and so is one beside others in the column of the head, unless the tail can never have it.
  void ForgottenMark(const Part& part) {
    const Rule& rule = part.rule();
    const Symbols symbols = SymbolsOf(part);
    const auto forgotten = [&](const Call& call, std::size_t i) {
      const auto* s = call.args[i].As<Symbol>();
      if (s == nullptr || !symbols.LooksLikeVariable(s->name)) return false;
      if (IsUpper(s->name.front())) return false;  // has a finding where it is read
      if (constants_.contains(s->name)) return false;
      return columns_[KeyOf(call) + ":" + std::to_string(i)].size() < 2 ||
             (!symbols.asks && NeverHolds(rule, s->name));
    };
    const Node* first = nullptr;
    std::vector<std::string> names;
    for (const Node& head : rule.heads) {
      const auto* call = head.As<Call>();
      if (call == nullptr) continue;
      for (std::size_t i = 0; i < call->args.size(); ++i) {
        if (!forgotten(*call, i)) continue;
        if (first == nullptr) first = &call->args[i];
        const std::string name = "`?" + call->args[i].As<Symbol>()->name + "`";
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    if (first == nullptr) return;
    const std::string wanted = ListText(names, " and ", std::identity());
    const std::string symbol = "`" + first->As<Symbol>()->name + "` is a symbol, not a variable";
    context_.Add(Code::kForgottenMark, first->span,
                 symbol + (symbols.asks ? ", so this heading asks for nothing"
                                        : ", so this rule is about that value only"),
                 "a variable begins with `?`: did you mean " + wanted + "?");
  }

  // Whether a clause of the tail reads only facts, none of which has `symbol` (which no fact has).
  bool NeverHolds(const Rule& rule, const std::string& symbol) {
    bool never = false;
    for (const Node& tail : rule.tail)
      ForEachBelow(tail, [&](const Node& n) {
        const auto* call = n.As<Call>();
        if (call == nullptr || call->ns != Namespace::kRelation) return;
        if (ruled_.contains(KeyOf(*call)) || !defined_.contains(call->label)) return;
        for (const Node& arg : call->args) {
          const auto* s = arg.As<Symbol>();
          never |= s != nullptr && s->name == symbol;
        }
      });
    return never;
  }

  // --- Counts (decision 25) ---------------------------------------------------------------------

  struct Counted {
    const Call* call;
    std::unordered_map<std::string, int> names;
  };

  // The counts of clauses that hold together.
  static void CountsOf(const Node& node, std::vector<Counted>& to) {
    if (node.As<Not>() || node.As<Disjunction>() || node.As<Rule>() || node.As<Call>()) return;
    if (const auto* count = node.As<rpl::Count>()) {
      const Node& operand = Ungroup(count->operand.front());
      const auto* call = operand.As<Call>();
      if (call == nullptr || call->ns != Namespace::kRelation) return;
      to.push_back({call, {}});
      CountLvars(operand, to.back().names);
      return;
    }
    ForEachChild(node, [&](const Node& child) { CountsOf(child, to); });
  }

  // `|p(?x)| = 2, |q(?x)| = 1`: ?x is a group key, and a count all of whose arguments are keys is
  // one of a single row.
  void CountPerValue(const Part& part) {
    const Rule& rule = part.rule();
    std::vector<Counted> counts;
    for (const Node& tail : rule.tail) CountsOf(tail, counts);
    if (counts.size() < 2) return;
    std::unordered_map<std::string, int> inside, all;
    for (const Counted& c : counts)
      for (const auto& [name, n] : c.names) inside[name] += n;
    ForEachChild(rule, [&](const Node& n) { CountLvars(n, all); });
    const auto is_key = [&](const std::string& name) {
      const auto in = [&](const Counted& c) { return c.names.contains(name); };
      return !name.empty() && all[name] == inside[name] && !IsShared(part, name, all[name]) &&
             std::count_if(counts.begin(), counts.end(), in) > 1;
    };
    for (const Counted& c : counts) {
      const Node* key = nullptr;
      const bool single = std::all_of(c.call->args.begin(), c.call->args.end(), [&](const Node& a) {
        const auto* v = a.As<Lvar>();
        if (v == nullptr) return !HasVariables(a);
        if (!is_key(v->name)) return false;
        if (key == nullptr) key = &a;
        return true;
      });
      if (!single || key == nullptr) continue;
      const std::string name = "?" + key->As<Lvar>()->name;
      context_.Add(Code::kCountPerValue, key->span,
                   name + " stands in several counts, so each counts the rows of one " + name,
                   "to count all rows write `_`, or different names");
      return;
    }
  }

  // Whether other sentences of its section have the variable.
  bool IsShared(const Part& part, const std::string& name, int own) {
    const auto more = [&](const Scope& scope) {
      const auto at = shared_.find(&scope);
      if (at == shared_.end()) return false;
      const auto n = at->second.find(name);
      return n != at->second.end() && n->second > own;
    };
    if (part.role == Role::kSignature || part.role == Role::kOwn) return more(part.section());
    return std::any_of(part.targets.begin(), part.targets.end(), [&](int target) {
      return more(part.document->scopes[static_cast<std::size_t>(target)]);
    });
  }

  Context& context_;
  std::unordered_set<std::string> defined_;           // labels with a fact, rule or heading
  std::unordered_set<std::string> ruled_;             // keys with a rule or heading
  std::unordered_map<RelationId, Columns> lists_;     // columns where a fact has one
  NameSet constants_;                                 // symbols that are surely meant as such
  std::unordered_set<const Scope*> questions_;        // whose prose has a question
  std::unordered_map<const Scope*, NameSet> spans_;   // that their prose marks
  std::unordered_map<std::string, int> lvars_;        // see IsLvar
  std::unordered_map<std::string, NameSet> columns_;  // symbols of heads and facts, "p/2:0"
  std::unordered_map<std::string, int> sentences_with_term_;  // by key of the term
  std::unordered_map<const Scope*, std::unordered_map<std::string, int>> shared_;
  std::map<std::string, std::set<std::size_t>> library_;  // see Library
  std::vector<std::string> library_names_;                // and `std#least`, `std#greatest`
};

}  // namespace

void CheckHabits(Context& context) { Habits(context).Run(); }

}  // namespace rpl::check
