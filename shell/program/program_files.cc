// SPDX-License-Identifier: Apache-2.0
#include "shell/program/program_files.h"

#include <filesystem>
#include <new>

#include "formats/file_name.h"
#include "formats/terminal_text.h"
#include "runtime/facts/facts_file.h"
#include "runtime/postgres/database_url.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

// An absolute path with links resolved; "" if the system does not say. A want of memory is no such
// answer: a session would record another name.
fs::path Resolved(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::absolute(path, error);
  if (!error) out = fs::weakly_canonical(out, error);
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
  return error ? fs::path() : out;
}

// The folder of a file, with links resolved.
fs::path FolderOf(const fs::path& file) {
  return Resolved(file.has_parent_path() ? file.parent_path() : fs::path("."));
}

fs::path FolderOfSession(const std::string& session) {
  return IsDatabaseUrl(session) ? Resolved(".") : FolderOf(Resolved(session));
}

}  // namespace

ExitCode ReadProgram(const std::vector<std::string>& paths, std::vector<ProgramFile>& to) {
  ExitCode exit_code = kExitOk;
  for (const std::string& path : paths) {
    if (IsFactsFile(WithoutGz(path))) {
      Complain(path, "rows of a relation are taken in with `--facts RELATION=" + path + "`");
      return kExitInvalid;
    }
    Input input = ReadFile(path);
    if (!input.error.empty()) {
      Complain(path, input.error);
      exit_code = kExitFile;
    }
    if (input.text.starts_with(std::string_view("SQLite format 3\0", 16))) {
      Complain(path, "this is a session, not a program",
               "`rpl resume " + path + "` goes on with it");
      return kExitInvalid;
    }
    to.push_back({path, std::move(input.text)});
  }
  return exit_code;
}

std::string NameInSession(const std::string& session, const std::string& path) {
  if (const std::optional<FactsName> facts = FactsNameOf(path))
    return facts->path == "-" ? path
                              : Text(FactsName{facts->relation, NameInSession(session, facts->path),
                                               facts->separator});
  const fs::path file = FolderOf(path) / fs::path(path).filename();
  return file.lexically_relative(FolderOfSession(session));
}

std::string PathFromSession(const std::string& session, const std::string& name) {
  if (const std::optional<FactsName> facts = FactsNameOf(name))
    return facts->path == "-" ? "-" : PathFromSession(session, facts->path);
  const fs::path file = (FolderOfSession(session) / name).lexically_normal();
  std::error_code error;
  const fs::path here = fs::current_path(error);
  return error ? file : file.lexically_proximate(here);
}

bool IsThere(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

std::string ResolvedPath(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

std::string ThisProgram() {
  std::error_code unknown;
  const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
  return self.empty() ? "rpl" : self.string();
}

std::vector<std::string> LastingProgram() {
  std::string program = ThisProgram();
  // npx, pnpm dlx and yarn dlx run a package from a folder of theirs.
  for (const char* cache : {"/_npx/", "/dlx/", "/dlx-"})
    if (program.find(cache) != program.npos) return {"npx", "-y", "rpl-engine"};
  return {std::move(program)};
}

bool IsInTree(const std::string& session, const std::string& path) {
  std::error_code error;
  const fs::path file = fs::weakly_canonical(fs::absolute(path, error), error);
  const auto is_below = [&](const fs::path& folder) {
    const fs::path way = file.lexically_relative(folder);
    return !way.empty() && *way.begin() != "..";
  };
  const fs::path here = fs::weakly_canonical(fs::current_path(error), error);
  return !error && (is_below(FolderOfSession(session)) || is_below(here));
}

std::string AsShellWord(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+=:,-";
  const std::string word = path.starts_with('-') ? "./" + path : WithoutPassword(path);
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  // The escapes of PrintableLine are valid in the shell's $'…'.
  const bool escapes = PrintableLine(word) != word;
  std::string quoted = escapes ? "$'" : "'";
  for (const char c : word) {
    if (c == '\'') quoted += escapes ? "\\'" : "'\\''";
    else if (c == '\\' && escapes) quoted += "\\\\";
    else if (c == '\t') quoted += "\\t";
    else quoted += c;
  }
  return PrintableLine(quoted + "'");
}

}  // namespace rpl
