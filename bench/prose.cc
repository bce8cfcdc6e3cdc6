// SPDX-License-Identifier: Apache-2.0
//
// A document of 10 MB of prose and headings, read and then loaded. Prints seconds; the
// document is the same on every run.
#include <chrono>
#include <cstdio>
#include <random>
#include <string>

#include "grammar/document.h"
#include "runtime/session.h"

namespace {

constexpr std::size_t kBytes = 10'000'000;

std::string MakeDocument() {
  const char* words[] = {"the",   "draft", "of",      "a",         "letter",  "waits", "(again)",
                         "until", "every", "reader,", "__focus__", "answers", "and",   "signs."};
  std::mt19937 random(20240229);
  std::string text;
  text.reserve(kBytes + 1000);
  for (int section = 0; text.size() < kBytes; ++section) {
    text += std::string(1 + random() % 4, '#') + " Section " + std::to_string(section);
    if (random() % 4 == 0) text += " - part-" + std::to_string(section) + "(?focus)";
    text += "\n\n";
    for (unsigned paragraph = random() % 4; paragraph-- > 0;) {
      for (unsigned word = 1; word < 80; ++word) {
        text += words[random() % std::size(words)];
        text += word % 12 == 0 ? '\n' : ' ';
      }
      text += "\n\n";
    }
  }
  return text;
}

double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Nobody : rpl::Agent {
  rpl::Answer Answer(const rpl::Request&, rpl::Pool&, bool) override { return {}; }
  void Chat(const std::string&) override {}
  void OfferToContinue(const std::string&) override {}
};

}  // namespace

int main() {
  const std::string text = MakeDocument();
  rpl::Sources sources;
  rpl::Diagnostics diagnostics;
  const std::uint32_t file = sources.Add("prose.md", text);
  auto start = std::chrono::steady_clock::now();
  const rpl::Document document = rpl::ReadDocument(sources, file, diagnostics);
  const double read = Since(start);

  Nobody nobody;
  rpl::Session session(nobody, {});
  start = std::chrono::steady_clock::now();
  const std::size_t findings = session.Load("prose.md", text).size();
  std::printf("prose: %.1f MB, %zu headings, %zu findings, read %.3f s, load %.3f s\n",
              static_cast<double>(text.size()) / 1e6, document.scopes.size() - 1, findings, read,
              Since(start));
  return 0;
}
