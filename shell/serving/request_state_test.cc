// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/request_state.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

namespace rpl {
namespace {

using nlohmann::ordered_json;

TEST_CASE("a seal opens as what was sealed, for its purpose and until it expires") {
  const Sealer sealer;
  const std::string text = sealer.Seal("state", {{"sid", "s_1"}, {"seq", 3}}, 1000);
  const auto opened = sealer.Open("state", text, 999);
  REQUIRE(opened);
  CHECK((*opened)["sid"] == "s_1");
  CHECK((*opened)["seq"] == 3);
  CHECK(sealer.Open("state", text, 1000));
  CHECK_FALSE(sealer.Open("state", text, 1001));
  CHECK_FALSE(sealer.Open("cursor", text, 999));
  CHECK_FALSE(Sealer().Open("state", text, 999));
}

TEST_CASE("a seal with one bit changed, one byte more or less is refused") {
  for (int key = 0; key < 50; ++key) {  // which texts are near each other depends on it
    const Sealer some;
    const std::string sealed = some.Seal("state", {{"sid", "s_1"}}, 1000);
    std::size_t opened = 0;
    for (std::size_t i = 0; i < sealed.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = sealed;
        changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
        opened += some.Open("state", changed, 0).has_value();
      }
    CHECK(opened == 0);
  }
  const Sealer sealer;
  const std::string text = sealer.Seal("state", {{"sid", "s_1"}}, 1000);
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK_FALSE(sealer.Open("state", text.substr(0, size), 0));
  CHECK_FALSE(sealer.Open("state", text + "A", 0));
  CHECK_FALSE(sealer.Open("state", std::string(1 << 20, 'A'), 0));
  CHECK_FALSE(sealer.Open("state", "r1..", 0));
  CHECK_FALSE(sealer.Open("state", "", 0));
}

TEST_CASE("the key in the file outlives the process, and is for its owner alone") {
  const std::string folder = std::filesystem::temp_directory_path() / ("seal-" + RandomText(9));
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/key";
  const auto first = Sealer::FromFile(path);
  REQUIRE(first);
  struct stat about = {};
  REQUIRE(stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  const auto second = Sealer::FromFile(path);
  REQUIRE(second);
  CHECK(second->Open("state", first->Seal("state", ordered_json::object(), 1000), 0));
  REQUIRE(truncate(path.c_str(), 5) == 0);
  CHECK_FALSE(Sealer::FromFile(path));
  CHECK_FALSE(Sealer::FromFile(folder + "/none/key"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a digest does not depend on the order of keys, and on nothing else") {
  const auto of = [](const char* text) { return DigestOf(ordered_json::parse(text)); };
  CHECK(of(R"({"a":1,"b":{"c":2,"d":3}})") == of(R"({"b":{"d":3,"c":2},"a":1})"));
  CHECK(of(R"({"a":1})") != of(R"({"a":"1"})"));
  CHECK(of(R"([1,2])") != of(R"([2,1])"));
  CHECK(of("{}").size() == 32);
}

}  // namespace
}  // namespace rpl
