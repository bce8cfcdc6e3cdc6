// SPDX-License-Identifier: Apache-2.0
//
// Random protocols, played turn by turn by a person whose answers are fixed and come in any order:
// after each turn the status, the open questions and the captures are those of the naive reading
// (runtime/testing/naive_protocol.h).
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "interp/testing/random_program.h"
#include "interp/testing/testing.h"
#include "runtime/run/saved_session.h"
#include "runtime/testing/naive_protocol.h"
#include "runtime/testing/random_protocol.h"

namespace rpl::protocol {
namespace {

// The engine refuses the protocol: there is nothing to compare.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Gives the reply that was prepared for one question.
struct Person : testing::Silent {
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view refused) override {
    if (request.id != question || !refused.empty()) return {};
    if (reply.declined) return {rpl::Answer::Kind::kDecline, kNone};
    std::vector<Value> values;
    for (const std::string& v : reply.values) values.push_back(pool.String(v.substr(1, 1)));
    if (!request.row.empty()) return {rpl::Answer::Kind::kValue, pool.List(values)};
    return {rpl::Answer::Kind::kValue, values.front()};
  }

  std::string question;
  Reply reply;
};

std::string Listed(const std::set<std::string>& texts) {
  std::string out;
  for (const std::string& t : texts) out += (out.empty() ? "" : " ") + t;
  return "[" + out + "]";
}

std::string TextOf(const Answers& answers) {
  std::string out;
  for (const auto& answer : answers) {
    for (const auto& [name, value] : answer) out += name + "=" + value + ",";
    out += " ";
  }
  return "{" + out + "}";
}

// The events of a session, kept in memory.
struct Kept : SessionStore {
  explicit Kept(std::vector<Event>& to) : events(to) {}
  std::string Append(const Event& event, bool) override {
    events.push_back(event);
    return "";
  }
  std::vector<Event>& events;
};

constexpr int kMessages = 3;

class Play {
 public:
  Play(const Protocol& protocol, std::uint32_t seed)
      : protocol_(protocol), text_(protocol.Text()), seed_(seed), bits_(seed) {
    said_.facts.insert(protocol.facts.begin(), protocol.facts.end());
    // What a goal that guards itself established is compared until something else is said: which
    // retractions reach it, and whether a rule is tried again, decision 99 does not say.
    if (protocol.Guards()) messages_ = kMessages;
    Begin();
  }

  // Plays to the end, and says what differs, or "".
  std::string Differs() {
    std::string difference = Turn();
    for (int turns = 0; difference.empty() && turns < 60; ++turns) {
      if (bits_() % 5 == 0) difference = Resume();
      if (!difference.empty()) break;
      const bool waits = outcome_.status == Status::kWaiting;
      if (!waits && messages_ == kMessages) break;
      if (waits && (messages_ == kMessages || bits_() % 4 > 0)) difference = Answer();
      else Say();
      if (difference.empty()) difference = Turn();
      if (turns == 59 && difference.empty()) difference = "it does not end";
    }
    // A constraint that a person left undecided holds queries back, too.
    const bool declined = std::any_of(said_.replies.begin(), said_.replies.end(),
                                      [](const auto& reply) { return reply.second.declined; });
    if (difference.empty() && (!declined || protocol_.constraints.empty()))
      for (const auto& [goal, captures] : Goals())
        if (difference.empty()) difference = Ask(goal, captures);
    return difference.empty() ? "" : history_ + difference;
  }

 private:
  Session& session() { return saved_->session(); }

  void Begin() {
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    saved_.emplace(person_, options, events_, std::make_unique<Kept>(events_));
    for (const Diagnostic& d : saved_->Start({{"p.md", text_}}, nullptr))
      if (d.severity == Severity::kError) throw Refused(d.message);
  }

  // What was recorded gives the same outcome, and the session goes on from there.
  std::string Resume() {
    const auto text = [](const Outcome& o) {
      std::string out(StatusName(o.status));
      for (const OpenRequest& r : o.pending) out += " " + r->id;
      for (const std::string& answer : o.answers) out += " " + answer;
      return out + " " + o.reason;
    };
    const std::string before = text(outcome_);
    Begin();
    history_ += "resumed\n";
    const std::string after = saved_->last() ? text(*saved_->last()) : "";
    return before == after ? "" : "expected " + before + ", got " + after;
  }

  // The reply to one of the open questions comes in the next turn.
  std::string Answer() {
    const OpenRequest open = outcome_.pending[bits_() % outcome_.pending.size()];
    const Request& request = *open;
    const std::string heading = request.id.substr(0, request.id.find('('));
    if (!request.row.empty()) rows_.insert(request.id);
    const std::vector<std::string> offers =
        Reading(protocol_, said_, Reading::Clauses::kAtOnce).Options(*protocol_.Asks(heading));
    const std::set<std::string> options = OptionsOf(request);
    if (options != std::set<std::string>(offers.begin(), offers.end()))
      return request.id + " offers " + Listed(options);
    if (protocol_.TakesRows(heading) == request.row.empty())
      return request.id + " is a question for " + (request.row.empty() ? "one row" : "rows");
    person_.question = request.id;
    person_.reply = ReplyTo(request);
    said_.replies[request.id] = person_.reply;
    const std::vector<std::string>& values = person_.reply.values;
    history_ += request.id + " => " +
                (person_.reply.declined ? "declined" : Listed({values.begin(), values.end()})) +
                "\n";
    return "";
  }

  // A fact, or the retraction of a fact or of an answer.
  void Say() {
    ++messages_;
    person_.question = "";
    const auto value = [&] { return std::string("\"") + "abc"[bits_() % 3] + "\""; };
    Atom fact = {"f" + std::to_string(bits_() % 2), {value()}};
    if (bits_() % 4 == 0) fact = {"e", {value(), value()}};
    std::string text = fact.Text();
    const unsigned kind = bits_() % 4;
    if (kind == 0 && !said_.facts.empty()) {
      fact = *std::next(said_.facts.begin(),
                        static_cast<std::ptrdiff_t>(bits_() % said_.facts.size()));
      said_.facts.erase(fact);
      text = fact.Text() + " -> false";
    } else if (kind == 1 && !said_.replies.empty()) {
      const auto at = std::next(said_.replies.begin(),
                                static_cast<std::ptrdiff_t>(bits_() % said_.replies.size()));
      if (at->second.declined || at->second.values.size() != 1) return;
      const std::size_t last = at->first.find_last_of("?$");
      text = at->first.substr(0, last) + at->second.values.front() + ") -> false";
      // Of a question for rows, an answer without this row is left.
      if (rows_.count(at->first) > 0) at->second.values.clear();
      else said_.replies.erase(at);
    } else {
      said_.facts.insert(fact);
    }
    history_ += text + "\n";
    session().Say("message", text + "\n");
  }

  std::set<std::string> OptionsOf(const Request& request) {
    std::set<std::string> out;
    for (const Value v : request.choices())
      out.insert("\"" + std::string(session().pool().TextOf(v)) + "\"");
    return out;
  }

  // The same for the same question, if it offers the same options.
  Reply ReplyTo(const Request& request) {
    std::mt19937 bits(seed_ ^ static_cast<std::uint32_t>(std::hash<std::string>()(request.id)));
    if (bits() % 8 == 0) return {.declined = true};
    std::vector<std::string> values = {"\"a\"", "\"b\"", "\"c\""};
    if (const std::set<std::string> options = OptionsOf(request); !options.empty())
      values.assign(options.begin(), options.end());
    std::shuffle(values.begin(), values.end(), bits);
    values.resize(request.row.empty() ? 1 : bits() % std::min<std::size_t>(3, values.size() + 1));
    return {.values = values};
  }

  std::string Turn() {
    outcome_ = session().Run();
    const Endings endings(protocol_, said_, "%");
    if (outcome_.status == Status::kSatisfied) said_.established = endings.in_order.given;
    return Compared(endings, outcome_);
  }

  // The goals that tails may read, each with its numbers of captures.
  std::set<std::pair<std::string, std::size_t>> Goals() const {
    std::set<std::pair<std::string, std::size_t>> out;
    for (const Rule& r : protocol_.rules)
      if (r.head.goal() && r.head.name != "%")
        out.insert({{r.head.name, r.head.args.size()}, {r.head.name, 0}});
    return out;
  }

  // A query reads the goal as a rule does.
  std::string Ask(const std::string& goal, std::size_t captures) {
    Row names;
    for (std::size_t i = 0; i < captures; ++i) names.push_back("?c" + std::to_string(i));
    const Rule query{{"%query", names}, {{Clause::Kind::kHolds, {goal, names}}}};
    Protocol with = protocol_;
    with.rules.push_back(query);
    with.constraints.clear();
    person_.question = "";
    const Outcome outcome = session().Say("query", query.Text() + "\n");
    history_ += query.Text() + "\n";
    if (outcome.reason.starts_with("%fail(\"constraint violated")) return "";
    return Compared(Endings(with, said_, "%query"), outcome);
  }

  struct Endings {
    Endings(const Protocol& p, const Said& said, const std::string& goal)
        : in_order(Reading(p, said, Reading::Clauses::kInOrder).OfGoal(goal)),
          at_once(Reading(p, said, Reading::Clauses::kAtOnce).OfGoal(goal)) {}
    Ending in_order, at_once;
  };

  std::string Compared(const Endings& e, const Outcome& outcome) {
    if (outcome.status == Status::kLimit) throw Refused(outcome.reason);
    const std::string difference = Compared(e.in_order, e.at_once, outcome);
    return difference.empty() || Compared(e.at_once, e.in_order, outcome).empty() ? "" : difference;
  }

  // What differs from the first, whose questions may also be those of the second.
  std::string Compared(const Ending& e, const Ending& other, const Outcome& outcome) {
    std::set<std::string> pending, open, declined;
    for (const OpenRequest& r : outcome.pending) pending.insert(r->id);
    const auto add = [&](const std::set<std::string>& questions) {
      for (const std::string& q : questions)
        (said_.replies.count(q) > 0 || q.starts_with('%') ? declined : open).insert(q);
    };
    const bool satisfied = e.goal.truth == Truth::kTrue;
    add(e.goal.rests_on);
    if (e.each) add(e.more);  // whatever can have answers is read
    if (e.goal.truth != Truth::kFalse) add(e.constraints.rests_on);
    const std::string status(StatusName(outcome.status));
    const auto expected = [&](const std::string& what) {
      return "expected " + what + ", with questions among " + Listed(open) + "; got " + status +
             " " + Listed(pending) + " " + outcome.reason;
    };
    const bool violated = outcome.reason.starts_with("%fail(\"constraint violated");
    if (e.constraints.truth == Truth::kFalse) return violated ? "" : expected("a violation");
    if (violated) return expected("no violation");
    // A run that waits may also ask for rows that are known already by other rules.
    const bool waits = !open.empty();
    // Where what a plan gave did not lead to an answer, the next one is tried (decision 85), also
    // where what is false does not depend on it.
    const bool tries = e.goal.truth == Truth::kFalse && protocol_.Chooses();
    for (const std::string& q : pending)
      if (open.count(q) + other.goal.rests_on.count(q) == 0 && !(waits && e.more.count(q) > 0) &&
          !tries)
        return expected("not " + q);
    if (e.goal.truth == Truth::kFalse)
      return status == "unsatisfied" || status == "failed" ||
                     ((e.each || tries) && !pending.empty())
                 ? ""
                 : expected("unsatisfied");
    if (!open.empty() && declined.empty() && !e.each)
      return status == "waiting" ? "" : expected("waiting");
    if (status == "waiting") return open.empty() ? expected("no question") : "";
    if (!satisfied || e.constraints.truth != Truth::kTrue)
      return status == "satisfied" ? expected("not satisfied") : "";
    if (status == "satisfied") return AnswersDiffer(e, outcome);
    add(e.more);
    return declined.empty() ? expected("satisfied") : "";
  }

  std::string AnswersDiffer(const Ending& e, const Outcome& outcome) {
    Answers got;
    for (const std::string& line : outcome.json_answers) {
      std::map<std::string, std::string> answer;
      const nlohmann::json json = nlohmann::json::parse(line);
      for (const auto& [name, value] : json.items()) answer[name] = value.dump();
      got.insert(answer);
    }
    if (got == e.answers) return "";
    return "expected answers " + TextOf(e.answers) + ", got " + TextOf(got);
  }

  Protocol protocol_;
  std::string text_;
  std::uint32_t seed_;
  std::mt19937 bits_;
  Said said_;
  Person person_;
  std::vector<Event> events_;
  std::optional<SavedSession> saved_;
  Outcome outcome_;
  std::set<std::string> rows_;  // questions for rows
  int messages_ = 0;
  std::string history_;
};

std::string Differs(const Protocol& p, std::uint32_t seed) {
  try {
    return Play(p, seed).Differs();
  } catch (const Refused&) {
    return "";
  } catch (const std::exception& e) {
    return std::string("exception: ") + e.what();
  }
}

TEST_CASE("random protocols have every mix") {
  int spans = 0, avars = 0, captures = 0, iterates = 0, guards = 0;
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    const Protocol p = MakeProtocol(seed);
    const auto many = [](const auto& list, const auto& is) {
      return std::ranges::count_if(list, is) > 1;
    };
    spans += many(p.headings, [](const Heading& h) { return !h.span.empty(); });
    avars += many(p.headings, [](const Heading& h) { return h.head.args.back() == "$s"; });
    guards += many(p.rules, [](const Rule& r) { return r.guards; });
    std::set<std::string> differ, each;
    for (const Rule& r : p.rules) {
      if (!r.each.empty()) each.insert(r.head.name);
      for (const Rule& other : p.rules)
        if (r.head.name == other.head.name && r.head.args.size() != other.head.args.size())
          differ.insert(r.head.name);
    }
    bool reads_differ = false, reads_each = false;
    for (const Rule& r : p.rules)
      ForEachAtom(r.tail, [&](const Atom& a, bool) {
        reads_differ |= differ.contains(a.name);
        reads_each |= each.contains(a.name);
      });
    captures += reads_differ;
    iterates += reads_each;
  }
  INFO(spans << " " << avars << " " << captures << " " << iterates << " " << guards);
  for (const int count : {spans, avars, captures, iterates, guards}) CHECK(count >= 25);
}

TEST_CASE("a protocol goes turn by turn as the naive reading says") {
  const std::uint32_t first = Setting("RPL_RANDOM_SEED", 1);
  const std::uint32_t count = Setting("RPL_RANDOM_PROGRAMS", 200);
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    const Protocol p = MakeProtocol(seed);
    if (Differs(p, seed).empty()) continue;
    const Protocol small = Shrunk(p, [&](const Protocol& q) { return !Differs(q, seed).empty(); });
    FAIL("RPL_RANDOM_SEED=" << seed << "\n" << small.Text() << Differs(small, seed));
  }
}

}  // namespace
}  // namespace rpl::protocol
