// SPDX-License-Identifier: Apache-2.0
//
// Random programs that do not end, and how soon a limit stops them (./dev stop-in-time).
//
//   stop_in_time N [--seed FIRST] [--limit SECONDS] [--overshoot MS] [--print] [--ended]
//
// Each program runs in a process of its own, one after another, with a limit on time of SECONDS
// (0.1) and the usual limits besides. A limit must stop it at most MS (200) milliseconds after
// SECONDS, and the report must name a rule that grew. The overshoot is the time that passed or the
// CPU time that the process took since then, whichever is less: on a busy machine the one counts
// the work of others, and with two threads the other counts the work twice. `--overshoot 0`: it is
// not judged. `--print` prints the programs and runs none.
//
// A program that ends by itself is counted as neither passed nor failed; `--ended` prints it. A
// failure is printed as a program. The last line is `N passed, N failed`.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "embed/large_stack.h"
#include "interp/testing/diverging_program.h"
#include "interp/testing/testing.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(60);  // after which a run is killed

struct Job {
  std::uint32_t programs = 0;
  std::uint32_t seed = 1;
  double limit = 0.1;
  double overshoot = 200;
  bool print = false;
  bool ended = false;
};

// What a run leaves, in memory that its parent sees.
struct Run {
  bool rejected = false;
  bool limited = false;
  double overshoot = 0;  // ms
  char report[4096] = {};
};

double Milliseconds(Clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

double CpuMilliseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

void Execute(const DivergingProgram& p, const Job& job, Run& run) {
  const auto keep = [&](const std::string& text) { text.copy(run.report, sizeof run.report - 1); };
  testing::Silent agent;
  SessionOptions options;
  options.limits.max_seconds = job.limit;
  options.threads = p.threads;
  Session session(agent, options);
  for (const Diagnostic& d : session.Load("x.rpl", p.text))
    if (d.severity == Severity::kError) {
      run.rejected = true;
      return keep(d.message);
    }
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(job.limit));
  const auto begin = Clock::now();
  double cpu = 0;  // at the limit
  std::thread watch([&] {
    std::this_thread::sleep_until(begin + limit);
    cpu = CpuMilliseconds();
  });
  const Outcome outcome = session.Say("q", p.query + "\n");
  const auto end = Clock::now();
  const double cpu_end = CpuMilliseconds();
  watch.join();
  run.overshoot = std::max(0.0, std::min(Milliseconds(end - begin - limit), cpu_end - cpu));
  run.limited = outcome.status == Status::kLimit || !outcome.cut_off.empty();
  run.rejected = outcome.status == Status::kRejected;
  keep(outcome.status == Status::kSatisfied ? outcome.cut_off : outcome.reason);
}

// Without what quotes add, and without blanks.
std::string Bare(std::string text) {
  std::erase_if(text, [](char c) { return c == '\\' || c == ' '; });
  return text;
}

bool NamesGrowing(const DivergingProgram& p, const std::string& report) {
  const std::string bare = Bare(report);
  return std::any_of(p.growing.begin(), p.growing.end(), [&](const std::string& rule) {
    return bare.find(Bare("evaluation stopped while `" + rule + "` was still growing")) !=
           std::string::npos;
  });
}

// "" or what is wrong.
std::string Fault(const DivergingProgram& p, const Job& job, const Run& run, int status) {
  if (status != 0) return "ended with status " + std::to_string(status);
  if (run.rejected) return "rejected";
  if (job.overshoot > 0 && run.overshoot > job.overshoot)
    return "took " + std::to_string(static_cast<int>(run.overshoot)) + " ms more than its limit";
  if (run.limited && !NamesGrowing(p, run.report)) return "names no rule that grew";
  return "";
}

// Waits for a run; its status, or that of being killed.
int Await(pid_t child) {
  int status = 0;
  const auto until = Clock::now() + kPatience;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > until) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return status;
}

struct Totals {
  std::uint32_t passed = 0, failed = 0, ended = 0;
  double worst = 0;
  std::uint32_t worst_seed = 0;
};

void Take(std::uint32_t seed, const Job& job, Run& run, Totals& totals) {
  const DivergingProgram p = MakeDiverging(seed);
  const std::string text = p.text + p.query + "\n";
  if (job.print) {
    std::printf("-- seed %u\n%s", seed, text.c_str());
    return;
  }
  run = Run{};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    LargeStack stack;  // as of the program: calls nest as deep as its limit
    stack.Run([&] { Execute(p, job, run); });
    _exit(0);
  }
  std::string finding = Fault(p, job, run, child < 0 ? -1 : Await(child));
  if (run.overshoot > totals.worst) totals.worst = run.overshoot, totals.worst_seed = seed;
  ++(!finding.empty() ? totals.failed : run.limited ? totals.passed : totals.ended);
  if (finding.empty() && !run.limited && job.ended) finding = "ended";
  if (!finding.empty())
    std::printf("-- seed %u, %zu threads: %s\n%s-- report\n%s\n", seed, p.threads, finding.c_str(),
                text.c_str(), run.report);
}

std::optional<Job> JobOf(int argc, char** argv) {
  Job job;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const auto number = [&] { return std::strtod(argv[++i], nullptr); };
    if (arg == "--print") job.print = true;
    else if (arg == "--ended") job.ended = true;
    else if (arg == "--seed" && i + 1 < argc) job.seed = static_cast<std::uint32_t>(number());
    else if (arg == "--limit" && i + 1 < argc) job.limit = number();
    else if (arg == "--overshoot" && i + 1 < argc) job.overshoot = number();
    else if (job.programs == 0)
      job.programs = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
    else return std::nullopt;
  }
  if (job.programs == 0 || job.limit <= 0) return std::nullopt;
  return job;
}

int Main(int argc, char** argv) {
  const std::optional<Job> job = JobOf(argc, argv);
  if (!job) {
    std::fputs(
        "stop_in_time N [--seed FIRST] [--limit SECONDS] [--overshoot MS] [--print] [--ended]\n",
        stderr);
    return 2;
  }
  auto* const run = static_cast<Run*>(
      mmap(nullptr, sizeof(Run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (run == MAP_FAILED) std::abort();
  Totals totals;
  for (std::uint32_t i = 0; i < job->programs; ++i) Take(job->seed + i, *job, *run, totals);
  if (job->print) return 0;
  std::printf("%u stopped by a limit, %u ended by themselves; worst overshoot %.0f ms (seed %u)\n",
              totals.passed, totals.ended, totals.worst, totals.worst_seed);
  std::printf("%u passed, %u failed\n", totals.passed, totals.failed);
  return totals.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rpl

int main(int argc, char** argv) { return rpl::Main(argc, argv); }
