// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/request_writer.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "formats/terminal_text.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/step/to_do.h"

namespace rpl {
namespace {

// The prose with the name of each known variable in brackets in the place of its value.
std::string WithNames(const HeadingProse& words, const Bound& known) {
  return words
      .Filled([&](const std::string& name) -> std::optional<std::string> {
        if (!known.contains(name)) return std::nullopt;
        return "[" + name + "]";
      })
      .text;
}

}  // namespace

RequestWriter::RequestWriter(interp::Engine& engine, const SessionOptions& options, Budget& budget,
                             const Door& door, const SourceFeed& sources, const Tools& tools)
    : engine_(engine),
      options_(options),
      budget_(budget),
      door_(door),
      sources_(sources),
      tools_(tools),
      titles_(engine.sources) {}

Request RequestWriter::For(const OpenCall& call) const {
  Request r;
  r.id = engine_.solver.CallText(call);
  if (call.place.end != 0) {
    r.place = engine_.sources.Where(call.place);
    const Collected* const heading = engine_.program.FindCollected(call.relation);
    r.path = titles_.Above(heading != nullptr ? heading->span : call.place);
  }
  if (call.space == Space::kTool) {
    TakeTool(call, r);
    return r;
  }
  const Relation& rel = engine_.store.at(call.relation);
  r.admits = door_.authority().Of(call.relation).state;
  r.name = std::string(engine_.pool.TextOf(rel.label()));
  r.prompt = r.name;
  if (call.space == Space::kRelation) r.relation = r.name;
  if (call.question >= 0) {
    const Question& q = engine_.program.QuestionAt(call.question);
    r.name = q.name;
    r.argument = (q.subject.starts_with('$') ? "$" : "?") + q.name;
    r.prompt = q.prompt;
    r.options = engine_.solver.Choices(call);
    if (const Evaluation& found = engine_.solver.found(); found.stop != Stop::kGoesOn)
      budget_.Take(found.stop, found.stopped_at);
    if (!r.options.empty()) r.kind = Request::Kind::kChoose;
  }
  if (call.space == Space::kRelation) TakeUse(call, r);
  // Arguments of one heading differ by name.
  const auto open =
      std::count_if(call.args.begin(), call.args.end(), [](Value v) { return v.is_none(); });
  if (call.space == Space::kRelation && r.row.empty() && open > 1) {
    r.heading = r.id;
    r.others = [this, call] { return Others(call); };
    r.id += " for " + r.argument;
  }
  return r;
}

// The questions for the other open arguments of the heading.
std::vector<Request> RequestWriter::Others(const OpenCall& call) const {
  const Collected& heading = *engine_.program.FindCollected(call.relation);
  const Solver::Arguments& known = engine_.solver.arguments();
  const auto half = known.find({call.relation, call.args});
  const std::vector<Value>& given = half == known.end() ? call.args : half->second;
  std::vector<Request> out;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_none() || static_cast<int>(i) == call.column) continue;
    OpenCall other = call;
    other.column = static_cast<decltype(other.column)>(i);
    other.question = heading.questions[i];
    out.push_back(For(other));
  }
  return out;
}

void RequestWriter::TakeTool(const OpenCall& call, Request& to) const {
  const Relation& rel = engine_.store.at(call.relation);
  to.admits = door_.authority().AnswersTo(call.relation, call.args);
  if (const auto at = sources_.pushed().find(engine_.solver.IdOf(call));
      at != sources_.pushed().end())
    to.pushed = at->second;
  to.tool = to.name = std::string(engine_.pool.TextOf(rel.label()));
  to.args = call.args;
  to.kind = to.tool == "ask" || to.tool == "generate" ? Request::Kind::kAsk
            : to.tool == "choose"                     ? Request::Kind::kChoose
                                                      : Request::Kind::kTool;
  // Which of its words are the program's is not known: none of it begins a line.
  if (!call.args.empty()) to.prompt = PrintableLine(PlainText(engine_.pool, call.args.front()));
  if (to.kind == Request::Kind::kChoose && call.args.size() > 1 &&
      (call.args[1].kind() == Kind::kList || call.args[1].kind() == Kind::kSet)) {
    const std::span<const Value> options = engine_.pool.ItemsOf(call.args[1]);
    to.options.assign(options.begin(), options.end());
  }
  if (to.tool == "write") to.written = WrittenFiles();
  if (to.tool == "index") {
    to.stop = StopOfReading(to.id);
    TakeReading(to);
  }
  if (tools_.AnswersAlone(to)) to.admits = RowsBy::Bit(By::kTool);
}

// Of a source whose rows are those of a heading: what a model is told of it.
void RequestWriter::TakeReading(Request& to) const {
  if (to.args.size() != 2 || to.args[1].kind() != Kind::kString) return;
  const std::string_view label = engine_.pool.TextOf(to.args[1]);
  for (RelationId r = 0; r < engine_.store.size(); ++r) {
    const Relation& of = engine_.store.at(r);
    const Collected* const heading = engine_.program.FindCollected(r);
    if (heading == nullptr || of.space() != Space::kRelation ||
        engine_.pool.TextOf(of.label()) != label)
      continue;
    for (std::size_t i = 0; i < of.arity(); ++i)
      to.row.push_back(engine_.program.QuestionOf(*heading, i).name);
    to.path = titles_.Above(heading->span);
    if (const Question& question = engine_.program.QuestionOf(*heading, 0);
        question.words != nullptr)
      to.prose = WithNames(*question.words, {});
    return;
  }
}

// Whether an interrupt, or the limit on time since its first poll, ends the reading of a source. It
// counts in a replay as well: what is read again there takes time outside.
std::function<bool()> RequestWriter::StopOfReading(std::string id) const {
  using Clock = std::chrono::steady_clock;
  return [this, id = std::move(id), began = std::optional<Clock::time_point>()]() mutable {
    if (!began) began = Clock::now();
    const std::chrono::duration<double> spent = Clock::now() - *began;
    const double most = budget_.limits().max_seconds;
    const Stop stop = options_.interrupted && options_.interrupted() ? Stop::kInterrupted
                      : most > 0 && spent.count() > most             ? Stop::kTime
                                                                     : Stop::kGoesOn;
    if (stop != Stop::kGoesOn) budget_.Take(stop, id);
    return stop != Stop::kGoesOn;
  };
}

// The files that calls of `$write` wrote in this session.
std::vector<std::pair<std::string, std::string>> RequestWriter::WrittenFiles() const {
  std::vector<std::pair<std::string, std::string>> out;
  Pool& pool = engine_.pool;
  for (const std::uint32_t arity : {2U, 3U}) {
    const RelationId tool = engine_.store.Find(Space::kTool, "write", arity);
    if (tool == kNoId) continue;
    const Relation& calls = engine_.store.at(tool);
    for (RowId row = 0; row < calls.size(); ++row) {
      const Value meta = calls.Meta(row);
      if (meta.kind() != Kind::kMap) continue;
      const Value path = pool.Lookup(meta, pool.Keyword("result"));
      const Value hash = pool.Lookup(meta, pool.Keyword("hash"));
      if (path.kind() == Kind::kString && hash.kind() == Kind::kString)
        out.emplace_back(pool.TextOf(path), pool.TextOf(hash));
    }
  }
  return out;
}

// What the program does with an answer to a heading decides what it may be (decision 81).
void RequestWriter::TakeUse(const OpenCall& call, Request& to) const {
  const HeadingUse& use = engine_.analysis.UseOf(call.relation);
  const auto column = static_cast<std::size_t>(call.column);
  if (column < use.arguments.size()) to.takes = use.arguments[column].takes;
  const Collected& heading = *engine_.program.FindCollected(call.relation);
  Bound known;  // what the call knows stands in the prose
  for (std::size_t i = 0; i < call.args.size(); ++i)
    if (!call.args[i].is_none())
      known.emplace(engine_.program.QuestionOf(heading, i).name, call.args[i]);
  const Question& question = engine_.program.QuestionOf(heading, column);
  if (question.words != nullptr) to.prose = WithNames(*question.words, known);
  for (const auto& [name, value] : known)
    to.known.emplace_back(name, PlainText(engine_.pool, value));
  if (question.words != nullptr && !known.empty())
    to.prompt = Filled(engine_.pool, *question.words, known, heading.span).AsQuestion();
  std::string rest;  // of what the call knows, the prose says nothing
  for (const auto& [name, value] : known)
    if (question.words == nullptr || !question.words->Names(name))
      rest += (rest.empty() ? "" : ", ") + name + ": " + SetApart(ProseText(engine_.pool, value));
  if (!rest.empty()) to.prompt += (to.prompt.empty() ? "(" : " (") + rest + ")";
  if (!use.many) return;
  for (std::size_t i = 0; i < call.args.size(); ++i)
    if (call.args[i].is_none()) to.row.push_back(engine_.program.QuestionOf(heading, i).name);
  if (to.row.size() == 1) return;
  to.name = std::string(engine_.pool.TextOf(engine_.store.at(call.relation).label()));
  to.options.clear();
  to.kind = Request::Kind::kAsk;
  to.takes = Takes::kAny;
}

Answer RequestWriter::WhoseAnswer(Answer answer) const {
  answer.vouched = answer.by == By::kHost && options_.answers_by.has_value();
  if (answer.vouched) answer.by = *options_.answers_by;
  return answer;
}

bool RequestWriter::MayAnswer(const Request& request, const Answer& answer) const {
  const bool of_command = request.kind == Request::Kind::kTool && answer.prepared;
  const bool none = answer.kind == Answer::Kind::kNobody || answer.kind == Answer::Kind::kNotRun;
  return of_command || none || !options_.door || request.Admits(answer.by);
}

}  // namespace rpl
