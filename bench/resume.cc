// SPDX-License-Identifier: Apache-2.0
//
// The cost of long sessions: of the run itself, of opening the session again, and of replaying it.
// Lines `SHAPE-N-WHAT VALUE UNIT`, in CPU time; `growth` is that of the replay from the size
// before, divided by that of N.
//
//   bench_resume FOLDER [SHAPE [N…]]
//
//   chain     a relation that calls a tool for each of its rows, one after another
//   counted   the same, with a goal that counts the rows, and a constraint over them
//   asks      questions to a person, one after another
//   messages  a conversation: each message is a turn with a fact and a goal about it
//   batch     a plan over rows, with a call for each; the calls go out together
//   rows      the same; each call needs the reply to the one before
//   headings  a plan over rows, with a question for each, all of which are open at first
//   down      a tabled relation from the last step to the first, each with a call
//   goals     likewise, with a goal for each step
//
// The sessions are made in FOLDER, and removed.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "embed/large_stack.h"
#include "runtime/nobody.h"
#include "runtime/record/session_file.h"
#include "runtime/run/saved_session.h"

namespace {

/// Seconds of CPU time, of all threads.
double Processor() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// A tool that answers at once: `$work(7)` with 7, a question with "yes".
class Worker : public rpl::Nobody {
 public:
  rpl::Answer Ask(const rpl::Question&, rpl::Pool& pool, std::string_view) override {
    return {rpl::Answer::Kind::kValue, pool.String("yes")};
  }
  std::vector<rpl::Answer> Call(const std::vector<rpl::ToolCall>& calls, rpl::Pool&) override {
    std::vector<rpl::Answer> out(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (!calls[i].starting || calls[i].starting())
        out[i] = {rpl::Answer::Kind::kValue,
                  calls[i].args.empty() ? rpl::kNil : calls[i].args.front()};
    return out;
  }
};

std::string ProgramOf(const std::string& shape, int n) {
  const std::string last = std::to_string(n);
  if (shape == "chain")
    return "step(0)\nstep(?m) <- step(?n), ?n < " + last +
           ", $work(?n) ^ ~ {:result ?r}, ?m = ?r + 1\n% <- step(" + last + ")\n";
  if (shape == "counted")
    return "step(0)\nstep(?m) <- step(?n), ?n < " + last +
           ", $work(?n) ^ ~ {:result ?r}, ?m = ?r + 1\nstep(?n), ?n > " + last + " -> false\n" +
           "% <- ?n = |step(_)|, ?n > " + last + "\n";
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

double Fail(const std::string& what) {
  std::fprintf(stderr, "bench_resume: %s\n", what.c_str());
  return -1;
}

rpl::SessionOptions Options() {
  rpl::SessionOptions options;
  options.now = "2026-01-02T00:00:00Z";
  options.limits.max_timesteps = 0;
  options.limits.max_depth = 0;
  options.limits.max_seconds = 0;
  return options;
}

// Returns the time of the replay; negative if something failed.
double Measure(const std::string& folder, const std::string& shape, int n) {
  const std::string path = folder + "/" + shape + ".rpls";
  std::filesystem::remove(path);
  const std::string label = shape + "-" + std::to_string(n);
  const std::vector<rpl::ProgramFile> program = {{"p.md", ProgramOf(shape, n)}};
  const auto nothing = [](const std::string&) { return std::nullopt; };
  Worker worker;
  std::size_t entries = 0;
  const auto show = [&](const char* what, double from) {
    const double seconds = Processor() - from;
    std::printf("%s-%s %.3f s\n", label.c_str(), what, seconds);
    std::fflush(stdout);
    return seconds;
  };
  {
    double start = Processor();
    auto opened = rpl::SessionFile::Open(path, rpl::SessionFile::Mode::kCreate);
    if (opened.store == nullptr) return Fail(opened.error);
    rpl::SavedSession saved(worker, Options(), {}, std::move(opened.store));
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
  if (opened.store == nullptr) return Fail(opened.error);
  std::vector<rpl::Event> events = opened.store->events();
  show("open", start);
  const double before = Processor();
  rpl::SavedSession saved(worker, Options(), std::move(events), std::move(opened.store));
  saved.Start(program, nothing);
  const double seconds = show("replay", before);
  if (!saved.journal().broken().empty()) return Fail(saved.journal().broken());
  if (!saved.last() || saved.session().Entries().size() != entries) return Fail("lost entries");
  std::filesystem::remove(path);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_resume FOLDER [SHAPE [N…]]\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  // The first four cost what is new, per step; of the others, each step looks at all that waits.
  const std::vector<std::pair<std::string, std::vector<int>>> shapes = {
      {"chain", {10'000, 20'000, 40'000, 100'000}},
      {"counted", {10'000, 20'000, 40'000}},
      {"asks", {10'000, 20'000, 40'000}},
      {"messages", {1'000, 2'000, 4'000}},
      {"batch", {10'000, 20'000, 40'000}},
      {"rows", {500, 1'000, 2'000}},
      {"headings", {500, 1'000, 2'000}},
      {"down", {500, 1'000, 2'000}},
      {"goals", {500, 1'000, 2'000}}};
  rpl::LargeStack stack;  // as of the program: calls nest as deep as its limit
  for (const auto& [shape, usual] : shapes) {
    if (argc > 2 && shape != argv[2]) continue;
    std::vector<int> sizes = usual;
    if (argc > 3) sizes.clear();
    for (int i = 3; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
    double each_before = 0;
    for (const int n : sizes) {
      double seconds = 0;
      stack.Run([&] { seconds = Measure(argv[1], shape, n); });
      if (seconds < 0) return 1;
      if (each_before > 0)
        std::printf("%s-%d-growth %.2f times\n", shape.c_str(), n, seconds / n / each_before);
      each_before = seconds / n;
    }
  }
  return 0;
}
