// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/text_source.h"

#include <catch2/catch.hpp>

#include "runtime/model/model_prompt.h"

namespace rpl {
namespace {

struct MailRead {
  Pool pool;
  ToolCall call;
  SourceText source{"mail.txt", "Good morning,\nplease send 5 bolts\nand a cog.\n"};

  MailRead() {
    call.id = "$index(\"mail.txt\", \"order\")";
    call.args = {pool.String("mail.txt"), pool.String("order")};
    call.row = {"item", "n"};
    call.prose = "What is ordered?";
  }
  Value Rows(const char* reply) {
    const Question asked = QuestionOfText(call, source);
    const ReadReply read = ReadModelReply(reply, {&asked, 1}, pool);
    REQUIRE(read.reason == "");
    return read.values.front();
  }
};

TEST_CASE("the rows of a text are facts with what says so and its place") {
  MailRead mail;
  const Value rows = mail.Rows(
      R"({"value":[{"item":"bolt","n":5,"citation":"5 bolts"},{"item":"cog","n":1,"citation":"a cog"}]})");
  CHECK(UncitedIn(mail.source.text, rows, mail.pool) == "");
  CHECK(FactsOfRows(mail.pool, mail.call, rows, mail.source, "m") ==
        "order(\"bolt\", 5) ^ ~ {:citation \"5 bolts\", :generated true, :model \"m\", :file "
        "\"mail.txt\", :line 2}\n"
        "order(\"cog\", 1) ^ ~ {:citation \"a cog\", :generated true, :model \"m\", :file "
        "\"mail.txt\", :line 3}\n");
}

TEST_CASE("a row whose citation does not stand in the text is not taken") {
  MailRead mail;
  const auto why = [&](const char* citation) {
    const std::string reply =
        std::string(R"({"value":[{"item":"bolt","n":5,"citation":)") + citation + "}]}";
    return UncitedIn(mail.source.text, mail.Rows(reply.c_str()), mail.pool);
  };
  CHECK(why("\"5 bolts\\nand\"") == "");
  CHECK(why("\"six bolts\"") == "the citation \"six bolts\" does not stand in the text");
  CHECK(why("\"\"").starts_with("the citation"));
  CHECK(why("5") == "the citation 5 does not stand in the text");
}

TEST_CASE("the question for the rows has the text as data") {
  MailRead mail;
  const Question asked = QuestionOfText(mail.call, mail.source);
  const std::string prompt = PromptForModel({&asked, 1}, mail.pool, {}).text;
  CHECK(prompt.starts_with("What is ordered?\n\nThe rows are those of which [mail.txt] tells."));
  CHECK(prompt.find("a list of distinct rows of item, n, citation") != std::string::npos);
}

}  // namespace
}  // namespace rpl
