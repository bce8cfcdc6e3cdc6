// SPDX-License-Identifier: Apache-2.0
#include "shell/program/engine_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "formats/data/yaml_tree.h"
#include "formats/file_name.h"
#include "formats/number_text.h"
#include "formats/shorten.h"
#include "runtime/facts/facts_file.h"
#include "runtime/ports.h"
#include "runtime/relaying_agent.h"
#include "runtime/run/run.h"
#include "runtime/tools/program_folder.h"
#include "runtime/wire/standing_replies.h"
#include "shell/program/guard_setup.h"
#include "shell/program/program_files.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/answer_list.h"
#include "shell/terminal/answer_script.h"
#include "shell/terminal/input.h"
#include "shell/terminal/line_agent.h"
#include "shell/terminal/progress.h"
#include "shell/terminal/terminal_agent.h"

namespace rpl {
namespace {

// Adds an error for each integer of the tree with more digits than one may have.
void RefuseTooLong(const YamlNode& tree, const Sources& sources, Diagnostics& found) {
  std::vector<const YamlNode*> open = {&tree};
  while (!open.empty()) {
    const YamlNode& node = *open.back();
    open.pop_back();
    for (const YamlNode& item : node.items) open.push_back(&item);
    for (const YamlNode::Entry& entry : node.entries) open.push_back(&entry.value);
    if (node.kind == YamlNode::Kind::kNumber &&
        ScalarText(node, sources).size() > kMaxDigits + (sources.Text(node.span)[0] == '-' ? 1 : 0))
      found.Add(Code::kWrongConfigValue, node.span,
                fmt::format("an integer has more than {} digits", kMaxDigits));
  }
}

bool AsksHost(const EngineOptions& options) { return options.answers_file == "-"; }

// With events, chat is one of these.
ChatSink ChatFor(const EngineOptions& options) {
  if (options.events) return nullptr;
  if (!AsksHost(options)) return PrintChat;
  return [](const std::string& line) {
    std::cout << Dump({{"schema", "rpl.chat/1"}, {"line", line}}) << std::endl;
  };
}

}  // namespace

struct Host::Parts {
  explicit Parts(const EngineOptions& options)
      : person(ReadLine, InputIsTerminal() ? "> " : "", ByOfInput(), std::cerr),
        host(ReadLine, std::cout, std::cerr),
        asks_host(AsksHost(options)),
        tools(options, true, asks_host ? static_cast<People&>(host) : person),
        script(std::cerr),
        agent(tools.people(), tools.tools(), script) {}

  TerminalAgent person;  // at standard input
  LineAgent host;        // in place of the person, with `--answers -`
  bool asks_host;
  ToolSetup tools;
  std::unique_ptr<GateSetup> gate;
  AnswerScript script;
  RelayingAgent agent;
};

Host::Host(const EngineOptions& options)
    : options_(options), parts_(std::make_unique<Parts>(options)) {}

Host::~Host() = default;

Ports Host::ports() {
  Parts& to = *parts_;
  return {to.agent, to.agent, to.tools.access(), ChatFor(options_)};
}

GateSetup* Host::gate() { return parts_->gate.get(); }

ExitCode Host::Prepare(const std::vector<std::string>& documents) {
  if (const ExitCode code = parts_->tools.Prepare(documents); code != kExitOk) return code;
  ExitCode guarded = kExitOk;
  parts_->gate = MakeGateSetup(options_.guard, parts_->tools, guarded);
  if (guarded != kExitOk) return guarded;
  return AddAnswers(options_, parts_->script);
}

Outcome Host::Turn(Run& run) {
  for (;;) {
    const Outcome& outcome = run.Turn();
    const std::string back = parts_->person.TakeBack();
    if (back.empty()) return outcome;
    const Retractions taken = TakeBack(run.session().Entries(), {back});
    std::string refused = taken.refused;
    if (refused.empty()) {
      const Outcome said = run.Say("<back>", taken.sentences.front() + "\n", ByOfInput());
      if (said.status == Status::kRejected) refused = said.reason;
    }
    if (!refused.empty()) std::cerr << Printable(refused) << '\n';
  }
}

ExitCode Host::ReportAnswers(const Trace& kept) const {
  return rpl::ReportAnswers(parts_->script, kept);
}

bool Host::PrintUndecided(const Outcome& outcome, const Pool& pool) const {
  const std::optional<Question>& open = parts_->agent.unanswered();
  if (outcome.status != Status::kFailed || !open || open->name != kWhatNow) return false;
  std::cerr << "undecided:\n";
  PrintRequests({*open}, pool, std::cerr);
  return true;
}

ExitCode AddAnswers(const EngineOptions& options, AnswerScript& script) {
  for (const std::string& text : options.answers) {
    std::optional<ScriptedAnswer> answer = AnswerFromOption(text);
    if (!answer || !IsUtf8(text)) {
      Complain("--answer",
               "expected KEY=VALUE in UTF-8, got `" + Shortened(text, kToldBytes) + "`");
      return kExitInvalid;
    }
    script.Add(std::move(*answer));
  }
  for (const std::string& key : options.declines) script.Add(DeclineFromOption(key));
  if (options.answers_file.empty() || AsksHost(options)) return kExitOk;
  const Input input = ReadFile(options.answers_file);
  if (!input.error.empty()) {
    Complain(options.answers_file, input.error);
    return kExitFile;
  }
  AnswerList list;
  Sources sources;
  Diagnostics found;
  const std::uint32_t file = sources.Add(options.answers_file, input.text);
  if (HasExtension(options.answers_file, ".yaml") || HasExtension(options.answers_file, ".yml")) {
    if (const auto tree = ReadYaml(sources, file, found)) {
      RefuseTooLong(*tree, sources, found);
      list = AnswersFrom(JsonOf(*tree, sources));
    }
  } else {
    list = AnswersFromJson(input.text);
    if (list.byte > 0) {
      const auto at = static_cast<std::uint32_t>(std::min(list.byte - 1, input.text.size()));
      const auto end = static_cast<std::uint32_t>(std::min(list.byte, input.text.size()));
      found.Add(Code::kConfigSyntax, {file, at, end}, list.error);
    }
  }
  PrintDiagnostics(found.all(), sources, std::cerr);
  if (found.has_errors()) return kExitInvalid;
  if (!list.error.empty()) {
    Complain(options.answers_file, list.error, list.hint);
    return kExitInvalid;
  }
  for (ScriptedAnswer& answer : list.answers) script.Add(std::move(answer));
  return kExitOk;
}

ExitCode ReadFactsFiles(const EngineOptions& options, std::vector<ProgramFile>& to) {
  bool taken = false;  // standard input
  for (const std::string& text : options.facts) {
    std::optional<FactsName> name = FactsNameOf(text);
    if (!name) {
      const std::string relation = text.substr(0, std::min(text.find('='), text.size()));
      if (relation.size() == text.size() || IsRelationName(relation))
        Complain("--facts",
                 "expected RELATION=FILE, with a file in .csv, .tsv, .ndjson or .jsonl, one of "
                 "these with .gz, or `-`, got `" +
                     Shortened(text, kToldBytes) + "`");
      else
        Complain("--facts",
                 "expected RELATION=FILE, and `" + Shortened(relation, kToldBytes) +
                     "` cannot name a relation",
                 IsName(relation) ? "it has another meaning in a program"
                                  : "a name begins with a lower-case letter, and has only these, "
                                    "digits and `-`");
      return kExitInvalid;
    }
    if (options.separator != ',') name->separator = options.separator;
    const bool from_input = name->path == "-";
    if (from_input && std::exchange(taken, true)) {
      Complain("--facts", "standard input has the rows of one relation");
      return kExitInvalid;
    }
    Input input = ReadRows(name->path);
    if (!input.error.empty()) {
      Complain(from_input ? "standard input" : name->path, input.error);
      return kExitFile;
    }
    to.push_back({Text(*name), std::move(input.text)});
  }
  return kExitOk;
}

SessionOptions SessionOptionsFor(const EngineOptions& options, GateSetup* gate, Profile* profile) {
  SessionOptions session;
  session.gate = gate;
  session.profile = profile;
  session.now = options.now;
  session.limits = options.limits;
  session.answer_forms = options.format->answers();
  session.answer_forms.json = session.answer_forms.json || options.events;
  session.strict_facts = options.strict_facts;
  session.person = options.person;
  session.answers_by = options.answers_by.empty() ? std::nullopt : ByOf(options.answers_by);
  session.threads = options.threads;
  session.interrupted = Interrupted;
  if (!options.log_phases && !options.events) session.progress = ProgressLine();
  if (options.events) {
    session.event = [](const nlohmann::ordered_json& event) {
      std::cout << Dump(event) << std::endl;
    };
  }
  if (options.log_phases) {
    session.log = [](const LogLine& line) { std::cerr << PrintableLine(LogText(line)) << '\n'; };
  }
  return session;
}

std::function<std::optional<std::string>(const std::string&)> ReaderBeside(
    const std::vector<std::string>& documents) {
  return [documents](const std::string& name) -> std::optional<std::string> {
    if (name.find('/') != std::string::npos) return std::nullopt;
    for (const std::string& document : documents) {
      const std::filesystem::path beside = std::filesystem::path(document).replace_filename(name);
      std::error_code ignored;
      const std::string path = std::filesystem::absolute(beside, ignored).lexically_normal();
      FileRead read = ReadBelow({std::filesystem::path(path).parent_path()}, path);
      if (read.failure.code.empty()) return std::move(read.text);
      if (read.failure.code != "missing") Complain(name, read.failure.message);
    }
    return std::nullopt;
  };
}

namespace {

// What was answered under the key of an answer that nothing asked for. Calls of one tool share
// their key, and the answer may have been meant for another of them: each is named as a whole.
void PrintAnsweredBefore(const Trace& kept, const std::string& key) {
  const std::vector<const TraceEntry*> replies = StandingReplies(kept, key);
  if (replies.empty()) return;
  const AnsweredCall& last = *replies.front()->answered;
  if (replies.size() == 1 && last.tool.empty()) {
    std::cerr << "help: it was answered before; `rpl resume --take-back " << PrintableLine(key)
              << "` takes that back\n";
    return;
  }
  constexpr std::size_t kMostCalls = 3;
  std::vector<std::string> calls;
  for (const TraceEntry* reply : replies) calls.push_back(PrintableLine(reply->answered->call));
  std::cerr << fmt::format(
      "help: {} answered before; `rpl resume --take-back {}` takes {} back\n",
      FirstOf(calls, kMostCalls, [](const std::string& call) { return "`" + call + "`"; }) +
          (calls.size() == 1 ? " was" : " were"),
      AsShellWord(PrintableLine(last.call)), calls.size() == 1 ? "that" : "the first of these");
}

}  // namespace

ExitCode ReportAnswers(const AnswerScript& script, const Trace& kept) {
  for (const std::string& label : script.Unused()) {
    const std::string like = script.NameLike(label);
    std::cerr << "note: nothing asked for the answer `"
              << PrintableLine(Shortened(label, kToldBytes)) << '`'
              << (like.empty() ? "" : ", did you mean `" + PrintableLine(like) + "`?") << '\n';
    PrintAnsweredBefore(kept, label);
  }
  if (script.misfit().error.empty()) return kExitOk;
  Complain("--answers", script.misfit().error, script.misfit().hint);
  return kExitInvalid;
}

}  // namespace rpl
