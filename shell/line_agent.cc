// SPDX-License-Identifier: Apache-2.0
#include "shell/line_agent.h"

#include "interp/json_value.h"
#include "shell/report.h"
#include "shell/scripted_agent.h"

namespace rpl {

rpl::Answer LineAgent::Answer(const Request& request, Pool& pool, bool again) {
  if (!read_line_ || request.kind == Request::Kind::kTool) return {};
  for (;; again = true) {
    nlohmann::ordered_json object = {{"schema", "rpl.request/1"}};
    object.update(RequestJson(request, pool));
    object["again"] = again;
    out_ << Dump(object) << std::endl;
    const std::optional<std::string> line = read_line_();
    if (!line) {
      read_line_ = nullptr;
      return {};
    }
    const JsonText reply = ParseJson(*line);
    if (!reply.error.empty() || !reply.json.is_object()) {
      err_ << "rpl: --answers: expected a JSON object, got `" << Printable(*line) << "`\n";
    } else if (reply.json.value("id", nlohmann::ordered_json()) != request.id) {
      err_ << "rpl: --answers: expected a reply to " << Printable(request.id) << '\n';
    } else if (const auto answer = ReplyFromJson(reply.json, request, pool)) {
      return *answer;
    } else {
      err_ << "rpl: --answers: expected \"value\", \"metadata\", \"decline\" or \"cancel\"\n";
    }
  }
}

void LineAgent::Chat(const std::string& line) {
  if (chat_) out_ << Dump({{"schema", "rpl.chat/1"}, {"line", line}}) << std::endl;
}

}  // namespace rpl
