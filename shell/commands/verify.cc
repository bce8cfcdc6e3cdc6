// SPDX-License-Identifier: Apache-2.0
//
// Input files to a report. If an input is invalid, all its findings are printed and nothing is
// evaluated; the output files of an earlier evaluation, which could be mistaken for its result, are
// removed.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "checks/guard/guard_store.h"
#include "checks/verify/rules.h"
#include "checks/verify/rulespec_report.h"
#include "interp/explain/explain_print.h"
#include "runtime/nobody.h"
#include "runtime/ports.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/program/guard_setup.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl verify CONTENT: checks content against a rulespec and rules (checks/verify/rules.h).
struct VerifyOptions {
  enum class Format { kText, kJson, kSarif };
  std::string content;             // a file
  std::string rulespec;            // --rulespec FILE; "": analysis/rulespec.yaml, if there is one
  std::vector<std::string> rules;  // --rules FILE
  std::string rule;                // --rule NAME
  bool list = false;
  std::string out;  // --out FOLDER; "": that of the content
  Format format = Format::kText;
  Severity fail_on = Severity::kError;
  std::optional<std::size_t> explain;  // --explain ID
  bool require_rulespec = false;
  bool exists = false;         // only checks for such a file
  bool review_errors = false;  // --on-error hitl: a person may accept failures
  EngineOptions engine;        // now; config, allow_tools: for the tools of rules; guard.approvals
};

constexpr const char* kVerifyFooter =
    R"(For a rulespec, CONTENT is an action envelope in YAML or JSON; for rules alone it is any file,
read as YAML or JSON by its extension, otherwise as text. Rules that did not pass go to standard
output, followed by a summary line. Evaluating a rulespec writes rulespec.compiled.dl and
datalog_evaluation.txt.

Exit codes: 0 accepted, 1 rejected, 2 an input is invalid, 3 a review is pending

Examples
  rpl verify envelope.yaml                     # with analysis/rulespec.yaml
  rpl verify envelope.yaml --rulespec spec.yaml --out reports
  rpl verify envelope.yaml --explain 0         # why predicate 0 passes or fails
  rpl verify answer.md --rules house-rules.md
  rpl verify --list --rules house-rules.md
  rpl verify envelope.yaml --on-error hitl     # then: rpl guard pending, rpl guard approve ID
  rpl verify envelope.yaml --format sarif > results.sarif)";

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using Format = VerifyOptions::Format;

constexpr const char* kDefaultRulespec = "analysis/rulespec.yaml";
constexpr const char* kDatalogFile = "rulespec.compiled.dl";
constexpr const char* kReportFile = "datalog_evaluation.txt";

// Reports that a file cannot be used.
int FileError(const std::string& name, const std::string& why) {
  Complain(name, why);
  return kExitFile;
}

int Misused(const std::string& message, const std::string& help) {
  std::cerr << "rpl: " << Printable(message) << "\nhelp: " << Printable(help) << '\n';
  return kExitInvalid;
}

bool IsStructured(const std::string& name) {
  const std::string extension = fs::path(name).extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

Limits LimitsOfCommand(double seconds) {
  Limits limits;
  const auto begin = std::chrono::steady_clock::now();
  limits.watch = [begin, seconds](std::size_t) {
    if (Interrupted()) return Stop::kInterrupted;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return seconds > 0 && spent.count() > seconds ? Stop::kTime : Stop::kGoesOn;
  };
  return limits;
}

class Verification {
 public:
  explicit Verification(const VerifyOptions& options)
      : options_(options), rules_(sources_), tools_(options.engine, false, nobody_) {}

  int Run() {
    if (options_.list) return List();
    if (options_.content.empty())
      return Misused("expected a file to verify", "as in `rpl verify envelope.yaml`");
    if (options_.exists) return Exists();
    content_ = ReadFile(options_.content);
    if (!content_.error.empty()) return FileError(options_.content, content_.error);
    if (const int code = Load(); code != kExitOk) return code;
    if (const ExitCode code = tools_.Prepare(options_.rules); code != kExitOk) return code;
    if (options_.require_rulespec && !rulespec_)
      return Misused(fmt::format("there is no rulespec: no `{}`", kDefaultRulespec),
                     "name one with `--rulespec FILE`");
    if (!found_.has_errors() && !options_.rule.empty() && rules_.Get(options_.rule) == nullptr)
      return Misused(fmt::format("no rule {}", options_.rule), "see `rpl verify --list`");
    RemoveFiles();
    if (!found_.has_errors()) Evaluate();
    if (Interrupted()) return kExitInterrupted;
    if (options_.review_errors)
      if (const int code = AskReviews(); code != kExitOk) return code;
    if (options_.explain && report_.verdict() != Verdict::kInvalid) {
      const int code = Explain();
      if (code != kExitOk) return code;
    }
    if (const int code = WriteFiles(); code != kExitOk) return code;
    Print();
    return ExitCodeOf(report_.verdict());
  }

 private:
  // Reads the rulespec and the rules.
  int Load() {
    std::string rulespec = options_.rulespec;
    const bool by_default =
        rulespec.empty() && (options_.rules.empty() || options_.require_rulespec);
    if (by_default && fs::exists(kDefaultRulespec)) rulespec = kDefaultRulespec;
    if (!rulespec.empty()) {
      Input input = ReadFile(rulespec);
      if (!input.error.empty()) return FileError(rulespec, input.error);
      rulespec_ = true;
      rules_.AddRulespec(sources_.Add(rulespec, std::move(input.text)), found_);
    }
    for (const std::string& name : options_.rules) {
      const Input input = ReadFile(name);
      if (!input.error.empty()) return FileError(name, input.error);
      rules_.AddProgram(name, input.text, found_);
    }
    rules_.Settle(found_);
    found_.Sort();
    report_.findings = found_.all();
    report_.fail_on = options_.fail_on;
    return kExitOk;
  }

  void Evaluate() {
    // Without any rules, the content is an envelope as well.
    const bool envelope = rulespec_ || options_.rules.empty();
    const Content content{options_.content, content_.text,
                          envelope || IsStructured(options_.content)};
    RuleSet::Options options;
    options.only = options_.rule;
    options.now = options_.engine.now;
    if (options.now.empty())
      options.now = fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
    options.tools = [this](Pool& pool, const std::string& tool, const std::vector<Value>& args) {
      return Call(pool, tool, args);
    };
    options.limits = LimitsOfCommand(options_.engine.limits.max_seconds);
    if (envelope && !rulespec_) {
      Envelope::Read(sources_, sources_.Add(options_.content, content_.text), found_);
      report_.findings = found_.all();
      return;
    }
    CheckReport report = rules_.Evaluate(content, options, &runs_);
    report_.results = std::move(report.results);
    report_.findings.insert(report_.findings.end(), report.findings.begin(), report.findings.end());
  }

  Value Call(Pool& pool, const std::string& tool, const std::vector<Value>& args) {
    ToolCall call;
    call.id = call.name = call.tool = tool;
    call.args = args;
    const Answer answer = tools_.tools().Call({call}, pool).front();
    if (answer.kind == Answer::Kind::kMeta) return answer.value;
    if (answer.kind != Answer::Kind::kValue) return kNone;
    const Value entry[] = {pool.Keyword("result"), answer.value};
    return pool.Map(entry);
  }

  int Exists() const {
    const bool there = fs::is_regular_file(options_.content);
    std::cout << (there ? "there is " : "there is no ") << PrintableLine(options_.content) << '\n';
    return there ? kExitOk : kExitNo;
  }

  int List() {
    if (const int code = Load(); code != kExitOk) return code;
    PrintDiagnostics(found_.all(), sources_, std::cerr);
    if (found_.has_errors()) return kExitInvalid;
    ordered_json list = ordered_json::array();
    for (const RuleInfo& rule : rules_.List()) {
      if (options_.format == Format::kText)
        std::cout << fmt::format("{} {}: {}\n", SeverityName(rule.severity), Printable(rule.name),
                                 Printable(rule.description));
      list.push_back({{"name", rule.name},
                      {"description", rule.description},
                      {"severity", SeverityName(rule.severity)}});
    }
    if (options_.format != Format::kText)
      std::cout << Dump({{"schema", "rpl.rules/1"}, {"rules", std::move(list)}}) << '\n';
    return kExitOk;
  }

  // What a person approves or denies: that exactly this content fails this rule as it is written
  // now, wherever it stands.
  ReviewRequest RequestOf(const CheckResult& result) const {
    ordered_json rule = result.metadata;
    rule.erase("location");
    return {result.rule_name,
            "verify",
            {{"contentHash", ContentHash(content_.text)},
             {"ruleHash", ContentHash(CanonicalText(rule))}},
            std::nullopt,
            options_.content + ": " + result.message};
  }

  int AskReviews() {
    const std::string path = StorePath(options_.engine.guard, options_.engine.guard.agent);
    GuardStore store(path);
    const Moment now = std::chrono::duration_cast<std::chrono::microseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
    for (CheckResult& result : report_.results) {
      if (result.passed || result.severity != Severity::kError) continue;
      const Sourced<Review> review = store.Ask(RequestOf(result), "verify", now);
      if (!review.value) return FileError(path, review.why);
      result.metadata["effect"] = "hitl";
      result.metadata["review"] = review.value->id;
      if (review.value->state == Review::State::kApproved) {
        result.passed = true;
        result.message = "approved by the review " + review.value->id + ": " + result.message;
      } else if (review.value->state == Review::State::kDenied) {
        result.message =
            "denied: " + (review.value->reason.empty() ? result.message : review.value->reason);
      } else {
        result.metadata["pending"] = true;
        result.message += " (review " + review.value->id + ")";
      }
    }
    return kExitOk;
  }

  int Explain() {
    const bool known = !runs_.empty() && runs_.front()->problem().empty() &&
                       *options_.explain < runs_.front()->results().size();
    if (!known)
      return Misused(fmt::format("no predicate {}", *options_.explain),
                     "predicates count from 0, in the order of the rulespec");
    explained_ = ExplanationText(runs_.front()->Explain(*options_.explain), sources_);
    return kExitOk;
  }

  fs::path Folder() const {
    return options_.out.empty() ? fs::path(options_.content).parent_path() : fs::path(options_.out);
  }

  // Removes the two files of an earlier evaluation, so that none of them is there if this one does
  // not come to its end. Rules without a rulespec have no such files.
  void RemoveFiles() const {
    if (!rulespec_ && !options_.rules.empty()) return;
    std::error_code ignored;
    fs::remove(Folder() / kDatalogFile, ignored);
    fs::remove(Folder() / kReportFile, ignored);
  }

  // Writes the two files of a rulespec if it was evaluated.
  int WriteFiles() const {
    const fs::path folder = Folder();
    const bool evaluated = !runs_.empty() && report_.verdict() != Verdict::kInvalid &&
                           runs_.front()->problem().empty();
    if (!evaluated) return kExitOk;
    std::error_code error;
    if (!options_.out.empty()) fs::create_directories(folder, error);
    const Rulespec& rulespec = *rules_.rulespecs().front();
    const RulespecRun& run = *runs_.front();
    const bool written = Write(folder / kDatalogFile, ProgramAsSouffle(rulespec, run.program())) &&
                         Write(folder / kReportFile,
                               EvaluationReport(rulespec, run.results(), run.program().extracted));
    if (written) return kExitOk;
    return FileError(folder.empty() ? "." : folder.string(), "the report cannot be written");
  }

  static bool Write(const fs::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    return !out.fail();
  }

  void Print() const {
    PrintDiagnostics(report_.findings, sources_, std::cerr);
    switch (options_.format) {
      case Format::kJson: std::cout << Dump(ReportJson(report_, sources_)) << '\n'; return;
      case Format::kSarif:
        std::cout << Dump(ReportSarif(report_, sources_, RPL_VERSION)) << '\n';
        return;
      case Format::kText: break;
    }
    std::cout << Printable(explained_) << Printable(ReportText(report_)) << Summary() << '\n';
  }

  std::string Summary() const {
    if (report_.verdict() == Verdict::kInvalid)
      return "Verification: an input is invalid, nothing was verified";
    if (!rulespec_ && options_.rules.empty())
      return "Verification: no rulespec, nothing was verified";
    const CheckSummary summary = report_.summary();
    const std::size_t all = summary.passed + summary.failed;
    if (all == 0)
      return fmt::format("Verification: 0 {}, nothing was verified",
                         rulespec_ ? "predicates" : "rules");
    std::string text = fmt::format("Verification: {}/{} passed", summary.passed, all);
    if (summary.failed > 0) text += fmt::format(", {} failed", summary.failed);
    if (summary.skipped > 0) text += fmt::format(", {} skipped", summary.skipped);
    return text;
  }

  const VerifyOptions& options_;
  Sources sources_;
  RuleSet rules_;
  Nobody nobody_;
  ToolSetup tools_;
  Diagnostics found_;      // about the rulespec and the rules
  bool rulespec_ = false;  // true if there is one
  Input content_;
  std::vector<std::unique_ptr<RulespecRun>> runs_;
  CheckReport report_;
  std::string explained_;
};

// The exit code of the verdict (checks/verify/result.h); with `exists`, kExitNo if there is no
// such file.
int CommandVerify(const VerifyOptions& options) { return Verification(options).Run(); }

std::optional<std::size_t> PredicateNumber(const std::string& id) {
  std::size_t number = 0;
  const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
  if (read.ec != std::errc() || read.ptr != id.data() + id.size()) return std::nullopt;
  return number;
}

}  // namespace

Command DescribeVerify(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<VerifyOptions>();
  VerifyOptions& to = *options;
  using Format = VerifyOptions::Format;
  command.Add("CONTENT", to.content, "The file to verify");
  command
      .Add("--rulespec", to.rulespec,
           "A rulespec (default: analysis/rulespec.yaml, without --rules)")
      .Unit("FILE");
  AddRepeatable(command, "--rules", to.rules, "FILE",
                "A program whose constraints are the rules; repeatable");
  command.Add("--rule", to.rule, "Print only the record of this rule").Unit("NAME");
  command.Flag("--list", to.list, "List the rules without verifying");
  command.Add("--out", to.out, "The folder for reports (default: the folder of CONTENT)")
      .Unit("FOLDER");
  AddFormat(command, to.format,
            {{"text", Format::kText}, {"json", Format::kJson}, {"sarif", Format::kSarif}});
  AddChoice(command, "--fail-on", to.fail_on, "LEVEL",
            "The lowest severity that rejects: error (default) or warning",
            {{"error", Severity::kError}, {"warning", Severity::kWarning}});
  command
      .AddTaking<std::string>(
          "--explain", [&to](const std::string& id) { to.explain = PredicateNumber(id); },
          "Show why this predicate passes or fails")
      .Unit("ID")
      .Check([](const std::string& id) {
        return PredicateNumber(id) ? "" : "expected the number of a predicate, got `" + id + "`";
      });
  command.Flag("--require-rulespec", to.require_rulespec, "Fail if there is no rulespec");
  command.Flag("--exists", to.exists, "Only check whether CONTENT exists");
  AddChoice(
      command, "--on-error", to.review_errors, "EFFECT",
      "Effect of a failed rule of severity error: block (default), or hitl (ask for a review)",
      {{"block", false}, {"hitl", true}});
  command
      .Add("--store", to.engine.guard.store, "The store with the reviews (see rpl guard pending)")
      .Unit("FILE");
  AddNow(command, to.engine);
  to.engine.limits.max_seconds = 60;
  AddTimeAndMemory(command, to.engine.limits);
  AddToolOptions(command, to.engine, "default: rpl.yaml beside the rules");
  command.Footer(kVerifyFooter);
  return {.run = [options] { return CommandVerify(*options); },
          .limits = &to.engine.limits,
          .threads = &to.engine.threads};
}

}  // namespace rpl
