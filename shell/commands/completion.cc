// SPDX-License-Identifier: Apache-2.0
//
// Completions for bash, zsh and fish, generated from the tree of commands.
//
// Each script is fixed text with tables generated from the tree: the words and files allowed at
// each place. A file without a likely extension is offered only if there is no other. The values of
// options without choices or files are not completed.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "shell/commands/command_tree.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl completion SHELL: prints a completion script for bash, zsh or fish.
struct CompletionOptions {
  std::string shell;
};

constexpr const char* kCompletionFooter =
    R"(Examples
  source <(rpl completion bash)
  rpl completion zsh > ~/.zfunc/_rpl       # if ~/.zfunc is in fpath
  rpl completion fish > ~/.config/fish/completions/rpl.fish)";

// --- The tree, as the scripts see it ------------------------------------------------------

void ForEachCommand(const CommandNode& node, const std::function<void(const CommandNode&)>& visit) {
  visit(node);
  for (const CommandNode& command : node.commands) ForEachCommand(command, visit);
}

std::string Names(const std::vector<CommandNode>& commands) {
  std::string names;
  for (const CommandNode& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

// The words after `rpl`; empty for rpl itself.
std::string Words(const CommandNode& root, const CommandNode& node) {
  return &node == &root ? "" : node.path.substr(root.name.size() + 1);
}

// Single quotes, as all three shells read them, except for \ in fish.
std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? R"('\'')" : std::string(1, c);
  return out + "'";
}

// --- bash ---------------------------------------------------------------------------------

constexpr const char* kBashBegin = R"(# Completes rpl in bash; written by `rpl completion bash`.

# Words as rpl gets them: bash breaks them at `=` and `:` as well.
_rpl_words() {
  local i word last=
  words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]})) && [[ $word == [=:]* || $last == *[=:] ]]; then words[-1]+=$word
    else words+=("$word")
    fi
    last=$word
  done
}

# Replies with the files that begin with `value` and have one of the extensions.
_rpl_files() {
  local extension
  compopt -o filenames 2>/dev/null
  COMPREPLY=()
  for extension; do
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*.$extension" -- "$value")
  done
  if ((${#COMPREPLY[@]})); then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$value")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$value")
  fi
}

_rpl_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$value")
}

_rpl_choices() {
  mapfile -t COMPREPLY < <(compgen -W "$*" -- "$value")
}

# What the command `path` has: the commands below it, its options, those with a value.
_rpl_command() {
  case $path in
)";

constexpr const char* kBashValues = R"(    *) commands='' options='' valued='' ;;
  esac
}

# Completes `value`, which stands behind the option or at the place `at` of `path`.
_rpl_value() {
  case "$path $at" in
)";

constexpr const char* kBashEnd = R"(  esac
}

_rpl() {
  local words path='' at value commands options valued word index=0 place=0 count
  COMPREPLY=()
  _rpl_words
  count=$((${#words[@]} - 1))
  _rpl_command
  while ((index < count)); do
    word=${words[index]}
    if ((place == 0)) && [[ " $commands " == *" $word "* ]]; then
      path+=${path:+ }$word
      _rpl_command
    elif [[ " $valued " == *" $word "* ]]; then
      index=$((index + 1))
    elif [[ $word != -?* ]]; then
      place=$((place + 1))
    fi
    index=$((index + 1))
  done
  value=${words[count]}
  if ((index > count)); then
    at=${words[count - 1]}
    _rpl_value
  elif [[ $value == --*=* ]]; then
    at=${value%%=*} value=${value#*=}
    _rpl_value
  elif [[ $value == -* ]]; then
    _rpl_choices "$options"
  elif ((place == 0)) && [[ -n $commands ]]; then
    _rpl_choices "$commands"
  else
    at=$place
    _rpl_value
  fi
}

complete -F _rpl rpl
)";

std::string BashAction(const CommandNode& root, const Parameter& parameter) {
  if (!parameter.choices.empty()) {
    return fmt::format("_rpl_choices {}", fmt::join(parameter.choices, " "));
  }
  // Bash completes the text after the last `=`.
  const bool pair = parameter.value.find('=') != std::string::npos;
  switch (parameter.takes) {
    case Parameter::Takes::kCommand: return "_rpl_choices " + Names(root.commands);
    case Parameter::Takes::kFolder: return "_rpl_folders";
    case Parameter::Takes::kFile:  // fish completes after a `=` by itself
      return fmt::format("{}_rpl_files {}",
                         pair ? "[[ $value != *=* ]] || { value=${value#*=}; " : "",
                         fmt::join(parameter.extensions, " ")) +
             (pair ? "; }" : "");
    case Parameter::Takes::kOther: break;
  }
  return "";
}

void PrintBash(const CommandNode& root) {
  std::cout << kBashBegin;
  ForEachCommand(root, [&](const CommandNode& node) {
    std::string options;
    std::string valued;
    for (const Parameter& option : node.options) {
      for (const std::string& name : option.names) {
        options += (options.empty() ? "" : " ") + name;
        if (!option.value.empty()) valued += (valued.empty() ? "" : " ") + name;
      }
    }
    std::cout << fmt::format(
        "    {})\n      commands={}\n      options={}\n      valued={}\n"
        "      ;;\n",
        Quoted(Words(root, node)), Quoted(Names(node.commands)), Quoted(options), Quoted(valued));
  });
  std::cout << kBashValues;
  ForEachCommand(root, [&](const CommandNode& node) {
    const std::string path = Words(root, node);
    const auto print = [&](const std::string& pattern, const Parameter& parameter) {
      const std::string action = BashAction(root, parameter);
      if (!action.empty()) std::cout << fmt::format("    {}) {} ;;\n", pattern, action);
    };
    for (const Parameter& option : node.options) {
      std::string pattern;
      for (const std::string& name : option.names) {
        pattern += (pattern.empty() ? "" : " | ") + Quoted(path + " " + name);
      }
      print(pattern, option);
    }
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const bool rest = node.arguments[i].repeated;
      const std::string place = rest ? "[0-9]*" : std::to_string(i);
      print(Quoted(path + " ") + place, node.arguments[i]);
    }
  });
  std::cout << kBashEnd;
}

// --- zsh ----------------------------------------------------------------------------------

// Text inside a specification, in which brackets, colons and backslashes are special.
std::string ZshText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

constexpr const char* kZshCommand = R"(  )
  if ((CURRENT == 2)); then
    _describe command commands
  elif ((${{commands[(I)$words[2]:*]}})); then
    shift words
    ((CURRENT--))
    {function}_$words[1]
    return
  fi
)";

std::string ZshAction(const CommandNode& root, const Parameter& parameter) {
  if (!parameter.choices.empty()) return fmt::format("({})", fmt::join(parameter.choices, " "));
  const bool pair = parameter.value.find('=') != std::string::npos;
  switch (parameter.takes) {
    case Parameter::Takes::kCommand: return "(" + Names(root.commands) + ")";
    case Parameter::Takes::kFolder: return "_files -/";
    case Parameter::Takes::kFile: {
      std::string action = "_files";
      if (!parameter.extensions.empty()) {
        action += fmt::format(" -g \"*.({})\"", fmt::join(parameter.extensions, "|"));
      }
      return pair ? "{compset -P \"*=\" && " + action + "}" : action;
    }
    case Parameter::Takes::kOther: break;
  }
  return " ";
}

std::string ZshOption(const CommandNode& root, const Parameter& option) {
  std::string value;
  if (!option.value.empty()) {
    value = ":" + ZshText(option.value) + ":" + ZshAction(root, option);
  }
  std::string specs;
  for (const std::string& name : option.names) {
    // Other spellings of a given option are no longer offered.
    const std::string excluded =
        option.repeated ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    // `--file x` and `--file=x`, `-f x` and `-fx`.
    const char* joined = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    specs += fmt::format(
        " \\\n    {}", Quoted(excluded + name + joined + "[" + ZshText(option.help) + "]" + value));
  }
  return specs;
}

std::string ZshArgument(const CommandNode& root, const Parameter& argument) {
  const char* place = argument.repeated ? "*:" : argument.required ? ":" : "::";
  return fmt::format(" \\\n    {}",
                     Quoted(place + ZshText(argument.value) + ":" + ZshAction(root, argument)));
}

void PrintZsh(const CommandNode& root) {
  std::cout << "#compdef rpl\n# Completes rpl in zsh; written by `rpl completion zsh`.\n";
  ForEachCommand(root, [&](const CommandNode& node) {
    std::string function = "_" + node.path;
    std::replace(function.begin(), function.end(), ' ', '_');
    std::cout << fmt::format("\n{}() {{\n", function);
    if (!node.commands.empty()) {
      std::cout << "  local -a commands=(\n";
      for (const CommandNode& command : node.commands) {
        std::cout << "    " << Quoted(command.name + ":" + ZshText(command.help)) << '\n';
      }
      std::cout << fmt::format(kZshCommand, fmt::arg("function", function));
    }
    std::cout << "  _arguments -s -S";
    for (const Parameter& option : node.options) std::cout << ZshOption(root, option);
    for (const Parameter& argument : node.arguments) std::cout << ZshArgument(root, argument);
    std::cout << "\n}\n";
  });
  // The file is the function _rpl if zsh autoloads it, and is sourced otherwise.
  std::cout << "\nif [[ $funcstack[1] == _rpl ]]; then _rpl \"$@\"; else compdef _rpl rpl; fi\n";
}

// --- fish ---------------------------------------------------------------------------------

// In single quotes, fish interprets a backslash only before ' and \.
std::string FishQuoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

constexpr const char* kFishPath = R"(
# Whether the command that is being written is `rpl $argv`.
function __rpl_in
    set -l path
    set -l words (commandline -opc)
    for word in $words[2..]
        set -l longer (string join ' ' -- $path $word)
        contains -- $longer $__rpl_commands; or break
        set path $longer
    end
    test "$path" = "$argv"
end

complete -c rpl -f
)";

std::string FishAction(const CommandNode& root, const Parameter& parameter) {
  if (!parameter.choices.empty()) {
    return fmt::format(" -x -a '{}'", fmt::join(parameter.choices, " "));
  }
  switch (parameter.takes) {
    case Parameter::Takes::kCommand: return fmt::format(" -x -a '{}'", Names(root.commands));
    case Parameter::Takes::kFolder: return " -x -a '(__fish_complete_directories)'";
    case Parameter::Takes::kFile:  // fish itself completes behind a `=`
      if (parameter.extensions.empty() || parameter.value.find('=') != std::string::npos) {
        return " -r -F";
      }
      return fmt::format(" -k -x -a '(__fish_complete_suffix .{})'",
                         fmt::join(parameter.extensions, " ."));
    case Parameter::Takes::kOther: break;
  }
  return parameter.value.empty() ? "" : " -x";
}

void PrintFish(const CommandNode& root) {
  std::cout
      << "# Completes rpl in fish; written by `rpl completion fish`.\n\nset -g __rpl_commands";
  ForEachCommand(root, [&](const CommandNode& node) {
    if (&node != &root) std::cout << " \\\n    " << FishQuoted(Words(root, node));
  });
  std::cout << '\n' << kFishPath;
  ForEachCommand(root, [&](const CommandNode& node) {
    const std::string path = Words(root, node);
    const std::string begin =
        fmt::format("complete -c rpl -n '__rpl_in{}'", path.empty() ? "" : " " + path);
    std::cout << '\n';
    for (const CommandNode& command : node.commands) {
      std::cout << fmt::format("{} -a {} -d {}\n", begin, command.name, FishQuoted(command.help));
    }
    for (const Parameter& option : node.options) {
      std::string names;
      for (const std::string& name : option.names) {
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      std::cout << begin << names << FishAction(root, option) << " -d " << FishQuoted(option.help)
                << '\n';
    }
    for (const Parameter& argument : node.arguments) {
      const std::string action = FishAction(root, argument);
      if (action != " -x") std::cout << begin << action << '\n';
    }
  });
}

// `root` is the tree of the whole command line.
int CommandCompletion(const CompletionOptions& options, const CommandNode& root) {
  if (options.shell == "bash") PrintBash(root);
  else if (options.shell == "zsh") PrintZsh(root);
  else PrintFish(root);
  return kExitOk;
}

}  // namespace

Command DescribeCompletion(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<CompletionOptions>();
  CompletionOptions& to = *options;
  command.Add("SHELL", to.shell, "bash, zsh or fish").Required().OneOf({"bash", "zsh", "fish"});
  command.Footer(kCompletionFooter);
  return {.run = [options, command] {
    return CommandCompletion(*options, ReadCommandTree(command.parser()));
  }};
}

}  // namespace rpl
