// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/call_inputs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/data/json_text.h"
#include "interp/eval/solver.h"
#include "interp/program/program.h"
#include "interp/store/json_value.h"
#include "interp/store/store.h"

namespace rpl {

using nlohmann::ordered_json;

ordered_json CallInputs::JsonOf(Value v) const {
  std::optional<ordered_json> json = JsonOfValue(engine_.pool, v, JsonNumbers::kNearest);
  return json ? WithoutColons(*json) : ordered_json(Text(engine_.pool, v));
}

CallInputs::Rows CallInputs::RowsOf(std::string_view label, std::vector<Value> key) {
  Rows out;
  const RelationId id =
      engine_.store.Find(Space::kRelation, label, static_cast<std::uint32_t>(key.size()));
  if (id == kNoId) return out;
  const auto add = [&](std::span<const Value> row) {
    for (std::size_t i = 0; i < key.size(); ++i)
      if (!key[i].is_none() && key[i] != row[i]) return;
    std::vector<Value> cells(row.begin(), row.end());
    if (std::find(out.begin(), out.end(), cells) == out.end()) out.push_back(std::move(cells));
  };
  if (derives_) {
    engine_.solver.ForEachRow(id, key, add);
    return out;
  }
  const Relation& stored = engine_.store.at(id);
  for (RowId row = 0; row < stored.size(); ++row) add(stored.Cells(row));
  return out;
}

CallInputs::Named CallInputs::NamesOf(const std::string& of) {
  Named names;
  const GuardTool* declared = setup_ != nullptr ? setup_->config.FindTool(of) : nullptr;
  names.tool = declared != nullptr ? declared->name : of;
  const Value label = engine_.pool.String(of);
  if (const Rows rows = RowsOf("tool-name", {label, kNone}); rows.size() == 1)
    names.tool = PlainText(engine_.pool, rows.front()[1]);
  for (const Value known : {label, engine_.pool.String(names.tool)})
    for (const std::vector<Value>& row : RowsOf("tool-tag", {known, kNone}))
      if (std::string tag = PlainText(engine_.pool, row[1]);
          std::find(names.tags.begin(), names.tags.end(), tag) == names.tags.end())
        names.tags.push_back(std::move(tag));
  if (names.tags.empty() && declared != nullptr) names.tags = declared->tags;
  return names;
}

GuardCall CallInputs::Seen(const GateCall& call) {
  GuardCall seen;
  const GuardTool* declared = setup_ != nullptr ? setup_->config.FindTool(call.label) : nullptr;
  Named names = NamesOf(call.label);
  seen.tool = std::move(names.tool);
  seen.tags = std::move(names.tags);
  std::vector<std::string> params;
  if (const auto* of_heading = engine_.program.ParametersOf(call.call->relation))
    params = *of_heading;
  if (declared != nullptr && !declared->params.empty()) params = declared->params;
  ordered_json args = ordered_json::array();
  for (const Value arg : call.call->args) args.push_back(JsonOf(arg));
  seen.args = NamedArguments(std::move(args), params);
  seen.user = User();
  return seen;
}

std::optional<EndUser> CallInputs::User() {
  std::optional<EndUser> user;
  if (setup_ != nullptr) user = setup_->config.user;
  const Rows ids = RowsOf("end-user", {kNone});
  const Rows tags = RowsOf("end-user-tag", {kNone, kNone});
  if (ids.empty() && tags.empty()) return user;
  if (!user) user.emplace();
  if (ids.size() == 1) user->id = PlainText(engine_.pool, ids.front()[0]);
  if (ids.size() > 1) user->id.reset();
  std::set<std::string> told;
  for (const std::vector<Value>& row : tags) {
    const std::string tag = PlainText(engine_.pool, row[0]);
    const bool again = !told.insert(tag).second;
    if (again) user->disputed.insert(tag);
    user->tags[tag] = JsonOf(row[1]);
  }
  return user;
}

std::vector<Subject> CallInputs::SubjectsOfProgram(const GuardCall& call) {
  std::vector<Subject> out;
  const auto optional = [&](Value v) -> std::optional<std::string> {
    return v == kNil ? std::nullopt : std::optional(PlainText(engine_.pool, v));
  };
  for (const std::vector<Value>& row :
       RowsOf("subject", {engine_.pool.String(call.tool), kNone, kNone, kNone, kNone}))
    out.push_back({PlainText(engine_.pool, row[1]), PlainText(engine_.pool, row[3]),
                   optional(row[2]), optional(row[4])});
  return out;
}

}  // namespace rpl
