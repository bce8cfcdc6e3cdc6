// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/host_calls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "formats/data/json_text.h"
#include "formats/text_hash.h"
#include "interp/store/json_value.h"
#include "interp/store/value.h"

namespace rpl {
namespace {

// The number of a call that is known, or one that no call has.
std::optional<std::int64_t> NumberAt(const BuiltinCall& to, std::size_t at) {
  const Value v = to.known[at];
  if (v.is_none()) return std::nullopt;
  return v.kind() == Kind::kInt ? to.pool.AsInt(v) : 0;
}

// Whether a text or a list of texts, and another one as JSON, agree as far as both go.
struct Agreement {
  bool agrees = false;
  bool longer = false;  // the value is no shorter
};
Agreement AgreementOf(const Pool& pool, Value v, const nlohmann::ordered_json& begins) {
  if (begins.is_string()) {
    if (v.kind() != Kind::kString) return {};
    const std::string_view text = pool.TextOf(v);
    const std::string_view start = begins.get_ref<const std::string&>();
    const std::size_t both = std::min(text.size(), start.size());
    return {text.substr(0, both) == start.substr(0, both), text.size() >= start.size()};
  }
  if (v.kind() != Kind::kList) return {};
  const std::span<const Value> items = pool.ItemsOf(v);
  for (std::size_t i = 0; i < std::min(items.size(), begins.size()); ++i)
    if (items[i].kind() != Kind::kString ||
        pool.TextOf(items[i]) != begins[i].get_ref<const std::string&>())
      return {};
  return {true, items.size() >= begins.size()};
}

// Whether the value, if it is known, may be one of an open row that begins so.
bool MayBegin(const Pool& pool, Value v, const nlohmann::ordered_json& begins) {
  if (v.is_none() || v == kNil) return true;
  const Agreement found = AgreementOf(pool, v, begins);
  return found.agrees && found.longer;
}

// Whether what begins with `start`, if that is known, may be one of an open row that begins so.
bool MayGoOn(const Pool& pool, Value start, const nlohmann::ordered_json& begins) {
  return start.is_none() || start == kNil || AgreementOf(pool, start, begins).agrees;
}

// Whether a list that the last argument begins with is all that the program asks of it: it is the
// only item of another one then (Lowering::StartOf).
bool IsEnough(const Pool& pool, Value start) {
  return start.kind() == Kind::kList && pool.ItemsOf(start).size() == 1 &&
         pool.ItemsOf(start).front().kind() == Kind::kList;
}

}  // namespace

bool HostCalls::Describe(std::string_view label, BuiltinCall& to) const {
  label.remove_prefix(std::string_view("std#").size());
  if (label == "decides") {
    if (const std::optional<std::int64_t> call = log_.Deciding()) to.give({{to.pool.Int(*call)}});
    return true;
  }
  if (label == "call" || label == "call-state" || label == "result" || label == "agent")
    return Calls(label, to), true;
  if (label == "succeeded") return Succeeded(to);
  if (label == "turn-ends") {
    if (const std::optional<std::int64_t> turn = log_.TurnEnd()) to.give({{to.pool.Int(*turn)}});
    return true;
  }
  if (label == "said") {
    log_.ForEachSaid([&](std::int64_t number, std::string_view text) {
      to.give({{to.pool.Int(number), to.pool.String(text)}});
    });
    return true;
  }
  if (label == "acts") {
    if (to.known[1].kind() != Kind::kString) return true;
    log_.ForEachActing(to.pool.TextOf(to.known[1]), NumberAt(to, 0), [&](std::int64_t call) {
      to.give({{to.pool.Int(call), to.known[1]}});
    });
    return true;
  }
  return Rows(label, to);
}

void HostCalls::Calls(std::string_view label, BuiltinCall& to) const {
  Pool& pool = to.pool;
  const bool whole = label == "call" || label == "result";
  log_.ForEachCall(NumberAt(to, 0), whole, [&](const HostLog::Call& call) {
    const Value number = pool.Int(call.number);
    if (label == "call") {
      to.give({{number, pool.String(call.tool),
                ValueOfJson(ParseOwnJson(call.arguments), pool, false)}});
    } else if (label == "call-state") {
      to.give({{number, pool.Keyword(NameOf(call.state))}});
    } else if (label == "agent") {
      if (!call.agent.empty()) to.give({{number, pool.String(call.agent)}});
    } else if (!call.result.empty()) {
      to.give({{number, call.result.size() > kMostHostResult
                            ? pool.String(HashOfText(call.result))
                            : ValueOfJson(ParseOwnJson(call.result), pool, false)}});
    }
  });
}

// The arguments: the call, of relations of three the first one, the last one, and for those with
// open rows what it begins with.
bool HostCalls::Rows(std::string_view relation, BuiltinCall& to) const {
  Pool& pool = to.pool;
  const bool begins = HasOpenRows("std#" + std::string(relation), to.known.size() - 1);
  const std::size_t last = to.known.size() - (begins ? 2 : 1);
  std::optional<std::string> first;
  if (last == 2 && to.known[1].kind() == Kind::kString) first = pool.TextOf(to.known[1]);
  bool known = true;
  Value start = begins ? to.known[last + 1] : Value();
  const bool is_enough = IsEnough(pool, start);
  if (is_enough) start = pool.ItemsOf(start).front();
  log_.ForEachRow({relation, NumberAt(to, 0), first}, [&](std::int64_t call, const HostRow& row) {
    if (row.open) {
      const bool other =
          !MayBegin(pool, to.known[last], row.last) || (begins && !MayGoOn(pool, start, row.last));
      if (!other && is_enough && row.first && row.last.size() >= pool.ItemsOf(start).size()) {
        to.give({{pool.Int(call), pool.String(*row.first), start, to.known[last + 1]}});
        return;
      }
      known = known && other;
      return;
    }
    std::vector<Value> cells = {pool.Int(call)};
    if (last == 2) cells.push_back(pool.String(row.first.value_or("")));
    cells.push_back(ValueOfJson(row.last, pool, false));
    if (begins) cells.push_back(to.known[last + 1]);
    to.give(cells);
  });
  return known;
}

bool HostCalls::Succeeded(BuiltinCall& to) const {
  Pool& pool = to.pool;
  std::optional<std::string> first;
  if (to.known[1].kind() == Kind::kString) first = pool.TextOf(to.known[1]);
  log_.ForEachRow({"succeeded", NumberAt(to, 0), first, true},
                  [&](std::int64_t call, const HostRow& row) {
                    to.give({{pool.Int(call), pool.String(row.first.value_or("")),
                              ValueOfJson(row.last, pool, false)}});
                  });
  return true;
}

}  // namespace rpl
