// SPDX-License-Identifier: Apache-2.0
#include "runtime/attempt.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/data/json_fields.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 7> kGateNames = {
    "taken", "schema", "question", "constraints", "refusal", "transport", "budget"};

// The texts of an attempt by their names in an event.
constexpr std::array<std::pair<const char*, std::string Attempt::*>, 9> kAttemptTexts = {
    {{"reason", &Attempt::reason},
     {"of", &Attempt::of},
     {"value", &Attempt::value},
     {"provider", &Attempt::provider},
     {"model", &Attempt::model},
     {"digest", &Attempt::digest},
     {"prompt", &Attempt::prompt},
     {"schema", &Attempt::schema},
     {"reply", &Attempt::reply}}};

std::optional<Attempt::Gate> GateNamed(std::string_view name) {
  const auto at = std::ranges::find(kGateNames, name);
  if (at == kGateNames.end()) return std::nullopt;
  return static_cast<Attempt::Gate>(at - kGateNames.begin());
}

}  // namespace

std::string_view GateName(Attempt::Gate gate) { return kGateNames[static_cast<std::size_t>(gate)]; }

std::string AttemptLine(const Attempt& attempt) {
  std::string out = attempt.call + ": ";
  switch (attempt.gate) {
    case Attempt::Gate::kTaken: return out + attempt.value + " is taken";
    case Attempt::Gate::kRefusal: return out + "the model refuses: " + attempt.reason;
    case Attempt::Gate::kTransport: return out + "no reply: " + attempt.reason;
    case Attempt::Gate::kBudget: return out + "not asked: " + attempt.reason + " are used up";
    case Attempt::Gate::kSchema:
    case Attempt::Gate::kQuestion:
    case Attempt::Gate::kConstraints: break;
  }
  out += (attempt.value.empty() ? "the reply" : attempt.value) + " is not taken (";
  return out.append(GateName(attempt.gate)) + "): " + attempt.reason;
}

ordered_json AttemptJson(const Attempt& attempt) {
  ordered_json body = {{"call", attempt.call}, {"gate", GateName(attempt.gate)}};
  for (const auto& [name, text] : kAttemptTexts)
    if (!(attempt.*text).empty()) body[name] = attempt.*text;
  if (attempt.requests != 0) body["requests"] = attempt.requests;
  if (attempt.tokens != 0) body["tokens"] = attempt.tokens;
  if (attempt.estimated) body["estimated"] = true;
  if (attempt.took_ms != 0) body["ms"] = attempt.took_ms;
  return body;
}

Attempt AttemptOf(const ordered_json& body) {
  Attempt out;
  out.call = TextAt(body, "call");
  out.gate = GateNamed(TextAt(body, "gate")).value_or(Attempt::Gate::kTransport);
  for (const auto& [name, text] : kAttemptTexts) out.*text = TextAt(body, name);
  out.requests = CountAt(body, "requests");
  out.tokens = CountAt(body, "tokens");
  out.estimated = FlagAt(body, "estimated");
  out.took_ms = CountAt(body, "ms");
  return out;
}

std::string AttemptFault(const ordered_json& body) {
  if (!GateNamed(TextAt(body, "gate"))) return "its `gate` is unknown";
  return TextAt(body, "call").empty() ? "its `call` is empty" : "";
}

void AttemptBook::Take(Attempt attempt) {
  if (attempt.gate == Attempt::Gate::kBudget) limit_ = attempt.reason;
  all_.push_back(std::move(attempt));
}

bool AttemptBook::Add(Attempt attempt) {
  Take(std::move(attempt));
  return !sink_ || sink_(all_.back());
}

std::size_t AttemptBook::CountOf(std::string_view call) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      all_, [&](const Attempt& attempt) { return attempt.Counts() && attempt.call == call; }));
}

AttemptBook::Spent AttemptBook::spent() const {
  Spent out;
  for (const Attempt& attempt : all_) {
    out.calls += attempt.requests;
    out.tokens += attempt.tokens;
    out.ms += attempt.took_ms;
  }
  return out;
}

}  // namespace rpl
