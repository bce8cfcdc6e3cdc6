// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/refusal.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <string>
#include <string_view>

#include "formats/data/diagnostic_json.h"
#include "shell/terminal/colours.h"
#include "shell/terminal/prompt_text.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;  // of standard error
constexpr std::size_t kMostFindings = 10'000;

}  // namespace

// Passes everything on to another buffer.
class RefusalReport::Watched : public std::streambuf {
 public:
  explicit Watched(std::ostream& stream) : stream_(stream), to_(stream.rdbuf(this)) {}
  ~Watched() override { stream_.rdbuf(to_); }
  Watched(const Watched&) = delete;

  bool written = false;
  bool keeps = false;  // also keeps the text
  std::string text;

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return to_->pubsync();
    const char one = traits_type::to_char_type(c);
    Note({&one, 1});
    return to_->sputc(one);
  }
  std::streamsize xsputn(const char* s, std::streamsize n) override {
    Note({s, static_cast<std::size_t>(n)});
    return to_->sputn(s, n);
  }
  int sync() override { return to_->pubsync(); }

 private:
  void Note(std::string_view s) {
    written = written || !s.empty();
    if (keeps) text += s.substr(0, kMostText - std::min(kMostText, text.size()));
  }

  std::ostream& stream_;
  std::streambuf* to_;
};

struct RefusalReport::State {
  const OutputFormat& format;
  Watched out{std::cout};
  Watched err{std::cerr};
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  pid_t process = getpid();  // children that fork report nothing

  explicit State(const OutputFormat& of) : format(of) { err.keeps = true; }
};

namespace {

// Of the command that runs, or null. The command has one thread until it runs a program.
RefusalReport::State* current = nullptr;

// The message and the hint of a rendered finding may take several lines of a terminal; the line of
// the document with its caret is one.
std::string FittedFinding(const std::string& rendered, const std::ostream& err) {
  const std::size_t excerpt = rendered.find('\n') + 1;
  const std::size_t hint = std::min(rendered.find("\nhelp: ", excerpt), rendered.size() - 1) + 1;
  return Fitted(rendered.substr(0, excerpt), err) + rendered.substr(excerpt, hint - excerpt) +
         Fitted(rendered.substr(hint), err);
}

}  // namespace

std::string ShownFinding(const Diagnostic& d, const Sources& sources, const std::ostream& stream,
                         bool colours) {
  return MarkedFindings(FittedFinding(Render(d, sources), stream), colours);
}

void PrintFinding(const Diagnostic& d, const Sources& sources, std::ostream& err) {
  const std::string shown =
      ShownFinding(d, sources, err, &err == &std::cerr && ColoursFor("auto").err);
  if (current == nullptr || &err != &std::cerr) {
    err << shown;
    return;
  }
  current->err.keeps = false;
  err << shown;
  current->err.keeps = true;
  if (current->findings.size() < kMostFindings)
    current->findings.push_back(FindingJson(d, sources));
}

RefusalReport::RefusalReport(int argc, char** argv) {
  const OutputFormat* const format = DataFormatOf(argc, argv);
  if (format != nullptr && current == nullptr) current = state_ = new State(*format);
}

RefusalReport::~RefusalReport() {
  if (state_ == nullptr) return;
  current = nullptr;
  delete state_;
}

void RefusalReport::End(int exit_code) {
  if (state_ == nullptr || exit_code == kExitOk || state_->out.written ||
      state_->process != getpid())
    return;
  std::string message = std::move(state_->err.text);
  while (message.ends_with('\n')) message.pop_back();
  state_->format.write(std::cout, {{"schema", "rpl.refused/1"},
                                   {"exitCode", exit_code},
                                   {"message", message},
                                   {"findings", state_->findings}});
  std::cout << std::flush;
}

}  // namespace rpl
