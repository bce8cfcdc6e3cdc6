// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/line_agent.h"

#include "formats/data/json_text.h"
#include "runtime/wire/reply_json.h"
#include "runtime/wire/request_json.h"
#include "shell/terminal/report.h"

namespace rpl {

rpl::Answer LineAgent::Ask(const Question& question, Pool& pool, std::string_view refused) {
  if (!read_line_) return {};
  for (bool again = !refused.empty();; again = true) {
    nlohmann::ordered_json object = {{"schema", "rpl.request/1"}};
    object.update(RequestJson(question, pool));
    object["again"] = again;
    if (!refused.empty()) object["refused"] = refused;
    out_ << Dump(object) << std::endl;
    const std::optional<std::string> line = read_line_();
    if (!line) {
      read_line_ = nullptr;
      return {};
    }
    if (line->find_first_not_of(" \t") == line->npos) continue;
    const JsonText reply = ParseExactJson(*line);
    if (!reply.error.empty() && reply.byte == 0) {
      err_ << "rpl: --answers: " << PrintableLine(reply.error) << '\n';
    } else if (!reply.error.empty() || !reply.json.is_object()) {
      err_ << "rpl: --answers: expected a JSON object, got `" << PrintableLine(*line) << "`\n";
    } else if (reply.json.value("id", nlohmann::ordered_json()) != question.id) {
      err_ << "rpl: --answers: expected a reply to " << PrintableLine(question.id) << '\n';
    } else {
      const JsonReply read = ReplyFromJson(reply.json, "id", question, pool);
      if (read.error.empty()) return read.answer;
      err_ << "rpl: --answers: " << PrintableLine(read.error) << '\n';
      if (!read.hint.empty()) err_ << "help: " << PrintableLine(read.hint) << '\n';
    }
  }
}

}  // namespace rpl
