// SPDX-License-Identifier: Apache-2.0
//
// Runs the workloads of bench/programs/ with rpl and with the engines that people would
// pick instead, and prints one table: bench_compare [--runs N] [--only NAME]...
//
// An engine is a whole process from text to a count of answers, in the form that is natural
// for it; an engine that is not installed, or that has no program for a workload, has no
// row. rpl and another engine run in turns, so that what else the machine does meets both,
// and a ratio is the median of the ratios of these pairs. Seconds are medians, the peak is
// the largest resident set. Counts that differ, or an engine that fails, end it with 1.
//
// Figures of the library itself are lines `LABEL VALUE UNIT` of bench_step, as often.
//
// Runs in the root of the repository, after `./dev bench` has made what it reads.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr rlim_t kMostProcessor = 300;  // seconds of one run; then the engine is left out
constexpr double kMostSeconds = 1800;   // the same, on the clock
constexpr unsigned kThreads = 4;
constexpr double kLong = 20;  // a figure of the library that takes longer is taken once
const std::string kPrograms = "bench/programs/";
const std::string kData = "build/bench-data/";

// --- Processes ----------------------------------------------------------------------------

using Command = std::vector<std::string>;

struct Run {
  bool good = false;
  std::string output;  // without gringo's rules, which are many
  double wall = 0;     // seconds
  double cpu = 0;
  double peak = 0;  // bytes
};

/// Takes the whole lines of `text` out of it, and adds what is no rule of gringo's to `run`.
void KeepLines(std::string& text, Run& run) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (text.compare(begin, 2, "1 ") != 0) run.output.append(text, begin, end + 1 - begin);
  text.erase(0, begin);
}

[[noreturn]] void Execute(const Command& command, int out) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const rlimit most = {kMostProcessor, kMostProcessor};
  setrlimit(RLIMIT_CPU, &most);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  execvp(words[0], words.data());
  _exit(127);
}

Run Execute(const Command& command) {
  Run run;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return run;
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const pid_t child = fork();
  if (child == 0) Execute(command, ends[1]);
  close(ends[1]);
  std::string text;
  for (char buffer[1 << 16];;) {
    pollfd ready = {ends[0], POLLIN, 0};
    const double left = kMostSeconds - passed();
    if (left <= 0) kill(child, SIGKILL);
    if (poll(&ready, 1, left <= 0 ? -1 : static_cast<int>(left * 1000) + 1) == 0) continue;
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    KeepLines(text, run);
  }
  close(ends[0]);
  int status = 0;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  run.wall = passed();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  run.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  run.peak = static_cast<double>(usage.ru_maxrss) * 1024;
  run.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return run;
}

// --- Engines ------------------------------------------------------------------------------

/// How the facts of a workload, NAME, follow the program.
enum class Facts {
  kFile,    // NAME.suffix
  kFolder,  // -F NAME, before the program
  kName,    // -- NAME: the program reads what it likes
  kTables,  // --facts RELATION=NAME/RELATION.csv, for each
};

struct Engine {
  std::string name;
  std::string suffix;  // of its programs and facts
  Command command;     // the first word is looked up on PATH
  Facts facts = Facts::kFile;

  bool Installed() const {
    if (command[0].find('/') != std::string::npos) return access(command[0].c_str(), X_OK) == 0;
    std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');)
      if (access((folder + "/" + command[0]).c_str(), X_OK) == 0) return true;
    return false;
  }

  /// Of `program`, over the facts of `data` if it is not empty.
  Command Of(const std::string& program, const std::string& data) const {
    Command all = command;
    if (facts == Facts::kFolder && !data.empty()) all.insert(all.end(), {"-F", kData + data});
    all.push_back(kPrograms + program + suffix);
    if (facts == Facts::kFile && !data.empty()) all.push_back(kData + data + suffix);
    if (facts == Facts::kName && !data.empty()) all.insert(all.end(), {"--", kData + data});
    if (facts != Facts::kTables) return all;
    std::set<std::filesystem::path> tables;
    for (const auto& file : std::filesystem::directory_iterator(kData + data))
      if (file.path().extension() == ".csv") tables.insert(file.path());
    for (const auto& table : tables)
      all.insert(all.end(), {"--facts", table.stem().string() + "=" + table.string()});
    return all;
  }

  bool Has(const std::string& program) const {
    return std::filesystem::exists(kPrograms + program + suffix);
  }
};

const Engine kRpl = {"rpl", ".rpl", {"build/rpl", "run"}};
const Engine kRplTables = {"rpl", ".rpl", {"build/rpl", "run"}, Facts::kTables};
const Engine kOthers[] = {
    {"swipl",
     ".pl",
     {"swipl", "-f", "none", "--table-space=8g", "--stack-limit=8g", "-g", "main", "-t", "halt"},
     Facts::kName},
    {"gringo", ".lp", {"gringo"}},
    {"souffle", ".dl", {"souffle", "-j1"}, Facts::kFolder},
};

/// The numbers of the line with the answer, in ascending order: engines print several counts
/// in orders of their own. Empty when there is none.
std::vector<std::uint64_t> Answer(const Engine& engine, const std::string& output) {
  std::vector<std::uint64_t> numbers;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = 0;
    if (engine.suffix == ".pl" || engine.suffix == ".lp") {
      at = line.find("answer(");
      if (at == std::string::npos) continue;
      line = line.substr(0, line.find(')', at));
    }
    while ((at = line.find_first_of("0123456789", at)) != std::string::npos) {
      char* end = nullptr;
      numbers.push_back(std::strtoull(line.c_str() + at, &end, 10));
      at = static_cast<std::size_t>(end - line.c_str());
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// --- Workloads ----------------------------------------------------------------------------

struct Workload {
  std::string name;
  std::string data;  // whose facts, or ""
  std::string about;
  std::map<std::string, double> faster;  // how many times rpl means to be, by engine
  bool shared = false;                   // run by several threads, too
  std::string program = name;            // otherwise with tables for rpl

  Command OfRpl() const { return (program == name ? kRpl : kRplTables).Of(program, data); }
};

const Workload kWorkloads[] = {
    {"tc",
     "tc",
     "transitive closure of a random graph",
     {{"swipl", 6}, {"gringo", 15}, {"souffle", 2}},
     true},
    {"sg", "sg", "same generation in a forest", {{"swipl", 6}, {"gringo", 15}, {"souffle", 2}}},
    {"pt", "pt", "points-to analysis, mutual recursion", {{"souffle", 2}}, true},
    {"tri", "tri", "triangles of a skewed graph", {{"gringo", 100}, {"souffle", 2}}},
    {"neg",
     "neg",
     "complement, counts, histogram",
     {{"swipl", 4}, {"gringo", 8}, {"souffle", 1.25}}},
    {"wide", "wide", "a million facts with strings, a selective join", {{"souffle", 1 / 0.6}}},
    {"csv", "wide", "the same, for rpl from files of CSV", {{"souffle", 2.5}}, false, "wide"},
    {"str", "str", "lines matched by a regex, joined", {{"souffle", 2}}},
    {"load", "wide", "the facts of `wide` alone", {}},
    {"first", "", "the first answer of a small program", {}},
};

/// Figures of bench_step.
struct Inner {
  std::string name;
  std::string about;
  std::map<std::string, std::string> wanted;  // by label
};

const Inner kInner[] = {
    {"goals", "calls on demand of one goal", {{"calls", ">= 300000"}}},
    {"turns", "queries one by one through the library", {}},
    {"step", "a new fact, then a goal", {{"1000000-both", "<= 50"}}},
    {"checked", "the same, with a constraint over all facts", {}},
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The runs of one engine with one workload.
struct Runs {
  std::vector<double> wall, cpu;
  double peak = 0;
  std::vector<std::uint64_t> answer;
  std::string trouble;  // or ""

  void Add(const Engine& engine, const Run& run) {
    wall.push_back(run.wall);
    cpu.push_back(run.cpu);
    peak = std::max(peak, run.peak);
    const std::vector<std::uint64_t> found = Answer(engine, run.output);
    if (!run.good && (run.wall >= kMostSeconds || run.cpu >= kMostProcessor))
      trouble = "took too long";
    else if (!run.good || found.empty()) trouble = "failed";
    else if (!answer.empty() && answer != found) trouble = "answers differ";
    answer = found;
  }

  std::string AnswerText() const {
    if (!trouble.empty()) return trouble;
    std::string text;
    for (const std::uint64_t number : answer)
      text += (text.empty() ? "" : " ") + std::to_string(number);
    return text;
  }
};

// --- The table ----------------------------------------------------------------------------

void PrintHead() {
  std::printf("%-6s %-8s %9s %9s %9s  %-16s %9s %8s %8s\n", "", "engine", "wall s", "cpu s",
              "peak MB", "answer", "rpl/it", "cpu", "target");
}

void PrintRow(const std::string& name, const std::string& engine, const Runs& runs) {
  std::printf("%-6s %-8s %9.3f %9.3f %9.1f  %-16s", name.c_str(), engine.c_str(), Median(runs.wall),
              Median(runs.cpu), runs.peak / 1e6, runs.AnswerText().c_str());
}

void PrintFigure(const std::string& name, const std::string& label, double value,
                 const std::string& unit, const std::string& target) {
  std::printf("%-6s %-18s %9.*f  %-24s %s\n", name.c_str(), label.c_str(), value < 100 ? 2 : 0,
              value, unit.c_str(), target.empty() ? "" : ("target " + target).c_str());
}

/// Runs `workload` with every engine and prints its rows. False when something failed; the
/// runs of rpl are in `rpl`.
bool Compare(const Workload& workload, const std::vector<Engine>& others, int count, Runs& rpl) {
  struct Rival {
    const Engine* engine;
    Runs runs;
    std::vector<double> wall, cpu;  // ratios of pairs
  };
  std::vector<Rival> rivals;
  for (const Engine& other : others)
    if (other.Has(workload.program)) rivals.push_back({&other, {}, {}, {}});
  for (int i = 0; i < count; ++i) {
    if (rivals.empty()) rpl.Add(kRpl, Execute(workload.OfRpl()));
    for (Rival& rival : rivals) {
      if (!rival.runs.trouble.empty()) continue;
      const Run ours = Execute(workload.OfRpl());
      const Run theirs = Execute(rival.engine->Of(workload.program, workload.data));
      rpl.Add(kRpl, ours);
      rival.runs.Add(*rival.engine, theirs);
      if (!rpl.trouble.empty() || !rival.runs.trouble.empty()) continue;
      if (rival.runs.answer != rpl.answer)
        rival.runs.trouble = "differs: " + rival.runs.AnswerText();
      rival.wall.push_back(ours.wall / theirs.wall);
      rival.cpu.push_back(ours.cpu / theirs.cpu);
    }
  }
  bool good = rpl.trouble.empty();
  std::printf("%s: %s\n", workload.name.c_str(), workload.about.c_str());
  PrintRow("", "rpl", rpl);
  std::printf("\n");
  for (const Rival& rival : rivals) {
    good = good && rival.runs.trouble.empty();
    PrintRow("", rival.engine->name, rival.runs);
    if (!rival.wall.empty()) std::printf(" %9.3f %8.3f", Median(rival.wall), Median(rival.cpu));
    if (const auto wanted = workload.faster.find(rival.engine->name);
        wanted != workload.faster.end() && !rival.wall.empty())
      std::printf(" %8.3f %s", 1 / wanted->second,
                  Median(rival.wall) <= 1 / wanted->second ? "met" : "missed");
    std::printf("\n");
  }
  return good;
}

/// How many times faster rpl is with kThreads than with one, in pairs of runs: in more of them, as
/// these runs are the shortest and differ most.
void PrintShared(const Workload& workload, int count) {
  Command shared = workload.OfRpl();
  shared.insert(shared.end(), {"--threads", std::to_string(kThreads)});
  std::vector<double> faster;
  for (int i = 0; i < 5 * count; ++i) {
    const double alone = Execute(workload.OfRpl()).wall;
    faster.push_back(alone / Execute(shared).wall);
  }
  PrintFigure("", std::to_string(kThreads) + " threads", Median(faster), "times as fast as one",
              ">= 2");
}

/// What follows from the runs of a workload beside its rows.
void PrintDerived(const Workload& workload, const Runs& rpl, int count) {
  if (!rpl.trouble.empty()) return;
  if (workload.shared && std::thread::hardware_concurrency() >= kThreads)
    PrintShared(workload, count);
  if (workload.name == "tc") {
    const double without = Execute(kRpl.Of("first", workload.data)).peak;
    PrintFigure("", "memory", (rpl.peak - without) / static_cast<double>(rpl.answer[0]),
                "bytes a derived row", "<= 64");
  }
  if (workload.name == "load")
    PrintFigure("", "load",
                static_cast<double>(std::filesystem::file_size(kData + workload.data + ".rpl")) /
                    Median(rpl.wall) / 1e6,
                "MB/s of RPL text", ">= 60");
  if (workload.name == "first")
    PrintFigure("", "first", Median(rpl.wall) * 1e3, "ms to the answer", "<= 5");
}

/// False when there were none.
bool PrintInner(const Inner& inner, int count) {
  std::vector<std::string> labels;  // in the order of the program
  std::map<std::string, std::pair<std::string, std::vector<double>>> figures;
  for (int i = 0; i < count; ++i) {
    const Run run = Execute({"build/bench_step", inner.name});
    if (run.wall > kLong) count = 1;
    std::istringstream lines(run.output);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string label, unit;
      double value = 0;
      words >> label >> value;
      std::getline(words >> std::ws, unit);
      auto& [kept, values] = figures[label];
      if (values.empty()) labels.push_back(label);
      kept = unit;
      values.push_back(value);
    }
  }
  std::printf("%s: %s\n", inner.name.c_str(), inner.about.c_str());
  for (const std::string& label : labels)
    PrintFigure("", label, Median(figures[label].second), figures[label].first,
                inner.wanted.count(label) ? inner.wanted.at(label) : "");
  if ((inner.name == "step" || inner.name == "checked") && !labels.empty())
    PrintFigure("", "1000000/10000",
                Median(figures["1000000-both"].second) / Median(figures["10000-both"].second),
                "times as long", "<= 1.5");
  if (labels.empty()) std::printf("failed\n");
  return !labels.empty();
}

/// What the machine does beside this, so that nobody takes the figures for better than they
/// are. `own`: how much of the load is ours.
void PrintLoad(const char* when, double own) {
  double load[1] = {0};
  if (getloadavg(load, 1) != 1) return;
  std::printf(
      "%s: load average %.2f on %u cores%s\n", when, load[0], std::thread::hardware_concurrency(),
      load[0] > own + 0.5 ? " -- BUSY: seconds are too high, only ratios mean something" : "");
}

}  // namespace

int main(int argc, char** argv) {
  int count = 5;
  std::vector<std::string> only;
  for (int i = 1; i < argc; ++i) {
    const bool last = i + 1 == argc;
    if (!std::strcmp(argv[i], "--runs") && !last && std::atoi(argv[i + 1]) > 0)
      count = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--only") && !last) only.emplace_back(argv[++i]);
    else {
      std::fprintf(stderr, "usage: bench [--runs N] [--only NAME]...\n");
      return 2;
    }
  }
  const auto wanted = [&](const std::string& name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  for (const std::string& name : only)
    if (std::none_of(std::begin(kWorkloads), std::end(kWorkloads),
                     [&](const Workload& w) { return w.name == name; }) &&
        std::none_of(std::begin(kInner), std::end(kInner),
                     [&](const Inner& w) { return w.name == name; })) {
      std::fprintf(stderr, "bench: there is no workload `%s`\n", name.c_str());
      return 2;
    }

  std::vector<Engine> others;
  for (const Engine& other : kOthers)
    if (other.Installed()) others.push_back(other);
    else std::printf("%s is not installed\n", other.name.c_str());
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a run takes long
  PrintLoad("before", 0);
  PrintHead();
  bool good = true;
  for (const Workload& workload : kWorkloads) {
    if (!wanted(workload.name)) continue;
    Runs rpl;
    good = Compare(workload, others, count, rpl) && good;
    PrintDerived(workload, rpl, count);
  }
  for (const Inner& inner : kInner)
    if (wanted(inner.name)) good = PrintInner(inner, count) && good;
  PrintLoad("after", 1);
  if (!good) std::printf("FAILED: an engine failed, or answers differ\n");
  return good ? 0 : 1;
}
