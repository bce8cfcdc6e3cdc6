// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/program_check.h"

#include <algorithm>
#include <filesystem>

#include "formats/character.h"
#include "formats/data/json_fields.h"
#include "formats/file_name.h"
#include "formats/utf8.h"
#include "grammar/namespaces.h"
#include "runtime/tools/tool_config.h"

namespace rpl::lsp {
namespace {

constexpr std::size_t kMostRelated = 10;
constexpr int kMaxRounds = 20;  // of fixes to a file, as in `rpl check --fix`

int SeverityNumber(Severity severity) {
  switch (severity) {
    case Severity::kError: return 1;
    case Severity::kWarning: return 2;
    case Severity::kInfo: return 3;
  }
  return 3;
}

// An edit that replaces what differs between two texts, or none.
std::vector<Edit> DifferenceOf(const std::string& before, const std::string& after) {
  if (before == after) return {};
  std::size_t begin = 0;
  const std::size_t least = std::min(before.size(), after.size());
  while (begin < least && before[begin] == after[begin]) ++begin;
  std::size_t same = 0;
  while (same < least - begin && before[before.size() - 1 - same] == after[after.size() - 1 - same])
    ++same;
  const auto is_inside = [&](std::size_t at) {  // a character, or a line end
    return at < before.size() && at > 0 &&
           ((static_cast<unsigned char>(before[at]) & 0xC0) == 0x80 ||
            (before[at] == '\n' && before[at - 1] == '\r'));
  };
  while (is_inside(begin)) --begin;
  while (same > 0 && is_inside(before.size() - same)) --same;
  return {{{0, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(before.size() - same)},
           after.substr(begin, after.size() - same - begin)}};
}

bool IsAboutVariable(Code code) {
  switch (code) {
    case Code::kUnboundHead:
    case Code::kNeverBound:
    case Code::kUnboundInNot:
    case Code::kUnboundForSome:
    case Code::kSetAsScalar:
    case Code::kCountPerValue:
    case Code::kGatheredFromList:
    case Code::kRestOfElement: return true;
    default: return false;
  }
}

// The places that a finding is about besides its own.
std::vector<Place> RelatedPlaces(Project& project, const ProgramCheck& check,
                                 const Diagnostic& finding) {
  std::vector<Place> out;
  const Index index = project.indexes.Of(check.file);
  const Occurrence* at = index->At(finding.span.begin);
  if (at == nullptr || at->whole.begin > finding.span.end) return out;
  const auto add = [&](const Index& in, const Occurrence* o) {
    if (o != at && out.size() < kMostRelated) out.push_back({in, o});
  };
  if (at->name.is_variable()) {
    if (!IsAboutVariable(finding.code)) return out;
    for (const Occurrence* o : index->SameAs(*at)) add(index, o);
    return out;
  }
  const std::optional<Target> target = project.TargetOf(check.file, at->name);
  if (!target) return out;
  for (const Place& place : project.DefinitionsOf(*target)) add(place.index, place.occurrence);
  // A call with another number of arguments is about the definitions of the label.
  if (finding.code != Code::kWrongArity && finding.code != Code::kSeveralArities) return out;
  const Index there = project.indexes.Of(target->file);
  for (const Occurrence& o : there->occurrences())
    if (o.defines() && o.name.kind == target->name.kind && o.name.label == target->name.label &&
        o.name.arity != target->name.arity && o.name.space.empty())
      add(there, &o);
  return out;
}

bool Overlap(Span a, Span b) { return a.begin <= b.end && b.begin <= a.end; }

// The last of the items in order that begins on a line or before, if it also has that line.
template <typename Items, typename SpanOf>
std::optional<Span> SpanOnLine(const TextLines& lines, std::uint32_t line, const Items& items,
                               const SpanOf& span_of) {
  const auto after = std::ranges::upper_bound(
      items, line, {}, [&](const auto& item) { return lines.LineOf(span_of(item).begin); });
  if (after == items.begin()) return std::nullopt;
  const Span span = span_of(*std::prev(after));
  if (lines.LineOf(std::max(span.end, 1u) - 1) < line) return std::nullopt;
  return span;
}

// `-- rpl-ignore RPL6001: …` above the sentence or heading of a finding, of which it holds for all
// lines. Within a block of prose, which a comment on a line of its own would cut in two, it ends
// the line of the finding.
std::optional<Edit> SuppressionOf(const ProgramCheck& check, const DocumentIndex& index,
                                  const Diagnostic& d) {
  const TextFile& file = *check.file;
  const std::string newline = file.text.find("\r\n") == std::string::npos ? "\n" : "\r\n";
  const std::string what = "rpl-ignore " + CodeText(d.code) + ": reason";
  std::uint32_t line = file.lines.LineOf(d.span.begin);
  if (const auto sentence = SpanOnLine(file.lines, line, index.layout().sentences,
                                       [](const IndexedSentence& s) { return s.span; })) {
    line = file.lines.LineOf(sentence->begin);
  } else if (const auto prose = SpanOnLine(file.lines, line, index.layout().prose,
                                           [](const IndexedProse& p) { return p.span; });
             prose && file.lines.LineOf(prose->begin) < line) {
    const std::uint32_t begin = file.lines.Begin(line);
    const std::string_view text =
        std::string_view(file.text).substr(begin, file.lines.End(line) - begin);
    const auto end = static_cast<std::uint32_t>(begin + WithoutBlanksAtEnd(text).size());
    return Edit{{check.number, end, end}, " <!-- " + what + " -->"};
  }
  const auto mark = static_cast<std::uint32_t>(MarkSize(file.text));
  const std::uint32_t at = std::max(file.lines.Begin(line), mark);
  const bool in_rpl =
      IsPlainRpl(file.name()) ||
      std::ranges::any_of(index.layout().blocks, [&](const Block& block) {
        return IsRplFence(block) && block.content.begin <= at && at < block.content.end;
      });
  const std::string_view text = std::string_view(file.text).substr(at);
  const std::string indent(text.substr(0, std::min(text.find_first_not_of(" \t"), text.size())));
  return Edit{
      {check.number, at, at},
      in_rpl ? indent + "-- " + what + newline : "<!-- " + what + " -->" + newline + newline};
}

class Actions {
 public:
  Actions(Project& project, const ProgramCheck& check, const Json& params)
      : project_(project), check_(check), index_(project.indexes.Of(check.file)) {
    const Json& context = FieldAt(params, "context");
    if (const Json& only = FieldAt(context, "only"); only.is_array())
      for (const Json& kind : only)
        if (kind.is_string()) only_.push_back(kind.get<std::string>());
  }

  Json In(Span range) {
    for (const Finding& finding : check_.findings)
      if (finding.diagnostic.span.file == check_.number && Overlap(finding.diagnostic.span, range))
        Offer(finding);
    if (Wants("source.fixAll.rpl") &&
        std::ranges::any_of(check_.findings, [](const Finding& f) { return f.fixable(); }))
      OfferAll();
    return std::move(out_);
  }

 private:
  bool Wants(std::string_view kind) const {
    if (only_.empty()) return true;
    return std::ranges::any_of(only_, [&](const std::string& only) {
      return only.empty() || kind == only || kind.starts_with(only + ".");
    });
  }

  void Offer(const Finding& finding) {
    if (!Wants("quickfix")) return;
    const Diagnostic& d = finding.diagnostic;
    const Json diagnostics = Json::array({DiagnosticJson(project_, check_, finding)});
    if (finding.fixable())
      out_.push_back({{"title", d.hint.empty() ? "fix: " + d.message : d.hint},
                      {"kind", "quickfix"},
                      {"diagnostics", diagnostics},
                      {"isPreferred", true},
                      {"edit", EditOf(finding.edits)}});
    else if (!d.hint.empty())
      out_.push_back({{"title", "hint: " + d.hint},
                      {"kind", "quickfix"},
                      {"diagnostics", diagnostics},
                      {"command",
                       {{"title", "hint"},
                        {"command", "rpl.hint"},
                        {"arguments", Json::array({CodeText(d.code), d.message, d.hint})}}}});
    if (d.severity == Severity::kError || d.code == Code::kUnusedSuppression ||
        d.code == Code::kSuppressionWithoutReason)
      return;
    if (const std::optional<Edit> edit = SuppressionOf(check_, *index_, d))
      out_.push_back({{"title", "suppress " + CodeText(d.code) + " here"},
                      {"kind", "quickfix"},
                      {"diagnostics", diagnostics},
                      {"edit", EditOf({*edit})}});
  }

  void OfferAll() {
    const std::string mended = MendedText(project_, check_.file);
    const std::vector<Edit> edits = DifferenceOf(check_.file->text, mended);
    if (edits.empty()) return;
    out_.push_back({{"title", "fix all that can be fixed"},
                    {"kind", "source.fixAll.rpl"},
                    {"edit", EditOf(edits)}});
  }

  Json EditOf(const std::vector<Edit>& edits) {
    return WorkspaceEditOf(project_, {{check_.file, edits}});
  }

  Project& project_;
  const ProgramCheck& check_;
  const Index index_;
  std::vector<std::string> only_;
  Json out_ = Json::array();
};

}  // namespace

std::shared_ptr<const ProgramCheck> CheckProgram(Project& project, const File& file) {
  auto out = std::make_shared<ProgramCheck>();
  out->file = file;
  out->number = out->sources.Add(file->name(), file->text);
  if (file->file_name() == "rpl.yaml") {
    Diagnostics found;
    ReadToolConfig(out->sources, out->number, std::filesystem::path(file->path).parent_path(),
                   found);
    found.Sort();
    for (const Diagnostic& d : found.all()) out->findings.push_back({d, {}});
    return out;
  }
  if (!file->is_program()) return out;
  CheckOptions options;
  options.reader = [&](const std::string& name) -> std::optional<std::string> {
    out->named.insert(name);
    const File named = project.files.Beside(*file, name);
    return named == nullptr ? std::nullopt : std::optional(named->text);
  };
  out->named.insert("rpl.yaml");
  const auto config = project.ToolsOf(*file);
  for (const ToolCommand& tool : config->tools) options.tools.insert(tool.name);
  out->findings = CheckFiles(out->sources, {out->number}, options);
  if (std::optional<Diagnostic> error = project.ToolsErrorOf(*file)) {
    std::erase_if(out->findings,
                  [](const Finding& f) { return f.diagnostic.code == Code::kUndeclaredTool; });
    error->span = {out->number, 0, file->lines.End(0)};
    out->findings.insert(out->findings.begin(), {std::move(*error), {}});
  }
  return out;
}

Json DiagnosticJson(Project& project, const ProgramCheck& check, const Finding& finding) {
  const Diagnostic& d = finding.diagnostic;
  Json out = {{"range", project.RangeOf(*check.file, d.span)},
              {"severity", SeverityNumber(d.severity)},
              {"code", CodeText(d.code)},
              {"source", "rpl"},
              {"message", d.hint.empty() ? d.message : d.message + "\nhelp: " + d.hint}};
  if (d.code == Code::kUnusedDefinition || d.code == Code::kUnreachableRule)
    out["tags"] = Json::array({1});  // unnecessary
  if (!project.client.related) return out;
  Json related = Json::array();
  for (const Place& place : RelatedPlaces(project, check, d))
    related.push_back({{"location", project.LocationOf(place)},
                       {"message", place.occurrence->name.Text() + (place.occurrence->defines()
                                                                        ? " is defined here"
                                                                        : " also stands here")}});
  if (!related.empty()) out["relatedInformation"] = std::move(related);
  return out;
}

Json PublishJson(Project& project, const ProgramCheck& check) {
  Json diagnostics = Json::array();
  for (const Finding& finding : check.findings)
    if (finding.diagnostic.span.file == check.number)
      diagnostics.push_back(DiagnosticJson(project, check, finding));
  Json out = {{"uri", check.file->uri}, {"diagnostics", std::move(diagnostics)}};
  if (check.file->version) out["version"] = *check.file->version;
  return out;
}

Json CodeActionsOf(Project& project, const ProgramCheck& check, const Json& params) {
  const Json& range = FieldAt(params, "range");
  TextPosition begin, end;
  if (!ReadPosition(FieldAt(range, "start"), begin) || !ReadPosition(FieldAt(range, "end"), end))
    return Json::array();
  const TextLines& lines = check.file->lines;
  return Actions(project, check, params)
      .In({check.number, lines.OffsetOf(begin, project.client.encoding),
           lines.OffsetOf(end, project.client.encoding)});
}

std::string MendedText(Project& project, const File& file) {
  File at = file;
  for (int round = 0; round < kMaxRounds; ++round) {
    const auto check = CheckProgram(project, at);
    const std::vector<Finding> mendable = Mendable(check->findings);
    if (mendable.empty()) break;
    std::string fixed = Fixed(check->sources, check->number, mendable);
    if (fixed == at->text) break;
    at = std::make_shared<TextFile>(file->uri, file->path, std::move(fixed), file->version,
                                    HasExtension(file->name(), ".rpl"));
  }
  return at->text;
}

Json TextEditOf(const Project& project, const TextFile& file, const Edit& edit) {
  return {{"range", project.RangeOf(file, edit.span)}, {"newText", edit.text}};
}

Json WorkspaceEditOf(const Project& project,
                     const std::vector<std::pair<File, std::vector<Edit>>>& edits) {
  Json changes = project.client.document_changes ? Json::array() : Json::object();
  for (const auto& [file, list] : edits) {
    Json texts = Json::array();
    for (const Edit& edit : list) texts.push_back(TextEditOf(project, *file, edit));
    if (!project.client.document_changes) {
      changes[file->uri] = std::move(texts);
      continue;
    }
    Json document = {{"uri", file->uri}, {"version", nullptr}};
    if (file->version) document["version"] = *file->version;
    changes.push_back({{"textDocument", std::move(document)}, {"edits", std::move(texts)}});
  }
  return {{project.client.document_changes ? "documentChanges" : "changes", std::move(changes)}};
}

}  // namespace rpl::lsp
