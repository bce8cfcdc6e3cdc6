// SPDX-License-Identifier: Apache-2.0
//
// rpl fmt: the edits of grammar/formatter.h, printed, compared or written back.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include "grammar/formatter.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/terminal/input.h"
#include "shell/terminal/replace_file.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl fmt [-w | --check | --diff] FILE…: lays out the RPL of each file, see grammar/formatter.h.
// `-` is standard input. Errors of a file go to standard error; its valid parts are formatted
// nevertheless, but such a file is not written.
enum class FmtMode {
  kPrint,  // the text, to standard output
  kWrite,  // to the file, if it changes; its name to standard error
  kCheck,  // names of files that would change, to standard output; kExitNo
  kDiff,   // unified diffs, to standard output; kExitNo
};
struct FmtOptions {
  std::vector<std::string> files;
  FmtMode mode = FmtMode::kPrint;
  SessionLimits limits;
};

constexpr const char* kFmtFooter =
    R"(Formats only RPL; the surrounding Markdown stays as it is.

Examples
  rpl fmt protocol.md                      # prints the formatted text
  rpl fmt -w protocols/*.md                # rewrites files that are not formatted
  rpl fmt --check protocols/*.md           # exits with 1 if a file would change
  rpl fmt --diff protocol.md
  rpl fmt - <protocol.md)";

constexpr std::string_view kStandardInput = "-";
constexpr std::size_t kContext = 3;               // lines around a change
constexpr std::size_t kMaxComparisons = 4000000;  // of lines in one block of a diff

// --- A unified diff -------------------------------------------------------------------

/// The lines of a text, each with its line end.
std::vector<std::string_view> WithLineEnds(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t size = newline == text.npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

/// A file name in the header of a diff, as `git diff` writes it and `git apply` and `patch` read
/// it: in quotes and with escapes if it has a character that could end the header, or that a
/// terminal could obey; with a tab behind it if it has a blank, which would end it.
std::string HeaderName(std::string_view name) {
  if (name.find_first_of("\"\\") == name.npos && PrintableLine(name) == name)
    return std::string(name) + (name.find(' ') == name.npos ? "" : "\t");
  constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\";
  constexpr std::string_view kLetters = "abtnvfr\"\\";
  std::string out = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t at = kEscaped.find(c); at != kEscaped.npos)
      out += fmt::format("\\{}", kLetters[at]);
    else if (byte < 0x20 || byte >= 0x7f) out += fmt::format("\\{:03o}", byte);
    else out += c;
  }
  return out + '"';
}

/// Old lines [old_begin, old_end) became new lines [new_begin, new_end).
struct Change {
  std::size_t old_begin, old_end;
  std::size_t new_begin, new_end;
};

class Diff {
 public:
  Diff(std::string_view before, std::string_view after)
      : old_(WithLineEnds(before)), new_(WithLineEnds(after)) {
    std::size_t begin = 0;
    const std::size_t most = std::min(old_.size(), new_.size());
    while (begin < most && old_[begin] == new_[begin]) ++begin;
    std::size_t same = 0;
    while (same < most - begin && old_[old_.size() - 1 - same] == new_[new_.size() - 1 - same]) {
      ++same;
    }
    Compare({begin, old_.size() - same, begin, new_.size() - same});
  }

  std::string Text(std::string_view name) const {
    std::string out = fmt::format("--- {0}\n+++ {0}\n", HeaderName(name));
    for (std::size_t first = 0; first < changes_.size();) {
      std::size_t last = first;
      while (last + 1 < changes_.size() &&
             changes_[last + 1].old_begin - changes_[last].old_end <= 2 * kContext) {
        ++last;
      }
      AddHunk(first, last, out);
      first = last + 1;
    }
    return out;
  }

 private:
  // The longest common subsequence by dynamic programming; for large blocks, the next equal line
  // nearby, which is sufficient for a formatter, because it moves lines little.
  void Compare(Change block) {
    const std::size_t rows = block.old_end - block.old_begin;
    const std::size_t columns = block.new_end - block.new_begin;
    if (rows * columns > kMaxComparisons) return CompareNearby(block);
    std::vector<std::uint32_t> common((rows + 1) * (columns + 1), 0);
    auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
      return common[i * (columns + 1) + j];
    };
    auto equal = [&](std::size_t i, std::size_t j) {
      return old_[block.old_begin + i] == new_[block.new_begin + j];
    };
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        at(i, j) = equal(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < rows || j < columns) {
      if (i < rows && j < columns && equal(i, j)) {
        ++i;
        ++j;
      } else if (j == columns || (i < rows && at(i + 1, j) >= at(i, j + 1))) {
        Add({block.old_begin + i, block.old_begin + i + 1, block.new_begin + j,
             block.new_begin + j});
        ++i;
      } else {
        Add({block.old_begin + i, block.old_begin + i, block.new_begin + j,
             block.new_begin + j + 1});
        ++j;
      }
    }
  }

  void CompareNearby(Change block) {
    constexpr std::size_t kReach = 200;
    std::size_t i = block.old_begin;
    std::size_t j = block.new_begin;
    while (i < block.old_end || j < block.new_end) {
      std::size_t skip_old = block.old_end - i;
      std::size_t skip_new = block.new_end - j;
      for (std::size_t reach = 0; reach <= kReach && (i < block.old_end && j < block.new_end);
           ++reach) {
        bool found = false;
        for (std::size_t down = 0; down <= reach && !found; ++down) {
          const std::size_t right = reach - down;
          if (i + down >= block.old_end || j + right >= block.new_end) continue;
          if (old_[i + down] != new_[j + right]) continue;
          skip_old = down;
          skip_new = right;
          found = true;
        }
        if (found) break;
      }
      Add({i, i + skip_old, j, j + skip_new});
      i += skip_old;
      j += skip_new;
      if (i < block.old_end && j < block.new_end) {
        ++i;
        ++j;
      }
    }
  }

  void Add(Change change) {
    if (change.old_begin == change.old_end && change.new_begin == change.new_end) return;
    if (!changes_.empty() && changes_.back().old_end == change.old_begin &&
        changes_.back().new_end == change.new_begin) {
      changes_.back().old_end = change.old_end;
      changes_.back().new_end = change.new_end;
    } else {
      changes_.push_back(change);
    }
  }

  // "12,3"; an empty range names the line before it.
  static std::string Range(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return fmt::format("{}", begin + 1);
    return fmt::format("{},{}", begin + (begin == end ? 0 : 1), end - begin);
  }

  static void AddLine(char mark, std::string_view line, std::string& out) {
    out += mark;
    out += line;
    if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }

  void AddHunk(std::size_t first, std::size_t last, std::string& out) const {
    const std::size_t before = std::min(kContext, changes_[first].old_begin);
    const std::size_t after = std::min(kContext, old_.size() - changes_[last].old_end);
    std::size_t at = changes_[first].old_begin - before;
    out += fmt::format("@@ -{} +{} @@\n", Range(at, changes_[last].old_end + after),
                       Range(changes_[first].new_begin - before, changes_[last].new_end + after));
    for (std::size_t n = first; n <= last; ++n) {
      const Change& c = changes_[n];
      for (; at < c.old_begin; ++at) AddLine(' ', old_[at], out);
      for (; at < c.old_end; ++at) AddLine('-', old_[at], out);
      for (std::size_t j = c.new_begin; j < c.new_end; ++j) AddLine('+', new_[j], out);
    }
    for (std::size_t end = at + after; at < end; ++at) AddLine(' ', old_[at], out);
  }

  std::vector<std::string_view> old_;
  std::vector<std::string_view> new_;
  std::vector<Change> changes_;
};

// --- One file -------------------------------------------------------------------------

int FailAt(const std::string& name, std::string_view error) {
  Complain(name, error);
  return kExitFile;
}

int FormatFile(const std::string& path, FmtMode mode) {
  const bool piped = path == kStandardInput;
  const std::string name = piped ? "<stdin>" : path;
  Input input = piped ? ReadStandardInput() : ReadFile(path);
  if (!input.error.empty()) return FailAt(name, input.error);

  Sources sources;
  Diagnostics findings;
  const std::uint32_t file = sources.Add(name, std::move(input.text));
  const std::vector<Edit> edits = FormatEdits(sources, file, findings);
  const std::string text = ApplyEdits(sources, file, edits);

  findings.Sort();
  std::vector<Diagnostic> errors;
  for (const Diagnostic& d : findings.all()) {
    if (d.severity == Severity::kError) errors.push_back(d);
  }
  PrintDiagnostics(errors, sources, std::cerr);

  int exit = errors.empty() ? kExitOk : kExitInvalid;
  switch (mode) {
    case FmtMode::kPrint: PrintDocument(text); break;
    case FmtMode::kWrite:
      if (edits.empty() || !errors.empty()) break;
      if (const std::string error = ReplaceFile(path, text); !error.empty()) {
        return FailAt(name, error);
      }
      std::cerr << PrintableLine(name) << '\n';
      break;
    case FmtMode::kCheck:
    case FmtMode::kDiff:
      if (edits.empty()) break;
      exit = std::max<int>(exit, kExitNo);
      if (mode == FmtMode::kCheck) std::cout << PrintableLine(name) << '\n';
      else PrintDocument(Diff(sources.at(file).text, text).Text(name));
  }
  return exit;
}

// The greatest exit code of the files.
int CommandFmt(const FmtOptions& options) {
  for (const std::string& path : options.files) {
    if (path == kStandardInput && options.mode == FmtMode::kWrite) {
      std::cerr << "rpl: -w cannot write to standard input\nhelp: leave out -w\n";
      return kExitInvalid;
    }
  }
  int exit = kExitOk;
  for (const std::string& path : options.files) {
    exit = std::max(exit, FormatFile(path, options.mode));
  }
  std::cout << std::flush;
  return exit;
}

}  // namespace

Command DescribeFmt(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<FmtOptions>();
  FmtOptions& to = *options;
  command.Add("FILE", to.files, "Markdown protocols, *.rpl, or - for standard input").Required();
  struct Flag {
    const char* name;
    const char* help;
    FmtMode mode;
  };
  std::vector<CommandOption> flags;
  for (const Flag& flag : {Flag{"-w,--write", "Write changes back to the files", FmtMode::kWrite},
                           Flag{"--check", "List the files that would change", FmtMode::kCheck},
                           Flag{"--diff", "Show the changes as a diff", FmtMode::kDiff}}) {
    const CommandOption option = command.FlagCalling(
        flag.name, [&mode = to.mode, to = flag.mode] { mode = to; }, flag.help);
    for (CommandOption other : flags) option.Excludes(other);
    flags.push_back(option);
  }
  AddTimeAndMemory(command, to.limits);
  command.Footer(kFmtFooter);
  return {.run = [options] { return CommandFmt(*options); }, .limits = &to.limits};
}

}  // namespace rpl
