// SPDX-License-Identifier: Apache-2.0
//
// The provider `command`: a process for each request.
//
//   on its standard input   {"rpl":1,"id":"…","question":"…","prompt":"…","schema":{…},"attempt":1}
//   on its standard output  {"id":"…","result":VALUE}, the `value` of the schema,
//                           or {"id":"…","error":{"code":"…","message":"…"}}
//
// From the second attempt on the request has `refused`, the reason why the last one was not taken.
// An error with the code `refused` is a refusal of the model.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "runtime/model/model_prompt.h"
#include "runtime/model/model_provider.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

class CommandProvider : public ModelProvider {
 public:
  CommandProvider(const ModelConfig& config, ModelLog log)
      : command_(ApprovedAs(config)), log_(std::move(log)) {}

  ModelReply Ask(const ModelRequest& request, const std::function<bool()>& interrupted) override {
    ToolCommand command = command_;
    command.timeout = std::min(command.timeout, std::chrono::milliseconds(request.most_ms));
    ordered_json line = {{"rpl", 1},
                         {"id", request.digest},
                         {"question", request.key},
                         {"prompt", request.text},
                         {"schema", request.schema},
                         {"attempt", request.attempt}};
    if (!request.refused.empty()) line["refused"] = request.refused;
    CommandCall call{request.digest, &command, ordered_json::array()};
    call.line = DumpJson(line);
    ToolRun run;
    run.interrupted = interrupted;
    run.log = log_;
    const ToolResult result = RunTools({call}, run).front();
    ModelReply out;
    out.took_ms = static_cast<std::uint64_t>(result.took_ms);
    out.tokens = TokensIn(request.text) + TokensIn(result.ok ? DumpJson(result.result) : "");
    out.estimated = true;
    if (!result.ok) {
      // What is no JSON is a reply that no gate takes; a process that failed is none.
      const bool said = result.code == "bad-reply" || result.code == "too-much-output";
      out.kind = said ? ModelReply::Kind::kText : ModelReply::Kind::kNoReply;
      if (result.code == "not-started") out.kind = ModelReply::Kind::kEnds;
      out.text = said ? result.message : "";
      out.why = result.message;
      return out;
    }
    const ordered_json& error = FieldAt(result.result, "error");
    if (error.is_object()) {
      out.kind = TextAt(error, "code") == "refused" ? ModelReply::Kind::kRefused
                                                    : ModelReply::Kind::kNoReply;
      out.why = TextAt(error, "message");
      return out;
    }
    out.kind = ModelReply::Kind::kText;
    const bool answers = result.result.is_object() && result.result.contains("result") &&
                         TextAt(result.result, "id") == request.digest;
    out.text = DumpJson(answers ? ordered_json{{"value", result.result["result"]}} : result.result);
    return out;
  }

 private:
  ToolCommand command_;
  ModelLog log_;
};

}  // namespace

std::unique_ptr<ModelProvider> MakeCommandProvider(const ModelConfig& config, ModelLog log) {
  return std::make_unique<CommandProvider>(config, std::move(log));
}

}  // namespace rpl
