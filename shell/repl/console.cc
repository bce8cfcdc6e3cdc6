// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/console.h"

#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "formats/terminal_text.h"
#include "shell/terminal/report.h"

namespace rpl {

void ReplConsole::Error(const std::string& text) {
  failed_ = true;
  Alarm(text);
}

void ReplConsole::Alarm(const std::string& text) const {
  std::cerr << (colours_.err ? "\033[31m" : "") << Printable(text)
            << (colours_.err ? "\033[0m" : "") << '\n';
}

void ReplConsole::Note(const std::string& text) const {
  std::cerr << (colours_.err ? "\033[2m" : "") << Printable(text) << (colours_.err ? "\033[0m" : "")
            << '\n';
}

void ReplConsole::Findings(const std::vector<Diagnostic>& findings, const Sources& sources) const {
  std::ostringstream text;
  PrintDiagnostics(findings, sources, text);
  Coloured(text.str());
}

void ReplConsole::Coloured(const std::string& findings) const {
  std::cerr << MarkedFindings(findings, colours_.err);
}

void ReplConsole::PrintRest(std::size_t left, const char* what) const {
  if (left > 0) std::cout << fmt::format("-- {} more\n", Counted(left, what));
  std::cout << std::flush;
  if (left > 0 && interactive_) Note(".maxrows 0 shows all");
}

void ReplConsole::CloseOutput() {
  if (!writes_file()) return;
  std::cout.flush();
  const bool written = std::cout.good();
  std::cout.clear();
  std::cout.rdbuf(terminal_);
  output_.close();
  if (!written || output_.fail()) Error(output_name_ + ": cannot be written");
  else if (interactive_) Note(output_name_ + ": written");
}

void ReplConsole::OpenOutput(const std::string& name) {
  output_ = std::ofstream(name, std::ios::binary | std::ios::trunc);
  if (!output_) {
    output_ = std::ofstream();
    return Error(name + ": cannot be written");
  }
  output_name_ = name;
  std::cout.flush();
  terminal_ = std::cout.rdbuf(output_.rdbuf());
  if (interactive_) Note(name + ": takes what is printed; .output ends that");
}

}  // namespace rpl
