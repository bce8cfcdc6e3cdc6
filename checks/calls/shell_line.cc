// SPDX-License-Identifier: Apache-2.0
//
// Operators are numbers in the tree, which depend on the version of the parser; the tests compare
// each with its spelling.
#include "checks/calls/shell_line.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "formats/character.h"
#include "formats/data/json_text.h"
#include "formats/utf8.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// Levels of the tree in JSON; a chain of 500 commands has 1,000.
constexpr int kMaxTreeDepth = 2'500;

constexpr int kAndOperator = 10, kOrOperator = 11, kPipeOperator = 12, kPipeAllOperator = 13;
constexpr int kWrite = 54, kAppend = 55, kRead = 56, kReadWrite = 57, kCopyInput = 58,
              kCopyOutput = 59, kClobber = 60, kHeredoc = 61, kHeredocTabs = 62, kHerestring = 63,
              kWriteAll = 64, kAppendAll = 65;
constexpr int kExpandPrompt = 84;  // of `${x@P}`, and of other letters behind `@`

const ordered_json* Child(const ordered_json& node, const char* key) {
  if (!node.is_object()) return nullptr;
  const auto found = node.find(key);
  return found == node.end() ? nullptr : &*found;
}
std::string TextOf(const ordered_json* node) {
  return node != nullptr && node->is_string() ? node->get<std::string>() : std::string();
}
std::string TypeOf(const ordered_json& node) { return TextOf(Child(node, "Type")); }
std::string ValueAt(const ordered_json& node, const char* key) {
  const ordered_json* const child = Child(node, key);
  return child == nullptr ? std::string() : TextOf(Child(*child, "Value"));
}
bool IsSet(const ordered_json& node, const char* key) {
  const ordered_json* const child = Child(node, key);
  return child != nullptr && child->is_boolean() && child->get<bool>();
}
int NumberAt(const ordered_json& node, const char* key) {
  const ordered_json* const child = Child(node, key);
  return child != nullptr && child->is_number_integer() ? child->get<int>() : -1;
}
std::size_t OffsetAt(const ordered_json& node, const char* key) {
  const ordered_json* const place = Child(node, key);
  const int offset = place == nullptr ? -1 : NumberAt(*place, "Offset");
  return offset < 0 ? 0 : static_cast<std::size_t>(offset);
}

bool IsName(std::string_view text) {
  if (text.empty() || IsDigit(text[0])) return false;
  for (const char c : text)
    if (!IsLetter(c) && !IsDigit(c) && c != '_') return false;
  return true;
}

// Reads one tree. Where the tree nests too deep or has too many commands it stops, and says so.
class LineReader {
 public:
  LineReader(std::string_view text, ShellLine& line) : text_(text), line_(line) {}

  void Read(const ordered_json& file) {
    line_.root = Sequence(Child(file, "Stmts"));
    if (!read_names_.empty())
      for (const std::string& name : computed_names_)
        if (read_names_.contains(name)) line_.evaluates_values = true;
    if (evaluates_ && has_quoted_substitution_) line_.evaluates_values = true;
  }

 private:
  void GiveUp(std::string why) {
    if (line_.why.empty()) line_.why = std::move(why);
  }

  bool Descend() {
    if (++depth_ <= kMaxShellDepth) return true;
    GiveUp(fmt::format("the command nests deeper than {}", kMaxShellDepth));
    return false;
  }

  Statement Sequence(const ordered_json* statements) {
    Statement out{.form = StatementForm::kSequence};
    if (statements != nullptr && statements->is_array())
      for (const ordered_json& one : *statements) out.parts.push_back(ReadStatement(one));
    return out;
  }

  Statement ReadStatement(const ordered_json& node) {
    Statement out;
    if (Descend() && line_.why.empty()) {
      const ordered_json* const command = Child(node, "Cmd");
      if (command != nullptr) out = Command(*command);
      else Count();
      if (IsSet(node, "Negated")) out.is_negated = true;
      if (IsSet(node, "Background") || IsSet(node, "Coprocess")) out.is_background = true;
      if (const ordered_json* const redirections = Child(node, "Redirs"))
        for (const ordered_json& one : *redirections) Redirect(one, out);
    }
    --depth_;
    return out;
  }

  void Count() {
    if (++commands_ > kMaxShellCommands)
      GiveUp(fmt::format("the command has more than {} commands", kMaxShellCommands));
  }

  Statement Command(const ordered_json& node) {
    const std::string type = TypeOf(node);
    if (type == "CallExpr") return Call(node);
    if (type == "BinaryCmd") return Binary(node);
    if (type == "Block") return Group(Sequence(Child(node, "Stmts")));
    if (type == "Subshell") {
      Statement out = Sequence(Child(node, "Stmts"));
      out.form = StatementForm::kSubshell;
      return out;
    }
    if (type == "IfClause") return If(node);
    if (type == "WhileClause" || type == "ForClause") return Loop(node);
    if (type == "CaseClause") return Case(node);
    if (type == "FuncDecl") return Function(node);
    if (type == "DeclClause") return Declaration(node);
    if (type == "TimeClause" || type == "CoprocClause")
      return Wrapped(node, type == "CoprocClause");
    if (type == "TestClause" || type == "LetClause" || type == "ArithmCmd") return Test(node, type);
    return Unknown(node);
  }

  static Statement Group(Statement statement) {
    statement.is_group = true;
    return statement;
  }

  Statement Unknown(const ordered_json& node) {
    Count();
    Statement out;
    out.words.push_back(UnknownWord());
    Collect(node, out);
    return out;
  }

  Statement Wrapped(const ordered_json& node, bool in_subshell) {
    Statement out{.form = in_subshell ? StatementForm::kSubshell : StatementForm::kSequence};
    if (const ordered_json* const inner = Child(node, "Stmt"))
      out.parts.push_back(ReadStatement(*inner));
    out.is_background = in_subshell;
    return Group(std::move(out));
  }

  // Chains nest to the left; they are walked without recursion.
  Statement Binary(const ordered_json& node) {
    const int op = NumberAt(node, "Op");
    const bool is_pipe = op == kPipeOperator || op == kPipeAllOperator;
    const StatementForm form = is_pipe              ? StatementForm::kPipe
                               : op == kAndOperator ? StatementForm::kAnd
                               : op == kOrOperator  ? StatementForm::kOr
                                                    : StatementForm::kCommand;
    if (form == StatementForm::kCommand) return Unknown(node);
    std::vector<const ordered_json*> parts;
    const ordered_json* at = &node;
    while (true) {
      const ordered_json* const left = Child(*at, "X");
      const ordered_json* const right = Child(*at, "Y");
      if (left == nullptr || right == nullptr) return Unknown(node);
      parts.push_back(right);
      const ordered_json* const inner = Child(*left, "Cmd");
      const bool is_plain = inner != nullptr && TypeOf(*inner) == "BinaryCmd" &&
                            NumberAt(*inner, "Op") == op && !IsSet(*left, "Negated") &&
                            Child(*left, "Redirs") == nullptr;
      if (!is_plain) {
        parts.push_back(left);
        break;
      }
      at = inner;
    }
    Statement out{.form = form};
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      out.parts.push_back(ReadStatement(**part));
    return out;
  }

  Statement If(const ordered_json& node) {
    Statement out{.form = StatementForm::kSequence};
    Statement branches{.form = StatementForm::kEither};
    out.parts.push_back(Sequence(Child(node, "Cond")));
    branches.parts.push_back(Sequence(Child(node, "Then")));
    if (const ordered_json* const other = Child(node, "Else")) {
      if (Descend()) branches.parts.push_back(If(*other));
      --depth_;
    }
    out.parts.push_back(std::move(branches));
    return Group(std::move(out));
  }

  Statement Loop(const ordered_json& node) {
    Statement out{.form = StatementForm::kLoop};
    if (const ordered_json* const loop = Child(node, "Loop")) {
      Collect(*loop, out);
      if (const ordered_json* const items = Child(*loop, "Items"))
        for (const ordered_json& item : *items)
          for (ShellWord& word : WordsOf(item)) out.items.push_back(std::move(word));
      out.name = ValueAt(*loop, "Name");
      if (TypeOf(*loop) != "WordIter") Evaluates(*loop);
      else if (!HasKnownItems(*loop)) computed_names_.insert(ValueAt(*loop, "Name"));
    }
    out.parts.push_back(Sequence(Child(node, "Cond")));
    out.parts.push_back(Sequence(Child(node, "Do")));
    return Group(std::move(out));
  }

  static bool HasKnownItems(const ordered_json& loop) {
    const ordered_json* const items = Child(loop, "Items");
    if (items == nullptr) return false;  // those of "$@"
    for (const ordered_json& item : *items)
      for (const ShellWord& word : WordsOf(item))
        if (!word.known()) return false;
    return true;
  }

  Statement Case(const ordered_json& node) {
    Statement out{.form = StatementForm::kEither};
    if (const ordered_json* const word = Child(node, "Word")) Collect(*word, out);
    if (const ordered_json* const items = Child(node, "Items")) {
      for (const ordered_json& item : *items) {
        if (const ordered_json* const patterns = Child(item, "Patterns")) Collect(*patterns, out);
        out.parts.push_back(Sequence(Child(item, "Stmts")));
      }
    }
    return Group(std::move(out));
  }

  Statement Function(const ordered_json& node) {
    Statement out{.form = StatementForm::kFunction};
    out.name = ValueAt(node, "Name");
    if (const ordered_json* const body = Child(node, "Body"))
      out.parts.push_back(ReadStatement(*body));
    return out;
  }

  // `[[ ]]`, `let` and `(( ))` run no program. dash reads `((a))` as a command in two subshells.
  Statement Test(const ordered_json& node, const std::string& type) {
    Count();
    Statement out;
    Collect(node, out);
    Evaluates(node);
    if (type != "ArithmCmd") return Group(std::move(out));
    std::size_t at = OffsetAt(node, "Left") + 2;
    while (at < text_.size() && IsSpace(text_[at])) ++at;
    const std::size_t end = text_.find_first_of(" \t\n;&|()<>", at);
    const std::string_view word = text_.substr(at, end == text_.npos ? end : end - at);
    const bool is_literal = word.find_first_of("$`'\"\\*?[{~") == word.npos;
    out.words.push_back(is_literal ? KnownWord(std::string(word)) : UnknownWord());
    out.words.push_back(UnknownWord());
    return Group(std::move(out));
  }

  Statement Call(const ordered_json& node) {
    Count();
    Statement out;
    if (const ordered_json* const assignments = Child(node, "Assigns"))
      for (const ordered_json& one : *assignments) Assign(one, out);
    if (const ordered_json* const words = Child(node, "Args")) {
      for (const ordered_json& word : *words) {
        for (ShellWord& one : WordsOf(word)) out.words.push_back(WithSource(std::move(one), word));
        Collect(word, out);
      }
    }
    return out;
  }

  ShellWord WithSource(ShellWord word, const ordered_json& node) const {
    const std::size_t begin = OffsetAt(node, "Pos");
    const std::size_t end = OffsetAt(node, "End");
    if (!word.known() && end > begin && end <= text_.size())
      word.source = text_.substr(begin, end - begin);
    return word;
  }

  void Assign(const ordered_json& node, Statement& out) {
    Assignment assignment{ValueAt(node, "Name"), {}};
    const ordered_json* const value = Child(node, "Value");
    if (value != nullptr) assignment.value = WordOf(*value);
    const bool is_number = value != nullptr && IsArithmetic(*value);
    if (Child(node, "Array") != nullptr || !assignment.value.known()) {
      if (!is_number) computed_names_.insert(assignment.name);
      if (Child(node, "Array") != nullptr) assignment.value.complete = false;
    }
    Collect(node, out);
    if (const ordered_json* const index = Child(node, "Index")) Evaluates(*index);
    out.assignments.push_back(std::move(assignment));
  }

  // Whether the word is a number that the shell computes.
  static bool IsArithmetic(const ordered_json& word) {
    const ordered_json* const parts = Child(word, "Parts");
    return parts != nullptr && parts->size() == 1 && TypeOf((*parts)[0]) == "ArithmExp";
  }

  // `export`, `declare`, `local` …: programs with assignments among their words.
  Statement Declaration(const ordered_json& node) {
    Count();
    Statement out;
    out.words.push_back(KnownWord(ValueAt(node, "Variant")));
    const ordered_json* const arguments = Child(node, "Args");
    if (arguments == nullptr) return out;
    for (const ordered_json& one : *arguments) {
      if (IsSet(one, "Naked")) {
        if (const ordered_json* const value = Child(one, "Value")) {
          out.words.push_back(WordOf(*value));
          Collect(*value, out);
          if (out.words.back().text.find('[') != std::string::npos) evaluates_ = true;
        } else {
          out.words.push_back(KnownWord(ValueAt(one, "Name")));
        }
        continue;
      }
      Assign(one, out);
      const Assignment& assigned = out.assignments.back();
      ShellWord word = assigned.value;
      word.complete = word.complete && word.start == WordStart::kText;
      word.start = WordStart::kText;
      word.text.insert(0, assigned.name + "=");
      out.words.push_back(std::move(word));
    }
    return out;
  }

  void Redirect(const ordered_json& node, Statement& out) {
    const ordered_json* const word = Child(node, "Word");
    if (word != nullptr) Collect(*word, out);
    if (const ordered_json* const body = Child(node, "Hdoc")) Collect(*body, out);
    Redirection redirection{RedirectionKind::kBoth, UnknownWord(), true};
    // Some shells expand braces here, and write to each file.
    if (word != nullptr)
      if (const std::vector<ShellWord> words = WordsOf(*word); words.size() == 1)
        redirection.path = WithSource(words[0], *word);
    const std::string descriptor = ValueAt(node, "N");
    const int op = NumberAt(node, "Op");
    const ShellWord& path = redirection.path;
    switch (op) {
      case kWrite:
      case kAppend:
      case kClobber:
      case kWriteAll:
      case kAppendAll:
        redirection.kind = RedirectionKind::kWrites;
        redirection.is_input = descriptor == "0";
        break;
      case kRead:
      case kReadWrite:
        redirection.kind = op == kRead ? RedirectionKind::kReads : RedirectionKind::kBoth;
        redirection.is_input = descriptor.empty() || descriptor == "0";
        break;
      case kCopyInput:
      case kCopyOutput: {
        // A descriptor, which may be closed or moved: `1`, `-`, `1-`. Else the path of a file.
        const bool is_descriptor =
            path.known() && path.text.find_first_not_of("0123456789-") == std::string::npos;
        redirection.kind = op == kCopyInput ? RedirectionKind::kReads : RedirectionKind::kWrites;
        redirection.is_input = op == kCopyInput && (descriptor.empty() || descriptor == "0");
        if (is_descriptor) {
          redirection.kind = RedirectionKind::kText;
          redirection.is_input = redirection.is_input && path.text != "-";
        }
        break;
      }
      case kHeredoc:
      case kHeredocTabs:
      case kHerestring:
        redirection.kind = RedirectionKind::kText;
        redirection.is_input = descriptor.empty() || descriptor == "0";
        break;
      default: break;
    }
    out.redirections.push_back(std::move(redirection));
  }

  // Adds the substitutions within a node, and notes what may run the values of variables.
  void Collect(const ordered_json& node, Statement& out) {
    if (!node.is_structured() || !line_.why.empty()) return;
    if (!Descend()) {
      --depth_;
      return;
    }
    const std::string type = TypeOf(node);
    if (type == "CmdSubst" || type == "ProcSubst") {
      Substitution(node, out);
    } else {
      Note(node, type);
      for (const ordered_json& child : node) Collect(child, out);
    }
    --depth_;
  }

  void Substitution(const ordered_json& node, Statement& out) {
    if (IsSet(node, "Backquotes")) {
      const std::size_t begin = OffsetAt(node, "Left"), end = OffsetAt(node, "Right");
      if (begin < end && end <= text_.size() &&
          text_.substr(begin, end - begin).find('\\') != text_.npos)
        GiveUp("the command has a backslash in backquotes: write $(…) in place of `…`");
    }
    Statement inner = Sequence(Child(node, "Stmts"));
    inner.form = StatementForm::kSubshell;
    out.substitutions.push_back(std::move(inner));
  }

  void Note(const ordered_json& node, const std::string& type) {
    if (type == "SglQuoted" || type == "Lit") {
      const std::string value = TextOf(Child(node, "Value"));
      if (value.find("$(") != value.npos || value.find('`') != value.npos ||
          value.find("\\x24") != value.npos || value.find("\\44") != value.npos)
        has_quoted_substitution_ = true;
      return;
    }
    if (type == "ArithmExp") return Evaluates(node);
    if (type == "ExtGlob") {
      // In zsh `*(e:…:)` and `*(+…)` run commands.
      line_.evaluates_values = true;
      return;
    }
    if (type != "ParamExp") return;
    if (const ordered_json* const expansion = Child(node, "Exp"))
      if (NumberAt(*expansion, "Op") == kExpandPrompt) line_.evaluates_values = true;
    if (IsSet(node, "Excl")) {
      evaluates_ = true;
      read_names_.insert(ValueAt(node, "Param"));
    }
    for (const char* key : {"Slice", "Index"})
      if (const ordered_json* const inner = Child(node, key)) Evaluates(*inner);
  }

  // Notes the names whose values the node evaluates as arithmetic.
  void Evaluates(const ordered_json& node) {
    if (!node.is_structured() || !Descend()) {
      if (node.is_structured()) --depth_;
      return;
    }
    const std::string type = TypeOf(node);
    if (type == "Lit" || type == "SglQuoted") {
      const std::string value = TextOf(Child(node, "Value"));
      if (IsName(value)) read_names_.insert(value);
      if (!value.empty() && !IsDigit(value[0])) evaluates_ = true;
    } else if (type == "ParamExp") {
      read_names_.insert(ValueAt(node, "Param"));
      evaluates_ = true;
    } else if (type != "CmdSubst") {
      for (const ordered_json& child : node) Evaluates(child);
    }
    --depth_;
  }

  std::string_view text_;
  ShellLine& line_;
  int depth_ = 0;
  std::size_t commands_ = 0;
  bool evaluates_ = false;
  bool has_quoted_substitution_ = false;
  std::set<std::string> computed_names_;  // variables whose values are not known
  std::set<std::string> read_names_;      // variables in arithmetic
};

// Where a `#` may begin a comment and the line ends in a backslash.
bool HasContinuedComment(std::string_view text) {
  bool may_be_comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      if (may_be_comment && text[i - 1] == '\\') return true;
      may_be_comment = false;
    } else if (text[i] == '#') {
      const bool begins_word =
          i == 0 || std::string_view(" \t\n;&|()<>`").find(text[i - 1]) != std::string_view::npos;
      may_be_comment = may_be_comment || begins_word;
    }
  }
  return may_be_comment && text.ends_with('\\');
}

}  // namespace

std::string WhyUnreadable(std::string_view text) {
  if (text.size() > kMaxShellText)
    return fmt::format("the command is longer than {} bytes", kMaxShellText);
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
      return "the command has a control character";
  }
  if (FindBadByte(text) != std::string_view::npos) return "the command is not UTF-8";
  if (HasContinuedComment(text)) return "a comment in the command ends in a backslash";
  return "";
}

ShellLine ReadShellLine(std::string_view text, const std::string& tree) {
  ShellLine line;
  const JsonText parsed = ParseJson(tree, kMaxTreeDepth);
  if (!parsed.error.empty()) {
    line.why = "the command nests too deep to be read";
    return line;
  }
  LineReader(text, line).Read(parsed.json);
  return line;
}

}  // namespace rpl
