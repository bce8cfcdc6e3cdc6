// SPDX-License-Identifier: Apache-2.0
#include "shell/script/script_folder.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "runtime/tools/read_notes.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// An anonymous file with `text` as its contents.
File Nameless(const std::string& text) {
  File file(std::tmpfile(), std::fclose);
  if (file == nullptr) throw std::runtime_error(std::strerror(errno));
  std::fwrite(text.data(), 1, text.size(), file.get());
  std::fflush(file.get());
  std::rewind(file.get());
  return file;
}

std::string WholeText(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  return text;
}

// The child: runs the command and exits.
[[noreturn]] void Become(CommandLine run, Lines words, const std::string& folder, int seconds) {
  SendReadNotes(-1);  // about files that are gone with the folder
  words.insert(words.begin(), "rpl");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int code = kExitFile;
  if (chdir(folder.c_str()) == 0) {
    setenv("HOME", folder.c_str(), 1);
    unsetenv("XDG_STATE_HOME");
    alarm(static_cast<unsigned>(seconds));
    code = run(static_cast<int>(words.size()), argv.data());
  }
  std::cout.flush();
  std::cerr.flush();
  _exit(code);
}

}  // namespace

Lines LinesOf(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string Joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string Listing(const Lines& lines) {
  if (lines.empty()) return "  (nothing)\n";
  std::string text;
  for (const std::string& line : lines) text += "  | " + line + "\n";
  return text;
}

std::string Mismatch(std::string_view expected, const Lines& wanted, const Lines& got) {
  return fmt::format("expected {}\n{}got\n{}", expected, Listing(wanted), Listing(got));
}

std::optional<Lines> CommandWords(std::string_view line) {
  Lines words;
  bool inside = false;  // of a word
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool escapes = c == '\\' && i + 1 < line.size() && quote != '\'' &&
                         (quote == '\0' || line[i + 1] == '"' || line[i + 1] == '\\');
    if (quote == '\0' && (c == ' ' || c == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (escapes) words.back() += line[++i];
    else if (quote == '\0' && (c == '\'' || c == '"')) quote = c;
    else if (c == quote) quote = '\0';
    else words.back() += c;
  }
  if (quote != '\0') return std::nullopt;
  return words;
}

bool IsInnerPath(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return !normal.empty() && normal.is_relative() && *normal.begin() != "..";
}

ScriptFolder::ScriptFolder(CommandLine run) : run_(run) {
  std::string name = fs::temp_directory_path() / "rpl-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(std::strerror(errno));
  folder_ = name;
}

ScriptFolder::~ScriptFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void ScriptFolder::Write(const std::string& name, const std::string& text) {
  fs::create_directories(fs::path(Inner(name)).parent_path());
  std::ofstream out(Inner(name), std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw std::runtime_error(name + " cannot be written");
}

void ScriptFolder::Run(const Lines& words, const std::string& input, int seconds) {
  const File in = Nameless(input);
  const File out = Nameless("");
  const File err = Nameless("");
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::strerror(errno));
  if (child == 0) {
    dup2(fileno(in.get()), STDIN_FILENO);
    dup2(fileno(out.get()), STDOUT_FILENO);
    dup2(fileno(err.get()), STDERR_FILENO);
    Become(run_, words, folder_, seconds);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  ended_ = WIFSIGNALED(status) ? fmt::format("by {}", strsignal(WTERMSIG(status)))
                               : std::to_string(WEXITSTATUS(status));
  out_ = WholeText(out.get());
  err_ = WholeText(err.get());
}

std::optional<std::string> ScriptFolder::Check(const ScriptStep& step) const {
  switch (step.kind) {
    case TestStepKind::kExit: return CheckExit(step);
    case TestStepKind::kStdout: return CheckParts(step, out_);
    case TestStepKind::kNoStdout: return CheckNoParts(step, out_);
    case TestStepKind::kStderr: return CheckParts(step, err_);
    case TestStepKind::kNoStderr: return CheckNoParts(step, err_);
    case TestStepKind::kPrints:
      if (Joined(step.body) == out_) return std::nullopt;
      return Mismatch("on standard output", step.body, LinesOf(out_));
    case TestStepKind::kNoFile:
      if (!fs::exists(Inner(step.argument))) return std::nullopt;
      return fmt::format("`{}` is there\n", step.argument);
    case TestStepKind::kFolder: return CheckNames(step);
    default: break;
  }
  const Input file = ReadFile(Inner(step.words.front()));
  if (!file.error.empty()) return fmt::format("{}: {}\n", step.words.front(), file.error);
  if (step.kind == TestStepKind::kWrites) return CheckParts(step, file.text);
  const Input other = ReadFile(Inner(step.words.back()));
  if (other.error.empty() && other.text == file.text) return std::nullopt;
  return Mismatch("the same bytes", LinesOf(file.text), LinesOf(other.text));
}

std::optional<Lines> ScriptFolder::Actual(const ScriptStep& step) const {
  switch (step.kind) {
    case TestStepKind::kStdout:
    case TestStepKind::kPrints: return LinesOf(out_);
    case TestStepKind::kStderr: return LinesOf(err_);
    case TestStepKind::kWrites: {
      const Input file = ReadFile(Inner(step.words.front()));
      if (!file.error.empty()) return std::nullopt;
      return LinesOf(file.text);
    }
    case TestStepKind::kFolder: return NamesIn(step.argument);
    default: return std::nullopt;
  }
}

std::optional<std::string> ScriptFolder::CheckExit(const ScriptStep& step) const {
  if (step.argument == ended_) return std::nullopt;
  return fmt::format("expected the command to end with {}, it ended {}\n{}standard error\n{}",
                     step.argument, ended_, Listing(LinesOf(out_)), Listing(LinesOf(err_)));
}

std::optional<std::string> ScriptFolder::CheckParts(const ScriptStep& step,
                                                    const std::string& text) const {
  std::size_t at = 0;
  for (const std::string& part : step.body) {
    const std::size_t found = text.find(part, at);
    if (found == text.npos) {
      std::string failure = Mismatch("next", {part}, LinesOf(text));
      if (&text == &out_) failure += "standard error\n" + Listing(LinesOf(err_));
      return failure;
    }
    at = found + part.size();
  }
  return std::nullopt;
}

std::optional<std::string> ScriptFolder::CheckNoParts(const ScriptStep& step,
                                                      const std::string& text) const {
  if (step.body.empty() && !text.empty()) return Mismatch("nothing", {}, LinesOf(text));
  for (const std::string& part : step.body)
    if (!part.empty() && text.find(part) != text.npos)
      return Mismatch("nowhere", {part}, LinesOf(text));
  return std::nullopt;
}

std::optional<Lines> ScriptFolder::NamesIn(const std::string& folder) const {
  Lines names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(Inner(folder), error))
    names.push_back(entry.path().filename());
  if (error) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> ScriptFolder::CheckNames(const ScriptStep& step) const {
  const std::optional<Lines> names = NamesIn(step.argument);
  if (names == step.body) return std::nullopt;
  return Mismatch(fmt::format("in `{}`", step.argument), step.body, names.value_or(Lines()));
}

}  // namespace rpl
