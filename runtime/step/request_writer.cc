// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/request_writer.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "formats/terminal_text.h"
#include "interp/eval/engine.h"
#include "interp/eval/evaluation.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/sql/sql_source.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/door.h"
#include "runtime/facts/source_feed.h"
#include "runtime/ports.h"
#include "runtime/request.h"
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

OpenRequest RequestWriter::For(const OpenCall& call) const {
  if (IsQuestion(engine_.store.at(call.relation))) return QuestionFor(call);
  return CallFor(call);
}

// What questions and calls have in common.
void RequestWriter::TakeCall(const OpenCall& call, Request& to) const {
  to.id = engine_.solver.CallText(call);
  if (call.place.end == 0) return;
  to.place = engine_.sources.Where(call.place);
  const Collected* const heading = engine_.program.FindCollected(call.relation);
  to.path = titles_.Above(heading != nullptr ? heading->span : call.place);
}

Question RequestWriter::QuestionFor(const OpenCall& call) const {
  Question q;
  TakeCall(call, q);
  const Relation& rel = engine_.store.at(call.relation);
  if (call.space == Space::kTool) {
    TakeTool(call, q);
    if (q.tool != "choose") return q;
    q.kind = Request::Kind::kChoose;
    if (call.args.size() > 1 &&
        (call.args[1].kind() == Kind::kList || call.args[1].kind() == Kind::kSet)) {
      const std::span<const Value> options = engine_.pool.ItemsOf(call.args[1]);
      q.options.assign(options.begin(), options.end());
    }
    return q;
  }
  q.admits = door_.authority().Of(call.relation).state;
  q.name = std::string(engine_.pool.TextOf(rel.label()));
  q.prompt = q.name;
  if (call.space == Space::kRelation) q.relation = q.name;
  if (call.question >= 0) {
    const ArgumentQuestion& asks = engine_.program.QuestionAt(call.question);
    q.name = asks.name;
    q.argument = (asks.subject.starts_with('$') ? "$" : "?") + asks.name;
    q.prompt = asks.prompt;
    q.options = engine_.solver.Choices(call);
    if (const Evaluation& found = engine_.solver.found(); found.stop != Stop::kGoesOn)
      budget_.Take(found.stop, found.stopped_at);
    if (!q.options.empty()) q.kind = Request::Kind::kChoose;
  }
  if (call.space == Space::kRelation) TakeUse(call, q);
  // Arguments of one heading differ by name.
  const auto open =
      std::count_if(call.args.begin(), call.args.end(), [](Value v) { return v.is_none(); });
  if (call.space == Space::kRelation && q.row.empty() && open > 1) {
    q.heading = q.id;
    q.others = [this, call] { return Others(call); };
    q.id += " for " + q.argument;
  }
  return q;
}

ToolCall RequestWriter::CallFor(const OpenCall& call) const {
  ToolCall out;
  TakeCall(call, out);
  TakeTool(call, out);
  if (const auto at = sources_.pushed().find(engine_.solver.IdOf(call));
      at != sources_.pushed().end())
    out.pushed = at->second;
  if (out.tool == "write") out.written = WrittenFiles();
  if (out.tool == "index") {
    out.stop = StopOfReading(out.id);
    TakeReading(out);
  }
  if (tools_.AnswersAlone(out)) out.admits = PartyBit(By::kTool);
  return out;
}

// The questions for the other open arguments of the heading.
std::vector<Question> RequestWriter::Others(const OpenCall& call) const {
  const Collected& heading = *engine_.program.FindCollected(call.relation);
  const Solver::Arguments& known = engine_.solver.arguments();
  const auto half = known.find({call.relation, call.args});
  const std::vector<Value>& given = half == known.end() ? call.args : half->second;
  std::vector<Question> out;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_none() || static_cast<int>(i) == call.column) continue;
    OpenCall other = call;
    other.column = static_cast<decltype(other.column)>(i);
    other.question = heading.questions[i];
    out.push_back(QuestionFor(other));
  }
  return out;
}

void RequestWriter::TakeTool(const OpenCall& call, Request& to) const {
  to.admits = door_.authority().AnswersTo(call.relation, call.args);
  to.tool = to.name = std::string(engine_.pool.TextOf(engine_.store.at(call.relation).label()));
  to.args = call.args;
  // Which of its words are the program's is not known: none of it begins a line.
  if (!call.args.empty()) to.prompt = PrintableLine(PlainText(engine_.pool, call.args.front()));
}

// Of a source whose rows are those of a heading: what a model is told of it.
void RequestWriter::TakeReading(ToolCall& to) const {
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
    if (const ArgumentQuestion& question = engine_.program.QuestionOf(*heading, 0);
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
void RequestWriter::TakeUse(const OpenCall& call, Question& to) const {
  const HeadingUse& use = engine_.analysis.UseOf(call.relation);
  const auto column = static_cast<std::size_t>(call.column);
  if (column < use.arguments.size()) to.takes = use.arguments[column].takes;
  const Collected& heading = *engine_.program.FindCollected(call.relation);
  Bound known;  // what the call knows stands in the prose
  for (std::size_t i = 0; i < call.args.size(); ++i)
    if (!call.args[i].is_none())
      known.emplace(engine_.program.QuestionOf(heading, i).name, call.args[i]);
  const ArgumentQuestion& question = engine_.program.QuestionOf(heading, column);
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
