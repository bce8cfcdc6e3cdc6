// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/completion_items.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "formats/character.h"
#include "grammar/abductives.h"
#include "grammar/namespaces.h"
#include "grammar/printer.h"
#include "grammar/sentences.h"
#include "interp/program/builtin_tools.h"
#include "runtime/tools/tool_config.h"
#include "shell/lsp/hover.h"

namespace rpl::lsp {
namespace {

// Kinds of items of the protocol.
constexpr int kMethod = 2, kFunction = 3, kVariable = 6, kKeyword = 14, kSnippet = 15, kFile = 17,
              kEnumMember = 20, kEvent = 23, kModule = 9;
constexpr std::size_t kMostItems = 2'000;

class Items {
 public:
  Items(Project& project, File file, std::uint32_t cursor)
      : project_(project),
        file_(std::move(file)),
        index_(project.indexes.Of(file_)),
        text_(file_->text),
        cursor_(cursor),
        begin_(cursor) {
    while (begin_ > 0 && IsQualifiedNameChar(text_[begin_ - 1])) --begin_;
    mark_ = begin_ > 0 ? text_[begin_ - 1] : ' ';
    if (std::string_view("?%$@:").find(mark_) != kNowhere) --begin_;
    else mark_ = ' ';
    word_ = text_.substr(begin_, cursor_ - begin_);
    if (word_.starts_with('#')) word_.remove_prefix(1), ++begin_;
  }

  Json Read() {
    if (!InRpl()) {
      AddProseVariables();
    } else if (InText()) {
      if (mark_ == '?') AddVariables();  // a hole of a template
    } else if (const std::size_t hash = word_.find('#'); hash != kNowhere) {
      AddNamesOf(std::string(word_.substr(mark_ == ' ' ? 0 : 1, hash - (mark_ == ' ' ? 0 : 1))));
    } else {
      switch (mark_) {
        case '?': AddVariables(); break;
        case '%': AddNames(NameKind::kGoal); break;
        case '$': AddTools(); break;
        case '@': AddActivations(); break;
        case ':': AddKeywords(); break;
        default:
          AddNames(NameKind::kRelation);
          AddWords();
          AddNamespaces();
          if (word_.empty()) AddVariables(), AddNames(NameKind::kGoal), AddTools();
      }
    }
    return {{"isIncomplete", items_.size() >= kMostItems}, {"items", std::move(items_)}};
  }

 private:
  // Whether the cursor is in a fence or a sentence, or on a line that could become one: behind a
  // mark, or behind an arrow or a call.
  bool InRpl() const {
    for (const Span& region : index_->layout().regions)
      if (region.begin <= cursor_ && cursor_ <= region.end) return true;
    for (const Block& block : index_->layout().blocks)
      if (block.kind != BlockKind::kParagraph && block.kind != BlockKind::kHeading &&
          block.span.begin < cursor_ && cursor_ <= block.span.end)
        return false;
    const std::string_view line = LineBefore();
    if (line.starts_with('#')) return line.find(" - ") != kNowhere;
    if (line.find("<-") != kNowhere || line.find("->") != kNowhere) return true;
    const std::string_view first = Trimmed(line);
    return first.starts_with('%') || first.starts_with('$') ||
           (first.find('(') != kNowhere && first.find('(') == first.find_first_of(" (") &&
            !first.empty() && IsLower(first.front()));
  }

  // Whether the cursor is inside a string, a regex or a comment.
  bool InText() const {
    for (const Span& region : index_->layout().regions) {
      if (cursor_ < region.begin || region.end < cursor_) continue;
      for (const Token& token : TokensOf(text_, region.begin, region.end))
        if (token.begin < cursor_ && cursor_ <= token.end)
          return token.kind == TokenKind::kComment || token.kind == TokenKind::kRegex ||
                 (token.kind == TokenKind::kString && (cursor_ < token.end || !token.closed));
    }
    return false;
  }

  std::string_view LineBefore() const {
    const std::uint32_t begin = file_->lines.Begin(file_->lines.LineOf(cursor_));
    return text_.substr(begin, cursor_ - begin);
  }

  void Add(const std::string& label, int kind, const std::string& detail, std::string insert = "",
           bool snippet = false) {
    if (items_.size() >= kMostItems || !seen_.insert(label).second) return;
    if (insert.empty()) insert = label;
    if (range_.is_null()) range_ = project_.RangeOf(*file_, {0, begin_, cursor_});
    Json edit = Json::object(), item = Json::object();  // by hand: there are many
    edit["range"] = range_;
    edit["newText"] = std::move(insert);
    item["label"] = label;
    item["kind"] = kind;
    item["filterText"] = label;
    item["textEdit"] = std::move(edit);
    if (!detail.empty()) item["detail"] = detail;
    if (snippet) item["insertTextFormat"] = 2;
    items_.push_back(std::move(item));
  }

  // `edge(?a, ?b)`, with the arguments as places to fill in.
  void AddCall(const std::string& label, const std::string& form, int kind,
               const std::string& detail) {
    const std::size_t open = form.find('(');
    if (text_.substr(cursor_).starts_with('(') || open == kNowhere)
      return Add(label, kind, detail, label);
    if (!project_.client.snippets) return Add(label, kind, detail, label + "(");
    std::string insert = label + "(";
    int number = 0;
    for (const std::string& argument : ArgumentsOf(form)) {
      if (number > 0) insert += ", ";
      insert += "${" + std::to_string(++number) + ":" + argument + "}";
    }
    Add(label, kind, detail, insert + ")", true);
  }

  // The arguments of a form, with the marks of snippets escaped.
  static std::vector<std::string> ArgumentsOf(const std::string& form) {
    std::vector<std::string> out;
    const auto end = static_cast<std::uint32_t>(form.size());
    std::uint32_t begin = static_cast<std::uint32_t>(form.find('(')) + 1;
    std::string at;
    int depth = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const char c = form[i];
      if (depth == 0 && (c == ',' || c == ')')) {
        if (!Trimmed(at).empty()) out.emplace_back(Trimmed(at));
        at.clear();
        continue;
      }
      depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
      if (c == '$' || c == '}' || c == '\\') at += '\\';
      at += c;
    }
    return out;
  }

  void AddNames(NameKind kind) {
    for (const Name& name : index_->NamesOf(kind)) {
      if (items_.size() >= kMostItems) return;
      if (!name.space.empty() || name.label.empty() || !IsWritten(name)) continue;
      const std::string form = FormOf(*index_, name);
      if (kind == NameKind::kGoal) AddCall("%" + name.label, form, kEvent, "goal " + form);
      else if (kind == NameKind::kTool) AddCall("$" + name.label, form, kMethod, "tool " + form);
      else AddCall(name.label, form, kFunction, name.Text() + "  " + form);
    }
  }

  // Whether a name stands in RPL other than where it is being typed.
  bool IsWritten(const Name& name) const {
    return std::ranges::any_of(index_->Of(name), [&](const Occurrence* o) {
      return o->role != Occurrence::Role::kProse && !IsAtCursor(*o);
    });
  }

  bool IsAtCursor(const Occurrence& o) const {
    return o.whole.begin <= cursor_ && cursor_ <= o.span.end;
  }

  void AddTools() {
    const auto config = project_.ToolsOf(*file_);
    for (const ToolCommand& tool : config->tools) {
      std::string form = "$" + tool.name + "(";
      if (tool.mcp && tool.mcp->has_args)
        for (std::size_t i = 0; i < tool.mcp->args.size(); ++i)
          form += (i == 0 ? "?" : ", ?") + tool.mcp->args[i];
      AddCall("$" + tool.name, form + ")", kMethod,
              tool.mcp ? "tool of the MCP server " + tool.mcp->server->name : "tool of rpl.yaml");
    }
    AddNames(NameKind::kTool);
    for (const BuiltinTool& tool : kBuiltinTools)
      AddCall("$" + std::string(tool.label), std::string(tool.form), kMethod, "built-in tool");
    for (const Occurrence& o : index_->occurrences())
      if (o.name.kind == NameKind::kAvar && !IsAtCursor(o))
        Add("$" + o.name.label, kVariable, "async variable");
  }

  // The variables of the sentence around the cursor, and of the heading above it.
  void AddVariables() {
    std::uint32_t begin = 0, end = static_cast<std::uint32_t>(text_.size());
    for (const Span& region : index_->layout().regions)
      if (region.begin <= cursor_ && cursor_ <= region.end) begin = region.begin, end = region.end;
    const std::size_t blank = text_.substr(0, cursor_).rfind("\n\n");
    if (blank != kNowhere && blank > begin) begin = static_cast<std::uint32_t>(blank);
    const std::size_t next = text_.find("\n\n", cursor_);
    if (next != kNowhere && next < end) end = static_cast<std::uint32_t>(next);
    const std::uint32_t sentence = SentenceAround(begin);
    for (const Token& token : TokensOf(text_, sentence, end)) {
      // The next sentence begins at the start of a line.
      if (token.begin > cursor_ && text_[token.begin - 1] == '\n') break;
      if (token.kind == TokenKind::kLvar && text_[token.begin] == '?' &&
          !(token.begin < cursor_ && cursor_ <= token.end))
        Add(std::string(token.In(text_)), kVariable, "variable");
    }
    AddHeadingVariables([&](const std::string& name) { Add("?" + name, kVariable, "variable"); });
  }

  // The start of the last line before the cursor, from `begin` on, that is not indented: sentences
  // begin there.
  std::uint32_t SentenceAround(std::uint32_t begin) const {
    for (std::uint32_t line = file_->lines.LineOf(cursor_);; --line) {
      const std::uint32_t at = file_->lines.Begin(line);
      if (at <= begin) return begin;
      if (at < text_.size() && !IsSpace(text_[at])) return at;
    }
  }

  template <typename Fn>
  void AddHeadingVariables(Fn&& fn) {
    const std::vector<IndexedScope>& scopes = index_->layout().scopes;
    int scope = 0;
    for (std::size_t i = 1; i < scopes.size() && scopes[i].span.begin <= cursor_; ++i)
      scope = static_cast<int>(i);
    const auto& heading = scopes[static_cast<std::size_t>(scope)];
    if (!heading.signature) return;
    for (const Occurrence& o : index_->occurrences()) {
      if (o.sentence < 0 || !o.name.is_variable()) continue;
      const IndexedSentence& in = index_->layout().sentences[static_cast<std::size_t>(o.sentence)];
      if (in.signature && in.scope == scope) fn(o.name.label);
    }
  }

  // `__first name__` names a variable of the heading.
  void AddProseVariables() {
    const std::string_view line = LineBefore();
    const std::size_t open = line.rfind("__");
    if (open == kNowhere) return;
    begin_ = cursor_ - static_cast<std::uint32_t>(line.size() - open) + 2;
    AddHeadingVariables([&](const std::string& name) {
      std::string words = name;
      std::ranges::replace(words, '-', ' ');
      Add(words, kVariable, "?" + name);
    });
  }

  void AddWords() {
    for (const std::string_view word : kLanguageWords) Add(std::string(word), kKeyword, "");
    Add("not in", kKeyword, "");
  }

  void AddActivations() {
    for (const AbductiveRow& row : kAbductives) {
      const std::string name = "@" + std::string(row.word);
      Add(name, kSnippet, "activation clause", name + "(");
    }
  }

  void AddKeywords() {
    for (const Span& region : index_->layout().regions)
      for (const Token& token : TokensOf(text_, region.begin, region.end))
        if (token.kind == TokenKind::kKeyword && !(token.begin < cursor_ && cursor_ <= token.end))
          Add(std::string(token.In(text_)), kEnumMember, "keyword");
  }

  void AddNamespaces() {
    Add("std#", kModule, "the library");
    for (const File& file : project_.files.Neighbours(*file_))
      if (file->uri != file_->uri) Add(file->file_name() + "#", kFile, "a file beside this one");
  }

  void AddNamesOf(const std::string& space) {
    const std::string mark = mark_ == ' ' ? "" : std::string(1, mark_);
    const File file = space == kLibrary ? LibraryFile() : project_.files.Beside(*file_, space);
    if (file == nullptr) return;
    const Index index = project_.indexes.Of(file);
    std::set<Name> names;
    for (const Occurrence& o : index->occurrences())
      if (o.defines() && o.name.space.empty() && !o.name.label.empty() &&
          o.name.kind == (mark == "%" ? NameKind::kGoal : NameKind::kRelation))
        names.insert(o.name);
    for (const Name& name : names) {
      const std::string form = FormOf(*index, name);
      AddCall(mark + space + "#" + name.label, form, mark.empty() ? kFunction : kEvent, form);
    }
  }

  Project& project_;
  const File file_;
  const Index index_;
  const std::string_view text_;
  const std::uint32_t cursor_;
  std::uint32_t begin_;  // of what an item replaces
  char mark_ = ' ';      // before the name, or a blank
  std::string_view word_;
  Json range_;  // the same as a range of the protocol
  std::unordered_set<std::string> seen_;
  Json items_ = Json::array();
};

}  // namespace

Json CompletionAt(Project& project, const Json& params) {
  const auto cursor = project.CursorOf(params);
  if (!cursor || !cursor->first->is_program())
    return {{"isIncomplete", false}, {"items", Json::array()}};
  return Items(project, cursor->first, cursor->second).Read();
}

}  // namespace rpl::lsp
