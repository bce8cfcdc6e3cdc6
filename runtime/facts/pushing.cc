// SPDX-License-Identifier: Apache-2.0
//
// Relations that a database evaluates (SourceFeed::Push): the decision about them in the first
// timestep that has sources, and its end.
//
// A session records the columns of the sources as the database has them; the queries follow from
// these and the program, so that a replay makes the same ones. They are sent to the database of the
// configuration at hand, which checks that its relations and their columns are those.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/data/json_fields.h"
#include "interp/eval/engine.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/sql/sql_absence.h"
#include "interp/sql/sql_push.h"
#include "interp/sql/sql_source.h"
#include "interp/store/store.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/fact_writer.h"
#include "runtime/facts/facts_file.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/facts/source_feed.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"

namespace rpl {

using nlohmann::ordered_json;

namespace {

ordered_json PlaceJson(const SqlSource& source) {
  ordered_json columns = ordered_json::array();
  for (const SqlSourceColumn& column : source.columns)
    columns.push_back({column.name, column.type, column.modifier, column.nullable});
  return {{"relation", source.relation},
          {"database", source.database},
          {"table", source.table},
          {"query", source.select},
          {"columns", std::move(columns)}};
}

// nullopt if the record is none.
std::optional<SqlSource> PlaceIn(const ordered_json& body) {
  if (!body.is_object()) return std::nullopt;
  SqlSource out{TextAt(body, "relation"),
                TextAt(body, "database"),
                TextAt(body, "table"),
                TextAt(body, "query"),
                {}};
  const auto columns = body.find("columns");
  if (columns == body.end() || !columns->is_array()) return std::nullopt;
  for (const ordered_json& column : *columns) {
    if (!column.is_array() || column.size() != 4 || !column[0].is_string() ||
        !column[1].is_number_unsigned() || !column[2].is_number_integer() ||
        !column[3].is_boolean())
      return std::nullopt;
    out.columns.push_back({column[0].get<std::string>(), column[1].get<std::uint32_t>(),
                           column[2].get<std::int32_t>(), column[3].get<bool>()});
  }
  return out;
}

}  // namespace

// The names by which sentences read whole sources that are no files; `calls`: their calls.
std::set<std::string> SourceFeed::SourceNames(std::vector<const OpenCall*>* calls) const {
  std::set<std::string> out;
  for (const OpenCall& call : push_.active ? push_.sentences : sentences_) {
    if (call.args.size() != 1 || call.args[0].kind() != Kind::kString) continue;
    const std::string_view name = engine_.pool.TextOf(call.args[0]);
    if (!IsRelationName(name) || !out.insert(std::string(name)).second) continue;
    if (calls != nullptr) calls->push_back(&call);
  }
  return out;
}

bool SourceFeed::IsPushed(const Said& said) const {
  if (said.from != From::kSource) return false;
  return std::ranges::any_of(push_.calls, [&](const auto& call) {
    const auto at = stated_.find(call.first);
    return at != stated_.end() && at->second.facts.file == said.what.file;
  });
}

void SourceFeed::NoteStated(RelationId relation) {
  if (!push_.active) return;
  const RelationId base = engine_.store.BaseOf(relation);
  if (push_.heads.contains(base) || push_.replaced.contains(base)) push_.stated = base;
}

bool SourceFeed::PushDown(const Definition* query) {
  if (push_.active) {
    const std::string why = WhyNoLongerPushed(query);
    if (!why.empty()) EndPush(why);
    return !why.empty();
  }
  if (sentences_.empty() || push_.rules == engine_.program.definitions().size()) return false;
  push_.rules = engine_.program.definitions().size();
  push_.constraints = engine_.program.constraints().size();
  std::vector<const OpenCall*> calls;
  const std::set<std::string> names = SourceNames(&calls);
  std::set<int> as_written = AsWritten(engine_.program, names);
  if (as_written.empty()) return false;
  // Also where nothing is pushed down: the order of rows is the same.
  engine_.SetPlaces({}, as_written);
  engine_.Prepare();
  if (std::exchange(push_.decided, true) || run_.options.gate != nullptr) return false;
  if (const std::vector<SqlSource> sources = AskPlaces(calls); !sources.empty())
    BeginPush(std::move(as_written), sources, query);
  return false;
}

// Where the sources lie, of those that lie in a database that may evaluate rules.
std::vector<SqlSource> SourceFeed::AskPlaces(const std::vector<const OpenCall*>& calls) {
  Journal* const journal = run_.options.journal;
  ordered_json question = {{"places", ordered_json::array()}};
  std::vector<ToolCall> requests;
  for (const OpenCall* call : calls) {
    requests.push_back(run_.call_for(*call));
    question["places"].push_back(requests.back().id);
  }
  const auto ask = [&] {
    ordered_json out = ordered_json::array();
    for (const std::optional<SqlSource>& source : run_.access.Places(requests, engine_.pool))
      if (source) out.push_back(PlaceJson(*source));
    return out;
  };
  ordered_json answer;
  if (journal == nullptr) answer = ask();
  else if (journal->Answers(question)) answer = journal->Outside(question, nullptr);
  else if (journal->live())
    if (answer = ask(); !answer.empty()) journal->Outside(question, [&] { return answer; });
  std::vector<SqlSource> out;
  if (answer.is_array())
    for (const ordered_json& place : answer)
      if (std::optional<SqlSource> source = PlaceIn(place)) out.push_back(std::move(*source));
  return out;
}

void SourceFeed::BeginPush(std::set<int> as_written, const std::vector<SqlSource>& sources,
                           const Definition* query) {
  SqlPush found = FindPush(engine_.program, engine_.analysis, sources, query);
  if (found.queries.empty()) return;
  Store& store = engine_.store;
  std::set<std::string> replaced;
  for (const RelationId r : found.replaced) replaced.insert(store.at(r).name());
  push_.sentences = sentences_;
  Span place;
  std::erase_if(sentences_, [&](const OpenCall& call) {
    const bool one = call.args.size() == 1 && call.args[0].kind() == Kind::kString &&
                     replaced.contains(std::string(engine_.pool.TextOf(call.args[0])));
    if (one && place == Span{}) place = call.place;
    return one;
  });
  // The label names the relation unless several of one label are read: then the number of arguments
  // stands behind it.
  std::map<std::string, int> labels;
  for (const SqlPush::Query& one : found.queries) ++labels[one.pushed.relation];
  for (SqlPush::Query& one : found.queries) {
    OpenCall call;
    call.args = {engine_.pool.String(one.pushed.relation), engine_.pool.Keyword("query")};
    if (labels.at(one.pushed.relation) > 1)
      call.args.push_back(engine_.pool.Int(static_cast<std::int64_t>(one.pushed.types.size())));
    call.relation =
        store.Declare(Space::kTool, "index", static_cast<std::uint32_t>(call.args.size()));
    call.place = place;
    if (one.partial) push_.partial.insert(one.relation);
    push_.calls.emplace(engine_.solver.IdOf(call), std::move(one.pushed));
    sentences_.push_back(std::move(call));
  }
  push_.heads = std::move(found.heads);
  push_.replaced = std::move(found.replaced);
  push_.active = true;
  engine_.SetPlaces(std::move(found.rules), std::move(as_written));
  engine_.Prepare();
}

// Something reads or states what the database has, or it cannot go on.
std::string SourceFeed::WhyNoLongerPushed(const Definition* query) const {
  const Store& store = engine_.store;
  if (!push_.changed.empty()) return push_.changed + ": the database cannot evaluate it any more";
  if (push_.rules != engine_.program.definitions().size() ||
      push_.constraints != engine_.program.constraints().size())
    return "the program changed";
  if (push_.stated != kNoId) return "a fact of " + store.at(push_.stated).name() + " is stated";
  const auto is_pushed = [&](RelationId r) {
    return std::any_of(push_.calls.begin(), push_.calls.end(),
                       [&](const auto& call) { return IsOf(call.second, store.at(r)); });
  };
  if (query == nullptr) return "";
  for (const RelationId r : Mentioned(*query, store))
    if (push_.replaced.contains(r) || (push_.heads.contains(r) && !is_pushed(r)))
      return "the query reads " + store.at(r).name();
  if (push_.partial.empty()) return "";
  for (const RelationId r : NeededWhole(engine_.program, {&query, 1}))
    if (push_.partial.contains(r))
      return "the query rests on the absence of " + store.at(r).name() +
             ", where a value may have no meaning";
  return "";
}

std::vector<std::string> SourceFeed::NotRead() const {
  std::vector<std::string> out;
  if (!push_.active) return out;
  for (const std::set<RelationId>* relations : {&push_.replaced, &push_.heads})
    for (const RelationId r : *relations)
      if (const Relation& relation = engine_.store.at(r); std::ranges::none_of(
              push_.calls, [&](const auto& call) { return IsOf(call.second, relation); }))
        out.push_back(relation.name());
  return out;
}

// The rows that the database evaluated go, and the sources are read as the program states them.
void SourceFeed::EndPush(const std::string& why) {
  for (const auto& [id, pushed] : push_.calls) {
    if (stated_.contains(id)) Exchange(id, {});
    stated_.erase(id);
    coming_.erase(id);
    engine_.store.Retract(id.relation, id.args);
  }
  run_.recorder.Log(Verb::kResolved, "the sources are read: " + why);
  sentences_ = std::exchange(push_.sentences, {});
  push_.calls.clear();
  push_.partial.clear();
  push_.changed.clear();
  push_.stated = kNoId;
  push_.active = false;
  push_.rules = engine_.program.definitions().size();
  engine_.SetPlaces({}, AsWritten(engine_.program, SourceNames(nullptr)));
}

}  // namespace rpl
