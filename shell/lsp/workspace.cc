// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/workspace.h"

#include <algorithm>
#include <utility>

#include "formats/character.h"
#include "formats/data/json_fields.h"
#include "formats/file_name.h"

namespace rpl::lsp {
namespace {

namespace fs = std::filesystem;

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsProgramName(std::string_view name) {
  return HasExtension(name, ".md") || HasExtension(name, ".rpl");
}

bool IsLeftOut(const fs::path& folder) {
  const std::string name = folder.filename();
  return name.starts_with('.') || name == "node_modules";
}

}  // namespace

TextFile::TextFile(std::string uri_of, std::string path_of, std::string text_of,
                   std::optional<std::int64_t> version_of, bool plain)
    : uri(std::move(uri_of)),
      path(std::move(path_of)),
      text(std::move(text_of)),
      version(version_of),
      lines(text),
      name_(path.empty() ? uri : path) {
  if (path.empty() && plain && !HasExtension(name_, ".rpl")) name_ += ".rpl";
}

std::string TextFile::file_name() const { return fs::path(name()).filename(); }

bool TextFile::is_program() const { return IsProgramName(name()) || path.empty(); }

std::string PathOfUri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return "";
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with("localhost/")) uri.remove_prefix(std::string_view("localhost").size());
  if (!uri.starts_with('/')) return "";
  std::string out;
  for (std::size_t at = 0; at < uri.size(); ++at) {
    const int high = uri[at] == '%' && at + 2 < uri.size() ? HexDigit(uri[at + 1]) : -1;
    const int low = high < 0 ? -1 : HexDigit(uri[at + 2]);
    if (low < 0) {
      out += uri[at];
    } else {
      out += static_cast<char>(high * 16 + low);
      at += 2;
    }
  }
  if (out.find('\0') != out.npos) return "";
  return fs::path(out).lexically_normal();
}

std::string UriOfPath(const std::string& path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = IsLetter(c) || IsDigit(c) || std::string_view("/-_.~").find(c) != kNowhere;
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

void Workspace::AddFolder(const std::string& uri) {
  std::string path = PathOfUri(uri);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::lock_guard lock(mutex_);
  if (!path.empty()) folders_.insert(path);
}

void Workspace::RemoveFolder(const std::string& uri) {
  std::string path = PathOfUri(uri);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::lock_guard lock(mutex_);
  folders_.erase(path);
}

void Workspace::Open(const std::string& uri, std::int64_t version, std::string text, bool plain) {
  const std::string path = PathOfUri(uri);
  File file = std::make_shared<TextFile>(uri, path, std::move(text), version, plain);
  const std::lock_guard lock(mutex_);
  open_[uri] = std::move(file);
  if (!path.empty()) open_paths_[path] = uri;
}

std::optional<std::string> Changed(const std::string& text, const TextLines& lines,
                                   const Json& change, PositionEncoding encoding) {
  const Json& with = FieldAt(change, "text");
  if (!with.is_string()) return std::nullopt;
  const Json& range = FieldAt(change, "range");
  if (range.is_null()) return with.get<std::string>();
  TextPosition begin, end;
  if (!ReadPosition(FieldAt(range, "start"), begin) || !ReadPosition(FieldAt(range, "end"), end))
    return std::nullopt;
  std::uint32_t from = lines.OffsetOf(begin, encoding);
  std::uint32_t to = lines.OffsetOf(end, encoding);
  if (to < from) std::swap(from, to);
  const auto& put = with.get_ref<const std::string&>();
  std::string out;
  out.reserve(text.size() - (to - from) + put.size());
  out.append(text, 0, from).append(put).append(text, to);
  return out;
}

bool Workspace::Change(const std::string& uri, std::int64_t version, const Json& changes,
                       PositionEncoding encoding) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(uri);
  if (at == open_.end() || !changes.is_array()) return false;
  const File file = at->second;
  std::optional<std::string> text;  // none: that of the file
  for (const Json& change : changes) {
    text = text ? Changed(*text, TextLines(*text), change, encoding)
                : Changed(file->text, file->lines, change, encoding);
    if (!text) return false;
  }
  at->second = std::make_shared<TextFile>(uri, file->path, text ? std::move(*text) : file->text,
                                          version, HasExtension(file->name(), ".rpl"));
  return true;
}

void Workspace::Close(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(uri);
  if (at == open_.end()) return;
  open_paths_.erase(at->second->path);
  open_.erase(at);
}

bool Workspace::IsOpen(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return open_.contains(uri);
}

File Workspace::Read(const std::string& path, std::uintmax_t most) const {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  const bool regular = !error && size <= most && fs::is_regular_file(path, error);
  const auto time = regular ? fs::last_write_time(path, error) : fs::file_time_type();
  if (!regular || error) {
    disk_.erase(path);
    return nullptr;
  }
  Known& known = disk_[path];
  if (known.file != nullptr && known.time == time && known.size == size) return known.file;
  Input input = ReadFile(path);
  if (!input.error.empty()) {
    disk_.erase(path);
    return nullptr;
  }
  known = {time, size,
           std::make_shared<TextFile>(UriOfPath(path), path, std::move(input.text), std::nullopt)};
  return known.file;
}

File Workspace::At(const std::string& path, std::uintmax_t most) const {
  const auto uri = open_paths_.find(path);
  return uri == open_paths_.end() ? Read(path, most) : open_.at(uri->second);
}

File Workspace::Find(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  const auto open = open_.find(uri);
  if (open != open_.end()) return open->second;
  const std::string path = PathOfUri(uri);
  return path.empty() ? nullptr : At(path);
}

File Workspace::OnDisk(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return path.empty() ? nullptr : Read(path);
}

File Workspace::Beside(const TextFile& file, const std::string& name) const {
  if (file.path.empty() || name.empty() || name.find('/') != name.npos) return nullptr;
  const fs::path path = fs::path(file.path).replace_filename(name);
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) return nullptr;  // as a run follows none
  const std::lock_guard lock(mutex_);
  return At(path);
}

std::vector<File> Workspace::OpenFiles() const {
  const std::lock_guard lock(mutex_);
  std::vector<File> out;
  for (const auto& [uri, file] : open_) out.push_back(file);
  return out;
}

std::vector<File> Workspace::Neighbours(const TextFile& file) const {
  if (file.path.empty()) {
    const File itself = Find(file.uri);
    return itself == nullptr ? std::vector<File>() : std::vector<File>{itself};
  }
  const fs::path folder = fs::path(file.path).parent_path();
  const std::lock_guard lock(mutex_);
  std::set<std::string> paths = {file.path};
  for (const auto& [path, uri] : open_paths_)
    if (fs::path(path).parent_path() == folder && IsProgramName(path)) paths.insert(path);
  std::error_code error;
  std::size_t visited = 0;
  for (fs::directory_iterator it(folder, error), end;
       !error && it != end && ++visited < kMaxVisited; it.increment(error))
    if (IsProgramName(it->path().native()) && paths.size() < kMaxFiles) paths.insert(it->path());
  std::vector<File> out;
  for (const std::string& path : paths)
    if (File found = At(path, kMaxFileBytes)) out.push_back(std::move(found));
  return out;
}

std::vector<File> Workspace::Programs() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, File> found = open_;
  std::erase_if(found, [](const auto& entry) { return !entry.second->is_program(); });
  std::size_t visited = 0;
  for (const std::string& folder : folders_) {
    std::error_code error;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied,
                                        error);
    for (const fs::recursive_directory_iterator end; !error && it != end && ++visited < kMaxVisited;
         it.increment(error)) {
      std::error_code ignored;
      if (it->is_directory(ignored)) {
        if (IsLeftOut(it->path())) it.disable_recursion_pending();
        continue;
      }
      if (!IsProgramName(it->path().native()) || found.size() >= kMaxFiles) continue;
      if (File file = At(it->path(), kMaxFileBytes)) found.emplace(file->uri, std::move(file));
    }
  }
  std::vector<File> out;
  for (auto& [uri, file] : found) out.push_back(std::move(file));
  return out;
}

}  // namespace rpl::lsp
