// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/source_places.h"

#include <algorithm>
#include <charconv>

#include "grammar/document.h"
#include "grammar/printer.h"
#include "runtime/facts_file.h"
#include "runtime/timestep.h"

namespace rpl {
namespace {

// The number of sentences of a file that are indexed.
constexpr std::size_t kMaxSentences = 100'000;

bool EndsName(char c) {
  return c == '(' || c == ')' || c == ' ' || c == ',' || c == '^' || c == '=' || c == '"';
}

// The name at the beginning of a text: `stay` in `(stay(?x) <- …`, `%trip` in `!%trip ^^ …`.
std::string_view LeadingName(std::string_view text) {
  while (!text.empty() && (text.front() == '(' || text.front() == '!')) text.remove_prefix(1);
  const auto end = std::find_if(text.begin(), text.end(), EndsName);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// The names before parentheses, sorted, without repetitions.
std::vector<std::string> NamesIn(std::string_view text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!EndsName(text[i])) continue;
    if (text[i] == '(' && i > begin) out.emplace_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

SourcePlaces::SourcePlaces(const Program& program, const Sources& sources, std::uint32_t files)
    : sources_(sources), files_(files) {
  for (const Definition& def : program.definitions()) {
    texts_.emplace(OneLine(def.text), def.span);
    Rule rule{NamesIn(def.text), def.span};
    if (def.head != kNoId) {
      const std::string& name = program.store().at(def.head).name();
      rules_[name].push_back(std::move(rule));
      names_.emplace(name, def.span);
    }
  }
  for (const Constraint& c : program.constraints()) texts_.emplace(OneLine(c.text), c.span);
  for (const Declared& declared : program.declared())
    names_.emplace(declared.name.substr(0, declared.name.rfind('/')), declared.span);
  for (const Definition& def : program.definitions()) {
    AddClauses(program, def.activation);
    AddClauses(program, def.body);
  }
  for (const Constraint& c : program.constraints()) {
    AddClauses(program, c.left);
    AddClauses(program, c.right);
  }
  for (std::uint32_t file = 0; file < files; ++file) {
    if (IsFactsFile(sources.at(file).name)) continue;
    Diagnostics ignored;
    const Document document = ReadDocument(sources, file, ignored);
    const std::size_t count = std::min(document.sentences.size(), kMaxSentences);
    for (std::size_t i = 0; i < count; ++i) {
      const Sentence& sentence = document.sentences[i].sentence;
      const std::string text = OneLine(Print(sentence));
      texts_.emplace(text, sentence.span);
      names_.emplace(LeadingName(text), sentence.span);
    }
  }
}

// The place of a tool is its first call.
void SourcePlaces::AddClauses(const Program& program, const Clauses& clauses) {
  for (const Clause& clause : clauses) {
    const auto* atom = clause.As<Atom>();
    const Relation* relation = atom == nullptr ? nullptr : &program.store().at(atom->relation);
    if (relation != nullptr && relation->space() == Space::kTool)
      names_.emplace(relation->name(), clause.span);
    ForEachBody(clause, [&](const Clauses& body) { AddClauses(program, body); });
  }
}

std::optional<Span> SourcePlaces::Of(std::string_view text) const {
  if (const auto at = texts_.find(text); at != texts_.end()) return at->second;
  const std::string_view bare = text.substr(0, text.find(" ^^ "));
  if (const auto at = texts_.find(bare); at != texts_.end()) return at->second;
  const std::string_view name = LeadingName(text);
  if (const auto at = rules_.find(name); at != rules_.end() && text.starts_with('(')) {
    // A derivation: the rule with the most names among those whose names all occur in it.
    const std::vector<std::string> names = NamesIn(text);
    const Rule* best = nullptr;
    for (const Rule& rule : at->second)
      if (std::includes(names.begin(), names.end(), rule.names.begin(), rule.names.end()) &&
          (best == nullptr || rule.names.size() > best->names.size()))
        best = &rule;
    if (best != nullptr) return best->span;
  }
  if (const auto at = names_.find(name); at != names_.end()) return at->second;
  return std::nullopt;
}

std::optional<Span> SourcePlaces::At(std::string_view place) const {
  const std::size_t column = place.rfind(':');
  if (column == std::string_view::npos || column == 0) return std::nullopt;
  const std::size_t line = place.rfind(':', column - 1);
  if (line == std::string_view::npos) return std::nullopt;
  std::size_t number = 0;
  std::from_chars(place.data() + line + 1, place.data() + column, number);
  for (std::uint32_t file = 0; file < files_; ++file) {
    const Sources::File& source = sources_.at(file);
    if (source.name != place.substr(0, line) || number == 0 || number > source.lines.size())
      continue;
    return Span{file, source.lines[number - 1], source.lines[number - 1]};
  }
  return std::nullopt;
}

}  // namespace rpl
