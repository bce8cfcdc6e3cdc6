// SPDX-License-Identifier: Apache-2.0
//
// Runs with a session file: `rpl run --session FILE` begins or continues one, `rpl resume FILE`
// continues one. Both read the program again, so that changes take effect.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "formats/shorten.h"
#include "interp/program/builtin_tools.h"
#include "runtime/explained.h"
#include "runtime/facts/facts_file.h"
#include "runtime/postgres/open_session.h"
#include "runtime/run/run.h"
#include "runtime/run/saved_session.h"
#include "runtime/wire/standing_replies.h"
#include "shell/commands/commands.h"
#include "shell/commands/resume.h"
#include "shell/commands/shared_options.h"
#include "shell/program/engine_setup.h"
#include "shell/program/findings.h"
#include "shell/program/guard_setup.h"
#include "shell/program/known_names.h"
#include "shell/program/program_files.h"
#include "shell/program/program_run.h"
#include "shell/repl/session.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"
#include "shell/terminal/terminal_agent.h"

namespace rpl {
namespace {

// rpl resume SESSION: continues a run that has a session file.
struct ResumeOptions {
  std::string session;
  std::vector<std::string> retry;  // --retry NAME
  EngineOptions engine;
  std::string anchor = "";  // --anchor
};

constexpr const char* kResumeFooter =
    R"(Reads the program again, with any changes. Questions that were answered are not asked again,
and calls that were answered are not repeated.

Examples
  rpl run protocol.md --session trip.rpls    # exits with 3: waiting for an answer
  rpl resume trip.rpls --answer focus=clarity)";

/// The maximal number of changed sentences in a list.
constexpr std::size_t kChangesShown = 20;
/// The maximal number of answers that are named as those to give again.
constexpr std::size_t kKeysShown = 5;

// The program's files as they are now; a file that is missing keeps its recorded text. So does a
// changed one that is outside the tree: only a person may name such a program.
std::vector<ProgramFile> ReadAgain(const std::string& session,
                                   const std::vector<ProgramFile>& recorded) {
  std::vector<ProgramFile> out;
  for (const ProgramFile& file : recorded) {
    const std::string path = PathFromSession(session, file.name);
    if (ReplSession::IsEntry(file) || path == "-") {  // there is no file to read again
      out.push_back(file);
      continue;
    }
    Input input = FactsNameOf(file.name) ? ReadRows(path) : ReadFile(path);
    if (!input.error.empty()) {
      std::cerr << "note: " << PrintableLine(path) << ": " << Printable(input.error)
                << "; going on with its text in the session\n";
      input.text = file.text;
    } else if (input.text != file.text && !IsInTree(session, path)) {
      std::cerr << fmt::format(
          "note: {} changed, and is neither below the session's folder nor below this one; going on"
          " with its text in the session\nhelp: `rpl run {} --session {}` goes on with the new "
          "one\n",
          PrintableLine(path), AsShellWord(path), AsShellWord(session));
      input.text = file.text;
    }
    out.push_back({file.name, std::move(input.text)});
  }
  return out;
}

std::string Names(const std::vector<ProgramFile>& files) {
  std::string out;
  for (const ProgramFile& file : files)
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", file.name);
  return out;
}

// True if none of the session's documents is among `files` and one still exists in its place. A
// program whose files are all missing may have been renamed.
bool IsOfAnotherProgram(const std::string& session, const std::vector<ProgramFile>& recorded,
                        const std::vector<ProgramFile>& files) {
  bool there = false;
  for (const ProgramFile& was : recorded) {
    if (FactsNameOf(was.name)) continue;  // several programs may read the same rows
    for (const ProgramFile& is : files)
      if (is.name == was.name) return false;
    std::error_code ignored;
    there |= std::filesystem::exists(PathFromSession(session, was.name), ignored);
  }
  return there;
}

void ReportChanges(const std::vector<ProgramFile>& before, const std::vector<ProgramFile>& after) {
  const std::vector<std::string> changes = ProgramChanges(before, after);
  if (changes.empty()) {
    std::cerr << "note: the text of the program has changed, no sentence of it has\n";
    return;
  }
  std::cerr << fmt::format("note: the program has changed: {} sentence{}\n", changes.size(),
                           changes.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(changes.size(), kChangesShown); ++i)
    std::cerr << "  " << Printable(changes[i]) << '\n';
  if (changes.size() > kChangesShown)
    std::cerr << fmt::format("  and {} more\n", changes.size() - kChangesShown);
}

// Whether one of the names, with or without `$`, is that of the tool.
bool IsOneOf(const std::string& tool, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    if (name.starts_with('$')) name.remove_prefix(1);
    return name == tool;
  });
}

// True if each name of --retry has a call that can be made again; otherwise prints a message.
bool CanRetry(const std::vector<std::string>& names, const std::vector<Event>& events) {
  if (names.empty()) return true;
  std::vector<std::pair<std::string, std::string>> calls;  // with the labels of their tools
  for (const AnsweredCall& call : FailedCalls(Entries(events)))
    calls.emplace_back(call.call, call.tool);
  for (const auto& call : CallsInDoubt(events)) calls.push_back(call);
  for (const std::string& name : names) {
    if (std::any_of(calls.begin(), calls.end(),
                    [&](const auto& call) { return IsOneOf(call.second, {name}); }))
      continue;
    std::string list;
    for (const auto& [call, tool] : calls) list += (list.empty() ? "" : ", ") + call;
    Complain("--retry", fmt::format("no call of `{}` failed or is in doubt", name),
             list.empty() ? "there is no call to make again" : "these can be made again: " + list);
    return false;
  }
  return true;
}

// Retracts the replies of failed calls, so that they are made again (§13.3). Returns the outcome if
// it was cut off: the turn is then not over, and no other may follow it.
std::optional<Outcome> TakeBackFailures(Run& run, const std::vector<std::string>& tools) {
  std::string message;
  for (const AnsweredCall& call : FailedCalls(run.session().Entries()))
    if (IsOneOf(call.tool, tools)) message += call.call + " -> false\n";
  if (message.empty()) return std::nullopt;
  Outcome outcome = run.Say("<retry>", message, By::kHost);
  if (outcome.repeatable) return std::nullopt;
  return outcome;
}

// Retracts the last answers for the keys of `--take-back`, also those that declined, so that they
// are asked again; and what was declined and has an answer now.
ExitCode TakeBack(Run& run, const EngineOptions& options) {
  const Trace& entries = run.session().Entries();
  std::set<std::string> retractions;
  for (const std::string& answer : options.answers) {
    const TraceEntry* reply = LastReply(entries, answer.substr(0, answer.find('=')));
    if (reply != nullptr && reply->answered->declined) retractions.insert(RetractionOf(*reply));
  }
  const Retractions back = TakeBack(entries, options.take_back);
  if (!back.refused.empty()) {
    Complain("--take-back", back.refused);
    return kExitInvalid;
  }
  retractions.insert(back.sentences.begin(), back.sentences.end());
  std::string message;
  for (const std::string& retraction : retractions) message += retraction + "\n";
  if (message.empty()) return kExitOk;
  const Outcome said =
      run.Say("<take back>", message, ByOf(options.answers_by).value_or(By::kHost));
  if (said.hint.empty()) return kExitOk;
  Complain("--take-back", said.reason, said.hint);
  return kExitInvalid;
}

// Whether the node of an explanation is the reply.
bool IsReply(const ExplainNode& node, const TraceEntry& reply) {
  const std::string& call = reply.answered->call;
  return node.kind == ExplainNode::Kind::kReply && node.text.starts_with(call) &&
         (node.text.size() == call.size() || node.text[call.size()] == ' ');
}

// The answers of people on which the violation of a constraint rests, the last one first.
std::vector<const TraceEntry*> ViolatingAnswers(const Outcome& outcome, Session& session) {
  std::vector<ExplainNode> nodes;
  for (const std::string& fact : outcome.violated_by)
    for (const Explanation& proof : session.Explain(fact, {}, 0).why.proofs)
      nodes.insert(nodes.end(), proof.nodes.begin(), proof.nodes.end());
  std::vector<const TraceEntry*> out;
  std::set<std::string> known;
  const Trace& entries = session.Entries();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->kind != TraceEntry::Kind::kReply || !entry->answered) continue;
    const AnsweredCall& call = *entry->answered;
    const bool person = call.tool.empty() || IsQuestionTool(call.tool);
    const auto is_it = [&](const ExplainNode& node) { return IsReply(node, *entry); };
    if (person && std::ranges::any_of(nodes, is_it) && known.insert(call.call).second)
      out.push_back(&*entry);
  }
  return out;
}

// The answers that may be given again, if the run failed by a decline or a violation.
std::vector<std::string> KeysToTakeBack(const Outcome& outcome, Session& session) {
  const Trace& entries = session.Entries();
  std::vector<std::string> out;
  if (!outcome.declined.empty()) {
    const auto is_it = [&](const TraceEntry& entry) {
      return entry.kind == TraceEntry::Kind::kReply && entry.answered && entry.answered->declined &&
             entry.answered->call == outcome.declined;
    };
    const auto reply = std::find_if(entries.rbegin(), entries.rend(), is_it);
    if (reply != entries.rend()) out.push_back(KeyOfReply(entries, *reply));
    return out;
  }
  for (const TraceEntry* reply : ViolatingAnswers(outcome, session))
    out.push_back(KeyOfReply(entries, *reply));
  return out;
}

std::string WayToAnswerAgain(const std::string& resume, const std::vector<std::string>& keys) {
  const auto word = [](const std::string& key) { return AsShellWord(PrintableLine(key)); };
  if (keys.size() == 1)
    return fmt::format("saved: answer again with `{} --take-back {}`", resume, word(keys.front()));
  return fmt::format(
      "saved: answer again with `{} --take-back KEY`, where KEY is one of {}", resume,
      FirstOf(keys, kKeysShown, [&](const std::string& key) { return "`" + word(key) + "`"; }));
}

// Prints how to continue an unfinished run.
void PrintWayOn(const std::string& path, const Outcome& outcome, bool undecided, Run& run) {
  const std::string resume = "rpl resume " + AsShellWord(path);
  for (const OpenRequest& request : outcome.pending) {
    if (!run.InDoubt(request->id)) continue;
    std::cerr << fmt::format("help: nobody knows whether {} ran; `{} --retry {}` calls it again\n",
                             PrintableLine(request->id), resume, PrintableLine(request->tool));
    break;
  }
  const std::vector<AnsweredCall> failed = outcome.status == Status::kToolFailed
                                               ? FailedCalls(run.session().Entries())
                                               : std::vector<AnsweredCall>();
  if (!failed.empty())
    std::cerr << fmt::format("saved: call again with `{} --retry {}`\n", resume,
                             PrintableLine(failed.front().tool));
  else if (const auto keys = KeysToTakeBack(outcome, run.session()); !keys.empty())
    std::cerr << WayToAnswerAgain(resume, keys) << '\n';
  else if (outcome.status == Status::kWaiting || !outcome.repeatable || undecided)
    std::cerr << fmt::format("saved: go on with `{}`\n", resume);
}

// Exit codes: as CommandRun; kExitFile also for a damaged session.
int CommandResume(const ResumeOptions& options) {
  return GoOn(options.session, {}, options.engine, options.retry, options.anchor);
}

}  // namespace

int GoOn(const std::string& path, std::vector<ProgramFile> files, const EngineOptions& given,
         const std::vector<std::string>& retry, const std::string& anchor,
         SessionStore::Mode mode) {
  EngineOptions engine = given;
  SessionStore::Opened opened = OpenSession(path, mode, Interrupted);
  if (opened.store == nullptr) {
    Complain(path, opened.error, opened.hint);
    return Interrupted() ? kExitInterrupted : kExitFile;
  }
  if (!opened.store->damage().empty()) {
    Complain(path, "the session is damaged: " + opened.store->damage(),
             "`rpl trace export " + AsShellWord(path) + "` prints what is sound of it");
    return kExitFile;
  }
  if (!anchor.empty())
    if (const std::string why = opened.store->Departs(anchor); !why.empty()) {
      Complain(path, why, kDeparted);
      return kExitFile;
    }
  std::vector<Event> events = opened.store->events();
  const std::optional<ProgramEvent> last = LastProgram(events);
  const std::string last_goal = LastGoal(events);
  const std::string goal = engine.goal.empty() ? last_goal : GoalNamed(engine.goal);
  if (!CanRetry(retry, events)) return kExitInvalid;
  for (ProgramFile& file : files) file.name = NameInSession(path, file.name);
  if (files.empty()) {
    if (!last) {
      Complain(path, "nothing was recorded yet",
               "begin with `rpl run PROGRAM --session " + AsShellWord(path) + "`");
      return kExitInvalid;
    }
    files = ReadAgain(path, last->files);
  } else if (last && IsOfAnotherProgram(path, last->files, files)) {
    Complain(path,
             fmt::format("this is a session of {}, not of {}", Names(last->files), Names(files)),
             fmt::format("`rpl resume {}` goes on with it; another program wants another file",
                         AsShellWord(path)));
    return kExitInvalid;
  } else if (last) {  // a person names the documents; what was typed stays
    std::ranges::copy_if(last->files, std::back_inserter(files), ReplSession::IsEntry);
  }

  // A session that began under a policy continues under one, and its log goes on.
  if (engine.guard.policy.empty() && last) {
    GuardOptions recorded = GuardOptionsFrom(last->guard);
    if (!engine.guard.audit.empty()) recorded.audit.clear();
    if (const ExitCode code = StaysInTree(path, recorded); code != kExitOk) return code;
    if (!engine.guard.audit.empty()) {
      recorded.audit = engine.guard.audit;
      recorded.audit_required = engine.guard.audit_required;
    }
    engine.guard = std::move(recorded);
  }
  std::vector<std::string> paths;
  for (const ProgramFile& file : files) paths.push_back(PathFromSession(path, file.name));
  Host host(engine);
  if (const ExitCode code = host.Prepare(paths); code != kExitOk) return code;
  const bool same = last && last->files == files;
  // What the shell's user typed in the last epoch is a part of the program of the next one.
  std::vector<ProgramFile> program = files;
  if (last && (!same || last->guard != RecordOf(host.gate())))
    for (ProgramFile& entry : ReplSession::EntriesOf(events)) program.push_back(std::move(entry));
  for (std::size_t i = paths.size(); i < program.size(); ++i) paths.push_back(program[i].name);
  // What a recorded program lacks may have come by messages.
  if (!same && !PassesCheck(program, paths, engine)) return kExitInvalid;
  Run::Opened begun = Run::Open(
      host.ports(),
      {.files = program,
       .reader = ReaderBeside(paths),
       .options = SessionOptionsFor(engine, host.gate()),
       .record = Recording{std::move(events), std::move(opened.store)},
       .retry = [&](const std::string&, const std::string& tool) { return IsOneOf(tool, retry); },
       .goal = goal});
  Run& run = *begun.run;
  Session& session = run.session();
  const bool all = same || !AreDocumentsChecked(files);
  PrintDiagnostics(all ? begun.findings : FindingsInFacts(begun.findings, session.sources()),
                   session.sources(), std::cerr);
  if (begun.why == Unopened::kRejected) return kExitInvalid;
  if (last && !same) ReportChanges(last->files, files);
  if (begun.why == Unopened::kNoGoals) return NothingToRun(files).Report(session);
  if (begun.why == Unopened::kNoSuchGoal) {
    if (!engine.goal.empty()) Complain("--goal", NoGoalNamed(session, goal));
    else
      Complain(path, "no goal is named %" + goal + " any more, which its last run pursued",
               "`--goal NAME` names another, `--goal %` those of the program");
    return kExitInvalid;
  }
  Outcome outcome;
  if (begun) {
    if (const ExitCode code = TakeBack(run, engine); code != kExitOk) return code;
    if (run.IsOver()) {
      outcome = *run.last();
    } else {
      const std::optional<Outcome> cut_off = TakeBackFailures(run, retry);
      outcome = cut_off ? *cut_off : host.Turn(run);
    }
  }
  if (!run.broken().empty() && !Interrupted()) {
    Complain(path, run.broken(),
             run.differs() ? "another rpl wrote this session; its trace can be exported and loaded"
                           : "");
    return kExitFile;
  }
  if (Interrupted()) {
    outcome.status = Status::kInterrupted;
    outcome.repeatable = false;
  }
  PrintRun(outcome, session, engine);
  if (outcome.status == Status::kSatisfied && !outcome.repeatable)
    std::cerr << "note: a limit cut this run off, so its end is not in the session\n";
  const bool undecided = host.PrintUndecided(outcome, session.pool());
  PrintWayOn(path, outcome, undecided, run);
  if (const ExitCode code = host.ReportAnswers(session.Entries()); code != kExitOk) return code;
  return ExitCodeOf(outcome.status);
}

Command DescribeResume(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<ResumeOptions>();
  ResumeOptions& to = *options;
  command
      .Add("SESSION", to.session,
           "A session file, or postgresql://…/NAME, as saved by `rpl run --session`")
      .Required();
  command
      .Add("--anchor", to.anchor,
           "Refuse a session that does not go on from here (see rpl trace anchor)")
      .Unit("N:HASH");
  AddGoalOptions(command, to.engine);
  AddRepeatable(
      command, "--take-back", to.engine.take_back, "KEY",
      "Take back the last answer, or that it was declined: it is asked again; repeatable");
  AddRepeatable(command, "--retry", to.retry, "NAME",
                "Repeat calls of a tool that failed or may not have finished; repeatable");
  AddEngineOptions(command, to.engine);
  AddGuardOptions(command, to.engine.guard);
  AddToolOptions(command, to.engine, kBesideDocument);
  command.Footer(kResumeFooter);
  return {.run = [options] { return CommandResume(*options); },
          .limits = &to.engine.limits,
          .threads = &to.engine.threads};
}

}  // namespace rpl
