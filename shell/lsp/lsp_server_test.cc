// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/lsp_server.h"

#include <catch2/catch.hpp>
#include <condition_variable>

#include "formats/data/json_text.h"

namespace rpl::lsp {
namespace {

// A server, and what it has sent.
struct Driven {
  std::mutex mutex;
  std::condition_variable came;
  std::vector<Json> sent;
  std::unique_ptr<LspServer> server = std::make_unique<LspServer>([this](const Json& message) {
    const std::lock_guard lock(mutex);
    sent.push_back(message);
    came.notify_all();
  });

  // The first message, from the beginning, that fits; null if none comes.
  Json WaitFor(const std::function<bool(const Json&)>& wanted) {
    std::unique_lock lock(mutex);
    Json out;
    came.wait_for(lock, std::chrono::seconds(60), [&] {
      const auto at = std::ranges::find_if(sent, wanted);
      if (at != sent.end()) out = *at;
      return at != sent.end();
    });
    return out;
  }

  void Notify(const std::string& method, Json params) {
    server->Take(DumpJson(RpcNotification(method, std::move(params))));
  }
  Json Call(int id, const std::string& method, Json params) {
    server->Take(DumpJson(RpcRequest(id, method, std::move(params))));
    return WaitFor([&](const Json& m) { return m.value("id", Json()) == id; });
  }
  void Open(const std::string& uri, const std::string& text) {
    Notify(
        "textDocument/didOpen",
        {{"textDocument", {{"uri", uri}, {"languageId", "rpl"}, {"version", 1}, {"text", text}}}});
  }
  Json FindingsOf(const std::string& uri, int version) {
    return WaitFor([&](const Json& m) {
      return m.value("method", "") == "textDocument/publishDiagnostics" &&
             m["params"]["uri"] == uri && m["params"].value("version", 0) >= version;
    });
  }
};

TEST_CASE("findings are those of the last of many changes") {
  Driven driven;
  driven.Call(1, "initialize", {{"capabilities", Json::object()}});
  const std::string uri = "file:///nowhere/at/all/a.rpl";
  driven.Open(uri, "p(1)\n");
  for (int version = 2; version <= 60; ++version) {
    driven.Notify("textDocument/didChange",
                  {{"textDocument", {{"uri", uri}, {"version", version}}},
                   {"contentChanges", Json::array({{{"range",
                                                     {{"start", {{"line", 0}, {"character", 0}}},
                                                      {"end", {{"line", 0}, {"character", 0}}}}},
                                                    {"text", version == 60 ? "(" : "q(1)\n"}}})}});
    if (version % 10 == 0)
      driven.Call(100 + version, "textDocument/semanticTokens/full",
                  {{"textDocument", {{"uri", uri}}}});
  }
  const Json findings = driven.FindingsOf(uri, 60);
  REQUIRE(findings.is_object());
  CHECK(findings["params"]["version"] == 60);
  CHECK(findings["params"]["diagnostics"][0]["severity"] == 1);
  driven.Notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  CHECK(driven
            .WaitFor([&](const Json& m) {
              return m.value("method", "") == "textDocument/publishDiagnostics" &&
                     !m["params"].contains("version");
            })
            .is_object());
}

TEST_CASE("half a character in a change is U+FFFD, and later places are right") {
  Driven driven;
  driven.Call(1, "initialize", {{"capabilities", Json::object()}});
  const std::string uri = "file:///nowhere/at/all/a.rpl";
  driven.Open(uri, "p(\"\")\n");
  const auto change = [&](int version, int from, int to, const std::string& escaped) {
    const Json range = {{"start", {{"line", 0}, {"character", from}}},
                        {"end", {{"line", 0}, {"character", to}}}};
    std::string body = DumpJson(
        RpcNotification("textDocument/didChange",
                        {{"textDocument", {{"uri", uri}, {"version", version}}},
                         {"contentChanges", Json::array({{{"range", range}, {"text", "@"}}})}}));
    body.replace(body.find('@'), 1, escaped);
    driven.server->Take(body);
  };
  // Half, two escaped backslashes, a whole character, the other half.
  change(2, 3, 3, R"(\uD83d\\\\ud800 \ud83d\ude00\udE00)");
  change(3, 16, 17, ") q");  // the closing bracket
  const Json findings = driven.FindingsOf(uri, 3);
  REQUIRE(findings.is_object());
  CHECK(findings["params"]["diagnostics"][0]["range"]["start"] ==
        Json({{"line", 0}, {"character", 18}}));
}

TEST_CASE("an evaluation is cancelled, and one that waits as well") {
  Driven driven;
  driven.Call(1, "initialize", {{"capabilities", Json::object()}});
  const std::string uri = "untitled:endless";
  driven.Open(uri, "n(0)\nn(?y) <- n(?x), ?y = ?x + 1\nm(?x, ?y) <- n(?x), n(?y), ?x + ?y = -1\n");
  for (int id = 10; id < 14; ++id)
    driven.server->Take(DumpJson(
        RpcRequest(id, "workspace/executeCommand",
                   {{"command", "rpl.answers"}, {"arguments", Json::array({uri, "m(?x, ?y)"})}})));
  for (int id = 10; id < 14; ++id) driven.Notify("$/cancelRequest", {{"id", id}});
  for (int id = 10; id < 14; ++id) {
    const Json answer = driven.WaitFor([&](const Json& m) { return m.value("id", Json()) == id; });
    REQUIRE(answer.is_object());
    CHECK(answer["error"]["code"] == kRequestCancelled);
  }
}

TEST_CASE("a server may end while it works") {
  for (int i = 0; i < 5; ++i) {
    Driven driven;
    driven.Call(1, "initialize", {{"capabilities", Json::object()}});
    driven.Open("untitled:a", "n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n");
    driven.server->Take(DumpJson(RpcRequest(
        2, "workspace/executeCommand",
        {{"command", "rpl.answers"}, {"arguments", Json::array({"untitled:a", "n(-1)"})}})));
    driven.server.reset();
  }
  Driven driven;
  CHECK_FALSE(driven.server->exit_code());
  driven.Notify("exit", Json::object());
  CHECK(driven.server->exit_code() == 1);
}

}  // namespace
}  // namespace rpl::lsp
