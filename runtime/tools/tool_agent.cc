// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/tool_agent.h"

#include "formats/text_hash.h"
#include "interp/store/json_value.h"

namespace rpl {
namespace {

// Calls selected from a list of requests, with their indexes in it.
template <typename T>
struct Picked {
  std::vector<T> calls;
  std::vector<std::size_t> places;

  void Add(T call, std::size_t place) {
    calls.push_back(std::move(call));
    places.push_back(place);
  }
};

// A command in place of `$index` replies with the text of a source, or with the JSON that it is.
Answer ReadByCommand(const ToolCall& call, const ToolResult& result, Pool& pool) {
  std::string name = call.args.empty() || !call.args[0].is_string()
                         ? call.command->name
                         : call.args[0].get<std::string>();
  if (result.result.is_string())
    return IndexAnswer(pool, {std::move(name), result.result.get<std::string>()});
  if (!name.ends_with(".json")) name += ".json";
  return IndexAnswer(pool, {std::move(name), DumpJson(result.result)});
}

Answer AnswerFor(const ToolCall& call, const ToolResult& result, Pool& pool) {
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

// The call of a request; nullopt if its arguments have no JSON.
std::optional<ToolCall> CallFor(const Request& request, const ToolCommand& command, Pool& pool) {
  ToolCall call{CallHash(request.id), &command, nlohmann::ordered_json::array(), request.starting,
                nullptr};
  for (const Value arg : request.args) {
    std::optional<nlohmann::ordered_json> json = JsonOfValue(pool, arg);
    if (!json) return std::nullopt;
    call.args.push_back(std::move(*json));
  }
  if (request.finished)
    call.finished = [finished = request.finished, called = ToolCall{call}, &pool](
                        const ToolResult& result) { finished(AnswerFor(called, result, pool)); };
  return call;
}

}  // namespace

ToolAgent::ToolAgent(const ToolConfig& config, Permission& permission, ToolRun run,
                     Agent& otherwise)
    : RelayingAgent(otherwise),
      config_(config),
      permission_(permission),
      run_(std::move(run)),
      files_(config.files, permission),
      servers_(permission) {}

bool ToolAgent::IsMine(const Request& request) const {
  return request.kind == Request::Kind::kTool &&
         (config_.Find(request.tool) != nullptr || files_.Takes(request));
}

rpl::Answer ToolAgent::Ask(const Request& request, Pool& pool, std::string_view refused) {
  return IsMine(request) ? Call({request}, pool).front() : otherwise_.Ask(request, pool, refused);
}

std::vector<rpl::Answer> ToolAgent::Call(const std::vector<Request>& requests, Pool& pool) {
  std::vector<rpl::Answer> answers(requests.size());
  Picked<ToolCall> mine, of_servers;
  Picked<Request> others, of_files;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    const ToolCommand* command = config_.Find(request.tool);
    if (!IsMine(request)) {
      others.Add(request, i);
    } else if (command == nullptr) {
      of_files.Add(request, i);
    } else if (!request.in_doubt) {
      std::optional<ToolCall> call = CallFor(request, *command, pool);
      if (!call) {
        answers[i] = FailedCall(pool, "bad-request", "two keys of a map are the same text");
        answers[i].by = By::kTool;
        continue;
      }
      const Permission::Permit verdict = Permitted(*call, request);
      if (verdict.yes) (command->mcp ? of_servers : mine).Add(std::move(*call), i);
      else answers[i] = NotRunCall(pool, "denied", verdict.reason);
    }
  }
  const std::vector<rpl::Answer> of_folder = files_.Call(of_files.calls, pool);
  for (std::size_t k = 0; k < of_folder.size(); ++k) answers[of_files.places[k]] = of_folder[k];
  run_.concurrency = config_.concurrency;
  const std::vector<ToolResult> results = RunTools(mine.calls, run_);
  for (std::size_t k = 0; k < results.size(); ++k)
    answers[mine.places[k]] = AnswerFor(mine.calls[k], results[k], pool);
  const std::vector<ToolResult> served = servers_.Call(of_servers.calls, run_);
  for (std::size_t k = 0; k < served.size(); ++k)
    answers[of_servers.places[k]] = AnswerFor(of_servers.calls[k], served[k], pool);
  if (others.calls.empty()) return answers;
  const std::vector<rpl::Answer> given = otherwise_.Call(others.calls, pool);
  for (std::size_t k = 0; k < given.size(); ++k) answers[others.places[k]] = given[k];
  return answers;
}

std::vector<rpl::Answer> ToolAgent::ReadAgain(const std::vector<Reread>& calls, Pool& pool) {
  std::vector<rpl::Answer> answers(calls.size());
  Picked<Reread> mine;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (config_.Find(calls[i].request.tool) == nullptr && files_.Takes(calls[i].request))
      mine.Add(calls[i], i);
  std::vector<rpl::Answer> read = files_.ReadAgain(mine.calls, pool);
  for (std::size_t k = 0; k < read.size(); ++k) answers[mine.places[k]] = std::move(read[k]);
  return answers;
}

Permission::Permit ToolAgent::Permitted(const ToolCall& call, const Request& request) {
  const Permit permit = PermitFor(*call.command, call.args);
  if (permit == Permit::kDeny) return {false, "the configuration denies this call"};
  Permission::Permit verdict = permission_.Approve(*call.command);
  if (verdict.yes && permit == Permit::kAsk) verdict = permission_.Ask(call, request.id);
  return verdict;
}

std::string CallHash(const std::string& call) { return HashOfText(call); }

}  // namespace rpl
