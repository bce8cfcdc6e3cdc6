// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/scripts.h"

#include <cstddef>

#include "formats/character.h"

namespace rpl {
namespace {

class SedScript {
 public:
  explicit SedScript(std::string_view text) : text_(text) {}

  bool IsPlain() {
    while (true) {
      Skip(" \t\n;{}");
      if (at_ == text_.size()) return true;
      if (!ReadAddresses() || !ReadCommand()) return false;
    }
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  void Skip(std::string_view characters) {
    while (!AtEnd() && characters.find(text_[at_]) != characters.npos) ++at_;
  }

  // Behind the `]` of a set of characters, from its `[` on. False without one.
  bool SkipSet() {
    ++at_;
    if (!AtEnd() && text_[at_] == '^') ++at_;
    if (!AtEnd() && text_[at_] == ']') ++at_;
    for (; !AtEnd() && text_[at_] != ']'; ++at_) {
      if (text_[at_] != '[' || at_ + 1 == text_.size()) continue;
      const char kind = text_[at_ + 1];
      if (kind != ':' && kind != '.' && kind != '=') continue;
      const char end[] = {kind, ']', '\0'};
      const std::size_t close = text_.find(end, at_ + 2);
      if (close == text_.npos) return false;
      at_ = close + 1;
    }
    return !AtEnd();
  }

  // What ends with the delimiter; a backslash takes the next character in. In a regular expression
  // a delimiter in a set of characters does not end it.
  bool ReadUntil(char delimiter, bool is_regex) {
    for (; !AtEnd(); ++at_) {
      if (text_[at_] == delimiter) {
        ++at_;
        return true;
      }
      if (text_[at_] == '\\') ++at_;
      else if (is_regex && text_[at_] == '[' && !SkipSet()) return false;
    }
    return false;
  }

  bool ReadAddresses() {
    for (int i = 0; i < 2; ++i) {
      if (AtEnd()) return false;
      if (IsDigit(text_[at_]) || text_[at_] == '$' || text_[at_] == '+' || text_[at_] == '~') {
        Skip("0123456789$+~");
      } else if (text_[at_] == '/') {
        ++at_;
        if (!ReadUntil('/', true)) return false;
        Skip("IM");
      } else if (text_[at_] == '\\') {
        return false;
      }
      Skip(" \t");
      if (AtEnd() || text_[at_] != ',') break;
      ++at_;
      Skip(" \t");
    }
    Skip(" \t!");
    return !AtEnd();
  }

  bool ReadCommand() {
    const char command = text_[at_++];
    switch (command) {
      case '{': return true;
      case 's':
      case 'y': {
        if (AtEnd()) return false;
        const char delimiter = text_[at_++];
        if (delimiter == '\\' || delimiter == '\n') return false;
        if (!ReadUntil(delimiter, command == 's') || !ReadUntil(delimiter, false)) return false;
        if (command == 's') Skip("gpiIMm0123456789");
        break;
      }
      case 'd':
      case 'D':
      case 'g':
      case 'G':
      case 'h':
      case 'H':
      case 'n':
      case 'N':
      case 'p':
      case 'P':
      case 'q':
      case 'Q':
      case 'x':
      case 'l':
      case '=':
      case 'z': Skip(" \t0123456789"); break;
      case 'b':
      case 't':
      case 'T':
      case ':':
        while (!AtEnd() && text_[at_] != '\n' && text_[at_] != ';' && text_[at_] != '}') ++at_;
        break;
      case 'a':
      case 'i':
      case 'c':
        // Its text goes on behind a line that ends in a backslash; no further command is looked
        // for in such a script.
        if (text_.find('\n', at_) != text_.npos) return false;
        at_ = text_.size();
        break;
      case '#':
        while (!AtEnd() && text_[at_] != '\n') ++at_;
        break;
      default: return false;
    }
    Skip(" \t");
    return AtEnd() || text_[at_] == ';' || text_[at_] == '\n' || text_[at_] == '}' ||
           text_[at_] == '#';
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool IsPlainSed(std::string_view script) { return SedScript(script).IsPlain(); }

bool IsPlainAwk(std::string_view program) {
  for (const std::string_view word : {"system", "getline", "@", "close", "fflush"})
    if (program.find(word) != program.npos) return false;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i] == '|') {
      if (i + 1 == program.size() || program[i + 1] != '|') return false;
      ++i;
    }
    // A comparison with a number, or what `print` goes to.
    if (program[i] == '>') {
      if (program.find("print") == program.npos) continue;
      std::size_t next = i + 1;
      if (next < program.size() && program[next] == '=') continue;
      while (next < program.size() && program[next] == ' ') ++next;
      if (next == program.size() || !IsDigit(program[next])) return false;
    }
  }
  return true;
}

}  // namespace rpl
