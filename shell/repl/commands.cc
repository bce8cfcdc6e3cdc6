// SPDX-License-Identifier: Apache-2.0
//
// The commands of the shell that begin with a dot.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "grammar/document.h"
#include "grammar/namespaces.h"
#include "interp/explain/explain_print.h"
#include "interp/lint/builtin_tools.h"
#include "runtime/facts_file.h"
#include "shell/host/engine_setup.h"
#include "shell/host/input.h"
#include "shell/host/known_names.h"
#include "shell/host/limit_names.h"
#include "shell/host/profile_report.h"
#include "shell/host/scripted_agent.h"
#include "shell/host/text_width.h"
#include "shell/host/tool_setup.h"
#include "shell/repl/repl.h"

namespace rpl {
namespace {

constexpr std::size_t kShownFacts = 40;  // facts of a relation
constexpr std::size_t kWhyDepth = 64;    // levels of a proof
constexpr std::size_t kWhyNotDepth = 2;  // levels of rules examined
constexpr const char* kModes[] = {"table", "text", "json"};

std::size_t AssertedRows(const Relation& relation) {
  std::size_t count = 0;
  for (RowId row = 0; row < relation.size(); ++row) count += relation.asserted(row) ? 1 : 0;
  return count;
}

// A text in an `rpl` fence.
std::string Fenced(const std::string& rpl) { return "```rpl\n" + rpl + "```\n"; }

std::string WithLineEnd(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text + '\n';
}

// Entries as one Markdown document: adjacent plain entries share a fence, and a Markdown entry is
// followed by the returns from its headings.
std::string AsMarkdown(const std::vector<ProgramFile>& entries) {
  std::string out, fence;
  const auto close = [&] {
    if (!fence.empty()) out += (out.empty() ? "" : "\n") + Fenced(std::exchange(fence, ""));
  };
  for (const ProgramFile& entry : entries) {
    if (IsPlainRpl(entry.name)) {
      fence += WithLineEnd(entry.text);
      continue;
    }
    close();
    out += (out.empty() ? "" : "\n") + WithLineEnd(entry.text);
    for (int i = OpenHeadings(entry.text); i > 0; --i) out += "\n--\n";
  }
  close();
  return out;
}

}  // namespace

const std::vector<Repl::Command>& Repl::Commands() {
  static const std::vector<Command> commands = {
      {".help", "", "these commands", &Repl::Help},
      {".load", "FILE", "take a document in, or RELATION=FILE", &Repl::Load},
      {".reload", "", "read the documents again", &Repl::Reload},
      {".undo", "", "take back the last entry that asserted something", &Repl::Undo},
      {".save", "FILE", "write what was entered, as a document", &Repl::Save},
      {".facts", "[REL]", "the relations, or the facts of one", &Repl::Facts},
      {".rules", "[REL]", "the rules, or those of one relation", &Repl::Rules},
      {".goals", "", "the goals, and what they have given", &Repl::Goals},
      {".run", "", "pursue the goals", &Repl::Go},
      {".step", "[ENTRY]", "one timestep, phase by phase", &Repl::Step},
      {".pending", "", "what the goal or query waits for", &Repl::Pending},
      {".answer", "KEY=VALUE", "answer it, and go on", &Repl::AnswerWith},
      {".why", "FACT", "why it holds", &Repl::Why},
      {".whynot", "FACT", "why it does not", &Repl::WhyNot},
      {".trace", "", "what has been established, in order", &Repl::Trace},
      {".phases", "on|off", "say what each phase does", &Repl::Phases},
      {".timer", "on|off", "say how long an entry takes", &Repl::Timer},
      {".limits", "[NAME VALUE]", "how far an evaluation may go, or set it", &Repl::Limits},
      {".profile", "", "what the last entry took its time for", &Repl::PrintProfile},
      {".mode", "table|text|json", "how answers are printed", &Repl::SetMode},
      {".quit", "", "leave, as Ctrl-D does", &Repl::Quit},
  };
  return commands;
}

CompletionNames Repl::Names() const {
  CompletionNames names;
  for (const Command& command : Commands()) names.commands.emplace_back(command.name);
  names.of_files = {".load", ".save"};
  for (const BuiltinTool& tool : kBuiltinTools)
    names.words.push_back("$" + std::string(tool.label));
  for (const std::string& known : KnownNames(session_.session()))
    names.words.emplace_back(LabelOf(known));
  return names;
}

void Repl::Help(const std::string&) {
  std::cout << "edge(1, 2)                 asserts a fact; rules and constraints likewise\n"
               "edge(1, ?x)                asks, for all values of ?x\n"
               "%far(?x) <- edge(1, ?x)    asks, as a goal form\n"
               "# Trip - %trip(?to) <- …   a heading begins Markdown; an empty line ends it\n\n";
  for (const Command& command : Commands())
    std::cout << fmt::format("{:<26} {}\n", fmt::format("{} {}", command.name, command.takes),
                             command.help);
  std::cout << std::flush;
}

// --- documents and entries ---------------------------------------------------------------

void Repl::Load(const std::string& argument) {
  if (PrintChange(session_.Load(argument), argument) && interactive_) Greet(argument);
}

void Repl::Reload(const std::string&) {
  if (PrintChange(session_.Reload(), "the new text") && interactive_) Greet("");
}

void Repl::Undo(const std::string&) {
  const std::string entry = session_.LastEntry();
  const std::optional<ReplSession::Change> change = session_.TakeBack();
  if (!change) return Error("no entry has asserted anything");
  if (!PrintChange(*change, "the session without the entry") || !interactive_) return;
  const std::string first = entry.substr(0, entry.find('\n'));
  Note(fmt::format("taken back: {}{}", Printable(first), first.size() < entry.size() ? " …" : ""));
}

void Repl::Save(const std::string& argument) {
  std::vector<ProgramFile> entries = session_.parts();
  std::error_code none;
  for (const ProgramFile& part : entries)
    if (!ReplSession::IsEntry(part) && std::filesystem::equivalent(part.name, argument, none))
      return Error(argument + ": this is a document of the session, name another file");
  std::erase_if(entries, [](const ProgramFile& part) { return !ReplSession::IsEntry(part); });
  std::string text;
  if (IsPlainRpl(argument)) {
    for (const ProgramFile& entry : entries) {
      if (!IsPlainRpl(entry.name))
        return Error(entry.name + " has headings: expected a file in .md");
      text += WithLineEnd(entry.text);
    }
  } else {
    text = AsMarkdown(entries);
  }
  std::ofstream file(argument, std::ios::binary);
  if (!(file << text).flush()) return Error(argument + ": cannot be written");
  Note(fmt::format("{}: {} entr{}", argument, entries.size(), entries.size() == 1 ? "y" : "ies"));
}

void Repl::Quit(const std::string&) { over_ = true; }

// --- the state ---------------------------------------------------------------------------

void Repl::Facts(const std::string& argument) {
  const Store& store = session_.session().store();
  bool known = false;
  for (RelationId id = 0; id < store.size(); ++id) {
    const Relation& relation = store.at(id);
    if (!IsListed(store, id)) continue;
    const std::string name = fmt::format("{}/{}", relation.name(), relation.arity());
    if (argument.empty()) {
      const std::size_t asserted = AssertedRows(relation);
      std::cout << fmt::format("{:<24} {:>10} asserted {:>10} derived\n", Printable(name), asserted,
                               relation.size() - asserted);
      known = true;
      continue;
    }
    if (relation.name() != LabelOf(argument)) continue;
    if (argument.find('/') != argument.npos && argument != name) continue;
    known = true;
    for (RowId row = 0; row < std::min<std::size_t>(relation.size(), kShownFacts); ++row)
      std::cout << Printable(FactText(store, relation.id(), relation.Cells(row), kDerivationBytes))
                << (relation.asserted(row) ? "" : "  -- derived") << '\n';
    PrintRest(relation.size() - std::min<std::size_t>(relation.size(), kShownFacts), "fact");
  }
  std::cout << std::flush;
  if (!known) Note(argument.empty() ? "no facts" : "no facts of " + argument);
}

// Those of the library (std/std.md) by name only.
void Repl::Rules(const std::string& argument) {
  bool known = false;
  for (const std::string& rule : session_.session().Rules()) {
    if (argument.empty() ? rule.starts_with(std::string(kLibrary) + "#")
                         : LabelOf(rule) != LabelOf(argument))
      continue;
    known = true;
    std::cout << Printable(rule) << '\n';
  }
  std::cout << std::flush;
  if (!known) Note(argument.empty() ? "no rules" : "no rules of " + argument);
}

void Repl::Goals(const std::string&) {
  bool known = false;
  for (const std::string& rule : session_.session().Rules()) {
    if (!rule.starts_with('%')) continue;
    known = true;
    std::cout << Printable(rule) << '\n';
  }
  for (const TraceEntry& entry : session_.session().Entries())
    if (entry.kind == TraceEntry::Kind::kGoal) std::cout << Printable(entry.text) << '\n';
  std::cout << std::flush;
  if (!known) Note("no goals");
}

void Repl::Trace(const std::string&) {
  for (const TraceEntry& entry : session_.session().Entries())
    std::cout << TraceLine(entry) << '\n';
  std::cout << std::flush;
  if (session_.session().Entries().empty()) Note("nothing has been established yet");
}

void Repl::Limits(const std::string& argument) {
  if (!argument.empty()) {
    const std::string wrong = TakeNamedLimit(argument, limits_);
    if (!wrong.empty()) return Error(wrong);
    session_.SetLimits(limits_);
    return;
  }
  for (const LimitName& limit : LimitNames())
    std::cout << fmt::format("{:<10} {:>12} {:<8} {}\n", limit.name, LimitText(limit, limits_),
                             limit.unit, limit.help);
  std::cout << std::flush;
}

void Repl::PrintProfile(const std::string&) {
  const ReplSession::Profiled& last = session_.profiled();
  if (last.profile.rules().empty()) return Note("no rule ran in the last entry");
  const Store* store = last.stands ? &session_.session().store() : nullptr;
  std::cout << ProfileText(last.profile, last.sources, store, {true, 0, TerminalWidth()})
            << std::flush;
}

// --- goals -------------------------------------------------------------------------------

void Repl::Go(const std::string&) {
  if (!session_.session().HasGoals()) return Error("no goals to run");
  pursued_.reset();
  Pursue();
}

void Repl::Step(const std::string& argument) {
  stepping_ = Stepping::kPauses;
  phase_.reset();
  session_.SetLog([this](const LogLine& line) { Log(line); });
  if (argument.empty()) {
    pursued_.reset();
    outcome_ = session_.Step();
  } else {
    Enter(argument);
  }
  stepping_ = Stepping::kNo;
  session_.SetLog(nullptr);
  if (phases_) session_.SetLog([this](const LogLine& line) { Log(line); });
  if (argument.empty() && outcome_ && outcome_->status != Status::kNothing) Finish(*outcome_);
  else if (argument.empty() && !outcome_) Note("there is more to do: .step or .run");
}

void Repl::Pending(const std::string&) {
  if (!outcome_ || outcome_->status != Status::kWaiting) return Note("nothing is waited for");
  for (const Request& request : outcome_->pending) {
    std::cout << Printable(request.name) << "  " << Printable(request.prompt) << '\n';
    for (const Value option : request.options)
      std::cout << "  - " << Printable(PlainText(session_.session().store().pool(), option))
                << '\n';
  }
  std::cout << std::flush;
}

void Repl::AnswerWith(const std::string& argument) {
  std::optional<ScriptedAnswer> answer = AnswerFromOption(argument);
  if (!answer) return Error(fmt::format("expected KEY=VALUE, got `{}`", Printable(argument)));
  const std::string back = TakesBack(session_.session().Entries(), answer->label);
  scripted_->Add(std::move(*answer));
  if (outcome_ && outcome_->status == Status::kWaiting) return Pursue();
  Note("nothing waits for it now; it is kept");
  if (!back.empty()) Note(fmt::format("help: `{}` takes the answer before back", Printable(back)));
}

// --- explanations ------------------------------------------------------------------------

void Repl::PrintExplained(const std::string& fact, bool absent) {
  const Explained explained = session_.session().Explain(fact, {10, kWhyDepth}, kWhyNotDepth);
  const Sources& sources = session_.session().sources();
  if (Interrupted()) return Note("cancelled");
  if (explained.rejected) {
    std::ostringstream findings;
    PrintDiagnostics(explained.diagnostics, sources, findings);
    Coloured(findings.str());
    failed_ = true;
    return;
  }
  if (explained.why_not) {
    if (!absent) Note("it does not hold:");
    std::cout << Printable(ExplanationText(*explained.why_not, sources)) << std::flush;
    return;
  }
  if (absent) Note("it holds:");
  for (const Explanation& proof : explained.why.proofs)
    std::cout << Printable(ExplanationText(proof, sources));
  PrintRest(explained.why.more, "fact");
}

void Repl::Why(const std::string& argument) { PrintExplained(argument, false); }

void Repl::WhyNot(const std::string& argument) { PrintExplained(argument, true); }

// --- switches ----------------------------------------------------------------------------

void Repl::Switch(const char* command, const std::string& argument, bool& to) {
  if (argument != "on" && argument != "off")
    return Error(
        fmt::format("expected {} on or {} off, got `{}`", command, command, Printable(argument)));
  to = argument == "on";
}

void Repl::Phases(const std::string& argument) {
  Switch(".phases", argument, phases_);
  session_.SetLog(phases_ ? [this](const LogLine& line) { Log(line); } : LogSink());
}

void Repl::Timer(const std::string& argument) { Switch(".timer", argument, timer_); }

void Repl::SetMode(const std::string& argument) {
  const auto mode = std::find(std::begin(kModes), std::end(kModes), argument);
  if (mode == std::end(kModes))
    return Error(
        fmt::format("expected .mode {}, got `{}`", fmt::join(kModes, "|"), Printable(argument)));
  mode_ = static_cast<Mode>(mode - std::begin(kModes));
  session_.SetAnswerForms(FormsOf(mode_));
}

}  // namespace rpl
