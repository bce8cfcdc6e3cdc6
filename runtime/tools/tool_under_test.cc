// SPDX-License-Identifier: Apache-2.0
//
// A tool for tests, which behaves or misbehaves as its first argument requests.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

std::string id;    // of the request, in quotes
std::string args;  // of the request, as JSON

// The text between two marks of a line.
std::string Between(const std::string& line, const std::string& from, const std::string& to) {
  const std::size_t begin = line.find(from) + from.size();
  return line.substr(begin, line.find(to, begin) - begin);
}

std::string ReadRequest() {
  std::string line;
  std::getline(std::cin, line);
  id = Between(line, "\"id\":", ",\"tool\"");
  args = Between(line, "\"args\":", ",\"deadlineMs\"");
  return line;
}

void Reply(const std::string& result) {
  std::cout << "{\"id\":" << id << ",\"result\":" << result << "}\n" << std::flush;
}

[[noreturn]] void Hang() {
  for (;;) pause();
}

void Repeat(int fd, const std::string& text) {
  while (write(fd, text.data(), text.size()) > 0) continue;
}

// A child that outlives this process: with its standard output or without, in its group or another.
void LeaveChild(bool with_output, bool own_session) {
  if (fork() != 0) return;
  if (own_session) setsid();
  if (!with_output)
    for (int fd = 0; fd < 3; ++fd) dup2(open("/dev/null", O_RDWR), fd);
  Hang();
}

// Records in a file that the call has begun, waits until `calls` calls have begun or no further one
// comes, and replies with the number of calls that began before this one ended.
void Meet(const char* path, std::size_t calls) {
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (write(fd, "s", 1) != 1) std::abort();
  const auto begun = [path] {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {}).size();
  };
  for (int i = 0; i < 1000 && begun() < calls; ++i) usleep(10'000);
  Reply(std::to_string(begun()));
}

std::string Environment() {
  std::string names;
  for (char** entry = environ; *entry != nullptr; ++entry)
    names +=
        (names.empty() ? "\"" : " ") + std::string(*entry).substr(0, std::string(*entry).find('='));
  return names + "\"";
}

int OpenDescriptors() {
  int open = 0;
  for (int fd = 0; fd < 1024; ++fd) open += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return open;
}

int Obey(const std::string& mode, char** argv) {
  if (mode == "echo") Reply(args);
  if (mode == "folder") Reply("\"" + std::filesystem::current_path().string() + "\"");
  if (mode == "environment") Reply(Environment());
  if (mode == "descriptors") Reply(std::to_string(OpenDescriptors()));
  if (mode == "meet") Meet(argv[2], std::stoul(argv[3]));
  if (mode == "hang") Hang();
  if (mode == "ignore-sigterm") {
    std::signal(SIGTERM, SIG_IGN);
    Hang();
  }
  if (mode == "flood") Repeat(STDOUT_FILENO, std::string(4096, 'x'));
  if (mode == "garbage") std::cout << "no \x1b[31m JSON";
  if (mode == "not-utf8") std::cout << "{\"id\":" << id << ",\"result\":\"\xff\"}";
  if (mode == "deep-json") Reply(std::string(100'000, '[') + std::string(100'000, ']'));
  if (mode == "two-replies") {
    Reply("1");
    Reply("2");
  }
  if (mode == "other-id") std::cout << R"({"id":"x","result":1})";
  if (mode == "both") std::cout << "{\"id\":" << id << ",\"result\":1,\"error\":2}";
  if (mode == "error-reply" || mode == "error-exit") {
    std::cout << "{\"id\":" << id << R"(,"error":{"code":"no-such-row","message":"no row 7"}})";
    std::cout.flush();
    return mode == "error-exit" ? 1 : 0;
  }
  if (mode == "bad-error") std::cout << "{\"id\":" << id << ",\"error\":\"no\"}";
  if (mode == "close-early") {
    close(STDOUT_FILENO);
    Hang();
  }
  if (mode == "close-and-end") close(STDOUT_FILENO);
  if (mode == "half-reply") std::cout << "{\"id\":" << id << ",\"res" << std::flush;
  if (mode == "exit-7") return 7;
  if (mode == "signal") std::raise(SIGKILL);
  if (mode == "segfault") {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn it into an exit code
    std::raise(SIGSEGV);
  }
  if (mode == "children" || mode == "quiet-children" || mode == "own-session") {
    LeaveChild(mode == "children", mode == "own-session");
    Reply("1");
  }
  if (mode == "log") {
    std::cerr << "one\r\ntwo \x1b[31m\xff\nthree" << std::flush;
    Reply("1");
  }
  if (mode == "stderr-flood") {
    std::cerr << std::string(100'000, 'x') << "\n" << std::flush;
    Reply("1");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "no-stdin-read") Hang();
  if (mode == "closes-stdin") {
    close(STDIN_FILENO);
    return 0;
  }
  ReadRequest();
  return Obey(mode, argv);
}
