// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/list_request.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

TEST_CASE("the gateway's own list goes from page to page while lines of the host wait") {
  ListRequest listing;
  CHECK_FALSE(listing.open());
  listing.Begin({{"method", "tools/call"}}, "first", {});
  const auto page = listing.NextPage("own-1", "");
  CHECK(page.at("method") == "tools/list");
  CHECK(page.at("params").empty());
  CHECK(listing.open());
  CHECK(listing.Awaits("own-1"));
  CHECK_FALSE(listing.Awaits(1));

  CHECK(listing.CursorAfter({{"nextCursor", "p2"}}) == "p2");
  CHECK(listing.NextPage("own-2", "p2").at("params").at("cursor") == "p2");
  CHECK(listing.Awaits("own-2"));
  CHECK_FALSE(listing.Awaits("own-1"));
  CHECK(listing.CursorAfter(ListRequest::Json::object()).empty());

  listing.Hold("second");
  CHECK(listing.holds());
  CHECK(listing.End() == std::deque<std::string>{"first", "second"});
  CHECK_FALSE(listing.open());
  CHECK_FALSE(listing.holds());
}

TEST_CASE("the gateway's own list says of a modern host what the waiting call says") {
  ListRequest listing;
  const ListRequest::Json meta = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                                  {"progressToken", 3}};
  listing.Begin({{"params", {{"_meta", meta}}}}, "line", {});
  CHECK(listing.NextPage("own-1", "").at("params").at("_meta") ==
        ListRequest::Json{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}});
}

}  // namespace
}  // namespace rpl
