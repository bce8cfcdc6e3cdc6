// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/cassette.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "interp/testing/testing_folder.h"

namespace rpl {
namespace {

Attempt RecordedAttempt(const std::string& digest, const std::string& reply) {
  return {.call = "q(?x)",
          .model = "m",
          .digest = digest,
          .prompt = "one\ntwo",
          .schema = "{}",
          .reply = reply,
          .tokens = 12};
}

std::string LinesOfCassette(const std::vector<Attempt>& attempts) {
  std::string out;
  for (const Attempt& attempt : attempts) out += *CassetteLine(attempt) + "\n";
  return out;
}

TEST_CASE("a cassette gives the replies to a request in order, then the last one") {
  Cassette cassette;
  REQUIRE(cassette.Read(LinesOfCassette({RecordedAttempt("a", "1"), RecordedAttempt("b", "2"),
                                         RecordedAttempt("a", "3")})) == "");
  for (const char* expected : {"1", "3", "3"}) {
    Cassette::Recording* const found = cassette.Find("a");
    REQUIRE(found != nullptr);
    CHECK(found->reply == expected);
    CHECK(found->tokens == 12);
    found->used = true;
  }
  CHECK(cassette.Find("c") == nullptr);
}

TEST_CASE("a request that a cassette lacks is told with the first difference") {
  Cassette cassette;
  REQUIRE(cassette.Read(LinesOfCassette({RecordedAttempt("a", "1")})) == "");
  CHECK(cassette.Miss("q(?x)", "one\n2") ==
        "the cassette has no such request; the nearest is for `q(?x)`, and line 2 of it was "
        "`two`, and is now `2`");
  CHECK(cassette.Miss("q(?x)", "one\ntwo") ==
        "the cassette has this prompt for `q(?x)` with another schema");
  CHECK(Cassette().Miss("q(?x)", "") == "the cassette is empty");
}

TEST_CASE("a file that is no cassette is refused, and a digest alone makes no line") {
  Cassette cassette;
  CHECK(cassette.Read("{}\n") == "line 1 is no recording");
  CHECK(cassette.Read("\n{\"cassette\":2}\n") == "line 2 is of another format");
  CHECK_FALSE(CassetteLine({.call = "q", .digest = "a"}));
  CHECK_FALSE(CassetteLine({.call = "q", .gate = Attempt::Gate::kTransport, .prompt = "p"}));
}

class EchoedProvider : public ModelProvider {
 public:
  ModelReply Ask(const ModelRequest& request, const std::function<bool()>&) override {
    ModelReply out;
    out.kind = request.text == "no" ? ModelReply::Kind::kNoReply : ModelReply::Kind::kText;
    out.text = request.text;
    return out;
  }
};

TEST_CASE("what a provider replied is replied by its cassette") {
  const testing::Folder folder;
  const std::string path = folder / "m.cassette";
  const auto recording = MakeRecordingProvider(std::make_unique<EchoedProvider>(), "m", path);
  CHECK(recording
            ->Ask({.text = "hello", .digest = "d", .schema = nlohmann::ordered_json::object()},
                  nullptr)
            .text == "hello");
  CHECK(recording->Ask({.text = "no", .digest = "n"}, nullptr).kind == ModelReply::Kind::kNoReply);
  ModelConfig config;
  config.provider = ModelConfig::Provider::kCassette;
  config.file = path;
  const auto cassette = MakeCassetteProvider(config);
  const ModelReply again = cassette->Ask({.text = "hello", .digest = "d"}, nullptr);
  CHECK(again.kind == ModelReply::Kind::kText);
  CHECK(again.text == "hello");
  CHECK(again.model == "m");
  CHECK(cassette->Ask({.text = "hello", .digest = "e"}, nullptr).kind ==
        ModelReply::Kind::kNoReply);
  config.file = folder / "absent";
  CHECK(MakeCassetteProvider(config)->Ask({.text = "hello", .digest = "d"}, nullptr).kind ==
        ModelReply::Kind::kEnds);
}

}  // namespace
}  // namespace rpl
