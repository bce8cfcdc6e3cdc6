// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/tool_approval.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "formats/write_all.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 64;

class Hash {
 public:
  Hash() {
    [[maybe_unused]] const int done = sodium_init();
    crypto_generichash_init(&state_, nullptr, 0, kBytes);
  }

  void Add(std::string_view bytes) {
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
  }

  std::string Hex() {
    std::array<unsigned char, kBytes> bytes;
    crypto_generichash_final(&state_, bytes.data(), bytes.size());
    std::string hex;
    for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
    return hex;
  }

 private:
  static constexpr std::size_t kBytes = kHashDigits / 2;
  crypto_generichash_state state_;
};

// The file of the project that a word of the command names, or "".
std::string ProjectFile(const ToolCommand& command, const std::string& word) {
  const fs::path path = (fs::path(command.folder) / word).lexically_normal();
  const fs::path inside = path.lexically_relative(command.home);
  std::error_code ignored;
  if (inside.empty() || *inside.begin() == ".." || !fs::is_regular_file(path, ignored)) return "";
  return path;
}

std::string HashOfFile(const std::string& path) {
  Hash hash;
  std::ifstream in(path, std::ios::binary);
  std::array<char, 65536> buffer;
  while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0)
    hash.Add({buffer.data(), static_cast<std::size_t>(in.gcount())});
  return in.is_open() && !in.bad() ? hash.Hex() : "unreadable";
}

bool IsHash(const std::string& text) {
  return text.size() == kHashDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string WithoutControls(std::string text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  std::replace_if(text.begin(), text.end(), control, ' ');
  return text;
}

// Writes a file of mode 0600 beside `path` and renames it.
std::string Replace(const std::string& path, const std::string& text) {
  std::string fresh = path + ".XXXXXX";
  const int fd = mkostemp(fresh.data(), O_CLOEXEC);  // with mode 0600
  if (fd < 0) return std::strerror(errno);
  bool written = WriteAll(fd, text) && fsync(fd) == 0;
  written = close(fd) == 0 && written;
  if (written && rename(fresh.c_str(), path.c_str()) == 0) return "";
  const std::string why = std::strerror(errno);
  unlink(fresh.c_str());
  return why;
}

std::string TextOfFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string CommandHash(const ToolCommand& command) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& word : command.argv) {
    const std::string file = ProjectFile(command, word);
    if (!file.empty()) files.push_back({file, HashOfFile(file)});
  }
  const nlohmann::ordered_json whole = {{"argv", command.argv},
                                        {"folder", command.folder},
                                        {"environment", command.environment},
                                        {"files", std::move(files)}};
  Hash hash;
  hash.Add(whole.dump());
  return hash.Hex();
}

Approvals::Approvals(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::istringstream lines(TextOfFile(path_));
  for (std::string line; std::getline(lines, line);)
    if (const std::string hash = line.substr(0, line.find(' ')); IsHash(hash)) known_.insert(hash);
}

std::string Approvals::Add(const std::string& hash, const std::string& comment) {
  if (!known_.insert(hash).second || path_.empty()) return "";
  std::error_code error;
  fs::create_directories(fs::path(path_).parent_path(), error);
  if (error) return error.message();
  std::string text = TextOfFile(path_);  // another run may have added to it
  if (!text.empty() && text.back() != '\n') text += '\n';
  return Replace(path_, text + hash + " " + WithoutControls(comment) + "\n");
}

// --- definitions of tools of servers ------------------------------------------------------

namespace {

std::string HashOfTool(const ToolCommand& command) {
  const std::string tool = command.mcp ? command.mcp->tool : command.name;
  Hash hash;
  hash.Add(nlohmann::ordered_json::array({command.argv, command.folder, tool}).dump());
  return hash.Hex();
}

}  // namespace

ToolPins::ToolPins(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::istringstream lines(TextOfFile(path_));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Pin pin;
    if (words >> pin.tool >> pin.definition && IsHash(pin.tool) && IsHash(pin.definition)) {
      std::getline(words, pin.comment);
      pins_.push_back(std::move(pin));
    }
  }
}

std::string ToolPins::Find(const ToolCommand& command) const {
  const std::string tool = HashOfTool(command);
  for (const Pin& pin : pins_)
    if (pin.tool == tool) return pin.definition;
  return "";
}

std::string ToolPins::Set(const ToolCommand& command, const std::string& hash) {
  const std::string tool = HashOfTool(command);
  if (!path_.empty()) pins_ = ToolPins(path_).pins_;  // another run may have added to it
  std::erase_if(pins_, [&](const Pin& pin) { return pin.tool == tool; });
  pins_.push_back({tool, hash, " $" + command.name + " " + command.argv.front()});
  if (path_.empty()) return "";
  std::error_code error;
  fs::create_directories(fs::path(path_).parent_path(), error);
  if (error) return error.message();
  std::string text;
  for (const Pin& pin : pins_)
    text += pin.tool + " " + pin.definition + WithoutControls(pin.comment) + "\n";
  return Replace(path_, text);
}

}  // namespace rpl
