// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/answer_script.h"

#include "runtime/nobody.h"
#include "runtime/relaying_agent.h"
#include "runtime/wire/standing_replies.h"
#include "shell/terminal/answer_list.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "grammar/parser.h"
#include "shell/terminal/terminal_agent.h"

namespace rpl {
namespace {

// Requests answered one after another, each answer as text; "-" for none.
struct Interview {
  Pool pool;
  std::ostringstream err;
  std::vector<std::string> lines;  // typed by the person
  std::size_t next = 0;
  TerminalAgent person{[this]() -> std::optional<std::string> {
                         if (next == lines.size()) return std::nullopt;
                         return lines[next++];
                       },
                       "> ", By::kPerson, err};
  Nobody nobody;
  AnswerScript script{err};
  RelayingAgent agent{person, nobody, script};

  std::string Ask(const Question& question, std::string_view refused = "") {
    return TextOf(agent.Ask(question, pool, refused));
  }
  std::string Ask(const ToolCall& call) { return TextOf(agent.Call({call}, pool).front()); }
  std::string TextOf(const Answer& answer) {
    switch (answer.kind) {
      case Answer::Kind::kValue: return Text(pool, answer.value);
      case Answer::Kind::kMeta:
      case Answer::Kind::kNotRun: return "^" + Text(pool, answer.value);
      case Answer::Kind::kDecline: return "decline";
      case Answer::Kind::kNobody: return "-";
    }
    return "";
  }

  Question QuestionOf(std::string name, std::string relation, std::string prompt) {
    Question request;
    request.id = relation + "(?" + name + ")";
    request.name = std::move(name);
    request.relation = std::move(relation);
    request.prompt = std::move(prompt);
    return request;
  }

  template <typename Kind = ToolCall>
  Kind Tool(std::string name, std::vector<Value> args) {
    Kind request;
    request.tool = request.name = name;
    request.id = "$" + name + "()";
    request.args = std::move(args);
    return request;
  }

  Question Choice(std::vector<Value> options) {
    Question request = Tool<Question>("choose", {pool.String("D"), pool.List(options)});
    request.kind = Question::Kind::kChoose;
    request.prompt = "D";
    request.options = std::move(options);
    return request;
  }

  void AddJson(const std::string& json) {
    AnswerList list = AnswersFromJson(json);
    REQUIRE(list.error == "");
    for (ScriptedAnswer& answer : list.answers) script.Add(std::move(answer));
  }

  void AddReply(const std::string& call, const std::string& value) {
    Sources sources;
    Diagnostics found;
    auto term = [&](const std::string& text) {
      const std::uint32_t file = sources.Add("reply.rpl", text);
      return *ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, found);
    };
    script.Add(AnswerFromTerms(call, term(call), Answer::Kind::kValue, term(value)));
  }
};

TEST_CASE("--answer is matched by name, relation, tool or id, with or without its mark") {
  for (const char* key : {"draft-id", "?draft-id", "draft", "draft(?draft-id)"}) {
    Interview i;
    i.script.Add(*AnswerFromOption(std::string(key) + "=doc=42"));
    CHECK(i.Ask(i.QuestionOf("draft-id", "draft", "Which?")) == "\"doc=42\"");
  }
  Interview i;
  i.script.Add(*AnswerFromOption("query-db=7"));
  CHECK(i.Ask(i.Tool("query-db", {})) == "7");
  CHECK_FALSE(AnswerFromOption("draft-id"));
  CHECK_FALSE(AnswerFromOption("=x"));
}

TraceEntry Replied(const std::string& call, std::vector<std::string> keys, bool tool) {
  TraceEntry entry{.kind = TraceEntry::Kind::kReply, .text = call + " ^ ~ {:result 1} -> true"};
  entry.answered = AnsweredCall{.call = call, .tool = tool ? keys.front() : "", .keys = keys};
  return entry;
}

std::string CallsOf(const std::vector<const TraceEntry*>& replies) {
  std::string out;
  for (const TraceEntry* reply : replies) out += reply->answered->call + " ";
  return out;
}

TEST_CASE("a reply in the trace is found by name or as a whole call, until it is taken back") {
  Trace trace = {Replied("$ask(\"A\")", {"ask"}, true), Replied("$ask(\"B\")", {"ask"}, true),
                 Replied("day(\"sunday\")", {"day", "d"}, false)};
  trace[2].text = "day(?d) ^^ {?d \"sunday\"} -> true";
  CHECK(LastReply(trace, "ask") == &trace[1]);
  CHECK(LastReply(trace, "$ask(\"A\")") == &trace[0]);
  for (const char* key : {"day", "d", "?d", "day(?d)", "day(\"sunday\")"})
    CHECK(LastReply(trace, key) == &trace[2]);
  for (const char* key : {"", "$", "da", "day(", "$ask", "ask(\"A\")"})
    CHECK((LastReply(trace, key) != nullptr) == (std::string_view(key) == "$ask"));
  CHECK(KeyOfReply(trace, trace[0]) == "$ask(\"A\")");
  CHECK(KeyOfReply(trace, trace[2]) == "d");
  CHECK(CallsOf(StandingReplies(trace, "ask")) == "$ask(\"B\") $ask(\"A\") ");
  CHECK(CallsOf(StandingReplies(trace, "day")) == "day(\"sunday\") ");

  TraceEntry back{.kind = TraceEntry::Kind::kRetraction, .text = RetractionOf(trace[2])};
  trace.push_back(back);
  back.text = "$ask(\"A\") -> false";
  back.answered = AnsweredCall{.call = "$ask(\"A\")", .tool = "ask", .keys = {"ask"}};
  trace.push_back(back);
  CHECK(CallsOf(StandingReplies(trace, "ask")) == "$ask(\"B\") ");
  CHECK(StandingReplies(trace, "day").empty());
  CHECK(LastReply(trace, "day") == nullptr);
  CHECK(TakeBack(trace, {"day"}).refused == "what was answered for `day` is taken back already");
  CHECK(TakeBack(trace, {"night"}).refused == "nothing was answered for `night`");
  trace.push_back(Replied("$ask(\"A\")", {"ask"}, true));
  CHECK(CallsOf(StandingReplies(trace, "ask")) == "$ask(\"A\") $ask(\"B\") ");
}

TEST_CASE("the call of a heading that asked is a key of its reply") {
  Trace trace;
  for (const char* call : {"q(1, 5)", "q(2, \"a, b\")", "q([1], 7)"}) {
    trace.push_back(Replied(call, {"q", "v"}, false));
    trace.back().text = std::string("q(?k, ?v) ^^ {?of ") + call + "} -> true";
  }
  CHECK(CallsOf(StandingReplies(trace, "q(1, ?v)")) == "q(1, 5) ");
  CHECK(CallsOf(StandingReplies(trace, "q(2, ?v)")) == "q(2, \"a, b\") ");
  CHECK(CallsOf(StandingReplies(trace, "q([1], ?v) for ?v")) == "q([1], 7) ");
  CHECK(CallsOf(StandingReplies(trace, "q(?k, ?v) for ?v")) == "q([1], 7) q(2, \"a, b\") q(1, 5) ");
  for (const char* key : {"q(3, ?v)", "q(1)", "q(1, ?v, ?w)", "q(1, ", "r(1, ?v)", "$q(1, ?v)"})
    CHECK(StandingReplies(trace, key).empty());
  const Retractions back = TakeBack(trace, {"q", "q", "q(1, ?v)", "q"});
  CHECK(back.refused == "");
  REQUIRE(back.sentences.size() == 3);
}

TEST_CASE("an empty key part matches nothing") {
  Interview i;
  i.script.Add(*AnswerFromOption("$=1"));
  CHECK(i.Ask(i.Tool("t", {})) == "-");
}

TEST_CASE("each answer is used once, in order, and what is left is known") {
  Interview i;
  i.script.Add(*AnswerFromOption("focus=a"));
  i.script.Add(*AnswerFromOption("focus=b"));
  i.script.Add(*AnswerFromOption("other=c"));
  CHECK(i.Ask(i.QuestionOf("focus", "", "")) == "\"a\"");
  CHECK(i.Ask(i.QuestionOf("focus", "", "")) == "\"b\"");
  CHECK(i.Ask(i.QuestionOf("focus", "", "")) == "-");
  CHECK(i.script.Unused() == std::vector<std::string>{"other"});
}

TEST_CASE("a choice takes the text of an option, and a refused answer is reported") {
  Interview i;
  i.script.Add(*AnswerFromOption("choose=z"));
  i.script.Add(*AnswerFromOption("choose=b"));
  const Question choice = i.Choice({i.pool.Keyword("a"), i.pool.String("b")});
  CHECK(i.Ask(choice) == "\"z\"");
  CHECK(i.Ask(choice, "\"z\" is not one of the options") == "\"b\"");
  CHECK(i.err.str() ==
        "note: the answer for `choose` is refused: \"z\" is not one of the options\n");
}

TEST_CASE("a typed answer is a number if it prints as what was typed") {
  const auto read = [](const std::string& text, Takes takes = Takes::kAny) {
    Interview i;
    i.script.Add(*AnswerFromOption("q=" + text));
    Question question = i.QuestionOf("q", "", "");
    question.takes = takes;
    return i.Ask(question);
  };
  for (const char* number : {"3", "0", "-5", "0.5", "-3.5", "2.1", "12345678901234567890123"})
    CHECK(read(number) == number);
  for (const std::string text : {"2.10", "0042", "007", "-07", "1.0", "-0", "1e3", "1E3", "5N",
                                 "+5", " 5 ", ".5", "2026-05-01", "0.1000000000000000055"})
    CHECK(read(text) == "\"" + text + "\"");
  CHECK(read("\"3\"") == "\"3\"");
  CHECK(read("'007'") == "\"007\"");
  // A question for a number takes each number literal.
  CHECK(read("2.50", Takes::kNumber) == "2.5");
  CHECK(read("1e3", Takes::kNumber) == "1000");
  CHECK(read("007", Takes::kNumber) == "7");
  CHECK(read("\"7\"", Takes::kNumber) == "\"7\"");
}

TEST_CASE("typed rows keep codes, one or several values in a row") {
  Interview i;
  i.lines = {"2.10", "2.1", "[\"007\" 007]", ""};
  Question question = i.QuestionOf("v", "version", "Which?");
  question.row = {"v"};
  CHECK(i.Ask(question) == "[\"2.10\" 2.1 \"007\" 7]");
  i.lines = {"01307, 3", ""};
  i.next = 0;
  question.row = {"code", "n"};
  CHECK(i.Ask(question) == "[[\"01307\" 3]]");
}

TEST_CASE("an object of answers maps keys to JSON values") {
  Interview i;
  i.AddJson(R"({"a": "x", "b": [1, 2.5, null, true, {"k": "v"}]})");
  CHECK(i.Ask(i.QuestionOf("a", "", "")) == "\"x\"");
  CHECK(i.Ask(i.QuestionOf("b", "", "")) == "[1 2.5 nil true {\"k\" \"v\"}]");
}

TEST_CASE("a list of answers matches by all its conditions") {
  Interview i;
  i.AddJson(R"([
    {"match": {"tool": "ask", "prompt": "Q"}, "value": 1},
    {"match": {"regex": "^Which"}, "value": 2},
    {"match": {"var": "x"}, "decline": true},
    {"match": {"tool": "http"}, "metadata": {"status": 200}}
  ])");
  Question ask = i.Tool<Question>("ask", {});
  ask.prompt = "other";
  CHECK(i.Ask(ask) == "-");
  ask.prompt = "Q";
  CHECK(i.Ask(ask) == "1");
  CHECK(i.Ask(i.QuestionOf("d", "", "Which one?")) == "2");
  CHECK(i.Ask(i.QuestionOf("x", "", "")) == "decline");
  CHECK(i.Ask(i.Tool("http", {})) == "^{:status 200}");
}

TEST_CASE("a file of answers that is not understood says where") {
  auto error = [](const std::string& json) { return AnswersFromJson(json).error; };
  CHECK(error("3") == "expected a list of answers or an object from keys to values, got a number");
  CHECK(error(R"([{"match": {"tool": "t"}, "value": 1}, {}])") == "entry 2: there is no \"match\"");
  CHECK(error(R"([3])") == "entry 1: expected an object, got a number");
  CHECK(error(R"([{"match": {}, "value": 1}])") == "entry 1: \"match\" is empty");
  CHECK(error(R"([{"match": "t", "value": 1}])") ==
        "entry 1: expected an object for \"match\", got a string");
  CHECK(error(R"([{"match": {"tool": 5}, "value": 1}])") ==
        "entry 1: expected a string for \"tool\" in \"match\", got a number");
  CHECK(error(R"([{"match": {"regex": "("}, "value": 1}])").find("bad regex") != std::string::npos);
  CHECK(error(R"([{"match": {"tool": "t"}, "metadata": 1}])") ==
        "entry 1: expected an object for \"metadata\", got a number");
  CHECK(error(R"([{"match": {"tool": "t"}, "decline": false}])") ==
        "entry 1: expected true for \"decline\", got false");
  CHECK(error(R"({"a": 1, "a": 2})") == "the key \"a\" occurs twice");
  CHECK(error("[" + std::string(100'001, '1') + "]") == "an integer has more than 100000 digits");
  CHECK(error("{") == "the text ends before its value does");
  CHECK(AnswersFromJson("{\"a\"}").byte == 5);
  CHECK(error(std::string(100000, '[')) == "nested deeper than 200");
}

TEST_CASE("a file of answers that is not understood says what would be") {
  auto error = [](const std::string& json) {
    const AnswerList list = AnswersFromJson(json);
    return list.error + "; " + list.hint;
  };
  CHECK(error(R"([{"match": {"too": "t"}, "value": 1}])") ==
        "entry 1: unknown key \"too\" in \"match\"; did you mean \"tool\"?");
  CHECK(
      error(R"([{"match": {"tool": "t"}, "vlaue": 1, "value": 1}])") ==
      "entry 1: unknown key \"vlaue\"; expected \"value\", \"metadata\", \"error\", \"decline\" or "
      "\"cancel\"");
  CHECK(error(R"([{"match": {"tool": "t"}}])") ==
        "entry 1: there is no answer; expected \"value\", \"metadata\", \"error\", \"decline\" or "
        "\"cancel\"");
  CHECK(error(R"([{"match": {"tool": "t"}, "value": 1, "decline": true}])") ==
        "entry 1: \"value\" and \"decline\" stand together; an answer has one of \"value\", "
        "\"metadata\", \"error\", \"decline\" or \"cancel\"");
}

TEST_CASE("metadata is of tools, and a question of a heading has none") {
  Interview i;
  i.AddJson(R"([{"match": {"key": "draft-id"}, "metadata": {"a": 1}}])");
  CHECK(i.Ask(i.QuestionOf("draft-id", "draft", "Which?")) == "-");
  CHECK(i.script.misfit().error ==
        "the answer for `{\"key\":\"draft-id\"}` does not fit: \"metadata\" is of a tool's "
        "result, and draft(?draft-id) is asked for by a heading");
}

TEST_CASE("an entry may cancel: the call stays pending") {
  Interview i;
  i.AddJson(R"([{"match": {"key": "focus"}, "cancel": true}])");
  CHECK(i.Ask(i.QuestionOf("focus", "", "")) == "-");
}

TEST_CASE("a reply matches its call, and variables match anything") {
  Interview i;
  i.AddReply("$t(1, _)", "\"first\"");
  i.AddReply("$t([_ {:k ?v}], f(_))", "[1 #{2}]");
  i.AddReply("$x", ":k");
  i.AddReply("draft-id", "nil");
  const Value one = i.pool.Int(1);
  CHECK(i.Ask(i.Tool("t", {one})) == "-");
  CHECK(i.Ask(i.Tool("t", {i.pool.Int(2), one})) == "-");
  CHECK(i.Ask(i.Tool("t", {one, one})) == "\"first\"");
  const std::vector<Value> entries = {i.pool.Keyword("k"), one};
  const std::vector<Value> items = {one, i.pool.Map(entries)};
  const std::vector<Value> args = {one};
  const Value term = i.pool.Term(Namespace::kRelation, "f", args);
  CHECK(i.Ask(i.Tool("t", {i.pool.List(items), one})) == "-");
  CHECK(i.Ask(i.Tool("t", {i.pool.List(items), term})) == "[1 #{2}]");
  CHECK(i.Ask(i.Tool("x", {})) == "-");
  CHECK(i.Ask(i.QuestionOf("x", "", "")) == ":k");
  CHECK(i.Ask(i.QuestionOf("draft-id", "draft", "")) == "nil");
}

TEST_CASE("a person is asked what the script does not answer") {
  Interview i;
  i.lines = {" doc-42 "};
  CHECK(i.Ask(i.QuestionOf("draft-id", "draft", "Which draft?")) == "\"doc-42\"");
  CHECK(i.Ask(i.QuestionOf("focus", "", "What for?")) == "-");
  CHECK(i.Ask(i.QuestionOf("more", "", "More?")) == "-");
  CHECK(i.err.str() == "Which draft?\n> What for?\n> \n");
}

TEST_CASE("an empty line is asked about once") {
  Interview i;
  i.lines = {"", "", "", "x"};
  CHECK(i.Ask(i.QuestionOf("a", "", "A?")) == "\"\"");
  CHECK(i.Ask(i.QuestionOf("b", "", "B?")) == "\"x\"");
}

TEST_CASE("a choice lists its options and asks until one is meant") {
  Interview i;
  i.lines = {"3", "blue", "\xff", "2"};
  const Question choice = i.Choice({i.pool.String("red"), i.pool.String("green")});
  CHECK(i.Ask(choice) == "\"green\"");
  CHECK(i.err.str() ==
        "D\n  1  red\n  2  green\n"
        "> `3` is not one of them: expected a number from 1 to 2, or the text of an option\n"
        "> `blue` is not one of them: expected a number from 1 to 2, or the text of an option\n"
        "> this line is not UTF-8, please write it again\n"
        "> ");
}

TEST_CASE("an empty line is no choice, and nothing that takes a number or a date") {
  Interview i;
  i.lines = {"", std::string(300, 'x'), "1", "", "7", " ", "2026-05-01"};
  CHECK(i.Ask(i.Choice({i.pool.String("red"), i.pool.String("green")})) == "\"red\"");
  CHECK(i.err.str() ==
        "D\n  1  red\n  2  green\n"
        "> this line is empty: expected a number from 1 to 2, or the text of an option\n"
        "> `" +
            std::string(60, 'x') +
            "…` is not one of them: expected a number from 1 to 2, or "
            "the text of an option\n> ");
  Question question = i.QuestionOf("n", "", "How many?");
  question.takes = Takes::kNumber;
  CHECK(i.Ask(question) == "7");
  question.takes = Takes::kTime;
  CHECK(i.Ask(question) == "\"2026-05-01\"");
  CHECK(
      i.err.str().ends_with("How many?\n> this line is empty: expected a number\n> "
                            "How many?\n> this line is empty: expected a date, as 2026-05-01 or "
                            "2026-05-01T10:00:00Z\n> "));
}

TEST_CASE("a prompt cannot steer the terminal") {
  Interview i;
  CHECK(i.Ask(i.QuestionOf("a", "", "red \x1b[31m \xc2\x9b!")) == "-");
  CHECK(i.err.str() == "red \\u001b[31m \\u009b!\n> \n");
}

TEST_CASE("a person's line is never the result of another tool") {
  Interview i;
  i.lines = {"x"};
  CHECK(i.Ask(i.Tool("query-db", {})) == "-");
  CHECK(i.err.str() == "");
}

}  // namespace
}  // namespace rpl
