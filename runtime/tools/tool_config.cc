// SPDX-License-Identifier: Apache-2.0
//
// One function per map of the file, each with the table of its keys. After an error they continue
// with a default in place of the wrong value.
#include "runtime/tools/tool_config.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "formats/data/yaml_fields.h"
#include "formats/spelling.h"
#include "formats/sql_text.h"
#include "interp/program/builtin_tools.h"

namespace rpl {
namespace {

constexpr std::int64_t kMaxTimeout = 86'400'000;  // a day
constexpr std::int64_t kMaxOutputBytes = std::int64_t{64} << 20;
constexpr std::int64_t kMaxConcurrency = 64;

constexpr std::string_view kFileKeys[] = {"version", "concurrency", "tools",     "mcp",  "index",
                                          "write",   "guard",       "relations", "model"};
constexpr std::string_view kModelKeys[] = {
    "provider",       "url",       "model",      "key",        "command",
    "file",           "answers",   "attempts",   "budget",     "record",
    "maxOutputBytes", "timeoutMs", "permission", "environment"};
constexpr std::string_view kBudgetKeys[] = {"calls", "tokens", "seconds"};
constexpr std::string_view kMcpKeys[] = {"command",     "url",    "headers",
                                         "environment", "folder", "startMs"};
constexpr std::string_view kMcpToolKeys[] = {"mcp",       "tool",           "args",       "json",
                                             "timeoutMs", "maxOutputBytes", "permission", "rules"};
constexpr std::string_view kRelationKeys[] = {"from", "table", "query", "record", "push"};
constexpr std::string_view kIndexKeys[] = {"folders"};
constexpr std::string_view kWriteKeys[] = {"permission", "folder"};
constexpr std::string_view kToolKeys[] = {"command",        "timeoutMs",  "folder", "environment",
                                          "maxOutputBytes", "permission", "rules"};
constexpr std::string_view kRuleKeys[] = {"args", "permission"};
constexpr std::string_view kPatternKeys[] = {"any", "oneOf", "prefix"};

class ConfigReader {
 public:
  ConfigReader(const std::string& folder, Diagnostics& found) : folder_(folder), found_(found) {}

  ToolConfig File(const YamlNode& root) {
    ToolConfig config;
    if (!IsMap(root, "the configuration", kFileKeys)) return config;
    if (const YamlNode* version = Require(root, "version", "the configuration", "write it: 1"))
      if (version->scalar != 1)
        Wrong(*version, "expected `1` for `version`, got " + Described(*version));
    if (const YamlNode* n = root.Find("concurrency"))
      config.concurrency = static_cast<std::size_t>(Whole(*n, "concurrency", 1, kMaxConcurrency));
    if (const YamlNode* guard = root.Find("guard")) {
      config.guard = ReadGuardConfig(root, *guard, folder_, found_);
      config.guard_json = JsonOf(*guard);
    }
    if (const YamlNode* index = root.Find("index"); index && IsMap(*index, "`index`", kIndexKeys))
      if (const YamlNode* n = index->Find("folders"))
        for (const std::string& text : Texts(*n, "folders"))
          config.files.index_folders.push_back(Below(text));
    if (const YamlNode* relations = root.Find("relations")) Relations(*relations, config.files);
    if (const YamlNode* write = root.Find("write"); write && IsMap(*write, "`write`", kWriteKeys)) {
      if (const YamlNode* n = write->Find("permission")) config.files.write = Permission(*n);
      if (const YamlNode* n = write->Find("folder")) config.files.write_folder = Folder(*n);
    }
    if (const YamlNode* mcp = root.Find("mcp")) Servers(*mcp);
    if (const YamlNode* model = root.Find("model")) Model(*model, config);
    const YamlNode* tools = root.Find("tools");
    if (tools == nullptr) return config;
    if (tools->kind != YamlKind::kMap) {
      Wrong(*tools, "expected a map from names to tools for `tools`, got " + Described(*tools));
      return config;
    }
    for (const auto& [key, value] : tools->entries) config.tools.push_back(Tool(key, value));
    return config;
  }

 private:
  ToolCommand Tool(const YamlNode& key, const YamlNode& node) {
    ToolCommand tool;
    tool.name = key.scalar.get<std::string>();
    tool.folder = tool.home = folder_;
    CheckName(key, tool.name);
    const std::string what = "the tool `" + tool.name + "`";
    if (node.kind == YamlKind::kMap && node.Find("mcp") != nullptr) {
      if (!IsMap(node, what, kMcpToolKeys, &key)) return tool;
      ToolOfServer(node, what, key, tool);
    } else {
      if (!IsMap(node, what, kToolKeys, &key)) return tool;
      if (const YamlNode* n = node.Find("folder")) tool.folder = Folder(*n);
      if (const YamlNode* n = Require(node, "command", what, "", &key)) tool.argv = Command(*n);
    }
    if (const YamlNode* n = node.Find("timeoutMs"))
      tool.timeout = std::chrono::milliseconds(Whole(*n, "timeoutMs", 1, kMaxTimeout));
    if (const YamlNode* n = node.Find("environment")) tool.environment = Environment(*n);
    if (const YamlNode* n = node.Find("maxOutputBytes"))
      tool.max_output_bytes =
          static_cast<std::size_t>(Whole(*n, "maxOutputBytes", 1, kMaxOutputBytes));
    if (const YamlNode* n = node.Find("permission")) tool.permission = Permission(*n);
    if (const YamlNode* n = node.Find("rules")) {
      if (n->kind != YamlKind::kList)
        Wrong(*n, "expected a list for `rules`, got " + Described(*n));
      for (const YamlNode& rule : n->items) tool.rules.push_back(Rule(rule));
    }
    return tool;
  }

  void Servers(const YamlNode& node) {
    if (node.kind != YamlKind::kMap)
      return Wrong(node, "expected a map from names to servers for `mcp`, got " + Described(node));
    for (const auto& [key, value] : node.entries) {
      McpServer server = Server(key, value);
      servers_.push_back(std::make_shared<McpServer>(std::move(server)));
    }
  }

  McpServer Server(const YamlNode& key, const YamlNode& node) {
    McpServer server;
    server.name = key.scalar.get<std::string>();
    server.folder = folder_;
    const std::string what = "the server `" + server.name + "`";
    if (!IsMap(node, what, kMcpKeys, &key)) return server;
    const YamlNode* url = node.Find("url");
    if (url == nullptr) {
      if (const YamlNode* n = Require(node, "command", what, "or `url`", &key))
        server.argv = Command(*n);
    } else if (node.Find("command") != nullptr) {
      Wrong(*url, what + " has a `command`, so it has no `url`");
    } else {
      server.url = Text(*url, "url");
      if (!server.url.starts_with("http://") && !server.url.starts_with("https://"))
        Wrong(*url, "expected an address that begins with http:// or https://");
    }
    if (const YamlNode* n = node.Find("headers")) {
      if (n->kind != YamlKind::kMap)
        Wrong(*n, "expected a map for `headers`, got " + Described(*n));
      for (const auto& [name, value] : n->entries)
        server.headers.emplace_back(name.scalar.get<std::string>(), Text(value, "headers"));
    }
    if (const YamlNode* n = node.Find("folder")) server.folder = Folder(*n);
    if (const YamlNode* n = node.Find("environment")) server.environment = Environment(*n);
    if (const YamlNode* n = node.Find("startMs"))
      server.start = std::chrono::milliseconds(Whole(*n, "startMs", 1, kMaxTimeout));
    return server;
  }

  void ToolOfServer(const YamlNode& node, const std::string& what, const YamlNode& key,
                    ToolCommand& tool) {
    tool.mcp.emplace();
    const YamlNode& name = *node.Find("mcp");
    const std::string wanted = Text(name, "mcp");
    for (const auto& server : servers_)
      if (server->name == wanted) tool.mcp->server = server;
    if (tool.mcp->server == nullptr) Wrong(name, "there is no server `" + wanted + "` in `mcp`");
    else Borrow(*tool.mcp->server, tool);
    if (const YamlNode* n = Require(node, "tool", what, "its name on the server", &key))
      tool.mcp->tool = Text(*n, "tool");
    if (const YamlNode* n = node.Find("args")) {
      tool.mcp->has_args = true;
      tool.mcp->args = Texts(*n, "args");
    }
    if (const YamlNode* n = node.Find("json")) {
      if (!n->scalar.is_boolean())
        Wrong(*n, "expected `true` or `false` for `json`, got " + Shown(*n));
      else tool.mcp->json = n->scalar.get<bool>();
    }
  }

  // What a person approves: the command of the server, or its address with the names of its
  // headers' variables.
  static void Borrow(const McpServer& server, ToolCommand& tool) {
    tool.argv = server.argv;
    if (!server.url.empty()) tool.argv.push_back(server.url);
    for (const auto& [name, value] : server.headers) tool.argv.push_back(name + ": " + value);
    tool.folder = server.folder;
    tool.environment = server.environment;
  }

  void CheckName(const YamlNode& key, const std::string& name) {
    static const RE2 label(R"([a-z][a-z0-9]*(-[a-z0-9]+)*)");
    if (FindBuiltinTool(name) != nullptr && !IsFileTool(name)) {
      Wrong(key, "the tool `" + name + "` is built in");
    } else if (!RE2::FullMatch(name, label)) {
      const std::string bare = name.starts_with('$') ? name.substr(1) : Kebab(name);
      Wrong(key, "expected the name of a tool, got `" + name + "`",
            RE2::FullMatch(bare, label) ? "write `" + bare + "`" : "");
    }
  }

  std::string Folder(const YamlNode& node) { return Below(Text(node, "folder")); }

  std::string Below(const std::string& text) const {
    return (std::filesystem::path(folder_) / text).lexically_normal();
  }

  std::vector<std::string> Command(const YamlNode& node) {
    std::vector<std::string> argv = Texts(node, "command");
    if (node.kind == YamlKind::kList &&
        (node.items.empty() || argv.empty() || argv.front().empty()))
      Wrong(node, "expected a program as first word of `command`");
    if (!argv.empty() && argv.front().find('/') != std::string::npos)
      argv.front() = (std::filesystem::path(folder_) / argv.front()).lexically_normal();
    return argv;
  }

  std::vector<std::string> Environment(const YamlNode& node) {
    static const RE2 variable(R"([A-Za-z_][A-Za-z0-9_]*)");
    std::vector<std::string> names = Texts(node, "environment");
    for (const YamlNode& item : node.items)
      if (item.kind == YamlKind::kString &&
          !RE2::FullMatch(item.scalar.get<std::string>(), variable))
        Wrong(item, "expected the name of an environment variable, got `" +
                        item.scalar.get<std::string>() + "`");
    return names;
  }

  Permit Permission(const YamlNode& node) {
    if (node.scalar == "ask") return Permit::kAsk;
    if (node.scalar == "allow") return Permit::kAllow;
    if (node.scalar == "deny") return Permit::kDeny;
    Wrong(node, "expected `ask`, `allow` or `deny` for `permission`, got " + Shown(node));
    return Permit::kDeny;
  }

  ToolRule Rule(const YamlNode& node) {
    ToolRule rule;
    rule.permission = Permit::kDeny;
    if (!IsMap(node, "a rule", kRuleKeys)) return rule;
    if (const YamlNode* n = Require(node, "args", "a rule", "`args: []` fits every call")) {
      if (n->kind != YamlKind::kList) Wrong(*n, "expected a list for `args`, got " + Described(*n));
      for (const YamlNode& arg : n->items) rule.args.push_back(Pattern(arg));
    }
    if (const YamlNode* n = Require(node, "permission", "a rule", ""))
      rule.permission = Permission(*n);
    return rule;
  }

  ArgPattern Pattern(const YamlNode& node) {
    ArgPattern pattern;
    pattern.kind = ArgPattern::Kind::kOneOf;
    if (node.kind != YamlKind::kMap) {
      AddScalar(node, pattern);
      return pattern;
    }
    if (!IsMap(node, "a pattern", kPatternKeys)) return pattern;
    if (node.entries.size() != 1) {
      Wrong(node, "expected one of `any`, `oneOf` and `prefix` in a pattern");
      return pattern;
    }
    const auto& [key, value] = node.entries.front();
    if (key.scalar == "any") {
      pattern.kind = ArgPattern::Kind::kAny;
      if (value.scalar != true) Wrong(value, "expected `true` for `any`, got " + Shown(value));
    } else if (key.scalar == "prefix") {
      pattern.kind = ArgPattern::Kind::kPrefix;
      pattern.prefix = Text(value, "prefix");
    } else if (value.kind != YamlKind::kList) {
      Wrong(value, "expected a list for `oneOf`, got " + Described(value));
    } else {
      for (const YamlNode& item : value.items) AddScalar(item, pattern);
    }
    return pattern;
  }

  void AddScalar(const YamlNode& node, ArgPattern& pattern) {
    if (node.kind == YamlKind::kList || node.kind == YamlKind::kMap)
      Wrong(node, "expected a string, number, `true`, `false` or `null`, got " + Described(node));
    else pattern.values.push_back(node.scalar);
  }

  // --- the model --------------------------------------------------------------------------

  void Model(const YamlNode& node, ToolConfig& config) {
    if (!IsMap(node, "`model`", kModelKeys)) return;
    const YamlNode* provider = Require(node, "provider", "`model`",
                                       "it is `openai`, `anthropic`, `command` or `cassette`");
    if (provider == nullptr) return;
    NamedModel named = ModelNamed(Text(*provider, "provider") + ":x");
    if (!named.error.empty())
      return Wrong(*provider,
                   "expected `openai`, `anthropic`, `command` or `cassette` for "
                   "`provider`, got " +
                       Shown(*provider));
    ModelConfig& model = config.model = std::move(named.config);
    model.bounds.answers_all = false;
    model.folder = folder_;
    model.command.clear();
    model.model.clear();
    const bool http = !model.url.empty();
    const auto belongs = [&](const char* key, bool fits) {
      const YamlNode* value = node.Find(key);
      if (value != nullptr && !fits)
        Wrong(*value,
              fmt::format("a model by `{}` has no `{}`", ProviderName(model.provider), key));
      return fits ? value : nullptr;
    };
    const auto needs = [&](const char* key, bool fits) {
      return fits ? Require(node, key, "`model`", "") : belongs(key, false);
    };
    if (const YamlNode* n = belongs("url", http)) {
      model.url = Text(*n, "url");
      while (model.url.ends_with('/')) model.url.pop_back();
      if (!IsSafeAddress(model.url))
        Wrong(*n, "expected an address that begins with https://, or one of this machine",
              "as in `http://127.0.0.1:8080/v1`");
    }
    if (const YamlNode* n = needs("model", http)) model.model = Text(*n, "model");
    if (const YamlNode* n = belongs("key", http)) model.key = KeyVariable(*n);
    if (const YamlNode* n = needs("command", model.provider == ModelConfig::Provider::kCommand))
      model.command = Command(*n);
    if (const YamlNode* n = needs("file", model.provider == ModelConfig::Provider::kCassette))
      model.file = Below(Text(*n, "file"));
    if (const YamlNode* n = node.Find("answers")) {
      model.bounds.answers = Texts(*n, "answers");
      for (const YamlNode& item : n->items)
        if (item.kind == YamlKind::kString && !IsKeyOfQuestion(item.scalar.get<std::string>()))
          Wrong(item, "expected the key of a question, got " + Shown(item),
                "there are no patterns: each question is named");
    }
    if (const YamlNode* n = node.Find("environment")) model.environment = Environment(*n);
    if (const YamlNode* n = node.Find("attempts"))
      model.bounds.attempts = static_cast<std::size_t>(Whole(*n, "attempts", 1, 20));
    if (const YamlNode* n = node.Find("maxOutputBytes"))
      model.max_output_bytes =
          static_cast<std::size_t>(Whole(*n, "maxOutputBytes", 1, kMaxOutputBytes));
    if (const YamlNode* n = node.Find("timeoutMs"))
      model.timeout = std::chrono::milliseconds(Whole(*n, "timeoutMs", 1, kMaxTimeout));
    if (const YamlNode* n = node.Find("permission")) config.model_permission = Permission(*n);
    if (const YamlNode* n = node.Find("record")) {
      const std::string text = Text(*n, "record");
      if (n->kind == YamlKind::kString && text != "full" && text != "digest")
        Wrong(*n, "expected `full` or `digest` for `record`, got " + Shown(*n));
      model.bounds.full = text != "digest";
    }
    const YamlNode* budget = node.Find("budget");
    if (budget == nullptr || !IsMap(*budget, "`budget`", kBudgetKeys)) return;
    constexpr std::int64_t kMost = 1'000'000'000;
    if (const YamlNode* n = budget->Find("calls"))
      model.bounds.most_calls = static_cast<std::size_t>(Whole(*n, "calls", 1, kMost));
    if (const YamlNode* n = budget->Find("tokens"))
      model.bounds.most_tokens = static_cast<std::uint64_t>(Whole(*n, "tokens", 1, kMost));
    if (const YamlNode* n = budget->Find("seconds"))
      model.bounds.most_seconds = static_cast<std::uint64_t>(Whole(*n, "seconds", 1, kMost));
  }

  static bool IsKeyOfQuestion(const std::string& text) {
    static const re2::RE2 key(R"([a-z][a-z0-9]*(-[a-z0-9]+)*)");
    return re2::RE2::FullMatch(text, key);
  }

  // The value is never told back: it may be a key.
  std::string KeyVariable(const YamlNode& node) {
    static const re2::RE2 variable(R"([A-Z_][A-Z0-9_]{0,63})");
    const std::string text = node.kind == YamlKind::kString ? node.scalar.get<std::string>() : "";
    if (re2::RE2::FullMatch(text, variable)) return text;
    Wrong(node, "expected the name of a variable in capitals for `key`",
          "a key itself stands in no file: set the variable to it");
    return "";
  }

  // --- relations --------------------------------------------------------------------------

  void Relations(const YamlNode& node, FileConfig& to) {
    if (node.kind != YamlKind::kMap)
      return Wrong(node, "expected a map for `relations`, got " + Described(node));
    for (const auto& [key, value] : node.entries) {
      DatabaseRelation relation;
      relation.name = key.scalar.get<std::string>();
      const std::string what = "relation `" + relation.name + "`";
      static const re2::RE2 kRelation("[a-z][a-z0-9-]*");
      if (!re2::RE2::FullMatch(relation.name, kRelation))
        Wrong(key, "`" + relation.name + "` is no name of a relation",
              "a name has small letters, digits and `-`, and begins with a letter");
      if (!IsMap(value, what, kRelationKeys, &key)) continue;
      const YamlNode* from = Require(value, "from", what, "write `from: ${NAME}`", &key);
      if (from != nullptr) relation.variable = Variable(*from);
      if (const YamlNode* n = value.Find("record")) relation.record_query = RecordsQuery(*n);
      if (const YamlNode* n = value.Find("push")) relation.push = Flag(*n, "push");
      const YamlNode* table = value.Find("table");
      const YamlNode* query = value.Find("query");
      if ((table == nullptr) == (query == nullptr)) {
        Wrong(value,
              "expected `table` or `query` for " + what + (table == nullptr ? "" : ", got both"));
        continue;
      }
      if (table != nullptr) relation.table = TableName(*table);
      relation.sql = query != nullptr ? Query(*query) : "SELECT * FROM " + relation.table;
      to.relations.push_back(std::move(relation));
    }
  }

  // A configuration comes with a program, so it names a variable that a person sets, not a
  // database.
  std::string Variable(const YamlNode& node) {
    static const re2::RE2 kVariable(R"(\$\{([A-Za-z_][A-Za-z0-9_]*)\})");
    const std::string text = Text(node, "from");
    std::string name;
    if (re2::RE2::FullMatch(text, kVariable, &name) || node.kind != YamlKind::kString) return name;
    Wrong(node, "expected a variable of the environment for `from`, as in `${ORDERS}`",
          "set it to the URL of the database");
    return "";
  }

  bool RecordsQuery(const YamlNode& node) {
    const std::string text = Text(node, "record");
    if (node.kind == YamlKind::kString && text != "rows" && text != "query")
      Wrong(node, "expected `rows` or `query` for `record`, got `" + text + "`");
    return text == "query";
  }

  bool Flag(const YamlNode& node, std::string_view what) {
    if (node.kind != YamlKind::kBool)
      Wrong(node,
            fmt::format("expected `true` or `false` for `{}`, got {}", what, Described(node)));
    return node.kind != YamlKind::kBool || node.scalar.get<bool>();
  }

  std::string Query(const YamlNode& node) {
    const std::string text = Text(node, "query");
    if (node.kind != YamlKind::kString) return "";
    if (text.find_first_not_of(" \t\r\n") == text.npos || text.find('\0') != text.npos)
      Wrong(node, "expected a SELECT for `query`");
    return text;
  }

  // Its parts between dots, quoted.
  std::string TableName(const YamlNode& node) {
    const std::string text = Text(node, "table");
    if (node.kind != YamlKind::kString) return "";
    std::string out;
    bool good = text.find('\0') == text.npos;
    for (std::string_view rest = text;;) {
      const std::size_t dot = rest.find('.');
      good = good && dot != 0 && !rest.empty();
      out += SqlName(rest.substr(0, dot));
      if (dot == rest.npos) break;
      out += '.';
      rest.remove_prefix(dot + 1);
    }
    if (!good)
      Wrong(node, "expected the name of a table, got `" + text + "`",
            "as in `orders` or `shop.orders`");
    return out;
  }

  // --- kinds ------------------------------------------------------------------------------

  // True if the node is a map; adds a finding for each key that is not among `keys`. `at` is the
  // place for a finding about a missing value.
  bool IsMap(const YamlNode& node, const std::string& what, std::span<const std::string_view> keys,
             const YamlNode* at = nullptr) {
    if (node.kind != YamlKind::kMap) {
      const bool nothing = node.kind == YamlKind::kNull && at != nullptr;
      Wrong(nothing ? *at : node, "expected a map for " + what + ", got " + Described(node));
      return false;
    }
    for (const auto& [key, value] : node.entries) {
      const std::string name = key.scalar.get<std::string>();
      if (std::find(keys.begin(), keys.end(), name) == keys.end())
        found_.Add(Code::kUnknownConfigKey, key.span, "unknown key `" + name + "` in " + what,
                   Suggestion(name, keys));
    }
    return true;
  }

  static std::string Suggestion(const std::string& got, std::span<const std::string_view> keys) {
    std::string near = NearestWord(got, keys);
    if (!near.empty()) return near;
    std::string all;
    for (std::string_view key : keys) all += fmt::format("{}`{}`", all.empty() ? "" : ", ", key);
    return "its keys are " + all;
  }

  const YamlNode* Require(const YamlNode& map, std::string_view key, const std::string& what,
                          std::string hint, const YamlNode* at = nullptr) {
    const YamlNode* value = map.Find(key);
    if (value == nullptr)
      found_.Add(Code::kMissingConfigKey, (at != nullptr ? *at : map).span,
                 fmt::format("{} has no `{}`", what, key), std::move(hint));
    return value;
  }

  std::string Text(const YamlNode& node, std::string_view what) {
    if (node.kind != YamlKind::kString) {
      const bool scalar = node.kind == YamlKind::kBool || node.kind == YamlKind::kNumber;
      Wrong(node, fmt::format("expected a string for `{}`, got {}", what, Described(node)),
            scalar ? "write it in quotes" : "");
      return "";
    }
    return node.scalar.get<std::string>();
  }

  std::vector<std::string> Texts(const YamlNode& node, std::string_view what) {
    if (node.kind != YamlKind::kList)
      Wrong(node,
            fmt::format("expected a list of strings for `{}`, got {}", what, Described(node)));
    std::vector<std::string> texts;
    for (const YamlNode& item : node.items) texts.push_back(Text(item, what));
    return texts;
  }

  std::int64_t Whole(const YamlNode& node, std::string_view what, std::int64_t least,
                     std::int64_t most) {
    if (node.scalar.is_number_integer()) {
      const auto value = node.scalar.get<std::int64_t>();
      if (value >= least && value <= most) return value;
    }
    Wrong(node, fmt::format("expected a whole number from {} to {} for `{}`, got {}", least, most,
                            what, Described(node)));
    return least;
  }

  static std::string Shown(const YamlNode& node) {
    if (node.kind != YamlKind::kString) return Described(node);
    return "`" + node.scalar.get<std::string>() + "`";
  }

  void Wrong(const YamlNode& node, std::string message, std::string hint = "") {
    found_.Add(Code::kWrongConfigValue, node.span, std::move(message), std::move(hint));
  }

  const std::string& folder_;
  Diagnostics& found_;
  std::vector<std::shared_ptr<const McpServer>> servers_;
};

}  // namespace

bool ArgPattern::Fits(const nlohmann::ordered_json& arg) const {
  switch (kind) {
    case Kind::kAny: return true;
    case Kind::kOneOf: return std::find(values.begin(), values.end(), arg) != values.end();
    case Kind::kPrefix:
      return arg.is_string() && arg.get_ref<const std::string&>().starts_with(prefix);
  }
  return false;
}

Permit PermitFor(const ToolCommand& command, const nlohmann::ordered_json& args) {
  for (const ToolRule& rule : command.rules) {
    if (rule.args.size() > args.size()) continue;
    bool fits = true;
    for (std::size_t i = 0; i < rule.args.size() && fits; ++i) fits = rule.args[i].Fits(args[i]);
    if (fits) return rule.permission;
  }
  return command.permission;
}

const ToolCommand* ToolConfig::Find(std::string_view name) const {
  for (const ToolCommand& tool : tools)
    if (tool.name == name) return &tool;
  return nullptr;
}

std::optional<ToolConfig> ReadToolConfig(const Sources& sources, std::uint32_t file,
                                         const std::string& folder, Diagnostics& found) {
  Diagnostics mine;
  const std::optional<YamlNode> root = ReadYaml(sources, file, mine);
  ToolConfig config;
  if (root) config = ConfigReader(folder, mine).File(*root);
  mine.Sort();
  for (const Diagnostic& d : mine.all()) found.Add(d.code, d.span, d.message, d.hint);
  if (mine.has_errors()) return std::nullopt;
  return config;
}

}  // namespace rpl
