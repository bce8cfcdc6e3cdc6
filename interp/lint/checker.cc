// SPDX-License-Identifier: Apache-2.0
//
// Reads, loads, runs the passes, and sorts the findings. A document is loaded as by a
// session, but its facts are only listed, and nothing is derived.
#include "interp/lint/checker.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "formats/character.h"
#include "formats/launch.h"
#include "formats/spelling.h"
#include "grammar/namespaces.h"
#include "grammar/parser.h"
#include "interp/lint/certainty.h"
#include "interp/lint/context.h"
#include "interp/plan/analysis.h"
#include "interp/program/novelty_walk.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace check {

void Context::Add(Code code, Span span, std::string message, std::string hint,
                  std::vector<Edit> edits) {
  Add({code, InfoOf(code).severity, span, std::move(message), std::move(hint)}, std::move(edits));
}

void Context::Add(Diagnostic found, std::vector<Edit> edits) {
  if (checked_files.contains(found.span.file)) AddOfRun(std::move(found), std::move(edits));
}

void Context::AddOfRun(Code code, Span span, std::string message, std::string hint,
                       std::vector<Edit> edits) {
  AddOfRun({code, InfoOf(code).severity, span, std::move(message), std::move(hint)},
           std::move(edits));
}

void Context::AddOfRun(Diagnostic found, std::vector<Edit> edits) {
  findings.push_back({std::move(found), std::move(edits)});
}

void Context::NeverHolds(std::size_t first) {
  for (; first < findings.size(); ++first) {
    Diagnostic& d = findings[first].diagnostic;
    d.severity = Severity::kError;
    d.message += ", so this constraint would never apply";
  }
}

void Context::ForEachFact(
    const std::function<void(RelationId, std::span<const Value> row)>& fn) const {
  const auto assertion = [&](const Assertion& a) {
    if (a.truth) fn(a.relation, a.row);
  };
  for (const Novelty& novelty : given)
    novelty.ForEach(
        engine.store,
        [&](RelationId relation, std::span<const Value> row, Span) { fn(relation, row); },
        assertion);
  for (const Assertion& a : assertions) assertion(a);
}

void Context::Blame(Span sentence, const std::string& variable) {
  blamed.insert(std::to_string(sentence.file) + ":" + std::to_string(sentence.begin) + variable);
}

bool Context::IsBlamed(Span sentence, const std::string& variable) const {
  return blamed.contains(std::to_string(sentence.file) + ":" + std::to_string(sentence.begin) +
                         variable);
}

std::string NameOf(const Call& call) {
  const char* mark = call.ns == Namespace::kGoal ? "%" : call.ns == Namespace::kTool ? "$" : "";
  return mark + call.label;
}

std::string KeyOf(const Call& call) {
  std::string key = NameOf(call);
  if (call.ns != Namespace::kGoal) key += "/" + std::to_string(call.args.size());
  return key;
}

std::string Closest(std::string_view got, const std::vector<std::string>& candidates,
                    std::size_t& budget) {
  const std::size_t allowed = got.size() < 3 ? 0 : got.size() < 4 ? 1 : got.size() < 8 ? 2 : 3;
  std::string best;
  std::size_t least = allowed + 1;
  for (const std::string& other : candidates) {
    if (budget == 0) break;
    --budget;
    const std::size_t longer = std::max(got.size(), other.size());
    if (longer - std::min(got.size(), other.size()) >= least || longer > 100) continue;
    const std::size_t distance = EditDistance(got, other);
    if (distance < least) least = distance, best = other;
  }
  return best;
}

Span SpanOfVariable(const Sources& sources, const Node& node, const std::string& name) {
  const auto find = [&](const auto& self, const Node& at) -> const Node* {
    const auto* v = at.As<Lvar>();
    const auto* a = at.As<Avar>();
    const auto* e = at.As<Expansion>();
    const auto* t = at.As<Template>();
    if ((v && v->name == name) || (a && a->name == name) || (e && e->name == name) ||
        (t && std::find(t->holes.begin(), t->holes.end(), name) != t->holes.end()))
      return &at;
    const Node* found = nullptr;
    ForEachChild(at, [&](const Node& child) {
      if (found == nullptr) found = self(self, child);
    });
    return found;
  };
  const Node* found = find(find, node);
  if (found == nullptr) return node.span;
  Span span = found->span;
  if (!found->As<Template>()) return span;
  const std::size_t at = sources.Text(span).find("{?" + name + "}");
  if (at == std::string_view::npos) return span;
  span.begin += static_cast<std::uint32_t>(at) + 1;
  span.end = span.begin + static_cast<std::uint32_t>(name.size()) + 1;
  return span;
}

namespace {

// Reads documents as a session does, and keeps each sentence with its role.
class Reader {
 public:
  Reader(Context& context, const CheckOptions& options)
      : context_(context),
        reader_(context.sources, [this](Document document, bool, Diagnostics& found) {
          Take(std::move(document), found);
        }) {
    reader_.SetFiles(options.reader);
  }

  void Read(std::uint32_t file) {
    Diagnostics found;
    told_ = 0;
    Document document = ReadDocument(context_.sources, file, found);
    reader_.Read(std::move(document), found);
    const std::set<std::string>& missing = reader_.missing();
    context_.unread_files.insert(missing.begin(), missing.end());
  }

 private:
  void Take(Document document, Diagnostics& found) {
    context_.documents.push_back(std::move(document));
    const Document& kept = context_.documents.back();
    Novelty novelty = context_.engine.program.Load(kept, found);
    AddParts(kept, novelty);
    for (QuestionEntry& entry : novelty.question_entries) {
      entry.before.assertions += context_.assertions.size();
      context_.question_entries.push_back(std::move(entry));
    }
    for (std::size_t i = 0; i < novelty.facts.size(); ++i)
      context_.stated.insert(novelty.facts[i].relation);
    for (const Assertion& a : novelty.assertions)
      if (a.truth) context_.stated.insert(a.relation);
    std::vector<Assertion>& facts = novelty.assertions;
    context_.assertions.insert(context_.assertions.end(), std::make_move_iterator(facts.begin()),
                               std::make_move_iterator(facts.end()));
    for (; told_ < found.all().size(); ++told_) {
      const Diagnostic& d = found.all()[told_];
      if (d.severity != Severity::kError) {
        context_.Add(d);
        continue;
      }
      context_.AddOfRun(d);
      if (kept.prefix.empty()) continue;
      context_.unread_files.insert(kept.prefix.substr(0, kept.prefix.size() - 1));
    }
  }

  void AddParts(const Document& document, Novelty& novelty) {
    const bool checked = context_.checked_files.contains(document.file);
    const auto signature = [&](std::size_t s) {
      const Scope& scope = document.scopes[s];
      if (scope.signature)
        context_.parts.push_back(
            {&document, &*scope.signature, static_cast<int>(s), Role::kSignature, checked, {}});
    };
    std::size_t next = 1;
    for (std::size_t i = 0; i < document.sentences.size(); ++i) {
      const PlacedSentence& placed = document.sentences[i];
      while (next < document.scopes.size() &&
             document.scopes[next].span.begin < placed.sentence.span.begin)
        signature(next++);
      SentenceReading& reading = novelty.readings[i];
      if (reading.role == Role::kRefused) continue;  // reported by the loader
      context_.parts.push_back({&document, &placed.sentence, placed.scope, reading.role, checked,
                                std::move(reading.joins)});
    }
    while (next < document.scopes.size()) signature(next++);
  }

  Context& context_;
  NamespaceReader reader_;
  std::size_t told_ = 0;  // findings already in the context
};

// Reads the facts of other files. A file without rows still defines its relation.
void ReadGiven(Context& context, const CheckOptions& options) {
  if (!options.facts) return;
  Diagnostics found;
  context.given = options.facts(context.sources, context.engine.store, found);
  std::map<RelationId, Span> first;
  Span empty;
  for (const Novelty& novelty : context.given) {
    context.checked_files.insert(novelty.file);
    if (novelty.given) context.engine.store.Give(novelty.given->first, novelty.given->second);
    if (novelty.facts.empty()) empty = {novelty.file, 0, 0};
    for (std::size_t i = 0; i < novelty.facts.size(); ++i) {
      const Novelty::Fact& fact = novelty.facts[i];
      first.emplace(fact.relation, Span{novelty.file, fact.begin, fact.end});
    }
  }
  const Store& store = context.engine.store;
  for (RelationId r = 0; r < store.size(); ++r) {
    if (store.IsWhole(r) || store.at(r).space() != Space::kRelation) continue;
    GivenRelation given;
    given.call.ns = Namespace::kRelation;
    given.call.label = context.engine.pool.TextOf(store.at(r).label());
    given.call.args.assign(store.at(r).arity(), Node{Lvar{}, {}});
    given.span = first.contains(r) ? first.at(r) : empty;
    context.given_relations.emplace(r, std::move(given));
  }
  for (const Diagnostic& d : found.all()) context.findings.push_back({d, {}});
}

// Collects the labels in text with syntax errors: that the text defines or uses nothing is not
// another mistake. Labels at the start of a line may have been meant as heads.
void CollectBrokenNames(Context& context) {
  std::unordered_map<std::uint32_t, std::vector<Span>> sentences;  // by file, in order
  for (const Part& part : context.parts)
    if (part.checked) sentences[part.sentence->span.file].push_back(part.sentence->span);
  for (auto& [file, list] : sentences)
    std::sort(list.begin(), list.end(), [](Span a, Span b) { return a.begin < b.begin; });
  std::set<std::pair<std::uint32_t, std::uint32_t>> done;
  for (const Finding& f : context.findings) {
    const Diagnostic& d = f.diagnostic;
    if (d.severity != Severity::kError && d.code != Code::kLooksLikeRpl) continue;
    const std::string_view text = context.sources.at(d.span.file).text;
    // From the end of the sentence before the finding to the start of the one after it.
    std::uint32_t begin = 0;
    std::uint32_t end = static_cast<std::uint32_t>(text.size());
    const std::vector<Span>& list = sentences[d.span.file];
    const auto after = std::upper_bound(list.begin(), list.end(), d.span.begin,
                                        [](std::uint32_t at, Span s) { return at < s.begin; });
    if (after != list.begin()) begin = std::min((after - 1)->end, d.span.begin);
    if (after != list.end()) end = after->begin;
    if (!done.emplace(d.span.file, begin).second) continue;
    bool line_begins = true;
    for (std::uint32_t at = begin; at < end; ++at) {
      if (text[at] == '\n') line_begins = true;
      if (!IsLetter(text[at])) continue;
      std::uint32_t stop = at;
      while (stop < end && IsQualifiedNameChar(text[stop])) ++stop;
      const bool nullary_head =
          line_begins && text.substr(std::min(stop, end - 1), 4).find('<') != text.npos;
      if (stop < end && (text[stop] == '(' || nullary_head || (at > 0 && text[at - 1] == '%'))) {
        // A label that should begin with a lower-case letter is used as it will be once it does.
        const std::string_view label = text.substr(at, stop - at);
        const std::string meant = IsLower(label.front()) ? std::string(label) : Kebab(label);
        context.broken_names.insert(meant);
        if (line_begins || text[begin] == '#') context.broken_heads.insert(meant);
        line_begins = false;
      }
      at = stop - 1;
    }
  }
}

// One finding for each name that is not kebab-case, at its first place.
void KeepFirstOfEachName(std::vector<Finding>& findings) {
  std::unordered_set<std::string> seen;
  std::erase_if(findings, [&](const Finding& f) {
    return f.diagnostic.code == Code::kNotKebabCase && !seen.insert(f.diagnostic.message).second;
  });
}

void Sort(std::vector<Finding>& findings) {
  const auto key = [](const Finding& f) {
    const Diagnostic& d = f.diagnostic;
    return std::tie(d.span.file, d.span.begin, d.code, d.span.end, d.message);
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
  findings.erase(std::unique(findings.begin(), findings.end(),
                             [&](const Finding& a, const Finding& b) { return key(a) == key(b); }),
                 findings.end());
}

// Only a document that is certainly one of RPL has errors (decision 102). Of the files that the
// checked ones only name, the errors alone are told.
void WarnWhereNotCertain(Context& context) {
  Certainty certainty(context);
  std::unordered_set<std::uint32_t> documents;
  for (const Document& document : context.documents) documents.insert(document.file);
  for (Finding& f : context.findings) {
    Diagnostic& d = f.diagnostic;
    const bool unread = d.code == Code::kNotUtf8 || d.code == Code::kNulByte;
    if (d.severity != Severity::kError || unread || !documents.contains(d.span.file)) continue;
    if (!certainty.IsInRpl(d.span) && !certainty.IsLineOfRpl(d.span))
      d.severity = Severity::kWarning;
  }
  std::erase_if(context.findings, [&](const Finding& f) {
    const std::uint32_t file = f.diagnostic.span.file;
    return f.diagnostic.severity != Severity::kError && documents.contains(file) &&
           !context.checked_files.contains(file);
  });
}

}  // namespace
}  // namespace check

std::vector<Finding> CheckFiles(Sources& sources, const std::vector<std::uint32_t>& files,
                                const CheckOptions& options) {
  check::Context context(sources);
  context.checked_files.insert(files.begin(), files.end());
  context.host_tools = options.tools;
  check::ReadGiven(context, options);
  check::Reader reader(context, options);
  for (const std::uint32_t file : files) reader.Read(file);
  check::CollectBrokenNames(context);
  context.engine.analysis.ExpectRows({context.stated.begin(), context.stated.end()});
  // The analysis only reads the program and its rows. So do the passes that do not need it.
  std::future<void> prepared = std::async(kBeside, [&] { context.engine.Prepare(); });
  check::CheckNames(context);
  check::CheckForms(context);
  check::CheckHabits(context);
  check::CheckKinds(context);
  check::CheckDocument(context);
  check::CheckAuthority(context);
  prepared.get();
  check::CheckVariables(context);
  for (const Analysis::BadExtremum& bad : context.engine.analysis.bad_extrema())
    context.Add(bad.code, bad.span, bad.what, bad.hint);
  check::CheckRecursion(context);
  check::Sort(context.findings);
  check::KeepFirstOfEachName(context.findings);
  check::AddFixes(context);
  check::WarnWhereNotCertain(context);
  check::ApplySuppressions(context);
  check::DropWhatFollows(context);
  check::Sort(context.findings);
  if (options.strict)
    for (Finding& f : context.findings)
      if (f.diagnostic.severity == Severity::kWarning) f.diagnostic.severity = Severity::kError;
  return std::move(context.findings);
}

std::vector<Finding> Mendable(const std::vector<Finding>& findings) {
  std::vector<Finding> first, later;
  for (const Finding& f : findings) {
    if (!f.fixable()) continue;
    switch (f.diagnostic.code) {
      case Code::kNotKebabCase:
      case Code::kBareName:
      case Code::kMapWithoutCommas:
      case Code::kCallAsFunction:
      case Code::kBareMetadataMap: later.push_back(f); break;
      default: first.push_back(f);
    }
  }
  return first.empty() ? later : first;
}

std::string Fixed(const Sources& sources, std::uint32_t file,
                  const std::vector<Finding>& findings) {
  std::vector<const Edit*> edits;
  for (const Finding& f : findings)
    for (const Edit& e : f.edits)
      if (e.span.file == file) edits.push_back(&e);
  std::stable_sort(edits.begin(), edits.end(), [](const Edit* a, const Edit* b) {
    return std::tie(a->span.begin, a->span.end) < std::tie(b->span.begin, b->span.end);
  });
  const std::string& text = sources.at(file).text;
  std::string out;
  std::uint32_t at = 0;
  const Edit* last = nullptr;
  for (const Edit* e : edits) {
    const bool repeated = last != nullptr && e->span == last->span;
    if (e->span.begin < at || repeated) continue;
    out.append(text, at, e->span.begin - at);
    out += e->text;
    at = e->span.end;
    last = e;
  }
  out.append(text, at, std::string::npos);
  return out;
}

}  // namespace rpl
