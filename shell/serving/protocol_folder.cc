// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/protocol_folder.h"

#include <algorithm>
#include <filesystem>

#include "formats/file_name.h"
#include "formats/shorten.h"
#include "formats/spelling.h"
#include "grammar/document.h"
#include "interp/store/value.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFolders = 16;  // within each other

bool IsProtocolName(const std::string& name) {
  return !name.starts_with('.') && (HasExtension(name, ".md") || IsPlainRpl(name));
}

// Whether `path`, with links resolved, is below `folder`, which has none.
bool IsBelow(const fs::path& path, const fs::path& folder) {
  const fs::path way = path.lexically_relative(folder);
  return !way.empty() && *way.begin() != ".." && *way.begin() != ".";
}

// A relative path of plain names: no step up, nothing hidden, nothing absolute.
bool IsPlainName(const std::string& name) {
  if (name.empty() || name.size() > 4096 || !IsUtf8(name) || name.find('\0') != std::string::npos)
    return false;
  const fs::path path(name);
  return !path.is_absolute() && std::all_of(path.begin(), path.end(), [](const fs::path& part) {
    return !part.empty() && !part.native().starts_with('.');
  });
}

}  // namespace

std::string ProtocolFolder::Add(const std::vector<std::string>& paths) {
  std::size_t folders = 0;
  for (const std::string& given : paths) {
    std::error_code error;
    const fs::path path = fs::canonical(given, error);
    if (error) return Shortened(given, kToldBytes) + ": " + error.message();
    Root root{path, "", !fs::is_directory(path, error)};
    if (root.file) root.prefix = fs::path(given).filename();
    else ++folders;
    if (root.file && !IsProtocolName(root.prefix))
      return Shortened(given, kToldBytes) +
             ": a protocol is a Markdown file (*.md) or plain RPL (*.rpl)";
    roots_.push_back(std::move(root));
  }
  for (Root& root : roots_)
    if (!root.file && folders > 1) root.prefix = fs::path(root.path).filename().native() + "/";
  for (std::size_t i = 0; i < roots_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (roots_[i].prefix == roots_[j].prefix && roots_[i].file == roots_[j].file)
        return roots_[i].path + " and " + roots_[j].path + " have the same name";
  return "";
}

std::vector<ProtocolFolder::Protocol> ProtocolFolder::List() const {
  std::vector<Protocol> out;
  for (const Root& root : roots_) {
    if (root.file) {
      out.push_back({root.prefix, root.path});
      continue;
    }
    std::error_code error;
    fs::recursive_directory_iterator at(root.path, fs::directory_options::skip_permission_denied,
                                        error);
    for (; !error && at != fs::recursive_directory_iterator() && out.size() < kMost;
         at.increment(error)) {
      const std::string name = at->path().filename();
      std::error_code ignored;
      if (at->is_directory(ignored)) {
        if (name.starts_with('.') || at.depth() + 1 >= kMostFolders) at.disable_recursion_pending();
        continue;
      }
      if (!IsProtocolName(name)) continue;
      const std::string whole = root.prefix + at->path().lexically_relative(root.path).native();
      if (std::optional<std::string> path = Find(whole)) out.push_back({whole, std::move(*path)});
    }
  }
  std::sort(out.begin(), out.end(),
            [](const Protocol& a, const Protocol& b) { return a.name < b.name; });
  return out;
}

std::optional<std::string> ProtocolFolder::Find(const std::string& name) const {
  if (!IsPlainName(name)) return std::nullopt;
  for (const Root& root : roots_) {
    if (root.file) {
      if (name == root.prefix) return root.path;
      continue;
    }
    if (!name.starts_with(root.prefix)) continue;
    std::error_code error;
    const fs::path path =
        fs::canonical(fs::path(root.path) / name.substr(root.prefix.size()), error);
    if (!error && fs::is_regular_file(path, error) && IsBelow(path, root.path) &&
        IsProtocolName(fs::path(name).filename()))
      return path;
  }
  return std::nullopt;
}

std::string ProtocolFolder::NameLike(const std::string& name) const {
  const std::vector<Protocol> all = List();
  for (const bool last : {false, true}) {  // `work/trip` before `trip`
    std::string found;
    for (const Protocol& protocol : all) {
      const fs::path path = last ? fs::path(protocol.name).filename() : fs::path(protocol.name);
      if (path != name && fs::path(path).replace_extension() != name) continue;
      if (!found.empty()) return "";  // several
      found = protocol.name;
    }
    if (!found.empty()) return found;
  }
  NearestName nearest(name);
  std::string out;
  for (const Protocol& protocol : all)
    for (const std::string& like :
         {protocol.name, fs::path(protocol.name).replace_extension().string()})
      if (nearest.Offer(like)) out = protocol.name;
  return out;
}

std::string ProtocolFolder::NameOf(const std::string& path) const {
  for (const Root& root : roots_) {
    if (root.file && path == root.path) return root.prefix;
    if (!root.file && IsBelow(path, root.path))
      return root.prefix + fs::path(path).lexically_relative(root.path).native();
  }
  return "";
}

}  // namespace rpl
