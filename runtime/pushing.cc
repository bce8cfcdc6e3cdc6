// SPDX-License-Identifier: Apache-2.0
//
// Relations that a database evaluates (PushBook): the decision about them in the first timestep
// that has sources, and its end.
//
// A session records the columns of the sources as the database has them; the queries follow from
// these and the program, so that a replay makes the same ones. They are sent to the database of the
// configuration at hand, which checks that its relations and their columns are those.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/json_fields.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/sql/sql_absence.h"
#include "interp/sql/sql_push.h"
#include "runtime/facts_file.h"
#include "runtime/journal.h"
#include "runtime/timestep.h"

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
std::set<std::string> Runtime::SourceNames(std::vector<const OpenCall*>* calls) const {
  std::set<std::string> out;
  const PushBook& push = sources_read_.push;
  for (const OpenCall& call : push.active ? push.sentences : sources_read_.sentences) {
    if (call.args.size() != 1 || call.args[0].kind() != Kind::kString) continue;
    const std::string_view name = engine_.pool.TextOf(call.args[0]);
    if (!IsRelationName(name) || !out.insert(std::string(name)).second) continue;
    if (calls != nullptr) calls->push_back(&call);
  }
  return out;
}

// Whether it is what the database evaluated.
bool Runtime::IsOfPush(const Said& said) const {
  if (said.from != From::kSource) return false;
  const auto& calls = sources_read_.push.calls;
  return std::any_of(calls.begin(), calls.end(), [&](const auto& call) {
    const auto at = sources_read_.stated.find(call.first);
    return at != sources_read_.stated.end() && at->second.file == said.what.file;
  });
}

// A fact that is stated or retracted may be of a relation that the database evaluates, or reads.
void Runtime::NoteStated(RelationId relation) {
  PushBook& push = sources_read_.push;
  if (!push.active) return;
  const RelationId base = engine_.store.BaseOf(relation);
  if (push.heads.contains(base) || push.replaced.contains(base)) push.stated = base;
}

// Decides whether a database evaluates rules, or whether it no longer does.
void Runtime::PushDown() {
  PushBook& push = sources_read_.push;
  if (push.active) {
    if (const std::string why = WhyNoLongerPushed(); !why.empty()) EndPush(why);
    return;
  }
  if (sources_read_.sentences.empty() || push.rules == engine_.program.definitions().size()) return;
  push.rules = engine_.program.definitions().size();
  push.constraints = engine_.program.constraints().size();
  std::vector<const OpenCall*> calls;
  const std::set<std::string> names = SourceNames(&calls);
  std::set<int> as_written = AsWritten(engine_.program, names);
  if (as_written.empty()) return;
  // Also where nothing is pushed down: the order of rows is the same.
  engine_.SetPlaces({}, as_written);
  engine_.Prepare();
  if (std::exchange(push.decided, true) || options_.gate != nullptr) return;
  if (const std::vector<SqlSource> sources = AskPlaces(calls); !sources.empty())
    BeginPush(std::move(as_written), sources);
}

// Where the sources lie, of those that lie in a database that may evaluate rules.
std::vector<SqlSource> Runtime::AskPlaces(const std::vector<const OpenCall*>& calls) {
  Journal* const journal = options_.journal;
  ordered_json question = {{"places", ordered_json::array()}};
  std::vector<Request> requests;
  for (const OpenCall* call : calls) {
    requests.push_back(RequestFor(*call));
    question["places"].push_back(requests.back().id);
  }
  const auto ask = [&] {
    ordered_json out = ordered_json::array();
    for (const std::optional<SqlSource>& source : agent_.Places(requests, engine_.pool))
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

void Runtime::BeginPush(std::set<int> as_written, const std::vector<SqlSource>& sources) {
  PushBook& push = sources_read_.push;
  SqlPush found = FindPush(engine_.program, engine_.analysis, sources, query_);
  if (found.queries.empty()) return;
  Store& store = engine_.store;
  std::set<std::string> replaced;
  for (const RelationId r : found.replaced) replaced.insert(store.at(r).name());
  push.sentences = sources_read_.sentences;
  std::vector<OpenCall>& sentences = sources_read_.sentences;
  Span place;
  std::erase_if(sentences, [&](const OpenCall& call) {
    const bool one = call.args.size() == 1 && call.args[0].kind() == Kind::kString &&
                     replaced.contains(std::string(engine_.pool.TextOf(call.args[0])));
    if (one && place == Span{}) place = call.place;
    return one;
  });
  // The label names the relation unless several of one label are read: then the number of arguments
  // stands behind it.
  std::map<std::string, int> labels;
  for (const SqlPush::Query& query : found.queries) ++labels[query.pushed.relation];
  for (SqlPush::Query& query : found.queries) {
    OpenCall call;
    call.args = {engine_.pool.String(query.pushed.relation), engine_.pool.Keyword("query")};
    if (labels.at(query.pushed.relation) > 1)
      call.args.push_back(engine_.pool.Int(static_cast<std::int64_t>(query.pushed.types.size())));
    call.relation =
        store.Declare(Space::kTool, "index", static_cast<std::uint32_t>(call.args.size()));
    call.place = place;
    if (query.partial) push.partial.insert(query.relation);
    push.calls.emplace(engine_.solver.IdOf(call), std::move(query.pushed));
    sentences.push_back(std::move(call));
  }
  push.heads = std::move(found.heads);
  push.replaced = std::move(found.replaced);
  push.active = true;
  engine_.SetPlaces(std::move(found.rules), std::move(as_written));
  engine_.Prepare();
}

// Something reads or states what the database has, or it cannot go on.
std::string Runtime::WhyNoLongerPushed() const {
  const PushBook& push = sources_read_.push;
  const Store& store = engine_.store;
  if (!push.changed.empty()) return push.changed + ": the database cannot evaluate it any more";
  if (push.rules != engine_.program.definitions().size() ||
      push.constraints != engine_.program.constraints().size())
    return "the program changed";
  if (push.stated != kNoId) return "a fact of " + store.at(push.stated).name() + " is stated";
  const auto is_pushed = [&](RelationId r) {
    return std::any_of(push.calls.begin(), push.calls.end(),
                       [&](const auto& call) { return IsOf(call.second, store.at(r)); });
  };
  if (query_ == nullptr) return "";
  for (const RelationId r : Mentioned(*query_, store))
    if (push.replaced.contains(r) || (push.heads.contains(r) && !is_pushed(r)))
      return "the query reads " + store.at(r).name();
  if (push.partial.empty()) return "";
  for (const RelationId r : NeededWhole(engine_.program, {&query_, 1}))
    if (push.partial.contains(r))
      return "the query rests on the absence of " + store.at(r).name() +
             ", where a value may have no meaning";
  return "";
}

// The rows that the database evaluated go, and the sources are read as the program states them.
void Runtime::EndPush(const std::string& why) {
  PushBook& push = sources_read_.push;
  for (const auto& [id, pushed] : push.calls) {
    if (sources_read_.stated.contains(id)) Exchange(id, {});
    sources_read_.stated.erase(id);
    sources_read_.coming.erase(id);
    engine_.store.Retract(id.relation, id.args);
  }
  recorder_.Log(Verb::kResolved, "the sources are read: " + why);
  sources_read_.sentences = std::exchange(push.sentences, {});
  push.calls.clear();
  push.partial.clear();
  push.changed.clear();
  push.stated = kNoId;
  push.active = false;
  push.rules = engine_.program.definitions().size();
  engine_.SetPlaces({}, AsWritten(engine_.program, SourceNames(nullptr)));
  DropOvertakenTruths();
  PrepareProgram();
}

}  // namespace rpl
