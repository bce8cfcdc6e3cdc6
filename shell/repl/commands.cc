// SPDX-License-Identifier: Apache-2.0
//
// The commands of the shell that begin with a dot.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "grammar/document.h"
#include "interp/store/store.h"
#include "runtime/facts/facts_file.h"
#include "runtime/wire/standing_replies.h"
#include "shell/program/engine_setup.h"
#include "shell/program/known_names.h"
#include "shell/program/tool_setup.h"
#include "shell/repl/answer_printer.h"
#include "shell/repl/command_help.h"
#include "shell/repl/line_reader.h"
#include "shell/repl/repl.h"
#include "shell/repl/session_views.h"
#include "shell/repl/step_log.h"
#include "shell/terminal/answer_script.h"
#include "shell/terminal/input.h"
#include "shell/terminal/limit_names.h"
#include "shell/terminal/prompt_text.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

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

std::string ModeNames() {
  std::string out;
  for (const NamedMode& mode : AnswerModes()) out += (out.empty() ? "" : "|") + mode.name;
  return out;
}

std::string ModeHelp() {
  std::string out;
  for (const NamedMode& mode : AnswerModes())
    out += fmt::format("{:<10}{}\n", mode.name, mode.help);
  return out;
}

// The rows of a relation, over all arities.
std::size_t RowsOf(const std::string& relation, const Store& store) {
  std::size_t rows = 0;
  for (RelationId id = 0; id < store.size(); ++id)
    if (IsListed(store, id) && store.at(id).name() == relation) rows += store.at(id).size();
  return rows;
}

}  // namespace

template <auto kShow>
void Repl::Show(Repl& shell, const std::string& argument) {
  ((*shell.views_).*kShow)(argument);
}

const std::vector<ReplCommand>& Repl::Commands() {
  static const std::string modes = ModeNames(), help = ModeHelp();
  static const std::vector<ReplCommand> commands = {
      {".help", "[TOPIC]", "these commands, or more about one", "  .help import\n",
       &Do<&Repl::Help>},
      {".load", "FILE", "take a document in, or RELATION=FILE",
       "  .load trip.md\nA document that is loaded again replaces its text before.\n",
       &Do<&Repl::Load>},
      {".import", "FILE RELATION", "take rows of CSV, TSV or NDJSON in",
       "  .import stock.csv stock\nThe columns are the arguments, in their order; docs/facts.md "
       "describes the files.\n",
       &Do<&Repl::Import>},
      {".reload", "", "read the documents again", "Entries stay, and so do answers.\n",
       &Do<&Repl::Reload>},
      {".undo", "", "take back the last entry that asserted something", "", &Do<&Repl::Undo>},
      {".save", "FILE", "write what was entered, as a document",
       "  .save entered.md\n  .save entered.rpl\n", &Do<&Repl::Save>},
      {".tables", "[TEXT]", "the relations, with arity, rows and rules",
       "  .tables\n  .tables leg        those with `leg` in their name\nRows are those that are "
       "stored; a rule that needs its caller has none.\n",
       &Show<&SessionViews::Tables>},
      {".schema", "[REL]", "rules and constraints of the relations, or of one",
       "  .schema reachable\n  .schema leg/3\n", &Show<&SessionViews::Schema>},
      {".facts", "[REL]", "the relations, or the facts of one",
       "  .facts leg\n.maxrows sets how many are shown.\n", &Show<&SessionViews::Facts>},
      {".rules", "[REL]", "the rules, or those of one relation", "  .rules reachable\n",
       &Show<&SessionViews::Rules>},
      {".goals", "", "the goals, and what they have given", "",
       [](Repl& shell, const std::string&) { shell.views_->Goals(); }},
      {".run", "", "pursue the goals",
       "Questions appear at the prompt; Ctrl-D leaves one open, .answer answers it later.\n",
       &Do<&Repl::Go>},
      {".step", "[ENTRY]", "one timestep, phase by phase", "  .step leg(\"a\", \"b\", 1)\n",
       &Do<&Repl::Step>},
      {".pending", "", "what the goal or query waits for", "", &Do<&Repl::Pending>},
      {".answer", "KEY=VALUE", "answer it, and go on",
       "  .answer nights=3\nKEY is the name at the left of .pending.\n", &Do<&Repl::AnswerWith>},
      {".why", "FACT", "why it holds", "  .why reachable(\"a\", \"c\")\n",
       &Show<&SessionViews::Why>},
      {".whynot", "FACT", "why it does not", "  .whynot reachable(\"c\", \"a\")\n",
       &Show<&SessionViews::WhyNot>},
      {".trace", "", "what has been established, in order", "",
       [](Repl& shell, const std::string&) { shell.views_->Trace(); }},
      {".phases", "on|off", "say what each phase does", "", &Do<&Repl::Phases>},
      {".timer", "on|off", "say how long an entry takes", "", &Do<&Repl::Timer>},
      {".limits", "[NAME VALUE]", "how far an evaluation may go, or set it",
       "  .limits rows 1000\n  .limits time 0     no limit\n", &Do<&Repl::Limits>},
      {".profile", "", "what the last entry took its time for", "",
       [](Repl& shell, const std::string&) { shell.views_->Profile(); }},
      {".mode", modes.c_str(), "how answers are printed", help.c_str(), &Do<&Repl::SetMode>},
      {".maxrows", "N", "how many answers or facts are shown; 0: all",
       "Holds for tables, Markdown, lines and .facts; CSV, text and JSON have all answers.\n",
       &Do<&Repl::SetMaxRows>},
      {".output", "[FILE]", "print to a file from now on, or again here",
       "  .mode csv\n  .output legs.csv\n  leg(?from, ?to, ?km)\n  .output\n",
       &Do<&Repl::SetOutput>},
      {".quit", "", "leave, as Ctrl-D does", "", &Do<&Repl::Quit>},
  };
  return commands;
}

void Repl::Help(const std::string& argument) { PrintHelp(argument, Commands(), console_); }

// --- documents and entries ---------------------------------------------------------------

void Repl::Load(const std::string& argument) {
  if (FactsNameOf(argument)) return TakeFacts(argument);
  if (PrintChange(session_.Load(argument), argument) && console_.interactive()) Greet(argument);
}

void Repl::Import(const std::string& argument) {
  const std::size_t blank = argument.find_last_of(" \t");
  if (blank == argument.npos) return console_.Error("expected .import FILE RELATION");
  const std::string file(argument.substr(0, argument.find_last_not_of(" \t", blank) + 1));
  const std::string relation = argument.substr(blank + 1);
  const std::string name = relation + "=" + file;
  if (!FactsNameOf(name))
    return console_.Error(
        fmt::format("expected a file of CSV, TSV or NDJSON and the name of a relation, got "
                    "`{}` and `{}`; .load takes a document in",
                    Printable(file), Printable(relation)));
  TakeFacts(name);
}

// Takes in a file of rows, and says how many rows came.
void Repl::TakeFacts(const std::string& name) {
  const FactsName facts = *FactsNameOf(name);
  const std::size_t before = RowsOf(facts.relation, session_.session().store());
  if (!PrintChange(session_.Load(name), facts.path)) return;
  const std::size_t after = RowsOf(facts.relation, session_.session().store());
  std::cout << fmt::format("{}: {} of {}, {} in all\n", Printable(facts.path),
                           Counted(after - std::min(before, after), "new row"),
                           Printable(facts.relation), after)
            << std::flush;
}

void Repl::Reload(const std::string&) {
  if (PrintChange(session_.Reload(), "the new text") && console_.interactive()) Greet("");
}

void Repl::Undo(const std::string&) {
  const std::string entry = session_.LastEntry();
  const std::optional<ReplSession::Change> change = session_.TakeBack();
  if (!change) return console_.Error("no entry has asserted anything");
  if (!PrintChange(*change, "the session without the entry") || !console_.interactive()) return;
  const std::string first = entry.substr(0, entry.find('\n'));
  console_.Note(
      fmt::format("taken back: {}{}", Printable(first), first.size() < entry.size() ? " …" : ""));
}

void Repl::Save(const std::string& argument) {
  std::vector<ProgramFile> entries = session_.parts();
  std::error_code none;
  for (const ProgramFile& part : entries)
    if (!ReplSession::IsEntry(part) && std::filesystem::equivalent(part.name, argument, none))
      return console_.Error(argument + ": this is a document of the session, name another file");
  std::erase_if(entries, [](const ProgramFile& part) { return !ReplSession::IsEntry(part); });
  std::string text;
  if (IsPlainRpl(argument)) {
    for (const ProgramFile& entry : entries) {
      if (!IsPlainRpl(entry.name))
        return console_.Error(entry.name + " has headings: expected a file in .md");
      text += WithLineEnd(entry.text);
    }
  } else {
    text = AsMarkdown(entries);
  }
  std::ofstream file(argument, std::ios::binary);
  if (!(file << text).flush()) return console_.Error(argument + ": cannot be written");
  console_.Note(
      fmt::format("{}: {} entr{}", argument, entries.size(), entries.size() == 1 ? "y" : "ies"));
}

void Repl::Quit(const std::string&) { over_ = true; }

// --- the state ---------------------------------------------------------------------------

void Repl::Limits(const std::string& argument) {
  if (!argument.empty()) {
    const std::string wrong = TakeNamedLimit(argument, limits_);
    if (!wrong.empty()) return console_.Error(wrong);
    session_.SetLimits(limits_);
    return;
  }
  for (const LimitName& limit : LimitNames())
    std::cout << fmt::format("{:<10} {:>12} {:<8} {}\n", limit.name, LimitText(limit, limits_),
                             limit.unit, limit.help);
  std::cout << std::flush;
}

// --- goals -------------------------------------------------------------------------------

void Repl::Go(const std::string&) {
  if (!session_.session().HasGoals())
    return console_.Error("no goals to run; .load FILE takes a document in");
  pursued_.reset();
  Pursue();
}

void Repl::Step(const std::string& argument) {
  step_log_->Begin();
  session_.SetLog([this](const LogLine& line) { step_log_->Print(line, *reader_); });
  if (argument.empty()) {
    pursued_.reset();
    outcome_ = session_.Step();
  } else {
    Enter(argument);
  }
  step_log_->End();
  session_.SetLog(nullptr);
  if (phases_) session_.SetLog([this](const LogLine& line) { step_log_->Print(line, *reader_); });
  if (argument.empty() && outcome_ && outcome_->status != Status::kNothing) Finish(*outcome_);
  else if (argument.empty() && !outcome_) console_.Note("there is more to do: .step or .run");
}

void Repl::Pending(const std::string&) {
  if (!outcome_ || outcome_->status != Status::kWaiting)
    return console_.Note("nothing is waited for");
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
  if (!answer)
    return console_.Error(fmt::format("expected KEY=VALUE, got `{}`", Printable(argument)));
  const std::string back = TakesBack(session_.session().Entries(), answer->label);
  script_->Add(std::move(*answer));
  if (outcome_ && outcome_->status == Status::kWaiting) return Pursue();
  console_.Note("nothing waits for it now; it is kept");
  if (!back.empty())
    console_.Note(fmt::format("help: `{}` takes the answer before back", Printable(back)));
}

// --- switches ----------------------------------------------------------------------------

void Repl::Switch(const char* command, const std::string& argument, bool& to) {
  if (argument != "on" && argument != "off")
    return console_.Error(
        fmt::format("expected {} on or {} off, got `{}`", command, command, Printable(argument)));
  to = argument == "on";
}

void Repl::Phases(const std::string& argument) {
  Switch(".phases", argument, phases_);
  session_.SetLog(phases_ ? [this](const LogLine& line) { step_log_->Print(line, *reader_); }
                          : LogSink());
}

void Repl::Timer(const std::string& argument) { Switch(".timer", argument, timer_); }

void Repl::SetMode(const std::string& argument) {
  const auto named = std::ranges::find(AnswerModes(), argument, &NamedMode::name);
  if (named == AnswerModes().end())
    return console_.Error(
        fmt::format("expected .mode {}, got `{}`", ModeNames(), Printable(argument)));
  answers_->SetMode(named->mode);
  session_.SetAnswerForms(answers_->Forms());
}

void Repl::SetMaxRows(const std::string& argument) {
  std::size_t number = 0;
  const char* const end = argument.data() + argument.size();
  const auto read = std::from_chars(argument.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end)
    return console_.Error(
        fmt::format("expected .maxrows N, a number, or 0 for all; got `{}`", Printable(argument)));
  answers_->SetMostRows(number);
}

void Repl::SetOutput(const std::string& argument) {
  console_.CloseOutput();
  if (argument.empty()) return;
  std::error_code none;
  for (const ProgramFile& part : session_.parts())
    if (!ReplSession::IsEntry(part) && std::filesystem::equivalent(part.name, argument, none))
      return console_.Error(argument + ": this is a document of the session, name another file");
  console_.OpenOutput(argument);
}

}  // namespace rpl
