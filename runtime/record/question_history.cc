// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/question_history.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

class Questions {
 public:
  void Take(const Event& event) {
    const ordered_json body = ParseJson(event.body).json;
    if (event.kind == Event::Kind::kStep) {
      timestep_ = NumberAt(body, "timestep");
      asked_.clear();
    } else if (event.kind == Event::Kind::kCall && TextAt(body, "tool").empty()) {
      Ask(TextAt(body, "call"));
    } else if (event.kind == Event::Kind::kReply) {
      Answer(body);
    } else if (event.kind == Event::Kind::kAttempt) {
      Try(AttemptOf(body));
    } else if (event.kind == Event::Kind::kTurn) {
      message_ = body.contains("text");
      person_ = TextAt(body, "person");
    } else if (event.kind == Event::Kind::kOutcome) {
      EndTurn();
    }
  }

  std::vector<QuestionHistory> All() { return std::move(all_); }

 private:
  // Null if the call was not asked as a question.
  QuestionHistory* Find(const std::string& call) {
    const auto at = places_.find(call);
    return at == places_.end() ? nullptr : &all_[at->second];
  }

  void Ask(const std::string& call) {
    asked_.insert(call);
    QuestionHistory* question = Find(call);
    if (question == nullptr) {
      places_.emplace(call, all_.size());
      question = &all_.emplace_back(QuestionHistory{call, {}});
    }
    std::vector<QuestionEvent>& events = question->events;
    if (events.empty() || !IsOpen(events.back()))
      events.push_back({timestep_, QuestionState::kOpen, "", std::nullopt});
  }

  static bool IsOpen(const QuestionEvent& event) {
    return event.state == QuestionState::kOpen || event.state == QuestionState::kTried;
  }

  void Try(const Attempt& attempt) {
    QuestionHistory* const question = Find(attempt.call);
    if (question == nullptr || attempt.gate == Attempt::Gate::kTaken) return;
    question->events.push_back({.timestep = timestep_,
                                .state = QuestionState::kTried,
                                .value = attempt.value,
                                .by = {},
                                .model = attempt.model,
                                .gate = std::string(GateName(attempt.gate)),
                                .reason = attempt.reason});
  }

  void Answer(const ordered_json& body) {
    QuestionHistory* const question = Find(TextAt(body, "call"));
    if (question == nullptr) return;
    const bool declined = TextAt(body, "kind") == "declined";
    question->events.push_back(
        {timestep_, declined ? QuestionState::kDeclined : QuestionState::kAnswered,
         TextAt(body, "value"), ByOf(TextAt(body, "by")), person_, TextAt(body, "model")});
  }

  // The last timestep of a run asks all questions that the plan needs; a message has another goal.
  void EndTurn() {
    if (message_) return;
    for (QuestionHistory& question : all_)
      if (IsOpen(question.events.back()) && !asked_.contains(question.call))
        question.events.push_back({timestep_, QuestionState::kWithdrawn, "", std::nullopt});
  }

  std::vector<QuestionHistory> all_;
  std::unordered_map<std::string, std::size_t> places_;  // in all_, by call
  std::set<std::string> asked_;                          // in this timestep
  std::string person_;                                   // of the turn
  int timestep_ = 0;
  bool message_ = false;  // the turn is one
};

}  // namespace

std::string_view NameOf(QuestionState state) {
  constexpr std::array<std::string_view, 5> kNames = {"open", "answered", "declined", "withdrawn",
                                                      "tried"};
  return kNames[static_cast<std::size_t>(state)];
}

std::vector<QuestionHistory> QuestionsOf(std::span<const Event> events) {
  Questions questions;
  for (const Event& event : events) questions.Take(event);
  return questions.All();
}

std::vector<PersonAct> ActsOf(std::span<const Event> events) {
  std::vector<PersonAct> out;
  std::string person, now;
  for (const Event& event : events) {
    const ordered_json body = ParseJson(event.body).json;
    const auto add = [&](PersonAct::Kind kind, const std::string& what) {
      if (!person.empty() && !what.empty()) out.push_back({kind, what, person, now});
    };
    switch (event.kind) {
      case Event::Kind::kProgram:
        now.clear();
        person = TextAt(body, "person");
        if (&event != events.data()) add(PersonAct::Kind::kAccept, "the changed protocol");
        break;
      case Event::Kind::kTurn: {
        now.clear();
        person = TextAt(body, "person");
        std::string text = TextAt(body, "text");
        text.erase(text.find_last_not_of('\n') + 1);
        add(PersonAct::Kind::kAnswer, text);
        break;
      }
      case Event::Kind::kStep:
        now = TextAt(body, "now");
        for (auto act = out.rbegin(); act != out.rend() && act->at.empty(); ++act) act->at = now;
        break;
      case Event::Kind::kReply:
        add(PersonAct::Kind::kAnswer, TextAt(body, "call") + " => " + TextAt(body, "value"));
        break;
      default: break;
    }
  }
  return out;
}

}  // namespace rpl
