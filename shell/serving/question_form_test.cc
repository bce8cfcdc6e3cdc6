// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/question_form.h"

#include <catch2/catch.hpp>

#include "shell/mcp/mcp_tools.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

OpenQuestion Asked(const std::string& key, const std::string& prompt) {
  OpenQuestion question;
  question.id = key + "(?x)";
  question.key = key;
  question.prompt = prompt;
  return question;
}

ordered_json PropertyIn(const OpenQuestion& question, FormDialect dialect = FormDialect::kLists) {
  return FormOf({question}, "a.md", "", dialect)["requestedSchema"]["properties"][question.key];
}

TEST_CASE("the type of a form's field is that of its question") {
  OpenQuestion question = Asked("q", "How many?");
  CHECK(PropertyIn(question)["type"] == "string");
  question.takes = Takes::kNumber;
  CHECK(PropertyIn(question)["type"] == "number");
  question.takes = Takes::kTime;
  CHECK(PropertyIn(question)["type"] == "string");
  CHECK(PropertyIn(question)["description"].get<std::string>().starts_with("a date"));
  question.takes = Takes::kAny;
  question.options = {"soup", "cake"};
  CHECK(PropertyIn(question)["enum"] == ordered_json({"soup", "cake"}));
  question.row = {"what"};
  CHECK(PropertyIn(question)["type"] == "array");
  CHECK(PropertyIn(question)["items"]["enum"] == ordered_json({"soup", "cake"}));
  CHECK(PropertyIn(question, FormDialect::kPlain)["type"] == "string");
  question.options = {"same", "same"};  // which a form cannot tell apart
  question.row.clear();
  CHECK_FALSE(PropertyIn(question).contains("enum"));
}

TEST_CASE("a form is flat, and requires what it asks") {
  const ordered_json form =
      FormOf({Asked("a", "One?"), Asked("b", "Two?")}, "a.md", "", FormDialect::kPlain);
  CHECK(form["message"] == "a.md asks 2 questions:\n1. One?\n2. Two?");
  CHECK(form["requestedSchema"]["required"] == ordered_json({"a", "b"}));
  for (const auto& [key, property] : form["requestedSchema"]["properties"].items())
    for (const auto& [name, value] : property.items()) CHECK_FALSE(value.is_object());
  CHECK(FormOf({Asked("a", "One?")}, "a.md", "expected a number", FormDialect::kPlain)["message"] ==
        "expected a number. a.md asks: One?");
}

TEST_CASE("answers in a form are a person's, and unknown keys are ignored") {
  const std::vector<OpenQuestion> questions = {Asked("a", "One?"), Asked("b", "Two?")};
  const auto answers = AnswersIn(ordered_json::parse(R"({"a":"x","c":1})"), questions);
  REQUIRE(answers);
  REQUIRE(answers->size() == 1);
  CHECK(answers->front().key == "a(?x)");
  CHECK(answers->front().by == By::kPerson);
  CHECK(answers->front().kind == GivenAnswer::Kind::kForm);
  CHECK_FALSE(AnswersIn(ordered_json::parse(R"(["a"])"), questions));
  CHECK_FALSE(AnswersIn(ordered_json::parse(R"({"a":{"b":1}})"), questions));
}

TEST_CASE("secrets and tools are for no form") {
  Pool pool;
  Question secret, shed;
  secret.prompt = "What is your API key?";
  shed.prompt = "Which key opens the shed?";
  secret.name = shed.name = "key";
  ToolCall stock;
  stock.tool = stock.name = "stock";
  stock.args = {pool.String("nuts")};
  const auto questions = OpenQuestionsOf({secret, shed, stock}, pool);
  CHECK(questions[0].secret);
  CHECK_FALSE(IsForForm(questions[0]));
  CHECK(IsForForm(questions[1]));
  CHECK(questions[1].key == "key-2");  // each has a key of its own
  CHECK_FALSE(IsForForm(questions[2]));
  CHECK(questions[2].arguments == ordered_json({"nuts"}));
}

TEST_CASE("a form shows a question whole, or does not ask it") {
  Pool pool;
  std::vector<Question> requests(3);
  requests[0].prompt = "Pay " + std::string(4000, 'x') + " to Bob?";
  requests[1].prompt = "Which?";
  requests[1].kind = Question::Kind::kChoose;
  requests[1].options = {pool.String("one"), pool.String("two\nlines")};
  requests[2].prompt = "Pay " + std::string(3000, 'x') + "?";
  const auto questions = OpenQuestionsOf({requests.begin(), requests.end()}, pool);
  CHECK_FALSE(IsForForm(questions[0]));
  CHECK_FALSE(IsForForm(questions[1]));
  REQUIRE(IsForForm(questions[2]));
  CHECK(questions[0].prompt == requests[0].prompt);  // in the result it is whole
  const ordered_json form = FormOf({questions[2]}, "a.md", "", FormDialect::kLists);
  CHECK(form["message"].get<std::string>().ends_with(requests[2].prompt));
  CHECK(ForOneForm({questions[0], questions[2], questions[2]}).size() == 1);
}

TEST_CASE("text is shown without control characters, and not without end") {
  CHECK(ShownText("a\x1b[31mb\tc\nd\x7f") == "a\\u001b[31mb\tc\nd\\u007f");
  CHECK(ShownText(std::string(10'000, 'x'), 100).size() <= 104);
}

TEST_CASE("every tool has a flat schema, and arguments are checked against it") {
  for (const McpTool& tool : McpToolTable(true, true)) {
    CAPTURE(tool.name);
    CHECK(tool.name.starts_with("rpl_"));
    CHECK(tool.about["description"].get<std::string>().size() < 400);
    const ordered_json& input = tool.about["inputSchema"];
    CHECK(input["type"] == "object");
    CHECK(input["additionalProperties"] == false);
    for (const char* composed : {"oneOf", "anyOf", "allOf", "$ref"})
      CHECK_FALSE(input.contains(composed));
    for (const auto& [name, property] : input["properties"].items())
      CHECK(property.contains("description"));
    CHECK(tool.about["outputSchema"]["type"] == "object");
    CHECK_FALSE(ArgumentFault(input, {{"no-such-argument", 1}}).empty());
  }
  const McpTool run = McpToolTable(false, true)[7];
  REQUIRE(run.name == "rpl_run");
  CHECK(ArgumentFault(run.about["inputSchema"], {{"protocol", "a.md"}}).empty());
  CHECK(ArgumentFault(run.about["inputSchema"], {{"protocl", "a.md"}}) ==
        "unknown argument `protocl`, did you mean `protocol`?");
  CHECK(ArgumentFault(run.about["inputSchema"], {{"protocol", 1}}) ==
        "expected a string for `protocol`, got a number");
}

}  // namespace
}  // namespace rpl
