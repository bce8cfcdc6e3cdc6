// SPDX-License-Identifier: Apache-2.0
//
// Headings and their prose (§17, decisions 70, 71, 75): prompts that say nothing, emphasised
// spans that name nothing, ground calls that a section may have meant as conditions.
#include <algorithm>

#include "interp/check_context.h"

namespace rpl::check {
namespace {

// What stands in one section that has a signature.
struct Section {
  const Part* signature = nullptr;
  std::vector<const Part*> joined;  // own rules and conjoined expressions
  std::vector<const Prose*> prose;
};

class Sections {
 public:
  explicit Sections(Context& context) : context_(context) {}

  void Run() {
    for (const Part& part : context_.parts) {
      Define(part);
      if (part.role == Role::kSignature) sections_[&part.section()].signature = &part;
    }
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
    for (const Document& document : context_.documents) OldArrows(document);
    for (const Part& part : context_.parts) {
      if (!part.checked) continue;
      if (part.role == Role::kSignature) {
        const Section& section = sections_[&part.section()];
        NoPrompt(section);
        UnknownSpans(section);
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

  // Decision 70: such a heading asks a person, and has nothing to say.
  void NoPrompt(const Section& section) {
    const Call* head = HeadOf(section);
    const Rule& rule = section.signature->rule();
    if (head == nullptr || head->ns != Namespace::kRelation || !rule.tail.empty()) return;
    if (!section.prose.empty() || !section.joined.empty()) return;
    std::vector<std::string> variables;
    CollectVariables(rule.heads.front(), variables);
    if (variables.empty() || facts_.contains(KeyOf(*head)) || rules_.contains(KeyOf(*head))) return;
    context_.Add(Code::kNoPrompt, rule.heads.front().span,
                 "`" + head->label + "` is asked for, and there is no prompt below this heading",
                 "write a sentence for the person who answers, or give facts");
  }

  // Decision 75. In goal headings emphasis is only advice.
  void UnknownSpans(const Section& section) {
    const Call* head = HeadOf(section);
    if (head == nullptr || head->ns == Namespace::kGoal || section.prose.empty()) return;
    std::vector<std::string> names;
    const auto collect = [&](const Rule& rule) {
      for (const Node& n : rule.heads) CollectVariables(n, names);
      for (const Node& n : rule.tail) CollectVariables(n, names);
      for (const Node& n : rule.constraints) CollectVariables(n, names);
      for (const Abductive& a : rule.abductives)
        for (const Node& n : a.clauses) CollectVariables(n, names);
    };
    collect(section.signature->rule());
    for (const Part* part : section.joined) collect(part->rule());
    for (const Prose* prose : section.prose)
      for (const ProseSpan& span : prose->spans) {
        if (std::find(names.begin(), names.end(), span.name) != names.end()) continue;
        if (relations_.contains(span.name) || IsFact(span.name)) continue;
        const std::string close = Closest(span.name, names, context_.suggestions);
        context_.Add(Code::kUnknownSpan, span.span,
                     "`" + span.name + "` is neither a variable of this heading nor a relation",
                     close.empty() ? "" : "did you mean `__" + close + "__`?");
      }
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
      std::uint32_t at = prose.span.begin;
      while (at < prose.span.end) {
        const std::string_view rest = context_.sources.Text({document.file, at, prose.span.end});
        const std::size_t size = std::min(rest.find('\n'), rest.size());
        OldArrow(document.file, at, rest.substr(0, size));
        at += static_cast<std::uint32_t>(size) + 1;
      }
    }
    for (const Scope& scope : document.scopes) {
      if (scope.signature || scope.level == 0) continue;
      const std::string_view line = context_.sources.Text(scope.span);
      const std::size_t dash = line.rfind(" - ");
      if (dash == std::string_view::npos) continue;
      const std::size_t begin = dash + 3;
      OldArrow(document.file, scope.span.begin + static_cast<std::uint32_t>(begin),
               line.substr(begin, line.find('\n', begin) - begin));
    }
  }

  void OldArrow(std::uint32_t file, std::uint32_t begin, std::string_view line) {
    const auto is_name = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_';
    };
    const auto blanks = [&](std::size_t at) {
      while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
      return at;
    };
    std::size_t at = blanks(0);
    const bool goal = at < line.size() && line[at] == '%';
    if (goal) ++at;
    const std::size_t name = at;
    while (at < line.size() && is_name(line[at])) ++at;
    if (at == name ? !goal : line[name] < 'a' || line[name] > 'z') return;
    at = blanks(at);
    if (line.substr(at, 2) != "<=" || at > line.size()) return;
    const std::size_t tail = blanks(at + 2);
    const std::string_view right = line.substr(std::min(tail, line.size()));
    const bool reads_like_rpl = goal || right.find('(') != std::string_view::npos ||
                                (!right.empty() && (right[0] == '%' || right[0] == '$'));
    if (!reads_like_rpl || right.empty()) return;
    const auto place = begin + static_cast<std::uint32_t>(at);
    const Span arrow{file, place, place + 2};
    for (const Finding& f : context_.findings)
      if (f.diagnostic.span == arrow) return;
    context_.Add(Code::kOldArrow, arrow, "this rule is taken as prose: its arrow is `<=`",
                 "write `<-` for a rule", {{arrow, "<-"}});
  }

  Context& context_;
  std::unordered_map<const Scope*, Section> sections_;
  std::unordered_set<std::string> relations_;  // labels with a rule or a heading
  std::unordered_set<std::string> rules_;      // keys
  std::set<std::string> facts_;                // keys
};

}  // namespace

void CheckDocument(Context& context) { Sections(context).Run(); }

}  // namespace rpl::check
