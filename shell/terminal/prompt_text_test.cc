// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/prompt_text.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

// The prompt as it is told in a question with choices about `argument`.
std::string Told(const std::string& prompt, const std::string& argument) {
  Question request;
  request.kind = Question::Kind::kChoose;
  request.argument = argument;
  request.options = {kNone};
  request.prompt = prompt;
  return PromptFor(request);
}

TEST_CASE("a question names the relation of its choices as an author would say it") {
  CHECK(Told("Choose one valid-focus.", "$focus") == "Choose one focus.");
  CHECK(Told("Choose one known-size", "?size") == "Choose one known size");
  CHECK(Told("valid-draft-id?", "?draft-id") == "draft id?");
  CHECK(Told("(open-slot, free-slot)", "?slot") == "(open slot, free slot)");
}

TEST_CASE("no other word of a question changes") {
  for (const std::string same :
       {"A well-known size.", "A full-size.", "known-sizes", "re-known-size", "\"known-size\"",
        "known-size-x", "known_size", "?known-size", "#known-size", "the size", "-size", "known-",
        "größe-known-size"})
    CHECK(Told(same, "?size") == same);
  Question request;
  request.argument = "?size";
  request.prompt = "A known-size without choices.";
  CHECK(PromptFor(request) == request.prompt);
}

TEST_CASE("a question without prose is its call, and controls are escaped") {
  Question request;
  request.id = "size(?size)";
  CHECK(PromptFor(request) == "size(?size)");
  CHECK(Told("\x1b[1m known-size", "?size") == "\\u001b[1m known size");
}

TEST_CASE("words are not broken") {
  CHECK(Wrapped("one two three", 7) == "one two\nthree");
  CHECK(Wrapped("one two three", 40) == "one two three");
  CHECK(Wrapped("a  b\n  c d", 4) == "a  b\n  c\nd");
  CHECK(Wrapped("longer-than-a-line is", 5) == "longer-than-a-line\nis");
  CHECK(Wrapped("日本 語", 5) == "日本\n語");
  CHECK(Wrapped("end \n", 3) == "end \n");
  CHECK(Wrapped("", 3) == "");
}

}  // namespace
}  // namespace rpl
