// SPDX-License-Identifier: Apache-2.0
//
// The questions of a session: what became of each, read from its events (decision 82).
#ifndef RPL_RUNTIME_RECORD_QUESTION_HISTORY_H_
#define RPL_RUNTIME_RECORD_QUESTION_HISTORY_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/record/journal.h"

namespace rpl {

/// The states of a question.
enum class QuestionState {
  kOpen,       // asked, without an answer
  kAnswered,   // with a value or with rows
  kDeclined,   // a person does not answer it
  kWithdrawn,  // the run ended its turn without needing the answer any more
  kTried,      // open, after an attempt of a model that was not taken
};

/// "open", "answered", ….
std::string_view NameOf(QuestionState state);

struct QuestionEvent {
  int timestep;
  QuestionState state;
  std::string value;        // kAnswered: the answer, as RPL text
  std::optional<By> by;     // kAnswered, kDeclined
  std::string person = {};  // who confirmed it, if that was recorded
  std::string model = {};   // kAnswered, kTried: the name of the model, or ""
  std::string gate = {};    // kTried: which gate did not take it (runtime/attempt.h)
  std::string reason = {};  // kTried: why
};

/// A question, identified by its call, with its states in order. One that is asked again after it
/// was taken back is open again.
struct QuestionHistory {
  std::string call;
  std::vector<QuestionEvent> events;  // never empty
};

/// In the order in which they were asked first.
std::vector<QuestionHistory> QuestionsOf(std::span<const Event> events);

/// What a person did who was recorded with it (SessionOptions::person).
struct PersonAct {
  enum class Kind { kAnswer, kAccept };
  Kind kind;
  std::string what;  // kAnswer: the fact, or the question and its answer
  std::string person;
  std::string at = {};  // the time of its timestep; of kAccept that of the next one
};

/// In order.
std::vector<PersonAct> ActsOf(std::span<const Event> events);

}  // namespace rpl

#endif  // RPL_RUNTIME_RECORD_QUESTION_HISTORY_H_
