// SPDX-License-Identifier: Apache-2.0
//
// Headings and their prose (§17, decisions 70, 71, 75): prompts that say nothing, emphasised
// spans that name nothing, ground calls that a section may have meant as conditions.
#include <algorithm>
#include <memory>

#include "formats/character.h"
#include "formats/spelling.h"
#include "grammar/line_start.h"
#include "interp/lint/certainty.h"
#include "interp/lint/context.h"
#include "interp/plan/heading_use.h"
#include "interp/store/store.h"

namespace rpl::check {
namespace {

// The contents of a section with a signature.
struct Section {
  const Part* signature = nullptr;
  std::vector<const Part*> joined;  // own rules and conjoined expressions
  std::vector<const Prose*> prose;
};

class Sections {
 public:
  explicit Sections(Context& context) : context_(context), certainty_(context) {}

  void Run() {
    for (const auto& [relation, given] : context_.given_relations) facts_.insert(KeyOf(given.call));
    for (const Part& part : context_.parts)
      if (part.role == Role::kSignature) sections_[&part.section()].signature = &part;
    if (!sections_.empty())
      for (const Part& part : context_.parts) Define(part);
    for (const Part& part : context_.parts) {
      if (part.role == Role::kOwn) sections_[&part.section()].joined.push_back(&part);
      if (part.role == Role::kConjoined)
        for (const int target : part.targets)
          sections_[&part.document->scopes[static_cast<std::size_t>(target)]].joined.push_back(
              &part);
    }
    for (const Document& document : context_.documents)
      for (const Prose& prose : document.prose) {
        const Scope& scope = document.scopes[static_cast<std::size_t>(prose.scope)];
        if (scope.signature) sections_[&scope].prose.push_back(&prose);
      }
    CollectLabels();
    for (const Finding& f : context_.findings) {
      const Diagnostic& d = f.diagnostic;
      if (d.code == Code::kOldArrow) arrows_.emplace(d.span.file, d.span.begin);
      if (d.severity == Severity::kError) errors_.emplace(d.span.file, d.span.begin);
    }
    for (const Document& document : context_.documents) OldArrows(document);
    for (const Part& part : context_.parts) {
      if (!part.checked) continue;
      if (part.role == Role::kSignature) {
        const Section& section = sections_[&part.section()];
        NoPrompt(section);
        UnknownSpans(section);
        OfferedToSeveral(section);
      }
      if (part.role == Role::kAssertion) FactInSection(part);
    }
  }

 private:
  void Define(const Part& part) {
    const Rule& rule = part.rule();
    if (part.role == Role::kAssertion) {
      for (const Node& tail : rule.tail) {
        const Node& form = Ungroup(tail);
        if (const auto* call = form.As<Call>()) facts_.insert(KeyOf(*call));
        if (const auto* a = form.As<Annotated>())
          if (const auto* call = Ungroup(a->form.front()).As<Call>()) facts_.insert(KeyOf(*call));
        if (const auto* c = form.As<Conjunction>())
          for (const Node& clause : c->clauses)
            if (const auto* call = Ungroup(clause).As<Call>()) facts_.insert(KeyOf(*call));
      }
      return;
    }
    for (const Node& head : rule.heads)
      if (const auto* call = head.As<Call>()) {
        relations_.insert(call->label);
        if (!rule.tail.empty()) rules_.insert(KeyOf(*call));
      }
  }

  static const Call* HeadOf(const Section& section) {
    const Nodes& heads = section.signature->rule().heads;
    return heads.empty() ? nullptr : heads.front().As<Call>();
  }

  // Decision 70: such a heading asks a person, but has no prompt.
  void NoPrompt(const Section& section) {
    const Call* head = HeadOf(section);
    const Rule& rule = section.signature->rule();
    if (head == nullptr || head->ns != Namespace::kRelation || !section.prose.empty()) return;
    if (!rule.tail.empty()) return NoPromptForRest(section);
    if (!section.joined.empty()) return;
    std::vector<std::string> variables;
    CollectVariables(rule.heads.front(), variables);
    if (variables.empty() || facts_.contains(KeyOf(*head)) || rules_.contains(KeyOf(*head))) return;
    context_.Add(Code::kNoPrompt, rule.heads.front().span,
                 "`" + head->label + "` is asked for, and there is no prompt below this heading",
                 "write a sentence for the person who answers, or give facts");
  }

  // Arguments of the head that no clause mentions are asked for (§18.4).
  void NoPromptForRest(const Section& section) {
    const Rule& rule = section.signature->rule();
    std::vector<std::string> wanted;
    std::vector<std::string> given;
    for (const Node& head : rule.heads) CollectVariables(head, wanted);
    for (const Node& clause : rule.tail) CollectVariables(clause, given);
    for (const Abductive& a : rule.abductives)
      for (const Node& clause : a.clauses) CollectVariables(clause, given);
    for (const Node& clause : rule.constraints) CollectVariables(clause, given);
    for (const Part* part : section.joined)
      for (const Node& clause : part->rule().tail) CollectVariables(clause, given);
    for (const std::string& name : wanted) {
      if (std::find(given.begin(), given.end(), name) != given.end()) continue;
      const Span place = SpanOfVariable(context_.sources, rule.heads.front(), name);
      return context_.Add(Code::kNoPrompt, place,
                          "`" + std::string(context_.sources.Text(place)) +
                              "` is asked for, and there is no prompt below this heading",
                          "write a sentence for the person who answers, or bind it");
    }
  }

  // Decision 75. In goal headings emphasis is only advice.
  void UnknownSpans(const Section& section) {
    const Call* head = HeadOf(section);
    if (head == nullptr || head->ns == Namespace::kGoal || section.prose.empty()) return;
    std::vector<std::string> names =
        VariablesAbove(*section.signature->document, section.signature->scope);
    VariableCollector variables(names);
    for (const Part* part : section.joined)
      ForEachChild(part->rule(), [&](const Node& n) { variables.Collect(n); });
    const std::unordered_set<std::string> known(names.begin(), names.end());
    std::unordered_map<std::string, std::string> spellings;
    for (const std::string& name : names)
      if (const std::string kebab = Kebab(name); kebab != name) {
        spellings.emplace(name, name);
        spellings.emplace(kebab, name);
      }
    for (const Prose* prose : section.prose)
      for (const ProseSpan& span : prose->spans) {
        if (known.contains(span.name)) continue;
        if (relations_.contains(span.name) || IsFact(span.name)) continue;
        std::string hint;
        if (const std::string other = Misspelt(span, spellings); !other.empty()) {
          context_.misspelt[{span.span.file, span.span.begin}] = other;
          const std::string kebab = Kebab(other);
          hint = "spans are read in kebab-case: write `" + kebab + "` and `__" +
                 kebab.substr(other[0] == '?' ? 1 : 0) + "__`";
        } else {
          std::string close = Closest(span.name, names, context_.suggestions);
          if (close.empty()) close = Closest(span.name, labels_, context_.suggestions);
          if (!close.empty()) hint = "did you mean `__" + Kebab(close) + "__`?";
        }
        context_.Add(Code::kUnknownSpan, span.span,
                     "`" + span.name + "` is neither a variable of this heading nor a relation",
                     hint);
      }
  }

  // Decision 96: what the prose offers is for the one argument that is asked for.
  void OfferedToSeveral(const Section& section) {
    const Call* head = HeadOf(section);
    if (head == nullptr || head->ns != Namespace::kRelation || head->args.size() < 2) return;
    const Store& store = context_.engine.store;
    const std::vector<std::string> variables =
        VariablesAbove(*section.signature->document, section.signature->scope);
    for (const Prose* prose : section.prose)
      for (const ProseSpan& span : prose->spans) {
        const std::string& prefix = section.signature->document->prefix;
        if (std::ranges::find(variables, span.name) != variables.end() ||
            store.Find(Space::kRelation, prefix + span.name, 1) == kNoId)
          continue;
        if (uses_ == nullptr) uses_ = std::make_unique<Uses>(HeadingUses(context_.engine.program));
        const auto use = uses_->find(store.Find(Space::kRelation, head->label,
                                                static_cast<std::uint32_t>(head->args.size())));
        if (use == uses_->end() || !use->second.several) continue;
        context_.Add(Code::kOfferedToSeveral, span.span,
                     "`" + span.name + "` is offered for none of the arguments of `" +
                         NameOf(*head) + "`, as more than one may be asked for together",
                     "ask for each in a heading of its own, or bind the others before");
      }
  }

  // "?x" or "p": what `span` would name if that were kebab-case, or nothing. `variables`: those
  // that are not, by spelling and in kebab-case.
  std::string Misspelt(const ProseSpan& span,
                       const std::unordered_map<std::string, std::string>& variables) const {
    constexpr std::uint32_t kMark = 2;  // two underscores
    const std::string_view written =
        context_.sources.Text({span.span.file, span.span.begin + kMark, span.span.end - kMark});
    auto variable = variables.find(std::string(written));
    if (variable == variables.end()) variable = variables.find(span.name);
    if (variable != variables.end()) return "?" + variable->second;
    auto label = misspelt_labels_.find(std::string(written));
    if (label == misspelt_labels_.end()) label = misspelt_labels_.find(span.name);
    return label == misspelt_labels_.end() ? "" : label->second;
  }

  void CollectLabels() {
    std::set<std::string> labels(relations_.begin(), relations_.end());
    for (const std::string& key : facts_) labels.insert(key.substr(0, key.rfind('/')));
    labels_.assign(labels.begin(), labels.end());
    for (const std::string& label : labels_)
      if (const std::string kebab = Kebab(label); kebab != label)
        misspelt_labels_[label] = misspelt_labels_[kebab] = label;
  }

  bool IsFact(const std::string& label) const {
    const auto at = facts_.lower_bound(label + "/");
    return at != facts_.end() && at->starts_with(label + "/");
  }

  // Decision 71: a ground call in a block is a fact, though other rules define the relation.
  void FactInSection(const Part& part) {
    if (!part.section().signature || part.section().signature->rule.heads.empty()) return;
    const Rule& rule = part.rule();
    if (!rule.constraints.empty() || rule.tail.size() != 1) return;
    const auto* call = Ungroup(rule.tail.front()).As<Call>();
    const auto* head = part.section().signature->rule.heads.front().As<Call>();
    if (call == nullptr || head == nullptr || call->label == head->label) return;
    if (!rules_.contains(KeyOf(*call)) || call->ns != Namespace::kRelation) return;
    context_.Add(Code::kFactInSection, part.sentence->span,
                 "this is a fact, not a condition of `" + NameOf(*head) + "`",
                 "to test it, write it in the heading behind `<-`");
  }

  // --- Old arrows that made prose of a rule -------------------------------------------------

  // `% <= %a` and `ready <= b()` do not begin like RPL, so the reader takes them as prose.
  void OldArrows(const Document& document) {
    if (!context_.checked_files.contains(document.file)) return;
    for (const Prose& prose : document.prose) {
      ContinuedByOldArrow(document, prose);
      std::uint32_t at = prose.span.begin;
      while (at < prose.span.end) {
        const std::string_view rest = context_.sources.Text({document.file, at, prose.span.end});
        const std::size_t size = std::min(rest.find('\n'), rest.size());
        OldArrow(document.file, at, rest.substr(0, size));
        at += static_cast<std::uint32_t>(size) + 1;
      }
    }
    for (const Scope& scope : document.scopes) {
      if (scope.signature || scope.level == 0 || HasError(scope.span)) continue;
      const std::string_view line = context_.sources.Text(scope.span);
      const std::size_t dash = line.rfind(" - ");
      if (dash == std::string_view::npos) continue;
      const std::size_t begin = dash + 3;
      OldArrow(document.file, scope.span.begin + static_cast<std::uint32_t>(begin),
               line.substr(begin, line.find('\n', begin) - begin));
    }
  }

  // A signature that does not parse has its own finding, which AddFixes may make an arrow.
  bool HasError(Span heading) const {
    const auto at = errors_.lower_bound({heading.file, heading.begin});
    return at != errors_.end() && at->first == heading.file && at->second < heading.end;
  }

  // A signature that would go on below its heading, were it not for `<=` or `=>` (decision 74).
  void ContinuedByOldArrow(const Document& document, const Prose& prose) {
    const Scope& scope = document.scopes[static_cast<std::size_t>(prose.scope)];
    if (!scope.signature || prose.span.begin < scope.span.end) return;
    const std::string_view gap =
        context_.sources.Text({document.file, scope.span.end, prose.span.begin});
    if (gap.find_first_not_of(" \t\r\n") != std::string_view::npos) return;
    const std::string_view text = context_.sources.Text(prose.span);
    const bool rule = text.starts_with("<=");
    if (!rule && !text.starts_with("=>")) return;
    if (text.substr(0, text.find('\n')).find('(') == std::string_view::npos) return;
    const Span arrow{document.file, prose.span.begin, prose.span.begin + 2};
    const Edit edit{arrow, rule ? "<-" : "->"};
    if (!ContinuesWith(context_.sources, scope.signature->span, edit)) return;
    context_.Add(Code::kOldArrow, arrow,
                 "this line would continue the heading above it, but for its arrow",
                 rule ? "write `<-` for a rule" : "write `->` for a constraint", {edit});
  }

  void OldArrow(std::uint32_t file, std::uint32_t begin, std::string_view line) {
    std::size_t at = SkipBlanks(line, 0);
    const bool goal = at < line.size() && line[at] == '%';
    if (goal) ++at;
    const std::size_t name = at;
    while (at < line.size() && IsNameChar(line[at])) ++at;
    if (at == name ? !goal : !IsLower(line[name])) return;
    at = SkipBlanks(line, at);
    if (at > line.size()) return;
    const bool sign = ArrowForSign(line, at) == "<-";
    if (line.substr(at, 2) != "<=" && !sign) return;
    const std::size_t size = sign ? kArrowSign : 2;
    const std::size_t tail = SkipBlanks(line, at + size);
    const std::string_view right = line.substr(std::min(tail, line.size()));
    const bool reads_like_rpl = goal || right.find('(') != std::string_view::npos ||
                                (!right.empty() && (right[0] == '%' || right[0] == '$'));
    if (!reads_like_rpl || right.empty()) return;
    const auto place = begin + static_cast<std::uint32_t>(at);
    const Span arrow{file, place, place + static_cast<std::uint32_t>(size)};
    const Edit edit{arrow, "<-"};
    if (!goal && !certainty_.IsLineOfRpl(arrow)) return;
    if (!ReadsWith(context_.sources, {edit}) || !arrows_.emplace(file, place).second) return;
    context_.Add(
        Code::kOldArrow, arrow,
        "this rule is taken as prose: its arrow is `" + std::string(line.substr(at, size)) + "`",
        "write `<-` for a rule", {edit});
  }

  Context& context_;
  Certainty certainty_;
  std::unordered_map<const Scope*, Section> sections_;
  std::unordered_set<std::string> relations_;                     // labels with a rule or a heading
  std::unordered_set<std::string> rules_;                         // keys
  std::set<std::string> facts_;                                   // keys
  std::set<std::pair<std::uint32_t, std::uint32_t>> errors_;      // where they begin
  std::set<std::pair<std::uint32_t, std::uint32_t>> arrows_;      // with a finding: file, begin
  std::vector<std::string> labels_;                               // of all these
  std::unordered_map<std::string, std::string> misspelt_labels_;  // by spelling and kebab-case
  using Uses = std::unordered_map<RelationId, HeadingUse>;
  std::unique_ptr<Uses> uses_;  // found when they are needed
};

}  // namespace

void CheckDocument(Context& context) { Sections(context).Run(); }

}  // namespace rpl::check
