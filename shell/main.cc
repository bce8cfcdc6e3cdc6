// SPDX-License-Identifier: Apache-2.0
//
// The process: the parent of a hook, signals, one thread with a large stack on which everything
// runs, and the end. What a command line means is said in shell/commands/command_line.h.
//
// The stack is large so that a deep evaluation ends at a limit that is counted and
// reported, and never at the end of the stack.
#include <pthread.h>
#include <sqlite3.h>
#include <sys/resource.h>
#ifdef RPL_MIMALLOC
#include <mimalloc.h>
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <new>

#include "runtime/tools/keeper.h"
#include "shell/commands/command_line.h"
#include "shell/guard/hook_supervisor.h"
#include "shell/terminal/input.h"
#include "shell/terminal/limit_watch.h"
#include "shell/terminal/report.h"

namespace {

// A request for more memory than there is ends the process with a sentence, also within libraries
// that would abort.
void EndWithoutMemory() {
  std::set_new_handler(rpl::EndWithoutMemory);
#ifdef RPL_MIMALLOC
  mi_register_error(
      [](int code, void*) {
        if (code == ENOMEM || code == EOVERFLOW) rpl::EndWithoutMemory();
      },
      nullptr);
  mi_register_output([](const char*, void*) {}, nullptr);
#endif
}

#ifdef RPL_SUPERVISES_EARLY
// The loader calls this before it initializes the libraries. With little memory, some of them end
// the process.
void PrepareEarly(int argc, char** argv, char** environment) {
  rpl::BeKeeper(argc, argv, environment);
  EndWithoutMemory();
  rpl::SuperviseHook(argc, argv);
}
__attribute__((section(".preinit_array"), used)) void (*prepare_early)(int, char**,
                                                                       char**) = PrepareEarly;
#endif

constexpr std::size_t kStackBytes = std::size_t{512} << 20;
constexpr std::size_t kLeastStackBytes = std::size_t{8} << 20;
constexpr std::size_t kGuardBytes = std::size_t{64} << 10;  // no frame is larger

std::uintptr_t stack_end = 0;  // its lowest address
alignas(16) char fault_stack[std::size_t{64} << 10];

struct Work {
  int argc;
  char** argv;
};

// The end of a stack that is smaller than the counted limits ask for.
void OnFault(int signal, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (at >= stack_end - kGuardBytes && at < stack_end + kGuardBytes) rpl::EndWithoutMemory();
  std::signal(signal, SIG_DFL);  // the instruction faults again
}

void CatchEndOfStack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  stack_end = reinterpret_cast<std::uintptr_t>(begin);
  const stack_t alternate = {.ss_sp = fault_stack, .ss_flags = 0, .ss_size = sizeof fault_stack};
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

// A limit on addresses must leave room for the work.
std::size_t StackBytes() {
  rlimit most = {};
  if (getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return kStackBytes;
  constexpr std::size_t kPage = std::size_t{64} << 10;
  return std::clamp(most.rlim_cur / 4 / kPage * kPage, kLeastStackBytes, kStackBytes);
}

// Ends the process: the end of the thread alone would give back its memory piece by piece.
void* Main(void* argument) {
  const Work& work = *static_cast<Work*>(argument);
  if (StackBytes() < kStackBytes) CatchEndOfStack();
  int code = rpl::RunCommandLine(work.argc, work.argv);
  // A file that was being read: a pipe or a terminal.
  if (code == rpl::kExitFile && rpl::Interrupted()) code = rpl::kExitInterrupted;
  if (!std::cout.flush() && code < rpl::kExitFile) {
    std::cerr << "rpl: cannot write to standard output\n";
    code = rpl::kExitFile;
  }
  std::exit(code);
}

[[noreturn]] void RunOnLargeStack(Work& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  const bool started = pthread_attr_setstacksize(&attributes, StackBytes()) == 0 &&
                       pthread_attr_setguardsize(&attributes, kGuardBytes) == 0 &&
                       pthread_create(&thread, &attributes, Main, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) rpl::EndWithoutMemory();
  // Signals of the terminal must reach the thread that may be waiting for input.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGCONT, SIGWINCH}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  pthread_join(thread, nullptr);
  std::exit(rpl::kExitBug);
}

}  // namespace

int main(int argc, char** argv) {
  rpl::BeKeeper(argc, argv);
  rpl::SuperviseHook(argc, argv);
  std::signal(SIGPIPE, SIG_DFL);  // a reader that left ends us silently, as other filters
  rpl::CatchInterrupt();
  EndWithoutMemory();
  // Only a process counts what its SQLite takes that would ask for it.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  Work work{argc, argv};
  RunOnLargeStack(work);
}
