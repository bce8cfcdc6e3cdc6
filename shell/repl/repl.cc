// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/repl.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "formats/character.h"
#include "formats/spelling.h"
#include "grammar/document.h"
#include "runtime/facts/facts_file.h"
#include "runtime/ports.h"
#include "runtime/postgres/open_session.h"
#include "runtime/wire/outcome_json.h"
#include "shell/program/engine_setup.h"
#include "shell/program/guard_setup.h"
#include "shell/program/known_names.h"
#include "shell/program/program_files.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/progress.h"
#include "shell/terminal/report.h"
#include "shell/terminal/scripted_agent.h"
#include "shell/terminal/terminal_agent.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

constexpr int kPatience = 9;  // number of Ctrl-C during an evaluation before the process ends

// "3 answers", "1 answer".
std::size_t Conjuncts(const Node& tail) {
  const auto* all = Ungroup(tail).As<Conjunction>();
  return all != nullptr ? all->clauses.size() : 1;
}

bool MentionsLvar(const Node& node) {
  bool found = node.As<Lvar>() != nullptr;
  ForEachChild(node, [&](const Node& child) { found = found || MentionsLvar(child); });
  return found;
}

// A retraction: `fact(1) -> false`, or with `^^ {…}` (§12.4).
bool TakesBack(const Rule& rule) {
  const auto* truth = rule.constraints.front().As<Boolean>();
  if (truth == nullptr || truth->value || !rule.heads.empty()) return false;
  const auto* annotated = rule.tail.front().As<Annotated>();
  return !MentionsLvar(rule.tail.front()) ||
         (annotated != nullptr && annotated->form.front().As<Call>() != nullptr);
}

// A summary of a document or an entry: "2 facts, 1 rule".
std::string Contents(const std::string& name, const std::string& text) {
  Sources sources;
  Diagnostics ignored;
  const Document document =
      ReadDocument(sources, sources.Add(name, text), ignored, FactForm::kPlain);
  std::size_t facts = document.facts.facts.size(), rules = 0, goals = 0, constraints = 0,
              retractions = 0;
  const auto count = [&](const Rule& rule) {
    const auto* head = rule.heads.empty() ? nullptr : rule.heads.front().As<Call>();
    if (!rule.constraints.empty()) ++(TakesBack(rule) ? retractions : constraints);
    else if (rule.heads.empty()) facts += Conjuncts(rule.tail.front());
    else if (head != nullptr && head->ns == Namespace::kGoal) ++goals;
    else ++rules;
  };
  for (const PlacedSentence& placed : document.sentences) count(placed.sentence.rule);
  for (const Scope& scope : document.scopes)
    if (scope.signature) count(scope.signature->rule);
  std::string out;
  for (const auto& [number, what] :
       {std::pair(facts, "fact"), std::pair(rules, "rule"), std::pair(goals, "goal rule"),
        std::pair(constraints, "constraint"), std::pair(retractions, "retraction")})
    if (number > 0) out += (out.empty() ? "" : ", ") + Counted(number, what);
  return out.empty() ? "no RPL" : out;
}

}  // namespace

Repl::Repl(const ReplOptions& options)
    : options_(options),
      colours_(ColoursFor(options.colour)),
      interactive_(IsInteractive()),
      by_(interactive_ ? By::kPerson : By::kHost),
      tools_(new ToolSetup(options.engine, true, *this)),
      scripted_(std::make_unique<ScriptedAgent>(tools_->people(), tools_->tools(), std::cerr)),
      limits_(options.engine.limits),
      session_({*scripted_, *scripted_, tools_->access(), *this},
               SessionOptionsFor(options.engine)),
      history_(interactive_ ? HistoryPath() : ""),
      mode_(options.engine.json ? AnswerForm::kJson : AnswerForm::kTable),
      phases_(options.engine.log_phases) {
  session_.SetAnswerForms(FormsOf(mode_));
}

Repl::~Repl() { CloseOutput(); }

// --- a person answers --------------------------------------------------------------------

rpl::Answer Repl::Ask(const Question& question, Pool& pool, std::string_view refused) {
  if (Interrupted()) return {};
  const auto read = [this]() -> std::optional<std::string> {
    LineReader::Line line = reader_->Answer("? ");
    if (line.end == LineReader::End::kText) return std::move(line.text);
    return std::nullopt;
  };
  return TerminalAgent(read, "", by_, std::cout, std::cerr).Ask(question, pool, refused);
}

void Repl::Chat(const std::string& line) { std::cout << Printable(line) << std::endl; }

// --- the loop ----------------------------------------------------------------------------

ExitCode Repl::OpenStore(std::unique_ptr<SessionStore>& to) {
  if (options_.session.empty()) return kExitOk;
  SessionStore::Opened opened =
      OpenSession(options_.session, SessionStore::Mode::kContinue, Interrupted);
  if (opened.store != nullptr && !opened.store->damage().empty()) {
    opened.error = "the session is damaged: " + opened.store->damage();
    opened.store.reset();
  }
  if (opened.store == nullptr) {
    Complain(options_.session, opened.error, opened.hint);
    return kExitFile;
  }
  to = std::move(opened.store);
  return kExitOk;
}

ExitCode Repl::SetUpTools(const std::optional<ProgramEvent>& last) {
  std::vector<std::string> documents = options_.files;
  GuardOptions guard;
  if (last) {
    if (documents.empty())
      for (const ProgramFile& file : last->files)
        if (!ReplSession::IsEntry(file) && !FactsNameOf(file.name) &&
            IsInTree(options_.session, file.name))
          documents.push_back(file.name);
    guard = GuardOptionsFrom(last->guard);
    if (const ExitCode code = StaysInTree(options_.session, guard); code != kExitOk) return code;
  }
  ExitCode code = tools_->Prepare(documents);
  if (code != kExitOk) return code;
  gate_ = MakeGateSetup(guard, *tools_, code);
  session_.SetGate(gate_.get());
  return code;
}

ExitCode Repl::Begin() {
  std::vector<ProgramFile> documents;
  if (const ExitCode code = ReadFactsFiles(options_.engine, documents); code != kExitOk)
    return code;
  if (const ExitCode code = ReadProgram(options_.files, documents); code != kExitOk) return code;
  std::unique_ptr<SessionStore> store;
  if (const ExitCode code = OpenStore(store); code != kExitOk) return code;
  const auto last = store != nullptr ? LastProgram(store->events()) : std::nullopt;
  if (const ExitCode code = SetUpTools(last); code != kExitOk) return code;
  if (const ExitCode code = AddAnswers(options_.engine, *scripted_); code != kExitOk) return code;
  const LineSupport support = {IsComplete, [this](std::string_view text, std::size_t cursor) {
                                 return Complete(text, cursor, Names());
                               }};
  reader_ = MakeLineReader(support, history_.Load(), colours_.out);
  ReplSession::Change change;
  if (store == nullptr) {
    change = session_.Begin(documents);
  } else {
    change = session_.Resume(std::move(store), documents);
    if (!session_.Broken().empty()) {
      Complain(options_.session, session_.Broken());
      return kExitFile;
    }
  }
  if (phases_) session_.SetLog([this](const LogLine& line) { Log(line); });
  std::ostringstream findings;
  PrintDiagnostics(change.findings, change.sources, findings);
  Coloured(findings.str());
  if (!interactive_ && HasErrors(change.findings)) return kExitInvalid;
  if (!change.taken) {
    Error("the documents were not taken in");
    if (!change.outcome.reason.empty()) std::cerr << Printable(change.outcome.reason) << '\n';
    if (!interactive_) return ExitCodeOf(change.outcome.status);
  }
  if (!change.error.empty()) Note(change.error);
  if (change.outcome.status == Status::kFailed) Alarm(Printable(change.outcome.reason));
  return kExitOk;
}

// Prints what the session contains; with `document`, only that document.
void Repl::Greet(const std::string& document) const {
  for (const ProgramFile& part : session_.parts()) {
    if (ReplSession::IsEntry(part) || (!document.empty() && part.name != document)) continue;
    Note(fmt::format("{}: {}", Printable(part.name),
                     FactsNameOf(part.name) ? "facts" : Contents(part.name, part.text)));
  }
  if (!document.empty()) return;
  const auto entries =
      std::count_if(session_.parts().begin(), session_.parts().end(), ReplSession::IsEntry);
  if (entries > 0) Note(fmt::format("{} entr{} before", entries, entries == 1 ? "y" : "ies"));
}

int Repl::Run() {
  if (const ExitCode code = Begin(); code != kExitOk) return code;
  if (interactive_) {
    CatchInterrupt(kPatience);
    std::cout << "rpl " RPL_VERSION ", .help for commands, Ctrl-D to leave\n";
    Greet("");
  }
  bool hinted = false;
  while (!over_) {
    const LineReader::Line line = reader_->Entry("rpl> ");
    if (line.end == LineReader::End::kOver) break;
    if (line.end == LineReader::End::kCancelled) {
      if (!std::exchange(hinted, true)) Note("cancelled; Ctrl-D leaves");
      continue;
    }
    if (Trimmed(line.text).empty()) continue;
    reader_->Remember(line.text);
    history_.Append(line.text);
    Enter(line.text);
    if (!interactive_ && Interrupted()) return kExitInterrupted;
    ClearInterrupt();
    if (const std::string broken = session_.Broken(); !broken.empty()) {
      Complain(options_.session, broken);
      return kExitFile;
    }
  }
  CloseOutput();
  if (const ExitCode code = ReportAnswers(*scripted_); code != kExitOk) return code;
  return failed_ && !interactive_ ? kExitInvalid : kExitOk;
}

void Repl::Enter(const std::string& text) {
  const std::string word(Trimmed(text));
  if (word == "help" || word == "quit" || word == "exit")
    return RunCommand(word == "help" ? ".help" : ".quit");
  Entry entry = ReadEntry(text, session_.NextEntry());
  if (entry.kind == Entry::Kind::kCommand) return RunCommand(entry.text);
  Say(std::move(entry));
}

void Repl::RunCommand(const std::string& text) {
  const std::size_t blank = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string name = text.substr(0, blank);
  const std::string argument(Trimmed(std::string_view(text).substr(blank)));
  NearestName nearest(name);
  for (const Command& command : Commands()) {
    if (name == command.name || (name == ".exit" && std::string_view(command.name) == ".quit")) {
      const bool takes = *command.takes != '\0';
      if (!argument.empty() && !takes)
        return Error(fmt::format("{} takes nothing, got `{}`", name, Printable(argument)));
      if (argument.empty() && takes && *command.takes != '[')
        return Error(fmt::format("expected {} {}", name, command.takes));
      return (this->*command.run)(argument);
    }
    nearest.Offer(command.name);
  }
  Error(fmt::format(
      "unknown command `{}`{}", Printable(name),
      nearest.name().empty() ? "; .help lists them" : ", did you mean `" + nearest.name() + "`?"));
}

// --- entries -----------------------------------------------------------------------------

void Repl::Say(Entry entry) {
  session_.CountEntry();
  if (!entry.findings.empty()) {
    std::ostringstream findings;
    PrintDiagnostics(entry.findings, entry.sources, findings);
    Coloured(findings.str());
  }
  if (entry.kind == Entry::Kind::kRejected) {
    failed_ = true;
    return;
  }
  if (entry.kind == Entry::Kind::kNothing) {
    if (interactive_ && entry.name.ends_with(".md")) Note("no RPL in this entry");
    return;
  }
  const auto started = std::chrono::steady_clock::now();
  const ReplSession::Change change = session_.Say(entry);
  std::ostringstream findings;
  PrintFindings(entry, change.findings, change.sources, findings);
  Coloured(findings.str());
  failed_ |= HasErrors(change.findings);
  const bool query = entry.kind == Entry::Kind::kQuery;
  if (change.taken && !entry.novelty.empty()) PrintTaken(entry);
  if (query) {
    pursued_ = entry;
    pursued_->novelty.clear();
    outcome_ = change.outcome;
  }
  if (query && change.outcome.status == Status::kUnsatisfied)
    for (const std::string& unknown : UnknownCalls(session_.session(), entry.calls)) Note(unknown);
  if (query && change.outcome.status != Status::kRejected) Finish(change.outcome);
  else if (change.outcome.status == Status::kInterrupted) Note("cancelled");
  else if (change.outcome.status != Status::kNothing && change.outcome.status != Status::kRejected)
    Alarm(Printable(change.outcome.reason));
  if (!change.taken && (interactive_ || !HasErrors(change.findings)))
    Note("the entry was taken back");
  if (timer_) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    std::cerr << fmt::format("{:.3f} s, {}\n", spent.count(),
                             Counted(session_.session().store().rows(), "row"));
  }
}

// Continues the last pursuit.
void Repl::Pursue() {
  if (pursued_) {
    Entry again = *pursued_;
    return Say(std::move(again));
  }
  outcome_ = session_.Run();
  std::ostringstream findings;
  PrintDiagnostics(outcome_->diagnostics, session_.session().sources(), findings);
  Coloured(findings.str());
  Finish(*outcome_);
}

void Repl::Finish(const Outcome& outcome) {
  if (mode_ == AnswerForm::kJson) {
    std::cout << Dump(OutcomeJson("rpl.reply/1", outcome, session_.session().pool())) << std::endl;
    return;
  }
  switch (outcome.status) {
    case Status::kSatisfied: PrintAnswers(outcome); break;
    case Status::kInterrupted: Note("cancelled"); break;
    case Status::kUnsatisfied:
    case Status::kToolFailed:
      std::cout << (mode_ == AnswerForm::kTable ? "no: " : "") << Printable(outcome.reason)
                << std::endl;
      break;
    case Status::kWaiting:
      std::cout << Printable(outcome.reason) << std::endl;
      if (interactive_) Note(".answer KEY=VALUE answers it, see .pending");
      break;
    default: PrintLines(Session::Reply(outcome)); std::cout << std::flush;
  }
}

void Repl::PrintAnswers(const Outcome& outcome) const {
  if (mode_ != AnswerForm::kText && !outcome.columns.empty()) PrintColumns(outcome);
  else PrintLines(Session::Reply(outcome));
  std::cout << std::flush;
  PrintCutOff(outcome, std::cerr);
}

void Repl::PrintColumns(const Outcome& outcome) const {
  const std::size_t answers = outcome.cells.size() / outcome.columns.size();
  // A file has room for wide tables.
  const AnswerLayout layout = {most_rows_, WritesFile() ? SIZE_MAX / 2 : TerminalWidth(),
                               colours_.out && !WritesFile()};
  const std::string text =
      AnswersAs(mode_, session_.session().store().pool(), outcome.columns, outcome.cells, layout);
  if (mode_ != AnswerForm::kCsv || WritesFile()) std::cout << text;
  else PrintDocument(text);
  const bool cut = mode_ != AnswerForm::kCsv && most_rows_ > 0 && answers > most_rows_;
  const std::string count =
      cut ? fmt::format("{} more, {} in all", answers - most_rows_, Counted(answers, "answer"))
          : Counted(answers, "answer");
  // Below a table it is a part of it; elsewhere a program may read the output.
  if (mode_ == AnswerForm::kTable) std::cout << count << '\n';
  else if (cut || interactive_) Note(count);
  std::cout << std::flush;
  if (cut && interactive_) Note(".maxrows 0 shows all");
}

void Repl::PrintTaken(const Entry& entry) const {
  if (interactive_) Note(Contents(entry.name, entry.novelty));
}

// Prints the number of lines that were not shown.
void Repl::PrintRest(std::size_t left, const char* what) const {
  if (left > 0) std::cout << fmt::format("-- {} more\n", Counted(left, what));
  std::cout << std::flush;
  if (left > 0 && interactive_) Note(".maxrows 0 shows all");
}

// Prints the findings of a change; true if it was taken.
bool Repl::PrintChange(const ReplSession::Change& change, const std::string& what) {
  std::ostringstream findings;
  PrintDiagnostics(change.findings, change.sources, findings);
  Coloured(findings.str());
  if (!change.error.empty()) Error(change.error);
  if (change.outcome.status != Status::kNothing) Alarm(Printable(change.outcome.reason));
  if (!change.taken && change.error.empty()) Note(what + " was not taken in");
  failed_ |= !change.taken;
  return change.taken;
}

// --- messages ----------------------------------------------------------------------------

void Repl::Error(const std::string& text) {
  failed_ = true;
  Alarm(text);
}

void Repl::Alarm(const std::string& text) const {
  std::cerr << (colours_.err ? "\033[31m" : "") << Printable(text)
            << (colours_.err ? "\033[0m" : "") << '\n';
}

void Repl::Note(const std::string& text) const {
  std::cerr << (colours_.err ? "\033[2m" : "") << Printable(text) << (colours_.err ? "\033[0m" : "")
            << '\n';
}

// Findings as Render formats them, with their severity in colour.
void Repl::Coloured(const std::string& findings) {
  std::cerr << MarkedFindings(findings, colours_.err);
}

// While stepping, a phase is a paragraph, and a person says when the next one may begin.
void Repl::Log(const LogLine& line) {
  if (stepping_ == Stepping::kNo) {
    std::cerr << PrintableLine(LogText(line)) << '\n';
    return;
  }
  const std::pair phase(line.timestep, line.phase);
  if (phase == phase_) {
    std::cout << "    " << PrintableLine(SaidText(line)) << '\n';
    return;
  }
  if (phase_ && stepping_ == Stepping::kPauses && interactive_) {
    const LineReader::Line answer = reader_->Answer(
        fmt::format("-- Enter for {}.{}, g for the rest: ", line.timestep, line.phase));
    if (answer.end != LineReader::End::kText || Trimmed(answer.text) == "g")
      stepping_ = Stepping::kRunsThrough;
  }
  phase_ = phase;
  std::cout << (colours_.out ? "\033[1m" : "") << PrintableLine(LogText(line))
            << (colours_.out ? "\033[0m" : "") << std::endl;
}

}  // namespace rpl
