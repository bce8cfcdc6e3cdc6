// SPDX-License-Identifier: Apache-2.0
#include "shell/program/guard_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>

#include "checks/guard/policy_image.h"
#include "formats/data/json_fields.h"
#include "runtime/tools/tool_agent.h"
#include "shell/program/program_files.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"
#include "shell/terminal/state_file.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLeastKeptBytes = std::size_t{8} << 10;

// `clean`: whether there are no findings at all.
std::optional<Policy> PolicyOf(const std::string& name, const std::string& text, std::ostream& err,
                               bool keeps_history = true, bool* clean = nullptr) {
  Sources sources;
  Diagnostics found;
  std::optional<Policy> policy = ReadPolicy(sources, sources.Add(name, text), found, keeps_history);
  PrintDiagnostics(found.all(), sources, err);
  if (clean != nullptr) *clean = found.all().empty();
  return policy;
}

// The text of a file; nullopt after a message on standard error.
std::optional<std::string> TextOf(const std::string& path) {
  Input input = ReadFile(path);
  if (input.error.empty()) return std::move(input.text);
  Complain(path, input.error);
  return std::nullopt;
}

void Warn(const std::string& line) { std::cerr << "warning: " << Printable(line) << '\n'; }

// Whether something is set that a program's own guards use.
bool IsSetUp(const GuardOptions& options, const ToolConfig& config) {
  return !config.guard_json.is_null() || !options.organisation_zone.empty() ||
         !options.store.empty() || !options.audit.empty();
}

}  // namespace

std::string StoreOption(const GuardOptions& options) {
  return options.store.empty() ? "" : " --store " + AsShellWord(options.store);
}

std::string StoreOptionAnywhere(GuardOptions options) {
  std::error_code error;
  if (!options.store.empty())
    if (const auto path = std::filesystem::absolute(options.store, error); !error)
      options.store = path.lexically_normal();
  return StoreOption(options);
}

GuardAgent AgentFor(const GuardOptions& options, const GuardConfig& config) {
  GuardAgent agent = config.agent;
  if (!options.agent.empty()) agent.slug = options.agent;
  if (!options.organisation_zone.empty()) agent.organisation_zone = options.organisation_zone;
  if (!options.on_missing.empty()) agent.on_missing = EffectNamed(options.on_missing);
  return agent;
}

PolicyFile ReadPolicyFile(const std::string& path, bool keeps_history) {
  PolicyFile out;
  std::optional<std::string> text = TextOf(path);
  if (!text) {
    out.code = kExitFile;
    return out;
  }
  out.text = std::move(*text);
  out.policy = PolicyOf(path, out.text, std::cerr, keeps_history);
  if (!out.policy) out.code = kExitInvalid;
  return out;
}

PolicyFile ReadPolicyFile(const std::string& path, GuardStore& store) {
  PolicyFile out;
  std::optional<std::string> text = TextOf(path);
  if (!text) {
    out.code = kExitFile;
    return out;
  }
  out.text = std::move(*text);
  // Opening the store takes as long as reading a smaller one.
  const bool keeps = store.keeps() && out.text.size() >= kLeastKeptBytes;
  const std::string name = keeps ? PolicyImageName(out.text, RPL_VERSION) : "";
  if (keeps)
    if (const auto image = store.PolicyImage(name)) out.policy = PolicyOfImage(*image);
  if (out.policy) return out;
  bool clean = false;
  out.policy = PolicyOf(path, out.text, std::cerr, store.keeps(), &clean);
  if (!out.policy) out.code = kExitInvalid;
  if (out.policy && clean && keeps) store.KeepPolicyImage(name, PolicyImage(*out.policy));
  return out;
}

GuardConfigFile ReadGuardConfigFile(const std::string& path) {
  GuardConfigFile out;
  std::optional<std::string> text = TextOf(path);
  if (!text) {
    out.code = kExitFile;
    return out;
  }
  Sources sources;
  Diagnostics found;
  const std::uint32_t file = sources.Add(path, std::move(*text));
  std::optional<ToolConfig> config = ReadToolConfig(sources, file, FolderOf(path), found);
  PrintDiagnostics(found.all(), sources, std::cerr);
  if (config) out.config = std::move(config->guard);
  else out.code = kExitInvalid;
  return out;
}

std::string StorePath(const GuardOptions& options, const std::string& agent) {
  if (!options.store.empty()) return options.store;
  std::string name;
  for (const char c : agent) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    name += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  if (name.empty()) name = "%";  // no agent's
  const std::string path = StateFile("guard/" + name + ".db");
  std::error_code ignored;
  if (!path.empty())
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return path;
}

std::vector<std::string> StorePaths(const GuardOptions& options) {
  if (!options.store.empty()) return {options.store};
  std::vector<std::string> out;
  std::error_code error;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator(StateFile("guard"), error))
    if (entry.path().extension() == ".db") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::unique_ptr<GateSetup> MakeGateSetup(const GuardOptions& options, ToolSetup& tools,
                                         ExitCode& code) {
  code = kExitOk;
  const ToolConfig& config = tools.config();
  const bool has_policy = !options.policy.empty();
  if (!has_policy && !IsSetUp(options, config)) return nullptr;
  auto setup = std::make_unique<GateSetup>();
  setup->config = config.guard;
  setup->agent = AgentFor(options, config.guard);
  std::string store = options.store;
  ordered_json& record = setup->record = ordered_json::object();
  if (has_policy) {
    PolicyFile file = ReadPolicyFile(options.policy);
    if (!file.policy) {
      code = file.code;
      return nullptr;
    }
    setup->guard = std::make_shared<Guard>(std::move(*file.policy), setup->agent);
    setup->policy_name = options.policy;
    store = StorePath(options, setup->agent.slug);
    record["policy"] = {{"name", options.policy}, {"text", file.text}};
  }
  if (!store.empty()) setup->store = GuardStore(store, setup->agent.slug);
  setup->audit = options.audit;
  setup->store.RecordAnswersIn(options.audit);
  setup->audit_required = options.audit_required;
  setup->run = [&tools](const GuardCommand& command, const ordered_json& input) {
    return tools.RunForGuard(command, input);
  };
  setup->warn = Warn;
  if (has_policy || !config.guard_json.is_null()) record["config"] = config.guard_json;
  record["agent"] = options.agent;
  if (has_policy || !options.organisation_zone.empty())
    record["organisationTimezone"] = options.organisation_zone;
  if (has_policy || !store.empty()) record["store"] = store;
  record["audit"] = options.audit;
  record["auditRequired"] = options.audit_required;
  if (!options.on_missing.empty()) record["onMissing"] = options.on_missing;
  return setup;
}

GuardOptions GuardOptionsFrom(const ordered_json& record) {
  GuardOptions options;
  if (!record.is_object()) return options;
  options.policy = TextAt(record.value("policy", ordered_json::object()), "name");
  options.agent = TextAt(record, "agent");
  options.organisation_zone = TextAt(record, "organisationTimezone");
  options.on_missing = TextAt(record, "onMissing");
  options.store = TextAt(record, "store");
  // An agent's own store is found again.
  if (std::filesystem::path(options.store).parent_path() == StateFile("guard")) options.store = "";
  options.audit = TextAt(record, "audit");
  options.audit_required = FlagAt(record, "auditRequired");
  return options;
}

ExitCode StaysInTree(const std::string& session, const GuardOptions& guard) {
  const std::pair<const char*, const std::string*> kNamed[] = {
      {"--policy", &guard.policy}, {"--store", &guard.store}, {"--audit", &guard.audit}};
  for (const auto& [option, file] : kNamed) {
    if (file->empty() || IsInTree(session, *file)) continue;
    Complain(
        session,
        fmt::format("its guard uses `{}`, which is neither below its folder nor below this one",
                    *file),
        "name the policy again, with --policy, and the guard's other files");
    return kExitInvalid;
  }
  return kExitOk;
}

std::unique_ptr<GateSetup> GateSetupFrom(const ordered_json& record) {
  if (!record.is_object()) return nullptr;
  auto setup = std::make_unique<GateSetup>();
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file =
      sources.Add("guard", record.value("config", ordered_json::object()).dump());
  if (const auto root = ReadYaml(sources, file, ignored);
      root && root->kind == YamlNode::Kind::kMap)
    setup->config = ReadGuardConfig(*root, *root, "/", ignored);
  setup->agent = AgentFor(GuardOptionsFrom(record), setup->config);
  setup->record = record;
  if (!record.contains("policy")) return setup;
  const ordered_json policy = record.value("policy", ordered_json::object());
  // The findings of this policy were printed when it was first read.
  std::optional<Policy> read = PolicyOf(TextAt(policy, "name"), TextAt(policy, "text"), Nowhere());
  if (!read) return nullptr;
  setup->guard = std::make_shared<Guard>(std::move(*read), setup->agent);
  setup->policy_name = TextAt(policy, "name");
  return setup;
}

Sourced<ordered_json> RunGuardCommand(const GuardCommand& command, const std::string& folder,
                                      const ordered_json& input) {
  ToolCommand tool;
  tool.name = command.of;
  tool.argv = command.argv;
  tool.folder = tool.home = folder;
  tool.timeout = std::chrono::milliseconds(command.timeout_ms);
  CommandCall call{CallHash(command.of), &tool, ordered_json::array()};
  call.line = Dump(input);
  ToolRun run;
  run.interrupted = Interrupted;
  run.log = [](const std::string& of, const std::string& line) {
    std::cerr << "[" << PrintableLine(of) << "] " << Printable(line) << '\n';
  };
  ToolResult result = RunTools({call}, run).front();
  if (result.ok) return {std::move(result.result), ""};
  return {std::nullopt, result.message};
}

}  // namespace rpl
