// SPDX-License-Identifier: Apache-2.0
//
// Random loop protocols, run with and without the resumption of tables (interp/eval/resumption.h):
// the same events, byte for byte, and the same log.
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "interp/testing/random_program.h"
#include "interp/testing/testing.h"
#include "runtime/record/journal.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

class LoopProtocol {
 public:
  explicit LoopProtocol(unsigned seed) : bits_(seed) {}

  int Below(int n) { return static_cast<int>(bits_() % static_cast<unsigned>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }

  // Relations r0 to r3 of one column and p0 to p2 of two, which rest on each other and on replies;
  // negated are only facts and relations of a lower number.
  std::string Program() {
    const int steps = 3 + Below(9);
    std::string out;
    if (Chance(30)) out += "# H - h(?n, ?x)\n\nSay.\n\n";
    headed_ = !out.empty();
    out += "```rpl\nr0(0)\n";
    for (int i = Below(5); i > 0; --i) out += "bad(" + Number(steps) + ")\n";
    for (int i = Below(5); i > 0; --i) out += "item(" + Number(steps) + ")\n";
    out += "item(1)\nbad(100)\n";
    const std::string limit = ", ?n < " + std::to_string(steps);
    if (Chance(70)) {
      out += "r0(?m) <- r0(?n)" + limit + Tests(0) + ", " + Tool() + ", ?m = ?n + 1\n";
    } else {
      out += "p0(?n, ?r) <- r0(?n)" + limit + ", " + Tool() + Tests(0) + "\n";
      out += "r0(?m) <- p0(?n, ?r)" + limit + ", ?m = ?n + 1" + Tests(0) + "\n";
    }
    for (int rules = 1 + Below(5); rules > 0; --rules) {
      const int r = Below(4);
      switch (Below(7)) {
        case 0:
          out +=
              R(r, "?m") + " <- " + R(Below(4), "?n") + limit + ", ?m = ?n + 1" + Tests(r) + "\n";
          break;
        case 1: out += R(r, "?n") + " <- " + P(Below(3), "?n, ?r") + Tests(r) + "\n"; break;
        case 2:
          out +=
              P(Below(3), "?n, ?r") + " <- " + R(Below(4), "?n") + ", " + Tool() + Tests(0) + "\n";
          break;
        case 3:
          out += P(Below(3), "?n, ?k") + " <- " + R(Below(4), "?n") + ", " + R(Below(4), "?k") +
                 ", ?k < ?n" + Tests(0) + "\n";
          break;
        case 4: out += R(r, "?n") + " <- item(?n)" + Tests(r) + "\n"; break;
        case 5:
          out += R(r, "?n") + " <- bad(?k), " + P(Below(3), "?k, ?n") + Tests(r) + "\n";
          break;
        default:
          out += "do(?n, ?r) <- " + Tool() + "\n" + R(r, "?m") + " <- " + R(Below(4), "?n") +
                 limit + ", do(?n, ?r), ?m = ?n + 1\n";
      }
    }
    // A row that a loop has passed finds what comes later, and then a call is due.
    const bool late = Chance(50);
    if (late) {
      const std::string finds[] = {"item(?n), ?k = 1", P(Below(3), "?k, ?n"), "item(?k), ?k > ?n",
                                   "do(?n, ?k)", "not item(?n), ?k = 1"};
      out += "do(?n, ?r) <- item(?n), $work(?n) ^ ~ {:result ?r}\n";
      for (int i = 1 + Below(2); i > 0; --i)
        out += "late(?n, ?k) <- " + R(Below(2), "?n") + ", " + finds[Below(5)] + Tests(0) +
               ", $check(?n, ?k) ^ ~ {:result ?r}\n";
      if (Chance(70)) return out + "%(?k) <- ?k = |late(_, _)|, ?k > 40\n```\n";
    }
    // Answers that come one after another, in any order, and are gathered in the order of the rows.
    if (Chance(40)) {
      const std::string heads[] = {"g([& ?r])", "g(#{& ?r})", "g([?n & ?r])"};
      for (int i = 1 + Below(2); i > 0; --i)
        out += heads[Below(3)] + " <- " + (Chance(60) ? "item(?n)" : R(Below(4), "?n")) + Tests(0) +
               ", " + Tool() + Tests(0) + "\n";
      if (Chance(70)) return out + "%(?g) <- g(?g)\n```\n";
    }
    if (Chance(40)) out += "all(?k) <- ?k = |" + R(0, "_") + "|\n";
    if (Chance(20)) out += "many([& ?n]) <- " + R(1, "?n") + "\n";
    if (Chance(30)) out += "%g(?n) <- " + R(Below(4), "?n") + Tests(4) + "\n";
    if (Chance(20)) out += R(Below(4), "?n") + ", ?n > " + Number(20) + " -> false\n";
    if (Chance(20)) out += R(Below(4), "?n") + " -> item(?n)\n";
    switch (Below(6)) {
      case 0: out += "% <- " + R(0, std::to_string(steps)) + "\n"; break;
      case 1:
        out += "%(?n) <- " + R(Below(4), "?n") + ", ?n >= " + std::to_string(steps - 1) + Tests(4) +
               "\n";
        break;
      case 2:
        out += "%(?k) <- ?k = |" + R(0, "_") + "|, ?k > " + std::to_string(steps) + "\n";
        break;
      case 3:
        out += "% <- " + R(1, "?n") + ", " + P(Below(3), "?n, ?k") + ", ?k > " + Number(steps) +
               Tests(4) + "\n";
        break;
      case 4: out += "%(?n) <- " + R(0, "?n") + ", item(?n), ?n > 2" + Tests(4) + "\n"; break;
      default: out += "%(?n, ?r) <- " + R(0, "?n") + ", " + Tool() + Tests(4) + ", ?n > 1\n";
    }
    return out + "```\n";
  }

  std::string Message() {
    switch (Below(6)) {
      case 0:
      case 5: return "item(" + Number(9) + ")\n";
      case 1: return "bad(" + Number(9) + ")\n";
      case 2: return "item(1) -> false\n";
      case 3: return "$work(" + Number(5) + ") -> false\n";
      default: return "%(?n) <- " + R(Below(4), "?n") + "\n";
    }
  }

 private:
  std::string Number(int below) { return std::to_string(Below(below)); }
  static std::string R(int r, const std::string& args) {
    return "r" + std::to_string(r) + "(" + args + ")";
  }
  static std::string P(int p, const std::string& args) {
    return "p" + std::to_string(p) + "(" + args + ")";
  }
  std::string Tool() {
    switch (Below(6)) {
      case 0: return "$work(?n) ^ ~ {:status :error}, ?r = 1";
      case 1: return "$check(?n, 1) ^ ~ {:result ?r}";
      case 2: return "?r = $ask(\"Q {?n}\")";
      default: return "$work(?n) ^ ~ {:result ?r}";
    }
  }
  // Clauses about ?n for a rule of r`below`.
  std::string Tests(int below) {
    std::string out;
    while (Chance(35)) {
      switch (Below(headed_ ? 9 : 8)) {
        case 0: out += ", not bad(?n)"; break;
        case 1: out += ", " + Tool(); break;
        case 2: out += ", (item(?n) | ?n > 1)"; break;
        case 3: out += below > 0 ? ", not " + R(Below(below), "?n") : ", not item(7)"; break;
        case 4: out += ", 0 < |item(_)|"; break;
        case 5: out += ", " + R(Below(4), "?n"); break;
        case 6: out += ", now > \"2026-01-01T00:00:09Z\""; break;
        case 7: out += ", item(?i) ^ ~ {:by ?by}"; break;
        default: out += ", h(?n, ?x)";
      }
    }
    return out;
  }

  std::mt19937 bits_;
  bool headed_ = false;
};

// Answers a call always alike: some fail, some are declined or left open for a while.
struct Answers : testing::Silent {
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view) override {
    if (request.name == "what-now") return {};
    const std::size_t hash = std::hash<std::string>()(request.id) ^ seed;
    if (hash % 7 == 0 && turn == 0) return {};
    if (request.kind != Request::Kind::kTool) {
      if (hash % 11 == 0) return {rpl::Answer::Kind::kDecline, kNone};
      const Value value = pool.Int(static_cast<int>(hash / 8 % 5));
      if (!request.row.empty()) return {rpl::Answer::Kind::kValue, pool.List({&value, 1})};
      return {rpl::Answer::Kind::kValue, value};
    }
    if (hash % 5 == 1) {
      const Value entries[] = {pool.Keyword("status"), pool.Keyword("error")};
      return {rpl::Answer::Kind::kMeta, pool.Map(entries)};
    }
    return {rpl::Answer::Kind::kValue, pool.Int(static_cast<int>(hash / 8 % 5))};
  }

  std::size_t seed = 0;
  int turn = 0;
};

// What happens, line by line: events, and log lines with their places.
std::vector<std::string> Happenings(const std::string& program,
                                    const std::vector<std::string>& messages, std::size_t seed,
                                    std::size_t long_loop, bool logs) {
  std::vector<std::string> out;
  Journal journal({}, {}, [&](const Event& event, bool) {
    out.push_back(std::string(EventName(event.kind)) + " " + event.body);
    return "";
  });
  Answers answers;
  answers.seed = seed;
  SessionOptions options;
  options.now = "2026-01-02T00:00:00Z";
  options.journal = &journal;
  options.long_loop = long_loop;
  options.limits.max_timesteps = 40;
  options.limits.max_rows = 5'000;
  options.limits.max_depth = 50 + seed % 3 * 100;
  if (logs)
    options.log = [&](const LogLine& line) {
      std::string text = "log " + std::to_string(static_cast<int>(line.verb)) + " " + line.text;
      if (line.place) text += " at " + std::to_string(line.place->begin);
      out.push_back(std::move(text));
    };
  Session session(answers, options);
  for (const Diagnostic& d : session.Load("p.md", program))
    if (d.severity == Severity::kError) return {"error " + d.message + d.hint};
  session.Run();
  for (const std::string& message : messages) {
    ++answers.turn;
    session.Say("m", message);
    session.Run();
  }
  return out;
}

TEST_CASE("tables that are resumed give the same events as tables that are answered again") {
  std::size_t events = 0;
  const std::uint32_t first = Setting("RPL_RANDOM_SEED", 0);
  const std::uint32_t count = Setting("RPL_RANDOM_PROGRAMS", 600 * Setting("RPL_RANDOM_TIMES", 1));
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    LoopProtocol random(seed);
    const std::string program = random.Program();
    std::vector<std::string> messages;
    while (random.Chance(70)) messages.push_back(random.Message());
    const bool logs = seed % 3 == 0;
    std::string said;
    for (const std::string& message : messages) said += message;
    INFO(seed << "\n" << program << said);
    const auto again = Happenings(program, messages, seed, SIZE_MAX, logs);
    events += again.size();
    INFO(again.front());
    CHECK(again.front().substr(0, 5) != "error");
    for (const std::size_t long_loop : {1, 4}) {
      const auto resumed = Happenings(program, messages, seed, long_loop, logs);
      const auto differ = std::mismatch(again.begin(), again.end(), resumed.begin(), resumed.end());
      if (differ.first != again.end() || differ.second != resumed.end()) {
        FAIL(long_loop << "\nagain:   " << (differ.first == again.end() ? "" : *differ.first)
                       << "\nresumed: " << (differ.second == resumed.end() ? "" : *differ.second));
      }
    }
  }
  CHECK(events > 30 * count);
}

TEST_CASE("behind a clause without a meaning no row of a loop is settled") {
  const std::string program =
      "```rpl\nr(0)\nitem(1)\nr(?n) <- item(?n), now > \"2026-01-01T00:00:09Z\"\n"
      "do(?n, ?r) <- $work(?n) ^ ~ {:result ?r}\n"
      "late(?n, ?k) <- r(?n), do(?n, ?k), $check(?n, ?k) ^ ~ {:result ?r}\n"
      "%(?k) <- ?k = |late(_, _)|, ?k > 40\n```\n";
  const auto again = Happenings(program, {}, 1261, SIZE_MAX, false);
  CHECK(again.back().find("undecided: `now > ") != std::string::npos);
  CHECK(Happenings(program, {}, 1261, 1, false) == again);
}

}  // namespace
}  // namespace rpl
