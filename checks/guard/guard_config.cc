// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/guard_config.h"

#include <algorithm>
#include <filesystem>

#include "checks/guard/policy_fields.h"
#include "checks/guard/zone.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kConfigKeys[] = {
    "agent", "organisationTimezone", "onMissing", "user", "tools", "signals", "subjects"};
constexpr std::string_view kSelfKeys[] = {"slug", "tags"};
constexpr std::string_view kToolEntryKeys[] = {"name", "tags", "params"};
constexpr std::string_view kCommandKeys[] = {"command", "timeoutMs"};
constexpr std::int64_t kMaxTimeout = 60'000;

constexpr const char* kZoneHint = "write a name of the IANA database, such as Europe/Berlin";

class Reader {
 public:
  Reader(const YamlNode& root, const std::string& folder, Diagnostics& found)
      : folder_(folder), fields_(root, found) {}

  GuardConfig Read(const YamlNode& node) {
    GuardConfig config;
    if (!fields_.IsMapOf(node, kConfigKeys)) return config;
    if (const YamlNode* agent = fields_.Optional(node, "agent");
        agent != nullptr && fields_.IsMapOf(*agent, kSelfKeys)) {
      config.agent.slug = fields_.OptionalTextAt(*agent, "slug").value_or("");
      if (const YamlNode* tags = fields_.Optional(*agent, "tags"))
        config.agent.tags = fields_.Texts(*tags);
    }
    if (const std::optional<std::string> zone =
            fields_.OptionalTextAt(node, "organisationTimezone")) {
      config.agent.organisation_zone = *zone;
      if (!zone->empty() && !LocalTimeAt(0, *zone))
        fields_.Wrong(*fields_.Optional(node, "organisationTimezone"),
                      "no time zone is named `" + *zone + "`", kZoneHint);
    }
    config.agent.on_missing = fields_.EffectAt(node, "onMissing");
    if (const YamlNode* user = fields_.Optional(node, "user")) {
      std::string error;
      config.user = ReadEndUser(JsonOf(*user), error);
      if (!error.empty()) fields_.Wrong(*user, error);
    }
    ForEach(node, "tools", [&](const std::string& label, const YamlNode& tool) {
      config.tools.push_back(Tool(label, tool));
    });
    ForEach(node, "signals", [&](const std::string& key, const YamlNode& command) {
      config.signals.push_back(Command(key, command));
    });
    ForEach(node, "subjects", [&](const std::string& tool, const YamlNode& command) {
      config.subjects.push_back(Command(tool, command));
    });
    return config;
  }

 private:
  template <typename Fn>
  void ForEach(const YamlNode& node, std::string_view key, Fn&& fn) {
    const YamlNode* map = fields_.Optional(node, key);
    if (map == nullptr || !fields_.IsMap(*map)) return;
    for (const auto& [name, value] : map->entries)
      fn(name.scalar.template get<std::string>(), value);
  }

  GuardTool Tool(const std::string& label, const YamlNode& node) {
    GuardTool tool;
    tool.label = tool.name = label;
    if (!fields_.IsMapOf(node, kToolEntryKeys)) return tool;
    tool.name = fields_.OptionalTextAt(node, "name").value_or(label);
    if (const YamlNode* tags = fields_.Optional(node, "tags")) tool.tags = fields_.Texts(*tags);
    if (const YamlNode* params = fields_.Optional(node, "params"))
      tool.params = fields_.Texts(*params);
    return tool;
  }

  GuardCommand Command(const std::string& of, const YamlNode& node) {
    GuardCommand command;
    command.of = of;
    if (!fields_.IsMapOf(node, kCommandKeys)) return command;
    command.argv = fields_.TextsAt(node, "command");
    if (!command.argv.empty() && command.argv.front().find('/') != std::string::npos)
      command.argv.front() =
          (std::filesystem::path(folder_) / command.argv.front()).lexically_normal();
    if (fields_.Optional(node, "timeoutMs") != nullptr)
      command.timeout_ms = fields_.WholeAt(node, "timeoutMs", 1, kMaxTimeout);
    return command;
  }

  const std::string& folder_;
  PolicyFields fields_;
};

const GuardCommand* FindCommand(const std::vector<GuardCommand>& commands, const std::string& of) {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const GuardCommand& command) { return command.of == of; });
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace

const GuardTool* GuardConfig::FindTool(const std::string& label) const {
  for (const GuardTool& tool : tools)
    if (tool.label == label) return &tool;
  for (const GuardTool& tool : tools)
    if (tool.name == label) return &tool;
  return nullptr;
}

const GuardCommand* GuardConfig::FindSignal(const std::string& key) const {
  return FindCommand(signals, key);
}

const GuardCommand* GuardConfig::FindSubjects(const std::string& tool) const {
  return FindCommand(subjects, tool);
}

GuardConfig ReadGuardConfig(const YamlNode& root, const YamlNode& guard, const std::string& folder,
                            Diagnostics& found) {
  return Reader(root, folder, found).Read(guard);
}

Sourced<std::vector<Subject>> ReadSubjects(const ordered_json& json) {
  const char* const wrong = "expected a list of subjects, {\"subjectType\", \"value\"}";
  std::vector<Subject> out;
  if (!json.is_array()) return {std::nullopt, wrong};
  for (const ordered_json& one : json) {
    const auto text = [&](const char* key) -> std::optional<std::string> {
      const auto at = one.find(key);
      if (at == one.end() || !at->is_string()) return std::nullopt;
      return at->get<std::string>();
    };
    if (!one.is_object() || !text("subjectType") || !text("value")) return {std::nullopt, wrong};
    out.push_back({*text("subjectType"), *text("value"), text("role"), text("idSystem")});
  }
  return {out, ""};
}

std::optional<EndUser> ReadEndUser(const ordered_json& json, std::string& error) {
  if (json.is_null()) return std::nullopt;
  EndUser user;
  if (!json.is_object()) {
    error = "expected an end user, {\"externalId\", \"metadata\"}";
    return std::nullopt;
  }
  for (const auto& [key, value] : json.items()) {
    if (key == "externalId" && value.is_string()) user.id = value.get<std::string>();
    else if (key == "metadata" && value.is_object()) user.tags = value;
    else if (key != "group") error = "expected `externalId`, a text, `metadata`, a map, or `group`";
  }
  return user;
}

}  // namespace rpl
