// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/coverage_page.h"

#include <fmt/format.h>

#include <map>

#include "shell/pages/html.h"
#include "shell/pages/page_assets.h"  // generated
#include "shell/pages/source_page.h"

namespace rpl {
namespace {

std::map<std::size_t, LineMark> MarksOf(const CoverageFile& file) {
  std::map<std::size_t, LineMark> out;
  for (const CoveragePart& part : file.parts) {
    const char* const style = part.lacks.empty() ? "good" : "bad";
    const auto [at, is_new] = out.try_emplace(part.line, LineMark{style, ""});
    LineMark& mark = at->second;
    if (mark.style != style) mark.style = "some";
    if (!part.lacks.empty()) mark.note += (mark.note.empty() ? "" : "; ") + part.lacks;
  }
  return out;
}

std::string Tallies(const CoverageFile& file) {
  std::string out;
  for (const std::string& tally : file.tallies) out += (out.empty() ? "" : ", ") + tally;
  return out;
}

// The parts that did nothing, each with a link to its line.
std::string Lacking(const CoverageFile& file, const PagePlaces& places, std::uint32_t number) {
  std::string out;
  for (const CoveragePart& part : file.parts) {
    if (part.lacks.empty()) continue;
    const std::string line = std::to_string(part.line);
    const std::string place = file.text.empty()
                                  ? line
                                  : fmt::format("<a class=\"place\" href=\"#{}\">line {}</a>",
                                                places.LineId(number, part.line), line);
    out += fmt::format("<li>{} {}</li>\n", place, Shown(part.lacks));
  }
  return out.empty() ? "" : "<ul class=\"lacking\">\n" + out + "</ul>\n";
}

}  // namespace

std::string CoveragePage(const std::vector<CoverageFile>& files, double percent) {
  Sources sources;
  for (const CoverageFile& file : files) sources.Add(file.name, file.text);
  const PagePlaces places(sources, static_cast<std::uint32_t>(files.size()), 1);
  const std::string title = fmt::format("Coverage {:.1f} %", percent);
  std::string out = PageBegin(title, kPageStyle, kPageScript);
  out += fmt::format(
      "<main>\n<header>\n<h1>{}</h1>\n<p class=\"lede\">A part of a protocol is covered if it did "
      "something in a test: a rule or a branch had a result, a heading was active, a constraint "
      "was "
      "violated.</p>\n<ul class=\"key\"><li class=\"good\">covered</li><li "
      "class=\"some\">covered in part</li><li class=\"bad\">not covered</li></ul>\n</header>\n",
      title);
  if (files.empty()) out += "<p class=\"note\">No test loads a protocol.</p>\n";
  std::uint32_t number = 0;
  for (const CoverageFile& file : files) {
    out += fmt::format(
        "<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n<p "
        "class=\"sub\">{2:.1f} %: {3}</p>\n{4}",
        places.FileId(number), "<code>" + Shown(file.name) + "</code>", file.percent, Tallies(file),
        Lacking(file, places, number));
    out += file.text.empty() ? "<p class=\"note\">The file cannot be read any more.</p>\n"
                             : SourceHtml(places, number, MarksOf(file));
    out += "</section>\n";
    ++number;
  }
  return out + "</main>\n" + PageEnd(kPageScript);
}

}  // namespace rpl
