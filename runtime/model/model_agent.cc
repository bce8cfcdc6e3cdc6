// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/model_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "runtime/facts/source_facts.h"
#include "runtime/model/text_source.h"
#include "runtime/replies.h"
#include "runtime/wire/open_question.h"
#include "runtime/wire/request_key.h"

namespace rpl {
namespace {

constexpr std::size_t kToldReason = 200;

}  // namespace

ToolCommand ApprovedAs(const ModelConfig& config) {
  ToolCommand out;
  out.name = "model";
  out.folder = out.home = config.folder;
  out.environment = config.environment;
  out.timeout = config.timeout;
  out.max_output_bytes = config.max_output_bytes;
  out.argv = config.command;
  if (config.provider == ModelConfig::Provider::kCommand) return out;
  out.argv = {ProviderName(config.provider), config.url, config.model};
  if (!config.key.empty()) out.environment = {config.key};
  return out;
}

ModelAgent::ModelAgent(People& people, Tools& tools, Permission& permission, Note note,
                       std::function<bool()> interrupted)
    : RelayingAgent(people, tools, *this),
      permission_(permission),
      note_(std::move(note)),
      interrupted_(std::move(interrupted)) {}

void ModelAgent::Use(const ModelConfig& config, Permit permit, bool approved,
                     std::unique_ptr<ModelProvider> provider) {
  config_ = config;
  permit_ = permit;
  approved_ = approved;
  ended_ = false;
  provider_ = std::move(provider);
}

bool ModelAgent::IsInScope(const Question& question) const {
  if (provider_ == nullptr || question.name == kWhatNow || !question.Admits(By::kModel) ||
      AsksForSecret(question))
    return false;
  return config_.bounds.answers_all ||
         std::ranges::any_of(config_.bounds.answers,
                             [&](const std::string& key) { return KeyFits(question, key); });
}

bool ModelAgent::IsPermitted(const Question& question) {
  if (permit_ == Permit::kDeny) return false;
  const ToolCommand command = ApprovedAs(config_);
  Permission::Permit verdict{true, ""};
  if (!approved_) verdict = permission_.Approve(command);
  if (verdict.yes && permit_ == Permit::kAsk && !approved_)
    verdict =
        permission_.Ask({question.name, &command, nlohmann::ordered_json::array()}, question.id);
  if (verdict.yes) return true;
  note_(fmt::format("the model is not asked: {}", verdict.reason));
  ended_ = true;
  return false;
}

std::optional<rpl::Answer> ModelAgent::AnswerTo(const Request& request, Pool& pool,
                                                std::string_view refused) {
  const Question* question = request.question();
  if (question == nullptr || question->attempts == nullptr || !refused.empty() || ended_ ||
      !IsInScope(*question))
    return std::nullopt;
  return AskModel(*question, pool);
}

bool ModelAgent::AnswersAgain(const std::string& call, const AttemptBook& attempts) {
  if (provider_ == nullptr || ended_) return RelayingAgent::AnswersAgain(call, attempts);
  return attempts.CountOf(call) < config_.bounds.attempts && ReachedLimit(attempts).empty();
}

// The budget that is used up, for people; "" if there is some left.
std::string ModelAgent::ReachedLimit(const AttemptBook& attempts) const {
  const AttemptBook::Spent spent = attempts.spent();
  if (spent.calls >= config_.bounds.most_calls)
    return fmt::format("{} calls of the model", config_.bounds.most_calls);
  if (spent.tokens >= config_.bounds.most_tokens)
    return fmt::format("{} tokens of the model", config_.bounds.most_tokens);
  if (spent.ms >= config_.bounds.most_seconds * 1'000)
    return fmt::format("{} seconds of the model", config_.bounds.most_seconds);
  return "";
}

// The name of the model that replied; of a command, which has none, that of its provider.
std::string ModelAgent::NameOf(const ModelReply& reply) const {
  if (!reply.model.empty()) return reply.model;
  return config_.model.empty() ? ProviderName(config_.provider) : config_.model;
}

Attempt ModelAgent::AttemptFor(const Question& question, const ModelPrompt& prompt,
                               const ModelReply& reply) const {
  Attempt out;
  out.call = question.id;
  out.provider = ProviderName(config_.provider);
  out.model = NameOf(reply);
  out.digest = prompt.digest;
  out.requests = reply.requests;
  out.tokens = reply.tokens;
  out.estimated = reply.estimated;
  out.took_ms = reply.took_ms;
  if (!config_.bounds.full) return out;
  out.prompt = prompt.text;
  out.schema = DumpJson(prompt.schema);
  out.reply = CleanUtf8(reply.text);
  return out;
}

// The questions of one request, with the one that is put as the first.
std::vector<Question> ModelAgent::AskedWith(const Question& question) const {
  std::vector<Question> out = {question};
  if (!question.others) return out;
  std::ranges::copy_if(question.others(), std::back_inserter(out), [&](const Question& other) {
    return IsInScope(other) && question.attempts->CountOf(other.id) < config_.bounds.attempts;
  });
  return out;
}

ModelRequest ModelAgent::RequestFor(const std::vector<Question>& asked, const ModelPrompt& prompt,
                                    const std::vector<Attempt>& before) const {
  const Question& first = asked.front();
  const AttemptBook::Spent spent = first.attempts->spent();
  ModelRequest out;
  out.call = asked.size() == 1 ? first.id : first.heading;
  out.key = asked.size() == 1 ? first.name : first.relation;
  out.text = prompt.text;
  out.digest = prompt.digest;
  out.schema = prompt.schema;
  out.attempt = first.attempts->CountOf(first.id) + 1;
  for (const Attempt& attempt : before)
    if (attempt.gate != Attempt::Gate::kTransport) out.refused = attempt.reason;
  out.most_calls = config_.bounds.most_calls - spent.calls;
  out.most_ms = config_.bounds.most_seconds * 1'000 - spent.ms;
  return out;
}

rpl::Answer ModelAgent::Taken(Attempt attempt, Value value) const {
  rpl::Answer out{.kind = rpl::Answer::Kind::kValue, .value = value, .by = By::kModel};
  out.model = attempt.model;
  out.attempt = std::move(attempt);
  return out;
}

// The answer that a request for several questions brought; nullopt if none did, or if the question
// does not take it any more.
std::optional<rpl::Answer> ModelAgent::Kept(const Question& question, Pool& pool) {
  auto kept = kept_.extract(question.id);
  if (kept.empty()) return std::nullopt;
  Attempt& attempt = kept.mapped();
  const ReadReply read = ReadModelReply(std::exchange(attempt.reply, ""), {&question, 1}, pool);
  if (!read.reason.empty()) return std::nullopt;
  return Taken(std::move(attempt), read.values.front());
}

// The answer of the model; nullopt if the question stays open for somebody else.
std::optional<rpl::Answer> ModelAgent::AskModel(const Question& question, Pool& pool) {
  if (auto kept = Kept(question, pool)) return kept;
  std::optional<Passed> passed = AskUntilTaken(question, pool, nullptr);
  if (!passed) return std::nullopt;
  return Taken(std::move(passed->attempt), passed->read.values.front());
}

// Makes attempts, until one passes the gates; nullopt if none does.
std::optional<ModelAgent::Passed> ModelAgent::AskUntilTaken(const Question& question, Pool& pool,
                                                            const Gate& gate) {
  AttemptBook& attempts = *question.attempts;
  kept_.clear();
  while (attempts.CountOf(question.id) < config_.bounds.attempts) {
    if (std::string limit = ReachedLimit(attempts); !limit.empty()) {
      Attempt reached{.call = question.id, .gate = Attempt::Gate::kBudget};
      reached.reason = std::move(limit);
      static_cast<void>(attempts.Add(std::move(reached)));
      return std::nullopt;
    }
    if (!IsPermitted(question)) return std::nullopt;
    const std::vector<Question> asked = AskedWith(question);
    std::vector<Attempt> before;
    for (const Attempt& attempt : attempts.all())
      if (std::ranges::find(asked, attempt.call, &Question::id) != asked.end())
        before.push_back(attempt);
    const ModelPrompt prompt = PromptForModel(asked, pool, before);
    const ModelReply reply = provider_->Ask(RequestFor(asked, prompt, before), interrupted_);
    Attempt attempt = AttemptFor(question, prompt, reply);
    const auto leave = [&](Attempt::Gate at, std::string reason, const char* told) {
      if (told != nullptr)
        note_(fmt::format("the model {} {}: {}", told, question.id,
                          Shortened(reason, 2 * kToldReason)));
      attempt.gate = at;
      attempt.reason = std::move(reason);
      static_cast<void>(attempts.Add(std::move(attempt)));
      return std::nullopt;
    };
    if (interrupted_ && interrupted_())
      return leave(Attempt::Gate::kTransport, "interrupted", nullptr);
    switch (reply.kind) {
      case ModelReply::Kind::kEnds: ended_ = true; [[fallthrough]];
      case ModelReply::Kind::kNoReply:
        return leave(Attempt::Gate::kTransport, reply.why, "did not answer");
      case ModelReply::Kind::kRefused:
        return leave(Attempt::Gate::kRefusal, reply.why.empty() ? "without a reason" : reply.why,
                     "refuses to answer");
      case ModelReply::Kind::kText: break;
    }
    ReadReply read = ReadModelReply(reply.text, asked, pool);
    if (gate && read.reason.empty()) {
      read.reason = gate(read.values);
      if (!read.reason.empty()) read.gate = Attempt::Gate::kQuestion;
    }
    attempt.gate = read.gate;
    attempt.reason = read.reason;
    attempt.value = ShownValue(read.value);
    if (read.reason.empty()) {
      if (asked.size() > 1) attempt.value = ShownValue(read.value[question.name]);
      for (std::size_t i = 1; i < asked.size(); ++i) Keep(asked[i], read.value, attempt);
      return Passed{std::move(read), std::move(attempt)};
    }
    note_(fmt::format("the model's answer to {} is not taken: {}", question.id,
                      Shortened(read.reason, kToldReason)));
    if (!attempts.Add(std::move(attempt))) return std::nullopt;
  }
  return std::nullopt;
}

// Keeps the part of a reply that answers another question than the one that is put. The request is
// counted with the first.
void ModelAgent::Keep(const Question& question, const nlohmann::ordered_json& values,
                      const Attempt& of) {
  Attempt kept{.call = question.id};
  kept.value = ShownValue(values[question.name]);
  kept.provider = of.provider;
  kept.model = of.model;
  kept.digest = of.digest;
  kept.reply = DumpJson({{"value", values[question.name]}});
  kept_.insert_or_assign(question.id, std::move(kept));
}

std::vector<rpl::Answer> ModelAgent::Call(const std::vector<ToolCall>& calls, Pool& pool) {
  std::vector<rpl::Answer> out = RelayingAgent::Call(calls, pool);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].source && !IsReadable(out[i].source->name) && MayRead(calls[i]))
      out[i] = ReadByModel(calls[i], std::move(out[i]), pool);
  return out;
}

// Whether it may read a text in the place of this call of `$index`.
bool ModelAgent::MayRead(const ToolCall& call) const {
  return provider_ != nullptr && !ended_ && call.tool == "index" && !call.row.empty() &&
         call.attempts != nullptr &&
         (config_.bounds.answers_all ||
          std::ranges::find(config_.bounds.answers, "index") != config_.bounds.answers.end());
}

rpl::Answer ModelAgent::ReadByModel(const ToolCall& call, rpl::Answer answer, Pool& pool) {
  SourceText& source = *answer.source;
  const Question asked = QuestionOfText(call, source);
  const auto passed = AskUntilTaken(asked, pool, [&](const std::vector<Value>& values) {
    return UncitedIn(source.text, values.front(), pool);
  });
  if (!passed || !call.attempts->Add(passed->attempt))
    return NotRunCall(pool, "not-read", "no model read " + source.name);
  source.text = FactsOfRows(pool, call, passed->read.values.front(), source, passed->attempt.model);
  source.by = By::kModel;
  return answer;
}

}  // namespace rpl
