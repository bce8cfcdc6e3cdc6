// SPDX-License-Identifier: Apache-2.0
//
// The two eras of the Model Context Protocol, as a request of a host shows them: in the *modern*
// one (2026-07-28) each request says in `params._meta` which version the host speaks and what it
// can do; in the *legacy* one `initialize` said so for all.
#ifndef RPL_SHELL_GATEWAY_MCP_ERA_H_
#define RPL_SHELL_GATEWAY_MCP_ERA_H_

#include <nlohmann/json.hpp>

#include "formats/data/json_fields.h"

namespace rpl {

/// The keys in `_meta` of a modern request.
inline constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kClientKey = "io.modelcontextprotocol/clientInfo";

/// True for the parameters of a modern request.
inline bool IsModernRequest(const nlohmann::ordered_json& params) {
  return FieldAt(FieldAt(params, "_meta"), kVersionKey).is_string();
}

/// True if capabilities of a host have forms.
inline bool HasForms(const nlohmann::ordered_json& capabilities) {
  const nlohmann::ordered_json& elicitation = FieldAt(capabilities, "elicitation");
  return elicitation.is_object() && (elicitation.empty() || elicitation.contains("form"));
}

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_MCP_ERA_H_
