// SPDX-License-Identifier: Apache-2.0
//
// The forms of the answers to events: one text per form, of which HookAnswer makes a decision, and
// the supervising parent, without memory of its own, a denial. Hosts read `{}` as no opinion.
#ifndef RPL_SHELL_GUARD_HOOK_FORM_H_
#define RPL_SHELL_GUARD_HOOK_FORM_H_

#include <string_view>

namespace rpl {

/// The form of an answer, as the host of an event reads it.
enum class HookForm : unsigned char {
  kPreToolUse,
  kBlock,
  kDecision,
  kPermission,
  kFlat,
  kExitCode,       // the exit code 2, and standard error
  kFlatAndNested,  // the keys of kFlat and of kPreToolUse, for events that two hosts send
  kBlockAtZero,    // as kBlock, of an event whose answer the host reads after exit code 0 alone
  kContinue,
  kFollowUp,  // read after exit code 0 alone
  kSilent,    // the host reads no denial of this event
};

/// Stand in the text of a form for JSON texts: the decision, and its reason.
inline constexpr char kFormDecision = '@', kFormReason = '$';

/// The JSON of a form, on one line. One without kFormDecision is that of denials alone.
constexpr std::string_view HookFormText(HookForm form) {
  using enum HookForm;
  switch (form) {
    case kPreToolUse:
      return R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":@,)"
             R"("permissionDecisionReason":$}})";
    case kBlock:
    case kBlockAtZero: return R"({"decision":"block","reason":$})";
    case kDecision: return R"({"decision":@,"reason":$})";
    case kPermission: return R"({"permission":@,"user_message":$,"agent_message":$})";
    case kFlat: return R"({"permissionDecision":@,"permissionDecisionReason":$})";
    case kFlatAndNested:
      return R"({"permissionDecision":@,"permissionDecisionReason":$,)"
             R"("hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":@,)"
             R"("permissionDecisionReason":$}})";
    case kContinue: return R"({"continue":false,"user_message":$})";
    case kFollowUp: return R"({"followup_message":$})";
    case kExitCode:
    case kSilent: break;
  }
  return "{}";
}

/// The exit code of a denial that is a decision: 2 for hosts that read nothing else, or else 0.
constexpr int HookDenialCode(HookForm form) { return form == HookForm::kExitCode ? 2 : 0; }

/// The exit code of a denial after a fault: 2, which hosts read even without an answer, or 0.
constexpr int FaultCode(HookForm form) {
  return form == HookForm::kBlockAtZero || form == HookForm::kFollowUp ? 0 : 2;
}

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_FORM_H_
