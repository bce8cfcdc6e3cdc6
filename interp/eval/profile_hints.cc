// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/profile_hints.h"

#include <fmt/format.h>

#include <algorithm>

namespace rpl {
namespace {

using Link = Profile::Link;

// Thresholds of a hint: rows over all scans, and rows per scan.
constexpr std::uint64_t kManyRows = 10'000;
constexpr std::uint64_t kRowsEach = 16;

/// One clause of a rule, over all plans that scan its relation.
struct Scanned {
  const Profile::Read* most;  // in the plan where it read most rows
  std::uint64_t times = 0;
  std::uint64_t rows = 0;
};

std::vector<Scanned> ScannedIn(const Profile::Rule& rule) {
  std::vector<Scanned> out;
  for (const Profile::PlanCounts& plan : rule.plans)
    for (const Profile::Read& read : plan.reads) {
      if (read.link == Link::kBound || read.times == 0) continue;
      const auto same = std::find_if(out.begin(), out.end(), [&](const Scanned& other) {
        return other.most->place == read.place && other.most->clause == read.clause &&
               other.most->link == read.link;
      });
      Scanned& to = same != out.end() ? *same : out.emplace_back(Scanned{&read});
      if (read.rows > to.most->rows) to.most = &read;
      to.times += read.times;
      to.rows += read.rows;
    }
  return out;
}

std::string ForEach(const Profile::Read& read) {
  const std::vector<std::string>& before = read.before;
  if (before.empty()) return "call of the rule";
  if (before.size() == 1) return "row of `" + before.front() + "`";
  std::string all;
  for (const std::string& clause : before) all += (all.empty() ? "" : ", ") + clause;
  return "answer of `" + all + (read.more_before > 0 ? ", …`" : "`");
}

std::string HowMany(std::uint64_t times, std::uint64_t rows) {
  if (rows % times == 0) return Grouped(times) + " x " + Grouped(rows / times) + " rows";
  return fmt::format("{} times, {} rows in all", Grouped(times), Grouped(rows));
}

std::string Why(const Profile::Read& read) {
  switch (read.link) {
    case Link::kLater: return read.lvar + " is bound only later";
    case Link::kPattern: return read.lvar + " is known, but inside a pattern";
    case Link::kBound:
    case Link::kNothing: break;
  }
  return read.by.empty() ? "no lvar joins them" : "only `" + read.by + "` relates them";
}

std::string Help(const Profile::Read& read) {
  switch (read.link) {
    case Link::kLater: return "write `" + read.by + "` before `" + read.clause + "`";
    case Link::kPattern: return "give " + read.lvar + " a column of its own, which an index finds";
    case Link::kBound:
    case Link::kNothing: break;
  }
  return "";
}

}  // namespace

std::string Grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

std::string_view HintName(Link link) {
  return link == Link::kNothing ? "cross-product" : "unbound-join";
}

std::vector<ProfileHint> HintsOf(const Profile& profile) {
  std::vector<ProfileHint> out;
  for (const Profile::Rule& rule : profile.rules()) {
    if (rule.kind == Profile::Kind::kProof) continue;
    for (const Scanned& scanned : ScannedIn(rule)) {
      const auto& [read, times, rows] = scanned;
      if (times < 2 || rows < kManyRows || rows / times < kRowsEach) continue;
      out.push_back({read->link, read->place, rule.text, read->clause, times, rows,
                     fmt::format("{}: `{}` is read whole for each {}: {}", Why(*read), read->clause,
                                 ForEach(*read), HowMany(times, rows)),
                     Help(*read)});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ProfileHint& a, const ProfileHint& b) { return a.rows > b.rows; });
  return out;
}

}  // namespace rpl
