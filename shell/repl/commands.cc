// SPDX-License-Identifier: Apache-2.0
//
// The commands of the shell that begin with a dot.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "formats/spelling.h"
#include "grammar/document.h"
#include "grammar/namespaces.h"
#include "interp/eval/profile.h"
#include "interp/explain/explain_print.h"
#include "interp/program/builtin_tools.h"
#include "runtime/facts/facts_file.h"
#include "runtime/wire/standing_replies.h"
#include "shell/program/engine_setup.h"
#include "shell/program/known_names.h"
#include "shell/program/profile_report.h"
#include "shell/program/tool_setup.h"
#include "shell/repl/repl.h"
#include "shell/terminal/input.h"
#include "shell/terminal/limit_names.h"
#include "shell/terminal/prompt_text.h"
#include "shell/terminal/scripted_agent.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

constexpr std::size_t kWhyDepth = 64;    // levels of a proof
constexpr std::size_t kWhyNotDepth = 2;  // levels of rules examined

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
      {".help", "[TOPIC]", "these commands, or more about one", "  .help import\n", &Repl::Help},
      {".load", "FILE", "take a document in, or RELATION=FILE",
       "  .load trip.md\nA document that is loaded again replaces its text before.\n", &Repl::Load},
      {".import", "FILE RELATION", "take rows of CSV, TSV or NDJSON in",
       "  .import stock.csv stock\nThe columns are the arguments, in their order; docs/facts.md "
       "describes the files.\n",
       &Repl::Import},
      {".reload", "", "read the documents again", "Entries stay, and so do answers.\n",
       &Repl::Reload},
      {".undo", "", "take back the last entry that asserted something", "", &Repl::Undo},
      {".save", "FILE", "write what was entered, as a document",
       "  .save entered.md\n  .save entered.rpl\n", &Repl::Save},
      {".tables", "[TEXT]", "the relations, with arity, rows and rules",
       "  .tables\n  .tables leg        those with `leg` in their name\nRows are those that are "
       "stored; a rule that needs its caller has none.\n",
       &Repl::Tables},
      {".schema", "[REL]", "rules and constraints of the relations, or of one",
       "  .schema reachable\n  .schema leg/3\n", &Repl::Schema},
      {".facts", "[REL]", "the relations, or the facts of one",
       "  .facts leg\n.maxrows sets how many are shown.\n", &Repl::Facts},
      {".rules", "[REL]", "the rules, or those of one relation", "  .rules reachable\n",
       &Repl::Rules},
      {".goals", "", "the goals, and what they have given", "", &Repl::Goals},
      {".run", "", "pursue the goals",
       "Questions appear at the prompt; Ctrl-D leaves one open, .answer answers it later.\n",
       &Repl::Go},
      {".step", "[ENTRY]", "one timestep, phase by phase", "  .step leg(\"a\", \"b\", 1)\n",
       &Repl::Step},
      {".pending", "", "what the goal or query waits for", "", &Repl::Pending},
      {".answer", "KEY=VALUE", "answer it, and go on",
       "  .answer nights=3\nKEY is the name at the left of .pending.\n", &Repl::AnswerWith},
      {".why", "FACT", "why it holds", "  .why reachable(\"a\", \"c\")\n", &Repl::Why},
      {".whynot", "FACT", "why it does not", "  .whynot reachable(\"c\", \"a\")\n", &Repl::WhyNot},
      {".trace", "", "what has been established, in order", "", &Repl::Trace},
      {".phases", "on|off", "say what each phase does", "", &Repl::Phases},
      {".timer", "on|off", "say how long an entry takes", "", &Repl::Timer},
      {".limits", "[NAME VALUE]", "how far an evaluation may go, or set it",
       "  .limits rows 1000\n  .limits time 0     no limit\n", &Repl::Limits},
      {".profile", "", "what the last entry took its time for", "", &Repl::PrintProfile},
      {".mode", kAnswerFormNames, "how answers are printed",
       "table     columns, cut to the terminal\ntext      as rpl reply\njson      as rpl reply "
       "--format json\ncsv       all answers, for another program\nmarkdown  a table for a "
       "document\nline      a line for each value\n",
       &Repl::SetMode},
      {".maxrows", "N", "how many answers or facts are shown; 0: all",
       "Holds for tables, Markdown, lines and .facts; CSV, text and JSON have all answers.\n",
       &Repl::SetMaxRows},
      {".output", "[FILE]", "print to a file from now on, or again here",
       "  .mode csv\n  .output legs.csv\n  leg(?from, ?to, ?km)\n  .output\n", &Repl::SetOutput},
      {".quit", "", "leave, as Ctrl-D does", "", &Repl::Quit},
  };
  return commands;
}

namespace {

// What is no command.
struct HelpTopic {
  const char* name;
  const char* text;
};

constexpr HelpTopic kTopics[] = {
    {"entries",
     "edge(1, 2)                 asserts a fact; rules and constraints likewise\n"
     "edge(1, ?x), ?x > 2        asks, for all values of ?x\n"
     "edge(1, 2), true           asks whether it holds\n"
     "%far(?x) <- edge(1, ?x)    asks, as a goal form\n"
     "# Trip - %trip(?to) <- …   a heading begins Markdown; an empty line ends it\n"
     "edge(1, 2) -> false        takes the fact back; .undo takes the last entry back\n"},
    {"keys",
     "Enter      ends a complete entry, else starts a line; an empty line ends any entry\n"
     "Alt-Enter  starts a line\n"
     "Tab        completes commands and what they take, relations, goals, tools, variables\n"
     "Up, Down   earlier entries; Ctrl-R searches them\n"
     "Ctrl-C     cancels the entry, or the evaluation; Ctrl-D leaves\n"},
    {"questions",
     ".run asks at the prompt what the goals need. Ctrl-D leaves a question open; .pending lists\n"
     "what is open, .answer KEY=VALUE answers. `place(\"Lucca\") -> false` takes an answer "
     "back.\n"},
};

}  // namespace

// The completion for a word of what a command takes.
CompletionNames::Argument Repl::ArgumentOf(const std::string& takes) const {
  using Argument = CompletionNames::Argument;
  Argument out{Argument::Kind::kWords, {}};
  if (takes == "FILE") return {Argument::Kind::kFile, {}};
  if (takes == "FACT" || takes == "ENTRY") return {Argument::Kind::kEntry, {}};
  if (takes == "REL" || takes == "RELATION" || takes == "TEXT") {
    for (const std::string& known : KnownNames(session_.session()))
      if (!known.starts_with('$')) out.words.emplace_back(LabelOf(known));
  } else if (takes == "NAME") {
    for (const LimitName& limit : LimitNames()) out.words.emplace_back(limit.name);
  } else if (takes == "KEY=VALUE") {
    if (outcome_ && outcome_->status == Status::kWaiting)
      for (const OpenRequest& request : outcome_->pending) out.words.push_back(request->name + "=");
  } else if (takes == "TOPIC") {
    for (const Command& command : Commands()) out.words.emplace_back(command.name + 1);
    for (const HelpTopic& topic : kTopics) out.words.emplace_back(topic.name);
  } else if (takes.find('|') != takes.npos) {
    for (std::size_t at = 0; at < takes.size();) {
      const std::size_t end = std::min(takes.find('|', at), takes.size());
      out.words.push_back(takes.substr(at, end - at));
      at = end + 1;
    }
  }
  return out;
}

CompletionNames Repl::Names() const {
  CompletionNames names;
  for (const Command& command : Commands()) {
    CompletionNames::Command& to = names.commands.emplace_back();
    to.name = command.name;
    std::string takes = command.takes;
    std::erase_if(takes, [](char c) { return c == '[' || c == ']'; });
    for (std::size_t at = 0; at < takes.size();) {
      const std::size_t end = std::min(takes.find(' ', at), takes.size());
      to.arguments.push_back(ArgumentOf(takes.substr(at, end - at)));
      at = end + 1;
    }
  }
  for (const BuiltinTool& tool : kBuiltinTools)
    names.words.push_back("$" + std::string(tool.label) + "(");
  for (const std::string& known : KnownNames(session_.session())) {
    const bool has_arguments = known.find('/') != known.npos && !known.ends_with("/0");
    names.words.push_back(std::string(LabelOf(known)) + (has_arguments ? "(" : ""));
  }
  return names;
}

void Repl::HelpOn(const std::string& topic) {
  const std::string name = topic.starts_with('.') ? topic.substr(1) : topic;
  NearestName nearest(name);
  for (const Command& command : Commands()) {
    nearest.Offer(command.name + 1);
    if (name != command.name + 1) continue;
    std::cout << command.name << (*command.takes != '\0' ? " " : "") << command.takes << "\n"
              << command.help << "\n"
              << command.more << std::flush;
    return;
  }
  for (const HelpTopic& other : kTopics) {
    nearest.Offer(other.name);
    if (name == other.name) {
      std::cout << other.text << std::flush;
      return;
    }
  }
  Error(fmt::format("no help on `{}`{}", Printable(topic),
                    nearest.name().empty() ? "; .help lists the topics"
                                           : ", did you mean `" + nearest.name() + "`?"));
}

void Repl::Help(const std::string& argument) {
  if (!argument.empty()) return HelpOn(argument);
  std::cout << "edge(1, 2)                 asserts a fact; rules and constraints likewise\n"
               "edge(1, ?x)                asks, for all values of ?x\n"
               "%far(?x) <- edge(1, ?x)    asks, as a goal form\n"
               "# Trip - %trip(?to) <- …   a heading begins Markdown; an empty line ends it\n\n";
  for (const Command& command : Commands()) {
    const bool is_wide = std::string_view(command.takes).size() > 18;
    std::cout << fmt::format("{:<26} {}\n",
                             fmt::format("{} {}", command.name, is_wide ? "FORM" : command.takes),
                             command.help);
  }
  std::cout << "\n.help TOPIC says more: a command, entries, keys or questions\n" << std::flush;
}

// --- documents and entries ---------------------------------------------------------------

void Repl::Load(const std::string& argument) {
  if (FactsNameOf(argument)) return TakeFacts(argument);
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
    const std::size_t shown =
        most_rows_ == 0 ? relation.size() : std::min<std::size_t>(relation.size(), most_rows_);
    for (RowId row = 0; row < shown; ++row)
      std::cout << Printable(FactText(store, relation.id(), relation.Cells(row), kDerivationBytes))
                << (relation.asserted(row) ? "" : "  -- derived") << '\n';
    PrintRest(relation.size() - shown, "fact");
  }
  std::cout << std::flush;
  if (!known)
    Note(argument.empty() ? "no facts"
                          : "no facts of " + argument + "; .tables lists the relations");
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
  if (!known)
    Note(argument.empty() ? "no rules"
                          : "no rules of " + argument + "; .tables lists the relations");
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
  if (last.profile == nullptr || last.profile->rules().empty())
    return Note("no rule ran in the last entry");
  const Store* store = last.stands ? &session_.session().store() : nullptr;
  std::cout << ProfileText(*last.profile, last.sources, store, {true, 0, TerminalWidth()})
            << std::flush;
}

// --- goals -------------------------------------------------------------------------------

void Repl::Go(const std::string&) {
  if (!session_.session().HasGoals())
    return Error("no goals to run; .load FILE takes a document in");
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
  for (const OpenRequest& open : outcome_->pending) {
    std::cout << Printable(open->name) << "  " << (open->prompt.empty() ? "" : PromptFor(*open))
              << '\n';
    for (const Value option : open->choices())
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
  const bool known = explained.doubt == Status::kNothing;
  if (explained.why_not) {
    if (!known) Note("it is not known whether it holds: " + Printable(explained.reason));
    else if (!absent) Note("it does not hold:");
    std::cout << Printable(ExplanationText(*explained.why_not, sources)) << std::flush;
    return;
  }
  if (absent) Note("it holds:");
  for (const Explanation& proof : explained.why.proofs)
    std::cout << Printable(ExplanationText(proof, sources));
  PrintRest(explained.why.more, "fact");
  if (!known) Note("there may be more: " + Printable(explained.reason));
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
  const std::optional<AnswerForm> mode = AnswerFormOf(argument);
  if (!mode)
    return Error(fmt::format("expected .mode {}, got `{}`", kAnswerFormNames, Printable(argument)));
  mode_ = *mode;
  session_.SetAnswerForms(FormsOf(mode_));
}

void Repl::SetMaxRows(const std::string& argument) {
  std::size_t number = 0;
  const char* const end = argument.data() + argument.size();
  const auto read = std::from_chars(argument.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end)
    return Error(
        fmt::format("expected .maxrows N, a number, or 0 for all; got `{}`", Printable(argument)));
  most_rows_ = number;
}

// --- output ------------------------------------------------------------------------------

void Repl::CloseOutput() {
  if (!WritesFile()) return;
  std::cout.flush();
  const bool written = std::cout.good();
  std::cout.clear();
  std::cout.rdbuf(terminal_);
  output_.close();
  if (!written || output_.fail()) Error(output_name_ + ": cannot be written");
  else if (interactive_) Note(output_name_ + ": written");
}

void Repl::SetOutput(const std::string& argument) {
  CloseOutput();
  if (argument.empty()) return;
  std::error_code none;
  for (const ProgramFile& part : session_.parts())
    if (!ReplSession::IsEntry(part) && std::filesystem::equivalent(part.name, argument, none))
      return Error(argument + ": this is a document of the session, name another file");
  output_ = std::ofstream(argument, std::ios::binary | std::ios::trunc);
  if (!output_) {
    output_ = std::ofstream();
    return Error(argument + ": cannot be written");
  }
  output_name_ = argument;
  std::cout.flush();
  terminal_ = std::cout.rdbuf(output_.rdbuf());
  if (interactive_) Note(argument + ": takes what is printed; .output ends that");
}

}  // namespace rpl
