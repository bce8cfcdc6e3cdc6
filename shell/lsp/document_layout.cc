// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/document_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "formats/character.h"

namespace rpl::lsp {
namespace {

// The sets of sentences that share variables.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int Find(int at) {
    while (parent_[static_cast<std::size_t>(at)] != at) {
      int& up = parent_[static_cast<std::size_t>(at)];
      up = parent_[static_cast<std::size_t>(up)];
      at = up;
    }
    return at;
  }
  void Join(int a, int b) {
    a = Find(a), b = Find(b);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

class LayoutBuilder {
 public:
  explicit LayoutBuilder(std::vector<Block> blocks) {
    out_.blocks = std::move(blocks);
    out_.scopes.emplace_back();
  }

  void Add(const PlacedPart& placed, const std::vector<int>& parents) {
    const Document& document = placed.part->document();
    for (std::size_t s = 1; s < document.scopes.size(); ++s) {
      const Scope& scope = document.scopes[s];
      IndexedScope& to = out_.scopes.emplace_back();
      to.parent = parents[out_.scopes.size() - 2];
      to.level = scope.level;
      to.title = scope.title;
      if (scope.signature) to.signature = placed.Moved(scope.signature->span);
      to.span = placed.Moved(scope.span);
    }
    for (const PartSentence& s : placed.part->sentences())
      out_.sentences.push_back({placed.Moved(s.sentence->span), placed.ScopeOf(s.scope),
                                s.signature, s.fenced, s.role, 0});
    for (const Prose& prose : document.prose)
      out_.prose.push_back({placed.ScopeOf(prose.scope), placed.Moved(prose.span)});
    for (Diagnostic d : placed.part->findings()) {
      d.span = placed.Moved(d.span);
      out_.findings.push_back(std::move(d));
    }
  }

  DocumentLayout Take() {
    FindGroups();
    for (const Block& block : out_.blocks)
      if (IsRplFence(block)) out_.regions.push_back(block.content);
    for (const IndexedSentence& s : out_.sentences)
      if (!s.fenced) out_.regions.push_back(s.span);
    std::ranges::stable_sort(out_.regions, {}, &Span::begin);
    return std::move(out_);
  }

 private:
  void FindGroups() {
    std::vector<int> parents;
    std::vector<bool> have_signature;
    for (const IndexedScope& scope : out_.scopes) {
      parents.push_back(scope.parent);
      have_signature.push_back(scope.signature.has_value());
    }
    std::vector<int> signature_of(out_.scopes.size(), -1);
    for (std::size_t i = 0; i < out_.sentences.size(); ++i)
      if (out_.sentences[i].signature)
        signature_of[static_cast<std::size_t>(out_.sentences[i].scope)] = static_cast<int>(i);
    Groups groups(out_.sentences.size());
    HeadingJoins joins(parents, have_signature);
    for (std::size_t i = 0; i < out_.sentences.size(); ++i) {
      IndexedSentence& s = out_.sentences[i];
      const auto join = [&](int with) {
        groups.Join(static_cast<int>(i), signature_of[static_cast<std::size_t>(with)]);
      };
      if (s.role == SentenceRole::kOwn) join(s.scope);
      // The other expressions without a head join headings of any part.
      const bool expression = s.role == SentenceRole::kConjoined ||
                              s.role == SentenceRole::kObligation ||
                              s.role == SentenceRole::kRefused;
      if (!expression) continue;
      const std::vector<int>* const joined = joins.Of(s.scope);
      if (joined == nullptr) {
        s.role = SentenceRole::kRefused;
        continue;
      }
      s.role = joined->empty() ? SentenceRole::kObligation : SentenceRole::kConjoined;
      for (const int with : *joined) join(with);
    }
    for (std::size_t i = 0; i < out_.sentences.size(); ++i)
      out_.sentences[i].group = groups.Find(static_cast<int>(i));
  }

  DocumentLayout out_;
};

}  // namespace

DocumentCuts CutsOf(std::string_view text, const std::vector<Block>& blocks) {
  struct Open {
    int level;
    int scope;
    std::size_t part;
  };
  DocumentCuts out{{0}, {}};
  std::vector<Open> open;  // the headings around the next block
  for (const Block& block : blocks) {
    if (block.kind == BlockKind::kScopeReturn) {
      if (!open.empty()) open.pop_back();
      out.begins.resize(open.empty() ? 1 : open.back().part + 1);
    }
    if (block.kind != BlockKind::kHeading) continue;
    while (!open.empty() && open.back().level >= block.level) open.pop_back();
    out.parents.push_back(open.empty() ? 0 : open.back().scope);
    const std::uint32_t begin = block.span.begin;
    // Only `\n` ends a line for the readers of sentences.
    if (begin > 0 && text[begin - 1] == '\n' &&
        text.substr(SkipBlanks(text, begin)).starts_with('#'))
      out.begins.push_back(begin);
    open.push_back({block.level, static_cast<int>(out.parents.size()), out.begins.size() - 1});
  }
  return out;
}

DocumentLayout LayoutOf(const std::vector<PlacedPart>& parts, const std::vector<int>& parents,
                        std::vector<Block> blocks) {
  LayoutBuilder out(std::move(blocks));
  for (const PlacedPart& placed : parts) out.Add(placed, parents);
  return out.Take();
}

}  // namespace rpl::lsp
