// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/rpc_server.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "formats/data/json_text.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/run_files.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// A server with one protocol, in a folder that is removed at the end.
struct Served {
  std::string folder = std::filesystem::canonical(std::filesystem::temp_directory_path()) /
                       ("served-" + RandomText(9));
  std::unique_ptr<McpService> service;
  std::unique_ptr<RpcServer> server;
  std::shared_ptr<McpPeer> peer = std::make_shared<McpPeer>("local");
  std::mutex mutex;
  std::condition_variable came;
  std::vector<ordered_json> sent;
  std::vector<RpcFault> faults;

  Served() {
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/a.rpl") << "p(1)\n%a(?x) <- p(?x)\n";
    ProtocolFolder protocols;
    REQUIRE(protocols.Add({folder}).empty());
    REQUIRE(RunFiles::Make(folder + "/runs").empty());
    service = std::make_unique<McpService>(EngineOptions{}, std::move(protocols),
                                           std::make_unique<RunFiles>(folder + "/runs"), Sealer());
    server = std::make_unique<RpcServer>(*service);
  }
  ~Served() {
    service->stopping = true;
    service->pool.Stop();
    std::filesystem::remove_all(folder);
  }

  void Line(const std::string& line) {
    server->TakeLine(
        peer, line,
        [this](const ordered_json& message) {
          const std::lock_guard lock(mutex);
          sent.push_back(message);
          came.notify_all();
        },
        [this](const RpcFault& fault) { faults.push_back(fault); });
  }

  // The response to a line, null if none comes.
  ordered_json Ask(const std::string& line) {
    const std::size_t before = sent.size();
    Line(line);
    std::unique_lock lock(mutex);
    came.wait_for(lock, std::chrono::seconds(10), [&] { return sent.size() > before; });
    return sent.size() > before ? sent.back() : ordered_json();
  }
};

std::string Modern(const std::string& method, const std::string& version = "2026-07-28") {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method +
         R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":")" + version +
         R"(","io.modelcontextprotocol/clientCapabilities":{}}}})";
}

std::string Legacy(const std::string& method, const std::string& params = "{}") {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}";
}

TEST_CASE("the era is decided for each message") {
  Served served;
  CHECK(served.Ask(Legacy("ping"))["result"] == ordered_json::object());
  CHECK(served.Ask(Legacy("server/discover"))["error"]["code"] == kRpcInvalidParams);
  const ordered_json found = served.Ask(Modern("server/discover"));
  CHECK(found["result"]["supportedVersions"] == ordered_json({"2026-07-28"}));
  CHECK(served.Ask(Modern("ping"))["error"]["code"] == kRpcMethodNotFound);
  CHECK_FALSE(served.Ask(Legacy("tools/list"))["result"].contains("resultType"));
  CHECK(served.Ask(Modern("tools/list"))["result"]["resultType"] == "complete");
  CHECK(served.Ask(Legacy("initialize",
                          R"({"protocolVersion":"2025-06-18"})"))["result"]["protocolVersion"] ==
        "2025-06-18");
  CHECK(served.Ask(Modern("tools/list"))["result"]["resultType"] == "complete");
  CHECK_FALSE(served.Ask(Legacy("tools/list"))["result"].contains("ttlMs"));
}

TEST_CASE("a version that is not served is refused, or answered with another one") {
  Served served;
  const ordered_json refused = served.Ask(Modern("tools/list", "2099-01-01"))["error"];
  CHECK(refused["code"] == kRpcUnsupportedVersion);
  CHECK(refused["data"]["requested"] == "2099-01-01");
  for (const char* version : {"2099-01-01", "2026-07-28", "", "1"}) {
    const std::string params = std::string(R"({"protocolVersion":")") + version + R"("})";
    CHECK(served.Ask(Legacy("initialize", params))["result"]["protocolVersion"] == "2025-11-25");
  }
  CHECK(served.Ask(Legacy("initialize"))["error"]["code"] == kRpcInvalidParams);
}

TEST_CASE("an id comes back as it was, and what may be a request is answered") {
  Served served;
  for (const char* id : {"0", "\"\"", "\"1\"", "1", "9007199254740993", "123456789012345678901"}) {
    const std::string line = std::string(R"({"jsonrpc":"2.0","method":"ping","id":)") + id + "}";
    CHECK(DumpJson(served.Ask(line)["id"]) == id);
  }
  const std::size_t before = served.sent.size();
  for (const char* line :
       {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
        R"({"jsonrpc":"2.0","id":5,"result":{}})", R"({"jsonrpc":"2.0","id":5,"result":1})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}})"})
    served.Line(line);
  CHECK(served.sent.size() == before);
  CHECK(served.faults.size() == 1);
  for (const char* line : {"nonsense", R"({"jsonrpc":"2.0","id":null})", "[]", "{}", "5", R"("x")",
                           R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":true,"method":"ping"})"}) {
    const ordered_json answer = served.Ask(line);
    CHECK(answer["id"].is_null());
    CHECK(answer["error"]["code"] ==
          (std::string_view(line) == "nonsense" ? kRpcParseError : kRpcInvalidRequest));
  }
}

TEST_CASE("a cancelled call gets no response") {
  Served served;
  const auto call = std::make_shared<McpCall>();
  call->peer = served.peer;
  call->id = 5;
  int sent = 0;
  call->send = [&](const ordered_json&) { ++sent; };
  int stopped = 0;
  call->OnCancel([&] { ++stopped; });
  call->Cancel();
  CHECK(stopped == 1);
  CHECK_FALSE(call->Reply(ordered_json::object()));
  CHECK(sent == 0);
  CHECK(call->done());
}

TEST_CASE("only the first result of a call counts") {
  Served served;
  const auto call = std::make_shared<McpCall>();
  call->peer = served.peer;
  call->id = 5;
  call->revision = "2025-11-25";
  std::vector<ordered_json> sent;
  call->send = [&](const ordered_json& message) { sent.push_back(message); };
  CHECK(call->ReplyTool({{"a", 1}}, false));
  CHECK_FALSE(call->Fail(kRpcInternalError, "late"));
  REQUIRE(sent.size() == 1);
  CHECK(sent[0]["result"]["structuredContent"]["a"] == 1);
  CHECK(sent[0]["result"]["content"][0]["text"] == R"({"a":1})");
}

TEST_CASE("numbers of the server's own questions") {
  CHECK(QuestionNumber(QuestionId(7)) == 7);
  for (const ordered_json& id : {ordered_json(7), ordered_json("rpl-"), ordered_json("rpl-07"),
                                 ordered_json("rpl-7 "), ordered_json(nullptr), ordered_json("x")})
    CHECK(QuestionNumber(id) == 0);
  CHECK(QuestionSeal(QuestionId(7)) == "");
  CHECK(QuestionNumber(QuestionId(7, "r1.a.b")) == 7);
  CHECK(QuestionSeal(QuestionId(7, "r1.a.b")) == "r1.a.b");
  CHECK(QuestionNumber("rpl-7/") == 0);
  CHECK(QuestionSeal("x/r1.a.b") == "");
}

}  // namespace
}  // namespace rpl
