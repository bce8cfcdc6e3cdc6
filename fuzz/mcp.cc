// SPDX-License-Identifier: Apache-2.0
//
// Feeds the input to the dispatcher of `rpl mcp`, line by line, as a host sends it, then as the
// texts that go through a client and come back: seals, names of protocols, headers of HTTP.
//
// Whatever comes in, what comes out is JSON-RPC 2.0: a request or a notification with a method, or
// a response with a result or an error, to an id that came in. No message is answered twice.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "formats/data/json_text.h"
#include "fuzz/require.h"
#include "shell/mcp/http_address.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/rpc_server.h"
#include "shell/mcp/run_files.h"

namespace rpl::fuzz {
namespace {

constexpr std::size_t kMostLines = 40;

// A server with one protocol, for all inputs.
struct McpUnderTest {
  std::string folder =
      std::filesystem::canonical(std::filesystem::temp_directory_path()) / ("mcp-" + RandomText(9));
  std::unique_ptr<McpService> service;
  std::unique_ptr<RpcServer> server;

  McpUnderTest() {
    std::filesystem::create_directories(folder + "/protocols");
    std::ofstream(folder + "/protocols/a.rpl")
        << "p(1)\n%a(?x, ?y) <- p(?x), ?y = $ask(\"Which?\")\n";
    ProtocolFolder protocols;
    Require(protocols.Add({folder + "/protocols"}).empty(), "the folder", folder);
    Require(RunFiles::Make(folder + "/runs").empty(), "the runs", folder);
    EngineOptions engine;
    engine.limits.max_seconds = 0.05;
    engine.limits.max_rows = 1000;
    service = std::make_unique<McpService>(engine, std::move(protocols),
                                           std::make_unique<RunFiles>(folder + "/runs"), Sealer());
    service->ask_timeout = service->reply_within = std::chrono::milliseconds(200);
    server = std::make_unique<RpcServer>(*service);
  }
};

void CheckSent(const nlohmann::ordered_json& message) {
  if (message.is_array()) {
    for (const auto& each : message) CheckSent(each);
    return;
  }
  const std::string text = DumpJson(message);
  Require(message.is_object() && message.value("jsonrpc", "") == "2.0", "JSON-RPC", text);
  Require(text.find('\n') == std::string::npos, "one line", text);
  const bool response = message.contains("result") != message.contains("error");
  Require(message.contains("method") || (response && message.contains("id")), "a message", text);
}

void Feed(std::string_view input) {
  static auto& under = *new McpUnderTest();
  auto peer = std::make_shared<McpPeer>("local");
  const McpSink send = [](const nlohmann::ordered_json& message) { CheckSent(message); };
  peer->send = send;
  RpcLines lines(std::size_t{1} << 16);
  std::size_t count = 0;
  lines.Feed(
      std::string(input) + "\n",
      [&](std::string_view line) {
        if (++count <= kMostLines) under.server->TakeLine(peer, line, send, [](const RpcFault&) {});
      },
      [&](const RpcOutline& outline) {
        if (const auto error = RpcTooLongError(outline)) send(*error);
      });
  for (int i = 0; i < 20; ++i) {  // calls on their way
    {
      const std::lock_guard lock(peer->mutex);
      if (peer->calls.empty()) break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  RpcServer::Leave(*peer);
  // Nothing of it runs when the process ends. A task between the queue and its work is in neither.
  for (int idle = 0; idle < 3; idle = under.service->IsIdle() ? idle + 1 : 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::string text(input);
  Require(!under.service->seals.Open("requestState", text, 0), "a seal of nobody", text);
  if (const auto path = under.service->protocols.Find(text))
    Require(*path == under.folder + "/protocols/a.rpl", "a path outside", *path);
  Require(!HeaderText(text) || HeaderText(text)->size() <= text.size(), "a header grows", text);
  IsLocalHost(text);
  IsHandle(text);
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rpl::fuzz::Feed({reinterpret_cast<const char*>(data), size});
  return 0;
}
