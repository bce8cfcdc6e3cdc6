// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/mcp_call.h"

#include <sodium.h>

#include <algorithm>
#include <charconv>

#include "formats/data/json_rpc.h"
#include "formats/data/json_text.h"
#include "shell/serving/run_report.h"

namespace rpl {

using nlohmann::ordered_json;

bool IsLegacyRevision(std::string_view revision) {
  return std::ranges::find(kLegacyRevisions, revision) != std::end(kLegacyRevisions);
}

bool IsModernRevision(std::string_view revision) {
  return std::ranges::find(kModernRevisions, revision) != std::end(kModernRevisions);
}

std::uint64_t FirstQuestion() {
  std::uint32_t random = 0;
  randombytes_buf(&random, sizeof random);
  return std::uint64_t{random} << 20;
}

std::string QuestionId(std::uint64_t number, const std::string& sealed) {
  return "rpl-" + std::to_string(number) + (sealed.empty() ? "" : "/" + sealed);
}

std::string QuestionSeal(const ordered_json& id) {
  if (!id.is_string()) return "";
  const std::string& text = id.get_ref<const std::string&>();
  const std::size_t slash = text.find('/');
  return text.starts_with("rpl-") && slash != text.npos ? text.substr(slash + 1) : "";
}

std::uint64_t QuestionNumber(const ordered_json& id) {
  if (!id.is_string()) return 0;
  const std::string& text = id.get_ref<const std::string&>();
  std::uint64_t number = 0;
  const char* const end = text.data() + std::min(text.find('/'), text.size());
  if (!text.starts_with("rpl-")) return 0;
  const auto [stop, error] = std::from_chars(text.data() + 4, end, number);
  return error == std::errc() && stop == end && QuestionId(number, QuestionSeal(id)) == text
             ? number
             : 0;
}

ordered_json ServerInfo() {
  return {{"name", "rpl"}, {"title", "RPL protocols"}, {"version", RPL_VERSION}};
}

bool McpCall::End(const ordered_json& message) {
  if (done_.exchange(true)) return false;
  {
    const std::lock_guard lock(peer->mutex);
    peer->calls.erase(DumpJson(id));
  }
  if (!cancelled_ && answering) answering();
  if (!cancelled_) send(message);
  return !cancelled_;
}

bool McpCall::Reply(ordered_json result, std::int64_t ttl_ms) {
  if (modern) {
    ordered_json whole = {{"resultType", "complete"}};
    whole.update(result);
    if (ttl_ms >= 0) {
      whole["ttlMs"] = ttl_ms;
      whole["cacheScope"] = "private";
    }
    whole["_meta"][kMetaServer] = ServerInfo();
    result = std::move(whole);
  }
  return End(RpcResult(id, std::move(result)));
}

bool McpCall::ReplyAs(std::string_view type, ordered_json result) {
  ordered_json whole = {{"resultType", type}};
  whole.update(result);
  whole["_meta"][kMetaServer] = ServerInfo();
  return End(RpcResult(id, std::move(whole)));
}

bool McpCall::Fail(int code, std::string_view message, ordered_json data) {
  return End(RpcError(id, code, message, std::move(data)));
}

bool McpCall::ReplyTool(ordered_json structured, bool is_error, std::vector<ordered_json> links) {
  ordered_json content = ordered_json::array();
  // A client without structured content has all of it in the text.
  const bool prose = structured.contains("now") && Has("2025-06-18");
  content.push_back(
      {{"type", "text"}, {"text", prose ? ReportText(structured) : DumpJson(structured)}});
  ordered_json out;
  if (Has("2025-06-18"))
    for (ordered_json& link : links) content.push_back(std::move(link));
  out["content"] = std::move(content);
  if (Has("2025-06-18")) out["structuredContent"] = std::move(structured);
  out["isError"] = is_error;
  return Reply(std::move(out));
}

void McpCall::Cancel() {
  cancelled_ = true;
  std::function<void()> stop;
  {
    const std::lock_guard lock(mutex_);
    stop = std::move(stop_);
    stop_ = nullptr;
  }
  if (stop) stop();
  if (dropped) dropped();
}

void McpCall::OnCancel(std::function<void()> stop) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_) {
      stop_ = std::move(stop);
      return;
    }
  }
  if (stop) stop();
}

void McpCall::TellProgress(const std::string& message) {
  if (!progress_token || done_ || cancelled_) return;
  ordered_json progress;
  {
    const std::lock_guard lock(mutex_);
    progress = {{"progressToken", *progress_token}, {"progress", ++told_}};
  }
  if (Has("2025-03-26")) progress["message"] = message;
  send(RpcNotification("notifications/progress", std::move(progress)));
}

}  // namespace rpl
