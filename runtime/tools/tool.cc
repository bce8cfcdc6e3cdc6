// SPDX-License-Identifier: Apache-2.0
//
// One event loop for a batch of calls. A Process is one call: it is *running* until its leader has
// been reaped, and *settling* until all descendants of the leader are gone and the pipes are
// closed. From the first error, or from the end of its leader, it has a time, kill_at_, at which
// all remaining processes receive SIGKILL; from then on a timer polls every few milliseconds. So a
// call ends at the latest at its timeout plus the grace.
#include "runtime/tools/tool.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "formats/data/json_text.h"
#include "runtime/tools/keeper.h"
#include "runtime/tools/loop_signals.h"
#include "runtime/tools/orphans.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kTickMs = 10;
constexpr int kMinTicks = 3;
constexpr const char* kInterrupted = "interrupted";
constexpr const char* kNotRecorded = "not-recorded";
constexpr const char* kLeftChildren = "it ended, but processes that it started did not";
constexpr std::uint64_t kPollMs = 50;
constexpr int kGiveUpTicks = 500;  // after SIGKILL: stop polling
constexpr std::size_t kMaxLogLine = 4096;

// --- memory for libuv --------------------------------------------------------------------

// libuv ends the process if it has no memory for its table of descriptors. So where the system has
// none, it gets a part of a reserve, which is not given back.
class UvReserve {
 public:
  static void Install() {
    [[maybe_unused]] static const int once =
        uv_replace_allocator(Allocate, Reallocate, AllocateZeroed, Free);
  }

 private:
  static constexpr std::size_t kSize = 1 << 16;

  static void* Take(std::size_t bytes) {
    static std::atomic<std::size_t> used = 0;
    const std::size_t rounded = (bytes + 15) / 16 * 16;
    const std::size_t at = bytes > kSize ? kSize : used.fetch_add(rounded);
    return at + rounded > kSize ? nullptr : memory_ + at;
  }
  static bool Has(const void* at) {
    return std::less_equal<const void*>()(memory_, at) &&
           std::less<const void*>()(at, memory_ + kSize);
  }
  static void* Allocate(std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    return memory != nullptr ? memory : Take(bytes);
  }
  static void* AllocateZeroed(std::size_t count, std::size_t bytes) {
    void* const memory = std::calloc(count, bytes);
    return memory != nullptr || bytes > kSize / std::max<std::size_t>(count, 1)
               ? memory
               : Take(count * bytes);  // each part is given once, and zero
  }
  static void* Reallocate(void* old, std::size_t bytes) {
    const bool own = Has(old);
    if (!own)
      if (void* const memory = std::realloc(old, bytes); memory != nullptr) return memory;
    void* const memory = own ? Allocate(bytes) : Take(bytes);
    if (memory == nullptr || old == nullptr) return memory;
    const std::size_t before =
        own ? static_cast<std::size_t>(memory_ + kSize - static_cast<std::byte*>(old))
            : malloc_usable_size(old);
    std::memcpy(memory, old, std::min(bytes, before));
    Free(old);
    return memory;
  }
  static void Free(void* memory) {
    if (!Has(memory)) std::free(memory);
  }

  alignas(16) static inline std::byte memory_[kSize];
};

// --- output of a tool --------------------------------------------------------------------

// Splits standard error into lines, up to a total number of bytes.
class LogLines {
 public:
  using Sink = std::function<void(const std::string&)>;

  LogLines(std::size_t max_bytes, Sink sink) : left_(max_bytes), sink_(std::move(sink)) {}

  void Feed(std::string_view text) {
    if (left_ == 0) return;
    const bool last = text.size() >= left_;
    text = text.substr(0, left_);
    left_ -= text.size();
    for (const char c : text) {
      if (c != '\n') line_ += c;
      if (c == '\n' || line_.size() == kMaxLogLine) Show();
    }
    if (!last) return;
    End();
    sink_("(the rest of its log is not shown)");
  }

  void End() {
    if (!line_.empty()) Show();
  }

 private:
  void Show() {
    if (line_.ends_with('\r')) line_.pop_back();
    sink_(CleanUtf8(line_));
    line_.clear();
  }

  std::size_t left_;
  Sink sink_;
  std::string line_;
};

ToolResult Failure(std::string code, std::string message) {
  return {false, nullptr, std::move(code), std::move(message), "", 0};
}

std::optional<ToolResult> ToolsOwnError(const ordered_json& error) {
  if (!error.is_object() || error.size() != 2 || !error.contains("code") ||
      !error.contains("message") || !error["code"].is_string() || !error["message"].is_string())
    return std::nullopt;
  return ToolResult{false, nullptr, "tool", error["message"], error["code"], 0};
}

// The result of a call with a line of its own: any JSON value.
ToolResult ReadValue(const std::string& output) {
  JsonText text = ParseExactJson(output);
  if (!text.error.empty())
    return Failure("bad-reply", "its output is not one JSON value: " + CleanUtf8(text.error));
  return {true, std::move(text.json), "", "", "", 0};
}

// The result of a process that ended without error, from its whole standard output.
ToolResult ReadReply(const std::string& output, const std::string& id) {
  if (output.find_first_not_of(" \t\r\n") == std::string::npos)
    return Failure("no-reply", "it wrote nothing to its standard output");
  JsonText text = ParseExactJson(output);
  const auto bad = [](const std::string& why) { return Failure("bad-reply", why); };
  if (text.byte > 0)
    return bad(fmt::format("its output is not one JSON object: {}, wrong at byte {}", text.error,
                           std::min(text.byte, output.size())));
  if (!text.error.empty()) return bad("its output is not taken: " + CleanUtf8(text.error));
  ordered_json& reply = text.json;
  if (!reply.is_object())
    return bad("its output is JSON, but no object like {\"id\":…,\"result\":…}");
  if (!reply.contains("id") || reply["id"] != id)
    return bad("its reply does not have the `id` of the request");
  const bool result = reply.contains("result");
  if (reply.size() != 2 || result == reply.contains("error"))
    return bad("expected `id` and one of `result` and `error` in its reply");
  if (result) return {true, std::move(reply["result"]), "", "", "", 0};
  if (auto error = ToolsOwnError(reply["error"])) return *error;
  return bad("expected an `error` of `code` and `message`, two strings");
}

// --- process state of a batch ------------------------------------------------------------

// Writing to a tool that does not read must give an error instead of a signal.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec now = {0, 0};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

bool signals_are_left = false;  // LeaveSignals

class Process;

class Batch {
 public:
  Batch(const std::vector<CommandCall>& calls, const ToolRun& run)
      : calls_(calls), run_(run), results_(calls.size()) {}

  std::vector<ToolResult> Run();

  uv_loop_t* loop() { return &loop_; }
  const ToolRun& run() const { return run_; }
  Orphans& orphans() { return orphans_; }
  const SignalsAfterwards& signals() const { return signals_; }
  std::vector<char>& buffer() { return buffer_; }
  std::vector<pid_t> Leaders() const;
  void Ended(Process* process);

 private:
  void StartMore();
  void Watch();
  void Unwatch();
  void Interrupt();

  const std::vector<CommandCall>& calls_;
  const ToolRun& run_;
  std::vector<ToolResult> results_;
  std::size_t next_ = 0;  // the first call that has not been started
  bool interrupted_ = false;
  std::vector<std::unique_ptr<Process>> running_;
  std::vector<char> buffer_ = std::vector<char>(65536);  // shared by all reads
  WithoutSigpipe no_sigpipe_;
  SignalsAfterwards signals_;
  Orphans orphans_;
  uv_loop_t loop_;
  uv_timer_t poll_;
  std::array<uv_signal_t, 3> watched_;
};

// --- one call ----------------------------------------------------------------------------

class Process {
 public:
  Process(Batch& batch, const CommandCall& call, ToolResult& result)
      : batch_(batch),
        call_(call),
        command_(*call.command),
        result_(result),
        log_(command_.max_output_bytes, [this](const std::string& line) {
          if (batch_.run().log) batch_.run().log(command_.name, line);
        }) {}

  void Start();
  void Fail(std::string code, std::string message);
  bool TellStarting() const;
  void TellFinished() const;

  /// The leader until the loop has reaped it; afterwards 0.
  pid_t leader() const { return exited_ ? 0 : pid_; }

 private:
  static Process& Of(void* data) { return *static_cast<Process*>(data); }

  template <typename Handle>
  uv_handle_t* Take(Handle& handle) {
    handle.data = this;
    ++open_;
    return reinterpret_cast<uv_handle_t*>(&handle);
  }
  template <typename Handle>
  void Shut(Handle& handle);

  std::string Connect(uv_pipe_t& ours, bool we_write, int& theirs);
  std::string ConnectAll(std::array<int, 3>& theirs);
  int Spawn(const std::array<int, 3>& theirs);
  void Talk();
  void NotStarted(std::string code, std::string why);
  void Read(uv_pipe_t& pipe);
  void TookIn(uv_stream_t* stream, ssize_t n, const char* data);
  void TakeReport();
  void Exited(std::int64_t status, int signal);
  void Tick();
  void Settle();
  void Close();
  ToolResult Judge() const;

  Batch& batch_;
  const CommandCall& call_;
  const ToolCommand& command_;
  ToolResult& result_;  // `code` is set by the first error
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::string mark_ = Orphans::NewMark();
  std::string request_;
  std::string output_;
  LogLines log_;

  int open_ = 0;  // handles
  uv_timer_t timer_;
  uv_process_t process_ = {};
  uv_pipe_t in_, out_, err_;
  uv_write_t write_;

  pid_t pid_ = 0;    // of the tool, or of its keeper
  int report_ = -1;  // from the keeper
  bool exited_ = false;
  std::int64_t status_ = 0;
  int signal_ = 0;
  bool out_ended_ = false;
  bool err_ended_ = false;
  bool ticking_ = false;
  int ticks_ = 0;        // since ticking_; the loop reads pipes between ticks
  int over_ticks_ = -1;  // the first of them that was to kill
  bool killed_ = false;
  bool closing_ = false;
  std::uint64_t kill_at_ = UINT64_MAX;
};

template <typename Handle>
void Process::Shut(Handle& handle) {
  auto* const generic = reinterpret_cast<uv_handle_t*>(&handle);
  if (uv_is_closing(generic) != 0) return;
  uv_close(generic, [](uv_handle_t* h) {
    Process& self = Of(h->data);
    if (--self.open_ == 0) self.batch_.Ended(&self);
  });
}

void Process::Start() {
  uv_timer_init(batch_.loop(), &timer_);
  Take(timer_);
  for (uv_pipe_t* pipe : {&in_, &out_, &err_}) {
    uv_pipe_init(batch_.loop(), pipe, 0);
    Take(*pipe);
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(command_.folder, ignored))
    return NotStarted("not-started", "there is no folder `" + command_.folder + "`");
  std::array<int, 3> theirs = {-1, -1, -1};
  std::string error = ConnectAll(theirs);
  const bool recorded = !error.empty() || TellStarting();
  if (error.empty() && recorded) {
    if (const int code = Spawn(theirs); code != 0)
      error = fmt::format("`{}` cannot be started: {}", command_.argv.front(), uv_strerror(code));
  }
  for (const int fd : theirs)
    if (fd >= 0) close(fd);
  if (!recorded) return NotStarted(kNotRecorded, "its start could not be recorded");
  if (!error.empty()) return NotStarted("not-started", error);
  Talk();
}

std::string Process::ConnectAll(std::array<int, 3>& theirs) {
  std::string error = Connect(in_, true, theirs[0]);
  if (error.empty()) error = Connect(out_, false, theirs[1]);
  if (error.empty()) error = Connect(err_, false, theirs[2]);
  return error;
}

// A pipe, not the socket that libuv would create: only a pipe can be opened again as /dev/stdin,
// which scripts do.
std::string Process::Connect(uv_pipe_t& ours, bool we_write, int& theirs) {
  uv_file ends[2];
  const int error = uv_pipe(ends, we_write ? 0 : UV_NONBLOCK_PIPE, we_write ? UV_NONBLOCK_PIPE : 0);
  if (error != 0) return fmt::format("no pipe to it: {}", uv_strerror(error));
  theirs = ends[we_write ? 0 : 1];
  uv_pipe_open(&ours, ends[we_write ? 1 : 0]);
  return "";
}

int Process::Spawn(const std::array<int, 3>& theirs) {
  const std::vector<std::string> words =
      CanKeep() ? KeeperCommand(command_.argv, batch_.run().grace.count()) : command_.argv;
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> environment = {std::string(Orphans::kVariable) + "=" + mark_};
  for (const std::string& name : command_.environment)
    if (const char* value = std::getenv(name.c_str())) environment.push_back(name + "=" + value);
  std::vector<char*> env;
  for (std::string& entry : environment) env.push_back(entry.data());
  env.push_back(nullptr);
  uv_file report[2] = {-1, -1};
  if (CanKeep())
    if (const int error = uv_pipe(report, UV_NONBLOCK_PIPE, 0); error != 0) return error;
  report_ = report[0];
  std::array<uv_stdio_container_t, 4> stdio;
  for (std::size_t i = 0; i < stdio.size(); ++i) {
    stdio[i].flags = UV_INHERIT_FD;
    stdio[i].data.fd = i < theirs.size() ? theirs[i] : report[1];
  }
  uv_process_options_t options = {};
  options.file = CanKeep() ? "/proc/self/exe" : argv.front();
  options.args = argv.data();
  options.env = env.data();
  options.cwd = command_.folder.c_str();
  options.flags = UV_PROCESS_DETACHED;  // leads a session, and so a group, of its own
  options.stdio_count = CanKeep() ? 4 : 3;
  options.stdio = stdio.data();
  options.exit_cb = [](uv_process_t* process, std::int64_t status, int signal) {
    Of(process->data).Exited(status, signal);
  };
  const int error = uv_spawn(batch_.loop(), &process_, &options);
  if (report[1] >= 0) close(report[1]);
  Take(process_);  // the handle is initialised even if the start failed
  if (error == 0) pid_ = process_.pid;
  return error;
}

void Process::NotStarted(std::string code, std::string why) {
  result_ = Failure(std::move(code), std::move(why));
  Close();
}

// Starts reading, writes the request, and starts the timeout.
void Process::Talk() {
  Read(out_);
  Read(err_);
  request_ = call_.line.value_or(RequestLine(call_)) + "\n";
  const uv_buf_t text = uv_buf_init(request_.data(), static_cast<unsigned>(request_.size()));
  write_.data = this;
  uv_write(&write_, reinterpret_cast<uv_stream_t*>(&in_), &text, 1,
           [](uv_write_t* write, int) { Of(write->data).Shut(Of(write->data).in_); });
  uv_timer_start(
      &timer_,
      [](uv_timer_t* timer) {
        Process& self = Of(timer->data);
        self.Fail("timeout",
                  fmt::format("it ran longer than {} ms", self.command_.timeout.count()));
      },
      static_cast<std::uint64_t>(command_.timeout.count()), 0);
}

void Process::Read(uv_pipe_t& pipe) {
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(&pipe),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        std::vector<char>& bytes = Of(handle->data).batch_.buffer();
        *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
      },
      [](uv_stream_t* stream, ssize_t n, const uv_buf_t* buffer) {
        Of(stream->data).TookIn(stream, n, buffer->base);
      });
}

// A negative `n` is the end of the stream, or an error, which counts as the end.
void Process::TookIn(uv_stream_t* stream, ssize_t n, const char* data) {
  const bool log = stream == reinterpret_cast<uv_stream_t*>(&err_);
  if (n >= 0) {
    const std::string_view bytes(data, static_cast<std::size_t>(n));
    if (log) {
      log_.Feed(bytes);
      return;
    }
    output_ += bytes;
    if (output_.size() <= command_.max_output_bytes) return;
    output_.clear();
    Fail("too-much-output", fmt::format("it wrote more than {} bytes", command_.max_output_bytes));
    return;
  }
  (log ? err_ended_ : out_ended_) = true;
  Shut(log ? err_ : out_);
  Settle();
}

// Of a process that keeps the tool, what it says at its end.
void Process::TakeReport() {
  if (report_ < 0) return;
  KeeperReport report;
  const ssize_t n = read(report_, &report, sizeof report);
  close(std::exchange(report_, -1));
  if (n != sizeof report || !result_.code.empty()) return;
  if (report.start_error != 0)
    result_ =
        Failure("not-started", fmt::format("`{}` cannot be started: {}", command_.argv.front(),
                                           uv_strerror(-report.start_error)));
  else if (report.left_children) result_ = Failure("left-children", kLeftChildren);
}

void Process::Exited(std::int64_t status, int signal) {
  exited_ = true;
  status_ = status;
  signal_ = signal;
  TakeReport();
  const std::uint64_t now = uv_now(batch_.loop());
  const bool failed = !result_.code.empty();
  const auto grace = static_cast<std::uint64_t>(batch_.run().grace.count());
  kill_at_ = std::min(kill_at_, failed ? now : now + grace);
  Tick();
  Settle();
}

void Process::Fail(std::string code, std::string message) {
  if (closing_ || !result_.code.empty()) return;
  result_ = Failure(std::move(code), std::move(message));
  Shut(in_);
  Shut(out_);
  out_ended_ = true;
  std::uint64_t grace = 0;
  if (!exited_) {
    kill(-pid_, SIGTERM);
    grace = static_cast<std::uint64_t>(batch_.run().grace.count());
  }
  kill_at_ = std::min(kill_at_, uv_now(batch_.loop()) + grace);
  Tick();
}

// Starts to poll for remaining processes.
void Process::Tick() {
  if (std::exchange(ticking_, true)) return;
  uv_timer_start(
      &timer_,
      [](uv_timer_t* timer) {
        ++Of(timer->data).ticks_;
        Of(timer->data).Settle();
      },
      kTickMs, kTickMs);
}

void Process::Settle() {
  if (closing_) return;
  const std::uint64_t now = uv_now(batch_.loop());
  // Ticks count besides the time: it also passes while this process is stopped, or waits its turn.
  const bool over = kill_at_ != UINT64_MAX && now >= kill_at_ && ticks_ >= kMinTicks;
  if (over && over_ticks_ < 0) over_ticks_ = ticks_;
  if (over && ticks_ > over_ticks_ + kGiveUpTicks) return Close();
  if (!exited_) {
    if (over && !CanKeep()) kill(-pid_, SIGKILL);
    if (over && CanKeep()) EndKeeper(pid_);
    return;
  }
  const std::vector<pid_t> leaders = batch_.Leaders();
  const bool left = batch_.orphans().Remain(pid_, mark_, leaders);
  const bool pipes_ended = out_ended_ && err_ended_;
  // After SIGKILL, a pipe that is still open is held by a process that cannot be found.
  if (!left && (pipes_ended || killed_)) return Close();
  if (!over) return;
  Fail("left-children", kLeftChildren);
  batch_.orphans().Kill(pid_, mark_, leaders);
  killed_ = true;
}

void Process::Close() {
  closing_ = true;
  if (report_ >= 0) close(std::exchange(report_, -1));
  log_.End();
  if (result_.code.empty()) result_ = Judge();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began_;
  result_.took_ms = took.count();
  Shut(timer_);
  Shut(in_);
  Shut(out_);
  Shut(err_);
  if (process_.data == this) Shut(process_);
}

ToolResult Process::Judge() const {
  if (signal_ != 0)
    return Failure("signal",
                   fmt::format("it was ended by signal {} ({})", signal_, strsignal(signal_)));
  ToolResult reply = call_.line ? ReadValue(output_) : ReadReply(output_, call_.id);
  if (status_ != 0 && reply.code != "tool")  // a tool may signal its error in both ways
    return Failure("exit", fmt::format("it ended with status {}", status_));
  return reply;
}

bool Process::TellStarting() const {
  const CallersInterrupt interrupt(batch_.signals());
  return !call_.starting || call_.starting();
}

void Process::TellFinished() const {
  if (!call_.finished || result_.code == kInterrupted || result_.code == kNotRecorded) return;
  const CallersInterrupt interrupt(batch_.signals());
  call_.finished(result_);
}

// --- all calls ---------------------------------------------------------------------------

std::vector<ToolResult> Batch::Run() {
  if (calls_.empty()) return {};
  UvReserve::Install();
  if (const int error = uv_loop_init(&loop_); error != 0) {
    std::fill(results_.begin(), results_.end(),
              Failure("not-started", fmt::format("no event loop: {}", uv_strerror(error))));
    return results_;
  }
  // No descriptor of this process may leak into a tool, including those opened without O_CLOEXEC.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  interrupted_ = run_.interrupted && run_.interrupted();
  Watch();
  StartMore();
  uv_run(&loop_, UV_RUN_DEFAULT);
  [[maybe_unused]] const int busy = uv_loop_close(&loop_);
  assert(busy == 0);
  return std::move(results_);
}

void Batch::Watch() {
  uv_timer_init(&loop_, &poll_);
  poll_.data = this;
  uv_timer_start(
      &poll_,
      [](uv_timer_t* timer) {
        Batch& self = *static_cast<Batch*>(timer->data);
        if (self.run_.interrupted && self.run_.interrupted()) self.Interrupt();
      },
      kPollMs, kPollMs);
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    uv_signal_init(&loop_, &watched_[i]);
    watched_[i].data = this;
    if (signals_are_left || signals_.Ignored(i)) continue;
    uv_signal_start(
        &watched_[i],
        [](uv_signal_t* signal, int number) {
          Batch& self = *static_cast<Batch*>(signal->data);
          self.signals_.Came(number);
          self.Interrupt();
        },
        SignalsAfterwards::kSignals[i]);
  }
}

void Batch::Unwatch() {
  uv_close(reinterpret_cast<uv_handle_t*>(&poll_), nullptr);
  for (uv_signal_t& signal : watched_) uv_close(reinterpret_cast<uv_handle_t*>(&signal), nullptr);
}

void Batch::Interrupt() {
  interrupted_ = true;
  for (const auto& process : running_) process->Fail(kInterrupted, "the run was interrupted");
}

// Starts calls up to the concurrency. The loop ends once no call runs and no watcher is open.
void Batch::StartMore() {
  for (; interrupted_ && next_ < calls_.size(); ++next_)
    results_[next_] = Failure(kInterrupted, "the run was interrupted");
  while (next_ < calls_.size() && running_.size() < std::max<std::size_t>(run_.concurrency, 1)) {
    running_.push_back(std::make_unique<Process>(*this, calls_[next_], results_[next_]));
    ++next_;
    running_.back()->Start();
  }
  if (running_.empty()) Unwatch();
}

void Batch::Ended(Process* process) {
  process->TellFinished();
  std::erase_if(running_, [&](const auto& p) { return p.get() == process; });
  StartMore();
}

std::vector<pid_t> Batch::Leaders() const {
  std::vector<pid_t> leaders;
  for (const auto& process : running_)
    if (process->leader() != 0) leaders.push_back(process->leader());
  return leaders;
}

}  // namespace

std::string RequestLine(const CommandCall& call) {
  const ordered_json request = {{"rpl", 1},
                                {"id", call.id},
                                {"tool", call.command->name},
                                {"args", call.args},
                                {"deadlineMs", call.command->timeout.count()}};
  return DumpJson(request);
}

void LeaveSignals() { signals_are_left = true; }

BatchLock::BatchLock(const std::function<bool()>& interrupted) {
  static std::timed_mutex batches;
  lock_ = std::unique_lock(batches, std::defer_lock);
  while (!lock_.try_lock_for(std::chrono::milliseconds(20)))
    if (interrupted && interrupted()) return;
}

std::vector<ToolResult> RunTools(const std::vector<CommandCall>& calls, const ToolRun& run) {
  const BatchLock lock(run.interrupted);
  if (!lock.is_held()) {
    ToolResult interrupted;
    interrupted.code = "interrupted";
    return std::vector<ToolResult>(calls.size(), interrupted);
  }
  return Batch(calls, run).Run();
}

}  // namespace rpl
