// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/review_commands.h"

#include <string>

#include "formats/character.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// The texts of a value, each list of texts joined as the words of a command.
void CollectCommands(const ordered_json& args, std::vector<std::string>& out) {
  std::vector<const ordered_json*> open = {&args};
  while (!open.empty()) {
    const ordered_json& value = *open.back();
    open.pop_back();
    if (value.is_string()) out.push_back(value.get<std::string>());
    if (!value.is_structured()) continue;
    std::string words;
    for (const ordered_json& part : value) {
      if (part.is_string()) words += part.get_ref<const std::string&>() + ' ';
      else open.push_back(&part);
    }
    if (value.is_array()) out.push_back(words);
    else
      for (const ordered_json& part : value)
        if (part.is_string()) open.push_back(&part);
  }
}

}  // namespace

bool AnswersReviews(std::string_view command) {
  bool guard = false;  // the word stands before, in the same command
  std::string word;
  const auto end_word = [&] {
    const bool answers = guard && (word == "approve" || word == "deny" || word == "secret");
    guard = guard || word == "guard";
    word.clear();
    return answers;
  };
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\') {
      if (i + 1 < command.size() && command[i + 1] == '\n') ++i;
      continue;
    }
    if (c == '"' || c == '\'') continue;
    if (IsNameChar(c)) {
      word += c;
      continue;
    }
    if (end_word()) return true;
    if (c == ';' || c == '&' || c == '|' || c == '\n') guard = false;
    if (c == '$') {  // a variable stands for whatever is between words
      if (command.substr(i).starts_with("${")) ++i;
      while (i + 1 < command.size() && IsNameChar(command[i + 1])) ++i;
    }
  }
  return end_word();
}

std::vector<NativeFinding> FindReviewCommands(const GuardCall& call) {
  if (call.phase != CallPhase::kBefore) return {};
  std::vector<std::string> commands;
  for (const char* key : {"command", "cmd", "script", "commands", "argv", "args", "code", "input"})
    if (const auto found = call.args.find(key); call.args.is_object() && found != call.args.end())
      CollectCommands(*found, commands);
  for (const std::string& command : commands)
    if (AnswersReviews(command))
      return {
          {"--reviews", true, "reviews are answered by people, not by the tools of an agent", {}}};
  return {};
}

}  // namespace rpl
