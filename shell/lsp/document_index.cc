// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/document_index.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "formats/utf8.h"

namespace rpl::lsp {

DocumentIndex::DocumentIndex(File file, const DocumentIndex* before) : file_(std::move(file)) {
  std::vector<Block> blocks;
  DocumentCuts cuts{{0}, {}};
  const bool plain = IsPlainRpl(file_->name());
  if (!plain) {
    blocks = ReadBlocks(file_->text, 0);
    Diagnostics ignored;
    if (IsText(file_->text, 0, ignored)) cuts = CutsOf(file_->text, blocks);
  }
  ReadParts(cuts, before);
  layout_ = LayoutOf(parts_, cuts.parents, std::move(blocks));
  if (plain) layout_.regions = {{0, 0, static_cast<std::uint32_t>(file_->text.size())}};
  AddOccurrences();
}

void DocumentIndex::ReadParts(const DocumentCuts& cuts, const DocumentIndex* before) {
  std::unordered_map<std::string_view, const PlacedPart*> known;
  if (before != nullptr && before->file_->name() == file_->name())
    for (const PlacedPart& placed : before->parts_) known.emplace(placed.part->text(), &placed);
  int scopes = 0;
  for (std::size_t i = 0; i < cuts.begins.size(); ++i) {
    const std::uint32_t begin = cuts.begins[i];
    const std::size_t end = i + 1 < cuts.begins.size() ? cuts.begins[i + 1] : file_->text.size();
    const std::string_view text = std::string_view(file_->text).substr(begin, end - begin);
    const auto at = known.find(text);
    parts_.push_back({at != known.end()
                          ? at->second->part
                          : std::make_shared<DocumentPart>(file_->name(), std::string(text)),
                      begin, scopes});
    scopes += static_cast<int>(parts_.back().part->document().scopes.size()) - 1;
  }
}

void DocumentIndex::AddOccurrences() {
  std::vector<std::uint32_t> prose;
  int sentences = 0;
  std::size_t size = 0;
  for (const PlacedPart& placed : parts_) size += placed.part->occurrences().size();
  occurrences_.reserve(size);
  uses_.reserve(size);
  for (const PlacedPart& placed : parts_) {
    const std::vector<std::size_t>& hashes = placed.part->hashes();
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(occurrences_.size());
      Occurrence& o = occurrences_.emplace_back(placed.part->occurrences()[i]);
      o.span = placed.Moved(o.span);
      o.whole = placed.Moved(o.whole);
      if (o.role == Occurrence::Role::kProse) {
        o.group = placed.ScopeOf(o.group);
        prose.push_back(number);
        continue;
      }
      o.sentence += sentences;
      if (o.name.is_variable())
        o.group = layout_.sentences[static_cast<std::size_t>(o.sentence)].group;
      uses_.push_back({o.group, hashes[i], number});
    }
    sentences += static_cast<int>(placed.part->sentences().size());
    offered_.insert(placed.part->offered().begin(), placed.part->offered().end());
  }
  std::ranges::sort(uses_);
  NameProse(prose);
}

// What an emphasised span names: a variable of its heading's rule or of a heading above, else a
// relation that prose may name, else a variable that the span adds to the rule.
void DocumentIndex::NameProse(const std::vector<std::uint32_t>& prose) {
  std::vector<int> group_of(layout_.scopes.size(), kNoGroup);
  for (const IndexedSentence& s : layout_.sentences)
    if (s.signature) group_of[static_cast<std::size_t>(s.scope)] = s.group;
  std::vector<Use> added;
  for (const std::uint32_t number : prose) {
    Occurrence& o = occurrences_[number];
    const int scope = o.group;
    o.group = group_of[static_cast<std::size_t>(scope)];
    const bool is_lvar = !Used(o.group, o.name).empty();
    Name avar = o.name;
    avar.kind = NameKind::kAvar;
    if (!is_lvar && !Used(o.group, avar).empty()) {
      o.name = std::move(avar);
    } else if (!is_lvar && IsNamedInProse(o.name.label) && !IsVariableAbove(scope, o.name.label)) {
      o.name = {NameKind::kRelation, "", o.name.label, 1};
      o.group = kNoGroup;
    }
    added.push_back({o.group, o.name.Hash(), number});
  }
  std::ranges::sort(added);
  const auto middle = static_cast<std::ptrdiff_t>(uses_.size());
  uses_.insert(uses_.end(), added.begin(), added.end());
  std::ranges::inplace_merge(uses_, uses_.begin() + middle);
}

bool DocumentIndex::IsVariableAbove(int scope, const std::string& name) const {
  for (int at = scope; at > 0; at = layout_.scopes[static_cast<std::size_t>(at)].parent) {
    const auto after = std::ranges::upper_bound(parts_, at - 1, {}, &PlacedPart::scopes_before);
    const PlacedPart& placed = *std::prev(after);
    const std::vector<std::string>& names =
        placed.part->VariablesOf(static_cast<std::size_t>(at - placed.scopes_before));
    if (std::ranges::find(names, name) != names.end()) return true;
  }
  return false;
}

std::vector<const Occurrence*> DocumentIndex::Used(int group, const Name& name) const {
  std::vector<const Occurrence*> out;
  const std::size_t hash = name.Hash();
  for (auto at = std::ranges::lower_bound(uses_, Use{group, hash, 0});
       at != uses_.end() && at->group == group && at->hash == hash; ++at)
    if (occurrences_[at->occurrence].name == name) out.push_back(&occurrences_[at->occurrence]);
  return out;
}

const Occurrence* DocumentIndex::At(std::uint32_t offset) const {
  const auto after =
      std::upper_bound(occurrences_.begin(), occurrences_.end(), offset,
                       [](std::uint32_t at, const Occurrence& o) { return at < o.span.begin; });
  // The label, else the mark or the namespace before it.
  if (after != occurrences_.begin() && std::prev(after)->span.end >= offset)
    return &*std::prev(after);
  if (after != occurrences_.end() && after->whole.begin <= offset) return &*after;
  return nullptr;
}

std::vector<const Occurrence*> DocumentIndex::SameAs(const Occurrence& occurrence) const {
  return Used(occurrence.name.is_variable() ? occurrence.group : kNoGroup, occurrence.name);
}

std::vector<const Occurrence*> DocumentIndex::Definitions(const Name& name) const {
  std::vector<const Occurrence*> heads, facts;
  for (const Occurrence* o : Of(name)) {
    if (o->role == Occurrence::Role::kHead) heads.push_back(o);
    if (o->role == Occurrence::Role::kFact) facts.push_back(o);
  }
  return heads.empty() ? facts : heads;
}

std::vector<Span> DocumentIndex::BindingKeys(const std::string& name) const {
  std::vector<Span> out;
  for (const PlacedPart& placed : parts_) {
    const auto [begin, end] = placed.part->binding_keys().equal_range(name);
    for (auto at = begin; at != end; ++at) out.push_back(placed.Moved(at->second));
  }
  return out;
}

std::vector<Name> DocumentIndex::NamesOf(NameKind kind) const {
  std::vector<Name> out;
  const Name* last = nullptr;
  for (const Use& use : uses_) {
    if (use.group != kNoGroup) break;
    const Name& name = occurrences_[use.occurrence].name;
    if (name.kind != kind || (last != nullptr && *last == name)) continue;
    out.push_back(name);
    last = &name;
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

std::optional<Span> DocumentIndex::IndexedAt(const std::string& label) const {
  for (const Occurrence* o : Of({NameKind::kTool, "", "index", 0})) {
    if (o->call == nullptr) continue;
    const Nodes& args = o->call->As<Call>()->args;
    const auto* text = args.size() == 2 ? args[1].As<String>() : nullptr;
    if (text == nullptr || text->text != label) continue;
    // Places of a call are those of its part.
    const std::uint32_t moved = o->whole.begin - o->call->span.begin;
    const Span at = args[1].span;
    return Span{at.file, at.begin + moved, at.end + moved};
  }
  return std::nullopt;
}

std::string DocumentIndex::ProseOf(int scope) const {
  std::string out;
  for (const IndexedProse& prose : layout_.prose)
    if (prose.scope == scope) {
      if (!out.empty()) out += "\n\n";
      out += Text(prose.span);
    }
  return out;
}

Index IndexCache::Of(const File& file) {
  Index before;
  {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(file->uri);
    if (at != known_.end()) before = at->second.second;
    if (before != nullptr && at->second.first == file) return before;
  }
  Index index = std::make_shared<DocumentIndex>(file, before.get());
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMost) known_.clear();
  known_[file->uri] = {file, index};
  return index;
}

}  // namespace rpl::lsp
