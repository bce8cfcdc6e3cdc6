// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "formats/character.h"
#include "grammar/ast.h"
#include "grammar/document.h"
#include "grammar/markdown.h"
#include "grammar/sentences.h"
#include "shell/terminal/refusal.h"

namespace rpl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

bool IsCommand(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return false;
  text.remove_prefix(begin);
  return text.size() > 1 && text[0] == '.' && ((text[1] | 0x20) >= 'a' && (text[1] | 0x20) <= 'z');
}

bool IsMarkdown(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of("\r\n"), text.size());
  const std::vector<Block> first = ReadBlocks(LinesOf(text.substr(begin)).front(), 0);
  return !first.empty() &&
         (first.front().kind == BlockKind::kHeading || first.front().kind == BlockKind::kFence);
}

// REQUIRES: it is Markdown.
bool IsCompleteMarkdown(std::string_view text, bool pasted) {
  const std::vector<Block> blocks = ReadBlocks(text, 0);
  const Block& last = blocks.back();
  if (!last.closed) return false;
  if (pasted) return true;
  if (blocks.front().kind == BlockKind::kFence && last.kind == BlockKind::kFence &&
      last.span.end == text.size())
    return true;
  std::size_t written = 0;  // lines with text
  std::size_t blank = 0;    // lines at the end
  for (const std::string_view line : LinesOf(text)) {
    blank = IsAllSpace(line) ? blank + 1 : 0;
    if (blank == 0) ++written;
  }
  return blank > (written > 1 ? 0 : 1);
}

// Probes with a line that begins no sentence at column 1: the entry is complete if that line is a
// sentence of its own.
bool IsCompleteRpl(std::string_view text) {
  const std::string probed = std::string(text) + "\n x()";
  const auto limit = static_cast<std::uint32_t>(probed.size());
  SentenceCutter cutter(probed, 0, 0, limit, Newlines::kEndSentences);
  std::optional<Cut> last;
  bool string_open = false;
  while (std::optional<Cut> cut = cutter.Next()) {
    if (cut->begin < text.size())
      string_open = cut->error && cut->error->code == Code::kUnclosedString;
    last = std::move(cut);
  }
  if (string_open || !last || last->begin <= text.size()) return false;
  // An activation clause may follow a rule.
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return end == text.npos || text[end] != ';' || text.find("<-") == text.npos;
}

// --- the meaning of an entry -------------------------------------------------------------

bool IsOpen(const Node& node) {
  if (node.As<Lvar>() || node.As<Avar>() || node.As<Template>() || node.As<Expansion>())
    return true;
  bool open = false;
  ForEachChild(node, [&](const Node& child) { open |= IsOpen(child); });
  return open;
}

// `form ^^ {…}` gives the variables of the form values.
bool IsBound(const Annotated& annotated) {
  return std::any_of(annotated.suffixes.begin(), annotated.suffixes.end(), [](const Suffix& s) {
    return s.bindings && s.value.front().As<Collection>() != nullptr;
  });
}

// True if the clause asserts nothing: it has variables, is a test, or calls a goal or a tool.
bool IsQuestion(const Node& clause) {
  const Node& node = Ungroup(clause);
  if (const auto* all = node.As<Conjunction>())
    return std::any_of(all->clauses.begin(), all->clauses.end(), IsQuestion);
  if (const auto* annotated = node.As<Annotated>()) return !IsBound(*annotated) && IsOpen(node);
  const auto* call = node.As<Call>();
  return call == nullptr || call->ns != Namespace::kRelation || IsOpen(node);
}

bool IsQuestion(const Sentence& sentence, Ground ground) {
  const Rule& rule = sentence.rule;
  return rule.heads.empty() && rule.abductives.empty() && rule.constraints.empty() &&
         rule.tail.size() == 1 && (ground == Ground::kAsks || IsQuestion(rule.tail.front()));
}

// Adds the lvars that an answer binds: not those that occur only in a negation or a count, and of a
// disjunction those that occur in each branch.
void AddBound(const Node& node, std::vector<std::string>& out) {
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  if (node.As<Not>() || node.As<GoalFalse>() || node.As<Count>()) return;
  if (const auto* v = node.As<Lvar>()) add(v->name);
  if (const auto* e = node.As<Expansion>()) add(e->name);
  if (const auto* t = node.As<Template>())
    for (const std::string& hole : t->holes) add(hole);
  if (const auto* either = node.As<Disjunction>()) {
    std::vector<std::string> common;
    for (const Node& branch : either->branches) {
      std::vector<std::string> bound;
      AddBound(branch, bound);
      if (&branch == &either->branches.front()) common = bound;
      std::erase_if(common, [&](const std::string& name) {
        return std::find(bound.begin(), bound.end(), name) == bound.end();
      });
    }
    for (const std::string& name : common) add(name);
    return;
  }
  ForEachChild(node, [&](const Node& child) { AddBound(child, out); });
}

// True if the query calls the program's root goal, which a query named % would hide.
bool CallsRoot(const Node& node) {
  const auto* call = node.As<Call>();
  bool calls = call != nullptr && call->ns == Namespace::kGoal && call->label.empty();
  ForEachChild(node, [&](const Node& child) { calls |= CallsRoot(child); });
  return calls;
}

std::string HeadFor(const Sentence& question) {
  constexpr std::size_t kMost = 64;  // arguments of a call
  std::vector<std::string> names;
  AddBound(question.rule.tail.front(), names);
  if (names.empty()) return CallsRoot(question.rule.tail.front()) ? "%answers <- " : "% <- ";
  if (names.size() > kMost) names.resize(kMost);
  return fmt::format("%answers(?{}) <- ", fmt::join(names, ", ?"));
}

void AddCalls(const Node& node, std::vector<std::string>& out) {
  if (const auto* call = node.As<Call>(); call != nullptr && call->ns == Namespace::kRelation)
    out.push_back(fmt::format("{}/{}", call->label, call->args.size()));
  if (node.As<Call>() != nullptr) return;  // calls among its arguments are terms
  ForEachChild(node, [&](const Node& child) { AddCalls(child, out); });
}

bool DefinesSomething(const Document& document) {
  return !document.sentences.empty() ||
         std::any_of(document.scopes.begin(), document.scopes.end(),
                     [](const Scope& scope) { return scope.signature.has_value(); });
}

}  // namespace

bool IsComplete(std::string_view text, bool pasted) {
  if (IsAllSpace(text) || IsCommand(text)) return true;
  if (IsMarkdown(text)) return IsCompleteMarkdown(text, pasted);
  return IsAllSpace(LinesOf(text).back()) || IsCompleteRpl(text);
}

Diagnostic Entry::AsEntered(Diagnostic finding) const {
  const auto back = [&](std::uint32_t at) {
    const auto behind = static_cast<std::uint32_t>(head_at + head_bytes);
    if (at >= behind) return static_cast<std::uint32_t>(at - head_bytes);
    return std::min(at, static_cast<std::uint32_t>(head_at));
  };
  finding.span = {0, back(finding.span.begin), back(finding.span.end)};
  return finding;
}

Entry ReadEntry(std::string text, int number) {
  return ReadEntry(std::move(text), fmt::format("<entry {}>", number), Ground::kAsserts);
}

Entry ReadEntry(std::string text, std::string name, Ground ground) {
  Entry entry;
  entry.name = std::move(name);
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return entry;
  const std::size_t end = text.find_last_not_of(kBlanks) + 1;
  std::string_view trimmed = std::string_view(text).substr(begin, end - begin);
  if (IsCommand(trimmed)) {
    entry.kind = Entry::Kind::kCommand;
    entry.text = trimmed;
    return entry;
  }
  if (IsMarkdown(text)) entry.name += ".md";
  entry.text = text;
  entry.sources.Add(entry.name, std::move(text));
  Diagnostics findings;
  const Message message = ReadMessage(entry.sources, 0, findings);
  entry.findings = findings.all();
  if (findings.has_errors()) {
    entry.kind = Entry::Kind::kRejected;
    return entry;
  }
  const std::vector<PlacedSentence>& sentences = message.document.sentences;
  if (message.query_line) {
    entry.kind = Entry::Kind::kQuery;
    for (const Node& tail : message.query->rule.tail) AddCalls(tail, entry.calls);
    if (DefinesSomething(message.document))
      entry.novelty = entry.text.substr(0, message.query_line->begin);
  } else if (IsPlainRpl(entry.name) && !sentences.empty() &&
             IsQuestion(sentences.back().sentence, ground)) {
    const Sentence& question = sentences.back().sentence;
    const std::string head = HeadFor(question);
    AddCalls(question.rule.tail.front(), entry.calls);
    entry.kind = Entry::Kind::kQuery;
    entry.head_at = question.span.begin;
    entry.head_bytes = head.size();
    if (sentences.size() > 1) entry.novelty = entry.text.substr(0, entry.head_at);
    entry.text.insert(entry.head_at, head);
  } else if (DefinesSomething(message.document)) {
    entry.kind = Entry::Kind::kNovelty;
    entry.novelty = entry.text;
  }
  return entry;
}

std::string NoveltyOf(const std::string& name, const std::string& text) {
  Sources sources;
  Diagnostics ignored;
  const Message message = ReadMessage(sources, sources.Add(name, text), ignored);
  if (!DefinesSomething(message.document)) return "";
  return message.query_line ? text.substr(0, message.query_line->begin) : text;
}

std::vector<std::string> CallsOf(const std::string& name, const std::string& text) {
  Sources sources;
  Diagnostics ignored;
  const Message message = ReadMessage(sources, sources.Add(name, text), ignored);
  std::vector<std::string> calls;
  if (message.query)
    for (const Node& tail : message.query->rule.tail) AddCalls(tail, calls);
  return calls;
}

void PrintFindings(const Entry& entry, const std::vector<Diagnostic>& findings,
                   const Sources& sources, std::ostream& to) {
  for (const Diagnostic& finding : findings) {
    if (std::any_of(entry.findings.begin(), entry.findings.end(), [&](const Diagnostic& known) {
          return known.code == finding.code && known.message == finding.message;
        }))
      continue;
    const bool of_entry = sources.at(finding.span.file).name == entry.name;
    if (of_entry) PrintFinding(entry.AsEntered(finding), entry.sources, to);
    else PrintFinding(finding, sources, to);
  }
}

int OpenHeadings(const std::string& text) {
  Sources sources;
  Diagnostics ignored;
  // The scope of a sentence at the end.
  const Document document =
      ReadDocument(sources, sources.Add("entry.md", text + "\n\n```rpl\nx()\n```\n"), ignored);
  int open = 0;
  for (int scope = document.sentences.back().scope; scope > 0; ++open)
    scope = document.scopes[static_cast<std::size_t>(scope)].parent;
  return open;
}

}  // namespace rpl
