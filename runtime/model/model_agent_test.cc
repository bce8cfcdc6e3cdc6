// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/model_agent.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>

#include "formats/data/json_text.h"
#include "runtime/nobody.h"
#include "runtime/run/run.h"

namespace rpl {
namespace {

using Strings = std::vector<std::string>;

// Keeps the events of a run in a list of the test.
class ListStore : public SessionStore {
 public:
  explicit ListStore(std::vector<Event>& to) : to_(to) {}
  std::string Append(const Event& event, bool) override {
    to_.push_back(event);
    return "";
  }

 private:
  std::vector<Event>& to_;
};

// A provider with prepared replies; a text is the `value`, unless it begins with `!`.
class PreparedProvider : public ModelProvider {
 public:
  explicit PreparedProvider(std::deque<std::string>& replies, std::vector<ModelRequest>& asked)
      : replies_(replies), asked_(asked) {}
  ModelReply Ask(const ModelRequest& request, const std::function<bool()>&) override {
    asked_.push_back(request);
    ModelReply out;
    out.tokens = 10;
    if (replies_.empty()) return out;
    const std::string text = std::move(replies_.front());
    replies_.pop_front();
    out.kind = ModelReply::Kind::kText;
    out.text = text.starts_with('!') ? text.substr(1) : R"({"value":)" + text + "}";
    if (text == "!refuses") out.kind = ModelReply::Kind::kRefused, out.why = "I do not";
    if (text == "!down") out.kind = ModelReply::Kind::kNoReply, out.why = "status 500";
    if (text == "!401") out.kind = ModelReply::Kind::kEnds, out.why = "status 401";
    return out;
  }

 private:
  std::deque<std::string>& replies_;
  std::vector<ModelRequest>& asked_;
};

class FreePermission : public VouchedPermission {
 public:
  Permit Approve(const ToolCommand&) override { return {approves, "not approved"}; }
  bool approves = true;
};

// A person with one answer to every question.
class OneAnswer : public Nobody {
 public:
  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view) override {
    asked.push_back(question.id);
    if (answer.empty() || question.name == "what-now") return {};
    return {.kind = rpl::Answer::Kind::kValue, .value = pool.String(answer), .by = By::kPerson};
  }
  Strings asked;
  std::string answer;
};

struct ModelledRun {
  std::deque<std::string> replies;
  std::vector<ModelRequest> asked;
  OneAnswer person;
  FreePermission permission;
  Strings notes;
  std::vector<Event> events;
  ModelConfig config;

  ModelledRun() {
    config.provider = ModelConfig::Provider::kCommand;
    config.model = "m";
    config.bounds.answers_all = true;
  }

  Outcome Go(const std::string& text, bool from_record = false) {
    ModelAgent agent(
        person, person, permission, [&](const std::string& note) { notes.push_back(note); },
        nullptr);
    agent.Use(config, Permit::kAllow, false, std::make_unique<PreparedProvider>(replies, asked));
    std::vector<Event> recorded = events;
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    if (from_record)
      recorded.erase(std::find_if(recorded.begin(), recorded.end(),
                                  [](const Event& e) { return e.kind == Event::Kind::kOutcome; }),
                     recorded.end());
    std::vector<Event> fresh;
    Run::Opened opened = Run::Open(
        {agent, agent, person}, {.files = {{"p.md", text}},
                                 .options = std::move(options),
                                 .record = Recording{recorded, std::make_unique<ListStore>(fresh)},
                                 .goal = ""});
    for (const Diagnostic& d : opened.findings) UNSCOPED_INFO(d.message);
    REQUIRE(opened);
    const Outcome outcome = opened.run->IsOver() ? *opened.run->last() : opened.run->Turn();
    CHECK(opened.run->broken() == "");
    events = recorded;
    events.insert(events.end(), fresh.begin(), fresh.end());
    return outcome;
  }
  Strings Gates() const {
    Strings out;
    for (const Event& event : events)
      if (event.kind == Event::Kind::kAttempt)
        out.emplace_back(GateName(AttemptOf(ParseOwnJson(event.body)).gate));
    return out;
  }
};

const std::string kOneQuestion = R"(
## Go - %go(?colour)

```rpl
paint(?colour)
```

## Paint - paint(?colour)

Which __colour-known__?

```rpl
colour-known("red")
colour-known("blue")
```
)";

TEST_CASE("a model answers a question, after attempts that were not taken") {
  ModelledRun run;
  run.replies = {"!prose", "\"green\"", "\"blue\""};
  const Outcome outcome = run.Go(kOneQuestion);
  CHECK(outcome.status == Status::kSatisfied);
  CHECK(outcome.answers == Strings{"blue"});
  CHECK(run.Gates() == Strings{"schema", "question", "taken"});
  REQUIRE(run.asked.size() == 3);
  CHECK(run.asked[2].attempt == 3);
  CHECK(run.asked[2].refused == "\"green\" is not one of the options");
  CHECK(run.person.asked.empty());
}

TEST_CASE("a run with a model is replayed without it") {
  ModelledRun run;
  run.replies = {"!prose", "\"blue\""};
  run.Go(kOneQuestion);
  const std::vector<Event> first = run.events;
  run.asked.clear();
  const Outcome again = run.Go(kOneQuestion);
  CHECK(again.answers == Strings{"blue"});
  CHECK(run.asked.empty());
  CHECK(run.events == first);
}

TEST_CASE("attempts that are used up leave the question to a person") {
  ModelledRun run;
  run.config.bounds.attempts = 2;
  run.replies = {"1", "2", "\"blue\""};
  CHECK(run.Go(kOneQuestion).status == Status::kWaiting);
  CHECK(run.asked.size() == 2);
  CHECK(run.person.asked == Strings{"paint(?colour)"});
  run.events.pop_back();  // the outcome
  CHECK(run.Go(kOneQuestion).status == Status::kWaiting);
  CHECK(run.asked.size() == 2);
}

TEST_CASE("a budget that is reached ends the run with a limit, and holds when it goes on") {
  ModelledRun run;
  run.config.bounds.most_calls = 2;
  run.config.bounds.attempts = 5;
  run.replies = {"1", "2", "\"blue\""};
  Outcome outcome = run.Go(kOneQuestion);
  CHECK(outcome.status == Status::kLimit);
  CHECK(outcome.reason.find("2 calls of the model") != std::string::npos);
  CHECK(run.Gates() == Strings{"question", "question", "budget"});
  CHECK(run.Go(kOneQuestion).status == Status::kLimit);
  CHECK(run.asked.size() == 2);
  run.config.bounds.most_calls = 3;
  CHECK(run.Go(kOneQuestion).status == Status::kSatisfied);
  CHECK(run.asked.size() == 3);
}

TEST_CASE("what brings no reply leaves the question open") {
  for (const char* reply : {"!down", "!401", "!refuses"}) {
    ModelledRun run;
    run.replies = {reply, "\"blue\""};
    CHECK(run.Go(kOneQuestion).status == Status::kWaiting);
    CHECK(run.asked.size() == 1);
    CHECK(run.notes.size() == 1);
  }
}

TEST_CASE("only questions in scope go to the model") {
  ModelledRun run;
  run.config.bounds.answers_all = false;
  run.replies = {"\"blue\""};
  CHECK(run.Go(kOneQuestion).status == Status::kWaiting);
  CHECK(run.asked.empty());
  run = {};
  run.config.bounds.answers_all = false;
  run.config.bounds.answers = {"paint"};
  run.replies = {"\"blue\""};
  CHECK(run.Go(kOneQuestion).status == Status::kSatisfied);
}

TEST_CASE("a person's question, a secret and a decision are never the model's") {
  Nobody nobody;
  FreePermission permission;
  ModelAgent agent(nobody, nobody, permission, nullptr, nullptr);
  std::deque<std::string> replies;
  std::vector<ModelRequest> asked;
  ModelConfig config;
  config.bounds.answers_all = true;
  agent.Use(config, Permit::kAllow, true, std::make_unique<PreparedProvider>(replies, asked));
  Question request;
  request.name = "x";
  request.prompt = "Which?";
  CHECK(agent.IsInScope(request));
  request.prompt = "What is the API key?";
  CHECK_FALSE(agent.IsInScope(request));
  request.prompt = "Which?";
  request.name = "what-now";
  CHECK_FALSE(agent.IsInScope(request));
  request.name = "x";
  request.admits = PartyBit(By::kPerson);
  CHECK_FALSE(agent.IsInScope(request));
}

TEST_CASE("a model that is not approved is not asked") {
  ModelledRun run;
  run.permission.approves = false;
  run.replies = {"\"blue\""};
  CHECK(run.Go(kOneQuestion).status == Status::kWaiting);
  CHECK(run.asked.empty());
  CHECK(run.notes == Strings{"the model is not asked: not approved"});
}

const std::string kConstrained = R"(
## Go - %go(?reply)

```rpl
draft(?reply)
```

## Draft - draft(?reply)

Write a reply.

## Short

A reply is not __reply__ but short.

```rpl
draft(?reply) -> ?reply != "long"
```
)";

TEST_CASE("an answer that violates a constraint is asked for again with its prose") {
  ModelledRun run;
  run.replies = {"\"long\"", "\"ok\""};
  const Outcome outcome = run.Go(kConstrained);
  CHECK(outcome.status == Status::kSatisfied);
  CHECK(outcome.answers == Strings{"ok"});
  CHECK(run.Gates() == Strings{"taken", "constraints", "taken"});
  REQUIRE(run.asked.size() == 2);
  CHECK(run.asked[1].refused.starts_with("Short: A reply is not"));
  const std::vector<Event> first = run.events;
  CHECK(run.Go(kConstrained).answers == Strings{"ok"});
  CHECK(run.events == first);
}

TEST_CASE("a violation that attempts cannot mend is a person's") {
  ModelledRun run;
  run.config.bounds.attempts = 2;
  run.replies = {"\"long\"", "\"long\"", "\"ok\""};
  const Outcome outcome = run.Go(kConstrained);
  CHECK(outcome.status == Status::kFailed);
  CHECK(run.Gates() == Strings{"taken", "constraints", "taken"});
}

TEST_CASE("a violation in which a person's answer has a part is a person's") {
  ModelledRun run;
  run.config.bounds.answers_all = false;
  run.config.bounds.answers = {"draft"};
  run.person.answer = "x";
  run.replies = {"\"x\"", "\"ok\""};
  const Outcome outcome = run.Go(R"(
## Go - %go(?reply, ?other)

```rpl
draft(?reply), given(?other)
```

## Draft - draft(?reply)

Write a reply.

## Given - given(?other)

Write another.

```rpl
draft(?reply), given(?other) -> ?reply != ?other
```
)");
  CHECK(outcome.status == Status::kFailed);
  CHECK(run.Gates() == Strings{"taken"});
}

const std::string kTwoArguments = R"(
## Go - %go(?from, ?to)

```rpl
stay(?from, ?to)
```

## Stay - stay(?from, ?to)

From when to when?

```rpl
stay(?from, ?to) -> ?from != ?to
```
)";

TEST_CASE("several arguments of a heading are asked for in one request") {
  ModelledRun run;
  run.replies = {R"({"from":"a"})", R"({"from":"a","to":"b"})"};
  const Outcome outcome = run.Go(kTwoArguments);
  CHECK(outcome.answers == Strings{R"({"?from":"a","?to":"b"})"});
  CHECK(run.Gates() == Strings{"schema", "taken", "taken"});
  REQUIRE(run.asked.size() == 2);
  CHECK(run.asked[1].call == "stay(?from, ?to)");
  CHECK(run.asked[1].key == "stay");
  const std::vector<Event> first = run.events;
  CHECK(run.Go(kTwoArguments).status == Status::kSatisfied);
  CHECK(run.events == first);
  CHECK(run.asked.size() == 2);
}

TEST_CASE("several arguments that violate a constraint together are asked for again together") {
  ModelledRun run;
  run.replies = {R"({"from":"a","to":"a"})", R"({"from":"a","to":"b"})"};
  const Outcome outcome = run.Go(kTwoArguments);
  CHECK(outcome.status == Status::kSatisfied);
  CHECK(run.Gates() == Strings{"taken", "taken", "constraints", "taken", "taken"});
  REQUIRE(run.asked.size() == 2);
  CHECK(run.asked[1].refused.starts_with("Stay: "));
}

TEST_CASE("a reply to several arguments of which some are recorded is made whole by a question") {
  ModelledRun run;
  run.replies = {R"({"from":"a","to":"b"})"};
  run.Go(kTwoArguments);
  const auto second = std::find_if(run.events.rbegin(), run.events.rend(), [](const Event& event) {
    return event.kind == Event::Kind::kAttempt;
  });
  run.events.erase(second.base() - 1, run.events.end());  // it was killed before that
  run.replies = {"\"c\""};
  CHECK(run.Go(kTwoArguments).answers == Strings{R"({"?from":"a","?to":"c"})"});
  REQUIRE(run.asked.size() == 2);
  CHECK(run.asked[1].call == "stay(?from, ?to) for ?to");
}

TEST_CASE("only the arguments in scope are asked for together") {
  ModelledRun run;
  run.config.bounds.answers_all = false;
  run.config.bounds.answers = {"from"};
  run.replies = {"\"a\""};
  CHECK(run.Go(kTwoArguments).status == Status::kWaiting);
  CHECK(run.person.asked == Strings{"stay(?from, ?to) for ?to"});
}

TEST_CASE("rows that violate a constraint are taken back as a whole") {
  ModelledRun run;
  run.replies = {R"(["a","long"])", R"(["a","b"])"};
  const Outcome outcome = run.Go(R"(
## Go - %go(?all)

```rpl
all(?all)
```

```rpl
all([& ?reply]) <- draft(?reply)
```

## Draft - draft(?reply)

Which replies?

```rpl
draft(?reply) -> ?reply != "long"
```
)");
  INFO(outcome.reason);
  CHECK(outcome.status == Status::kSatisfied);
  CHECK(run.Gates() == Strings{"taken", "constraints", "taken"});
}

}  // namespace
}  // namespace rpl
