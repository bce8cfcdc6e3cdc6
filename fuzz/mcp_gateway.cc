// SPDX-License-Identifier: Apache-2.0
//
// Feeds lines to the gateway: those that begin with `<` come from the server, with `T` time passes,
// with `E` the server ends, all others come from the host.
//
// What leaves the gateway are lines of JSON. A call that reaches the server, alone or in a batch,
// is one that was decided about and allowed, with these arguments. Nothing of the gateway's own
// reaches the wrong side.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "fuzz/require.h"
#include "shell/gateway/mcp_gateway.h"
#include "shell/gateway/mcp_reading.h"

namespace rpl::fuzz {
namespace {

using nlohmann::ordered_json;

// Calls of tools whose names have an even length pass, those of three letters after a review. The
// results of `abcd` come in when they are decided about again.
class Decider : public McpDecider {
 public:
  Ruling Before(const GatewayCall& call, std::optional<std::size_t> again) override {
    if (call.tool.size() == 3 && !approved.erase("r")) return {Ruling::Kind::kReview, "r", "r", 0};
    if (call.tool.size() % 2 != 0 && call.tool.size() != 3)
      return {Ruling::Kind::kRefuse, "no", "", 0};
    allowed.insert(call.tool + DumpJson(call.args));
    return {Ruling::Kind::kPass, "", "", again.value_or(0)};
  }
  Ruling After(const GatewayCall& call, CallEnd& end, const ordered_json&) override {
    using Kind = Ruling::Kind;
    const bool first = !std::exchange(end.recorded, true);
    const Kind kind = call.tool == "ab" && end.failed ? Kind::kRefuse
                      : call.tool == "abcd" && first  ? Kind::kReview
                                                      : Kind::kPass;
    return {kind, "w", "w", 0};
  }
  std::string Answer(const std::string& review, bool yes) override {
    if (!yes) return "";
    approved.insert(review);
    return "";
  }
  bool Hides(const std::string& tool) override { return tool == "h"; }
  std::vector<std::string> Pin(const std::vector<McpToolDefinition>& tools) override {
    std::vector<std::string> out;
    for (const McpToolDefinition& tool : tools) {
      if (!all_pinned) pins.emplace(tool.name, tool.hash);
      const auto pin = pins.find(tool.name);
      out.push_back(pin != pins.end() && pin->second == tool.hash ? "" : "changed, or new");
    }
    return out;
  }
  void ListedAll() override { all_pinned = true; }
  std::set<std::string> ArgumentKeys(const std::string&) override { return {"path"}; }
  bool MayWithhold(const std::string& tool) override { return tool == "ab"; }
  void Note(const std::string&) override {}

  std::set<std::string> allowed, approved;
  std::map<std::string, std::string> pins;
  bool all_pinned = false;
};

void CheckToServer(const ordered_json& json, const Decider& decider, const std::string& line) {
  if (json.is_array()) {
    for (const ordered_json& one : json) CheckToServer(one, decider, line);
    return;
  }
  Require(TextAt(json, "requestState").find("rpl-guard") == std::string::npos, "no ticket", line);
  if (!LooksLikeCall(TextAt(json, "method"))) return;
  const ordered_json& params = FieldAt(json, "params");
  const ordered_json& args = FieldAt(params, "arguments");
  Require(json.contains("id"), "a call has an id", line);
  Require(!TextAt(params, "requestState").starts_with("rpl-guard."), "no ticket", line);
  Require(decider.allowed.contains(TextAt(params, "name") +
                                   DumpJson(args.is_null() ? ordered_json::object() : args)),
          "a call at the server was allowed", line);
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rpl;
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::Decider decider;
  McpGateway gateway(decider, {});
  McpGateway::Time now{};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with('<')) gateway.FromServer(std::string_view(line).substr(1), now);
    else if (line == "T") now += std::chrono::seconds(20);
    else if (line == "E") gateway.ServerEnded("it ended", now);
    else gateway.FromHost(line, now);
    gateway.Tick(now);
    for (const bool host : {true, false}) {
      const std::string out = host ? gateway.TakeForHost() : gateway.TakeForServer();
      for (std::size_t at = 0; at < out.size();) {
        const std::size_t stop = out.find('\n', at);
        fuzz::Require(stop != out.npos, "lines end", out);
        const std::string one = out.substr(at, stop - at);
        at = stop + 1;
        const JsonText read = ParseJson(one, kMaxJsonDepth + 4, JsonNumbers::kExact);
        fuzz::Require(read.error.empty(), "a line is JSON", one);
        if (!host) fuzz::CheckToServer(read.json, decider, one);
      }
    }
  }
  return 0;
}
