// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/frames.h"

#include <catch2/catch.hpp>
#include <vector>

namespace rpl::lsp {
namespace {

// What a reader makes of a stream that comes in pieces of so many bytes: bodies, and `!` before
// faults.
std::vector<std::string> Frames(std::string_view stream, std::size_t piece,
                                std::size_t most = FrameReader::kMaxBody) {
  FrameReader reader(most);
  std::vector<std::string> out;
  for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size())))
    reader.Feed(
        stream.substr(0, piece), [&](std::string_view body) { out.emplace_back(body); },
        [&](const std::string& fault) { out.push_back("!" + fault); });
  return out;
}

using Texts = std::vector<std::string>;

TEST_CASE("frames come out of a stream however it is cut") {
  const std::string stream =
      FrameOf(Json("a")) + "content-length: 0\r\n\r\n" +
      "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length:  2\r\n\r\n{}" +
      "Content-Length: 3\n\n[1]";
  for (std::size_t piece = 1; piece < 30; ++piece)
    CHECK(Frames(stream, piece) == Texts{"\"a\"", "", "{}", "[1]"});
}

TEST_CASE("a bad header costs its frame alone") {
  const std::string good = FrameOf(Json(1));
  const std::string fault = "!a header without a proper `Content-Length`";
  for (const std::string bad :
       {"Content-Length: -1\r\n\r\n", "Content-Length: 1x\r\n\r\n", "nonsense\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "\r\n\r\n",
        "Content-Length: 99999999999999999999999\r\n\r\n"})
    CHECK(Frames(good + bad + good, 7) == Texts{"1", fault, "1"});
  CHECK(Frames(std::string(FrameReader::kMaxHeader + 100, 'x') + "\r\n\r\n" + good, 1000) ==
        Texts{"!the header of a message is too long", "1"});
}

TEST_CASE("a body beyond the limit is passed over") {
  const std::string stream = "Content-Length: 11\r\n\r\n01234567890" + FrameOf(Json(1));
  for (const std::size_t piece : {1, 5, 1000})
    CHECK(Frames(stream, piece, 10) == Texts{"!a message of 11 bytes, expected at most 10", "1"});
}

}  // namespace
}  // namespace rpl::lsp
