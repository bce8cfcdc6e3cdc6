// SPDX-License-Identifier: Apache-2.0
//
// Who may state what, over parties, kinds of relations and entrances, next to decision 92 read
// naively.
#include "runtime/facts/door.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "interp/store/store.h"
#include "interp/store/value.h"
#include "interp/testing/testing.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

// Kinds of a relation `r/1`, with the documents that make it one.
enum class OfKind {
  kRules,
  kFacts,
  kOpened,  // facts, and a constraint that opens them to models
  kHeading,
  kGatedHeading,    // read as a person's
  kGuardedHeading,  // read by a guard
  kOpen,
  kGatedOpen,     // open, and read as a person's
  kGuardMore,     // open; one more row lets a call pass
  kGuardFewer,    // open; one fewer does
  kGuardedFacts,  // facts that a guard reads
  kGuardData,     // `end-user/1`, where there is a guard
  kLibrary,       // `std#r/1`
  kGoal,          // `%r`
};
constexpr OfKind kKinds[] = {OfKind::kRules,      OfKind::kFacts,        OfKind::kOpened,
                             OfKind::kHeading,    OfKind::kGatedHeading, OfKind::kGuardedHeading,
                             OfKind::kOpen,       OfKind::kGatedOpen,    OfKind::kGuardMore,
                             OfKind::kGuardFewer, OfKind::kGuardedFacts, OfKind::kGuardData,
                             OfKind::kLibrary,    OfKind::kGoal};

enum class Entrance {
  kDocument,
  kMessage,
  kMetadata,  // a message with metadata
  kAnswer,    // to the question of a heading
  kNamed,     // a source whose call names the relation
  kUnnamed,   // a source whose call does not
  kFactsFile,
  kTrace,     // of an earlier epoch
  kTakeBack,  // of a row that the party itself stated, where it may be stated at all
};
constexpr Entrance kEntrances[] = {Entrance::kDocument,  Entrance::kMessage, Entrance::kMetadata,
                                   Entrance::kAnswer,    Entrance::kNamed,   Entrance::kUnnamed,
                                   Entrance::kFactsFile, Entrance::kTrace,   Entrance::kTakeBack};
constexpr By kParties[] = {By::kProgram, By::kPerson, By::kHost, By::kModel, By::kTool, By::kFile};

const char* TextOf(OfKind kind) {
  switch (kind) {
    case OfKind::kRules: return "r(?x) <- base(?x)\n";
    case OfKind::kFacts: return "r(\"z\")\n";
    case OfKind::kOpened: return "r(\"z\")\nr(?x) ^ ~ {:by ?who} -> ?who in #{:model :program}\n";
    case OfKind::kHeading: return "# R - r(?x)\n\nWhich?\n\n# Seen - seen(?x) <- r(?x)\n";
    case OfKind::kGatedHeading:
      return "# R - r(?x)\n\nWhich?\n\n# Seen - seen(?x) <- r(?x) ^ ~ {:by :person}\n";
    case OfKind::kGuardedHeading:
      return "# R - r(?x)\n\nWhich?\n\n# No - $t(?x), not r(?x) -> false\n\n# Seen - seen(?x) <- "
             "r(?x)\n";
    case OfKind::kOpen: return "seen(?x) <- r(?x)\n";
    case OfKind::kGatedOpen: return "seen(?x) <- r(?x) ^ ~ {:by :person}\n";
    case OfKind::kGuardMore: return "$t(?x), not seen(?x) -> false\nseen(?x) <- r(?x)\n";
    case OfKind::kGuardFewer: return "$t(?x), seen(?x) -> false\nseen(?x) <- r(?x)\n";
    case OfKind::kGuardedFacts: return "r(\"z\")\n$t(?x), not r(?x) -> false\n";
    case OfKind::kGuardData: return "$t(?x), other(?x) -> false\n";
    case OfKind::kLibrary: return "seen(1)\n";
    case OfKind::kGoal: return "%r <- base(_)\n";
  }
  return "";
}

bool IsHeading(OfKind kind) {
  return kind == OfKind::kHeading || kind == OfKind::kGatedHeading ||
         kind == OfKind::kGuardedHeading;
}

std::string FactOf(OfKind kind) {
  if (kind == OfKind::kGuardData) return "end-user(\"a\")";
  if (kind == OfKind::kLibrary) return "std#r(\"a\")";
  if (kind == OfKind::kGoal) return "%r ^ true";
  return "r(\"a\")";
}

// Decision 92, as it is written.
bool Admitted(By by, OfKind kind, Entrance entrance) {
  using K = OfKind;
  const bool program = by == By::kProgram || entrance == Entrance::kDocument;
  if (entrance == Entrance::kFactsFile) return kind != K::kRules;
  const bool message = entrance == Entrance::kMessage || entrance == Entrance::kMetadata;
  if (program && message && kind == K::kGuardData) return false;
  if (program && entrance != Entrance::kNamed && entrance != Entrance::kUnnamed) return true;
  const bool untrusted = by == By::kModel || by == By::kTool || by == By::kFile;
  if (entrance == Entrance::kNamed || entrance == Entrance::kUnnamed) {
    switch (kind) {
      case K::kRules:
      case K::kOpened:  // to models alone
      case K::kGuardedFacts:
      case K::kGatedHeading:
      case K::kGuardData:
      case K::kLibrary:
      case K::kGoal: return false;
      case K::kFacts:
      case K::kGuardMore:
      case K::kGuardedHeading: return entrance == Entrance::kNamed;
      case K::kHeading:
      case K::kOpen:
      case K::kGatedOpen:
      case K::kGuardFewer: return true;
    }
  }
  const bool back = entrance == Entrance::kTakeBack;
  switch (kind) {
    case K::kRules:
    case K::kFacts:
    case K::kGuardedFacts:
    case K::kGuardData:
    case K::kLibrary:
    case K::kGoal: return false;
    case K::kOpened: return by == By::kModel;
    case K::kHeading:
    case K::kOpen:
    case K::kGatedOpen: return true;
    case K::kGatedHeading: return by == By::kPerson;
    case K::kGuardedHeading: return !untrusted;
    case K::kGuardMore: return !untrusted;
    case K::kGuardFewer: return !back || !untrusted;
  }
  return false;
}

class OneParty : public testing::Silent {
 public:
  By by = By::kHost;
  std::string source;
  std::string name;
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view refused) override {
    if (!refused.empty() || request.relation_asked() != "r") return {};
    return {rpl::Answer::Kind::kValue, pool.String("a"), 0, by};
  }
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override {
    std::vector<rpl::Answer> out(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i].tool == "index") {
        const Value hash[] = {pool.Keyword("hash"), pool.String("h")};
        out[i] = {rpl::Answer::Kind::kMeta, pool.Map(hash), 0, By::kTool};
        out[i].source = SourceText{name, source};
      }
    return out;
  }
};

bool Holds(Session& session, OfKind kind) {
  if (kind == OfKind::kGoal) return session.Say("q", "% <- %r\n").status == Status::kSatisfied;
  const Store& store = session.store();
  const char* const label = kind == OfKind::kGuardData ? "end-user"
                            : kind == OfKind::kLibrary ? "std#r"
                                                       : "r";
  const RelationId r = store.Find(Space::kRelation, label, 1);
  if (r == kNoId) return false;
  const Value row[] = {session.pool().String("a")};
  const RowId at = store.at(r).Find(row);
  return at != kNoId && store.at(r).asserted(at);
}

// Whether the row is there after it was said; of kTakeBack, whether it is gone.
bool Tried(By by, OfKind kind, Entrance entrance) {
  OneParty agent;
  agent.by = by;
  SessionOptions options;
  options.now = "2026-01-02T00:00:00Z";
  Session session(agent, options);
  const std::string name = IsHeading(kind) ? "p.md" : "p.rpl";
  const std::string text = TextOf(kind);
  const std::string said = FactOf(kind);
  session.Load(name, text);
  switch (entrance) {
    case Entrance::kDocument:
      session.Load("more.rpl", said + "\n");
      session.Say("m", "");
      break;
    case Entrance::kMessage:
      session.Say("m", said + (kind == OfKind::kGoal ? "\n-- \n" : " -> true\n"), by);
      break;
    case Entrance::kMetadata:
      session.Say(
          "m", said + (kind == OfKind::kGoal ? "\n-- \n" : " ^ ~ {:source \"s\"} -> true\n"), by);
      break;
    case Entrance::kAnswer: session.Say("q", "%seen(?x) <- seen(?x)\n"); break;
    case Entrance::kNamed:
    case Entrance::kUnnamed: {
      const std::string label = said.substr(0, said.find('('));
      agent.name = "x.json";
      agent.source = "{\"" + label + "\": [[\"a\"]]}";
      const bool named = entrance == Entrance::kNamed;
      session.Load("s.rpl",
                   named ? "$index(\"x.json\", \"" + label + "\")\n" : "$index(\"x.json\")\n");
      session.Run();
      session.Say("m", "");
      break;
    }
    case Entrance::kFactsFile:
      session.Load("r=f.csv", "\"x\"\n\"a\"\n");
      session.Say("m", "");
      break;
    case Entrance::kTrace:
      session.LoadTrace("trace.rpl",
                        {said + (kind == OfKind::kGoal ? "\n-- \n" : " -> true\n"), {by}});
      session.Say("m", "");
      break;
    case Entrance::kTakeBack: {
      // It comes by a trace of a session that had no door.
      SessionOptions before = options;
      before.door = false;
      Session open(agent, before);
      open.Load(name, text);
      open.LoadTrace("trace.rpl", {said + " -> true\n", {by}});
      open.Say("m", "");
      if (!Holds(open, kind)) return false;
      open.Say("m", said + " -> false\n", by);
      return !Holds(open, kind);
    }
  }
  return Holds(session, kind);
}

// Cells that the table does not have: what cannot be written at that entrance.
bool Exists(By by, OfKind kind, Entrance entrance) {
  switch (entrance) {
    case Entrance::kDocument:
    case Entrance::kFactsFile:
      return by == By::kProgram && kind != OfKind::kGuardData && kind != OfKind::kLibrary &&
             kind != OfKind::kGoal;
    case Entrance::kNamed:
    case Entrance::kUnnamed: return by == By::kFile && kind != OfKind::kGoal;
    case Entrance::kAnswer: return IsHeading(kind) && by != By::kProgram;
    case Entrance::kTakeBack:  // of what it may state
      return kind != OfKind::kGoal && kind != OfKind::kLibrary && kind != OfKind::kGuardData &&
             Admitted(by, kind, Entrance::kMessage);
    case Entrance::kTrace: return kind != OfKind::kGoal;  // a record of the engine
    case Entrance::kMessage:
    case Entrance::kMetadata: return true;
  }
  return true;
}

TEST_CASE("who may state what, over parties, kinds and entrances") {
  std::size_t cells = 0;
  for (const By by : kParties)
    for (const OfKind kind : kKinds)
      for (const Entrance entrance : kEntrances) {
        if (!Exists(by, kind, entrance)) continue;
        ++cells;
        INFO(NameOf(by) << " says " << FactOf(kind) << " by entrance " << static_cast<int>(entrance)
                        << " over\n"
                        << TextOf(kind));
        CHECK(Tried(by, kind, entrance) == Admitted(by, kind, entrance));
      }
  CHECK(cells > 250);
}

}  // namespace
}  // namespace rpl
