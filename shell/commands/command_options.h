// SPDX-License-Identifier: Apache-2.0
//
// The options of a command, over the library that parses command lines (CLI11). Commands do not
// include its header, which takes longer to compile than they do.
//
// Both classes are handles: copies speak of the same command or option, which the parser owns.
#ifndef RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_
#define RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rpl {

/// An option or a positional argument. Each function adds to it and returns it.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption Required() const;
  /// The name of its value in the help, such as FILE.
  CommandOption Unit(const char* name) const;
  /// Refuses values for which `fault` returns a message.
  CommandOption Check(std::function<std::string(const std::string&)> fault) const;
  CommandOption OneOf(const std::vector<std::string>& words) const;
  /// Of numbers: int, std::size_t or double.
  template <typename T>
  CommandOption Within(T least, T most) const;
  CommandOption NotNegative() const;
  /// Of a list: each time the option is given it takes one value, not all that follow.
  CommandOption TakesOne() const;
  CommandOption Needs(CommandOption other) const;
  CommandOption Excludes(CommandOption other) const;

 private:
  CLI::Option* option_;
};

/// A command or a subcommand.
class CommandOptions {
 public:
  explicit CommandOptions(CLI::App& command) : command_(&command) {}

  /// Adds an option, "-f,--file", or an argument, "FILE". Parsing sets `to`, which must outlive the
  /// parser: a text, a list of texts, or a number (int, long or std::size_t).
  template <typename T>
  CommandOption Add(const std::string& names, T& to, const std::string& help) const;
  /// The same, and parsing calls `take`; T is std::string, std::size_t or double.
  template <typename T>
  CommandOption AddTaking(const std::string& names, std::function<void(const T&)> take,
                          const std::string& help) const;
  /// An argument that is only in the help.
  CommandOption AddUnread(const std::string& name, const std::string& help) const;
  CommandOption Flag(const std::string& names, bool& to, const std::string& help) const;
  CommandOption FlagCalling(const std::string& names, std::function<void()> set,
                            const std::string& help) const;
  /// An option that was added. Throws if there is none.
  CommandOption At(const std::string& name) const;

  /// Adds a subcommand, and calls `chosen` when it is given.
  CommandOptions Part(const char* name, const char* help, std::function<void()> chosen) const;
  /// The number of subcommands that must be given: from `least` to 1.
  void RequirePart(int least) const;
  /// The parser of which this is a command.
  const CLI::App& parser() const;
  /// The text below the help.
  void Footer(const char* text) const;

 private:
  CLI::App* command_;
};

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_
