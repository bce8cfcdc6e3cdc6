// SPDX-License-Identifier: Apache-2.0
#include "shell/program/program_run.h"

#include <unistd.h>

#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/facts_file.h"
#include "runtime/wire/outcome_json.h"
#include "shell/program/findings.h"
#include "shell/program/guard_setup.h"
#include "shell/program/known_names.h"
#include "shell/program/program_files.h"
#include "shell/terminal/input.h"

namespace rpl {

NothingToRun::NothingToRun(const std::vector<ProgramFile>& files) : count_(files.size()) {
  for (const ProgramFile& file : files) {
    names_ += (names_.empty() ? "" : ", ") + PrintableLine(file.name);
    empty_ = empty_ && file.text.find_first_not_of(" \t\r\n") == std::string::npos;
  }
}

namespace {

// The first rule of a heading, or else of a line, that no rule or constraint reads; null if there
// is none.
const Definition* LikeAGoal(const Program& program, const Store& store) {
  std::unordered_set<RelationId> read;
  const auto walk = [&](const Clauses& clauses) {
    ForEachAtom(clauses, [&](const Atom& atom) { read.insert(atom.relation); });
  };
  for (const Definition& d : program.definitions()) walk(d.activation), walk(d.body);
  for (const Constraint& c : program.constraints()) walk(c.left), walk(c.right);
  const Definition* found = nullptr;
  for (const Definition& d : program.definitions()) {
    if (d.head == kNoId || store.at(d.head).space() != Space::kRelation || d.body.empty() ||
        read.contains(d.head) || store.at(d.head).name().find('#') != std::string::npos)
      continue;
    if (d.from_heading) return &d;
    if (found == nullptr) found = &d;
  }
  return found;
}

}  // namespace

ExitCode NothingToRun::Report(const Session& session) const {
  std::cerr << "nothing to run: " << names_ << (count_ == 1 ? " has no goals" : " have no goals")
            << (empty_ ? " (it is empty)\n" : "\n");
  const Definition* rule = LikeAGoal(session.program(), session.store());
  if (rule == nullptr) {
    std::cerr << "help: a goal is `% <- …`, `%name <- …`, or a heading with one\n";
    return kExitInvalid;
  }
  const Sources& sources = session.sources();
  const std::string name = session.store().at(rule->head).name();
  std::cerr << PrintableLine(sources.Where(rule->span)) << ": `" << name
            << "` is a relation; the name of a goal begins with `%`\n"
            << "help: write `%" << name << "` if it is to be run\n";
  return kExitInvalid;
}

void PrintDone(const Outcome& outcome, const Pool& pool) {
  nlohmann::ordered_json done = {{"schema", "rpl.event/1"}, {"type", "done"}};
  done.update(OutcomeJson("rpl.event/1", outcome, pool));
  std::cout << Dump(done) << '\n';
}

void PrintRun(const Outcome& outcome, Session& session, const EngineOptions& options) {
  PrintDiagnostics(outcome.diagnostics, session.sources(), std::cerr);
  if (options.events) {
    PrintDone(outcome, session.pool());
  } else if (!options.format->IsText()) {
    options.format->write(std::cout, OutcomeJson("rpl.run/1", outcome, session.pool()));
  } else {
    PrintLines(outcome.answers);
    if (options.prose || isatty(STDOUT_FILENO) == 1) PrintNow(outcome);
  }
  std::cout << std::flush;
  PrintEnd(outcome, session.pool(), std::cerr, StoreOption(options.guard));
}

ExitCode ReadAll(const std::vector<std::string>& files, const EngineOptions& options,
                 std::vector<ProgramFile>& to) {
  if (const ExitCode code = ReadFactsFiles(options, to); code != kExitOk) return code;
  return ReadProgram(files, to);
}

std::string GoalNamed(const std::string& given) {
  return given.starts_with('%') ? given.substr(1) : given;
}

const Outcome* ProgramRun::Pursue(std::vector<ProgramFile> read) {
  if (refused_ = host_.Prepare(files_); refused_ != kExitOk) return nullptr;
  refused_ = kExitInvalid;
  const NothingToRun nothing(read);
  if (!PassesCheck(read, files_, options_)) return nullptr;
  const bool documents = !AreDocumentsChecked(read);
  const std::string goal = GoalNamed(options_.goal);
  Run::Opened opened =
      Run::Open(host_.ports(), {.files = std::move(read),
                                .reader = ReaderBeside(files_),
                                .options = SessionOptionsFor(options_, host_.gate(), profile_),
                                .goal = goal});
  run_ = std::move(opened.run);
  PrintDiagnostics(
      documents ? opened.findings : FindingsInFacts(opened.findings, session().sources()),
      session().sources(), std::cerr);
  if (opened.why == Unopened::kNoGoals) refused_ = nothing.Report(session());
  if (opened.why == Unopened::kNoSuchGoal) Complain("--goal", NoGoalNamed(session(), goal));
  if (!opened) return nullptr;
  outcome_ = host_.Turn(*run_);
  if (Interrupted()) outcome_.status = Status::kInterrupted;
  return &outcome_;
}

ExitCode ProgramRun::End(const Outcome* outcome) {
  if (outcome == nullptr) return refused_;
  host_.PrintUndecided(*outcome, session().pool());
  if (const ExitCode code = host_.ReportAnswers(); code != kExitOk) return code;
  return ExitCodeOf(outcome->status);
}

}  // namespace rpl
