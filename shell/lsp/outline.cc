// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/outline.h"

#include <algorithm>
#include <vector>

#include "formats/character.h"
#include "formats/shorten.h"

namespace rpl::lsp {
namespace {

constexpr int kSymbolFunction = 12, kSymbolEvent = 24, kSymbolMethod = 6, kSymbolVariable = 13,
              kSymbolModule = 2, kSymbolConstant = 14, kSymbolOperator = 25;
constexpr std::size_t kMostName = 100;  // bytes

char Lowered(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

bool HasLetters(std::string_view name, std::string_view query) {
  std::size_t at = 0;
  for (const char c : name)
    if (at < query.size() && Lowered(c) == Lowered(query[at])) ++at;
  return at == query.size();
}

// Symbols before they are JSON, as a flat tree.
struct Symbol {
  std::string name;
  std::string detail;
  int kind = kSymbolFunction;
  Span range;
  Span selection;
  std::vector<std::size_t> children;
  Name facts;  // of a run of facts
  std::size_t count = 0;
};

class OutlineReader {
 public:
  OutlineReader(const Project& project, const DocumentIndex& index)
      : project_(project), index_(index), symbols_(index.layout().scopes.size()) {}

  Json Read() {
    const std::vector<IndexedScope>& scopes = index_.layout().scopes;
    const auto size = static_cast<std::uint32_t>(index_.file().text.size());
    for (std::size_t i = 1; i < scopes.size(); ++i) {
      Symbol& symbol = symbols_[i];
      symbol.kind = kSymbolModule;
      symbol.name = Shortened(std::string(scopes[i].title), kMostName);
      if (scopes[i].signature)
        symbol.detail = Shortened(std::string(index_.Text(*scopes[i].signature)), kMostName);
      if (symbol.name.empty()) symbol.name = symbol.detail.empty() ? "heading" : symbol.detail;
      symbol.range = symbol.selection = scopes[i].span;
      std::size_t next = i + 1;
      while (next < scopes.size() && scopes[next].level > scopes[i].level) ++next;
      symbol.range.end = next < scopes.size() ? scopes[next].span.begin : size;
      const int parent = scopes[i].parent;
      symbols_[parent < 0 ? 0 : static_cast<std::size_t>(parent)].children.push_back(i);
    }
    for (std::size_t i = 0; i < index_.layout().sentences.size(); ++i)
      if (!index_.layout().sentences[i].signature) AddSentence(static_cast<int>(i));
    return Children(0);
  }

 private:
  void AddSentence(int number) {
    const IndexedSentence& in = index_.layout().sentences[static_cast<std::size_t>(number)];
    Symbol symbol;
    symbol.range = symbol.selection = in.span;
    const Occurrence* defined = FirstDefined(number);
    if (defined != nullptr) {
      symbol.name = defined->name.Text();
      symbol.kind = SymbolKindOf(defined->name.kind);
      symbol.selection = defined->whole;
    }
    std::vector<std::size_t>& siblings = symbols_[static_cast<std::size_t>(in.scope)].children;
    if (defined != nullptr && defined->role == Occurrence::Role::kFact) {
      if (!siblings.empty()) {
        Symbol& last = symbols_[siblings.back()];
        if (last.count > 0 && last.facts == defined->name) {
          last.range.end = symbol.range.end;
          last.detail = std::to_string(++last.count) + " facts";
          return;
        }
      }
      symbol.kind = kSymbolConstant;
      symbol.facts = defined->name;
      symbol.count = 1;
      symbol.detail = "1 fact";
    }
    if (defined == nullptr) {
      symbol.kind = kSymbolOperator;
      symbol.name = Shortened(std::string(index_.Text(in.span)), kMostName);
      std::ranges::replace(symbol.name, '\n', ' ');
      symbol.detail = in.role == SentenceRole::kConstraint ? "constraint" : "";
    }
    siblings.push_back(symbols_.size());
    symbols_.push_back(std::move(symbol));
  }

  // Occurrences and sentences are both in document order.
  const Occurrence* FirstDefined(int sentence) {
    const std::vector<Occurrence>& all = index_.occurrences();
    const Span span = index_.layout().sentences[static_cast<std::size_t>(sentence)].span;
    auto at = std::ranges::lower_bound(all, span.begin, {},
                                       [](const Occurrence& o) { return o.span.begin; });
    for (; at != all.end() && at->span.begin < span.end; ++at)
      if (at->sentence == sentence && at->defines()) return &*at;
    return nullptr;
  }

  Json Children(std::size_t of) {
    Json out = Json::array();
    std::vector<std::size_t>& children = symbols_[of].children;
    std::ranges::stable_sort(children, {}, [&](std::size_t i) { return symbols_[i].range.begin; });
    for (const std::size_t i : children) {
      const Symbol& symbol = symbols_[i];
      if (!project_.client.nested_symbols) {
        out.push_back({{"name", symbol.name},
                       {"kind", symbol.kind},
                       {"location", project_.LocationOf(index_.file(), symbol.range)}});
        for (Json& below : Children(i)) out.push_back(std::move(below));
        continue;
      }
      Json json = {{"name", symbol.name},
                   {"kind", symbol.kind},
                   {"range", project_.RangeOf(index_.file(), symbol.range)},
                   {"selectionRange", project_.RangeOf(index_.file(), symbol.selection)}};
      if (!symbol.detail.empty()) json["detail"] = symbol.detail;
      if (Json below = Children(i); !below.empty()) json["children"] = std::move(below);
      out.push_back(std::move(json));
    }
    return out;
  }

  const Project& project_;
  const DocumentIndex& index_;
  std::vector<Symbol> symbols_;  // scopes first, by their numbers
};

}  // namespace

int SymbolKindOf(NameKind kind) {
  switch (kind) {
    case NameKind::kRelation: return kSymbolFunction;
    case NameKind::kGoal: return kSymbolEvent;
    case NameKind::kTool: return kSymbolMethod;
    case NameKind::kLvar:
    case NameKind::kAvar: return kSymbolVariable;
  }
  return kSymbolVariable;
}

Json SymbolsOf(const Project& project, const DocumentIndex& index) {
  return OutlineReader(project, index).Read();
}

Json WorkspaceSymbols(Project& project, const std::string& query) {
  Json out = Json::array();
  for (const File& file : project.files.Programs()) {
    const Index index = project.indexes.Of(file);
    std::set<Name> seen;
    for (const Occurrence& o : index->occurrences()) {
      if (out.size() >= kMostSymbols) return out;
      if (!o.defines() || !HasLetters(o.name.Text(), query) || !seen.insert(o.name).second)
        continue;
      out.push_back({{"name", o.name.Text()},
                     {"kind", SymbolKindOf(o.name.kind)},
                     {"location", project.LocationOf(*file, o.span)},
                     {"containerName", file->file_name()}});
    }
  }
  return out;
}

Json FoldingRangesOf(const DocumentIndex& index) {
  const TextLines& lines = index.file().lines;
  const std::string_view text = index.file().text;
  Json out = Json::array();
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    while (end > begin && IsSpace(text[end - 1])) --end;
    const std::uint32_t first = lines.LineOf(begin), last = lines.LineOf(end);
    if (last > first) out.push_back({{"startLine", first}, {"endLine", last}, {"kind", "region"}});
  };
  const std::vector<IndexedScope>& scopes = index.layout().scopes;
  for (std::size_t i = 1; i < scopes.size(); ++i) {
    std::size_t next = i + 1;
    while (next < scopes.size() && scopes[next].level > scopes[i].level) ++next;
    add(scopes[i].span.begin,
        next < scopes.size() ? scopes[next].span.begin : static_cast<std::uint32_t>(text.size()));
  }
  for (const Block& block : index.layout().blocks)
    if (block.kind == BlockKind::kFence || block.kind == BlockKind::kFrontMatter)
      add(block.span.begin, block.span.end);
  for (const IndexedSentence& s : index.layout().sentences)
    if (!s.signature) add(s.span.begin, s.span.end);
  return out;
}

}  // namespace rpl::lsp
