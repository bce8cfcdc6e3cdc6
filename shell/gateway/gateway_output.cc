// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/gateway_output.h"

#include "formats/data/json_rpc.h"
#include "formats/data/json_text.h"

namespace rpl {

nlohmann::ordered_json CallRefusal(bool modern, const std::string& text) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (modern) out["resultType"] = "complete";
  out["content"] = nlohmann::ordered_json::array({{{"type", "text"}, {"text", text}}});
  out["isError"] = true;
  return out;
}

void GatewayOutput::ToHost(const Json& json) { LineToHost(DumpJson(json)); }
void GatewayOutput::ToServer(const Json& json) { LineToServer(DumpJson(json)); }

void GatewayOutput::Refuse(const Json& id, bool modern, const std::string& text) {
  Answer(RpcResult(id, CallRefusal(modern, text)));
}

void GatewayOutput::FlushAnswers(bool as_batch) {
  if (as_batch && !answers_.empty()) ToHost(Json(std::exchange(answers_, {})));
  for (const Json& answer : std::exchange(answers_, {})) ToHost(answer);
}

}  // namespace rpl
