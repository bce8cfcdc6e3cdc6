// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/mcp_gateway.h"

#include <catch2/catch.hpp>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "shell/gateway/mcp_reading.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using namespace std::chrono_literals;

// A policy in a few words: `forbidden` is never called, `held` needs an approval for each call,
// `leaky` gives results that are withheld, `looked` those that need an approval; rules read the
// argument `path` of every tool.
class TestDecider : public McpDecider {
 public:
  Ruling Before(const GatewayCall& call, std::optional<std::size_t> again) override {
    seen.push_back(call.tool + " " + DumpJson(call.args) + (again ? " again" : ""));
    if (fails) return {Ruling::Kind::kRefuse, "the guard failed", "", 0};
    if (call.tool == "forbidden") return {Ruling::Kind::kRefuse, "never", "", 0};
    last_digest = call.digest;
    const std::string review = "review of " + call.digest.substr(0, 4);
    if (call.tool == "held" && !again && approved.erase(review) == 0)
      return {Ruling::Kind::kReview, "look first", review, 0};
    return {Ruling::Kind::kPass, "", "", again.value_or(steps++)};
  }
  Ruling After(const GatewayCall& call, CallEnd& end, const ordered_json&) override {
    if (store_fails) return {Ruling::Kind::kUndecided, "The call was made, but", "", 0};
    if (!std::exchange(end.recorded, true))
      ended.push_back(call.tool + " " + std::to_string(end.step) +
                      (end.failed ? " failed " : " ok ") +
                      std::to_string(static_cast<int>(end.took_ms)));
    if (call.tool == "looked") {
      if (denied) return {Ruling::Kind::kRefuse, "denied", "", 0};
      const std::string review = "result of " + call.digest.substr(0, 4);
      if (approved.erase(review) == 0) return {Ruling::Kind::kReview, "look", review, 0};
    }
    if (call.tool == "leaky") return {Ruling::Kind::kRefuse, "it stays here", "", 0};
    return {Ruling::Kind::kPass, "", "", 0};
  }
  std::string Answer(const std::string& review, bool yes) override {
    if (yes) approved.insert(review);
    return "";
  }
  bool Hides(const std::string& tool) override { return tool == "forbidden"; }
  std::vector<std::string> Pin(const std::vector<McpToolDefinition>& tools) override {
    std::vector<std::string> out;
    for (const McpToolDefinition& tool : tools) {
      const auto [known, is_new] = pins.emplace(tool.name, tool.hash);
      if (is_new && listed_all) pins.erase(known), out.push_back("it is new");
      else out.push_back(known->second == tool.hash ? "" : "its definition changed");
    }
    return out;
  }
  void ListedAll() override { listed_all = true; }
  std::set<std::string> ArgumentKeys(const std::string& tool) override {
    return tool == "free" ? std::set<std::string>() : std::set<std::string>{"path"};
  }
  bool MayWithhold(const std::string& tool) override { return tool == "leaky" || tool == "looked"; }
  void Note(const std::string& event) override { notes.push_back(event); }

  bool fails = false, store_fails = false, denied = false, listed_all = false;
  std::size_t steps = 0;
  std::string last_digest;
  std::vector<std::string> seen, ended, notes;
  std::set<std::string> approved;
  std::map<std::string, std::string> pins;
};

const std::string kTools =
    R"([{"name":"write","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"number"}},"required":["path"]}},)"
    R"({"name":"held","inputSchema":{"type":"object"}},{"name":"leaky","inputSchema":{"type":"object"}},{"name":"looked","inputSchema":{"type":"object"}},)"
    R"({"name":"forbidden","inputSchema":{"type":"object"}},{"name":"free","inputSchema":{"type":"object"}}])";
const std::string kModern =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}})";

struct Fixture {
  TestDecider decider;
  std::string logged;  // the last line
  McpGateway gateway{
      decider,
      {45s, 30s, [this](const std::string& line) { logged = line; }, " --store r.db", 3, 200}};
  McpGateway::Time now{};

  // What a line leads to: `>` to the server, `<` to the host.
  std::string Taken() {
    const auto marked = [](const std::string& lines, const char* mark) {
      std::string out;
      for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = lines.find('\n', begin);
        out += mark + lines.substr(begin, end - begin) + "\n";
        begin = end + 1;
      }
      return out;
    };
    return marked(gateway.TakeForServer(), "> ") + marked(gateway.TakeForHost(), "< ");
  }
  std::string Host(const std::string& line) {
    gateway.FromHost(line, now);
    return Taken();
  }
  std::string Server(const std::string& line) {
    gateway.FromServer(line, now);
    return Taken();
  }
  // The host and the server have shaken hands, and the host has listed the tools.
  void Begin(const std::string& capabilities = "{}", const std::string& version = "2025-11-25") {
    Host(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
         version + R"(","capabilities":)" + capabilities + "}}");
    Server(R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":")" + version + R"("}})");
    List();
  }
  void List() {
    Host(R"({"jsonrpc":"2.0","id":"list","method":"tools/list"})");
    Server(R"({"jsonrpc":"2.0","id":"list","result":{"tools":)" + kTools + "}}");
  }
};

// The messages that follow a line over the limit with this outline.
std::string LongFromHost(Fixture& f, const RpcOutline& outline) {
  f.gateway.TooLongFromHost(outline, f.now);
  return f.Taken();
}
std::string LongFromServer(Fixture& f, const RpcOutline& outline) {
  f.gateway.TooLongFromServer(outline, f.now);
  return f.Taken();
}

std::string CallLine(const std::string& id, const std::string& tool, const std::string& args,
                     const std::string& more = "") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" + tool +
         R"(","arguments":)" + args + (more.empty() ? "" : "," + more) + "}}";
}

// The text of a refusal, which is the only message, to the host.
std::string RefusalIn(const std::string& taken) {
  REQUIRE(taken.starts_with("< "));
  REQUIRE(taken.find('\n') + 1 == taken.size());
  const ordered_json json = ParseJson(taken.substr(2)).json;
  const ordered_json& result = FieldAt(json, "result");
  if (!FlagAt(result, "isError")) return "no refusal: " + taken;
  CHECK_FALSE(result.contains("structuredContent"));
  return TextAt(result["content"][0], "text");
}

TEST_CASE("messages that nothing is decided about pass with their bytes") {
  Fixture f;
  for (
      const char* line :
      {R"( { "jsonrpc" : "2.0" , "id" : 1.0e0 , "method":"ping"} )",  // no id of MCP
       R"({"id":"a","jsonrpc":"2.0","method":"un\u006bnown/method","params":{"x":[1.50,1e2,"\u00e9"]},"extra":null})",
       R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.50}})",
       R"({"jsonrpc":"2.0","id":7,"result":{"roots":[]}})",
       R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}})",
       R"({"jsonrpc":"2.0","id":100000000000000000000000000,"method":"ping"})"}) {
    INFO(line);
    const bool is_message = std::string_view(line).find("1.0e0") == std::string_view::npos;
    if (is_message) CHECK(f.Host(line) == std::string("> ") + line + "\n");
    else CHECK(f.Host(line).empty());
  }
  for (
      const char* line :
      {R"({"jsonrpc":"2.0", "method":"notifications/message","params":{"level":"info","data":"x"}})",
       R"({"jsonrpc":"2.0","id":"a", "result":{"anything":[1.0]}})",
       R"({"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}})"}) {
    INFO(line);
    CHECK(f.Server(line) == std::string("< ") + line + "\n");
  }
  CHECK(f.decider.seen.empty());
}

TEST_CASE("an allowed call passes with its bytes, and so does its result") {
  Fixture f;
  f.Begin();
  const std::string call =
      R"({"method":"tools/call", "params":{"arguments":{"path":"\u002fbox"},"name":"wr\u0069te"},"id":1,"jsonrpc":"2.0"})";
  CHECK(f.Host(call) == "> " + call + "\n");
  CHECK(f.decider.seen == std::vector<std::string>{R"(write {"path":"/box"})"});
  f.now += 5ms;
  const std::string result = R"({"jsonrpc":"2.0","id":1,"result":{"content":[ ]}})";
  CHECK(f.Server(result) == "< " + result + "\n");
  CHECK(f.decider.ended == std::vector<std::string>{"write 0 ok 5"});
  CHECK(f.Server(result).empty());  // to no open request
  CHECK(f.Host(CallLine("2", "write", R"({"path":"x"})")).starts_with("> "));
  f.Server(R"({"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"m"}})");
  CHECK(f.decider.ended.back() == "write 1 failed 0");
}

TEST_CASE("a refusal is a result of either era") {
  Fixture f;
  f.Begin();
  CHECK(
      f.Host(CallLine("1", "forbidden", "{}")) ==
      R"(< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"never"}],"isError":true}})"
      "\n");
  CHECK(
      f.Host(CallLine("\"1\"", "forbidden", "{}", kModern)) ==
      R"(< {"jsonrpc":"2.0","id":"1","result":{"resultType":"complete","content":[{"type":"text","text":"never"}],"isError":true}})"
      "\n");
  f.decider.fails = true;
  CHECK(RefusalIn(f.Host(CallLine("2", "write", R"({"path":"x"})"))) == "the guard failed");
}

TEST_CASE("a result that claims to be a request for input is decided about") {
  Fixture f;
  f.Begin();
  const auto result = [](const std::string& members) {
    return R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",)" + members + "}}";
  };
  const std::string content = R"("content":[{"type":"text","text":"x"}])";
  const std::string requests =
      R"("inputRequests":{"w":{"method":"elicitation/create","params":{"message":"Which?"}}})";
  // Until 2025-11-25 there are no such results.
  for (const std::string& members : {content, requests, requests + "," + content}) {
    INFO(members);
    f.Host(CallLine("1", "leaky", "{}"));
    CHECK(RefusalIn(f.Server(result(members))) == "it stays here");
  }
  for (const std::string& members : {
           content,
           R"("requestState":1,)" + content,
           R"("inputRequests":[],)" + content,
           R"("inputRequests":{"w":{"method":"x"}},)" + content,
       }) {
    INFO(members);
    f.Host(CallLine("1", "leaky", "{}", kModern));
    CHECK(RefusalIn(f.Server(result(members))) == "it stays here");
  }
  for (const std::string& members : {requests, requests + R"(,"requestState":"s")"}) {
    INFO(members);
    f.Host(CallLine("1", "leaky", "{}", kModern));
    CHECK(f.Server(result(members + R"(,"structuredContent":{"a":1},)" + content)) ==
          "< " + result(members) + "\n");
  }
  f.Host(CallLine("1", "leaky", "{}", kModern));
  CHECK(f.Server(R"({"leak":1,)" + result(R"("requestState":"t","_meta":{})").substr(1)) ==
        "< " + result(R"("requestState":"t","_meta":{})") + "\n");
}

TEST_CASE("a message of the server that is a request and a response does not pass") {
  Fixture f;
  f.Begin();
  for (const char* more : {R"("result":{"content":[]})", R"("error":{"code":1,"message":"m"})"}) {
    INFO(more);
    f.Host(CallLine("1", "write", R"({"path":"x"})"));
    const std::string line =
        R"({"jsonrpc":"2.0","id":1,"method":"ping",)" + std::string(more) + "}";
    CHECK(RefusalIn(f.Server(line)).find("cannot be read") != std::string::npos);
    CHECK(f.Server(line).empty());
    CHECK(f.Server(R"({"jsonrpc":"2.0","method":"notifications/x",)" + std::string(more) + "}")
              .empty());
  }
  CHECK(f.gateway.noise() == 6);
}

TEST_CASE("a withheld result does not reach the host") {
  Fixture f;
  f.Begin();
  f.Host(CallLine("1", "leaky", "{}"));
  CHECK(RefusalIn(f.Server(
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":1}}})")) ==
        "it stays here");
  CHECK(RefusalIn(f.Host(CallLine("2", "leaky", "{}", R"("task":{"ttl":1})"))) ==
        "Refused: a policy may withhold its result, so it cannot run as a task.");
}

TEST_CASE("a result under review is kept, and the call is not made again for it") {
  Fixture f;
  f.Begin();
  int number = 0;
  // The text of the refusal, or the line itself, for a call that does not reach the server.
  const auto repeated = [&](const std::string& args) {
    return RefusalIn(f.Host(CallLine(std::to_string(++number), "looked", args)));
  };
  const auto made = [&](const std::string& args, const std::string& members) {
    const std::string id = std::to_string(++number);
    CHECK(f.Host(CallLine(id, "looked", args)).starts_with("> "));
    return RefusalIn(f.Server(R"({"jsonrpc":"2.0","id":)" + id + "," + members + "}"));
  };
  const auto content = [](const std::string& text) {
    return R"("result":{"content":[],"x":[1.50,100000000000000000000],"y":")" + text + R"("})";
  };
  const std::string held = "The call was made, and its result is withheld for a person's review";
  const auto approve = [&](const std::string& text) {
    const std::size_t at = text.find("review (") + 8;
    f.decider.Answer(text.substr(at, text.find("): ") - at), true);
  };

  SECTION("it comes in once it is approved, with the id of the next call") {
    const std::string text = made(R"({"a":1,"b":2})", content("one"));
    CHECK(text.starts_with(held));
    CHECK(repeated(R"({"b":2,"a":1})") == text);
    approve(text);
    CHECK(f.Host(CallLine("\"x\"", "looked", R"({"a":1.0,"b":2})")) ==
          "< " + std::string(R"({"jsonrpc":"2.0","id":"x",)") +
              R"("result":{"content":[],"x":[1.5,100000000000000000000],"y":"one"}})" + "\n");
    CHECK(f.decider.ended.size() == 1);
    CHECK(f.decider.seen.size() == 1);
    CHECK(made(R"({"a":1,"b":2})", content("two")) == text);  // the approval is spent
  }
  SECTION("an error of the server, too") {
    approve(made("{}", R"("error":{"code":-1,"message":"m","data":1.0})"));
    CHECK(f.Host(CallLine("9", "looked", "{}"))
              .starts_with(R"(< {"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"m")"));
  }
  SECTION("a denial is told") {
    made("{}", content("one"));
    f.decider.denied = true;
    for (int i = 0; i < 2; ++i)
      CHECK(repeated("{}") == "This call was made before, and was not made again now. denied");
    CHECK(f.decider.seen.size() == 1);
  }
  SECTION("calls that were made at the same time have a result each") {
    CHECK(f.Host(CallLine("1", "looked", "{}")).starts_with("> "));
    CHECK(f.Host(CallLine("2", "looked", "{}")).starts_with("> "));
    f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"content":[1]}})");
    const std::string text =
        RefusalIn(f.Server(R"({"jsonrpc":"2.0","id":2,"result":{"content":[2]}})"));
    for (const char* one : {"[1]", "[2]"}) {
      approve(text);
      CHECK(f.Host(CallLine("3", "looked", "{}")).find(one) != std::string::npos);
    }
  }
  SECTION("a guard that fails decides later") {
    f.decider.store_fails = true;
    const std::string text =
        "The call was made, but. The result is kept as long as this gateway runs: the same call is "
        "not made again, but decides about that result again. Tell the user.";
    CHECK(f.Host(CallLine("1", "write", R"({"path":"x"})")).starts_with("> "));
    CHECK(RefusalIn(f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})")) == text);
    CHECK(RefusalIn(f.Host(CallLine("2", "write", R"({"path":"x"})"))) == text);
    CHECK(f.decider.ended.empty());
    f.decider.store_fails = false;
    f.now += 5s;
    CHECK(f.Host(CallLine("3", "write", R"({"path":"x"})")) ==
          "< {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}\n");
    CHECK(f.decider.ended == std::vector<std::string>{"write 0 ok 0"});
  }
  const std::string dropped =
      "This call was made before, and was not made again now. Its result was withheld, but is kept "
      "no longer: the gateway keeps 3 results and 0 MiB. If you repeat the call, it is made once "
      "more: ask the user first.";
  SECTION("the oldest are dropped when there are too many, which is told once") {
    for (const char* n : {"1", "2", "3", "4"})
      made("{\"n\":" + std::string(n) + "}", R"("result":{})");
    CHECK(repeated(R"({"n":1})") == dropped);
    CHECK(repeated(R"({"n":2})").starts_with(held));
    CHECK(made(R"({"n":1})", R"("result":{})").starts_with(held));
    CHECK(repeated(R"({"n":2})") == dropped);
  }
  SECTION("or too large together") {
    made(R"({"n":1})", R"("result":{})");
    made(R"({"n":2})", R"("result":{})");
    made(R"({"n":3})", R"("result":{"x":")" + std::string(165, 'x') + R"("})");
    CHECK(repeated(R"({"n":1})") == dropped);
    CHECK(repeated(R"({"n":2})").starts_with(held));
    CHECK(repeated(R"({"n":3})").starts_with(held));
  }
}

TEST_CASE("what can be read in two ways does not reach the server") {
  Fixture f;
  f.Begin();
  const std::string one = R"({"jsonrpc":"2.0","id":1,)";
  const std::string lines[] = {
      CallLine("1", "write", R"({"path":"/box","path":"/etc"})"),
      CallLine("1", "write", R"({"path":"/box","Path":"/etc"})"),
      CallLine("1", "write", R"({"Path":"/etc"})"),
      CallLine("1", "write", R"({"path":"/box","n":1,"N":2})"),
      CallLine("1", "write", R"({"path":"/box","sub":{"PATH":"/etc"}})"),
      CallLine("1", "write", R"({"path":"/box","__proto__":{"path":"/etc"}})"),
      CallLine("1", "write", R"({"path":"/box\u0000/../etc"})"),
      CallLine("1", "write", R"({"path":"\ud800"})"),
      CallLine("1", "write", "{\"path\":\"\xff\"}"),
      CallLine("1", "write", R"("{\"path\":\"/etc\"}")"),
      CallLine("1", "write", R"(["/etc"])"),
      CallLine("1", "write", R"({"n":1})"),
      CallLine("1", "write", R"({"path":"/box","n":"1"})"),
      CallLine("1", "write", R"({"path":"/box","n":100000000000000000000000})"),
      CallLine("1", " write", R"({"path":"/etc"})"),
      CallLine("1", "write\\u0000", R"({"path":"/etc"})"),
      CallLine("1", "wr\\u200bite", R"({"path":"/etc"})"),
      CallLine("1", "\\uff57rite", R"({"path":"/etc"})"),
      CallLine("1", "write", R"({"path":"/box"})", R"("Arguments":{"path":"/etc"})"),
      CallLine("1", "write", R"({"path":"/box"})", R"("argument\u017f":{"path":"/etc"})"),
      CallLine("1", "write", R"({"path":"/box"})", R"("NAME":"other")"),
      one + R"("method":"Tools/Call","params":{"name":"write","arguments":{"path":"/etc"}}})",
      one + R"("method":" tools/call","params":{"name":"write","arguments":{"path":"/etc"}}})",
      one + R"("method":"ping","Method":"tools/call","params":{}})",
      one + R"("METHOD":"tools/call","params":{}})",
      one + R"("method":"tools/call","result":{},"params":{}})",
      R"({"id":1,"method":"tools/call","params":{"name":"write","arguments":{"path":"/etc"}}})",
      R"({"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"write"}})",
      R"({"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"write"}})",
      R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"write","arguments":{"path":"/box"}}})",
      "\xEF\xBB\xBF" + CallLine("1", "write", R"({"path":"/box"})"),
      CallLine("1", "write", R"({"path":"/box"})") + std::string("\0{}", 3),
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\r" +
          CallLine("2", "write", R"({"path":"/etc"})") + "\r}}",
      "{\"jsonrpc\":\"2.0\"",
      "1",
      "[1]",
      "",
  };
  for (const std::string& line : lines) {
    INFO(line);
    const std::string taken = f.Host(line);
    CHECK(taken.find("> ") != 0);
    CHECK(f.decider.seen.empty());
  }
  // Whoever asked gets an answer, as far as there is an id.
  for (const char* arguments :
       {R"({"n":1e400})", R"({"path":"\ud800 \"}"})", R"({"path":"a","path":"b"})"}) {
    INFO(arguments);
    CHECK(RefusalIn(f.Host(CallLine("7", "write", arguments)))
              .starts_with("Refused: the call can be read in two ways"));
  }
  // One that is not about arguments of a rule is the server's business.
  CHECK(f.Host(CallLine("1", "free", R"({"a":1,"A":2,"__proto__":3})")).starts_with("> "));
}

TEST_CASE("an id is in use until its answer") {
  Fixture f;
  f.Begin();
  f.Host(CallLine("1", "write", R"({"path":"x"})"));
  CHECK(RefusalIn(f.Host(CallLine("1", "write", R"({"path":"y"})"))) ==
        "Refused: the id 1 is that of a request that has no answer yet.");
  CHECK(f.Host(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").starts_with("< "));
  CHECK(f.Host(CallLine("\"1\"", "write", R"({"path":"y"})")).starts_with("> "));
  f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  CHECK(f.Host(CallLine("1", "write", R"({"path":"y"})")).starts_with("> "));
  CHECK(f.Host(R"({"jsonrpc":"2.0","id":"rpl-guard-1","method":"ping"})").starts_with("< "));
}

TEST_CASE("each member of a batch is decided about") {
  Fixture f;
  f.Begin();
  const std::string good = CallLine("1", "write", R"({"path":"x"})");
  const std::string bad = CallLine("2", "forbidden", "{}");
  const std::string note = R"({"jsonrpc":"2.0","method":"notifications/x"})";
  CHECK(f.Host("[" + good + " , " + note + "]") == "> [" + good + " , " + note + "]\n");
  f.Server(R"([{"jsonrpc":"2.0","id":1,"result":{"content":[]}}])");
  CHECK(f.decider.ended.size() == 1);
  CHECK(
      f.Host("[" + good + "," + bad + "," + note + "]") ==
      "> [" + good + "," + note + "]\n" +
          R"(< [{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"never"}],"isError":true}}])" +
          "\n");
  CHECK(f.Host("[" + bad + "]").starts_with("< ["));
  CHECK(f.Host("[[" + good + "]]").empty());
}

TEST_CASE("a held call is asked about by elicitation") {
  Fixture f;
  f.Begin(R"({"elicitation":{}})");
  const std::string call = CallLine("1", "held", R"({"a":1})");
  const auto id_of = [](const std::string& asked) {
    REQUIRE(asked.starts_with("< "));
    const ordered_json json = ParseJson(asked.substr(2)).json;
    CHECK(TextAt(json, "method") == "elicitation/create");
    CHECK(json["params"]["requestedSchema"]["properties"]["decision"]["enum"] ==
          ordered_json({"approve", "refuse"}));
    return TextAt(json, "id");
  };
  const auto answer = [](const std::string& id, const std::string& result) {
    return R"({"jsonrpc":"2.0","id":")" + id + R"(","result":)" + result + "}";
  };
  const std::string yes = R"({"action":"accept","content":{"decision":"approve"}})";

  std::string id = id_of(f.Host(call));
  CHECK(id.starts_with("rpl-guard-"));
  CHECK(f.Host(R"({"jsonrpc":"2.0","id":5,"method":"ping"})").starts_with("> "));  // meanwhile
  CHECK(f.Host(answer(id, yes)) == "> " + call + "\n");
  CHECK(f.Host(answer(id, yes)).empty());  // once
  f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  CHECK(f.decider.ended.size() == 1);

  // A decline is not asked again; somebody else may approve.
  for (const char* no :
       {R"({"action":"decline"})", R"({"action":"accept","content":{"decision":"refuse"}})"}) {
    const std::string other = CallLine("9", "held", R"({"no":)" + DumpJson(no) + "}");
    id = id_of(f.Host(other));
    for (const std::string& refused : {f.Host(answer(id, no)), f.Host(other)})
      CHECK(RefusalIn(refused).starts_with("The user refused this call"));
    f.decider.approved.insert("review of " + f.decider.last_digest.substr(0, 4));
    CHECK(f.Host(other) == "> " + other + "\n");
    f.Server(R"({"jsonrpc":"2.0","id":9,"result":{"content":[]}})");
  }
  for (const char* no : {R"({"action":"accept","content":{"decision":true}})", "{}",
                         R"({"action":"accept","content":{}})", R"({"action":"cancel"})",
                         R"({"action":"approve","content":{"decision":"approve"}})"}) {
    id = id_of(f.Host(call));
    CHECK(f.Host(answer(id, no)).starts_with("< "));
  }

  SECTION("nobody answers in time, and an answer that comes late counts for the next call") {
    id = id_of(f.Host(call));
    f.now += 46s;
    CHECK(f.gateway.Due() <= f.now);
    f.gateway.Tick(f.now);
    const std::string taken = f.Taken();
    CHECK(taken.starts_with(
        R"(< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":")" + id));
    CHECK(taken.find("Held for a person") != taken.npos);
    CHECK(f.Host(answer(id, yes)).empty());
    CHECK(f.Host(call) == "> " + call + "\n");
  }
  SECTION("a refusal that comes late is kept as well") {
    id = id_of(f.Host(call));
    f.now += 46s;
    f.gateway.Tick(f.now);
    f.Taken();
    CHECK(f.Host(answer(id, R"({"action":"decline"})")).empty());
    CHECK(RefusalIn(f.Host(call)).starts_with("The user refused"));
  }
  SECTION("the host cancels the call") {
    id = id_of(f.Host(call));
    const std::string taken =
        f.Host(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    CHECK(taken.starts_with("< {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\""));
    const std::string next = id_of(f.Host(call));  // the id is free
    CHECK(f.Host(answer(id, yes)).empty());        // of the call that was cancelled
    CHECK(f.decider.approved.size() == 1);
    CHECK(f.Host(answer(next, R"({"action":"cancel"})")).starts_with("< "));
    CHECK(f.Host(call) == "> " + call + "\n");
  }
  SECTION("a host that declares what it cannot do") {
    id = id_of(f.Host(call));
    CHECK(RefusalIn(f.Host(R"({"jsonrpc":"2.0","id":")" + id +
                           R"(","error":{"code":-32601,"message":"no"}})"))
              .starts_with("Held for a person"));
    CHECK(RefusalIn(f.Host(call)).starts_with("Held for a person"));
  }
  SECTION("the server answers for the host") {
    id = id_of(f.Host(call));
    CHECK(f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})").empty());
    CHECK(f.Server(R"({"jsonrpc":"2.0","id":")" + id + R"(","method":"elicitation/create"})")
              .starts_with("> {\"jsonrpc\":\"2.0\",\"id\":\"rpl-guard"));
    CHECK(f.Host(answer("rpl-guard-1", yes)).empty());
  }
}

TEST_CASE("without elicitation a held call is refused, with the id of its review") {
  Fixture f;
  for (const auto& [capabilities, version] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "2025-11-25"},
           {R"({"elicitation":{"url":{}}})", "2025-11-25"},
           {R"({"elicitation":{}})", "2025-03-26"}}) {
    f.Begin(capabilities, version);
    const std::string text = RefusalIn(f.Host(CallLine("1", "held", "{}")));
    CHECK(text.starts_with("Held for a person's review (review of "));
    CHECK(text.find("guard approve") == text.npos);
    CHECK(f.logged.ends_with(" --store r.db` lets it pass"));
  }
  const std::string mute =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
  CHECK(RefusalIn(f.Host(CallLine("1", "held", "{}", mute))).starts_with("Held for a person"));
}

TEST_CASE("in the modern era a held call is repeated with the answer") {
  Fixture f;
  f.List();
  const std::string call = CallLine("1", "held", R"({"a":1.50})", kModern);
  const auto ticket_in = [](const std::string& taken) {
    const ordered_json result = ParseJson(taken.substr(2)).json["result"];
    CHECK(TextAt(result, "resultType") == "input_required");
    CHECK(result["inputRequests"].contains("rpl-guard-review"));
    return TextAt(result, "requestState");
  };
  const auto repeat = [](const std::string& ticket, const std::string& answer,
                         const std::string& args = R"({"a":1.50})") {
    return CallLine("2", "held", args,
                    R"("inputResponses":{"rpl-guard-review":)" + answer + R"(},"requestState":")" +
                        ticket + "\"," + kModern);
  };
  const std::string yes = R"({"action":"accept","content":{"decision":"approve"}})";

  std::string ticket = ticket_in(f.Host(call));
  CHECK(f.Host(repeat(ticket, yes)) ==
        "> " + CallLine("2", "held", R"({"a":1.5})", kModern) + "\n");
  f.Server(R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}})");
  CHECK(ticket_in(f.Host(repeat(ticket, yes))) != ticket);  // used: asked again
  ticket = ticket_in(f.Host(call));
  CHECK(ticket_in(f.Host(repeat(ticket, yes, R"({"a":2})"))) != ticket);  // another call
  CHECK(ticket_in(f.Host(repeat("rpl-guard.0", yes))) != ticket);         // made up
  ticket = ticket_in(f.Host(call));
  CHECK(
      RefusalIn(f.Host(repeat(ticket, R"({"action":"decline"})"))).starts_with("The user refused"));
  CHECK(RefusalIn(f.Host(call)).starts_with("The user refused"));
  f.decider.approved.insert("review of " + f.decider.last_digest.substr(0, 4));
  CHECK(f.Host(call).starts_with("> "));
  f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}})");
}

TEST_CASE("an answer to a modern form that comes late is an answer") {
  Fixture f;
  f.List();
  const auto ticket_in = [](const std::string& taken) {
    return TextAt(ParseJson(taken.substr(2)).json["result"], "requestState");
  };
  const auto repeat = [](const std::string& ticket, const std::string& answer) {
    return CallLine("2", "held", "{}",
                    R"("inputResponses":{"rpl-guard-review":)" + answer + R"(},"requestState":")" +
                        ticket + "\"," + kModern);
  };
  const std::string yes = R"({"action":"accept","content":{"decision":"approve"}})";
  const std::string ticket = ticket_in(f.Host(CallLine("1", "held", "{}", kModern)));
  f.now += 11h;
  CHECK(f.Host(repeat(ticket, yes)).starts_with("> "));
}

TEST_CASE("a form shows all arguments of a call, or the call is not put into one") {
  Fixture f;
  f.Begin(R"({"elicitation":{}})");
  const auto message = [](const std::string& taken) {
    const ordered_json json = ParseJson(taken.substr(2)).json;
    CHECK(TextAt(json, "method") == "elicitation/create");
    return TextAt(json["params"], "message");
  };
  CHECK(message(f.Host(CallLine("1", "held",
                                R"({"invoice":"Chairs.)" + std::string(3000, ' ') +
                                    R"(","to":"mallory","note":"x\nTool: free\u202e"})"))) ==
        "A policy holds this call for you: look first\nTool: held\nArguments:\n  invoice: "
        "\"Chairs.\" + 3000 × \" \" + \"\"\n  to: \"mallory\"\n  note: \"x\\nTool: "
        "free\\u202e\"");
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word ";
  const std::string call = R"({"invoice":")" + text + R"(","to":"mallory"})";
  for (const std::string& era : {std::string(), kModern})
    CHECK(RefusalIn(f.Host(CallLine("2", "held", call, era)))
              .starts_with("The call is too long to be shown to the user in a form. Held for a "
                           "person's review (review of "));
}

TEST_CASE("whoever waits for a message that cannot be read is told at once") {
  Fixture f;
  f.Begin(R"({"elicitation":{}})");
  const std::string half = R"("\ud83d")";
  // Of the host: a call, a request, an answer to the gateway, an answer to the server.
  CHECK(RefusalIn(f.Host(CallLine("1", "free", R"({"t":)" + half + "}"))).starts_with("Refused: "));
  CHECK(f.Host(R"({"jsonrpc":"2.0","id":2,"method":"x","params":{"a":1,"a":2}})")
            .starts_with(R"(< {"jsonrpc":"2.0","id":2,"error":{"code":-32700)"));
  const std::string deep = CallLine("3", "free", R"({"t":)" + std::string(20'000, '[') + "}");
  CHECK(f.Host(deep).starts_with(R"(< {"jsonrpc":"2.0","id":3,"error":{"code":-32700)"));
  const ordered_json asked = ParseJson(f.Host(CallLine("4", "held", "{}")).substr(2)).json;
  CHECK(RefusalIn(f.Host(R"({"jsonrpc":"2.0","id":)" + DumpJson(asked["id"]) +
                         R"(,"result":{"action":)" + half + "}}"))
            .starts_with("The form for the user came back without a decision. "));
  f.Server(R"({"jsonrpc":"2.0","id":"s","method":"roots/list"})");
  for (const char* result : {R"({"a":1,"a":2})", R"("none")"})
    CHECK(f.Host(R"({"jsonrpc":"2.0","id":"s","result":)" + std::string(result) + "}")
              .starts_with(R"(> {"jsonrpc":"2.0","id":"s","error":{"code":-32603)"));
  // Of the server: a result, in which half a character is read, and a request.
  f.Host(CallLine("5", "free", "{}"));
  CHECK(f.Server(R"({"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":)" + half +
                 "}]}}") ==
        "< "
        R"({"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"\ufffd"}]}})"
        "\n");
  CHECK(f.decider.ended.back() == "free 0 ok 0");
  f.Host(CallLine("6", "free", "{}"));
  CHECK(RefusalIn(f.Server(R"({"jsonrpc":"2.0","id":6,"result":{"a":1,"a":2}})")) ==
        "The call failed: the server's answer cannot be read.");
  CHECK(f.decider.ended.back() == "free 1 failed 0");
  for (const char* params : {R"({"a":1,"a":2})", "[]"})
    CHECK(f.Server(R"({"jsonrpc":"2.0","id":"s","method":"roots/list","params":)" +
                   std::string(params) + "}")
              .starts_with(R"(> {"jsonrpc":"2.0","id":"s","error":{"code":-32600)"));
}

TEST_CASE("a tool that appears after all were listed is not passed") {
  Fixture f;
  f.List();
  f.Server(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  f.Host(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  const std::string both =
      R"("result":{"tools":[{"name":"free","inputSchema":{"type":"object"}},{"name":"new"}]}})";
  CHECK(f.Server(R"({"jsonrpc":"2.0","id":1,)" + both).find("new") == std::string::npos);
  CHECK(RefusalIn(f.Host(CallLine("2", "new", "{}"))) == "Refused: it is new");
  CHECK(f.Host(CallLine("3", "free", "{}")).starts_with("> "));
  CHECK(RefusalIn(f.Host(CallLine("4", "hidden", "{}"))) ==
        "Refused: the server lists no tool of this name.");
}

TEST_CASE("pages that the host does not ask for are listed before a call") {
  Fixture f;
  f.Host(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"free"}],"nextCursor":"2"}})");
  CHECK_FALSE(f.decider.listed_all);
  const std::string asked = f.Host(CallLine("2", "free", "{}"));
  CHECK(asked.find("tools/list") != asked.npos);
  const std::string id = DumpJson(ParseJson(asked.substr(2)).json["id"]);
  CHECK(f.Server(R"({"jsonrpc":"2.0","id":)" + id +
                 R"(,"result":{"tools":[{"name":"free"},{"name":"more"}]}})") ==
        "> " + CallLine("2", "free", "{}") + "\n");
  CHECK(f.decider.listed_all);
}

TEST_CASE("a further round that the server asked for is the same call") {
  Fixture f;
  f.List();
  const std::string asks =
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"w":{"method":"elicitation/create","params":{"message":"Which?"}}},"requestState":"s \u00e9"}})";
  const std::string more = R"("inputResponses":{"w":{"action":"cancel"}},"requestState":"s é",)";
  f.Host(CallLine("1", "write", R"({"path":"x"})", kModern));
  CHECK(f.Server(asks) == "< " + asks + "\n");
  CHECK(f.decider.ended.empty());
  const std::string next = CallLine("2", "write", R"({"path":"x"})", more + kModern);
  CHECK(f.Host(next) == "> " + next + "\n");
  CHECK(f.decider.seen.back() == R"(write {"path":"x"} again)");
  f.Server(R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}})");
  CHECK(f.decider.ended == std::vector<std::string>{"write 0 ok 0"});
  // The state is used up, and it is not that of other arguments.
  f.Host(CallLine("3", "write", R"({"path":"x"})", more + kModern));
  CHECK(f.decider.seen.back() == R"(write {"path":"x"})");

  const std::string secret =
      R"({"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","inputRequests":{"w":{"method":"elicitation/create","params":{"message":"Your API key?"}}}}})";
  f.Host(CallLine("4", "write", R"({"path":"x"})", kModern));
  CHECK(RefusalIn(f.Server(secret)).starts_with("The server asked for a secret"));
}

TEST_CASE("lists leave out tools that cannot be called") {
  Fixture f;
  f.Host(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  const std::string listed = f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"tools":)" + kTools +
                                      R"(,"ttlMs":5,"cacheScope":"public"}})");
  CHECK(listed.find("forbidden") == listed.npos);
  CHECK(listed.find(R"("ttlMs":5,"cacheScope":"private")") != listed.npos);
  const std::string few =
      R"({"jsonrpc":"2.0", "id":2,"result":{"tools":[{"name":"held","inputSchema":{"type":"object"}}],"cacheScope":"public"}})";
  f.Host(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  CHECK(f.Server(few) == "< " + few + "\n");
}

TEST_CASE("a tool whose definition changed is neither listed nor called") {
  Fixture f;
  f.List();
  f.Host(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  CHECK(
      f.Server(
          R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"free","description":"d","inputSchema":{"type":"object"}}]}})") ==
      "< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n");
  CHECK(RefusalIn(f.Host(CallLine("2", "free", "{}"))) == "Refused: its definition changed");
  f.decider.pins.clear();  // approved
  f.decider.listed_all = false;
  CHECK(f.Host(CallLine("2", "free", "{}")).starts_with("> "));

  f.Host(R"({"jsonrpc":"2.0","id":3,"method":"tools/list"})");
  CHECK(
      f.Server(
          R"({"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"new","description":"evil"},{"name":"new"}]}})") ==
      "< {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[]}}\n");
  CHECK(f.Host(CallLine("4", "new", "{}")).starts_with("< "));
}

TEST_CASE("the gateway lists the tools itself before a call of one that it does not know") {
  Fixture f;
  const std::string call = CallLine("1", "write", R"({"path":"x","n":"1"})", kModern);
  const std::string ping = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";
  const auto id_of = [](const std::string& asked) {
    const ordered_json json = ParseJson(asked.substr(2)).json;
    CHECK(TextAt(json, "method") == "tools/list");
    CHECK(json["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28");
    return TextAt(json, "id");
  };
  std::string id = id_of(f.Host(call));
  CHECK(f.gateway.holds());
  CHECK(f.Host(ping).empty());
  SECTION("it is listed, in pages") {
    id = id_of(f.Server(R"({"jsonrpc":"2.0","id":")" + id +
                        R"(","result":{"tools":[],"nextCursor":"c"}})"));
    const std::string taken =
        f.Server(R"({"jsonrpc":"2.0","id":")" + id + R"(","result":{"tools":)" + kTools + "}}");
    CHECK(taken.starts_with("> " + ping + "\n< "));  // the call does not fit the schema
    CHECK(taken.find("/n: expected the type number") != taken.npos);
    CHECK_FALSE(f.gateway.holds());
  }
  SECTION("the server has no list") {
    CHECK(f.Server(R"({"jsonrpc":"2.0","id":")" + id +
                   R"(","error":{"code":-32601,"message":"no"}})") ==
          "> " + call + "\n> " + ping + "\n");
  }
  SECTION("the server does not answer: all that waited goes on at once") {
    CHECK(f.Host(CallLine("3", "write", R"({"path":"x"})")).empty());
    f.now += 31s;
    f.gateway.Tick(f.now);
    const std::string taken = f.Taken();
    const std::string late = "did not list its tools in time";
    CHECK(taken.starts_with("> " + ping + "\n< "));
    CHECK(taken.find(late) != taken.npos);
    CHECK(taken.find(late) != taken.rfind(late));
    CHECK_FALSE(f.gateway.holds());
    CHECK(id_of(f.Host(call)) != id);  // the next call asks again
  }
  SECTION("the server ends") {
    f.gateway.ServerEnded("it ended", f.now);
    const std::string taken = f.Taken();
    CHECK(taken.find(R"("id":1,"result":{"resultType":"complete")") != taken.npos);
    CHECK(taken.find(R"("id":2,"error")") != taken.npos);
  }
}

TEST_CASE("the end of the server answers what is open") {
  Fixture f;
  f.Begin();
  f.Host(CallLine("1", "write", R"({"path":"x"})"));
  f.Host(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  f.gateway.ServerEnded("the server ended with status 3", f.now);
  CHECK(
      f.Taken() ==
      R"(< {"jsonrpc":"2.0","id":"p","error":{"code":-32603,"message":"the server ended with status 3"}})"
      "\n"
      R"(< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"The call failed: the server ended with status 3."}],"isError":true}})"
      "\n");
  CHECK(f.decider.ended == std::vector<std::string>{"write 0 failed 0"});
  CHECK(RefusalIn(f.Host(CallLine("2", "write", R"({"path":"x"})"))) ==
        "the server ended with status 3");
  CHECK_FALSE(f.gateway.busy());
}

TEST_CASE("noise of the server is dropped") {
  Fixture f;
  f.Begin();
  for (const char* line : {"Server started!", "{", "42", "null", R"({"level":"info","msg":"up"})",
                           R"({"jsonrpc":"2.0"})", R"([1])"})
    CHECK(f.Server(line).empty());
  CHECK(f.gateway.noise() == 7);
  f.Host(CallLine("1", "write", R"({"path":"x"})"));
  CHECK(RefusalIn(f.Server(R"({"jsonrpc":"2.0","id":1,"result":{"content":[],"content":[1]}})")) ==
        "The call failed: the server's answer cannot be read.");
  f.Host(CallLine("1", "write", R"({"path":"x"})"));
  CHECK(RefusalIn(f.Server(R"({"jsonrpc":"2.0","id":1,"result":{},"Result":{"content":[]}})")) ==
        "The call failed: the server's answer cannot be read.");
}

TEST_CASE("a form of the server that asks for a secret is declined") {
  Fixture f;
  CHECK(
      f.Server(
          R"({"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"message":"Your password?"}})") ==
      "> {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"action\":\"decline\"}}\n");
  CHECK(f.decider.notes.size() == 1);
  const std::string plain =
      R"({"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"message":"Which town?"}})";
  CHECK(f.Server(plain) == "< " + plain + "\n");
}

TEST_CASE("names and methods that pass for others are known") {
  CHECK(NameFault("read_file").empty());
  CHECK(NameFault("lösche-datei").empty());
  CHECK(NameFault("日本語").empty());
  CHECK_FALSE(NameFault("").empty());
  CHECK_FALSE(NameFault("a\xC2\xA0"
                        "b")
                  .empty());
  CHECK_FALSE(NameFault("lo\xCC\x88sche").empty());
  CHECK(LooksLikeCall("tools/call"));
  CHECK(LooksLikeCall("TOOLS/CALL\n"));
  CHECK(LooksLikeCall("tool\xC5\xBF/call"));
  CHECK_FALSE(LooksLikeCall("tools/list"));
  CHECK_FALSE(LooksLikeCall("tasks/call"));
}

TEST_CASE("an answer that is too long ends its call") {
  Fixture f;
  f.Begin();
  f.Host(CallLine("1", "free", "{}"));
  f.Host(CallLine("2", "free", "{}"));
  f.Host(R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  CHECK(LongFromServer(f, {nullptr, true, false}).empty());
  CHECK(LongFromServer(f, {9, false, true}).empty());
  CHECK(RefusalIn(LongFromServer(f, {2, false, true})) ==
        "The call failed: the server's answer has more than 16 MiB, the most that the gateway "
        "passes.");
  CHECK(f.decider.ended.back() == "free 1 failed 0");
  CHECK(LongFromServer(f, {3, false, true}).starts_with(R"(< {"jsonrpc":"2.0","id":3,"error")"));
  // A request of the server with the id of a call is not its answer.
  CHECK(LongFromServer(f, {1, true, false, true})
            .starts_with(R"(> {"jsonrpc":"2.0","id":1,"error")"));
  CHECK(f.Server(R"({"jsonrpc":"2.0","id":1,"result":{}})").starts_with("< "));
}

TEST_CASE("a list that is too long fails the calls that wait for it") {
  Fixture f;
  const std::string asked = f.Host(CallLine("1", "write", R"({"path":"a"})"));
  const ordered_json id = ParseJson(asked.substr(2)).json["id"];
  CHECK(RefusalIn(LongFromServer(f, {id, false, true})) ==
        "Refused: the server did not list its tools in time.");
}

TEST_CASE("a message of the host that is too long is answered") {
  Fixture f;
  f.Begin(R"({"elicitation":{}})");
  CHECK(LongFromHost(f, {"a", true, false, true}) ==
        R"(< {"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":)"
        "\"a line has more than 16 MiB\"}}\n");
  CHECK(LongFromHost(f, {nullptr, true, false}).empty());
  CHECK(LongFromHost(f, {}).starts_with(R"(< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"));
  // The server is told about an answer that it does not get.
  CHECK(LongFromHost(f, {"s1", false, true})
            .starts_with(R"(> {"jsonrpc":"2.0","id":"s1","error":{"code":-32603,)"));
  const std::string asked = f.Host(CallLine("1", "held", "{}"));
  const ordered_json id = ParseJson(asked.substr(2)).json["id"];
  CHECK(RefusalIn(LongFromHost(f, {id, false, true}))
            .starts_with("The form for the user came back without a decision. "));
}

TEST_CASE("nothing is sent for a call that the host cancelled") {
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  const std::string result = R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})";
  for (const bool answers : {true, false}) {
    Fixture f;
    f.Begin();
    f.Host(CallLine("1", "free", "{}"));
    CHECK(f.Host(cancel) == "> " + cancel + "\n");
    CHECK((answers ? f.Server(result) : "").empty());
    f.gateway.ServerEnded("it ended", f.now);
    CHECK(f.Taken().empty());
    CHECK(f.decider.ended == std::vector<std::string>{answers ? "free 0 ok 0" : "free 0 failed 0"});
  }
}

TEST_CASE("a form that comes back without a decision is no refusal of the user") {
  for (const char* content : {"{}", R"({"decision":""})", R"({"decision":true})"}) {
    Fixture f;
    f.Begin(R"({"elicitation":{}})");
    const ordered_json asked = ParseJson(f.Host(CallLine("1", "held", "{}")).substr(2)).json;
    const std::string answer = R"({"action":"accept","content":)" + std::string(content) + "}";
    CHECK(RefusalIn(f.Host(R"({"jsonrpc":"2.0","id":)" + DumpJson(asked["id"]) + R"(,"result":)" +
                           answer + "}"))
              .starts_with("The form for the user came back without a decision. Held for a "
                           "person's review (review of "));
    const ordered_json modern =
        ParseJson(f.Host(CallLine("2", "held", "{}", kModern)).substr(2)).json;
    CHECK(RefusalIn(f.Host(CallLine("3", "held", "{}",
                                    kModern + R"(,"inputResponses":{"rpl-guard-review":)" + answer +
                                        R"(},"requestState":)" +
                                        DumpJson(modern["result"]["requestState"]))))
              .starts_with("The form for the user came back without a decision. "));
  }
}

}  // namespace
}  // namespace rpl
