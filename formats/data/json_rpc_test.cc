// SPDX-License-Identifier: Apache-2.0
#include "formats/data/json_rpc.h"

#include <catch2/catch.hpp>
#include <vector>

#include "formats/data/json_text.h"

namespace rpl {
namespace {

// "request 1 ping {}", "fault -32600 null …"
std::string Shown(std::string_view text) {
  const auto read = ReadRpc(text);
  if (const auto* fault = std::get_if<RpcFault>(&read))
    return "fault " + std::to_string(fault->code) + " " + fault->id.dump();
  const auto& m = std::get<RpcMessage>(read);
  switch (m.kind) {
    case RpcMessage::Kind::kRequest:
      return "request " + DumpJson(m.id) + " " + m.method + " " + DumpJson(m.params);
    case RpcMessage::Kind::kNotification:
      return "notification " + m.method + " " + DumpJson(m.params);
    case RpcMessage::Kind::kResponse: break;
  }
  return "response " + DumpJson(m.id) + " " + DumpJson(m.error.is_null() ? m.result : m.error);
}

TEST_CASE("each kind of message is read by what it has") {
  CHECK(Shown(R"({"jsonrpc":"2.0","id":1,"method":"ping"})") == "request 1 ping {}");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":"1","method":"a","params":{"b":1},"x":2})") ==
        R"(request "1" a {"b":1})");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":18446744073709551616,"method":"a"})") ==
        "request 18446744073709551616 a {}");
  CHECK(Shown(R"({"jsonrpc":"2.0","method":"a"})") == "notification a {}");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":1,"result":{"c":3}})") == R"(response 1 {"c":3})");
  CHECK(Shown(R"({"jsonrpc":"2.0","error":{"code":-1,"message":"m"}})") ==
        R"(response null {"code":-1,"message":"m"})");
}

TEST_CASE("what is no message is a fault with the id to answer to") {
  CHECK(Shown("{") == "fault -32700 null");
  CHECK(Shown(R"({"id":1,"id":2})") == "fault -32700 null");
  CHECK(Shown(std::string(300, '[')) == "fault -32700 null");
  CHECK(Shown("[]") == "fault -32600 null");
  CHECK(Shown("{}") == "fault -32600 null");
  CHECK(Shown(R"({"id":7,"method":"a"})") == "fault -32600 7");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":7})") == "fault -32600 7");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":null,"method":"a"})") == "fault -32600 null");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":1.5,"method":"a"})") == "fault -32600 null");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":7,"method":1})") == "fault -32600 7");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":7,"method":"a","params":[1]})") == "fault -32602 7");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":7,"result":{},"error":{}})") == "fault -32600 null");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":7,"result":1})") == "fault -32600 null");
  CHECK(Shown(R"({"jsonrpc":"2.0","id":7,"error":{"code":"x"}})") == "fault -32600 null");
}

TEST_CASE("half of a character is read, and what cannot be read has the id to answer to") {
  const auto text_in = [](const std::string& text) {
    const auto read =
        ReadRpc(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"t":")" + text + "\"}}");
    REQUIRE(std::holds_alternative<RpcMessage>(read));
    return std::get<RpcMessage>(read).params["t"].get<std::string>();
  };
  const std::string lost = "\xEF\xBF\xBD";
  CHECK(text_in(R"(cut \ud83d)") == "cut " + lost);
  CHECK(text_in(R"(\ude00 cut)") == lost + " cut");
  CHECK(text_in(R"(\ud83d\ud83d\ude00)") == lost + "\xF0\x9F\x98\x80");
  CHECK(text_in(R"(\\ud83d \ud83dx)") == "\\ud83d " + lost + "x");
  CHECK(text_in("a\xff\xed\xa0\x80")[0] == 'a');
  CHECK(text_in(R"(\ud83d\ude00)") == "\xF0\x9F\x98\x80");
  const auto id_of = [](const std::string& text) {
    const auto read = ReadRpc(text);
    REQUIRE(std::holds_alternative<RpcFault>(read));
    return DumpJson(std::get<RpcFault>(read).id);
  };
  CHECK(id_of(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"a":2}})") == "7");
  CHECK(id_of(R"({"jsonrpc":"2.0","method":"m","id":"x","params":)" + std::string(300, '[') +
              "}") == "\"x\"");
  CHECK(id_of(R"({"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}})") == "null");  // a response
  CHECK(id_of(R"({"jsonrpc":"2.0","id":1.5,"method":"m",)") == "null");
}

TEST_CASE("messages that are written are read back") {
  CHECK(Shown(DumpJson(RpcRequest(1, "a", {{"b", 2}}))) == R"(request 1 a {"b":2})");
  CHECK(Shown(DumpJson(RpcNotification("a"))) == "notification a {}");
  CHECK(Shown(DumpJson(RpcResult("x", {{"b", 2}}))) == R"(response "x" {"b":2})");
  CHECK(DumpJson(RpcError(nullptr, -32700, "no")) ==
        R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})");
}

TEST_CASE("lines are the same however their bytes arrive") {
  const std::string text = "{\"a\":1}\r\n\n  \nbb\n" + std::string(20, 'x') + "\ncc\nrest";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    RpcLines lines(10);
    std::vector<std::string> got;
    for (std::size_t at = 0; at < text.size(); at += step)
      lines.Feed(
          std::string_view(text).substr(at, step), [&](std::string_view l) { got.emplace_back(l); },
          [&](const RpcOutline&) { got.emplace_back("(too long)"); });
    CHECK(got == std::vector<std::string>{"{\"a\":1}", "bb", "(too long)", "cc"});
  }
}

TEST_CASE("of a line that is too long, who waits for it is known") {
  const auto outlines = [](const std::string& text, std::size_t step) {
    RpcOutlineReader reader;
    std::string out;
    const auto take = [&](const RpcOutline& outline) {
      out += DumpJson(outline.id) + (outline.has_method ? " method" : "") +
             (outline.has_result ? " result" : "") + ";";
    };
    for (std::size_t at = 0; at < text.size(); at += step)
      reader.Feed(std::string_view(text).substr(at, step), take);
    reader.End(take);
    return out;
  };
  for (const auto& [text, wanted] : std::vector<std::pair<std::string, std::string>>{
           {R"({"jsonrpc":"2.0","id":5,"result":{"id":6,"x":[{"id":7}]}})", "5 result;"},
           {R"({"result":{"text":"\"id\":6,} \\"},"jsonrpc":"2.0" , "id" : "a\"b" })",
            R"("a\"b" result;)"},
           {R"({"error":{"code":1},"id":18446744073709551616})", "18446744073709551616 result;"},
           {R"({"id":5,"method":"tools/call","params":{}})", "5 method;"},
           {R"({"method":"notifications/progress","params":{"id":5}})", "null method;"},
           {R"([{"id":1,"result":{}},{"result":[[{"id":9}]],"id":2},{"method":"x"}])",
            "1 result;2 result;null method;"},
           {R"({"id":1.5,"result":{}})", "null result;"},
           {R"({"id":[1],"result":{}})", "null result;"},
           {R"({"params":{"id":1},"method":"id")", "null;"},
           {R"(log: {"id":1,"result":{}})", "null;"},
           {R"("{\"id\":1,\"result\":{}}")", "null;"},
           {"}}]]", "null;"},
           {"", "null;"},
       })
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}})
      CHECK(outlines(text, step) == wanted);
}

TEST_CASE("a request that is too long is answered as soon as its id is known") {
  RpcLines lines(40);
  std::vector<std::string> got;
  const auto line = [](std::string_view) {};
  const auto too_long = [&](const RpcOutline& outline) {
    const auto error = RpcTooLongError(outline);
    got.push_back(error ? DumpJson(*error) : "nothing");
  };
  lines.Feed(R"({"id":1,"method":"ping","params":{"x":"xxxxxxxxxxxxxxxxxx)", line, too_long);
  CHECK(got == std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,)"
                                        R"("message":"a line has more than 16 MiB"}})"});
  lines.Feed("\"}}\n", line, too_long);
  CHECK(got.size() == 1);
  lines.Feed(std::string(50, 'x') + "\n", line, too_long);
  CHECK(got.back() == R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"
                      R"("message":"a line has more than 16 MiB"}})");
  lines.Feed(R"({"method":"notifications/progress","params":{"x":"xxx"}})"
             "\n",
             line, too_long);
  CHECK(got.back() == "nothing");
  lines.Feed(R"({"id":1.5,"method":"ping","params":{"x":"xxxxxxx"}})"
             "\n",
             line, too_long);
  CHECK(got.back().starts_with(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"));
}

}  // namespace
}  // namespace rpl
