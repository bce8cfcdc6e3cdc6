// SPDX-License-Identifier: Apache-2.0
#include "shell/script/script_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "formats/terminal_text.h"
#include "shell/host/input.h"
#include "shell/script/markup.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr PartKind kPartKinds[] = {PartKind::kRule, PartKind::kHeading, PartKind::kBranch,
                                   PartKind::kConstraint};

double PercentOf(const ScriptCoverage::Tally& tally) {
  if (tally.parts == 0) return 100;
  return std::floor(1000.0 * static_cast<double>(tally.covered) /
                    static_cast<double>(tally.parts)) /
         10;
}

std::string_view Plural(PartKind kind) {
  switch (kind) {
    case PartKind::kRule: return "rules";
    case PartKind::kHeading: return "headings";
    case PartKind::kBranch: return "branches";
    case PartKind::kConstraint: return "constraints";
  }
  return "";
}

// What a part that is not covered never did.
std::string_view Lacks(PartKind kind) {
  switch (kind) {
    case PartKind::kRule: return "rule without a result";
    case PartKind::kHeading: return "heading never active";
    case PartKind::kBranch: return "branch without a result";
    case PartKind::kConstraint: return "constraint never violated";
  }
  return "";
}

constexpr std::string_view kCoverageStyle =
    "body{font:1rem/1.5 system-ui,sans-serif;margin:1rem 2rem;color:#1c2127;background:#fff}"
    "table{border-collapse:collapse}th,td{text-align:left;padding:.1rem .8rem;"
    "border-bottom:1px solid #d5d9de}pre{line-height:1.4;margin:.5rem 0}"
    "pre span{display:block;white-space:pre-wrap}i{font-style:normal;color:#59636e;"
    "display:inline-block;min-width:3.5rem}.good{background:#e0f3e4}.bad{background:#fbe5e3}"
    ".part{background:#fbefd0}"
    "@media(prefers-color-scheme:dark){body{color:#e4e7eb;background:#14171b}"
    "th,td{border-color:#363d46}i{color:#9aa4af}.good{background:#173521}"
    ".bad{background:#45201e}.part{background:#3b2f12}}";

}  // namespace

ordered_json CoverageJson(const Program& program, const Profile& profile,
                          const std::set<std::string>& files) {
  ordered_json out = ordered_json::array();
  for (const CoveredPart& part : CoverageOf(program, profile)) {
    const std::string& file = program.sources().at(part.place.file).name;
    if (!files.contains(file)) continue;
    out.push_back({{"file", file},
                   {"line", program.sources().PlaceOf(part.place.file, part.place.begin).line},
                   {"begin", part.place.begin},
                   {"kind", static_cast<int>(part.kind)},
                   {"text", part.text},
                   {"count", part.count}});
  }
  return out;
}

void ScriptCoverage::Add(const ordered_json& found) {
  for (const ordered_json& part : found)
    files_[part.at("file")][{part.at("line"), part.at("begin"),
                             static_cast<PartKind>(part.at("kind").get<int>()), part.at("text")}] +=
        part.at("count").get<std::uint64_t>();
}

ScriptCoverage::Tally ScriptCoverage::TallyOf(const Parts& parts, const PartKind* kind) {
  Tally tally;
  for (const auto& [key, count] : parts) {
    if (kind != nullptr && key.kind != *kind) continue;
    ++tally.parts;
    tally.covered += count > 0 ? 1 : 0;
  }
  return tally;
}

double ScriptCoverage::Percent() const {
  Tally all;
  for (const auto& [file, parts] : files_) {
    const Tally tally = TallyOf(parts);
    all.covered += tally.covered;
    all.parts += tally.parts;
  }
  return PercentOf(all);
}

std::string ScriptCoverage::Text() const {
  std::string out;
  for (const auto& [file, parts] : files_) {
    out += PrintableLine(file) + ":";
    for (const PartKind kind : kPartKinds) {
      const Tally tally = TallyOf(parts, &kind);
      if (tally.parts > 0)
        out += fmt::format(" {} {}/{},", Plural(kind), tally.covered, tally.parts);
    }
    out += fmt::format(" {:.1f} %\n", PercentOf(TallyOf(parts)));
    for (const auto& [key, count] : parts)
      if (count == 0)
        out += fmt::format("  {}:{}: {}: {}\n", PrintableLine(file), key.line, Lacks(key.kind),
                           PrintableLine(key.text));
  }
  if (files_.empty()) return "no script loads a protocol with LOAD\n";
  return out + fmt::format("coverage {:.1f} %\n", Percent());
}

std::string ScriptCoverage::Html() const {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Coverage "
      "{0:.1f} %</title>\n<style>{1}</style></head><body>\n<h1>Coverage {0:.1f} %</h1>\n<table>"
      "<tr><th>file<th>rules<th>headings<th>branches<th>constraints<th>all</tr>\n",
      Percent(), kCoverageStyle);
  std::size_t number = 0;
  for (const auto& [file, parts] : files_) {
    out += fmt::format("<tr><td><a href=\"#f{}\">{}</a>", ++number, MarkupText(file));
    for (const PartKind kind : kPartKinds) {
      const Tally tally = TallyOf(parts, &kind);
      out += fmt::format("<td>{}/{}", tally.covered, tally.parts);
    }
    out += fmt::format("<td>{:.1f} %</tr>\n", PercentOf(TallyOf(parts)));
  }
  out += "</table>\n";
  number = 0;
  for (const auto& [file, parts] : files_) {
    out += fmt::format("<h2 id=\"f{}\">{}</h2>\n<pre>", ++number, MarkupText(file));
    const std::string text = ReadFile(file).text;
    auto part = parts.begin();
    std::uint32_t line = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      ++line;
      std::size_t covered = 0;
      std::size_t lacking = 0;
      std::string why;
      for (; part != parts.end() && part->first.line <= line; ++part) {
        ++(part->second > 0 ? covered : lacking);
        if (part->second == 0)
          why += fmt::format("{}: {}\n", Lacks(part->first.kind), part->first.text);
      }
      const char* const style = covered + lacking == 0 ? ""
                                : lacking == 0         ? "good"
                                : covered == 0         ? "bad"
                                                       : "part";
      out += fmt::format("<span class=\"{}\" title=\"{}\"><i>{}</i>{}</span>", style,
                         MarkupText(why), line, MarkupText(text.substr(at, end - at)));
      at = end + 1;
    }
    out += "</pre>\n";
  }
  return out + "</body></html>\n";
}

std::string ScriptCoverage::Lcov() const {
  std::string out;
  for (const auto& [file, parts] : files_) {
    out += "TN:\nSF:" + PrintableLine(file) + "\n";
    std::map<std::uint32_t, std::uint64_t> lines;  // the least count of a part that stands there
    std::map<std::uint32_t, std::size_t> numbers;  // of branches
    Tally branches;
    for (const auto& [key, count] : parts) {
      if (key.kind != PartKind::kBranch) {
        const auto [at, is_new] = lines.try_emplace(key.line, count);
        if (!is_new) at->second = std::min(at->second, count);
        continue;
      }
      out += fmt::format("BRDA:{},0,{},{}\n", key.line, numbers[key.line]++, count);
      ++branches.parts;
      branches.covered += count > 0 ? 1 : 0;
    }
    out += fmt::format("BRF:{}\nBRH:{}\n", branches.parts, branches.covered);
    std::size_t hit = 0;
    for (const auto& [line, count] : lines) {
      out += fmt::format("DA:{},{}\n", line, count);
      hit += count > 0 ? 1 : 0;
    }
    out += fmt::format("LF:{}\nLH:{}\nend_of_record\n", lines.size(), hit);
  }
  return out;
}

ordered_json ScriptCoverage::Json() const {
  ordered_json files = ordered_json::array();
  for (const auto& [file, parts] : files_) {
    ordered_json of_file = ordered_json::array();
    for (const auto& [key, count] : parts)
      of_file.push_back(
          {{"kind", PartName(key.kind)}, {"line", key.line}, {"text", key.text}, {"count", count}});
    files.push_back({{"file", file}, {"parts", std::move(of_file)}});
  }
  return {{"percent", Percent()}, {"files", std::move(files)}};
}

}  // namespace rpl
