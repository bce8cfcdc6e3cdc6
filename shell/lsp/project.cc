// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/project.h"

#include <filesystem>

#include "formats/data/json_fields.h"
#include "grammar/library_text.h"
#include "grammar/namespaces.h"
#include "runtime/tools/tool_config.h"

namespace rpl::lsp {

File LibraryFile() {
  static const File file =
      std::make_shared<TextFile>("rpl:std.md", "", std::string(kLibraryText), std::nullopt);
  return file;
}

std::function<std::optional<std::string>(const std::string&)> Project::ReaderFor(File file) const {
  return [this, file = std::move(file)](const std::string& name) -> std::optional<std::string> {
    const File found = files.Beside(*file, name);
    return found == nullptr ? std::nullopt : std::optional(found->text);
  };
}

std::shared_ptr<const ProgramView> Project::ViewOf(const File& file) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = views_.find(file->uri);
    if (at != views_.end() && at->second.file == file &&
        std::ranges::all_of(at->second.named, [&](const auto& named) {
          return files.Beside(*file, named.first) == named.second;
        }))
      return at->second.view;
  }
  Viewed made{file, {}, nullptr};
  made.view = std::make_shared<ProgramView>(
      *file, [&](const std::string& name) -> std::optional<std::string> {
        const File found = files.Beside(*file, name);
        made.named[name] = found;
        return found == nullptr ? std::nullopt : std::optional(found->text);
      });
  const std::lock_guard lock(mutex_);
  views_[file->uri] = made;
  return made.view;
}

std::shared_ptr<const ToolConfig> Project::ToolsOf(const TextFile& file) {
  return ConfiguredBeside(file).tools;
}

std::optional<Diagnostic> Project::ToolsErrorOf(const TextFile& file) {
  return ConfiguredBeside(file).error;
}

Project::Configured Project::ConfiguredBeside(const TextFile& file) {
  static const auto kNone = std::make_shared<const ToolConfig>();
  const File config = files.Beside(file, "rpl.yaml");
  if (config == nullptr) return {nullptr, kNone, std::nullopt};
  const std::lock_guard lock(mutex_);
  Configured& known = tools_[config->uri];
  if (known.file == config) return known;
  Sources sources;
  Diagnostics found;
  const std::uint32_t number = sources.Add(config->path, config->text);
  std::optional<ToolConfig> read =
      ReadToolConfig(sources, number, std::filesystem::path(config->path).parent_path(), found);
  known = {config, read ? std::make_shared<const ToolConfig>(std::move(*read)) : kNone,
           std::nullopt};
  found.Sort();
  for (const Diagnostic& d : found.all()) {
    if (read || d.severity != Severity::kError) continue;
    const Sources::Place at = sources.PlaceOf(number, d.span.begin);
    known.error = d;
    known.error->message =
        "rpl.yaml:" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + d.message;
    break;
  }
  return known;
}

std::optional<Target> Project::TargetOf(const File& file, const Name& name) const {
  if (name.space == kLibrary) return std::nullopt;
  if (name.space.find('.') == std::string::npos) return Target{file, name};
  const File named = files.Beside(*file, name.space);
  if (named == nullptr) return std::nullopt;
  Name local = name;
  local.space.clear();
  return Target{named, std::move(local)};
}

std::vector<NamingFile> Project::FilesNaming(const Target& target) {
  std::vector<NamingFile> out;
  const bool tool = target.name.kind == NameKind::kTool;
  const std::string file_name = target.file->file_name();
  for (const File& file : files.Neighbours(*target.file)) {
    const bool itself = file->uri == target.file->uri;
    // Most files do not name another one: their text says so before it is indexed.
    if (!itself && !tool && file->text.find(file_name) == std::string::npos) continue;
    const Index index = indexes.Of(file);
    if (itself || tool) out.push_back({index, target.name});
    if (tool || !target.name.space.empty()) continue;
    Name named = target.name;
    named.space = file_name;
    out.push_back({index, std::move(named)});
  }
  return out;
}

std::vector<Place> Project::UsesOf(const Target& target) {
  std::vector<Place> out;
  for (const auto& [index, name] : FilesNaming(target))
    for (const Occurrence* o : index->Of(name)) out.push_back({index, o});
  return out;
}

std::vector<Place> Project::DefinitionsOf(const Target& target) {
  std::vector<Place> out;
  if (target.name.kind == NameKind::kTool) {
    for (const Place& place : UsesOf(target))
      if (place.occurrence->role == Occurrence::Role::kHead) out.push_back(place);
    return out;
  }
  const Index index = indexes.Of(target.file);
  for (const Occurrence* o : index->Definitions(target.name)) out.push_back({index, o});
  return out;
}

Json Project::RangeOf(const TextFile& file, Span span) const {
  return {{"start", PositionJson(file.lines.PositionOf(span.begin, client.encoding))},
          {"end", PositionJson(file.lines.PositionOf(span.end, client.encoding))}};
}

Json Project::LocationOf(const TextFile& file, Span span) const {
  return {{"uri", file.uri}, {"range", RangeOf(file, span)}};
}

Json Project::LocationOf(const Place& place) const {
  return LocationOf(place.index->file(), place.occurrence->span);
}

File Project::FileOf(const Json& params) const {
  const std::string uri = TextAt(FieldAt(params, "textDocument"), "uri");
  return uri.empty() ? nullptr : files.Find(uri);
}

std::optional<std::pair<File, std::uint32_t>> Project::CursorOf(const Json& params) const {
  const File file = FileOf(params);
  TextPosition position;
  if (file == nullptr || !ReadPosition(FieldAt(params, "position"), position)) return std::nullopt;
  return std::pair(file, file->lines.OffsetOf(position, client.encoding));
}

}  // namespace rpl::lsp
