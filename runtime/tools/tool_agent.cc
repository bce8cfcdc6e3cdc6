// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/tool_agent.h"

#include <algorithm>

#include "formats/text_hash.h"
#include "interp/store/json_value.h"
#include "runtime/replies.h"

namespace rpl {
namespace {

// A command in place of `$index` replies with the text of a source, or with the JSON that it is.
Answer ReadByCommand(const CommandCall& call, const ToolResult& result, Pool& pool) {
  std::string name = call.args.empty() || !call.args[0].is_string()
                         ? call.command->name
                         : call.args[0].get<std::string>();
  if (result.result.is_string())
    return IndexAnswer(pool, {std::move(name), result.result.get<std::string>()});
  if (!name.ends_with(".json")) name += ".json";
  return IndexAnswer(pool, {std::move(name), DumpJson(result.result)});
}

Answer AnswerFor(const CommandCall& call, const ToolResult& result, Pool& pool) {
  if (result.ok && call.command->name == "index") return ReadByCommand(call, result, pool);
  if (result.ok)
    return {Answer::Kind::kValue, ValueOfJson(result.result, pool, false), result.took_ms,
            By::kTool};
  if (result.code == "interrupted" || result.code == "not-recorded") return {};
  if (result.code == "not-started" || result.code == "denied")
    return NotRunCall(pool, result.code, result.message);
  Answer failed = FailedCall(pool, result.code, result.message);
  failed.took_ms = result.took_ms;
  failed.by = By::kTool;
  if (result.code != "tool" && result.code != "mcp") return failed;
  const std::span<const Value> known = pool.ItemsOf(failed.value);
  std::vector<Value> entries(known.begin(), known.end());
  entries.push_back(pool.Keyword("tool-code"));
  entries.push_back(pool.String(result.tool_code));
  failed.value = pool.Map(entries);
  return failed;
}

// The call as one of a command; nullopt if its arguments have no JSON.
std::optional<CommandCall> CommandCallFor(const ToolCall& of, const ToolCommand& command,
                                          Pool& pool) {
  CommandCall call{CallHash(of.id), &command, nlohmann::ordered_json::array(), of.starting,
                   nullptr};
  for (const Value arg : of.args) {
    std::optional<nlohmann::ordered_json> json = JsonOfValue(pool, arg);
    if (!json) return std::nullopt;
    call.args.push_back(std::move(*json));
  }
  if (of.finished)
    call.finished = [finished = of.finished, called = CommandCall{call}, &pool](
                        const ToolResult& result) { finished(AnswerFor(called, result, pool)); };
  return call;
}

}  // namespace

ToolAgent::ToolAgent(const ToolConfig& config, Permission& permission, ToolRun run,
                     Observer observer)
    : config_(config),
      permission_(permission),
      run_(std::move(run)),
      observer_(std::move(observer)),
      files_(config.files, permission),
      servers_(permission) {}

bool ToolAgent::AnswersAlone(const ToolCall& call) const {
  return !only_reads_ && (config_.Find(call.tool) != nullptr || files_.Takes(call));
}

std::vector<rpl::Answer> ToolAgent::Call(const std::vector<ToolCall>& calls, Pool& pool) {
  std::vector<rpl::Answer> answers(calls.size());
  Picked<CommandCall> of_commands, of_servers;
  Picked<ToolCall> of_files;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const ToolCall& call = calls[i];
    const ToolCommand* command = config_.Find(call.tool);
    if (command == nullptr && files_.Takes(call) && (!only_reads_ || call.tool == "index"))
      of_files.Add(call, i);
    if (command == nullptr || call.in_doubt || only_reads_) continue;
    std::optional<CommandCall> made = CommandCallFor(call, *command, pool);
    if (!made) {
      answers[i] = FailedCall(pool, "bad-request", "two keys of a map are the same text");
      answers[i].by = By::kTool;
      continue;
    }
    const Permission::Permit verdict = Permitted(*made, call.id);
    if (!verdict.yes) {
      answers[i] = NotRunCall(pool, "denied", verdict.reason);
      continue;
    }
    if (observer_) Observe(*made);
    (command->mcp ? of_servers : of_commands).Add(*std::move(made), i);
  }
  of_files.Place(files_.Call(of_files.calls, pool), answers);
  if (only_reads_) return answers;
  run_.concurrency = config_.concurrency;
  const std::vector<ToolResult> results = RunTools(of_commands.calls, run_);
  for (std::size_t k = 0; k < results.size(); ++k)
    answers[of_commands.places[k]] = AnswerFor(of_commands.calls[k], results[k], pool);
  const std::vector<ToolResult> served = servers_.Call(of_servers.calls, run_);
  for (std::size_t k = 0; k < served.size(); ++k)
    answers[of_servers.places[k]] = AnswerFor(of_servers.calls[k], served[k], pool);
  running_.clear();
  if (observer_) observer_(running_);
  return answers;
}

void ToolAgent::Observe(CommandCall& call) {
  call.starting = [this, name = call.command->name, starting = std::move(call.starting)] {
    if (starting && !starting()) return false;
    running_.push_back(name);
    observer_(running_);
    return true;
  };
  call.finished = [this, name = call.command->name,
                   finished = std::move(call.finished)](const ToolResult& result) {
    if (const auto at = std::ranges::find(running_, name); at != running_.end()) running_.erase(at);
    observer_(running_);
    if (finished) finished(result);
  };
}

std::vector<rpl::Answer> ToolAgent::ReadAgain(const std::vector<Reread>& calls, Pool& pool) {
  if (only_reads_) return SourceAccess::ReadAgain(calls, pool);
  std::vector<rpl::Answer> answers(calls.size());
  Picked<Reread> mine;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (config_.Find(calls[i].call.tool) == nullptr && files_.Takes(calls[i].call))
      mine.Add(calls[i], i);
  mine.Place(files_.ReadAgain(mine.calls, pool), answers);
  return answers;
}

Permission::Permit ToolAgent::Permitted(const CommandCall& call, const std::string& id) {
  const Permit permit = PermitFor(*call.command, call.args);
  if (permit == Permit::kDeny) return {false, "the configuration denies this call"};
  Permission::Permit verdict = permission_.Approve(*call.command);
  if (verdict.yes && permit == Permit::kAsk) verdict = permission_.Ask(call, id);
  return verdict;
}

std::string CallHash(const std::string& call) { return HashOfText(call); }

}  // namespace rpl
