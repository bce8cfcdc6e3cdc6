// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/catalogue_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "grammar/namespaces.h"
#include "shell/pages/graph_drawing.h"
#include "shell/pages/html.h"
#include "shell/pages/page_assets.h"  // generated
#include "shell/pages/page_places.h"
#include "shell/pages/shown_document.h"
#include "shell/pages/source_page.h"

namespace rpl {
namespace {

using EntryKind = CatalogueEntry::Kind;

// The number of places or names in a list, which then gives the number of others.
constexpr std::size_t kMostListed = 24;

/// Entries that stand together, in the order of the page.
struct CatalogueGroup {
  std::string title;
  std::vector<std::size_t> entries;
};

/// What the first document says of itself.
struct DocumentHead {
  std::string title;
  std::string lede;  // the prose under the first heading, or before it
};

DocumentHead HeadOf(const Catalogue& catalogue) {
  DocumentHead out;
  for (std::uint32_t file = 0; file < catalogue.sources.size(); ++file) {
    const std::string& name = catalogue.sources.at(file).name;
    if (!IsMarkdownName(name)) continue;
    const Document document = ShownDocument(catalogue.sources, file);
    for (std::size_t scope = 1; scope < document.scopes.size() && out.title.empty(); ++scope) {
      out.title = document.scopes[scope].title;
      if (document.scopes[scope].signature) break;
      for (const Prose& prose : document.prose)
        if (prose.scope == static_cast<int>(scope) && out.lede.empty())
          out.lede = catalogue.sources.Text(prose.span);
    }
    break;
  }
  if (out.title.empty()) out.title = catalogue.sources.at(0).name;
  return out;
}

class CatalogueWriter {
 public:
  CatalogueWriter(const Catalogue& catalogue, const ProgramGraph& graph)
      : catalogue_(catalogue),
        graph_(graph),
        places_(catalogue.sources, static_cast<std::uint32_t>(catalogue.sources.size()), 1) {
    MakeGroups();
  }

  std::string Write() const {
    const DocumentHead head = HeadOf(catalogue_);
    std::string out = PageBegin(head.title + ": catalogue", kCatalogueStyle, kCatalogueScript);
    out +=
        "<a class=\"skip\" href=\"#catalogue\">Skip to the catalogue</a>\n" + Contents(head.title);
    out += "<main id=\"catalogue\">\n<header>\n<h1>" + ShownProse(head.title) + "</h1>\n";
    if (!head.lede.empty()) out += "<p class=\"lede\">" + ShownProse(head.lede) + "</p>\n";
    out += Figures() + "</header>\n" + Graph();
    for (std::size_t g = 0; g < groups_.size(); ++g) out += Group(g);
    return out + Constraints() + Source() + "</main>\n" + PageEnd(kCatalogueScript);
  }

 private:
  // Goals first, then the groups of each document in its order, then what is only used.
  void MakeGroups() {
    using Key = std::tuple<int, std::string, std::uint32_t, std::uint32_t>;
    std::map<std::pair<std::string, std::string>, Key> place_of;  // of namespace and title
    std::vector<std::pair<Key, std::size_t>> order;
    for (std::size_t i = 0; i < catalogue_.entries.size(); ++i) {
      const CatalogueEntry& entry = catalogue_.entries[i];
      const Span at = entry.defined.empty() ? Span{} : entry.defined.front();
      Key key{entry.kind == EntryKind::kGoal ? 0
              : entry.defined.empty()        ? 2
                                             : 1,
              entry.name_space, at.file, at.begin};
      order.emplace_back(key, i);
    }
    std::sort(order.begin(), order.end());
    std::map<std::string, std::size_t> number;
    for (const auto& [key, i] : order) {
      const std::string title = TitleOf(catalogue_.entries[i]);
      const auto [at, is_new] = number.emplace(title, groups_.size());
      if (is_new) groups_.push_back({title, {}});
      groups_[at->second].entries.push_back(i);
    }
  }

  static std::string TitleOf(const CatalogueEntry& entry) {
    std::string title = entry.kind == EntryKind::kGoal ? "Goals"
                        : entry.defined.empty()        ? "Used, not defined here"
                        : entry.group.empty()          ? "Relations"
                                                       : entry.group;
    if (!entry.name_space.empty()) title = entry.name_space + ": " + title;
    return title;
  }

  std::string Contents(const std::string& title) const {
    std::string out =
        "<nav aria-label=\"contents\">\n<p class=\"name\">" + ShownProse(title) +
        "</p>\n<div id=\"search\"></div>\n<details open><summary>Contents</summary>\n";
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      out += fmt::format("<p><a href=\"#g{}\">{}</a></p>\n<ul>\n", g, ShownProse(groups_[g].title));
      for (const std::size_t i : groups_[g].entries)
        out += "<li" + Colour(i) + ">" + Link(i) + "</li>\n";
      out += "</ul>\n";
    }
    if (!catalogue_.constraints.empty()) out += "<p><a href=\"#constraints\">Constraints</a></p>\n";
    return out + "<p><a href=\"#source\">Source</a></p>\n</details>\n</nav>\n";
  }

  std::string Colour(std::size_t entry) const {
    return fmt::format(" class=\"{}\"", ColourOf(catalogue_.entries[entry]));
  }

  std::string Link(std::size_t entry) const {
    return fmt::format("<a href=\"#{}\"><code>{}</code></a>", EntryId(entry),
                       Shown(catalogue_.entries[entry].Id()));
  }

  std::string Figures() const {
    std::map<std::string_view, std::size_t> count;
    std::size_t facts = 0;
    for (const CatalogueEntry& entry : catalogue_.entries) {
      ++count[ColourOf(entry)];
      facts += entry.facts;
    }
    const auto figure = [](std::string_view name, std::size_t number) {
      return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, number);
    };
    return "<dl class=\"figures\">" + figure("Goals", count["goal"]) +
           figure("Asked of a person", count["ask"]) + figure("By rules", count["rule"]) +
           figure("Written", count["text"]) + figure("Facts", facts) +
           figure("Tools", count["tool"]) + figure("Constraints", catalogue_.constraints.size()) +
           "</dl>\n";
  }

  std::string Graph() const {
    const std::string svg = GraphSvg(catalogue_, graph_);
    if (svg.empty()) return "";
    std::string out =
        "<section aria-labelledby=\"graph\">\n<h2 id=\"graph\">What uses what</h2>\n"
        "<p class=\"sub\">From the goals at the left to what they need. Lines to the same place "
        "run "
        "together.</p>\n";
    if (!graph_.note.empty())
      out += "<p class=\"note\">The graph is " + Shown(graph_.note) + ".</p>\n";
    out += "<div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"graph\">" + svg +
           "</div>\n<ul class=\"legend\"><li class=\"goal\">goal</li><li class=\"rule\">derived by "
           "rules</li><li class=\"ask\">asked of a person</li><li class=\"text\">written in the "
           "document</li><li class=\"tool\">tool</li><li class=\"watched\">read by a "
           "constraint</li></ul>\n";
    return out + "</section>\n";
  }

  std::string Group(std::size_t number) const {
    std::string out = fmt::format(
        "<section class=\"group\" aria-labelledby=\"g{0}\">\n<h2 "
        "id=\"g{0}\">{1}</h2>\n",
        number, ShownProse(groups_[number].title));
    for (const std::size_t i : groups_[number].entries) out += Entry(i);
    return out + "</section>\n";
  }

  static std::string Standing(const CatalogueEntry& entry) {
    switch (entry.kind) {
      case EntryKind::kGoal: return "goal";
      case EntryKind::kTool: return "tool";
      case EntryKind::kAvar: return "avar";
      case EntryKind::kRelation: break;
    }
    if (entry.asked || entry.asks) return "asked";
    if (entry.computed) return "computed";
    if (entry.rules > 0) return Many(entry.rules, "rule", "rules");
    if (entry.facts > 0) return Many(entry.facts, "fact", "facts");
    return "relation";
  }

  static std::string SignatureOf(const CatalogueEntry& entry) {
    std::string arguments;
    for (const std::string& name : entry.arguments)
      arguments += (arguments.empty() ? "" : ", ") + (name.empty() ? "_" : name);
    if (entry.arguments.empty() && entry.arity > 0) return "<code>" + Shown(entry.Id()) + "</code>";
    return InCode(entry.name + (arguments.empty() ? "" : "(" + arguments + ")"));
  }

  std::string Entry(std::size_t number) const {
    const CatalogueEntry& entry = catalogue_.entries[number];
    std::string out = fmt::format(
        "<article class=\"entry\" id=\"{}\">\n<h3>{} <span class=\"kind {}\">{}</span></h3>\n",
        EntryId(number), SignatureOf(entry), ColourOf(entry), Standing(entry));
    if (!entry.text.empty())
      out += fmt::format("<p class=\"said{}\">{}</p>\n", entry.asked ? " asked" : "",
                         ShownProse(entry.text));
    out += "<dl>";
    const auto add = [&](std::string_view name, const std::string& html) {
      if (!html.empty()) out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, html);
    };
    std::string lines;
    for (std::size_t i = 0; i < std::min(entry.defined.size(), kMostListed); ++i)
      lines += places_.Link(entry.defined[i]);
    add("Line", lines + More(entry.defined.size()));
    if (entry.facts > 0 && entry.rules > 0) add("Facts", std::to_string(entry.facts));
    add("Needs", entry.needs.empty() ? "" : InCode(entry.needs));
    add("Uses", Links(entry.uses));
    add("Used by", Links(entry.used_by));
    return out + "</dl>\n</article>\n";
  }

  static std::string More(std::size_t count) {
    return count > kMostListed ? fmt::format(" and {} more", count - kMostListed) : "";
  }

  std::string Links(const std::vector<std::size_t>& entries) const {
    std::string out;
    for (std::size_t i = 0; i < std::min(entries.size(), kMostListed); ++i)
      out += (i == 0 ? "" : ", ") + Link(entries[i]);
    return out + More(entries.size());
  }

  std::string Constraints() const {
    if (catalogue_.constraints.empty()) return "";
    std::string out =
        "<section aria-labelledby=\"constraints\">\n<h2 id=\"constraints\">Constraints</h2>\n";
    for (const CatalogueConstraint& constraint : catalogue_.constraints)
      out += "<article class=\"entry\"><p>" + InCode(constraint.text) +
             places_.Link(constraint.span) + "</p>\n<dl><div><dt>Reads</dt><dd>" +
             Links(constraint.reads) + "</dd></div></dl></article>\n";
    return out + "</section>\n";
  }

  // The library is no part of the documents.
  std::string Source() const {
    std::string out =
        "<section id=\"source\" aria-labelledby=\"source-title\">\n<h2 id=\"source-title\">Source"
        "</h2>\n";
    for (std::uint32_t file = 0; file < catalogue_.sources.size(); ++file) {
      const Sources::File& source = catalogue_.sources.at(file);
      out += fmt::format(
          "<details{0} aria-labelledby=\"{1}\"><summary><h3 id=\"{1}\">{2}</h3> <span "
          "class=\"dim\">{3}</span></summary>\n",
          source.name == kLibrary ? "" : " open", places_.FileId(file),
          "<code>" + Shown(source.name) + "</code>", Many(LineCount(source), "line", "lines"));
      out += SourceHtml(places_, file) + "</details>\n";
    }
    return out + "</section>\n";
  }

  const Catalogue& catalogue_;
  const ProgramGraph& graph_;
  const PagePlaces places_;
  std::vector<CatalogueGroup> groups_;
};

}  // namespace

std::string CataloguePage(const Catalogue& catalogue, const ProgramGraph& graph) {
  return CatalogueWriter(catalogue, graph).Write();
}

}  // namespace rpl
