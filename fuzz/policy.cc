// SPDX-License-Identifier: Apache-2.0
//
// Feeds a policy to its reader, and decides by what it accepts.
//
// A finding lies in the file and prints. A policy that is refused has an error, one that is
// accepted has none; its rules then decide about a few calls, with nothing known, and with
// something: twice the same, without shadow mode never less severe than an allow by nobody,
// and each prints as RPL.
#include <cstddef>
#include <cstdint>
#include <string>

#include "checks/guard/guard.h"
#include "checks/guard/policy_program.h"
#include "fuzz/require.h"
#include "grammar/document.h"

namespace rpl::fuzz {
namespace {

struct Some : GuardSources {
  bool known = false;

  Sourced<nlohmann::ordered_json> Signal(const std::string&,
                                         const nlohmann::ordered_json& args) override {
    if (!known) return {std::nullopt, "none"};
    return {args.empty() ? nlohmann::ordered_json(1) : *args.begin(), ""};
  }
  Sourced<std::vector<Subject>> Subjects(const GuardCall&) override {
    if (!known) return {std::nullopt, "none"};
    return {std::vector<Subject>{{"customer", "c1", "source", "crm"}}, ""};
  }
  Sourced<Review> FindReview(const ReviewRequest&) override { return {Review{}, ""}; }
  Sourced<Review> AskForReview(const ReviewRequest&) override {
    return {Review{Review::State::kPending, "1", ""}, ""};
  }
  Sourced<bool> SpendReview(const Review&) override { return {true, ""}; }
};

void Decide(const Guard& guard, bool known) {
  Some sources;
  sources.known = known;
  GuardCall call;
  call.tool = "send_email";
  call.args = nlohmann::ordered_json::parse(R"({"a":{"b":[1,"x"]},"n":5})");
  History history;
  if (known) {
    call.tags = {"pii"};
    call.user.emplace();
    call.user->id = "u1";
    call.user->tags = {{"tz", "Europe/Berlin"}, {"vip", "y"}};
    history.Add({"auth", {"x"}, false, 20, 0, "u1", {{"bytes_out", 5}}}, true);
  }
  for (const CallPhase phase : {CallPhase::kBefore, CallPhase::kAfter}) {
    call.phase = phase;
    const Decision decision = guard.Decide(call, history, sources, 1'000'000'000'000);
    Require(decision.cause != Decision::Cause::kFailure, "a decision does not fail");
    const std::string text = DecisionJson(decision, call).dump();
    Require(
        text == DecisionJson(guard.Decide(call, history, sources, 1'000'000'000'000), call).dump(),
        "a decision is the same again", text);
    Require(decision.effect == Effect::kAllow || !decision.rule.empty(),
            "what stops a call has a rule", text);
  }
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rpl;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sources sources;
  Diagnostics found;
  std::optional<Policy> policy = ReadPolicy(sources, sources.Add("policy.json", text), found);
  for (const Diagnostic& d : found.all()) {
    fuzz::Require(d.span.end <= text.size() && d.span.begin <= d.span.end,
                  "a finding lies in the file");
    fuzz::Require(!Render(d, sources).empty(), "a finding prints");
  }
  fuzz::Require(policy.has_value() == !found.has_errors(), "a policy without errors is taken");
  if (!policy) return 0;
  const Guard guard(std::move(*policy), {});
  Sources printed;
  Diagnostics errors;
  ReadDocument(printed, printed.Add("policy.rpl", PolicyAsRpl(guard)), errors);
  fuzz::Require(!errors.has_errors(), "a policy prints as a program", text);
  fuzz::Decide(guard, false);
  fuzz::Decide(guard, true);
  return 0;
}
