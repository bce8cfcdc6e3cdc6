// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/list_request.h"

#include "formats/data/json_rpc.h"
#include "shell/gateway/mcp_era.h"

namespace rpl {
namespace {

constexpr std::size_t kMostPages = 1000;

}  // namespace

void ListRequest::Begin(const Json& call, std::string_view line, Time due) {
  held_.emplace_back(line);
  pages_ = 0;
  due_ = due;
  meta_ = nullptr;
  const Json& meta = FieldAt(FieldAt(call, "params"), "_meta");
  for (const char* key : {kVersionKey, kCapabilitiesKey, kClientKey})
    if (const Json& part = FieldAt(meta, key); !part.is_null()) meta_[key] = part;
}

ListRequest::Json ListRequest::NextPage(std::string id, const std::string& cursor) {
  Json params = Json::object();
  if (!cursor.empty()) params["cursor"] = cursor;
  if (!meta_.is_null()) params["_meta"] = meta_;
  id_ = std::move(id);
  return RpcRequest(id_, "tools/list", std::move(params));
}

std::string ListRequest::CursorAfter(const Json& result) {
  const Json& next = FieldAt(result, "nextCursor");
  if (next.is_string() && next != "" && ++pages_ < kMostPages) return next.get<std::string>();
  return "";
}

std::deque<std::string> ListRequest::End() {
  id_.clear();
  return std::exchange(held_, {});
}

bool ListRequest::Awaits(const Json& id) const {
  return open() && id.is_string() && id.get_ref<const std::string&>() == id_;
}

}  // namespace rpl
