// SPDX-License-Identifier: Apache-2.0
//
// The cost of long sessions: of the run itself, of replaying it, and of opening it again. Lines
// `LABEL VALUE UNIT`, in CPU time:
//
//   bench_resume FOLDER [SHAPE [N…]]
//
//   chain     a relation that calls a tool for each of its rows, one after another
//   down      the same, from the last step to the first, so that calls nest
//   goals     a goal per step, which needs the one before and calls a tool
//   rows      a plan over rows, with a call for each that needs the reply before
//   batch     the same; the calls go out together
//   messages  a conversation: each message is a turn with a fact, answered by a rule
//   asks      questions to a person, one after another
//
// The sessions are made in FOLDER, and removed.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/saved_session.h"

namespace {

/// Seconds of CPU time, of all threads.
double Processor() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// A tool that answers at once: `$work(7)` with 7, a question with "yes".
class Worker : public rpl::Agent {
 public:
  rpl::Answer Answer(const rpl::Request& request, rpl::Pool& pool, std::string_view) override {
    if (request.kind != rpl::Request::Kind::kTool)
      return {rpl::Answer::Kind::kValue, pool.String("yes")};
    if (request.starting && !request.starting()) return {};
    return {rpl::Answer::Kind::kValue, request.args.empty() ? rpl::kNil : request.args.front()};
  }
  void Chat(const std::string&) override {}
  void OfferToContinue(const std::string&) override {}
};

std::string ProgramOf(const std::string& shape, int n) {
  const std::string last = std::to_string(n);
  if (shape == "chain")
    return "step(0)\nstep(?m) <- step(?n), ?n < " + last +
           ", $work(?n) ^ ~ {:result ?r}, ?m = ?r + 1\n% <- step(" + last + ")\n";
  if (shape == "down")
    return "done(0, 0)\n"
           "done(?m, ?r) <- ?m > 0, ?n = ?m - 1, done(?n, ?q), $work(?m, ?q) ^ ~ {:result ?r}\n"
           "% <- done(" +
           last + ", _)\n";
  if (shape == "goals")
    return "%step(?m, ?r) <- ?m > 0, ?n = ?m - 1, %step(?n, ?q), $work(?m, ?q) ^ ~ {:result ?r}\n"
           "%step(?m, ?r) <- ?m = 0, ?r = 0\n% <- %step(" +
           last + ", _)\n";
  if (shape == "rows") {
    std::string rows;
    for (int i = 0; i < n; ++i)
      rows += "next(" + std::to_string(i) + ", " + std::to_string(i + 1) + ")\n";
    return rows +
           "done(0, 0)\n"
           "done(?j, ?r) <- next(?i, ?j), done(?i, ?q), $work(?j, ?q) ^ ~ {:result ?r}\n"
           "% <- ?n = |done(_, _)|, ?n = " +
           std::to_string(n + 1) + "\n";
  }
  if (shape == "batch") {
    std::string rows;
    for (int i = 0; i < n; ++i) rows += "item(" + std::to_string(i) + ")\n";
    return rows +
           "done(?i, ?r) <- item(?i), $work(?i) ^ ~ {:result ?r}\n"
           "% <- ?n = |done(_, _)|, ?n = " +
           last + "\n";
  }
  if (shape == "headings") {
    std::string rows = "# Main - % <- ?n = |done(_)|, ?n = " + last +
                       "\n\n## Price - price(?item, ?euros)\n\nWhat does {?item} cost?\n\n```rpl\n";
    for (int i = 0; i < n; ++i) rows += "item(" + std::to_string(i) + ")\n";
    return rows + "done(?i) <- item(?i), price(?i, ?e)\n```\n";
  }
  if (shape == "messages")
    return "%reply(?k) <- message(?k, _), not said(?k)\nlong(?k) <- message(?k, ?t), ?t != \"x\"\n";
  return "asked(0)\nasked(?m) <- asked(?n), ?n < " + last +
         ", $ask(\"Question {?n}\"), ?m = ?n + 1\n% <- asked(" + last + ")\n";
}

bool Fail(const std::string& what) {
  std::fprintf(stderr, "bench_resume: %s\n", what.c_str());
  return false;
}

rpl::SessionOptions Options() {
  rpl::SessionOptions options;
  options.now = "2026-01-02T00:00:00Z";
  options.limits.max_timesteps = 0;
  options.limits.max_depth = 0;
  options.limits.max_seconds = 0;
  return options;
}

bool Measure(const std::string& folder, const std::string& shape, int n) {
  const std::string path = folder + "/" + shape + ".rpls";
  std::filesystem::remove(path);
  const std::string label = shape + "-" + std::to_string(n);
  const std::vector<rpl::ProgramFile> program = {{"p.md", ProgramOf(shape, n)}};
  const auto nothing = [](const std::string&) { return std::nullopt; };
  Worker worker;
  std::size_t entries = 0;
  const auto show = [&](const char* what, double from) {
    std::printf("%s-%s %.3f s\n", label.c_str(), what, Processor() - from);
    std::fflush(stdout);
  };
  {
    double start = Processor();
    auto opened = rpl::SessionFile::Open(path, rpl::SessionFile::Mode::kCreate);
    if (opened.file == nullptr) return Fail(opened.error);
    rpl::SavedSession saved(worker, Options(), {}, std::move(opened.file));
    saved.Start(program, nothing);
    rpl::Outcome outcome;
    if (shape == "messages")
      for (int i = 0; i < n; ++i)
        outcome = saved.session().Say("message", "message(" + std::to_string(i) +
                                                     ", \"text\")\n% <- %reply(" +
                                                     std::to_string(i) + ")\n");
    else outcome = saved.session().Run();
    if (outcome.status != rpl::Status::kSatisfied) return Fail(outcome.reason);
    entries = saved.session().Entries().size();
    show("run", start);
  }
  double start = Processor();
  auto opened = rpl::SessionFile::Open(path, rpl::SessionFile::Mode::kOpen);
  if (opened.file == nullptr) return Fail(opened.error);
  std::vector<rpl::Event> events = opened.file->events();
  show("open", start);
  const double before = Processor();
  rpl::SavedSession saved(worker, Options(), std::move(events), std::move(opened.file));
  saved.Start(program, nothing);
  show("replay", before);
  if (!saved.journal().broken().empty()) return Fail(saved.journal().broken());
  if (!saved.last() || saved.session().Entries().size() != entries) return Fail("lost entries");
  std::filesystem::remove(path);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_resume FOLDER [SHAPE [N…]]\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  std::vector<std::string> shapes = {"chain", "down", "goals", "rows", "batch", "messages", "asks"};
  if (argc > 2) shapes = {argv[2]};
  std::vector<int> sizes = {1'000, 2'000, 4'000};
  if (argc > 3) sizes.clear();
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  for (const std::string& shape : shapes)
    for (const int n : sizes)
      if (!Measure(argv[1], shape, n)) return 1;
  return 0;
}
