// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/navigation.h"

#include <algorithm>
#include <set>

#include "formats/data/json_fields.h"
#include "shell/lsp/outline.h"

namespace rpl::lsp {
namespace {

// All places of what is at a cursor.
std::vector<Place> SamePlaces(Project& project, const Place& at) {
  std::vector<Place> out;
  if (at.occurrence->name.is_variable()) {
    for (const Occurrence* o : at.index->SameAs(*at.occurrence)) out.push_back({at.index, o});
    return out;
  }
  const File file = project.files.Find(at.index->file().uri);
  if (file == nullptr) return out;
  if (const std::optional<Target> target = project.TargetOf(file, at.occurrence->name))
    return project.UsesOf(*target);
  for (const Occurrence* o : at.index->Of(at.occurrence->name)) out.push_back({at.index, o});
  return out;
}

Json NameJson(const Name& name) {
  return {{"kind", static_cast<int>(name.kind)},
          {"space", name.space},
          {"label", name.label},
          {"arity", name.arity}};
}

// The item of a target, placed at its first definition; null if it has none.
Json ItemOf(Project& project, const Target& target) {
  const std::vector<Place> at = project.DefinitionsOf(target);
  if (at.empty()) return nullptr;
  const Place& place = at.front();
  Span range = place.occurrence->whole;
  if (place.occurrence->sentence >= 0)
    range =
        place.index->layout().sentences[static_cast<std::size_t>(place.occurrence->sentence)].span;
  Json data = NameJson(target.name);
  data["uri"] = target.file->uri;
  return {{"name", target.name.Text()},
          {"kind", SymbolKindOf(target.name.kind)},
          {"uri", place.index->file().uri},
          {"range", project.RangeOf(place.index->file(), range)},
          {"selectionRange", project.RangeOf(place.index->file(), place.occurrence->span)},
          {"data", std::move(data)}};
}

std::optional<Target> TargetOfItem(Project& project, const Json& params) {
  const Json& data = FieldAt(FieldAt(params, "item"), "data");
  const int kind = NumberAt(data, "kind", -1);
  const int arity = NumberAt(data, "arity", 0);
  if (kind < 0 || kind > static_cast<int>(NameKind::kTool) || arity < 0) return std::nullopt;
  Target out;
  out.file = project.files.Find(TextAt(data, "uri"));
  if (out.file == nullptr) return std::nullopt;
  out.name = {static_cast<NameKind>(kind), TextAt(data, "space"), TextAt(data, "label"),
              static_cast<std::size_t>(arity)};
  return out;
}

// The relations, goals and tools that the rule of a sentence gives: its heads, and for a sentence
// that joins headings those of the headings.
std::vector<const Occurrence*> HeadsOf(const DocumentIndex& index, int sentence) {
  const int group = index.layout().sentences[static_cast<std::size_t>(sentence)].group;
  std::vector<const Occurrence*> own, joined;
  for (const Occurrence& o : index.occurrences()) {
    if (o.role != Occurrence::Role::kHead) continue;
    if (o.sentence == sentence) own.push_back(&o);
    else if (index.layout().sentences[static_cast<std::size_t>(o.sentence)].group == group)
      joined.push_back(&o);
  }
  return own.empty() ? joined : own;
}

// Calls by target, with the places of the calls in the file of the caller.
class CallList {
 public:
  CallList(Project& project, const char* end) : project_(project), end_(end) {}

  void Add(const Target& target, const TextFile& file, Span at) {
    const std::string key = target.file->uri + "\n" + target.name.Text();
    const auto [known, is_new] = numbers_.emplace(key, list_.size());
    if (is_new) {
      Json item = ItemOf(project_, target);
      if (item.is_null()) {
        numbers_.erase(known);
        return;
      }
      list_.push_back({{end_, std::move(item)}, {"fromRanges", Json::array()}});
    }
    list_[known->second]["fromRanges"].push_back(project_.RangeOf(file, at));
  }

  Json Take() { return std::move(list_); }

 private:
  Project& project_;
  const char* const end_;
  std::map<std::string, std::size_t> numbers_;
  Json list_ = Json::array();
};

}  // namespace

std::optional<Place> OccurrenceAt(Project& project, const Json& params) {
  const auto cursor = project.CursorOf(params);
  if (!cursor) return std::nullopt;
  Index index = project.indexes.Of(cursor->first);
  const Occurrence* at = index->At(cursor->second);
  if (at == nullptr) return std::nullopt;
  return Place{std::move(index), at};
}

Json DefinitionsAt(Project& project, const Json& params) {
  Json out = Json::array();
  const std::optional<Place> at = OccurrenceAt(project, params);
  if (!at) return out;
  if (at->occurrence->name.is_variable()) {  // its first place
    const auto same = at->index->SameAs(*at->occurrence);
    if (!same.empty()) out.push_back(project.LocationOf({at->index, same.front()}));
    return out;
  }
  const File file = project.files.Find(at->index->file().uri);
  const auto target = file == nullptr ? std::nullopt : project.TargetOf(file, at->occurrence->name);
  if (!target) return out;
  for (const Place& place : project.DefinitionsOf(*target)) {
    out.push_back(project.LocationOf(place));
    if (place.occurrence->role == Occurrence::Role::kFact) break;
  }
  return out;
}

Json ReferencesAt(Project& project, const Json& params) {
  Json out = Json::array();
  const std::optional<Place> at = OccurrenceAt(project, params);
  if (!at) return out;
  const bool declarations = FlagAt(FieldAt(params, "context"), "includeDeclaration");
  for (const Place& place : SamePlaces(project, *at))
    if (declarations || !place.occurrence->defines()) out.push_back(project.LocationOf(place));
  return out;
}

Json HighlightsAt(Project& project, const Json& params) {
  constexpr int kText = 1, kRead = 2, kWrite = 3;
  Json out = Json::array();
  const std::optional<Place> at = OccurrenceAt(project, params);
  if (!at) return out;
  for (const Occurrence* o : at->index->SameAs(*at->occurrence))
    out.push_back({{"range", project.RangeOf(at->index->file(), o->span)},
                   {"kind", o->defines()                          ? kWrite
                            : o->role == Occurrence::Role::kProse ? kText
                                                                  : kRead}});
  return out;
}

Json PrepareCallHierarchy(Project& project, const Json& params) {
  const std::optional<Place> at = OccurrenceAt(project, params);
  if (!at || at->occurrence->name.is_variable()) return nullptr;
  const File file = project.files.Find(at->index->file().uri);
  const auto target = file == nullptr ? std::nullopt : project.TargetOf(file, at->occurrence->name);
  if (!target) return nullptr;
  Json item = ItemOf(project, *target);
  if (item.is_null()) return nullptr;
  return Json::array({std::move(item)});
}

Json IncomingCalls(Project& project, const Json& params) {
  const std::optional<Target> target = TargetOfItem(project, params);
  if (!target) return Json::array();
  CallList out(project, "from");
  for (const Place& place : project.UsesOf(*target)) {
    if (place.occurrence->defines() || place.occurrence->sentence < 0) continue;
    const File file = project.files.Find(place.index->file().uri);
    if (file == nullptr) continue;
    for (const Occurrence* head : HeadsOf(*place.index, place.occurrence->sentence))
      if (const auto caller = project.TargetOf(file, head->name))
        out.Add(*caller, *file, place.occurrence->span);
  }
  return out.Take();
}

Json OutgoingCalls(Project& project, const Json& params) {
  const std::optional<Target> target = TargetOfItem(project, params);
  if (!target) return Json::array();
  CallList out(project, "to");
  for (const Place& place : project.DefinitionsOf(*target)) {
    if (place.occurrence->role != Occurrence::Role::kHead) continue;
    const DocumentIndex& index = *place.index;
    const File file = project.files.Find(index.file().uri);
    if (file == nullptr) continue;
    const auto sentence = static_cast<std::size_t>(place.occurrence->sentence);
    for (const Occurrence& o : index.occurrences()) {
      if (o.name.is_variable() || o.defines() || o.sentence < 0) continue;
      const IndexedSentence& in = index.layout().sentences[static_cast<std::size_t>(o.sentence)];
      const bool joins = in.role == SentenceRole::kConjoined &&
                         index.layout().sentences[sentence].signature &&
                         in.group == index.layout().sentences[sentence].group;
      if (o.sentence != place.occurrence->sentence && !joins) continue;
      if (const auto called = project.TargetOf(file, o.name)) out.Add(*called, *file, o.span);
    }
  }
  return out.Take();
}

}  // namespace rpl::lsp
