// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/recorded_input.h"

#include "runtime/record/journal.h"

namespace rpl {

using nlohmann::ordered_json;

bool RecordedInput::live() const { return journal_ == nullptr || journal_->live(); }

ordered_json RecordedInput::Outside(const ordered_json& question, const Ask& ask) {
  return journal_ == nullptr ? ask() : journal_->Outside(question, ask);
}

const ordered_json& RecordedInput::OncePerDecision(const ordered_json& question, const Ask& ask) {
  const auto [known, is_new] = asked_.try_emplace(question.dump());
  if (is_new) known->second = Outside(question, ask);
  return known->second;
}

}  // namespace rpl
