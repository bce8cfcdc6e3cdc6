// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/command_options.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <utility>

namespace rpl {

CommandOption CommandOption::Required() const { return CommandOption(option_->required()); }

CommandOption CommandOption::Unit(const char* name) const {
  return CommandOption(option_->type_name(name));
}

CommandOption CommandOption::Check(std::function<std::string(const std::string&)> fault) const {
  return CommandOption(option_->check(std::move(fault)));
}

CommandOption CommandOption::OneOf(const std::vector<std::string>& words) const {
  return CommandOption(option_->check(CLI::IsMember(words)));
}

template <typename T>
CommandOption CommandOption::Within(T least, T most) const {
  return CommandOption(option_->check(CLI::Range(least, most)));
}
template CommandOption CommandOption::Within(int, int) const;
template CommandOption CommandOption::Within(std::size_t, std::size_t) const;
template CommandOption CommandOption::Within(double, double) const;

CommandOption CommandOption::NotNegative() const {
  return CommandOption(option_->check(CLI::NonNegativeNumber));
}

CommandOption CommandOption::TakesOne() const {
  return CommandOption(option_->allow_extra_args(false));
}

CommandOption CommandOption::Needs(CommandOption other) const {
  return CommandOption(option_->needs(other.option_));
}

CommandOption CommandOption::Excludes(CommandOption other) const {
  return CommandOption(option_->excludes(other.option_));
}

template <typename T>
CommandOption CommandOptions::Add(const std::string& names, T& to, const std::string& help) const {
  return CommandOption(command_->add_option(names, to, help));
}
template CommandOption CommandOptions::Add(const std::string&, std::string&,
                                           const std::string&) const;
template CommandOption CommandOptions::Add(const std::string&, std::vector<std::string>&,
                                           const std::string&) const;
template CommandOption CommandOptions::Add(const std::string&, int&, const std::string&) const;
template CommandOption CommandOptions::Add(const std::string&, long&, const std::string&) const;
template CommandOption CommandOptions::Add(const std::string&, std::size_t&,
                                           const std::string&) const;

template <typename T>
CommandOption CommandOptions::AddTaking(const std::string& names,
                                        std::function<void(const T&)> take,
                                        const std::string& help) const {
  return CommandOption(command_->add_option_function<T>(names, std::move(take), help));
}
template CommandOption CommandOptions::AddTaking(const std::string&,
                                                 std::function<void(const std::string&)>,
                                                 const std::string&) const;
template CommandOption CommandOptions::AddTaking(const std::string&,
                                                 std::function<void(const std::size_t&)>,
                                                 const std::string&) const;
template CommandOption CommandOptions::AddTaking(const std::string&,
                                                 std::function<void(const double&)>,
                                                 const std::string&) const;

CommandOption CommandOptions::AddUnread(const std::string& name, const std::string& help) const {
  return CommandOption(command_->add_option(name, help));
}

CommandOption CommandOptions::Flag(const std::string& names, bool& to,
                                   const std::string& help) const {
  return CommandOption(command_->add_flag(names, to, help));
}

CommandOption CommandOptions::FlagCalling(const std::string& names, std::function<void()> set,
                                          const std::string& help) const {
  return CommandOption(command_->add_flag_callback(names, std::move(set), help));
}

CommandOption CommandOptions::At(const std::string& name) const {
  return CommandOption(command_->get_option(name));
}

CommandOptions CommandOptions::Part(const char* name, const char* help,
                                    std::function<void()> chosen) const {
  CLI::App* const part = command_->add_subcommand(name, help);
  part->callback(std::move(chosen));
  return CommandOptions(*part);
}

void CommandOptions::RequirePart(int least) const { command_->require_subcommand(least, 1); }

const CLI::App& CommandOptions::parser() const { return *command_->get_parent(); }

void CommandOptions::Footer(const char* text) const { command_->footer(text); }

}  // namespace rpl
