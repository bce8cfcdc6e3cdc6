// SPDX-License-Identifier: Apache-2.0
//
// The open questions of a run as data, as forms of MCP, and the answers that come back in them.
//
// A form (`elicitation/create`) is a flat object of strings, numbers and choices, one property for
// each question, named by its key. What its author wrote is shown as it is. Values may come from
// anybody: the runtime sets them apart (ToDo::AsQuestion), and characters that are invisible or
// reorder others are shown as escapes.
//
// A form shows what it asks whole. A question that is too long for that, or whose options have
// line ends or are long, is for no form, and is answered on the command line. No form asks for a
// password or a key (the specification forbids it): such a question is `secret`. Nor for the result
// of a tool, which is the model's to call.
#ifndef RPL_SHELL_SERVING_QUESTION_FORM_H_
#define RPL_SHELL_SERVING_QUESTION_FORM_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/ports.h"
#include "runtime/wire/given_answers.h"
#include "runtime/wire/open_question.h"

namespace rpl {

/// Whether a form may ask it.
bool IsForForm(const OpenQuestion& question);

/// The first of the questions that one form can ask.
std::vector<OpenQuestion> ForOneForm(const std::vector<OpenQuestion>& questions);

/// What a client understands.
enum class FormDialect {
  kPlain,  // 2025-06-18: choices are single
  kLists,  // 2025-11-25 and later: also several of a choice
};

/// The parameters of `elicitation/create` for these questions: "message" and "requestedSchema".
/// `refused`: why an earlier answer was not taken, or "". REQUIRES: IsForForm of each.
nlohmann::ordered_json FormOf(const std::vector<OpenQuestion>& questions,
                              const std::string& protocol, const std::string& refused,
                              FormDialect dialect);

/// The answers of a person in the content of a form: for each question that it answers, by id.
/// Other keys are ignored. nullopt if the content has not the form of an answer.
std::optional<std::vector<GivenAnswer>> AnswersIn(const nlohmann::ordered_json& content,
                                                  const std::vector<OpenQuestion>& questions);

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_QUESTION_FORM_H_
