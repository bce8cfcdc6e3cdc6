// SPDX-License-Identifier: Apache-2.0
//
// The process: the parent of a hook, signals, one thread with a large stack on which everything
// runs, and the end. What a command line means is said in shell/commands/command_line.h.
//
// The stack is large so that a deep evaluation ends at a limit that is counted and
// reported, and never at the end of the stack.
#include <pthread.h>

#include <csignal>
#include <iostream>

#include "shell/commands/command_line.h"
#include "shell/host/hook_supervisor.h"
#include "shell/host/input.h"
#include "shell/host/report.h"

namespace {

#ifdef RPL_SUPERVISES_EARLY
// The loader calls this before it initializes the libraries. With little memory, some of them end
// the process.
void SuperviseEarly(int argc, char** argv, char**) { rpl::SuperviseHook(argc, argv); }
__attribute__((section(".preinit_array"), used)) void (*supervise_early)(int, char**,
                                                                         char**) = SuperviseEarly;
#endif

constexpr std::size_t kStackBytes = std::size_t{512} << 20;

struct Work {
  int argc;
  char** argv;
  int exit_code = rpl::kExitBug;
};

void* Main(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  work.exit_code = rpl::RunCommandLine(work.argc, work.argv);
  return nullptr;
}

// Runs `work` on a thread of its own, or right here if the system gives no such stack.
void RunOnLargeStack(Work& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  const bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                       pthread_create(&thread, &attributes, Main, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) {
    Main(&work);
    return;
  }
  // Signals of the terminal must reach the thread that may be waiting for input.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGCONT, SIGWINCH}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  pthread_join(thread, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  rpl::SuperviseHook(argc, argv);
  std::signal(SIGPIPE, SIG_DFL);  // a reader that left ends us silently, as other filters
  rpl::CatchInterrupt();
  Work work{argc, argv};
  RunOnLargeStack(work);
  if (!std::cout.flush() && work.exit_code < rpl::kExitFile) {
    std::cerr << "rpl: cannot write to standard output\n";
    work.exit_code = rpl::kExitFile;
  }
  return work.exit_code;
}
