// SPDX-License-Identifier: Apache-2.0
//
// Input of decisions from outside the program: commands, reviews, metrics, the time that calls
// took. The journal records each question with its answer, so that a replay decides as the run did
// and asks nobody.
//
// Within a decision, a question may be asked once for all (OncePerDecision).
#ifndef RPL_RUNTIME_STEP_RECORDED_INPUT_H_
#define RPL_RUNTIME_STEP_RECORDED_INPUT_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace rpl {

class Journal;

class RecordedInput {
 public:
  using Ask = std::function<nlohmann::ordered_json()>;

  /// Borrows the journal; null: nothing is recorded.
  explicit RecordedInput(Journal* journal) : journal_(journal) {}

  /// True unless a journal is replayed.
  bool live() const;
  /// The answer of the journal in a replay, else that of `ask`, recorded.
  nlohmann::ordered_json Outside(const nlohmann::ordered_json& question, const Ask& ask);
  /// The same; within a decision, a question that was answered is not asked again.
  const nlohmann::ordered_json& OncePerDecision(const nlohmann::ordered_json& question,
                                                const Ask& ask);
  /// Another decision begins.
  void BeginDecision() { asked_.clear(); }

 private:
  Journal* journal_;
  std::map<std::string, nlohmann::ordered_json> asked_;  // OncePerDecision, by question
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_RECORDED_INPUT_H_
