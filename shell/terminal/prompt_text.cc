// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/prompt_text.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "formats/terminal_text.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

constexpr std::string_view kChoiceWords[] = {"allowed", "available", "free", "known",
                                             "open",    "possible",  "valid"};

bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("-_#$%\"`/").find(c) != std::string_view::npos;
}

// `word` as a person reads it in a question about `name`.
std::string Told(std::string_view word, std::string_view name) {
  if (word.size() <= name.size() + 1 || !word.ends_with(name)) return std::string(word);
  const std::string_view front = word.substr(0, word.size() - name.size() - 1);
  if (word[front.size()] != '-' ||
      std::find(std::begin(kChoiceWords), std::end(kChoiceWords), front) == std::end(kChoiceWords))
    return std::string(word);
  std::string told(front == "valid" ? name : word);
  std::replace(told.begin(), told.end(), '-', ' ');
  return told;
}

}  // namespace

std::string PromptFor(const Request& request) {
  if (request.prompt.empty()) return Printable(request.id);
  const Question* const question = request.question();
  if (request.choices().empty() || question->argument.empty()) return Printable(request.prompt);
  const std::string_view name = std::string_view(question->argument).substr(1);
  std::string out;
  for (std::string_view left = request.prompt; !left.empty();) {
    const std::size_t word = static_cast<std::size_t>(
        std::find_if_not(left.begin(), left.end(), IsOfName) - left.begin());
    // `?known-size` is a variable.
    const std::string_view whole = left.substr(0, word);
    out += out.ends_with('?') ? std::string(whole) : Told(whole, name);
    left.remove_prefix(word);
    if (left.empty()) break;
    out += left.front();
    left.remove_prefix(1);
  }
  return Printable(out);
}

std::string Wrapped(std::string_view text, std::size_t width) {
  std::string out;
  for (std::size_t column = 0; !text.empty();) {
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find_first_of(" \n", blanks), text.size());
    const std::string_view word = text.substr(blanks, end - blanks);
    const std::size_t columns = TextWidth(word);
    if (column > 0 && columns > 0 && column + blanks + columns > width) {
      out += '\n';
      column = 0;
    } else {
      out.append(blanks, ' ');
      column += blanks;
    }
    out += word;
    column += columns;
    text.remove_prefix(end);
    if (!text.starts_with('\n')) continue;
    out += '\n';
    column = 0;
    text.remove_prefix(1);
  }
  return out;
}

std::string Fitted(std::string_view text, const std::ostream& stream) {
  const int file = &stream == &std::cout   ? STDOUT_FILENO
                   : &stream == &std::cerr ? STDERR_FILENO
                                           : -1;
  return file >= 0 && isatty(file) == 1 ? Wrapped(text, TerminalWidth()) : std::string(text);
}

}  // namespace rpl
