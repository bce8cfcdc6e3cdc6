// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/http_head.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

HttpHead Posted(const std::string& host = "localhost:7000") {
  HttpHead head("POST", "/mcp?x=1", true);
  head.Add("Host", host);
  head.Add("Content-Type", "Application/JSON; charset=utf-8");
  return head;
}

TEST_CASE("the head of a request has a path, and each header that is read once") {
  HttpHead head = Posted();
  CHECK(head.Path() == "/mcp");
  CHECK(head.Header("Host") == "localhost:7000");
  CHECK(head.Header("Expect").empty());
  CHECK(head.Fault().empty());
  head.Add("Host", "example.org");
  CHECK(head.Fault() == "the header Host is there twice");
  CHECK(HttpHead("GET", "mcp", false).Fault() == "the target of a request is a path");
}

TEST_CASE("a request is refused for its host, its origin, its method and its type") {
  const HttpSettings settings;
  CHECK(Posted().Refusal(settings, true, true) == 200);
  CHECK(Posted("example.org").Refusal(settings, true, true) == 403);
  HttpHead foreign = Posted();
  foreign.Add("Origin", "https://example.org");
  CHECK(foreign.Refusal(settings, true, true) == 403);
  HttpHead got("GET", "/mcp", false);
  got.Add("Host", "localhost");
  CHECK(got.Refusal(settings, true, true) == 405);
  CHECK(got.Refusal(settings, true, false) == 404);
  HttpHead plain("POST", "/mcp", true);
  plain.Add("Host", "localhost");
  CHECK(plain.Refusal(settings, true, true) == 415);
}

TEST_CASE("a token says whose a request is") {
  HttpSettings settings;
  CHECK(Posted().Who(settings) == "local");
  settings.tokens = {{"secret", "ann"}};
  CHECK(Posted().Refusal(settings, true, true) == 401);
  HttpHead head = Posted();
  head.Add("Authorization", "bearer secret");
  CHECK(head.Refusal(settings, true, true) == 200);
  CHECK(head.Who(settings) == "ann");
  HttpHead wrong = Posted();
  wrong.Add("Authorization", "Bearer secreT");
  CHECK(wrong.Tenant(settings) == nullptr);
}

}  // namespace
}  // namespace rpl
