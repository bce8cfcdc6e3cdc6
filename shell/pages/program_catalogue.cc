// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/program_catalogue.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "formats/shorten.h"
#include "grammar/document.h"
#include "grammar/namespaces.h"
#include "interp/plan/analysis.h"
#include "interp/plan/authority.h"
#include "interp/program/builtin_tools.h"
#include "interp/program/novelty_walk.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/facts_file.h"

namespace rpl {
namespace {

constexpr std::size_t kMaxSentence = 240;  // bytes

// The first sentence of prose, with each run of blanks and line ends as one blank.
std::string FirstSentence(std::string_view prose) {
  std::string out;
  for (const char c : prose) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (blank && !out.empty() && std::string_view(".!?").find(out.back()) != std::string_view::npos)
      return out;
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return Shortened(std::move(out), kMaxSentence);
}

std::string NamespaceOf(const std::string& name) {
  const std::size_t begin = name.starts_with('%') || name.starts_with('$') ? 1 : 0;
  const std::size_t mark = name.rfind('#');
  return mark == std::string::npos || mark < begin ? "" : name.substr(begin, mark - begin);
}

class CatalogueReader {
 public:
  CatalogueReader(Catalogue& to,
                  const std::function<std::optional<std::string>(const std::string&)>& reader,
                  bool strict_facts)
      : to_(to),
        strict_facts_(strict_facts),
        reader_(to.sources,
                [this](const Document& document, bool, Diagnostics&) { Take(document); }) {
    reader_.SetFiles(reader);
  }

  void Read(const ProgramFile& file) {
    if (const std::optional<FactsName> facts = FactsNameOf(file.name)) {
      const std::uint32_t rows = to_.sources.Add(facts->path, file.text);
      return TakeFacts(ReadFacts(to_.sources, rows, *facts, strict_facts_, store_, findings_));
    }
    const std::uint32_t number = to_.sources.Add(file.name, file.text);
    reader_.Read(ReadDocument(to_.sources, number, findings_, FactForm::kPlain), findings_);
  }

  void Finish() {
    for (const Declared& declared : program_.declared()) Declare(declared);
    for (const Definition& def : program_.definitions()) Define(def);
    FindNeeds();
    for (const auto& [relation, span] : facts_) {
      CatalogueEntry& entry = to_.entries[Entry(relation)];
      if (entry.facts++ == 0) entry.defined.push_back(span);
    }
    for (const Constraint& c : program_.constraints()) {
      std::set<std::size_t> reads;
      Collect(c.left, reads);
      Collect(c.right, reads);
      to_.constraints.push_back({c.text, c.span, {reads.begin(), reads.end()}});
    }
    FindParties();
    uses_.resize(to_.entries.size());
    for (std::size_t i = 0; i < uses_.size(); ++i)
      to_.entries[i].uses.assign(uses_[i].begin(), uses_[i].end());
    for (CatalogueEntry& entry : to_.entries) {
      std::vector<Span>& at = entry.defined;
      if (at.empty() && IsGiven(entry)) at.push_back(given_.at(entry.name));
      std::sort(at.begin(), at.end(), [](const Span& a, const Span& b) {
        return std::tie(a.file, a.begin, a.end) < std::tie(b.file, b.begin, b.end);
      });
      // A ground heading is a fact as well.
      const auto same = [](const Span& a, const Span& b) {
        return a.file == b.file && (a.begin == b.begin || b.begin < a.end);
      };
      at.erase(std::unique(at.begin(), at.end(), same), at.end());
      entry.group = GroupOf(entry);
      entry.asks = std::ranges::any_of(entry.uses, [&](std::size_t used) {
        const CatalogueEntry& tool = to_.entries[used];
        return tool.kind == Kind::kTool && IsQuestionTool(std::string_view(tool.name).substr(1));
      });
    }
    Sort();
    for (std::size_t i = 0; i < to_.entries.size(); ++i)
      for (const std::size_t used : to_.entries[i].uses) to_.entries[used].used_by.push_back(i);
    findings_.Sort();
    to_.findings = findings_.all();
  }

 private:
  using Kind = CatalogueEntry::Kind;

  void Take(const Document& document) {
    for (const Scope& scope : document.scopes) {
      if (scope.signature) headings_[{document.file, scope.span.begin}] = scope.span.end;
      groups_[{document.file, scope.span.begin}] = GroupTitle(document, scope);
    }
    TakeFacts(program_.Load(document, findings_));
  }

  // The title of the outermost heading around a scope, below the title of the document.
  static std::string GroupTitle(const Document& document, const Scope& scope) {
    const bool titled = document.scopes.size() > 1 && document.scopes[1].level == 1 &&
                        !document.scopes[1].signature;
    const Scope* at = &scope;
    while (at->parent > (titled ? 1 : 0))
      at = &document.scopes[static_cast<std::size_t>(at->parent)];
    return at->title;
  }

  void TakeFacts(const Novelty& novelty) {
    if (novelty.given) {
      store_.Give(novelty.given->first, novelty.given->second);
      given_.emplace(novelty.given->first, Span{novelty.file, 0, 0});
    }
    novelty.ForEach(
        store_,
        [&](RelationId relation, std::span<const Value>, Span span) {
          facts_.emplace_back(relation, span);
        },
        [&](const Assertion& a) {
          if (a.truth && a.relation != kNoId) facts_.emplace_back(a.relation, a.span);
        });
  }

  // Whether a file of facts without rows is named to give it.
  bool IsGiven(const CatalogueEntry& entry) const {
    if (entry.kind != Kind::kRelation || !given_.contains(entry.name)) return false;
    const RelationId relation =
        store_.Find(Space::kRelation, entry.name, static_cast<std::uint32_t>(entry.arity));
    return relation != kNoId && store_.IsGiven(relation);
  }

  void FindParties() {
    Authority authority(program_, store_, false);
    for (const auto& [relation, span] : facts_) authority.NoteFact(relation, span);
    for (RelationId r = 0; r < store_.size(); ++r) {
      if (store_.at(r).space() != Space::kRelation || store_.IsWhole(r)) continue;
      const auto at = known_.find(store_.at(r).name() + "/" + std::to_string(store_.at(r).arity()));
      if (at == known_.end()) continue;
      const Parties state = authority.Of(r).state;
      to_.entries[at->second].stated_by =
          state == Authority::kOutside ? "everybody" : PartiesText(state);
    }
  }

  // Arguments are named as in the first rule.
  void FindNeeds() {
    Analysis analysis;
    analysis.Make(program_, store_);
    for (const Definition& def : program_.definitions()) {
      if (def.head == kNoId || store_.at(def.head).space() == Space::kGoal) continue;
      std::string& needs = to_.entries[Entry(def.head)].needs;
      if (needs.empty())
        needs = analysis.ModesOf(def.head).Text([&](std::size_t i) {
          const bool slot = def.args[i].kind == Pattern::Kind::kSlot;
          const std::string name =
              slot ? def.slots[static_cast<std::size_t>(def.args[i].slot)] : "";
          return name.empty() ? "argument " + std::to_string(i + 1) : "?" + name;
        });
    }
    for (RelationId r = 0; r < store_.size(); ++r) {
      if (program_.FindBuiltin(r) == nullptr) continue;
      CatalogueEntry& entry = to_.entries[Entry(r)];
      entry.computed = true;
      entry.needs = analysis.ModesOf(r).Text(
          [&](std::size_t i) { return "?" + program_.ParametersOf(r)->at(i); });
    }
  }

  std::size_t Entry(Kind kind, const std::string& name, std::size_t arity) {
    CatalogueEntry entry;
    entry.kind = kind;
    entry.name = name;
    entry.name_space = NamespaceOf(name);
    entry.arity = arity;
    const auto [at, is_new] = known_.emplace(entry.Id(), to_.entries.size());
    if (is_new) to_.entries.push_back(std::move(entry));
    return at->second;
  }

  std::size_t Entry(RelationId id) {
    const Relation& relation = store_.at(store_.BaseOf(id));
    switch (relation.space()) {
      case Space::kRelation: return Entry(Kind::kRelation, relation.name(), relation.arity());
      case Space::kTool: return Entry(Kind::kTool, relation.name(), relation.arity());
      case Space::kAvar: return Entry(Kind::kAvar, relation.name(), 0);
      case Space::kGoal:
      case Space::kIntermediate: break;
    }
    const Goal* goal = program_.FindGoal(relation.name().substr(1));
    return Entry(Kind::kGoal, relation.name(), goal == nullptr ? 0 : goal->captures.size());
  }

  // "rel/1", "%goal/1", "$tool/1", "%"
  void Declare(const Declared& declared) {
    const std::size_t slash = declared.name.rfind('/');
    const std::string name = declared.name.substr(0, slash);
    const auto arity = slash == std::string::npos
                           ? std::size_t{0}
                           : static_cast<std::size_t>(std::stoul(declared.name.substr(slash + 1)));
    const char mark = name.empty() ? ' ' : name.front();
    const Goal* goal = mark == '%' ? program_.FindGoal(name.substr(1)) : nullptr;
    const Space space = mark == '$' ? Space::kTool : Space::kRelation;
    const std::string label = mark == '$' ? name.substr(1) : name;
    const RelationId relation = mark == '%'
                                    ? goal == nullptr ? kNoId : goal->relation
                                    : store_.Find(space, label, static_cast<std::uint32_t>(arity));
    if (relation == kNoId) return;
    const std::size_t number = Entry(relation);
    Place(number, declared.span);
    if (IsInHeading(declared.span)) {
      to_.entries[number].prose = FirstSentence(declared.prose);
      to_.entries[number].text = declared.prose;
    }
    const Collected* collected = program_.FindCollected(relation);
    if (collected == nullptr) return;
    to_.entries[number].asked = !collected->questions.empty();
    to_.entries[number].arguments.clear();
    for (const int question : collected->questions) {
      const ArgumentQuestion& q = program_.questions()[static_cast<std::size_t>(question)];
      to_.entries[number].arguments.push_back("?" + q.name);
      if (q.options != kNoId) Uses(number).insert(Entry(q.options));
    }
  }

  bool IsInHeading(Span span) const {
    const auto after = headings_.upper_bound({span.file, span.begin});
    if (after == headings_.begin()) return false;
    const auto& [begin, end] = *std::prev(after);
    return begin.first == span.file && span.begin < end;
  }

  void Define(const Definition& def) {
    const std::size_t number =
        def.head != kNoId
            ? Entry(def.head)
            : Entry(Kind::kRelation, "#?" + def.slots[static_cast<std::size_t>(def.head_expansion)],
                    0);
    Place(number, def.span);
    NameArguments(to_.entries[number], def);
    std::set<std::size_t> uses;
    Collect(def.activation, uses);
    Collect(def.body, uses);
    Uses(number).merge(uses);
  }

  static void NameArguments(CatalogueEntry& entry, const Definition& def) {
    ++entry.rules;
    if (!entry.arguments.empty()) return;
    for (const Pattern& arg : def.args) {
      const bool slot = arg.kind == Pattern::Kind::kSlot;
      const std::string name = slot ? def.slots[static_cast<std::size_t>(arg.slot)] : "";
      entry.arguments.push_back(name.empty() ? "" : "?" + name);
    }
  }

  // The group of the place where an entry is defined first.
  std::string GroupOf(const CatalogueEntry& entry) const {
    if (entry.defined.empty()) return "";
    const Span at = entry.defined.front();
    const auto after = groups_.upper_bound({at.file, at.begin});
    if (after == groups_.begin()) return "";
    const auto& [place, title] = *std::prev(after);
    return place.first == at.file ? title : "";
  }

  void Collect(const Clauses& clauses, std::set<std::size_t>& to) {
    ForEachClause(clauses, [&](const Clause& clause) {
      ForEachPart(clause, [&](Sense, const ClauseRead& read) {
        if (read.relation != kNoId) to.insert(Entry(read.relation));
      });
      if (clause.As<ShowJson>() != nullptr) to.insert(Entry(Kind::kTool, "$json", 1));
    });
  }

  void Place(std::size_t number, Span span) { to_.entries[number].defined.push_back(span); }

  std::set<std::size_t>& Uses(std::size_t number) {
    if (uses_.size() <= number) uses_.resize(number + 1);
    return uses_[number];
  }

  // The entries, without those of the library that the program does not reach.
  std::vector<std::size_t> Reached() const {
    std::vector<bool> reached(to_.entries.size());
    std::vector<std::size_t> out;
    const auto reach = [&](std::size_t entry) {
      if (!reached[entry]) out.push_back(entry);
      reached[entry] = true;
    };
    for (std::size_t i = 0; i < to_.entries.size(); ++i)
      if (to_.entries[i].name_space != kLibrary) reach(i);
    for (const CatalogueConstraint& c : to_.constraints) std::ranges::for_each(c.reads, reach);
    for (std::size_t i = 0; i < out.size(); ++i)
      std::ranges::for_each(to_.entries[out[i]].uses, reach);
    std::ranges::sort(out);
    return out;
  }

  // Sorts the entries and renumbers all references to them.
  void Sort() {
    std::vector<CatalogueEntry>& entries = to_.entries;
    std::vector<std::size_t> order = Reached();
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(entries[a].name_space, entries[a].kind) <
             std::tie(entries[b].name_space, entries[b].kind);
    });
    std::vector<std::size_t> number(entries.size());
    std::vector<CatalogueEntry> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      number[order[i]] = i;
      sorted.push_back(std::move(entries[order[i]]));
    }
    entries = std::move(sorted);
    const auto renumber = [&](std::vector<std::size_t>& list) {
      for (std::size_t& n : list) n = number[n];
      std::sort(list.begin(), list.end());
    };
    for (CatalogueEntry& entry : entries) renumber(entry.uses);
    for (CatalogueConstraint& c : to_.constraints) renumber(c.reads);
  }

  Catalogue& to_;
  const bool strict_facts_;
  NamespaceReader reader_;
  Diagnostics findings_;
  Pool pool_;
  Store store_{pool_};
  Program program_{store_, to_.sources};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> headings_;  // with a signature
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> groups_;  // by begin of a scope
  std::vector<std::pair<RelationId, Span>> facts_;
  std::map<std::string, Span> given_;  // by label, the file without rows that is named to give it
  std::map<std::string, std::size_t> known_;  // by Id
  std::vector<std::set<std::size_t>> uses_;   // by entry
};

}  // namespace

std::string CatalogueEntry::Id() const {
  if (kind == Kind::kAvar || name == "%") return name;
  return name + "/" + std::to_string(arity);
}

std::string_view CatalogueKindName(CatalogueEntry::Kind kind) {
  switch (kind) {
    case CatalogueEntry::Kind::kGoal: return "goal";
    case CatalogueEntry::Kind::kRelation: return "relation";
    case CatalogueEntry::Kind::kTool: return "tool";
    case CatalogueEntry::Kind::kAvar: return "avar";
  }
  return "";
}

Catalogue CatalogueOf(const std::vector<ProgramFile>& files,
                      const std::function<std::optional<std::string>(const std::string&)>& reader,
                      bool strict_facts) {
  Catalogue out;
  CatalogueReader work(out, reader, strict_facts);
  for (const ProgramFile& file : files) work.Read(file);
  work.Finish();
  return out;
}

}  // namespace rpl
