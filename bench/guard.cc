// SPDX-License-Identifier: Apache-2.0
//
// Decisions over 200 rules of all kinds and a history of 10,000 calls of 40 tools, and the
// hook end to end: `rpl guard hook` as a process, with a policy of 20, 200 and 2,000 rules, each
// with a store of no calls and of a million; and a call through `rpl guard mcp`, beside the same
// call without it. Prints the median and the 99th percentile of each, in milliseconds: of processor
// time, which other work on the machine does not lengthen, and for the hook of the clock on the
// wall, too. The decisions are the same on every run.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/guard/guard.h"
#include "checks/guard/guard_store.h"

namespace {

using rpl::kSecond;
using Clock = std::chrono::steady_clock;

const char* const kConditions[] = {
    R"({"kind":"maxCalls","selector":{"by":"toolName","patterns":["tool_1*","x*"]},"max":100000})",
    R"({"kind":"sequence","mustHaveCalled":["tool_4","*_6"],"mustNotHaveCalled":["delete_*"]})",
    R"({"kind":"executionTime","scope":"total","op":"gt","ms":100000000})",
    R"({"kind":"metricWindow","scope":"agent","metric":{"kind":"inbuilt","key":"bytes_out"},"aggregate":"sum","windowSeconds":86400,"op":"gt","value":1e12,"filter":{"toolTag":"t3"}})",
    R"({"kind":"toolArg","type":"number","op":"gt","path":"order.amount","value":1000})",
    R"({"kind":"timeGate","timezone":{"source":"enduserTag","tag":"tz"},"windows":[{"days":["sun"],"start":"00:00","end":"05:00"}]})",
    R"({"kind":"and","all":[{"kind":"enduserTag","op":"has","tag":"vip"},{"kind":"not","not":{"kind":"toolTag","op":"anyOf","tags":["t1","t2"]}}]})",
    R"({"kind":"metricWindow","scope":"agent_user","metric":{"kind":"custom","key":"cost"},"aggregate":"avg","windowSeconds":600,"op":"gt","value":1e9})",
};

std::string PolicyOf(int rules, const std::string& effect = "block") {
  std::string text = "[";
  for (int i = 0; i < rules; ++i) {
    if (i > 0) text += ",\n";
    text +=
        R"({"priority":)" + std::to_string(i % 7) + R"(,"enabled":true,"name":"rule-)" +
        std::to_string(i) + R"(","selector":{"phase":"tool.before","tool":{"name":"tool_*"}},)" +
        R"("condition":)" + kConditions[static_cast<std::size_t>(i) % std::size(kConditions)] +
        R"(,"effect":{"type":")" + effect + R"(","reason":"rule )" + std::to_string(i) + R"("}})";
  }
  return text + "]";
}

struct Nothing : rpl::GuardSources {
  rpl::Sourced<nlohmann::ordered_json> Signal(const std::string&,
                                              const nlohmann::ordered_json&) override {
    return {std::nullopt, "none"};
  }
  rpl::Sourced<std::vector<rpl::Subject>> Subjects(const rpl::GuardCall&) override {
    return {std::vector<rpl::Subject>(), ""};
  }
  rpl::Sourced<rpl::Review> FindReview(const rpl::ReviewRequest&) override {
    return {rpl::Review{}, ""};
  }
  rpl::Sourced<bool> SpendReview(const rpl::Review&) override { return {true, ""}; }
  rpl::Sourced<rpl::Review> AskForReview(const rpl::ReviewRequest&) override {
    return {rpl::Review{}, ""};
  }
};

// "median 0.1 ms, p99 0.2 ms"
std::string Figures(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  char text[64];
  std::snprintf(text, sizeof text, "median %.3f ms, p99 %.3f ms", ms[ms.size() / 2],
                ms[ms.size() * 99 / 100]);
  return text;
}

double Since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Milliseconds that this thread has used the processor.
double Used() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

void Decisions() {
  rpl::Sources sources;
  rpl::Diagnostics found;
  auto policy = rpl::ReadPolicy(sources, sources.Add("policy.json", PolicyOf(200)), found);
  if (!policy) std::abort();
  const rpl::Guard guard(std::move(*policy), {});
  const rpl::Moment now = 1'700'000'000 * kSecond;
  rpl::History history;
  for (int i = 0; i < 10'000; ++i) {
    rpl::PastCall call;
    call.tool = "tool_" + std::to_string(i % 40);
    call.tags = {"t" + std::to_string(i % 5)};
    call.took_ms = i % 90;
    call.at = now - (10'000 - i) * kSecond;
    call.user = "user-" + std::to_string(i % 100);
    call.metrics = {{"bytes_out", i}, {"cost", i * 0.25}};
    history.Add(call, i % 2 == 0);
  }
  rpl::GuardCall call;
  call.tool = "tool_7";
  call.tags = {"t4"};
  call.args = nlohmann::ordered_json::parse(R"({"order":{"amount":250}})");
  call.user.emplace();
  call.user->id = "user-7";
  call.user->tags = {{"tz", "America/New_York"}, {"plan", "pro"}};
  Nothing nothing;
  std::vector<double> ms;
  std::size_t blocked = 0;
  for (int i = 0; i < 2'000; ++i) {
    const double start = Used();
    blocked += guard.Decide(call, history, nothing, now).Stops() ? 1 : 0;
    ms.push_back(Used() - start);
  }
  std::printf("guard: 200 rules, 10000 calls, %zu blocked: %s a decision\n", blocked,
              Figures(std::move(ms)).c_str());
}

struct Run {
  double wall;
  double used;
};

// One run of the hook with its input from a file, in milliseconds.
Run HookMs(const std::string& rpl, const std::string& policy, const std::string& store,
           const std::string& input) {
  const auto start = Clock::now();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(input.c_str(), "r", stdin) == nullptr ||
        std::freopen("/dev/null", "w", stdout) == nullptr)
      _exit(127);
    execl(rpl.c_str(), "rpl", "guard", "hook", "--policy", policy.c_str(), "--store", store.c_str(),
          nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::abort();
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return {Since(start), ms(usage.ru_utime) + ms(usage.ru_stime)};
}

// A store of the calls of a month up to now: the session of the hook made every hundredth.
void FillStore(const std::string& path, int calls) {
  rpl::GuardStore store(path);
  const rpl::Moment now = std::chrono::duration_cast<std::chrono::microseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
  const std::string error = store.Transact([&] {
    for (int i = 0; i < calls; ++i) {
      rpl::PastCall call;
      call.tool = "tool_" + std::to_string(i % 40);
      call.tags = {"t" + std::to_string(i % 5)};
      call.took_ms = i % 90;
      call.at = now - static_cast<rpl::Moment>(calls - i) * 30 * 86'400 * kSecond / calls;
      call.user = "user-" + std::to_string(i % 100);
      call.metrics = {{"bytes_out", i}, {"cost", i * 0.25}};
      const std::string run = i % 100 == 0 ? "s" : "run-" + std::to_string(i % 1'009);
      if (std::string why = store.Ended(run, static_cast<std::size_t>(i), call); !why.empty())
        return why;
    }
    return std::string();
  });
  if (!error.empty()) std::abort();
}

void Hook(const std::string& rpl) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("rpl-bench-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string input = folder / "input.json", policy = folder / "policy.json";
  std::ofstream(input) << R"({"session_id":"s","hook_event_name":"PreToolUse",)"
                       << R"("tool_name":"tool_7","tool_input":{"order":{"amount":250}}})";
  for (const int calls : {0, 1'000'000}) {
    const std::string store = folder / ("store-" + std::to_string(calls));
    FillStore(store, calls);
    for (const int rules : {20, 200, 2'000}) {
      std::ofstream(policy) << PolicyOf(rules);
      std::vector<double> wall, used;
      for (int i = 0; i < 300; ++i) {
        const Run run = HookMs(rpl, policy, store, input);
        wall.push_back(run.wall);
        used.push_back(run.used);
      }
      std::printf("guard hook: %d rules, %d earlier calls: %s end to end, %s of processor time\n",
                  rules, calls, Figures(std::move(wall)).c_str(), Figures(std::move(used)).c_str());
    }
  }
  std::filesystem::remove_all(folder);
}

// A server of the Model Context Protocol with one tool, which does nothing.
int Serve() {
  char* line = nullptr;
  std::size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    const std::string_view text(line);
    const std::size_t id = text.find("\"id\":");
    if (id == text.npos) continue;
    const std::string number(text.substr(id + 5, text.find_first_of(",}", id) - id - 5));
    const bool lists = text.find("tools/list") != text.npos;
    std::printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", number.c_str(),
                lists ? R"({"tools":[{"name":"tool_7","inputSchema":{"type":"object"}}]})"
                      : R"({"content":[{"type":"text","text":"done"}]})");
    std::fflush(stdout);
  }
  std::free(line);
  return 0;
}

// Round trips of calls to a server that is started by this command, and what the process that is
// started uses of the processor for each.
std::string RoundTrips(const std::vector<std::string>& command) {
  int to[2], from[2];
  if (pipe(to) != 0 || pipe(from) != 0) std::abort();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    for (const int fd : {to[0], to[1], from[0], from[1]}) close(fd);
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  FILE* const in = fdopen(from[0], "r");
  char* line = nullptr;
  std::size_t size = 0;
  std::vector<double> wall, used;
  clockid_t clock = 0;
  if (clock_getcpuclockid(child, &clock) != 0) std::abort();
  const auto ms_of = [clock] {
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  for (int i = 0; i < 2'000; ++i) {
    const std::string call =
        i == 0 ? R"({"jsonrpc":"2.0","id":0,"method":"tools/list"})"
               : R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"tool_7","arguments":)"
                 R"({"order":{"amount":250}}},"id":)" +
                     std::to_string(i) + "}";
    const double before = ms_of();
    const auto start = Clock::now();
    if (write(to[1], (call + "\n").data(), call.size() + 1) < 0) std::abort();
    if (getline(&line, &size, in) <= 0 ||
        std::string_view(line).find("isError") != std::string::npos)
      std::abort();
    if (i == 0) continue;
    wall.push_back(Since(start));
    used.push_back(ms_of() - before);
  }
  std::free(line);
  std::fclose(in);
  close(to[1]);
  waitpid(child, nullptr, 0);
  return Figures(std::move(wall)) + " a call, " + Figures(std::move(used)) + " of processor time";
}

void Gateway(const std::string& rpl) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("rpl-bench-mcp-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string policy = folder / "policy.json", store = folder / "store.db";
  std::ofstream(policy) << PolicyOf(200, "allow");  // so that all of them are evaluated
  FillStore(store, 100'000);
  const std::vector<std::string> server = {"/proc/self/exe", "--serve"};
  std::printf("guard mcp: without it: %s\n", RoundTrips(server).c_str());
  for (const bool audit : {false, true}) {
    std::vector<std::string> command = {rpl, "guard", "mcp", "--policy", policy, "--store", store};
    if (audit) command.insert(command.end(), {"--audit", folder / "audit.jsonl"});
    // The gateway's own /proc/self/exe is another.
    command.insert(command.end(),
                   {"--", std::filesystem::read_symlink("/proc/self/exe"), "--serve"});
    std::printf("guard mcp: 200 rules, 100000 earlier calls%s: %s\n", audit ? ", an audit log" : "",
                RoundTrips(command).c_str());
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--serve") return Serve();
  if (argc < 3) Decisions();
  if (argc == 2) Hook(argv[1]);
  if (argc > 1) Gateway(argv[1]);
  return 0;
}
