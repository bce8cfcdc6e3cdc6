// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/policy.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "checks/guard/policy_fields.h"
#include "formats/data/json_tree.h"
#include "formats/glob.h"

namespace rpl {
namespace {

constexpr std::string_view kFileKeys[] = {"policy", "rules"};
constexpr std::string_view kPolicyKeys[] = {"id",   "name",    "description",   "enabled",
                                            "mode", "combine", "agentSelector", "onMissingDefault"};
constexpr std::string_view kModes[] = {"enforce", "shadow", "monitor"};
constexpr std::string_view kCombines[] = {"most_severe_wins"};
constexpr std::string_view kAgentKeys[] = {"anyOfSlugs", "anyOfTags"};
constexpr std::string_view kNewerAgentKeys[] = {"allOfTags"};
constexpr std::string_view kRuleKeys[] = {"id",       "policyId",  "priority", "enabled",  "name",
                                          "selector", "condition", "effect",   "onMissing"};
constexpr std::string_view kSelectorKeys[] = {"phase", "tool"};
constexpr std::string_view kPhases[] = {"tool.before", "tool.after"};
constexpr std::string_view kToolKeys[] = {"name", "tagsAll", "tagsAny"};
constexpr std::string_view kEffectKeys[] = {"type", "reason"};
constexpr std::string_view kEffectTypes[] = {"allow", "hitl", "block"};

// A list of rules or a single rule as the equivalent file {rules: […]}.
YamlNode AsFile(YamlNode root) {
  const bool rules = root.kind == YamlKind::kMap &&
                     (root.Find("rules") != nullptr || root.Find("policy") != nullptr);
  if (rules || (root.kind != YamlKind::kList && root.kind != YamlKind::kMap)) return root;
  YamlNode list;
  if (root.kind == YamlKind::kList) {
    list = std::move(root);
  } else {
    list.kind = YamlKind::kList;
    list.span = root.span;
    list.items.push_back(std::move(root));
  }
  YamlNode key;
  key.kind = YamlKind::kString;
  key.span = list.span;
  key.scalar = "rules";
  YamlNode file;
  file.kind = YamlKind::kMap;
  file.span = list.span;
  file.entries.push_back({std::move(key), std::move(list)});
  return file;
}

class PolicyReader {
 public:
  PolicyReader(const YamlNode& root, Diagnostics& found, bool keeps_history)
      : root_(root), fields_(root, found), keeps_history_(keeps_history) {}

  Policy File() {
    Policy policy;
    if (!fields_.IsMapOf(root_, kFileKeys)) return policy;
    if (const YamlNode* node = fields_.Optional(root_, "policy")) Settings(*node, policy);
    const YamlNode* rules = fields_.Require(root_, "rules", "`[]` for none");
    if (rules == nullptr || !fields_.IsList(*rules)) return policy;
    for (const YamlNode& rule : rules->items) policy.rules.push_back(Rule(rule));
    NameRules(*rules, policy);
    if (!keeps_history_ && policy.enabled) RefuseHistory(*rules, policy);
    return policy;
  }

 private:
  void Settings(const YamlNode& node, Policy& to) {
    if (!fields_.IsMapOf(node, kPolicyKeys)) return;
    for (const char* key : {"id", "name", "description"})
      if (const YamlNode* text = fields_.Optional(node, key)) fields_.Text(*text);
    if (const YamlNode* enabled = fields_.Optional(node, "enabled"))
      to.enabled = fields_.Truth(*enabled).value_or(true);
    if (fields_.Optional(node, "mode") != nullptr)
      to.enforced = fields_.WordAt(node, "mode", kModes) == 0;
    if (fields_.Optional(node, "combine") != nullptr) fields_.WordAt(node, "combine", kCombines);
    to.on_missing = fields_.EffectAt(node, "onMissingDefault");
    const YamlNode* agents = fields_.Optional(node, "agentSelector");
    if (agents == nullptr || !fields_.IsMapOf(*agents, kAgentKeys, kNewerAgentKeys)) return;
    if (const YamlNode* slugs = fields_.Optional(*agents, "anyOfSlugs"))
      to.agent_slugs = fields_.Texts(*slugs);
    if (const YamlNode* tags = fields_.Optional(*agents, "anyOfTags"))
      to.agent_tags = fields_.Texts(*tags);
  }

  GuardRule Rule(const YamlNode& node) {
    GuardRule rule;
    if (!fields_.IsMapOf(node, kRuleKeys)) return rule;
    rule.priority = fields_.NumberAt(node, "priority");
    if (const YamlNode* enabled = fields_.Require(node, "enabled"))
      rule.enabled = fields_.Truth(*enabled).value_or(true);
    rule.name = fields_.TextAt(node, "name");
    rule.id = fields_.OptionalTextAt(node, "id").value_or("");
    fields_.OptionalTextAt(node, "policyId");
    rule.on_missing = fields_.EffectAt(node, "onMissing");
    if (const YamlNode* selector = fields_.Require(node, "selector")) Selector(*selector, rule);
    if (const YamlNode* condition = fields_.Require(node, "condition"))
      rule.condition = ReadCondition(*condition, fields_);
    const YamlNode* effect = fields_.Require(node, "effect");
    if (effect == nullptr || !fields_.IsMapOf(*effect, kEffectKeys)) return rule;
    rule.effect = static_cast<Effect>(fields_.WordAt(*effect, "type", kEffectTypes));
    if (const YamlNode* reason = fields_.Optional(*effect, "reason"))
      rule.reason = fields_.Text(*reason).value_or("");
    return rule;
  }

  void Selector(const YamlNode& node, GuardRule& rule) {
    if (!fields_.IsMapOf(node, kSelectorKeys)) return;
    rule.phase =
        fields_.WordAt(node, "phase", kPhases) == 0 ? CallPhase::kBefore : CallPhase::kAfter;
    const YamlNode* tool = fields_.Optional(node, "tool");
    if (tool == nullptr) {
      fields_.Add(Code::kRuleNeverInPlay, node, "without `tool` the rule is never evaluated",
                  "write `\"tool\": {}` for every tool");
      return;
    }
    rule.tool.emplace();
    if (!fields_.IsMapOf(*tool, kToolKeys)) return;
    if (const YamlNode* names = fields_.Optional(*tool, "name"))
      rule.tool->names = fields_.Texts(*names, true);
    if (const YamlNode* tags = fields_.Optional(*tool, "tagsAll"))
      rule.tool->tags_all = fields_.Texts(*tags);
    if (const YamlNode* tags = fields_.Optional(*tool, "tagsAny"))
      rule.tool->tags_any = fields_.Texts(*tags);
  }

  // Gives an id to each rule without one. Reviews are stored under the ids, so these are unique:
  // the name, with a number if other rules have it.
  void NameRules(const YamlNode& rules, Policy& policy) {
    std::unordered_map<std::string, std::size_t> rules_of;  // by name
    std::unordered_set<std::string> ids;
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
      const GuardRule& rule = policy.rules[i];
      if (rule.id.empty()) ++rules_of[rule.name];
      else if (!ids.insert(rule.id).second)
        fields_.Wrong(*rules.items[i].Find("id"), "`" + rule.id + "` is the id of an earlier rule",
                      "give each rule an id of its own");
    }
    std::unordered_map<std::string, std::size_t> numbers;
    for (GuardRule& rule : policy.rules) {
      if (!rule.id.empty()) continue;
      rule.id = rule.name;
      const bool shared = rules_of[rule.name] > 1 || ids.contains(rule.name);
      while (shared && (ids.contains(rule.id) || rules_of.contains(rule.id)))
        rule.id = rule.name + "#" + std::to_string(++numbers[rule.name]);
    }
  }

  void RefuseHistory(const YamlNode& rules, const Policy& policy) {
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
      const GuardRule& rule = policy.rules[i];
      if (!rule.enabled || !rule.tool || !ReadsHistory(rule.condition)) continue;
      fields_.Add(Code::kHistoryNotKept, *rules.items[i].Find("condition"),
                  "it depends on earlier calls, and nothing keeps them",
                  "name a store that keeps them: `--store FILE`");
    }
  }

  const YamlNode& root_;
  PolicyFields fields_;
  bool keeps_history_;
};

}  // namespace

std::optional<YamlNode> PolicyTree(const Sources& sources, std::uint32_t file, Diagnostics& found) {
  std::optional<YamlNode> root = ReadJsonTree(sources, file, kPolicyLimits);
  if (!root) root = ReadYaml(sources, file, found, kPolicyLimits);
  if (root) root = AsFile(std::move(*root));
  return root;
}

std::optional<Policy> ReadPolicy(const Sources& sources, std::uint32_t file, Diagnostics& found,
                                 bool keeps_history) {
  Diagnostics mine;
  Policy policy;
  if (const std::optional<YamlNode> tree = PolicyTree(sources, file, mine))
    policy = PolicyReader(*tree, mine, keeps_history).File();
  mine.Sort();
  for (const Diagnostic& d : mine.all()) found.Add(d.code, d.span, d.message, d.hint);
  if (mine.has_errors()) return std::nullopt;
  return policy;
}

bool Selects(const ToolSelector& selector, const std::string& tool,
             const std::vector<std::string>& tags) {
  const auto has = [&](const std::string& tag) { return HasTag(tags, tag); };
  return (selector.names.empty() || AnyGlobMatches(selector.names, tool)) &&
         std::all_of(selector.tags_all.begin(), selector.tags_all.end(), has) &&
         (selector.tags_any.empty() ||
          std::any_of(selector.tags_any.begin(), selector.tags_any.end(), has));
}

}  // namespace rpl
