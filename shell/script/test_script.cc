// SPDX-License-Identifier: Apache-2.0
#include "shell/script/test_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "formats/character.h"
#include "grammar/markdown.h"
#include "grammar/parser.h"
#include "runtime/wire/plain_term.h"
#include "shell/script/script_folder.h"
#include "shell/terminal/answer_script.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

struct Directive {
  std::string_view name;
  TestStepKind kind;
  bool argument;  // true if text after the colon is required
  bool body;      // true if body lines may follow
};

constexpr std::array kDirectives = {
    Directive{"NOW", TestStepKind::kNow, true, false},
    Directive{"REPLY", TestStepKind::kReply, true, false},
    Directive{"BY", TestStepKind::kBy, true, false},
    Directive{"FILE", TestStepKind::kFile, true, true},
    Directive{"DOCUMENT", TestStepKind::kDocument, true, true},
    Directive{"LOAD", TestStepKind::kLoad, true, false},
    Directive{"MODEL", TestStepKind::kModel, true, false},
    Directive{"USER", TestStepKind::kUser, false, true},
    Directive{"RUN", TestStepKind::kRun, false, false},
    Directive{"CALL", TestStepKind::kCall, true, false},
    Directive{"RESULT", TestStepKind::kResult, true, false},
    Directive{"ENDS", TestStepKind::kEnds, false, false},
    Directive{"DENY", TestStepKind::kDeny, true, true},
    Directive{"PASS", TestStepKind::kPass, false, false},
    Directive{"AGENT", TestStepKind::kAgent, false, true},
    Directive{"UNSAT", TestStepKind::kUnsat, false, true},
    Directive{"FAIL", TestStepKind::kFail, false, true},
    Directive{"WAITING", TestStepKind::kWaiting, false, true},
    Directive{"REJECT", TestStepKind::kReject, false, true},
    Directive{"ACCEPT", TestStepKind::kAccept, false, false},
    Directive{"LINT", TestStepKind::kLint, false, true},
    Directive{"CLEAN", TestStepKind::kClean, false, false},
    Directive{"STATUS", TestStepKind::kStatus, true, false},
    Directive{"LOG", TestStepKind::kLog, false, true},
    Directive{"NO LOG", TestStepKind::kNoLog, false, true},
    Directive{"DEFINES", TestStepKind::kDefines, false, true},
    Directive{"RULES", TestStepKind::kRules, false, true},
    Directive{"TREE", TestStepKind::kTree, false, true},
    Directive{"VERIFY", TestStepKind::kVerifyTable, false, true},
    Directive{"COMMAND", TestStepKind::kCommand, true, true},
    Directive{"GUARD", TestStepKind::kGuard, false, true},
    Directive{"EXIT", TestStepKind::kExit, true, false},
    Directive{"STDOUT", TestStepKind::kStdout, false, true},
    Directive{"NO STDOUT", TestStepKind::kNoStdout, false, true},
    Directive{"PRINTS", TestStepKind::kPrints, false, true},
    Directive{"STDERR", TestStepKind::kStderr, false, true},
    Directive{"NO STDERR", TestStepKind::kNoStderr, false, true},
    Directive{"WRITES", TestStepKind::kWrites, true, true},
    Directive{"ABSENT", TestStepKind::kNoFile, true, false},
    Directive{"FOLDER", TestStepKind::kFolder, true, true},
    Directive{"SAME", TestStepKind::kSame, true, false},
};

// The number of files of the script's folder in the argument of a directive.
std::size_t PathsOf(TestStepKind kind) {
  switch (kind) {
    case TestStepKind::kWrites:
    case TestStepKind::kNoFile:
    case TestStepKind::kFolder: return 1;
    case TestStepKind::kSame: return 2;
    default: return 0;
  }
}

constexpr std::array<std::string_view, 5> kStatuses = {"satisfied", "unsatisfied", "waiting",
                                                       "failed", "tool-failed"};

// The name of the directive that the line opens, or "" for a body line.
std::string_view DirectiveOf(std::string_view line) {
  std::size_t end = line.starts_with("NO ") ? 3 : 0;
  const std::size_t word = end;
  while (end < line.size() && line[end] >= 'A' && line[end] <= 'Z') ++end;
  if (end == word || end == line.size() || line[end] != ':') return "";
  return line.substr(0, end);
}

// The reader of the scripts of one case.
class ScriptReader {
 public:
  ScriptReader(const Sources& sources, TestCase& to) : sources_(sources), case_(to) {}

  void ReadScript(const Block& fence) {
    case_.scripts.push_back({LineOf(fence.span), {}});
    if (!fence.closed) Error(LineOf(fence.span), "the fence is never closed");
    open_ = nullptr;
    for (Span rest = fence.content; rest.begin < rest.end;) {
      const std::string_view text = sources_.Text(rest);
      const auto length = static_cast<std::uint32_t>(std::min(text.find('\n'), text.size()));
      Span line{rest.file, rest.begin, rest.begin + length};
      rest.begin = std::min(line.end + 1, rest.end);
      if (sources_.Text(line).ends_with('\r')) --line.end;
      ReadLine(line);
    }
    for (ScriptStep& step : case_.scripts.back().steps) Finish(step);
    if (case_.scripts.back().steps.empty()) Error(LineOf(fence.span), "the script is empty");
  }

 private:
  void ReadLine(Span line) {
    const std::string_view text = sources_.Text(line);
    const std::string_view name = DirectiveOf(text);
    if (!name.empty()) {
      Open(line, name);
    } else if (open_ != nullptr && open_->body) {
      case_.scripts.back().steps.back().body.emplace_back(text);
    } else if (!IsAllSpace(text)) {
      Error(LineOf(line), fmt::format("expected a directive, got `{}`", text));
    }
  }

  void Open(Span line, std::string_view name) {
    const auto* found = std::find_if(kDirectives.begin(), kDirectives.end(),
                                     [&](const Directive& d) { return d.name == name; });
    if (found == kDirectives.end()) {
      Error(LineOf(line), fmt::format("unknown directive `{}:`", name));
      return;
    }
    open_ = found;
    ScriptStep step;
    step.kind = found->kind;
    step.name = name;
    step.line = LineOf(line);
    Span argument = line;
    argument.begin += static_cast<std::uint32_t>(name.size() + 1);
    argument = Trim(argument);
    step.argument = sources_.Text(argument);
    if (found->argument && step.argument.empty()) {
      Error(step.line, fmt::format("expected something behind `{}:`", name));
    } else if (!found->argument && !step.argument.empty()) {
      Error(step.line, fmt::format("the text of `{}:` belongs on the lines below it", name));
    } else if (step.kind == TestStepKind::kLoad || step.kind == TestStepKind::kModel) {
      step.argument =
          fs::path(sources_.at(line.file).name).replace_filename(step.argument).lexically_normal();
    } else if (step.kind == TestStepKind::kReply) {
      ReadReply(argument, step);
    } else if (step.kind == TestStepKind::kBy && !ByOf(step.argument)) {
      Error(step.line, "expected `person`, `host`, `model`, `tool`, `file` or `program`");
    } else if (step.kind == TestStepKind::kStatus &&
               std::find(kStatuses.begin(), kStatuses.end(), step.argument) == kStatuses.end()) {
      Error(step.line, fmt::format("unknown status `{}`", step.argument));
    } else if (step.kind == TestStepKind::kFile && !IsInnerPath(step.argument)) {
      Error(step.line, "expected a path inside the folder of the script");
    } else if (step.kind == TestStepKind::kCommand || PathsOf(step.kind) > 0) {
      ReadWords(step);
    }
    case_.scripts.back().steps.push_back(std::move(step));
  }

  void ReadWords(ScriptStep& step) {
    const auto words = CommandWords(step.argument);
    const std::size_t paths = PathsOf(step.kind);
    if (!words) {
      Error(step.line, "a quote is not closed");
    } else if (paths > 0 && (words->size() != paths ||
                             !std::all_of(words->begin(), words->end(), IsInnerPath))) {
      Error(step.line, paths == 1 ? "expected a path inside the folder of the script"
                                  : "expected two paths inside the folder of the script");
    } else {
      step.words = *words;
    }
  }

  // CALL => VALUE, CALL => decline, CALL => ^ {…}. The arrow is the first with a term on its left,
  // because strings may contain arrows.
  void ReadReply(Span text, ScriptStep& step) {
    const std::string_view whole = sources_.Text(text);
    for (std::size_t at = whole.find("=>"); at != whole.npos; at = whole.find("=>", at + 1)) {
      Diagnostics ignored;
      const auto arrow = static_cast<std::uint32_t>(text.begin + at);
      step.call = ParseTerm(sources_, Trim({text.file, text.begin, arrow}), ignored);
      if (!step.call) continue;
      if (!IsCallPattern(*step.call)) break;
      ReadReplyValue(Trim({text.file, arrow + 2, text.end}), step);
      return;
    }
    Error(step.line, "expected a tool call, an avar or an argument name, `=>`, and a value");
  }

  void ReadReplyValue(Span text, ScriptStep& step) {
    if (sources_.Text(text) == "decline") {
      step.reply = Answer::Kind::kDecline;
      return;
    }
    if (sources_.Text(text).starts_with('^')) {
      step.reply = Answer::Kind::kMeta;
      text = Trim({text.file, text.begin + 1, text.end});
    }
    Diagnostics found;
    step.value = ParseTerm(sources_, text, found);
    if (!step.value) {
      Error(step.line, found.size() == 0 ? "expected a value" : found.all().front().message);
    } else if (!IsPlain(*step.value, false)) {
      Error(step.line, "expected a value without variables and calls");
    }
  }

  static bool IsCallPattern(const Node& node) {
    if (node.As<Avar>() != nullptr || node.As<Symbol>() != nullptr) return true;
    const auto* call = node.As<Call>();
    return call != nullptr && call->ns == Namespace::kTool &&
           std::all_of(call->args.begin(), call->args.end(),
                       [](const Node& arg) { return IsPlain(arg, true); });
  }

  // Blank lines before the next directive only separate the steps.
  static void Finish(ScriptStep& step) {
    while (!step.body.empty() && IsAllSpace(step.body.back())) step.body.pop_back();
  }

  Span Trim(Span span) const {
    while (span.begin < span.end &&
           IsAllSpace(sources_.Text({span.file, span.begin, span.begin + 1})))
      ++span.begin;
    while (span.begin < span.end && IsAllSpace(sources_.Text({span.file, span.end - 1, span.end})))
      --span.end;
    return span;
  }

  std::uint32_t LineOf(Span span) const { return sources_.PlaceOf(span.file, span.begin).line; }

  void Error(std::uint32_t line, std::string message) {
    case_.errors.push_back(fmt::format("line {}: {}", line, message));
  }

  const Sources& sources_;
  TestCase& case_;
  const Directive* open_ = nullptr;  // the directive of the current step
};

// The lines of a list or a quote at which a fence of this tag begins, from 0. One that is four
// columns behind the text of its item is indented code.
std::vector<std::uint32_t> FencesWithin(std::string_view text, std::string_view tag) {
  std::vector<std::uint32_t> out;
  char mark = 0;  // of the open fence
  std::size_t size = 0;
  std::size_t column = 0;  // of the text of the innermost item
  for (std::uint32_t line = 0; !text.empty(); ++line) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::size_t item = std::min(whole.find_first_not_of(" \t>"), whole.size());
    const std::size_t at = std::min(whole.find_first_not_of(" \t>-+*.)0123456789"), whole.size());
    if (at > item && whole[at - 1] == ' ') column = at;
    if (at >= column + 4) continue;
    std::string_view rest = whole.substr(at);
    const std::size_t run = std::min(rest.find_first_not_of(rest.substr(0, 1)), rest.size());
    if (run < 3 || (rest[0] != '`' && rest[0] != '~')) continue;
    const std::string_view info = Trimmed(rest.substr(run));
    if (mark == 0) {
      mark = rest[0];
      size = run;
      if (info == tag) out.push_back(line);
    } else if (rest[0] == mark && run >= size && info.empty()) {
      mark = 0;
    }
  }
  return out;
}

}  // namespace

std::vector<TestCase> ReadTestCases(Sources& sources, std::uint32_t file) {
  std::vector<TestCase> cases;
  std::vector<std::pair<int, std::string>> open;  // headings, by level
  TestCase current{sources.at(file).name, 1, {}, {}, {}};
  auto finish = [&] {
    if (!current.scripts.empty() || !current.errors.empty()) cases.push_back(std::move(current));
  };
  for (const Block& block : ReadBlocks(sources, file)) {
    if (block.kind == BlockKind::kHeading) {
      finish();
      current = {std::string(sources.Text(block.content)),
                 sources.PlaceOf(file, block.span.begin).line,
                 {},
                 {},
                 {}};
      while (!open.empty() && open.back().first >= block.level) open.pop_back();
      for (const auto& [level, text] : open) current.above.push_back(text);
      open.emplace_back(block.level, current.name);
    } else if (block.kind == BlockKind::kFence && block.info == "rpl-test") {
      ScriptReader(sources, current).ReadScript(block);
    } else if (block.kind == BlockKind::kList || block.kind == BlockKind::kQuote) {
      const std::uint32_t first = sources.PlaceOf(file, block.span.begin).line;
      for (const std::uint32_t line : FencesWithin(sources.Text(block.span), "rpl-test"))
        current.errors.push_back(
            fmt::format("line {}: a script in a list or a quote is not run", first + line));
    }
  }
  finish();
  return cases;
}

}  // namespace rpl
