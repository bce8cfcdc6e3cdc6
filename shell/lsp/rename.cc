// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/rename.h"

#include <algorithm>
#include <map>
#include <optional>

#include "formats/character.h"
#include "grammar/emphasis.h"
#include "grammar/namespaces.h"
#include "grammar/sentences.h"
#include "interp/program/builtin_tools.h"
#include "runtime/tools/tool_config.h"

namespace rpl::lsp {
namespace {

bool IsGoodLabel(std::string_view label) {
  return !label.empty() && IsLower(label.front()) && label.back() != '-' &&
         label.find("--") == label.npos &&
         std::ranges::all_of(label, [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; });
}

// The relation of the decisions of a policy, whose facts the runtime states (docs/guard.md).
constexpr std::string_view kGuardDecision = "guard-decision";

std::size_t LineOf(const DocumentIndex& index, std::uint32_t offset) {
  return index.file().lines.LineOf(offset) + 1;
}

// Whether a span is the name of a group of a regex, which has underscores.
bool IsRegexGroup(const Occurrence& o) {
  return o.name.kind == NameKind::kLvar && o.role == Occurrence::Role::kUse && o.whole == o.span;
}

// The label as it is written at an occurrence. Prose has words, unless hyphens stand there already.
std::string Spelled(const Place& place, const std::string& label) {
  const Occurrence& o = *place.occurrence;
  std::string out = label;
  if (o.role == Occurrence::Role::kProse) {
    if (place.index->Text(o.span).find('-') != std::string_view::npos) return out;
    std::ranges::replace(out, '-', ' ');
    if (KebabCase(out) != label) out = label;
  } else if (IsRegexGroup(o)) {
    std::ranges::replace(out, '-', '_');
  }
  return out;
}

// The kind of the tokens that are such a name, wherever they stand.
TokenKind KindOf(NameKind kind) {
  switch (kind) {
    case NameKind::kRelation: return TokenKind::kRelation;
    case NameKind::kGoal: return TokenKind::kGoal;
    case NameKind::kTool: return TokenKind::kTool;
    case NameKind::kLvar: return TokenKind::kLvar;
    case NameKind::kAvar: break;
  }
  return TokenKind::kAvar;
}

// Whether a token is such a name, with its namespace and any mark.
bool IsNamed(std::string_view token, const Name& name) {
  const auto skip_mark = [&] {
    while (!token.empty() && !IsNameChar(token.front())) token.remove_prefix(1);
  };
  skip_mark();
  std::string_view space;
  if (const std::size_t hash = token.rfind('#'); hash != token.npos) {
    space = token.substr(0, hash);
    token.remove_prefix(hash);
    skip_mark();
  }
  return token == name.label && (name.is_variable() || space == name.space);
}

// The line of a sentence that reads like RPL, and contains the name, but is taken as prose, because
// it does not parse or text continues it; 0 if there is none.
std::size_t LineInProse(const DocumentIndex& index, const Name& name) {
  const std::string& text = index.file().text;
  const TextLines& lines = index.file().lines;
  const std::vector<IndexedProse>& prose = index.layout().prose;  // in order
  Span last;
  for (const Diagnostic& d : index.layout().findings) {
    if (d.code != Code::kLooksLikeRpl && d.code != Code::kContinuedByText &&
        d.code != Code::kUnderlinedRpl)
      continue;
    // The finding has the place of the fault; the sentence is within the prose around it.
    Span around = {d.span.file, lines.Begin(lines.LineOf(d.span.begin)),
                   lines.End(lines.LineOf(d.span.end))};
    const auto after = std::ranges::upper_bound(prose, d.span.begin, {},
                                                [](const IndexedProse& p) { return p.span.begin; });
    if (after != prose.begin() && d.span.begin < std::prev(after)->span.end)
      around = std::prev(after)->span;
    if (around == last) continue;
    last = around;
    for (const Token& token : TokensOf(text, around.begin, around.end))
      if (token.kind == KindOf(name.kind) && IsNamed(token.In(text), name))
        return LineOf(index, token.begin);
  }
  return 0;
}

// The line of text that was not read and contains the name; 0 if there is none.
std::size_t UnreadLine(const DocumentIndex& index, const Name& name) {
  if (const std::size_t line = LineInProse(index, name)) return line;
  const std::string& text = index.file().text;
  const auto contains = [&](std::uint32_t begin, std::uint32_t end) -> std::size_t {
    for (const Token& token : TokensOf(text, begin, end)) {
      const bool inside = token.kind == TokenKind::kString &&
                          token.In(text).find("{?" + name.label + "}") != std::string_view::npos;
      if (token.kind != TokenKind::kComment && (IsNamed(token.In(text), name) || inside))
        return LineOf(index, token.begin);
    }
    return 0;
  };
  if (index.is_whole()) return 0;
  for (const Diagnostic& d : index.layout().findings) {
    if (d.severity != Severity::kError) continue;
    const TextLines& lines = index.file().lines;
    const std::uint32_t begin = lines.Begin(lines.LineOf(d.span.begin));
    if (const std::size_t line = contains(begin, lines.End(lines.LineOf(d.span.end)))) return line;
  }
  // What lies in a region between sentences that were read.
  std::size_t next = 0;
  for (const Span& region : index.layout().regions) {
    std::uint32_t at = region.begin;
    for (; next < index.layout().sentences.size(); ++next) {
      const Span& span = index.layout().sentences[next].span;
      if (span.begin >= region.end) break;
      if (span.begin > at)
        if (const std::size_t line = contains(at, span.begin)) return line;
      at = std::max(at, span.end);
    }
    if (at < region.end)
      if (const std::size_t line = contains(at, region.end)) return line;
  }
  return 0;
}

std::string RefusalOfVariable(const DocumentIndex& index, const Occurrence& at,
                              const std::string& to) {
  for (const NameKind kind : {NameKind::kLvar, NameKind::kAvar}) {
    Occurrence taken = at;
    taken.name = {kind, "", to, 0};
    if (!index.SameAs(taken).empty())
      return "`" + taken.name.Text() + "` is a variable of this rule already";
  }
  for (const Occurrence* o : index.SameAs(at)) {
    if (o->role != Occurrence::Role::kProse) continue;
    if (index.IsNamedInProse(to)) return "the prose would name the relation `" + to + "` then";
    if (index.IsNamedInProse(at.name.label))
      return "the prose names the relation `" + at.name.label + "` as well";
  }
  return "";
}

std::string RefusalOfLabel(Project& project, const Target& target, const std::string& to) {
  const Index index = project.indexes.Of(target.file);
  Name taken = target.name;
  taken.label = to;
  if (!project.UsesOf({target.file, taken}).empty()) return "`" + taken.Text() + "` exists already";
  if (taken.kind == NameKind::kRelation)
    for (const std::string& label : {to, target.name.label})
      if (const std::optional<Span> at = index->IndexedAt(label))
        return "`$index` reads rows into `" + label + "`, at line " +
               std::to_string(LineOf(*index, at->begin));
  if (taken.kind == NameKind::kTool && FindBuiltinTool(to) != nullptr)
    return "`$" + to + "` is built in";
  if (taken.kind == NameKind::kRelation && index->IsNamedInProse(target.name.label))
    for (const Occurrence& o : index->occurrences())
      if (o.role == Occurrence::Role::kProse &&
          (o.name.label == to || (o.name.is_variable() && o.name.label == target.name.label)))
        return "the prose of a heading names a variable `" + o.name.label + "`";
  return "";
}

std::string RefusalOfText(const std::vector<NamingFile>& files) {
  for (const auto& [index, name] : files)
    if (const std::size_t line = UnreadLine(*index, name))
      return "`" + name.label + "` also stands in text that does not parse, at " +
             index->file().file_name() + ":" + std::to_string(line);
  return "";
}

}  // namespace

std::string RefusalOf(Project& project, const Place& place) {
  const Occurrence& at = *place.occurrence;
  if (at.name.is_variable()) {
    const TextFile& own = place.index->file();
    for (const File& file : project.files.Neighbours(own)) {
      if (file->uri != own.uri && file->text.find(own.file_name()) == std::string::npos) continue;
      const Index index = project.indexes.Of(file);
      for (const Span& key : index->BindingKeys(at.name.label))
        return "`" + at.name.label + "` is read by its name from bindings (`^^`), at " +
               file->file_name() + ":" + std::to_string(LineOf(*index, key.begin));
    }
    return "";
  }
  if (at.name.label.empty()) return "the root goal has no name";
  if (at.name.space == kLibrary) return "the library defines `" + at.name.Text() + "`";
  if (at.name.kind == NameKind::kGoal && at.name.label == "fail")
    return "`%fail` is part of the language";
  if (at.name.kind == NameKind::kRelation && at.name.label == kGuardDecision)
    return "`guard-decision` is defined by the language";
  const File file = project.files.Find(place.index->file().uri);
  if (file == nullptr) return "the file is gone";
  if (at.name.kind == NameKind::kTool && (FindBuiltinTool(at.name.label) != nullptr ||
                                          project.ToolsOf(*file)->Find(at.name.label) != nullptr))
    return "`$" + at.name.label + "` is defined outside the documents";
  if (!project.TargetOf(file, at.name))
    return "there is no file `" + at.name.space + "` beside the document";
  return "";
}

std::variant<FileEdits, Refusal> Rename(Project& project, const Place& place, std::string to) {
  const Occurrence& at = *place.occurrence;
  if (std::string why = RefusalOf(project, place); !why.empty()) return Refusal{std::move(why)};
  constexpr std::string_view kMarks = "?%$";
  if (!to.empty() && kMarks.find(to.front()) != kMarks.npos) to.erase(0, 1);
  if (!IsGoodLabel(to))
    return Refusal{"expected a name of lower-case letters, digits and hyphens, got `" + to + "`"};
  if (at.name.kind == NameKind::kRelation &&
      std::ranges::binary_search(kLanguageWords, std::string_view(to)))
    return Refusal{"`" + to + "` is a word of the language"};
  if (to == at.name.label) return FileEdits();
  if (at.name.kind == NameKind::kGoal && to == "fail")
    return Refusal{"`%fail` is part of the language"};
  if (at.name.kind == NameKind::kRelation && to == kGuardDecision)
    return Refusal{"`guard-decision` is defined by the language"};
  const File file = project.files.Find(place.index->file().uri);
  std::vector<Place> places;
  std::vector<NamingFile> searched;
  std::string why;
  if (at.name.is_variable()) {
    why = RefusalOfVariable(*place.index, at, to);
    for (const Occurrence* o : place.index->SameAs(at)) places.push_back({place.index, o});
    searched.push_back({place.index, at.name});
  } else {
    const Target target = *project.TargetOf(file, at.name);
    why = RefusalOfLabel(project, target, to);
    places = project.UsesOf(target);
    searched = project.FilesNaming(target);
  }
  if (why.empty()) why = RefusalOfText(searched);
  if (!why.empty()) return Refusal{std::move(why)};
  std::map<std::string, std::vector<Edit>> edits;  // by URI
  for (const Place& p : places)
    edits[p.index->file().uri].push_back({p.occurrence->span, Spelled(p, to)});
  FileEdits out;
  for (auto& [uri, list] : edits) {
    std::ranges::sort(list, {}, [](const Edit& e) { return e.span.begin; });
    if (File in = project.files.Find(uri)) out.emplace_back(std::move(in), std::move(list));
  }
  return out;
}

}  // namespace rpl::lsp
