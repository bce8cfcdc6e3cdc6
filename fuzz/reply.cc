// SPDX-License-Identifier: Apache-2.0
//
// Feeds the input to a whole session, as `rpl reply` does with a message, and to the
// checker, as `rpl check` does with a file. Form feeds part the input: all parts but the
// last are documents, the last is the message. An agent answers the first few requests
// with values, metadata and refusals in turn, then nobody answers. All limits are low, and
// the run is interrupted after a number of steps, so that an input ends in milliseconds.
//
// A reply is lines of UTF-8. What happened prints: the outcome as JSON, the log, the trace.
// The same input gives the same bytes again, also when facts are explained between the
// turns. Whatever the session refuses, the checker refuses. Its findings are sorted, they
// and their edits lie in the files, and what is mended is UTF-8 still.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "fuzz/require.h"
#include "interp/lint/checker.h"
#include "runtime/explained.h"
#include "runtime/nobody.h"
#include "runtime/run/session.h"
#include "runtime/wire/outcome_json.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl::fuzz {
namespace {

constexpr int kAnswered = 12;     // requests that get a reply
constexpr int kPollsOfReply = 8;  // of SessionOptions::interrupted before it stops the run

// Answers the same requests in the same way, whatever they ask.
struct Repeating : Nobody {
  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view refused) override {
    return AnswerTo(question, pool, refused);
  }
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override {
    std::vector<rpl::Answer> out;
    for (const ToolCall& call : calls) out.push_back(AnswerTo(call, pool, ""));
    return out;
  }
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view refused) {
    using Kind = rpl::Answer::Kind;
    said += request.id + (refused.empty() ? "\n" : " again\n");
    if (!refused.empty() || asked == kAnswered) return {};
    const int turn = asked++;
    if (!request.choices().empty() && turn % 4 != 3)
      return {Kind::kValue,
              request.choices()[static_cast<std::size_t>(turn) % request.choices().size()]};
    switch (turn % 6) {
      case 0: return {Kind::kValue, pool.String("a")};
      case 1: return {Kind::kValue, pool.Int(turn)};
      case 2: {
        const Value fields[] = {pool.Keyword("status"), pool.Int(200), pool.Keyword("body"),
                                pool.String("ok")};
        return {Kind::kMeta, pool.Map(fields)};
      }
      case 3: return {Kind::kDecline, {}};
      case 4: {
        const Value items[] = {pool.Int(1), pool.String("b"), pool.Symbol("c")};
        return {Kind::kValue, turn % 4 == 0 ? pool.Set(items) : pool.List(items)};
      }
      default: return {Kind::kNobody, {}};
    }
  }
  void Chat(const std::string& line) {
    Require(line.find('\n') == std::string::npos, "chat is a line", line);
    said += line + '\n';
  }

  int asked = 0;
  std::string said;
};

std::vector<std::string> Parts(std::string_view input) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= input.size();) {
    const std::size_t end = std::min(input.find('\f', at), input.size());
    out.emplace_back(input.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// One session, and everything that one can see of it.
class Talk {
 public:
  Talk(const std::vector<std::string>& parts, bool explaining)
      : explaining_(explaining), session_(agent_, Options()) {
    session_.SetFileReader(ReadOther);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) Show(session_.Load(NameOf(i), parts[i]));
    if (parts.size() > 1) {
      polls_ = 0;
      Show(session_.Run());
      Explain();
    }
    polls_ = 0;
    Show(session_.Say("<message 1>", parts.back()));
    Explain();
    for (const std::string& line : session_.Rules()) seen_ += line + '\n';
    for (const std::string& line : session_.Trace()) seen_ += line + '\n';
    seen_ += agent_.said;
  }

  static std::string NameOf(std::size_t part) { return part % 2 == 0 ? "in.md" : "in.rpl"; }
  static std::optional<std::string> ReadOther(const std::string& name) {
    if (name != "other.md") return std::nullopt;
    return "# Other - other(?x)\n\n    code\n\nother(1)\n";
  }

  const std::string& seen() const { return seen_; }
  bool interrupted() const { return interrupted_; }
  bool refused() const { return refused_; }

 private:
  SessionOptions Options() {
    SessionOptions options;
    options.now = "2024-02-29T12:00:00Z";
    options.limits.max_rows = 2000;
    options.limits.max_rounds = 30;
    options.limits.max_depth = 50;
    options.limits.max_iterations = 100;
    options.limits.max_timesteps = 30;
    options.limits.max_seconds = 0;    // the clock and the machine's memory would decide
    options.limits.max_megabytes = 0;  // differently from run to run; libFuzzer limits them
    options.log = [this](const LogLine& line) { seen_ += LogText(line) + '\n'; };
    options.interrupted = [this] { return ++polls_ > kPollsOfReply; };
    return options;
  }

  void Show(const std::vector<Diagnostic>& findings) {
    for (const Diagnostic& d : findings) {
      seen_ += Render(d, session_.sources());
      refused_ |= d.severity == Severity::kError;
    }
  }

  void Show(const Outcome& outcome) {
    Show(outcome.diagnostics);
    for (const std::string& line : Session::Reply(outcome)) {
      Require(line.find('\n') == std::string::npos, "a reply is lines", line);
      Require(IsUtf8(line), "a reply is UTF-8", line);
      seen_ += line + '\n';
    }
    seen_ += Dump(OutcomeJson("rpl.reply/1", outcome, session_.pool())) + '\n';
    interrupted_ |= polls_ > kPollsOfReply;
  }

  // The first few relations and goals that are defined, with a variable per argument.
  void Explain() {
    std::vector<std::string> names = session_.Definitions();
    if (names.size() > 4) names.resize(4);
    for (const std::string& name : names) {
      const std::size_t slash = name.rfind('/');
      if (name.front() == '$' || slash == std::string::npos) continue;
      std::string form = name.substr(0, slash) + '(';
      for (int i = std::stoi(name.substr(slash + 1)); i > 0; --i)
        form += "?x" + std::to_string(i) + (i > 1 ? ", " : "");
      form += ')';
      polls_ = 0;
      if (explaining_) session_.Explain(form, {3, 6}, 2);
    }
  }

  bool explaining_;
  Repeating agent_;
  std::string seen_;
  int polls_ = 0;
  bool interrupted_ = false;
  bool refused_ = false;
  Session session_;
};

void RequireInside(Span span, const Sources& sources, const std::string& what) {
  Require(span.file < sources.size() && span.begin <= span.end &&
              span.end <= sources.at(span.file).text.size(),
          "a finding lies in its file", what);
}

// Returns whether there is an error.
bool Check(const std::vector<std::string>& parts) {
  Sources sources;
  std::vector<std::uint32_t> files;
  for (std::size_t i = 0; i < parts.size(); ++i)
    files.push_back(sources.Add(Talk::NameOf(i), parts[i]));
  CheckOptions options;
  options.reader = Talk::ReadOther;
  const std::vector<Finding> findings = CheckFiles(sources, files, options);
  Span last;
  bool errors = false;
  for (const Finding& f : findings) {
    const Span span = f.diagnostic.span;
    errors |= f.diagnostic.severity == Severity::kError;
    RequireInside(span, sources, f.diagnostic.message);
    Require(std::pair(last.file, last.begin) <= std::pair(span.file, span.begin),
            "findings are sorted", f.diagnostic.message);
    last = span;
    Require(!Render(f.diagnostic, sources).empty(), "a finding prints");
    for (const Edit& e : f.edits) RequireInside(e.span, sources, f.diagnostic.message);
  }
  const std::vector<Finding> mendable = Mendable(findings);
  for (const std::uint32_t file : files) {
    const std::string fixed = Fixed(sources, file, mendable);
    Require(IsUtf8(fixed) || !IsUtf8(sources.at(file).text), "what is mended is UTF-8", fixed);
  }
  return errors;
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rpl::fuzz;
  const std::vector<std::string> parts = Parts({reinterpret_cast<const char*>(data), size});
  if (parts.size() > 4) return 0;
  const Talk talk(parts, false);
  const Talk again(parts, true);
  if (!talk.interrupted() && !again.interrupted())
    Require(talk.seen() == again.seen(), "the same input gives the same bytes",
            talk.seen() + "\n--- again\n" + again.seen());
  const bool errors = Check(parts);
  const bool asks = parts.back().find('%') != std::string::npos;  // its query is no document
  const bool hushed = parts.back().find("rpl-ignore") != std::string::npos;
  if (parts.size() == 1 && talk.refused() && !asks && !hushed)
    Require(errors, "what the session refuses, the checker refuses", talk.seen());
  return 0;
}
