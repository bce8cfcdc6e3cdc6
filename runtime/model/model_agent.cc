// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/model_agent.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/json_text.h"
#include "formats/shorten.h"
#include "formats/terminal_text.h"
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

ModelAgent::ModelAgent(Agent& otherwise, Permission& permission, Note note,
                       std::function<bool()> interrupted)
    : RelayingAgent(otherwise),
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

bool ModelAgent::IsInScope(const Request& request) const {
  if (provider_ == nullptr || request.kind == Request::Kind::kTool || request.name == "what-now" ||
      !request.Admits(By::kModel) || AsksForSecret(request))
    return false;
  return config_.bounds.answers_all ||
         std::ranges::any_of(config_.bounds.answers,
                             [&](const std::string& key) { return KeyFits(request, key); });
}

bool ModelAgent::IsPermitted(const Request& request) {
  if (permit_ == Permit::kDeny) return false;
  const ToolCommand command = ApprovedAs(config_);
  Permission::Permit verdict{true, ""};
  if (!approved_) verdict = permission_.Approve(command);
  if (verdict.yes && permit_ == Permit::kAsk && !approved_)
    verdict =
        permission_.Ask({request.name, &command, nlohmann::ordered_json::array()}, request.id);
  if (verdict.yes) return true;
  note_(fmt::format("the model is not asked: {}", verdict.reason));
  ended_ = true;
  return false;
}

rpl::Answer ModelAgent::Ask(const Request& request, Pool& pool, std::string_view refused) {
  if (refused.empty() && request.attempts != nullptr && !ended_ && IsInScope(request))
    if (std::optional<rpl::Answer> answer = AskModel(request, pool)) return *std::move(answer);
  return otherwise_.Ask(request, pool, refused);
}

bool ModelAgent::AnswersAgain(const std::string& call, const AttemptBook& attempts) {
  if (provider_ == nullptr || ended_) return otherwise_.AnswersAgain(call, attempts);
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

Attempt ModelAgent::AttemptFor(const Request& request, const ModelPrompt& prompt,
                               const ModelReply& reply) const {
  Attempt out;
  out.call = request.id;
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

// The answer of the model; nullopt if the question stays open for somebody else.
std::optional<rpl::Answer> ModelAgent::AskModel(const Request& request, Pool& pool) {
  AttemptBook& attempts = *request.attempts;
  while (attempts.CountOf(request.id) < config_.bounds.attempts) {
    if (std::string limit = ReachedLimit(attempts); !limit.empty()) {
      Attempt reached{.call = request.id, .gate = Attempt::Gate::kBudget};
      reached.reason = std::move(limit);
      static_cast<void>(attempts.Add(std::move(reached)));
      return std::nullopt;
    }
    if (!IsPermitted(request)) return std::nullopt;
    std::vector<Attempt> before;
    for (const Attempt& attempt : attempts.all())
      if (attempt.call == request.id) before.push_back(attempt);
    const ModelPrompt prompt = PromptForModel(request, pool, before);
    const AttemptBook::Spent spent = attempts.spent();
    ModelRequest ask;
    ask.call = request.id;
    ask.key = request.name;
    ask.text = prompt.text;
    ask.digest = prompt.digest;
    ask.schema = prompt.schema;
    ask.attempt = attempts.CountOf(request.id) + 1;
    for (const Attempt& attempt : before)
      if (attempt.gate != Attempt::Gate::kTransport) ask.refused = attempt.reason;
    ask.most_calls = config_.bounds.most_calls - spent.calls;
    ask.most_ms = config_.bounds.most_seconds * 1'000 - spent.ms;
    const ModelReply reply = provider_->Ask(ask, interrupted_);
    Attempt attempt = AttemptFor(request, prompt, reply);
    if (interrupted_ && interrupted_()) {
      attempt.gate = Attempt::Gate::kTransport;
      attempt.reason = "interrupted";
      static_cast<void>(attempts.Add(std::move(attempt)));
      return std::nullopt;
    }
    switch (reply.kind) {
      case ModelReply::Kind::kEnds: ended_ = true; [[fallthrough]];
      case ModelReply::Kind::kNoReply:
        attempt.gate = Attempt::Gate::kTransport;
        attempt.reason = reply.why;
        note_(fmt::format("the model did not answer {}: {}", request.id,
                          Shortened(reply.why, 2 * kToldReason)));
        static_cast<void>(attempts.Add(std::move(attempt)));
        return std::nullopt;
      case ModelReply::Kind::kRefused:
        attempt.gate = Attempt::Gate::kRefusal;
        attempt.reason = reply.why.empty() ? "without a reason" : reply.why;
        note_(fmt::format("the model refuses to answer {}: {}", request.id,
                          Shortened(attempt.reason, kToldReason)));
        static_cast<void>(attempts.Add(std::move(attempt)));
        return std::nullopt;
      case ModelReply::Kind::kText: break;
    }
    ReadReply read = ReadModelReply(reply.text, request, pool);
    attempt.gate = read.gate;
    attempt.reason = read.reason;
    attempt.value = read.shown;
    if (read.reason.empty()) {
      rpl::Answer answer{.kind = rpl::Answer::Kind::kValue, .value = read.value, .by = By::kModel};
      answer.model = NameOf(reply);
      answer.attempt = std::move(attempt);
      return answer;
    }
    note_(fmt::format("the model's answer to {} is not taken: {}", request.id,
                      Shortened(read.reason, kToldReason)));
    if (!attempts.Add(std::move(attempt))) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace rpl
