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
#include "interp/store/store.h"
#include "runtime/facts/facts_file.h"
#include "runtime/ports.h"
#include "runtime/postgres/open_session.h"
#include "runtime/record/session_store.h"
#include "runtime/relaying_agent.h"
#include "runtime/run/saved_session.h"
#include "runtime/wire/standing_replies.h"
#include "shell/program/engine_setup.h"
#include "shell/program/guard_setup.h"
#include "shell/program/known_names.h"
#include "shell/program/program_files.h"
#include "shell/program/tool_setup.h"
#include "shell/repl/answer_printer.h"
#include "shell/repl/command_help.h"
#include "shell/repl/history.h"
#include "shell/repl/line_reader.h"
#include "shell/repl/session_views.h"
#include "shell/repl/step_log.h"
#include "shell/terminal/answer_script.h"
#include "shell/terminal/input.h"
#include "shell/terminal/progress.h"
#include "shell/terminal/report.h"
#include "shell/terminal/terminal_agent.h"

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

// The mode in which the shell starts.
AnswerMode ModeOf(const OutputFormat& format) {
  return {&format, format.IsText() ? std::optional(AnswerForm::kTable) : std::nullopt};
}

}  // namespace

Repl::Repl(const ReplOptions& options)
    : options_(options),
      console_(ColoursFor(options.colour), IsInteractive()),
      answers_(std::make_unique<AnswerPrinter>(console_, ModeOf(*options.engine.format))),
      step_log_(std::make_unique<StepLog>(console_)),
      by_(console_.interactive() ? By::kPerson : By::kHost),
      person_(new TerminalAgent(nullptr, "", by_, std::cerr)),
      tools_(new ToolSetup(options.engine, true, *this)),
      script_(std::make_unique<AnswerScript>(std::cerr)),
      agent_(std::make_unique<RelayingAgent>(tools_->people(), tools_->tools(), *script_)),
      limits_(options.engine.limits),
      session_({*agent_, *agent_, tools_->access(), PrintChat}, SessionOptionsFor(options.engine)),
      views_(std::make_unique<SessionViews>(session_, *answers_, console_)),
      history_(std::make_unique<ReplHistory>(console_.interactive() ? HistoryPath() : "")),
      phases_(options.engine.log_phases) {
  session_.SetAnswerForms(answers_->Forms());
}

Repl::~Repl() { console_.CloseOutput(); }

// --- a person answers --------------------------------------------------------------------

rpl::Answer Repl::Ask(const Question& question, Pool& pool, std::string_view refused) {
  if (Interrupted()) return {};
  const auto read = [this]() -> std::optional<std::string> {
    LineReader::Line line = reader_->Answer("? ");
    if (line.end == LineReader::End::kText) return std::move(line.text);
    return std::nullopt;
  };
  person_->ReadFrom(read);
  return person_->Ask(question, pool, refused);
}

void Repl::Open(OpenQuestions open) { person_->Open(std::move(open)); }

bool Repl::TakeAnswerBack() {
  const std::string back = person_->TakeBack();
  if (back.empty()) return false;
  const Retractions taken = TakeBack(session_.session().Entries(), {back});
  if (taken.refused.empty()) Enter(taken.sentences.front());
  else console_.Note(Printable(taken.refused));
  return true;
}

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
  if (const ExitCode code = AddAnswers(options_.engine, *script_); code != kExitOk) return code;
  const LineSupport support = {
      IsComplete, [this](std::string_view text, std::size_t cursor) {
        return Complete(text, cursor, NamesFor(Commands(), session_.session(), outcome_));
      }};
  reader_ = MakeLineReader(support, history_->Load(), console_.colours().out);
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
  if (phases_) session_.SetLog([this](const LogLine& line) { step_log_->Print(line, *reader_); });
  console_.Findings(change.findings, change.sources);
  if (!console_.interactive() && HasErrors(change.findings)) return kExitInvalid;
  if (!change.taken) {
    console_.Error("the documents were not taken in");
    if (!change.outcome.reason.empty()) std::cerr << Printable(change.outcome.reason) << '\n';
    if (!console_.interactive()) return ExitCodeOf(change.outcome.status);
  }
  if (!change.error.empty()) console_.Note(change.error);
  if (change.outcome.status == Status::kFailed) console_.Alarm(Printable(change.outcome.reason));
  return kExitOk;
}

// Prints what the session contains; with `document`, only that document.
void Repl::Greet(const std::string& document) const {
  for (const ProgramFile& part : session_.parts()) {
    if (ReplSession::IsEntry(part) || (!document.empty() && part.name != document)) continue;
    console_.Note(fmt::format("{}: {}", Printable(part.name),
                              FactsNameOf(part.name) ? "facts" : Contents(part.name, part.text)));
  }
  if (!document.empty()) return;
  const auto entries =
      std::count_if(session_.parts().begin(), session_.parts().end(), ReplSession::IsEntry);
  if (entries > 0)
    console_.Note(fmt::format("{} entr{} before", entries, entries == 1 ? "y" : "ies"));
}

int Repl::Run() {
  if (const ExitCode code = Begin(); code != kExitOk) return code;
  if (console_.interactive()) {
    CatchInterrupt(kPatience);
    std::cout << "rpl " RPL_VERSION ", .help for commands, Ctrl-D to leave\n";
    Greet("");
  }
  bool hinted = false;
  while (!over_) {
    const LineReader::Line line = reader_->Entry("rpl> ");
    if (line.end == LineReader::End::kOver) break;
    if (line.end == LineReader::End::kCancelled) {
      if (!std::exchange(hinted, true)) console_.Note("cancelled; Ctrl-D leaves");
      continue;
    }
    if (Trimmed(line.text).empty()) continue;
    reader_->Remember(line.text);
    history_->Append(line.text);
    Enter(line.text);
    while (TakeAnswerBack()) Pursue();
    if (!console_.interactive() && Interrupted()) return kExitInterrupted;
    ClearInterrupt();
    if (const std::string broken = session_.Broken(); !broken.empty()) {
      Complain(options_.session, broken);
      return kExitFile;
    }
  }
  console_.CloseOutput();
  if (const ExitCode code = ReportAnswers(*script_); code != kExitOk) return code;
  return console_.failed() && !console_.interactive() ? kExitInvalid : kExitOk;
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
  for (const ReplCommand& command : Commands()) {
    if (name == command.name || (name == ".exit" && std::string_view(command.name) == ".quit")) {
      const bool takes = *command.takes != '\0';
      if (!argument.empty() && !takes)
        return console_.Error(fmt::format("{} takes nothing, got `{}`", name, Printable(argument)));
      if (argument.empty() && takes && *command.takes != '[')
        return console_.Error(fmt::format("expected {} {}", name, command.takes));
      return command.run(*this, argument);
    }
    nearest.Offer(command.name);
  }
  console_.Error(fmt::format(
      "unknown command `{}`{}", Printable(name),
      nearest.name().empty() ? "; .help lists them" : ", did you mean `" + nearest.name() + "`?"));
}

// --- entries -----------------------------------------------------------------------------

void Repl::Say(Entry entry) {
  session_.CountEntry();
  if (!entry.findings.empty()) console_.Findings(entry.findings, entry.sources);
  if (entry.kind == Entry::Kind::kRejected) {
    console_.Fail();
    return;
  }
  if (entry.kind == Entry::Kind::kNothing) {
    if (console_.interactive() && entry.name.ends_with(".md"))
      console_.Note("no RPL in this entry");
    return;
  }
  const auto started = std::chrono::steady_clock::now();
  const ReplSession::Change change = session_.Say(entry);
  std::ostringstream findings;
  PrintFindings(entry, change.findings, change.sources, findings);
  console_.Coloured(findings.str());
  if (HasErrors(change.findings)) console_.Fail();
  const bool query = entry.kind == Entry::Kind::kQuery;
  if (change.taken && !entry.novelty.empty()) PrintTaken(entry);
  if (query) {
    pursued_ = entry;
    pursued_->novelty.clear();
    outcome_ = change.outcome;
  }
  if (query && change.outcome.status == Status::kUnsatisfied)
    for (const std::string& unknown : UnknownCalls(session_.session(), entry.calls))
      console_.Note(unknown);
  if (query && change.outcome.status != Status::kRejected) Finish(change.outcome);
  else if (change.outcome.status == Status::kInterrupted) console_.Note("cancelled");
  else if (change.outcome.status != Status::kNothing && change.outcome.status != Status::kRejected)
    console_.Alarm(Printable(change.outcome.reason));
  if (!change.taken && (console_.interactive() || !HasErrors(change.findings)))
    console_.Note("the entry was taken back");
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
  console_.Findings(outcome_->diagnostics, session_.session().sources());
  Finish(*outcome_);
}

void Repl::Finish(const Outcome& outcome) const {
  if (!person_->GoesBack()) answers_->Finish(outcome, session_.session());
}

void Repl::PrintTaken(const Entry& entry) const {
  if (console_.interactive()) console_.Note(Contents(entry.name, entry.novelty));
}

// Prints the findings of a change; true if it was taken.
bool Repl::PrintChange(const ReplSession::Change& change, const std::string& what) {
  console_.Findings(change.findings, change.sources);
  if (!change.error.empty()) console_.Error(change.error);
  if (change.outcome.status != Status::kNothing) console_.Alarm(Printable(change.outcome.reason));
  if (!change.taken && change.error.empty()) console_.Note(what + " was not taken in");
  if (!change.taken) console_.Fail();
  return change.taken;
}

}  // namespace rpl
