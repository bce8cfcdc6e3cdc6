// SPDX-License-Identifier: Apache-2.0
#include "shell/script/script_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "formats/terminal_text.h"
#include "shell/pages/coverage_page.h"

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
  for (const CoverageFile& file : Files()) {
    const std::string name = PrintableLine(file.name);
    out += name + ":";
    for (const std::string& tally : file.tallies) out += " " + tally + ",";
    out += fmt::format(" {:.1f} %\n", file.percent);
    for (const CoveragePart& part : file.parts)
      if (!part.lacks.empty())
        out += fmt::format("  {}:{}: {}\n", name, part.line, PrintableLine(part.lacks));
  }
  if (files_.empty()) return "no script loads a protocol with LOAD\n";
  return out + fmt::format("coverage {:.1f} %\n", Percent());
}

std::vector<CoverageFile> ScriptCoverage::Files() const {
  std::vector<CoverageFile> out;
  for (const auto& [name, parts] : files_) {
    CoverageFile file{name, "", {}, PercentOf(TallyOf(parts)), {}};
    for (const PartKind kind : kPartKinds)
      if (const Tally tally = TallyOf(parts, &kind); tally.parts > 0)
        file.tallies.push_back(fmt::format("{} {}/{}", Plural(kind), tally.covered, tally.parts));
    for (const auto& [part, count] : parts)
      file.parts.push_back(
          {part.line, count > 0 ? "" : fmt::format("{}: {}", Lacks(part.kind), part.text)});
    out.push_back(std::move(file));
  }
  return out;
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
