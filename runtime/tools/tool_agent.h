// SPDX-License-Identifier: Apache-2.0
//
// The agent that answers tool calls by running commands, and `$index` and `$write` by reading and
// writing files (runtime/tools/file_tools.h), unless a command has that name. Other calls stay
// open.
//
// A call runs only with permission: no rule of the configuration denies it, its command is
// approved, and, where the configuration says `ask`, the user agreed. A refusal and a failure are
// replies as well: {:status :error, :code "denied", :message "…"}, with the codes of
// runtime/tools/tool.h, and for "tool" the tool's own code under :tool-code. Two further codes:
//
//   denied       it was not permitted
//   bad-request  its arguments have no JSON, because two keys of a map are the same text, or they
//                are not those of the tool of a server
//
// Calls of tools of servers of the Model Context Protocol go to these (runtime/tools/mcp_tools.h),
// with the same permissions and failures.
//
// A call that was denied or not started did not run: its reply is Answer::Kind::kNotRun.
//
// Calls in doubt (ToolCall::in_doubt), calls that an interrupt ended, and calls whose start could
// not be recorded get no answer and stay pending.
#ifndef RPL_RUNTIME_TOOLS_TOOL_AGENT_H_
#define RPL_RUNTIME_TOOLS_TOOL_AGENT_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/sql/sql_source.h"
#include "runtime/ports.h"
#include "runtime/tools/file_tools.h"
#include "runtime/tools/mcp_tools.h"
#include "runtime/tools/permission.h"
#include "runtime/tools/tool.h"
#include "runtime/tools/tool_config.h"

namespace rpl {

/// The agent. Call blocks until all its calls have ended.
class ToolAgent : public Tools, public SourceAccess {
 public:
  /// Told which commands and tools of servers run, in the order of their starts, when one starts or
  /// ends; none when all calls have ended.
  using Observer = std::function<void(const std::vector<std::string>& running)>;

  /// Borrows the configuration and the permission. The concurrency of `run` is replaced by the
  /// configuration's.
  ToolAgent(const ToolConfig& config, Permission& permission, ToolRun run,
            Observer observer = nullptr);

  /// The folder of the program, absolute. Without one `$index` and `$write` are other calls.
  void SetFolder(std::string folder) { files_.SetFolder(std::move(folder)); }
  /// From now on it reads sources from files and databases, each once, and all other calls stay
  /// open. `push`: databases may evaluate rules over theirs.
  void OnlyRead(bool push) {
    only_reads_ = true;
    push_ = push;
  }

  bool AnswersAlone(const ToolCall& call) const override;
  /// Runs the permitted calls concurrently (RunTools), and reads and writes files in written order.
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override;
  std::vector<rpl::Answer> ReadAgain(const std::vector<Reread>& calls, Pool& pool) override;
  std::vector<RecordedText> ReadRecorded(const std::vector<RecordedRead>& reads,
                                         Pool& pool) override {
    return files_.ReadRecorded(reads, pool);
  }
  std::vector<std::optional<SqlSource>> Places(const std::vector<ToolCall>& calls,
                                               const Pool& pool) override {
    if (!push_ || config_.Find("index") != nullptr) return SourceAccess::Places(calls, pool);
    return files_.Places(calls, pool);
  }

 private:
  /// The configuration's rule first, then the approval, then the question.
  Permission::Permit Permitted(const CommandCall& call, const std::string& id);
  /// The start and the end of the call are told to the observer.
  void Observe(CommandCall& call);

  const ToolConfig& config_;
  Permission& permission_;
  ToolRun run_;
  const Observer observer_;
  bool only_reads_ = false;
  bool push_ = true;
  std::vector<std::string> running_;
  FileTools files_;
  McpTools servers_;
};

/// The `id` of a call: 32 hexadecimal digits that the call as RPL text decides.
std::string CallHash(const std::string& call);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_TOOL_AGENT_H_
