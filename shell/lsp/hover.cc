// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/hover.h"

#include <algorithm>

#include "formats/shorten.h"
#include "grammar/namespaces.h"
#include "interp/program/builtin_tools.h"
#include "runtime/tools/tool_config.h"
#include "shell/lsp/navigation.h"

namespace rpl::lsp {
namespace {

constexpr std::size_t kMostProse = 2'000;

std::string Fenced(const std::string& code) {
  std::size_t run = 0, longest = 2;
  for (const char c : code) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string marks(longest + 1, '`');
  return marks + "rpl\n" + code + (code.ends_with('\n') ? "" : "\n") + marks + "\n";
}

std::string CountText(std::size_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string ProseOfName(const DocumentIndex& index, const Name& name) {
  for (const Occurrence* o : index.Definitions(name)) {
    if (o->sentence < 0) continue;
    const IndexedSentence& in = index.layout().sentences[static_cast<std::size_t>(o->sentence)];
    if (!in.signature) continue;
    if (std::string prose = index.ProseOf(in.scope); !prose.empty())
      return Shortened(std::move(prose), kMostProse);
  }
  return "";
}

std::string AboutLibrary(Project& project, const Name& name) {
  Name local = name;
  local.space.clear();
  const Index index = project.indexes.Of(LibraryFile());
  if (index->Definitions(local).empty()) return "";
  return Fenced(std::string(kLibrary) + "#" + FormOf(*index, local)) + "\n" +
         ProseOfName(*index, local) + "\n";
}

std::string AboutVariable(const Place& at) {
  const std::vector<const Occurrence*> same = at.index->SameAs(*at.occurrence);
  const auto prose = std::ranges::count(same, Occurrence::Role::kProse, &Occurrence::role);
  std::string out = Fenced(at.occurrence->name.Text());
  out += "\nvariable · " + CountText(same.size(), "place") + " in this rule";
  if (prose > 0) out += " · named in the prose";
  return out + "\n";
}

std::string AboutTool(Project& project, const File& file, const Name& name) {
  if (const BuiltinTool* tool = FindBuiltinTool(name.label))
    return Fenced(std::string(tool->form)) + "\nbuilt-in tool\n";
  const auto config = project.ToolsOf(*file);
  if (const ToolCommand* tool = config->Find(name.label)) {
    std::string out = Fenced("$" + name.label) + "\ntool of `rpl.yaml` · ";
    if (tool->mcp) out += "of the MCP server `" + tool->mcp->server->name + "`";
    else out += "runs `" + (tool->argv.empty() ? "" : tool->argv.front()) + "`";
    out += tool->permission == Permit::kAllow  ? " · allowed"
           : tool->permission == Permit::kDeny ? " · denied"
                                               : " · asks before it runs";
    return out + "\n";
  }
  return "";
}

}  // namespace

std::string FormOf(const DocumentIndex& index, const Name& name) {
  const std::vector<const Occurrence*> at = index.Definitions(name);
  const auto heading = std::ranges::find_if(at, [&](const Occurrence* o) {
    return o->sentence >= 0 &&
           index.layout().sentences[static_cast<std::size_t>(o->sentence)].signature;
  });
  const Occurrence* shown = heading != at.end() ? *heading : at.empty() ? nullptr : at.front();
  if (shown != nullptr && shown->role == Occurrence::Role::kHead)
    return std::string(index.Text(shown->whole));
  std::string out = name.Text().substr(0, name.Text().rfind('/'));
  if (name.kind != NameKind::kRelation) return out;
  for (std::size_t i = 0; i < name.arity; ++i) out += i == 0 ? "(_" : ", _";
  return out + (name.arity == 0 ? "()" : ")");
}

std::string AboutTarget(Project& project, const Target& target) {
  const Index index = project.indexes.Of(target.file);
  std::size_t rules = 0, facts = 0, uses = 0, headings = 0;
  for (const Place& place : project.UsesOf(target)) {
    const Occurrence& o = *place.occurrence;
    if (!o.defines()) ++uses;
    else if (o.role == Occurrence::Role::kFact) ++facts;
    else if (place.index->layout().sentences[static_cast<std::size_t>(o.sentence)].signature)
      ++headings;
    else ++rules;
  }
  std::string out = Fenced(FormOf(*index, target.name));
  if (const std::string prose = ProseOfName(*index, target.name); !prose.empty())
    out += "\n" + prose + "\n";
  out += target.name.kind == NameKind::kGoal   ? "\ngoal"
         : target.name.kind == NameKind::kTool ? "\ntool"
                                               : "\nrelation";
  if (headings > 0) out += " · " + CountText(headings, "heading");
  if (rules > 0) out += " · " + CountText(rules, "rule");
  if (facts > 0) out += " · " + CountText(facts, "fact");
  if (uses > 0 || target.name.kind != NameKind::kGoal)
    out += " · used " + (uses == 1 ? "once" : std::to_string(uses) + " times");
  if (headings + rules + facts == 0) out += " · defined nowhere";
  const auto view = project.ViewOf(target.file);
  if (const RelationView* of = view->Find(target.name)) {
    if (of->stratum > 0)
      out += " · stratum " + std::to_string(of->stratum) + " of " + std::to_string(view->strata());
    if (!of->needs.empty()) out += " · needs " + of->needs;
    if (of->broken) out += " · depends on its own negation";
  }
  return out + "\n";
}

std::optional<Hover> HoverAt(Project& project, const Json& params) {
  const std::optional<Place> at = OccurrenceAt(project, params);
  if (!at) return std::nullopt;
  const File file = project.files.Find(at->index->file().uri);
  if (file == nullptr) return std::nullopt;
  const Occurrence& o = *at->occurrence;
  Hover out;
  out.range = project.RangeOf(*file, o.whole);
  if (o.name.is_variable()) {
    out.markdown = AboutVariable(*at);
    return out;
  }
  if (o.name.kind == NameKind::kTool) out.markdown = AboutTool(project, file, o.name);
  if (o.name.space == kLibrary) out.markdown = AboutLibrary(project, o.name);
  else if (out.markdown.empty())
    if (const std::optional<Target> target = project.TargetOf(file, o.name))
      out.markdown = AboutTarget(project, *target);
  const bool provable =
      o.call != nullptr && o.name.kind != NameKind::kTool && !HasVariables(*o.call);
  if (provable) {
    const std::string text(at->index->Text(o.whole));
    if (text.find('_') == text.npos) out.ground = text;
  }
  if (out.markdown.empty() && out.ground.empty()) return std::nullopt;
  return out;
}

Json HoverJson(const Hover& hover, const std::string& proof) {
  std::string text = hover.markdown;
  if (!proof.empty()) text += "\n" + Fenced(proof);
  return {{"contents", {{"kind", "markdown"}, {"value", std::move(text)}}}, {"range", hover.range}};
}

}  // namespace rpl::lsp
