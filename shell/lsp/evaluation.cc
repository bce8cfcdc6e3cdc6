// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/evaluation.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "formats/shorten.h"
#include "interp/explain/explain_print.h"
#include "interp/store/pages.h"
#include "runtime/explained.h"
#include "runtime/nobody.h"
#include "runtime/run/run.h"
#include "shell/program/program_run.h"
#include "shell/repl/entry.h"
#include "shell/terminal/report.h"

namespace rpl::lsp {
namespace {

constexpr std::size_t kMostLines = 200;
constexpr std::size_t kMostText = std::size_t{64} << 10;
constexpr std::size_t kMostProofs = 5;
constexpr std::size_t kProofDepth = 16;
constexpr std::size_t kMissingDepth = 2;

}  // namespace

struct Evaluation::Loaded {
  Nobody nobody;
  std::unique_ptr<rpl::Run> run;
  std::chrono::steady_clock::time_point until;
  bool late = false;
  bool stopped = false;

  Session& session() { return run->session(); }

  // What to say in place of a result; "" if there is one.
  std::string Unknown(const EvaluationLimits& limits) const {
    if (stopped) return "not known: cancelled";
    if (late)
      return "not known: the evaluation takes longer than " + std::to_string(limits.time.count()) +
             " ms, the limit in an editor";
    return "";
  }
  std::string Unknown(const Outcome& outcome, const EvaluationLimits& limits) const {
    if (std::string text = Unknown(limits); !text.empty()) return text;
    if (outcome.status == Status::kLimit) return "not known: " + outcome.reason;
    return "";
  }
};

// Loads the document. What to say instead of a result, if that is all there is.
std::string Evaluation::Begin(Loaded& to) const {
  if (file_->text.size() > limits_.bytes)
    return "not known: the document has more than " + std::to_string(limits_.bytes >> 20) +
           " MiB, the limit in an editor";
  SessionOptions options;
  options.limits.max_rows = limits_.rows;
  options.limits.max_megabytes = ResidentMegabytes() + limits_.megabytes;
  options.limits.max_timesteps = 1'000;
  options.answer_forms.json = false;
  to.until = std::chrono::steady_clock::now() + limits_.time;
  options.interrupted = [this, &to] {
    to.stopped = to.stopped || cancelled_->load();
    to.late = to.late || std::chrono::steady_clock::now() > to.until;
    return to.stopped || to.late;
  };
  // Named as the documents that it names are, from its folder.
  const std::string name = std::filesystem::path(file_->name()).filename();
  rpl::Run::Opened opened = rpl::Run::Open(
      to.nobody, {.files = {{name, file_->text}}, .reader = files_, .options = std::move(options)});
  to.run = std::move(opened.run);
  if (opened) return "";
  const auto first = std::ranges::find(opened.findings, Severity::kError, &Diagnostic::severity);
  return "not evaluated: the document has errors, the first of them:\n" +
         Render(*first, to.session().sources());
}

std::string Evaluation::Why(const std::string& call) const {
  Loaded loaded;
  if (std::string text = Begin(loaded); !text.empty()) return text;
  const Outcome outcome = loaded.run->Turn();
  if (std::string text = loaded.Unknown(outcome, limits_); !text.empty()) return text;
  const Explained explained =
      loaded.session().Explain(call, {kMostProofs, kProofDepth}, kMissingDepth);
  if (std::string text = loaded.Unknown(limits_); !text.empty()) return text;
  const Sources& sources = loaded.session().sources();
  std::string out;
  if (explained.rejected)
    for (const Diagnostic& d : explained.diagnostics) out += Render(d, sources);
  for (const Explanation& proof : explained.why.proofs) out += ExplanationText(proof, sources);
  if (explained.why.more > 0) out += "and " + std::to_string(explained.why.more) + " more\n";
  if (explained.why_not) out += ExplanationText(*explained.why_not, sources);
  if (!explained.pending.empty())
    out += "note: nobody was asked: `" + explained.pending.front()->id + "` has no answer here\n";
  else if (explained.doubt != Status::kNothing)
    out += (explained.why_not ? "it is not known whether it holds: " : "there may be more: ") +
           explained.reason + "\n";
  return Shortened(std::move(out), kMostText);
}

std::string Evaluation::Answers(const std::string& query) const {
  Loaded loaded;
  if (std::string text = Begin(loaded); !text.empty()) return text;
  const Entry entry = ReadEntry(query, "<query>", Ground::kAsks);
  if (entry.kind != Entry::Kind::kQuery) return "not a query: `" + query + "`";
  const Outcome outcome = loaded.run->Say(entry.name, entry.text);
  if (std::string text = loaded.Unknown(outcome, limits_); !text.empty()) return text;
  std::ostringstream out;
  std::size_t shown = 0;
  const std::vector<std::string> lines = Session::Reply(outcome);
  for (const std::string& line : lines)
    if (++shown <= kMostLines) out << line << '\n';
  if (lines.size() > kMostLines) out << "and " << lines.size() - kMostLines << " more\n";
  if (outcome.status == Status::kWaiting) PrintEnd(outcome, loaded.session().pool(), out);
  if (!outcome.cut_off.empty()) out << "there may be more: " << outcome.cut_off << '\n';
  return Shortened(out.str(), kMostText);
}

std::string Evaluation::Run(const std::string& given) const {
  Loaded loaded;
  if (std::string text = Begin(loaded); !text.empty()) return text;
  const std::string goal = GoalNamed(given);
  if (!loaded.session().SetGoal(goal)) return "there is no goal `%" + goal + "`";
  const Outcome outcome = loaded.run->Turn();
  if (std::string text = loaded.Unknown(outcome, limits_); !text.empty()) return text;
  std::ostringstream out;
  std::size_t shown = 0;
  for (const std::string& line : outcome.answers)
    if (++shown <= kMostLines) out << line << '\n';
  if (outcome.answers.size() > kMostLines)
    out << "and " << outcome.answers.size() - kMostLines << " more\n";
  PrintEnd(outcome, loaded.session().pool(), out);
  return Shortened(out.str(), kMostText);
}

}  // namespace rpl::lsp
