// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/turn_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "grammar/parser.h"
#include "grammar/printer.h"
#include "interp/store/json_value.h"
#include "runtime/replies.h"
#include "runtime/run/session.h"
#include "runtime/wire/request_fields.h"
#include "runtime/wire/standing_replies.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostFacts = 1'000;

// Whether the recorded value, RPL text, is the one that is given.
bool IsRecorded(const GivenAnswer& given, const std::string& recorded, Pool& pool) {
  if (given.kind != GivenAnswer::Kind::kJson) return false;
  const auto is = [&](Value v) { return !v.is_none() && Text(pool, v) == recorded; };
  if (is(ValueOfJson(given.value, pool, false))) return true;
  if (!given.value.is_string()) return false;
  const std::string text = given.value.get<std::string>();
  return text == recorded || is(TypedValue(pool, text)) ||
         is(TypedValue(pool, text, Takes::kNumber)) || is(pool.Symbol(text)) ||
         (text.starts_with(':') && is(pool.Keyword(text.substr(1))));
}

// Facts of a call as sentences that assert or retract them, with their source.
struct FactSentences {
  std::string text;
  std::string error;  // why one is no fact, or ""
};

FactSentences SentencesOf(const std::vector<std::string>& facts, const std::string& source,
                          bool retract) {
  FactSentences out;
  if (facts.size() > kMostFacts) return {"", fmt::format("at most {} facts at once", kMostFacts)};
  const std::string said =
      source.empty() ? "" : " ^ ~ {:source " + Print(Node{String{CleanUtf8(source)}, {}}) + "}";
  for (const std::string& fact : facts) {
    Sources sources;
    Diagnostics found;
    const std::uint32_t file = sources.Add("fact", fact);
    const Span whole{file, 0, static_cast<std::uint32_t>(fact.size())};
    const std::optional<Node> term = ParseTerm(sources, whole, found);
    const Call* call = term ? term->As<Call>() : nullptr;
    if (call == nullptr || call->ns != Namespace::kRelation || HasVariables(*term)) {
      out.error = "expected a fact without variables, as in price(\"Lucca\", 900), got `" +
                  Shortened(fact, 200) + "`";
      for (const Diagnostic& d : found.all()) out.error += ": " + d.message;
      return out;
    }
    out.text += Print(*term) + (retract ? "" : said) + (retract ? " -> false\n" : " -> true\n");
  }
  return out;
}

FactSentences StatedFacts(const ordered_json& input) {
  return SentencesOf(KeysIn(input, "facts"), TextIn(input, "source"), false);
}

FactSentences RetractedFacts(const ordered_json& input) {
  return SentencesOf(KeysIn(ObjectIn(input, "retract"), "facts"), "", true);
}

// The answers of an input, or its fault.
TurnInput InputOf(const ordered_json& input, By by) {
  try {
    return {GivenIn(input, by), "", "", ""};
  } catch (const std::invalid_argument& e) {
    return {{}, e.what(), "", ""};
  }
}

// The answers by the keys of the open questions, and without those that the run has already. One
// that differs from what is recorded is a fault.
TurnInput ForRun(TurnInput input, ProtocolRun& run) {
  if (!input.fault.empty()) return input;
  const std::vector<OpenQuestion> questions = QuestionsOfRun(run);
  Pool& pool = run.session().pool();
  std::erase_if(input.answers, [&](GivenAnswer& given) {
    for (const OpenQuestion& question : questions)
      if (given.key == question.key || given.key == question.id) {
        given.key = question.id;
        return false;
      }
    if (run.IsDeclined(given.key)) return given.kind == GivenAnswer::Kind::kDecline;
    const std::vector<std::pair<std::string, std::string>> recorded = run.Recorded(given.key);
    for (const auto& [call, value] : recorded)
      if (IsRecorded(given, value, pool)) return true;
    if (recorded.size() == 1 && input.fault.empty()) {
      // Calls of one tool share its name.
      const auto& [call, value] = recorded.front();
      const std::string& key = call.starts_with('$') ? call : given.key;
      input.fault = fmt::format("`{}` was answered before: {}", key, value);
      input.hint = fmt::format("To correct it, call rpl_retract with answers {}, then answer again",
                               DumpJson(ordered_json::array({key})));
    }
    return false;
  });
  return input;
}

// The refusal of a person to answer these questions: recorded, unless the run would end by it.
TurnInput DeclinedInput(ProtocolRun& run, const std::vector<OpenQuestion>& questions) {
  TurnInput input;
  std::string keys;
  for (const OpenQuestion& question : questions) {
    input.answers.push_back({GivenAnswer::Kind::kDecline, question.id, nullptr, By::kPerson});
    keys += (keys.empty() ? "" : ", ") + question.key;
  }
  if (!run.EndsByDeclining(input.answers)) return input;
  input.answers.clear();
  input.note = kDeclinedNote + std::string(" to answer: ") + keys;
  return input;
}

// The answers in responses to forms.
TurnInput FormsInput(const ordered_json& forms, ProtocolRun& run) {
  TurnInput input;
  std::vector<OpenQuestion> declined;
  std::string cancelled;
  for (const OpenQuestion& question : QuestionsOfRun(run)) {
    auto at = forms.find(FormKey(question.key, run.seq()));
    if (at == forms.end()) at = forms.find(question.id);
    if (at == forms.end() || !IsForForm(question)) continue;
    const std::string action = (*at)["action"];
    if (action == "decline") declined.push_back(question);
    if (action == "cancel") cancelled += (cancelled.empty() ? "" : ", ") + question.key;
    const auto content = at->find("content");
    if (action != "accept" || content == at->end()) continue;
    if (auto read = AnswersIn(*content, {question}))
      input.answers.insert(input.answers.end(), read->begin(), read->end());
  }
  if (!declined.empty()) {
    TurnInput no = DeclinedInput(run, declined);
    input.answers.insert(input.answers.end(), no.answers.begin(), no.answers.end());
    input.note = no.note;
  } else if (!cancelled.empty() && input.answers.empty()) {
    input.note = kDeclinedNote + std::string(" to answer now: ") + cancelled;
  }
  return input;
}

std::string Capitalised(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

// Says sentences as that party. If they are not taken in, the input has the reason.
void SayTo(ProtocolRun& run, const std::string& sentences, By by, TurnInput& input) {
  const Outcome said = run.Say(sentences, by);
  if (said.status != Status::kRejected) return;  // if they violate a rule, the turn will tell
  input.answers.clear();
  input.fault = run.Shown(said.reason);
  input.hint = said.hint.empty() ? "Correct it" : Capitalised(said.hint);
}

// Takes back facts and the answers of these keys.
TurnInput TakeBackFacts(const FactSentences& facts, const std::vector<std::string>& keys,
                        ProtocolRun& run, By by) {
  TurnInput input;
  std::string text = facts.text;
  const Retractions back = TakeBack(run.session().Entries(), keys);
  if (!back.refused.empty()) {
    input.fault = back.refused;
    input.hint = "rpl_trace lists what was";
    return input;
  }
  for (const std::string& sentence : back.sentences) text += sentence + "\n";
  const Outcome said = run.Say(text, by);
  if (said.status == Status::kNothing || said.status == Status::kSatisfied) return input;
  if (!said.hint.empty()) return {{}, run.Shown(said.reason), Capitalised(said.hint), ""};
  input.fault = "it was not taken back: " + run.Shown(said.reason);
  input.hint = "What the rules derive is not taken back, only what was said";
  return input;
}

}  // namespace

std::string FormKey(const std::string& key, std::size_t seq) {
  return fmt::format("{}#{}", key, seq);
}

std::vector<OpenQuestion> QuestionsOfRun(ProtocolRun& run) {
  if (!run.has_outcome()) run.Turn({});
  return OpenQuestionsOf(run.outcome().pending, run.session().pool());
}

std::string InputFault(const ordered_json& input) {
  if (TurnInput given = InputOf(input, By::kHost); !given.fault.empty()) return given.fault;
  const FactSentences gone = RetractedFacts(input);
  return gone.error.empty() ? StatedFacts(input).error : gone.error;
}

TurnInput ReadInput(const ordered_json& input, ProtocolRun& run) {
  if (const auto forms = input.find("forms"); forms != input.end()) return FormsInput(*forms, run);
  const By by = PartyIn(input);
  TurnInput out = InputOf(input, by);
  const FactSentences gone = RetractedFacts(input);
  const FactSentences facts = StatedFacts(input);
  if (out.fault.empty()) out.fault = gone.error.empty() ? facts.error : gone.error;
  if (!out.fault.empty()) return {{}, out.fault, "", ""};
  const std::vector<std::string> keys = KeysIn(ObjectIn(input, "retract"), "answers");
  if (!gone.text.empty() || !keys.empty())
    if (TurnInput back = TakeBackFacts(gone, keys, run, by); !back.fault.empty()) return back;
  if (const auto typed = input.find("typed"); typed != input.end())
    for (const auto& [id, value] : typed->items())
      out.answers.push_back({GivenAnswer::Kind::kForm, id, value, By::kPerson});
  // A run that begins has no questions yet: what it asks takes the answers by their names.
  else if (!out.answers.empty() && run.was_run()) out = ForRun(std::move(out), run);
  if (out.fault.empty() && !facts.text.empty()) SayTo(run, facts.text, by, out);
  return out;
}

}  // namespace rpl
