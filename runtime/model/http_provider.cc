// SPDX-License-Identifier: Apache-2.0
//
// The providers `openai` and `anthropic`: a POST for each request, repeated after 429, 5xx and lost
// connections for as long as the request may take. Redirects are not followed, and the key is
// struck out of all that comes back.
//
// A process that holds a key makes no core file.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string_view>
#include <thread>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "runtime/model/model_prompt.h"
#include "runtime/model/model_provider.h"
#include "runtime/tools/curl_library.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr long kModelConnectMs = 10'000;
constexpr std::size_t kMostTries = 6;
constexpr std::uint64_t kFirstWaitMs = 500;
constexpr std::uint64_t kLongestWaitMs = 20'000;
constexpr int kMostTokensOfReply = 8'192;  // messages of Anthropic must say how many
constexpr const char* kAnthropicVersion = "2023-06-01";
constexpr milliseconds kPoll{100};

// --- the two dialects ---------------------------------------------------------------------

ordered_json BodyOf(const ModelConfig& config, const ModelRequest& request) {
  const ordered_json user = {{"role", "user"}, {"content", request.text}};
  if (config.provider == ModelConfig::Provider::kAnthropic)
    return {{"model", config.model},
            {"max_tokens", kMostTokensOfReply},
            {"system", kModelSystem},
            {"messages", ordered_json::array({user})},
            {"output_config", {{"format", {{"type", "json_schema"}, {"schema", request.schema}}}}}};
  return {
      {"model", config.model},
      {"messages", ordered_json::array({{{"role", "system"}, {"content", kModelSystem}}, user})},
      {"response_format",
       {{"type", "json_schema"},
        {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", request.schema}}}}}};
}

// Reads a reply of status 200.
void ReadOpenAi(const ordered_json& json, ModelReply& to) {
  const ordered_json& choices = FieldAt(json, "choices");
  const ordered_json& choice =
      choices.is_array() && !choices.empty() ? choices[0] : FieldAt(json, "none");
  const ordered_json& message = FieldAt(choice, "message");
  const std::string refusal = TextAt(message, "refusal");
  const std::string end = TextAt(choice, "finish_reason");
  to.text = TextAt(message, "content");
  if (!refusal.empty() || end == "content_filter") {
    to.kind = ModelReply::Kind::kRefused;
    to.why = refusal.empty() ? "its provider withheld the reply" : refusal;
  }
  if (end == "length") to.text += " (cut off at the most tokens of a reply)";
  const ordered_json& usage = FieldAt(json, "usage");
  to.tokens = CountAt(usage, "total_tokens");
  if (to.tokens == 0)
    to.tokens = CountAt(usage, "prompt_tokens") + CountAt(usage, "completion_tokens");
}

void ReadAnthropic(const ordered_json& json, ModelReply& to) {
  const ordered_json& content = FieldAt(json, "content");
  if (content.is_array())
    for (const ordered_json& part : content)
      if (TextAt(part, "type") == "text") to.text += TextAt(part, "text");
  const std::string end = TextAt(json, "stop_reason");
  if (end == "refusal") {
    to.kind = ModelReply::Kind::kRefused;
    to.why = to.text.empty() ? "without a reason" : to.text;
  }
  if (end == "max_tokens") to.text += " (cut off at the most tokens of a reply)";
  const ordered_json& usage = FieldAt(json, "usage");
  to.tokens = CountAt(usage, "input_tokens") + CountAt(usage, "output_tokens") +
              CountAt(usage, "cache_creation_input_tokens") +
              CountAt(usage, "cache_read_input_tokens");
}

// --- one transfer -------------------------------------------------------------------------

struct Transfer {
  std::string body, retry_after;
  std::size_t most = 0;
  bool too_long = false;
  long status = 0;    // 0: none came
  std::string fault;  // of the connection

  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    transfer.body.append(data, size * count);
    transfer.too_long = transfer.body.size() > transfer.most;
    return transfer.too_long ? 0 : size * count;
  }
  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    std::string line(data, size * count);
    std::ranges::transform(line, line.begin(), [](char c) {
      return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    if (line.starts_with("retry-after:")) {
      line.erase(0, line.find_first_not_of(' ', 12));
      transfer.retry_after = line.substr(0, line.find_last_not_of("\r\n ") + 1);
    }
    return size * count;
  }
};

class HttpProvider : public ModelProvider {
 public:
  explicit HttpProvider(const ModelConfig& config) : config_(config) {
    if (!config_.key.empty()) prctl(PR_SET_DUMPABLE, 0);
  }

  ModelReply Ask(const ModelRequest& request, const std::function<bool()>& interrupted) override {
    const auto began = Clock::now();
    ModelReply out = Within(request, interrupted, began + milliseconds(request.most_ms));
    out.took_ms = static_cast<std::uint64_t>(
        std::chrono::duration_cast<milliseconds>(Clock::now() - began).count());
    return out;
  }

 private:
  ModelReply Within(const ModelRequest& request, const std::function<bool()>& interrupted,
                    Clock::time_point end) {
    ModelReply out;
    out.requests = 0;
    const auto ends = [&](std::string why) {
      out.kind = ModelReply::Kind::kEnds;
      out.why = std::move(why);
      return out;
    };
    const Curl* const curl = Curl::Load();
    if (curl == nullptr) return ends(std::string(kNoCurl));
    const char* const variable = config_.key.empty() ? "" : std::getenv(config_.key.c_str());
    if (variable == nullptr || (*variable == '\0' && !config_.key.empty()))
      return ends("the variable " + config_.key + " is not set");
    const std::string key = variable;
    if (key.find_first_of("\r\n") != key.npos)
      return ends("the variable " + config_.key + " has a line end");
    const std::string body = DumpJson(BodyOf(config_, request));
    for (std::uint64_t wait = kFirstWaitMs;; wait = std::min(wait * 2, kLongestWaitMs)) {
      Transfer transfer = Post(*curl, body, key, interrupted, end);
      ++out.requests;
      if (transfer.status == 200 || transfer.too_long) return Read(transfer, body, out);
      const bool again = transfer.status == 0 || transfer.status == 408 || transfer.status == 429 ||
                         transfer.status >= 500;
      const std::string told =
          transfer.status == 0 ? transfer.fault : fmt::format("status {}", transfer.status);
      if (!again) return ends("its server says " + told + Told(transfer, key));
      out.why = "no reply: " + told;
      if (out.requests >= std::min(request.most_calls, kMostTries)) return out;
      if (!Sleep(WaitOf(transfer, wait), interrupted, end)) return out;
    }
  }

  Transfer Post(const Curl& curl, const std::string& body, const std::string& key,
                const std::function<bool()>& interrupted, Clock::time_point end) {
    Transfer transfer;
    transfer.most = config_.max_output_bytes;
    const bool anthropic = config_.provider == ModelConfig::Provider::kAnthropic;
    const std::string url = config_.url + (anthropic ? "/messages" : "/chat/completions");
    curl_slist* headers = nullptr;
    const auto add = [&](const std::string& header) {
      headers = curl.slist_append(headers, header.c_str());
    };
    add("Content-Type: application/json");
    add("Accept: application/json");
    add("Expect:");
    if (anthropic) add(std::string("anthropic-version: ") + kAnthropicVersion);
    if (!key.empty()) add((anthropic ? "x-api-key: " : "Authorization: Bearer ") + key);
    CURL* const handle = curl.Begin();
    const auto set = [&](CURLoption option, auto value) {
      curl.easy_setopt(handle, option, value);
    };
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    if (config_.url.starts_with("http:")) set(CURLOPT_NOPROXY, "*");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, kModelConnectMs);
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    set(CURLOPT_TIMEOUT_MS,
        static_cast<long>(std::clamp(left, milliseconds(1), config_.timeout).count()));
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.c_str());
    set(CURLOPT_HTTPHEADER, headers);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
    set(CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
    set(CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
    CURLM* const multi = curl.multi_init();
    curl.multi_add_handle(multi, handle);
    transfer.fault = "interrupted";
    for (int running = 1; running != 0 && !(interrupted && interrupted());) {
      curl.multi_perform(multi, &running);
      if (running != 0)
        curl.multi_poll(multi, nullptr, 0, static_cast<int>(kPoll.count()), nullptr);
    }
    int more = 0;
    while (const CURLMsg* const message = curl.multi_info_read(multi, &more)) {
      if (message->msg != CURLMSG_DONE) continue;
      transfer.fault = curl.WhyNot(message->data.result);
      if (message->data.result == CURLE_OK)
        curl.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &transfer.status);
    }
    curl.multi_remove_handle(multi, handle);
    curl.multi_cleanup(multi);
    curl.easy_cleanup(handle);
    curl.slist_free_all(headers);
    return transfer;
  }

  ModelReply Read(const Transfer& transfer, const std::string& body, ModelReply out) const {
    out.kind = ModelReply::Kind::kText;
    const JsonText read = ParseJson(transfer.body);
    if (transfer.too_long) out.text = fmt::format("a reply of more than {} bytes", transfer.most);
    else if (!read.error.empty()) out.text = transfer.body;
    else if (config_.provider == ModelConfig::Provider::kAnthropic) ReadAnthropic(read.json, out);
    else ReadOpenAi(read.json, out);
    out.estimated = out.tokens == 0;
    if (out.estimated) out.tokens = TokensIn(body) + TokensIn(out.text);
    return out;
  }

  // What the server says about a request that it does not take, without the key.
  std::string Told(const Transfer& transfer, const std::string& key) const {
    if (transfer.status == 401 || transfer.status == 403)
      return config_.key.empty() ? "; it wants a key" : "; is " + config_.key + " its key?";
    std::string text = TextAt(FieldAt(ParseJson(transfer.body).json, "error"), "message");
    for (std::size_t at = 0; !key.empty() && (at = text.find(key, at)) != text.npos;)
      text.replace(at, key.size(), "…");
    return text.empty() ? "" : ": " + Shortened(text, 200);
  }

  // How long to wait: as the server says, else longer each time, with a part by chance.
  static std::uint64_t WaitOf(const Transfer& transfer, std::uint64_t otherwise) {
    std::uint64_t seconds = 0;
    const char* const begin = transfer.retry_after.data();
    const char* const end = begin + transfer.retry_after.size();
    if (begin != end && std::from_chars(begin, end, seconds).ec == std::errc{})
      return std::min<std::uint64_t>(seconds, 86'400) * 1'000;
    static std::minstd_rand chance{std::random_device{}()};
    return otherwise / 2 + chance() % (otherwise / 2 + 1);
  }

  // Whether the wait ended before `end` and without an interrupt.
  static bool Sleep(std::uint64_t ms, const std::function<bool()>& interrupted,
                    Clock::time_point end) {
    const Clock::time_point until = Clock::now() + milliseconds(ms);
    if (until >= end) return false;
    while (Clock::now() < until) {
      if (interrupted && interrupted()) return false;
      std::this_thread::sleep_for(std::min<Clock::duration>(kPoll, until - Clock::now()));
    }
    return true;
  }

  const ModelConfig config_;
};

}  // namespace

std::unique_ptr<ModelProvider> MakeHttpProvider(const ModelConfig& config) {
  return std::make_unique<HttpProvider>(config);
}

}  // namespace rpl
