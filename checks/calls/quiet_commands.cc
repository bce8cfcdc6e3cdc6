// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/quiet_commands.h"

#include <algorithm>
#include <string>

namespace rpl {
namespace {

using Words = std::span<const ShellWord>;

bool Has(std::string_view list, std::string_view word) {
  return (" " + std::string(list) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

// Options up to `--`.
template <typename Test>
bool AnyOption(Words words, const Test& test) {
  for (const ShellWord& word : words) {
    if (word.text == "--") return false;
    if (word.text.starts_with('-') && word.text != "-" && test(std::string_view(word.text)))
      return true;
  }
  return false;
}

bool OnlyOptions(Words words, std::string_view list) {
  return !AnyOption(words, [&](std::string_view option) { return !Has(list, option); });
}

bool HasOption(Words words, std::string_view list) {
  return AnyOption(words, [&](std::string_view option) { return Has(list, option); });
}

bool IsNewBranch(Words words, std::string_view options) {
  if (words.size() == 4 && Has("-q --quiet", words[1].text)) words = words.subspan(1);
  return words.size() == 3 && Has(options, words[1].text) && !words[2].text.starts_with('-');
}

// The word of an option without its value.
std::string_view NameOf(std::string_view option) { return option.substr(0, option.find('=')); }

struct Formatter {
  std::string_view names;
  bool writes;               // unless one of the options is there; else if one of them is
  std::string_view options;  // if they make it write: how they begin
  std::string_view others;   // how options begin that write other files
};

constexpr Formatter kFormatters[] = {
    {"black", true, "--check --diff", ""},
    {"isort", true, "-c --check --check-only --diff -d", ""},
    {"rustfmt", true, "--check", ""},
    {"ruff/format", true, "--check --diff", ""},
    {"ruff/check", false, "--fi --unsafe", "-o --output-fi --add"},
    {"eslint", false, "--fix", "-o --output --cache --init"},
    {"prettier", false, "-w --write", ""},
    {"gofmt", false, "-w --w", "-cpu --cpu"},
    {"clang-format", false, "-i --i", "-files --files"},
    {"dos2unix unix2dos", true, "", "-n --newfile"},
};

bool BeginsWithOne(std::string_view list, std::string_view option) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    const std::string_view start = list.substr(0, end);
    if (option.starts_with(start)) return true;
    // Letters of options may stand together.
    if (start == "-o" && option[1] != '-' && option.find('o') != option.npos) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

bool IsQuietGit(Words words) {
  for (const ShellWord& word : words)
    if (!word.known()) return false;
  if (words.empty()) return false;
  const std::string& name = words[0].text;
  const std::string_view second = words.size() > 1 ? std::string_view(words[1].text) : "";
  const auto writes_output = [](std::string_view option) { return option.starts_with("--o"); };
  if (name == "checkout") return IsNewBranch(words, "-b -B");
  if (name == "switch") return IsNewBranch(words, "-c -C --create --force-create");
  if (name == "stash")
    return (second == "list" || second == "show") && !AnyOption(words, writes_output);
  if (name == "reset") return OnlyOptions(words, "--soft --mixed -q --quiet -N --no-refresh");
  if (name == "worktree") return second == "list";
  if (name == "submodule") return second == "status";
  if (name == "clean")
    return AnyOption(words, [](std::string_view option) {
      const bool has_value = option.find('e') != option.npos;
      return option == "--dry-run" ||
             (option[1] != '-' && !has_value && option.find('n') != option.npos);
    });
  if (name == "bisect") return second == "log" && words.size() == 2;
  if (name == "format-patch")
    return HasOption(words, "--stdout") && !AnyOption(words, [&](std::string_view option) {
             return option.starts_with("-o") || writes_output(option);
           });
  if (name == "apply")
    return HasOption(words, "--check --stat --numstat --summary") &&
           !AnyOption(words, [](std::string_view option) { return option.starts_with("--ap"); });
  return false;
}

bool IsQuietRpl(Words words) {
  for (const ShellWord& word : words)
    if (!word.known()) return false;
  if (words.empty()) return false;
  if (words[0].text == "guard") return words.size() > 1 && Has("status why doctor", words[1].text);
  return Has("check test doc parse", words[0].text) &&
         !AnyOption(words, [](std::string_view option) {
           return Has("--fix --update --junit", NameOf(option));
         });
}

Formatting FormattingOf(std::string_view program, Words words) {
  std::string name(program);
  if (name == "ruff") {
    if (words.size() < 2 || !words[1].known()) return Formatting::kOpen;
    name += "/" + words[1].text;
  }
  for (const ShellWord& word : words.subspan(1)) {
    const bool may_be_option = !word.complete && word.start == WordStart::kText &&
                               (word.splits || word.text.empty() || word.text[0] == '-');
    if (may_be_option && !word.is_pattern) return Formatting::kOpen;
  }
  for (const Formatter& one : kFormatters) {
    if (!Has(one.names, name)) continue;
    if (AnyOption(words, [&](auto option) { return BeginsWithOne(one.others, option); }))
      return Formatting::kOpen;
    const bool found = AnyOption(words, [&](std::string_view option) {
      return one.writes ? Has(one.options, NameOf(option)) : BeginsWithOne(one.options, option);
    });
    return found == one.writes ? Formatting::kReads : Formatting::kWrites;
  }
  return Formatting::kOpen;
}

TarForm TarFormOf(std::string_view program, Words words) {
  TarForm form;
  for (const ShellWord& word : words)
    if (!word.complete && (word.splits || word.text.empty() || word.text[0] == '-') &&
        !word.is_pattern)
      return form;
  if (words.size() < 3 || !words[1].known()) return form;
  std::string_view letters = words[1].text;
  if (program == "unzip") {
    form.archive = words[2];
    form.is_known = Has("-l -t -v -Z -Z1", letters) && !words[2].text.starts_with('-');
    return form;
  }
  if (program != "tar" && program != "bsdtar") return form;
  if (letters.starts_with('-')) letters.remove_prefix(1);
  const bool lists = letters.find('t') != letters.npos;
  form.creates = letters.find('c') != letters.npos;
  if (lists == form.creates || letters.find('f') != letters.size() - 1) return form;
  if (letters.find_first_not_of("tcvzjJfpha") != letters.npos) return form;
  form.archive = words[2];
  // HOST:FILE is reached by a program.
  if (!form.archive.complete || form.archive.text.find(':') != std::string::npos) return form;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text == "-C" && form.creates) ++i;
    else if (text.starts_with('-') && !text.starts_with("--exclude=")) return form;
  }
  form.is_known = true;
  return form;
}

}  // namespace rpl
