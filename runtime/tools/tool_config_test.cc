// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/tool_config.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "interp/testing/testing_page.h"

namespace rpl {
namespace {

// The errors of a configuration, each as `line:column CODE message (hint)`.
std::string ErrorsOf(const std::string& text) {
  Sources sources;
  Diagnostics found;
  const std::uint32_t file = sources.Add("rpl.yaml", text);
  const auto config = ReadToolConfig(sources, file, "/project", found);
  CHECK(config.has_value() == (found.size() == 0));
  std::string errors;
  for (const Diagnostic& d : found.all()) {
    const Sources::Place place = sources.PlaceOf(d.span.file, d.span.begin);
    errors += fmt::format("{}{}:{} {} {}", errors.empty() ? "" : "\n", place.line, place.column,
                          CodeText(d.code), d.message);
    if (!d.hint.empty()) errors += " (" + d.hint + ")";
  }
  return errors;
}

ToolConfig ConfigOf(const std::string& text) {
  Sources sources;
  Diagnostics found;
  const auto config = ReadToolConfig(sources, sources.Add("rpl.yaml", text), "/project", found);
  for (const Diagnostic& d : found.all()) UNSCOPED_INFO(Render(d, sources));
  REQUIRE(config);
  return *config;
}

// A configuration with one tool, whose map this is.
std::string WithTool(const std::string& tool) { return "version: 1\ntools:\n  t:\n" + tool + "\n"; }

using Words = std::vector<std::string>;

TEST_CASE("relations of a database") {
  const ToolConfig config = ConfigOf(R"(version: 1
relations:
  order: {from: "${ORDERS}", table: shop.Orders}
  large-one: {from: "${_O2}", query: "SELECT 1", record: query, push: false}
  o3: {from: "${O}", table: 'a"b', record: rows, push: true}
)");
  const std::vector<DatabaseRelation>& relations = config.files.relations;
  REQUIRE(relations.size() == 3);
  CHECK(relations[0].name == "order");
  CHECK(relations[0].variable == "ORDERS");
  CHECK(relations[0].sql == R"(SELECT * FROM "shop"."Orders")");
  CHECK(!relations[0].record_query);
  CHECK(relations[0].push);
  CHECK(relations[1].variable == "_O2");
  CHECK(relations[1].sql == "SELECT 1");
  CHECK(relations[1].record_query);
  CHECK(!relations[1].push);
  CHECK(relations[2].sql == R"(SELECT * FROM "a""b")");
}

TEST_CASE("each mistake in the relations of a database is named at its place") {
  const auto errors = [](const std::string& relation) {
    return ErrorsOf("version: 1\nrelations:\n  " + relation + "\n");
  };
  const std::string variable =
      "RPL7007 expected a variable of the environment for `from`, as in `${ORDERS}` (set it to the "
      "URL of the database)";
  const std::string table = " (as in `orders` or `shop.orders`)";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"order: {from: \"${O}\", tables: o}",
       "3:10 RPL7007 expected `table` or `query` for relation `order`\n3:25 RPL7004 unknown key "
       "`tables` in relation `order` (did you mean `table`?)"},
      {"order: {from: \"${O}\"}", "3:10 RPL7007 expected `table` or `query` for relation `order`"},
      {"order: {from: \"${O}\", table: o, query: SELECT 1}",
       "3:10 RPL7007 expected `table` or `query` for relation `order`, got both"},
      {"order: {table: o}", "3:3 RPL7006 relation `order` has no `from` (write `from: ${NAME}`)"},
      {"order: {from: \"postgresql://h/d\", table: o}", "3:17 " + variable},
      {"order: {from: \"${}\", table: o}", "3:17 " + variable},
      {"order: {from: \"${A}${B}\", table: o}", "3:17 " + variable},
      {"order: {from: 5, table: o}",
       "3:17 RPL7007 expected a string for `from`, got `5` (write it in quotes)"},
      {"Order: {from: \"${O}\", table: o}",
       "3:3 RPL7007 `Order` is no name of a relation (a name has small letters, digits and `-`, "
       "and "
       "begins with a letter)"},
      {"order: {from: \"${O}\", table: shop..o}",
       "3:32 RPL7007 expected the name of a table, got `shop..o`" + table},
      {"order: {from: \"${O}\", table: \".o\"}",
       "3:32 RPL7007 expected the name of a table, got `.o`" + table},
      {"order: {from: \"${O}\", table: o.}",
       "3:32 RPL7007 expected the name of a table, got `o.`" + table},
      {"order: {from: \"${O}\", table: \"\"}",
       "3:32 RPL7007 expected the name of a table, got ``" + table},
      {"order: {from: \"${O}\", query: \" \"}", "3:32 RPL7007 expected a SELECT for `query`"},
      {"order: {from: \"${O}\", query: 5}",
       "3:32 RPL7007 expected a string for `query`, got `5` (write it in quotes)"},
      {"order: {from: \"${O}\", table: o, record: digest}",
       "3:43 RPL7007 expected `rows` or `query` for `record`, got `digest`"},
      {"order: {from: \"${O}\", table: o, record: 1}",
       "3:43 RPL7007 expected a string for `record`, got `1` (write it in quotes)"},
      {"order: {from: \"${O}\", table: o, push: never}",
       "3:41 RPL7007 expected `true` or `false` for `push`, got a string"},
      {"order:", "3:3 RPL7007 expected a map for relation `order`, got nothing"},
      {"order: shop.orders", "3:10 RPL7007 expected a map for relation `order`, got a string"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(errors(text) == expected);
  }
  CHECK(ErrorsOf("version: 1\nrelations: [order]") ==
        "2:12 RPL7007 expected a map for `relations`, got a list");
}

TEST_CASE("tools of servers") {
  const ToolConfig config = ConfigOf(R"(version: 1
mcp:
  crm: {command: [./crm, --stdio], environment: [PATH, TOKEN], startMs: 500}
  files: {url: "http://127.0.0.1:7001/mcp", headers: {Authorization: "Bearer ${T}"}}
tools:
  customer: {mcp: crm, tool: get_customer, args: [id], timeoutMs: 30, permission: allow}
  list: {mcp: files, tool: list, json: true}
)");
  const ToolCommand& customer = config.tools[0];
  REQUIRE(customer.mcp);
  CHECK(customer.mcp->server->name == "crm");
  CHECK(customer.mcp->server->start == std::chrono::milliseconds(500));
  CHECK(customer.mcp->tool == "get_customer");
  CHECK(customer.mcp->has_args);
  CHECK(customer.mcp->args == Words{"id"});
  CHECK(customer.argv == Words{"/project/crm", "--stdio"});
  CHECK(customer.environment == Words{"PATH", "TOKEN"});
  CHECK(customer.timeout == std::chrono::milliseconds(30));
  CHECK(customer.permission == Permit::kAllow);
  const ToolCommand& list = config.tools[1];
  REQUIRE(list.mcp);
  CHECK_FALSE(list.mcp->has_args);
  CHECK(list.mcp->json);
  CHECK(list.argv == Words{"http://127.0.0.1:7001/mcp", "Authorization: Bearer ${T}"});

  CHECK(ErrorsOf("version: 1\nmcp:\n  s: {command: [x], url: 'http://x'}\n  t: {}\n"
                 "  u: {url: 'ftp://x'}\ntools:\n  a: {mcp: none, tool: x}\n  b: {mcp: s}\n"
                 "  c: {mcp: s, tool: x, command: [y], json: 1}\n") ==
        R"(3:26 RPL7007 the server `s` has a `command`, so it has no `url`
4:3 RPL7006 the server `t` has no `command` (or `url`)
5:12 RPL7007 expected an address that begins with http:// or https://
7:12 RPL7007 there is no server `none` in `mcp`
8:3 RPL7006 the tool `b` has no `tool` (its name on the server)
9:24 RPL7004 unknown key `command` in the tool `c` (its keys are `mcp`, `tool`, `args`, `json`, `timeoutMs`, `maxOutputBytes`, `permission`, `rules`)
9:44 RPL7007 expected `true` or `false` for `json`, got `1`)");
}

TEST_CASE("a configuration in YAML") {
  const ToolConfig config = ConfigOf(R"(version: 1
concurrency: 2   # at a time
tools:
  query-db:
    command: ["./bin/query", "--read-only"]
    timeoutMs: 500
    folder: data
    environment: [PATH]
    maxOutputBytes: 0x1000
    permission: allow
    rules:
      - args: ["prod", {any: true}]
        permission: deny
  plain:
    command: [no, on, 12:30, 'it''s', "a\tb"]
)");
  CHECK(config.concurrency == 2);
  REQUIRE(config.tools.size() == 2);
  const ToolCommand& query = *config.Find("query-db");
  CHECK(query.argv == Words{"/project/bin/query", "--read-only"});
  CHECK(query.timeout.count() == 500);
  CHECK(query.folder == "/project/data");
  CHECK(query.environment == Words{"PATH"});
  CHECK(query.max_output_bytes == 4096);
  CHECK(query.permission == Permit::kAllow);
  REQUIRE(query.rules.size() == 1);

  const ToolCommand& plain = *config.Find("plain");
  CHECK(plain.argv == Words{"no", "on", "12:30", "it's", "a\tb"});
  CHECK(plain.timeout.count() == 30'000);
  CHECK(plain.folder == "/project");
  CHECK(plain.environment == Words{"PATH", "HOME", "LANG", "TZ"});
  CHECK(plain.max_output_bytes == 1'048'576);
  CHECK(plain.permission == Permit::kAsk);
  CHECK(config.Find("query") == nullptr);
}

TEST_CASE("a configuration in JSON") {
  const ToolConfig config = ConfigOf(R"({
	"version": 1,
	"tools": {"t": {"command": ["/bin/a\u00e9\/b"], "timeoutMs": 1}}
})");
  CHECK(config.tools.at(0).argv == Words{"/bin/a\xC3\xA9/b"});
}

TEST_CASE("the folders of files") {
  const FileConfig files =
      ConfigOf(
          "version: 1\nindex: {folders: [../data, /srv]}\nwrite: {permission: allow, folder: out}")
          .files;
  CHECK(files.index_folders == Words{"/data", "/srv"});
  CHECK(files.write == Permit::kAllow);
  CHECK(files.write_folder == "/project/out");
  CHECK(ConfigOf("version: 1").files.write == Permit::kAsk);
  CHECK(ErrorsOf("version: 1\nwrite: {permission: yes}\nindex: {folder: a}") ==
        "2:21 RPL7007 expected `ask`, `allow` or `deny` for `permission`, got `yes`\n"
        "3:9 RPL7004 unknown key `folder` in `index` (did you mean `folders`?)");
}

TEST_CASE("a configuration without tools") {
  CHECK(ConfigOf("version: 1").tools.empty());
  CHECK(ConfigOf("\xEF\xBB\xBFversion: 1\ntools: {}").tools.empty());
}

struct Bad {
  std::string text;
  std::string errors;
};

TEST_CASE("what is wrong with a configuration, with its place") {
  const std::string command = "    command: [a]\n";
  const std::vector<Bad> table = {
      // the text
      {"", "1:1 RPL7007 expected a map for the configuration, got nothing"},
      {"version: \xff", "1:10 RPL7001 the file is not UTF-8 (save it as UTF-8)"},
      {"version: 1\n# \x04",
       "2:3 RPL7001 a control character stands here (in quotes, write it "
       "as an escape like `\\u001b`)"},
      {"version: 1\ntools: {",
       "2:9 RPL7001 this is not YAML: end of map flow not found (look here and above for a bracket "
       "or a quote that is not closed, or a `:` without blank)"},
      {"version: 1\n\ttools: {}",
       "2:1 RPL7001 this is not YAML: illegal tab when looking for indentation (indent with "
       "blanks, not with tabs)"},
      {"version: 1\n---\nversion: 1",
       "3:1 RPL7002 a second document starts here (put it into a file of its own)"},
      {"version: &v 1\nconcurrency: *v",
       "1:10 RPL7002 `version`: an anchor is not read here (write the value wherever it is "
       "wanted)\n"
       "2:1 RPL7007 expected a whole number from 1 to 64 for `concurrency`, got nothing\n"
       "2:14 RPL7002 `concurrency`: an alias is not read here (write the value itself)"},
      {"version: !!int 1",
       "1:10 RPL7002 `version`: a tag is not read here: `tag:yaml.org,2002:int` (leave it out)"},
      {"version: .inf",
       "1:10 RPL7002 `version`: `.inf` is no number of JSON (write `null`, or a text in quotes)\n"
       "1:10 RPL7007 expected `1` for `version`, got a string"},
      {"version: 1\ntools: " + std::string(30, '[') + std::string(30, ']'),
       "2:27 RPL7003 nested deeper than 20 (write it with fewer brackets or levels)"},
      {std::string(1'048'577, '#'),
       "1:1 RPL7003 the file has 1048577 bytes, more than 1048576 (split it)"},
      // the file
      {"[]", "1:1 RPL7007 expected a map for the configuration, got a list"},
      {"tools: {}", "1:1 RPL7006 the configuration has no `version` (write it: 1)"},
      {"version: 2", "1:10 RPL7007 expected `1` for `version`, got `2`"},
      {"version: '1'", "1:10 RPL7007 expected `1` for `version`, got a string"},
      {"version: 1\nversion: 1",
       "2:1 RPL7005 `version` stands here for the second time (leave one of them out)"},
      {"version: 1\n5: 1", "2:1 RPL7007 expected a string as key, got `5` (write it in quotes)"},
      {"version: 1\ntool: {}",
       "2:1 RPL7004 unknown key `tool` in the configuration (did you mean "
       "`tools`?)"},
      {"version: 1\nsecrets: {}",
       "2:1 RPL7004 unknown key `secrets` in the configuration (its "
       "keys are `version`, `concurrency`, `tools`, `mcp`, `index`, `write`, `guard`, "
       "`relations`, `model`)"},
      {"version: 1\nconcurrency: 0",
       "2:14 RPL7007 expected a whole number from 1 to 64 for `concurrency`, got `0`"},
      {"version: 1\ntools: [a]",
       "2:8 RPL7007 expected a map from names to tools for `tools`, got a list"},
      {"version: 1\ntools: {ask: {command: [a]}}", "2:9 RPL7007 the tool `ask` is built in"},
      {"version: 1\ntools: {$queryDb: {command: [a]}}",
       "2:9 RPL7007 expected the name of a tool, got `$queryDb`"},
      {"version: 1\ntools: {queryDb: {command: [a]}}",
       "2:9 RPL7007 expected the name of a tool, got `queryDb` (write `query-db`)"},
      // a tool
      {"version: 1\ntools:\n  t:\n", "3:3 RPL7007 expected a map for the tool `t`, got nothing"},
      {WithTool("    permission: ask"), "3:3 RPL7006 the tool `t` has no `command`"},
      {WithTool("    command: ls -l"),
       "4:14 RPL7007 expected a list of strings for `command`, got a string"},
      {WithTool("    command: []"), "4:14 RPL7007 expected a program as first word of `command`"},
      {WithTool("    command: [sleep, 5]"),
       "4:22 RPL7007 expected a string for `command`, got `5` (write it in quotes)"},
      {WithTool("    command: [\"a\\0b\"]"),
       "4:15 RPL7002 `tools.t.command[0]`: a NUL character stands here (leave it out)"},
      {WithTool(command + "    timeout: 5"),
       "5:5 RPL7004 unknown key `timeout` in the tool `t` (did you mean `timeoutMs`?)"},
      {WithTool(command + "    timeoutMs: 1.5"),
       "5:16 RPL7007 expected a whole number from 1 to 86400000 for `timeoutMs`, got `1.5`"},
      {WithTool(command + "    timeoutMs: 30s"),
       "5:16 RPL7007 expected a whole number from 1 to 86400000 for `timeoutMs`, got a string"},
      {WithTool(command + "    maxOutputBytes: 99999999999"),
       "5:21 RPL7007 expected a whole number from 1 to 67108864 for `maxOutputBytes`, got "
       "`99999999999`"},
      {WithTool(command + "    folder: ~"),
       "5:5 RPL7007 expected a string for `folder`, got nothing"},
      {WithTool(command + "    environment: {A: b}"),
       "5:18 RPL7007 expected a list of strings for `environment`, got a map"},
      {WithTool(command + "    environment: [A=b]"),
       "5:19 RPL7007 expected the name of an environment variable, got `A=b`"},
      {WithTool(command + "    permission: yes"),
       "5:17 RPL7007 expected `ask`, `allow` or `deny` for `permission`, got `yes`"},
      // its rules
      {WithTool(command + "    rules: deny"),
       "5:12 RPL7007 expected a list for `rules`, got a string"},
      {WithTool(command + "    rules: [deny]"),
       "5:13 RPL7007 expected a map for a rule, got a string"},
      {WithTool(command + "    rules: [{permission: deny}]"),
       "5:13 RPL7006 a rule has no `args` (`args: []` fits every call)"},
      {WithTool(command + "    rules: [{args: []}]"), "5:13 RPL7006 a rule has no `permission`"},
      {WithTool(command + "    rules: [{args: [{any: false}], permission: deny}]"),
       "5:27 RPL7007 expected `true` for `any`, got `false`"},
      {WithTool(command + "    rules: [{args: [{}], permission: deny}]"),
       "5:21 RPL7007 expected one of `any`, `oneOf` and `prefix` in a pattern"},
      {WithTool(command + "    rules: [{args: [{regex: a}], permission: deny}]"),
       "5:22 RPL7004 unknown key `regex` in a pattern (its keys are `any`, `oneOf`, `prefix`)\n"
       "5:29 RPL7007 expected a list for `oneOf`, got a string"},
      {WithTool(command + "    rules: [{args: [[a]], permission: deny}]"),
       "5:21 RPL7007 expected a string, number, `true`, `false` or `null`, got a list"},
  };
  for (const Bad& bad : table) {
    INFO(bad.text.substr(0, 200));
    CHECK(ErrorsOf(bad.text) == bad.errors);
  }
}

TEST_CASE("docs/tools.md has a configuration for each code") {
  std::map<std::string, std::string> examples = testing::Examples(RPL_TOOLS_PAGE, "yaml");
  for (const CodeInfo& info : AllCodes()) {
    if (!CodeText(info.code).starts_with("RPL70")) continue;
    const std::string code = CodeText(info.code);
    const std::string wanted = code + " " + std::string(info.name);
    INFO(wanted);
    CHECK_THAT(ErrorsOf(examples[wanted]), Catch::Contains(" " + code + " "));
    examples.erase(wanted);
  }
  CHECK(examples.empty());
}

TEST_CASE("an error shows the line and a caret, with its control characters escaped") {
  Sources sources;
  Diagnostics found;
  const std::uint32_t file = sources.Add("rpl.yaml", "version: 1\ntools:\n  \"a\\e[31m\": {}\n");
  ReadToolConfig(sources, file, "/project", found);
  REQUIRE(found.size() == 2);
  CHECK(Render(found.all().front(), sources) ==
        "rpl.yaml:3:3: error RPL7006: the tool `a\\u001b[31m` has no `command`\n"
        "    3 |   \"a\\e[31m\": {}\n"
        "      |   ^^^^^^^^^\n");
}

// The permission of calls of a tool with these rules, by their arguments.
TEST_CASE("rules look at arguments, the first that fits decides") {
  const ToolConfig config = ConfigOf(WithTool(R"(    command: [a]
    permission: allow
    rules:
      - {args: [prod, {any: true}], permission: deny}
      - {args: [{oneOf: [1, true, null]}], permission: ask}
      - {args: [{prefix: "s-"}], permission: deny})"));
  const auto permit = [&](const std::string& args) {
    switch (PermitFor(config.tools[0], nlohmann::ordered_json::parse(args))) {
      case Permit::kAsk: return "ask";
      case Permit::kAllow: return "allow";
      case Permit::kDeny: return "deny";
    }
    return "";
  };
  CHECK(permit(R"(["prod","x"])") == std::string("deny"));
  CHECK(permit(R"(["prod",["x"],"y"])") == std::string("deny"));  // further arguments are free
  CHECK(permit(R"(["prod"])") == std::string("allow"));           // too few
  CHECK(permit(R"(["prod ","x"])") == std::string("allow"));
  CHECK(permit("[1]") == std::string("ask"));
  CHECK(permit("[1.0]") == std::string("ask"));
  CHECK(permit(R"(["1"])") == std::string("allow"));
  CHECK(permit("[true]") == std::string("ask"));
  CHECK(permit("[null]") == std::string("ask"));
  CHECK(permit(R"(["s-1"])") == std::string("deny"));
  CHECK(permit(R"(["as-1"])") == std::string("allow"));
  CHECK(permit(R"([["s-1"]])") == std::string("allow"));
  CHECK(permit("[]") == std::string("allow"));
}

TEST_CASE("a model") {
  const ToolConfig config = ConfigOf(R"(version: 1
model:
  provider: openai
  url: http://127.0.0.1:8080/v1/
  model: small
  key: MY_KEY
  answers: [severity, claim]
  attempts: 2
  budget: {calls: 4, tokens: 500, seconds: 6}
  record: digest
  permission: allow
)");
  const ModelConfig& model = config.model;
  CHECK(model.provider == ModelConfig::Provider::kOpenAi);
  CHECK(model.url == "http://127.0.0.1:8080/v1");
  CHECK(model.key == "MY_KEY");
  CHECK(model.bounds.answers == Words{"severity", "claim"});
  CHECK_FALSE(model.bounds.answers_all);
  CHECK(model.bounds.attempts == 2);
  CHECK(model.bounds.most_calls == 4);
  CHECK(model.bounds.most_tokens == 500);
  CHECK(model.bounds.most_seconds == 6);
  CHECK_FALSE(model.bounds.full);
  CHECK(config.model_permission == Permit::kAllow);
  const ToolConfig command = ConfigOf("version: 1\nmodel: {provider: command, command: [./ask]}\n");
  CHECK(command.model.command == Words{"/project/ask"});
  CHECK(command.model_permission == Permit::kAsk);
}

TEST_CASE("wrong settings of a model, of which no value is told that may be a key") {
  const auto errors = [](const std::string& fields) {
    return ErrorsOf("version: 1\nmodel:\n  provider: openai\n  model: m\n  " + fields + "\n");
  };
  CHECK(errors("key: sk-abcdefghijklmnop") ==
        "5:8 RPL7007 expected the name of a variable in capitals for `key` (a key itself stands in "
        "no file: set the variable to it)");
  CHECK(errors("url: http://example.org/v1").find("begins with https://") != std::string::npos);
  CHECK(errors("answers: ['*']").find("each question is named") != std::string::npos);
  CHECK(errors("command: [x]").find("a model by `openai` has no `command`") != std::string::npos);
  CHECK(errors("record: all").find("`full` or `digest`") != std::string::npos);
  CHECK(ErrorsOf("version: 1\nmodel: {provider: gemini}\n").find("`openai`, `anthropic`") !=
        std::string::npos);
}

TEST_CASE("addresses at which a key may be sent") {
  for (const char* url : {"https://api.example.org/v1", "http://localhost:80/v1",
                          "http://127.0.0.1", "http://[::1]:8080/v1"})
    CHECK(IsSafeAddress(url));
  for (const char* url :
       {"http://example.org", "http://127.0.0.1:80@example.org/", "http://localhost.example.org/",
        "https://user:word@example.org/", "ftp://localhost/", "https://"})
    CHECK_FALSE(IsSafeAddress(url));
}

}  // namespace
}  // namespace rpl
