// SPDX-License-Identifier: Apache-2.0
//
// The set stores its texts; each evaluation builds a RuleSet from them, so that no content leaves
// traces for the next.
#include "rpl/checks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "checks/verify/rules.h"
#include "embed/large_stack.h"
#include "embed/public_finding.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

struct Item {
  enum class Kind { kRulespec, kProgram, kHost };
  Kind kind;
  std::string name;
  std::string text;
  Checks::Rule rule;
};

constexpr const char* kMovedFrom = "the set was moved from";

std::string Dumped(const ordered_json& json) { return DumpJson(json); }

HostRule HostRuleOf(const Checks::Rule& rule) {
  HostRule host;
  host.info.name = rule.name;
  host.info.description = rule.description;
  host.info.severity = OwnSeverity(rule.severity);
  host.evaluate = [&rule](const ordered_json& content) {
    const Checks::Result from = rule.evaluate(Dumped(content));
    CheckResult result;
    result.passed = from.passed;
    result.message = from.message;
    result.metadata = ordered_json::parse(from.metadata, nullptr, false);
    if (!result.metadata.is_object()) throw std::runtime_error("its metadata is no JSON object");
    return result;
  };
  return host;
}

// Borrows the items; false if the name of a host rule is taken.
bool Fill(RuleSet& set, Sources& sources, const std::vector<Item>& items, Diagnostics& found) {
  bool names_free = true;
  for (const Item& item : items) {
    switch (item.kind) {
      case Item::Kind::kRulespec: set.AddRulespec(sources.Add(item.name, item.text), found); break;
      case Item::Kind::kProgram: set.AddProgram(item.name, item.text, found); break;
      case Item::Kind::kHost: names_free = set.AddHost(HostRuleOf(item.rule)) && names_free; break;
    }
  }
  set.Settle(found);
  return names_free;
}

}  // namespace

struct Checks::State {
  std::shared_ptr<const std::vector<Item>> items = std::make_shared<std::vector<Item>>();
  std::vector<Info> infos;
  bool evaluates = false;

  // Adds the item unless the set would then have errors; returns its findings.
  std::vector<Finding> Add(Item item, bool* added);
  Results Evaluate(const std::string& content, const std::string& only);
};

std::vector<Engine::Finding> Checks::State::Add(Item item, bool* added) {
  std::vector<Finding> out;
  std::vector<Item> with = *items;
  with.push_back(std::move(item));
  LargeStack().Run([&] {
    Sources sources;
    RuleSet set(sources);
    Diagnostics found;
    *added = Fill(set, sources, with, found) && !found.has_errors();
    out = FindingsOf(found.all(), sources);
    if (!*added) return;
    infos.clear();
    for (const RuleInfo& info : set.List())
      infos.push_back({info.name, info.description, PublicSeverity(info.severity)});
  });
  // Findings of earlier items were returned when those were added.
  const std::string name = with.back().name;
  if (*added) items = std::make_shared<std::vector<Item>>(std::move(with));
  std::erase_if(out, [&](const Finding& f) { return f.file != name; });
  return out;
}

Checks::Results Checks::State::Evaluate(const std::string& content, const std::string& only) {
  Results out;
  if (!ordered_json::accept(content)) {
    out.findings.push_back(ErrorIn("content", "expected JSON"));
    return out;
  }
  if (evaluates) {
    out.findings.push_back(ErrorIn("content", "a rule must not evaluate its own set"));
    return out;
  }
  evaluates = true;
  const std::shared_ptr<const std::vector<Item>> these = items;  // a rule of the host may add to it
  LargeStack().Run([&] {
    Sources sources;
    RuleSet set(sources);
    Diagnostics ignored;  // returned by AddRulespec and AddProgram
    Fill(set, sources, *these, ignored);
    RuleSet::Options options;
    options.only = only;
    const CheckReport report = set.Evaluate({"content", content, true}, options);
    out.findings = FindingsOf(report.findings, sources);
    for (const CheckResult& result : report.results)
      out.results.push_back({result.rule_name, result.passed, PublicSeverity(result.severity),
                             result.message, Dumped(result.metadata)});
  });
  evaluates = false;
  return out;
}

Checks::Checks() : state_(std::make_shared<State>()) {}
Checks::~Checks() = default;
Checks::Checks(Checks&& other) noexcept = default;
Checks& Checks::operator=(Checks&& other) noexcept = default;

std::vector<Engine::Finding> Checks::AddRulespec(const std::string& name, const std::string& text) {
  if (!state_) return {ErrorIn(name, kMovedFrom)};
  bool added = false;
  return state_->Add({Item::Kind::kRulespec, name, text, {}}, &added);
}

std::vector<Engine::Finding> Checks::AddProgram(const std::string& name, const std::string& text) {
  if (!state_) return {ErrorIn(name, kMovedFrom)};
  bool added = false;
  return state_->Add({Item::Kind::kProgram, name, text, {}}, &added);
}

bool Checks::Add(Rule rule) {
  bool added = false;
  if (state_) state_->Add({Item::Kind::kHost, "", "", std::move(rule)}, &added);
  return added;
}

std::vector<Checks::Info> Checks::List() const {
  return state_ ? state_->infos : std::vector<Info>();
}

std::optional<Checks::Info> Checks::Get(const std::string& name) const {
  for (const Info& info : List())
    if (info.name == name) return info;
  return std::nullopt;
}

Checks::Results Checks::Evaluate(const std::string& content) const {
  const std::shared_ptr<State> state = state_;  // which a rule of the host may take from the set
  return state ? state->Evaluate(content, "") : Results{{}, {ErrorIn("content", kMovedFrom)}};
}

Checks::Results Checks::Evaluate(const std::string& content, const std::string& name) const {
  if (!Get(name)) return {};
  const std::shared_ptr<State> state = state_;
  return state->Evaluate(content, name);
}

}  // namespace rpl
