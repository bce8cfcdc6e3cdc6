// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/door.h"

#include <algorithm>
#include <set>
#include <utility>

#include "grammar/ast_walk.h"
#include "interp/eval/evaluation.h"
#include "interp/eval/solver.h"
#include "interp/program/metadata.h"
#include "interp/program/novelty_walk.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

bool IsTruth(const Node& node) { return node.As<Boolean>() != nullptr; }

// A trace of a question, whose variables are what was asked for: `place(?x) ^ ~ {:status …}`.
bool IsAnswered(const Node& clause) {
  const auto* annotated = clause.As<Annotated>();
  return annotated != nullptr && annotated->form.front().As<Call>() != nullptr;
}

// The parts of a novelty that are kept, in their order.
template <typename Keep>
Novelty Kept(const Store& store, Novelty all, const Keep& keep) {
  Novelty out;
  out.file = all.file;
  out.sources = std::move(all.sources);
  out.readings = std::move(all.readings);
  std::vector<std::size_t> facts = {0};  // those kept before each
  all.ForEach(
      store,
      [&](RelationId relation, std::span<const Value> row, Span span) {
        if (keep(relation, span)) out.facts.Add({relation, span.begin, span.end}, row);
        facts.push_back(out.facts.size());
      },
      [](const Assertion&) {});
  std::vector<std::size_t> assertions(all.assertions.size() + 1);
  for (std::size_t i = 0; i < all.assertions.size(); ++i) {
    Assertion& a = all.assertions[i];
    a.facts_before = facts[std::min(a.facts_before, all.facts.size())];
    if (keep(a)) out.assertions.push_back(std::move(a));
    assertions[i + 1] = out.assertions.size();
  }
  const auto others = [&](auto& from, auto& to) {
    for (auto& each : from) {
      if (!keep(each)) continue;
      each.before = {facts[std::min(each.before.facts, all.facts.size())],
                     assertions[std::min(each.before.assertions, all.assertions.size())]};
      to.push_back(std::move(each));
    }
  };
  others(all.half_answers, out.half_answers);
  others(all.question_entries, out.question_entries);
  return out;
}

constexpr const char* kGuardData = "a guard decides by it, and only documents state it";
constexpr const char* kStateInDocument = "write it into a document";

}  // namespace

Door::Door(interp::Engine& engine, const Trace& trace, bool policy)
    : engine_(engine), trace_(trace), authority_(engine.program, engine.store, policy) {}

void Door::Note(const Novelty& novelty, const std::function<bool(Span)>& is_program) {
  RelationId last = kNoId;
  for (std::size_t i = 0; i < novelty.facts.size(); ++i) {
    const Novelty::Fact& fact = novelty.facts[i];
    if (fact.relation == last) continue;
    const Span place{novelty.file, fact.begin, fact.end};
    if (!is_program(place)) continue;
    last = fact.relation;
    authority_.NoteFact(last, place);
  }
  for (const Assertion& a : novelty.assertions)
    if (a.truth && is_program(a.span)) authority_.NoteFact(a.relation, a.span);
}

std::optional<Refused> Door::RefusalOf(const Sentence& sentence, By by) const {
  const Rule& rule = sentence.rule;
  const bool states = rule.heads.empty() && rule.abductives.empty() && rule.tail.size() == 1 &&
                      std::ranges::all_of(rule.constraints, IsTruth);
  if (states && (!HasVariables(rule.tail.front()) || IsAnswered(rule.tail.front()))) return {};
  return Refused{std::string(PartyText(by)) +
                     " states facts and answers alone; rules, constraints "
                     "and headings are the program's",
                 "an author writes them into a document",
                 {},
                 sentence.span};
}

Refused Door::Closed(RelationId relation, By by, const Authority::Entry& entry,
                     std::string_view verb) const {
  using Of = Authority::Kind;
  const Relation& of = engine_.store.at(engine_.store.BaseOf(relation));
  Refused out;
  const bool goal = of.space() == Space::kGoal;
  const std::string name =
      of.name() + (of.space() == Space::kRelation ? "/" + std::to_string(of.arity()) : "");
  out.reason = std::string(PartyText(by)) + " may not " + std::string(verb) + " " + name + ": ";
  out.line = entry.line;
  const Parties state = entry.state;
  switch (entry.kind) {
    case Of::kRules:
      out.reason += "it has rules";
      out.hint = goal ? "do what the rules of the goal need: answer what they ask"
                      : "state or answer what these rules read";
      break;
    case Of::kEngine:
      out.reason += goal ? "the truth of a goal is the program's" : "it is the engine's";
      out.hint = "leave it out";
      break;
    case Of::kGuardData:
      out.reason += "a guard decides by it, and only documents state it";
      out.hint = "leave it out";
      break;
    case Of::kFacts:
      out.reason += entry.line.end != 0 && state != 0 ? "only " + PartiesText(state) + " may"
                                                      : "the program states it";
      out.hint = "leave it out; an author opens a relation by a constraint over `:by`";
      break;
    case Of::kHeading:
    case Of::kOpen:
      out.reason += entry.guarded ? "a guard of calls decides by it" : "";
      if (!entry.guarded) out.reason += "only " + PartiesText(state) + " may";
      out.hint = (state & PartyBit(By::kPerson)) != 0 ? "tell the user, who may" : "leave it out";
      break;
  }
  if (out.line.end != 0) out.reason += " (" + engine_.sources.Where(out.line) + ")";
  return out;
}

std::optional<Refused> Door::Refuse(RelationId relation, By by, Way way) const {
  const Authority::Entry entry = authority_.Of(relation);
  const Parties admits = way == Way::kNamedSource ? entry.source : entry.state;
  if ((admits & PartyBit(by)) != 0) return {};
  return Closed(relation, by, entry, "state");
}

std::optional<Refused> Door::RefuseReply(RelationId relation, std::span<const Value> row,
                                         By by) const {
  const Parties admits = authority_.AnswersTo(relation, row);
  if ((admits & PartyBit(by)) != 0) return {};
  Authority::Entry entry = authority_.Of(relation);
  entry.state = admits;
  return Closed(relation, by, entry, "answer");
}

Refused Door::RefusedAnswer(const OpenCall& call, By by) const {
  if (call.space == Space::kTool) {
    if (auto refused = RefuseReply(call.relation, call.args, by)) return *refused;
    return {engine_.solver.CallText(call) + " is answered by its command alone", "leave it out"};
  }
  return Closed(call.relation, by, authority_.Of(call.relation), "answer");
}

Parties Door::TakenBack(Parties stated, By by) {
  Parties own = PartyBit(by);
  if (by == By::kPerson) own = Authority::kOutside;
  if (by == By::kHost) own = static_cast<Parties>(Authority::kOutside & ~PartyBit(By::kPerson));
  return stated & own;
}

// Who gave the last answer or fact with that text.
std::optional<By> Door::WhoAnswered(const std::string& text) const {
  for (auto entry = trace_.rbegin(); entry != trace_.rend(); ++entry)
    if (entry->by && entry->text.starts_with(text) && entry->text.ends_with(kIsTrue) &&
        entry->text.size() == text.size() + kIsTrue.size())
      return entry->by;
  return std::nullopt;
}

std::optional<Refused> Door::RefuseTakingBack(const Assertion& a, By by) const {
  const Store& store = engine_.store;
  const Relation& of = store.at(a.relation);
  const Authority::Entry entry = authority_.Of(a.relation);
  std::string text = a.text;
  if (text.ends_with(kIsFalse)) text.resize(text.size() - kIsFalse.size());
  if (of.space() == Space::kGoal)
    return Refused{std::string(PartyText(by)) + " may not take back " + text +
                       ": the truth of a goal is the program's",
                   "take back what it rests on"};
  const RowId whole = store.WholeIfAny(a.relation) == kNoId
                          ? kNoId
                          : store.at(store.WholeIfAny(a.relation)).Find(a.row);
  const RowId row = of.Find(a.row);
  const bool stated = row != kNoId && of.asserted(row);
  if (of.space() == Space::kTool && stated && SaysFailed(engine_.pool, of.Meta(row))) return {};
  Parties parties = stated ? of.SaidBy(row) : 0;
  if (whole != kNoId) parties |= store.at(store.WholeIfAny(a.relation)).SaidBy(whole);
  if (parties == 0)
    if (const std::optional<By> who = WhoAnswered(text)) parties = PartyBit(*who);
  if (parties == 0) {
    // Nothing is there to take back; but what the program states may be on its way.
    if (row == kNoId && entry.kind != Authority::Kind::kFacts) return {};
    if (row == kNoId) {
      if ((entry.take_back & PartyBit(by)) != 0) return {};
      return Closed(a.relation, by, entry, "take back rows of");
    }
    return Refused{std::string(PartyText(by)) + " may not take back " + text + ": rules derive it" +
                       (entry.line.end != 0 ? " (" + engine_.sources.Where(entry.line) + ")" : ""),
                   "take back what it rests on"};
  }
  if (TakenBack(parties, by) == 0) {
    const std::optional<Span> origin = row == kNoId ? std::nullopt : of.Origin(row);
    return Refused{
        std::string(PartyText(by)) + " may not take back " + text + ": " + PartiesText(parties) +
            " stated it" + (origin ? " (" + engine_.sources.Where(*origin) + ")" : ""),
        (parties & PartyBit(By::kProgram)) != 0 ? "only the author changes it, in the document"
                                                : "tell the user, who may"};
  }
  if ((entry.take_back & PartyBit(by)) == 0 && of.space() == Space::kRelation && entry.guarded)
    return Closed(a.relation, by, entry, "take back rows of");
  return {};
}

std::optional<Refused> Door::RefuseQuestion(const QuestionEntry& entry, By by) const {
  if (entry.truth) {
    if (auto refused = RefuseReply(entry.relation, entry.key, by)) return refused;
    return Refuse(entry.relation, by, Way::kStatement);
  }
  std::string text = entry.text;
  if (text.ends_with(kIsFalse)) text.resize(text.size() - kIsFalse.size());
  const std::optional<By> who = WhoAnswered(text);
  if (!who || TakenBack(PartyBit(*who), by) != 0) return {};
  return Refused{std::string(PartyText(by)) + " may not take back " + text + ": " +
                     std::string(PartyText(*who)) + " said it",
                 "tell the user, who may"};
}

std::optional<Refused> Door::RefusalOf(const Novelty& said, By by) const {
  std::optional<Refused> out;
  const auto first = [&](std::optional<Refused> refused, Span at) {
    if (out || !refused) return;
    out = std::move(refused);
    out->at = at;
  };
  const auto states = [&](RelationId relation, std::span<const Value> row, Span at) {
    const Space space = engine_.store.at(relation).space();
    const bool reply = space == Space::kTool || space == Space::kAvar;
    first(reply ? RefuseReply(relation, row, by) : Refuse(relation, by, Way::kStatement), at);
  };
  said.ForEach(
      engine_.store, states,
      [&](const Assertion& a) {
        if (a.truth) states(a.relation, a.row, a.span);
        else first(RefuseTakingBack(a, by), a.span);
      },
      [&](const HalfAnswer& half) { states(half.relation, half.key, half.span); },
      [&](const QuestionEntry& entry) { first(RefuseQuestion(entry, by), entry.span); });
  for (const SourceSentence& source : said.sources)
    first(Refused{std::string(PartyText(by)) + " may not name a source: it is the program's",
                  "an author writes the call into a document"},
          source.span);
  return out;
}

void Door::Filter(Novelty& source, By by, std::string_view named, std::string_view stem,
                  bool strict, Diagnostics& out) const {
  std::set<RelationId> told;
  const auto keep = [&](RelationId relation, Span span) {
    const Relation& of = engine_.store.at(relation);
    const std::string_view label = engine_.pool.TextOf(of.label());
    const bool other = !named.empty() && label != named;
    std::optional<Refused> refused;
    if (other)
      refused = Refused{"a source may not state " + of.name() + "/" + std::to_string(of.arity()) +
                            ": its call names `" + std::string(named) + "`",
                        "read it by a call of its own"};
    else
      refused = Refuse(relation, by,
                       by != By::kFile                           ? Way::kStatement
                       : label == (named.empty() ? stem : named) ? Way::kNamedSource
                                                                 : Way::kSource);
    if (!refused) return true;
    if (told.insert(relation).second)
      out.Add({Code::kRefusedFact, strict ? Severity::kError : Severity::kWarning, span,
               refused->reason, strict ? refused->hint : "its rows are left out"});
    return false;
  };
  Leave(source, keep);
  if (source.given && !MayGive(source.given->first, by, named.empty() ? stem : named))
    source.given.reset();
}

// Whether a source may say that it has all the rows of the relations with this label.
bool Door::MayGive(std::string_view label, By by, std::string_view named) const {
  if (label != named) return false;
  const Store& store = engine_.store;
  for (RelationId r = 0; r < store.size(); ++r)
    if (store.at(r).space() == Space::kRelation && !store.IsWhole(r) &&
        engine_.pool.TextOf(store.at(r).label()) == label &&
        Refuse(r, by, by == By::kFile ? Way::kNamedSource : Way::kStatement))
      return false;
  return true;
}

void Door::FilterFacts(Novelty& facts, Diagnostics& out) const {
  std::set<RelationId> told;
  Leave(facts, [&](RelationId relation, Span span) {
    const Authority::Entry entry = authority_.Of(relation);
    if (entry.kind != Authority::Kind::kRules) return true;
    if (told.insert(relation).second) {
      const Refused refused = Closed(relation, By::kFile, entry, "state");
      out.Add(Code::kRefusedFact, span, refused.reason,
              "give the file another relation, and let a rule read that");
    }
    return false;
  });
}

// Leaves the facts for which `keep(relation, place)` holds.
void Door::Leave(Novelty& facts, const std::function<bool(RelationId, Span)>& keep) const {
  RelationId last = kNoId;
  bool all = true;
  for (std::size_t i = 0; all && i < facts.facts.size(); ++i) {
    const Novelty::Fact& fact = facts.facts[i];
    if (fact.relation == last) continue;
    last = fact.relation;
    all = keep(last, Span{facts.file, fact.begin, fact.end});
  }
  if (all && facts.assertions.empty() && facts.half_answers.empty() &&
      facts.question_entries.empty())
    return;
  struct Keep {
    const std::function<bool(RelationId, Span)>& one;
    bool operator()(RelationId relation, Span span) const { return one(relation, span); }
    bool operator()(const Assertion& a) const { return one(a.relation, a.span); }
    bool operator()(const HalfAnswer& half) const { return one(half.relation, half.span); }
    bool operator()(const QuestionEntry& entry) const { return one(entry.relation, entry.span); }
  };
  facts = Kept(engine_.store, std::move(facts), Keep{keep});
}

void Door::FilterGuardData(Document& message, Diagnostics& out) const {
  if (!authority_.HasGuards()) return;
  const auto states = [&](const Sentence& s) {
    const bool any = std::ranges::any_of(s.rule.heads, [](const Node& head) {
      const auto* call = Ungroup(head).As<Call>();
      return call != nullptr && call->ns == Namespace::kRelation && IsGuardData(call->label);
    });
    if (any) out.Add(Code::kRefusedFact, s.span, kGuardData, kStateInDocument);
    return any;
  };
  std::erase_if(message.sentences, [&](const PlacedSentence& p) { return states(p.sentence); });
  for (Scope& scope : message.scopes)
    if (scope.signature && states(*scope.signature)) scope.signature.reset();
}

void Door::FilterGuardData(Novelty& message, Diagnostics& out) const {
  if (!authority_.HasGuards()) return;
  struct Keep {
    const Door& door;
    Diagnostics& out;
    bool operator()(RelationId relation, Span span) const {
      if (door.authority_.Of(relation).kind != Authority::Kind::kGuardData) return true;
      out.Add(Code::kRefusedFact, span, kGuardData, kStateInDocument);
      return false;
    }
    bool operator()(const Assertion& a) const { return (*this)(a.relation, a.span); }
    bool operator()(const HalfAnswer& half) const { return (*this)(half.relation, half.span); }
    bool operator()(const QuestionEntry& entry) const {
      return (*this)(entry.relation, entry.span);
    }
  };
  message = Kept(engine_.store, std::move(message), Keep{*this, out});
}

void Door::FilterTrace(Novelty& trace, const std::function<By(Span)>& by, Diagnostics& out) const {
  struct Keep {
    const Door& door;
    const std::function<By(Span)>& by;
    Diagnostics& out;
    bool Admits(Span span, const std::function<std::optional<Refused>(By)>& refusal) const {
      const By who = by(span);
      if (who == By::kProgram) return true;
      const std::optional<Refused> refused = refusal(who);
      if (!refused) return true;
      out.Add({Code::kRefusedFact, Severity::kWarning, span, refused->reason,
               "it is left out of the changed program"});
      return false;
    }
    std::optional<Refused> Stated(RelationId relation, std::span<const Value> row, By who) const {
      const Space space = door.engine_.store.at(relation).space();
      if (space == Space::kGoal) return {};  // the engine's record: rules decide anew
      if (who == By::kHost && door.engine_.store.at(relation).name() == "guard-decision")
        return {};  // a decision of a guard
      if (space == Space::kTool || space == Space::kAvar)
        return door.RefuseReply(relation, row, who);
      return door.Refuse(relation, who, Way::kStatement);
    }
    bool operator()(RelationId relation, Span span) const {
      return Admits(span, [&](By who) { return Stated(relation, {}, who); });
    }
    bool operator()(const Assertion& a) const {
      return !a.truth || Admits(a.span, [&](By who) { return Stated(a.relation, a.row, who); });
    }
    bool operator()(const HalfAnswer& half) const { return (*this)(half.relation, half.span); }
    bool operator()(const QuestionEntry& entry) const {
      return !entry.truth ||
             Admits(entry.span, [&](By who) { return door.RefuseQuestion(entry, who); });
    }
  };
  trace = Kept(engine_.store, std::move(trace), Keep{*this, by, out});
}

}  // namespace rpl
