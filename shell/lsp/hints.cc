// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/hints.h"

#include <map>
#include <set>

#include "shell/lsp/hover.h"
#include "shell/script/test_script.h"

namespace rpl::lsp {
namespace {

constexpr std::size_t kMostLenses = 2'000;

// Lenses at a place, in their order.
class Lenses {
 public:
  Lenses(const Project& project, const File& file) : project_(project), file_(file) {}

  void Add(Span at, const std::string& title, const char* command, Json arguments) {
    if (out_.size() >= kMostLenses) return;
    out_.push_back(
        {{"range", project_.RangeOf(*file_, at)},
         {"command",
          {{"title", title}, {"command", command}, {"arguments", std::move(arguments)}}}});
  }

  Json Take() { return std::move(out_); }

 private:
  const Project& project_;
  const File& file_;
  Json out_ = Json::array();
};

// `answers(?a, ?b)`: a call with a variable for each argument.
std::string QueryFor(const Name& name) {
  std::string out = name.label + "(";
  for (std::size_t i = 0; i < name.arity; ++i)
    out += (i == 0 ? "?x" : ", ?x") + std::to_string(i + 1);
  return out + ")";
}

void AddTests(const File& file, Lenses& to) {
  if (file->text.find("rpl-test") == std::string::npos) return;
  Sources sources;
  const std::uint32_t number = sources.Add(file->name(), file->text);
  for (const TestCase& test : ReadTestCases(sources, number)) {
    const std::uint32_t line = std::min(test.line, file->lines.size()) - (test.line > 0 ? 1 : 0);
    const Span at = {number, file->lines.Begin(line), file->lines.End(line)};
    to.Add(at, "tests", "rpl.tests", Json::array({file->uri, test.name}));
  }
}

}  // namespace

Json InlayHintsOf(Project& project, const File& file, std::uint32_t begin, std::uint32_t end) {
  Json out = Json::array();
  const auto view = project.ViewOf(file);
  const Index index = project.indexes.Of(file);
  std::set<Name> seen;
  for (const Occurrence& o : index->occurrences()) {
    if (o.role != Occurrence::Role::kHead || o.name.kind != NameKind::kRelation) continue;
    if (!seen.insert(o.name).second) continue;
    if (o.whole.end < begin || o.whole.end > end) continue;
    const RelationView* of = view->Find(o.name);
    if (of == nullptr) continue;
    std::string label;
    if (of->stratum > 0 && view->strata() > 1) label = "stratum " + std::to_string(of->stratum);
    if (!of->needs.empty()) label += (label.empty() ? "needs " : ", needs ") + of->needs;
    if (label.empty()) continue;
    out.push_back(
        {{"position", PositionJson(file->lines.PositionOf(o.whole.end, project.client.encoding))},
         {"label", label},
         {"paddingLeft", true},
         {"paddingRight", true}});
  }
  return out;
}

Json CodeLensesOf(Project& project, const File& file) {
  const Index index = project.indexes.Of(file);
  std::map<Name, std::size_t> facts;
  for (const Occurrence& o : index->occurrences())
    if (o.role == Occurrence::Role::kFact) ++facts[o.name];
  Lenses out(project, file);
  std::set<Name> seen;
  for (const Occurrence& o : index->occurrences()) {
    if (!o.defines() || !o.name.space.empty() || !seen.insert(o.name).second) continue;
    if (o.name.kind == NameKind::kGoal) {
      out.Add(o.whole, "run", "rpl.run", Json::array({file->uri, o.name.label}));
      out.Add(o.whole, "why", "rpl.why", Json::array({file->uri, "%" + o.name.label}));
    } else if (o.name.kind == NameKind::kRelation) {
      const auto known = facts.find(o.name);
      const std::size_t count = known == facts.end() ? 0 : known->second;
      const std::string title =
          count == 0 ? "answers"
                     : std::to_string(count) + (count == 1 ? " fact, answers" : " facts, answers");
      out.Add(o.whole, title, "rpl.answers", Json::array({file->uri, QueryFor(o.name)}));
      out.Add(o.whole, "why", "rpl.why", Json::array({file->uri, QueryFor(o.name)}));
    }
  }
  AddTests(file, out);
  return out.Take();
}

}  // namespace rpl::lsp
