// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <utility>

#include "formats/shorten.h"
#include "interp/explain/explain_print.h"
#include "runtime/explained.h"
#include "runtime/nobody.h"
#include "runtime/ports.h"
#include "runtime/relaying_agent.h"
#include "runtime/run/run.h"
#include "runtime/wire/explanation_json.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/program/engine_setup.h"
#include "shell/program/findings.h"
#include "shell/program/program_run.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/answer_script.h"
#include "shell/terminal/colours.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl explain -f FILE… FORM: explains the facts that match, or why none does.
enum class ExplainFormat { kText, kJson, kDot };
struct ExplainOptions {
  std::vector<std::string> files;
  std::string form;  // one call, with or without variables
  bool absent = false;
  std::optional<std::size_t> depth;
  ExplainFormat format = ExplainFormat::kText;
  EngineOptions engine;  // `format` is not used
};

constexpr const char* kExplainFooter =
    R"(Examples
  rpl explain -f graph.rpl 'reachable(1, 4)'
  rpl explain -f graph.rpl 'reachable(1, ?x)'       # the first ten matching facts
  rpl explain -f graph.rpl --not 'reachable(4, 1)'  # why it does not hold
  rpl explain -f protocol.md '%trip(?to)' --answer start=home
  rpl explain -f graph.rpl 'reachable(1, 4)' --format dot | dot -Tsvg >why.svg)";

using nlohmann::ordered_json;

constexpr std::size_t kDepth = 64;
constexpr std::size_t kAbsenceDepth = 2;

void PrintJson(const std::vector<Explanation>& all, const Sources& sources) {
  for (const Explanation& explanation : all) {
    std::cout << Dump(ExplanationJson(explanation, sources)) << '\n';
  }
}

void PrintDot(const std::vector<Explanation>& all, const Sources& sources) {
  std::cout << "digraph explanation {\n";
  for (std::size_t i = 0; i < all.size(); ++i)
    std::cout << ExplanationDot(all[i], sources, fmt::format("f{}_", i));
  std::cout << "}\n";
}

// What is explained is the first line.
void PrintText(const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::cout << Marked(text.substr(0, end), kBold, ColoursFor("auto").out) << text.substr(end);
}

void Print(const std::vector<Explanation>& all, const Sources& sources, ExplainFormat format) {
  switch (format) {
    case ExplainFormat::kJson: PrintJson(all, sources); break;
    case ExplainFormat::kDot: PrintDot(all, sources); break;
    case ExplainFormat::kText:
      for (const Explanation& explanation : all)
        PrintText(Printable(ExplanationText(explanation, sources)));
  }
  std::cout << std::flush;
}

// One fact with the place of its fact or rule.
std::string InShort(const Explanation& explanation, const Sources& sources) {
  const ExplainNode& root = explanation.nodes.front();
  std::string out = root.text;
  if (root.placed)
    out +=
        fmt::format(", {} at {}", root.kind == ExplainNode::Kind::kAsserted ? "a fact" : "derived",
                    sources.Where(root.place));
  return out;
}

// Why there may be more facts than those that were found, and what would tell.
void PrintDoubt(const Explained& explained, const std::string& what) {
  std::cerr << what << Printable(explained.reason) << '\n';
  if (!explained.pending.empty())
    std::cerr << fmt::format("note: nobody has answered {}, which `--answer '{}=VALUE'` does\n",
                             Printable(explained.pending.front()->id),
                             PrintableLine(explained.pending.front()->name));
}

int PrintAbsence(const Explained& explained, const ExplainOptions& options,
                 const Sources& sources) {
  if (explained.why_not) {
    Print({*explained.why_not}, sources, options.format);
    if (explained.doubt == Status::kNothing) return kExitOk;
    PrintDoubt(explained, "it is not known whether it holds: ");
    return ExitCodeOf(explained.doubt);
  }
  std::cerr << fmt::format("it holds: {}\nhelp: see its proof without `--not`\n",
                           Printable(InShort(explained.why.proofs.front(), sources)));
  return kExitNo;
}

int PrintProofs(const Explained& explained, const ExplainOptions& options, const Sources& sources) {
  const std::vector<Explanation>& proofs = explained.why.proofs;
  if (proofs.empty()) {
    const ExplainNode& root = explained.why_not->nodes.front();
    const std::string form = Printable(Shortened(root.text, kToldBytes));
    if (explained.doubt != Status::kNothing) {
      PrintDoubt(explained, fmt::format("it is not known whether a fact matches `{}`: ", form));
      std::cerr << "help: see how far it gets with `--not`\n";
      return ExitCodeOf(explained.doubt);
    }
    std::cerr << fmt::format("no fact matches `{}`{}\nhelp: see why with `--not`\n", form,
                             root.note.empty() ? "" : ": " + Printable(root.note));
    return kExitNo;
  }
  Print(proofs, sources, options.format);
  const bool cut = std::any_of(proofs.begin(), proofs.end(), [](const Explanation& proof) {
    return std::any_of(proof.nodes.begin(), proof.nodes.end(), [](const ExplainNode& node) {
      return node.kind == ExplainNode::Kind::kTruncated;
    });
  });
  if (cut) std::cerr << "help: `--depth` shows more levels\n";
  if (explained.why.more > 0)
    std::cerr << fmt::format("note: {} more match and are not explained\n", explained.why.more);
  if (explained.doubt != Status::kNothing) PrintDoubt(explained, "there may be more: ");
  return kExitOk;
}

// The label of a form of one call.
std::string LabelOf(const std::string& form) {
  const std::size_t begin = std::min(form.find_first_not_of(" \t"), form.size());
  return form.substr(begin, form.find_first_of("( \t", begin) - begin);
}

// The queries that rows of the explanation come from, or would.
void PrintQueries(const Explained& explained, const std::vector<SqlPushed>& pushed) {
  std::set<std::string> labels;
  const auto take = [&](const Explanation& explanation) {
    for (const ExplainNode& node : explanation.nodes) labels.insert(LabelOf(node.text));
  };
  for (const Explanation& proof : explained.why.proofs) take(proof);
  if (explained.why_not) take(*explained.why_not);
  for (const SqlPushed& query : pushed) {
    if (!labels.contains(query.relation)) continue;
    const auto of_label = std::ranges::count(pushed, query.relation, &SqlPushed::relation);
    std::cerr << fmt::format("note: the rows of {} come from the database of {}, by this query:\n",
                             of_label > 1 ? fmt::format("{}/{}", query.relation, query.types.size())
                                          : query.relation,
                             query.database)
              << Printable(query.select) << '\n';
  }
}

// kExitNo if no fact matches; with `absent`, if one does.
int CommandExplain(const ExplainOptions& options) {
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadAll(options.files, options.engine, files); code != kExitOk)
    return code;
  if (!IsUtf8(options.form)) {
    std::cerr << "rpl: expected a fact in UTF-8\n";
    return kExitInvalid;
  }
  Nobody nobody;
  ToolSetup tools(options.engine, false, nobody);
  tools.OnlyRead();
  if (const ExitCode code = tools.Prepare(options.files); code != kExitOk) return code;
  AnswerScript script(std::cerr);
  RelayingAgent agent(nobody, tools.tools(), script);
  if (const ExitCode code = AddAnswers(options.engine, script); code != kExitOk) return code;

  std::unique_ptr<Run> run;
  Outcome outcome;
  for (bool again = true; std::exchange(again, false);) {
    Run::Opened opened =
        Run::Open({agent, agent, tools.access()}, {.files = files,
                                                   .reader = ReaderBeside(options.files),
                                                   .options = SessionOptionsFor(options.engine)});
    run = std::move(opened.run);
    const Sources& texts = run->session().sources();
    // Rows that are left out may be the reason for what is explained.
    PrintDiagnostics(opened ? FindingsInFacts(opened.findings, texts) : opened.findings, texts,
                     std::cerr);
    if (!opened) return kExitInvalid;
    outcome = run->Turn();
    // What a database has instead of rows here is read, to explain it.
    const std::vector<std::string> below = run->session().NotRead();
    again = !Interrupted() && std::ranges::find(below, LabelOf(options.form)) != below.end();
    tools.OnlyRead(!again);
  }
  Session& session = run->session();
  if (Interrupted()) return kExitInterrupted;
  if (!script.misfit().error.empty()) return ReportAnswers(script);
  const ExplainLimits limits{10, options.depth.value_or(kDepth)};
  Explained explained =
      session.Explain(options.form, limits, options.depth.value_or(kAbsenceDepth));
  if (Interrupted()) return kExitInterrupted;
  // A run that did not come to its end may still find something.
  if (outcome.status == Status::kLimit && explained.why_not && explained.doubt == Status::kNothing)
    explained.doubt = Status::kLimit, explained.reason = outcome.reason;
  PrintDiagnostics(explained.diagnostics, session.sources(), std::cerr);
  if (explained.rejected) return kExitInvalid;
  PrintQueries(explained, session.Pushed());
  return options.absent ? PrintAbsence(explained, options, session.sources())
                        : PrintProofs(explained, options, session.sources());
}

}  // namespace

Command DescribeExplain(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<ExplainOptions>();
  ExplainOptions& to = *options;
  AddPrograms(command, to.files).Required();
  command.Add("FORM", to.form, "A fact or a goal, with or without variables").Required();
  command.Flag("--not", to.absent, "Explain why no fact matches");
  command
      .AddTaking<std::size_t>(
          "--depth", [&to](const std::size_t& depth) { to.depth = depth; },
          "Levels to show (default: 64; with --not, 2)")
      .Unit("N")
      .Within(0, 10'000);
  AddAnswerOptions(command, to.engine);
  AddRepeatable(command, "--allow-tool", to.engine.allow_tools, "NAME",
                "Read what rpl.yaml opens, without its approval: index; repeatable");
  AddLimitOptions(command, to.engine.limits);
  AddFactsOptions(command, to.engine);
  AddFormat(command, to.format,
            {{"text", ExplainFormat::kText},
             {"json", ExplainFormat::kJson},
             {"dot", ExplainFormat::kDot}});
  command.Footer(kExplainFooter);
  return {.run = [options] { return CommandExplain(*options); },
          .limits = &to.engine.limits,
          .threads = &to.engine.threads};
}

}  // namespace rpl
