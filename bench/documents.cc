// SPDX-License-Identifier: Apache-2.0
//
// usage: bench_documents
//
// What a person waits for who opens a document: it is read, loaded as a session loads it, and
// checked. 10 MB of each of four kinds, from mostly prose to nothing but rules, and a protocol
// of 1,000 lines; the documents are the same on every run. Prints seconds of CPU time,
// which other work on the machine does not lengthen, medians of kRounds rounds.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "grammar/document.h"
#include "interp/lint/checker.h"
#include "runtime/nobody.h"
#include "runtime/run/session.h"

namespace {

constexpr std::size_t kBytes = 10'000'000;
constexpr int kRounds = 3;

// --- Documents ----------------------------------------------------------------------------

using Random = std::mt19937;

std::string Prose(Random& random, int words) {
  const char* const kWords[] = {"the",     "draft",   "of",    "a",     "letter",
                                "waits",   "(again)", "until", "every", "reader,",
                                "answers", "and",     "signs."};
  std::string text;
  for (int word = 1; word <= words; ++word) {
    text += kWords[random() % std::size(kWords)];
    text += word % 12 == 0 || word == words ? '\n' : ' ';
  }
  return text + "\n";
}

// Headings and paragraphs; a heading in four has a signature.
std::string ProseSection(Random& random, int number) {
  std::string text = std::string(1 + random() % 4, '#') + " Section " + std::to_string(number);
  if (random() % 4 == 0) text += " - part-" + std::to_string(number) + "(?focus)";
  text += "\n\n";
  for (unsigned paragraph = random() % 4; paragraph-- > 0;) text += Prose(random, 80);
  return text;
}

// A step of a protocol: its heading, what it says of it, its facts and its rule.
std::string ProtocolSection(Random& random, int number) {
  const std::string n = std::to_string(number);
  std::string text = "## Step " + n + " - step-" + n + "(?a, ?b)\n\n";
  for (int i = 0; i < 2; ++i) text += Prose(random, 50);
  text += "The rule goes by __link-" + n + "__.\n\n```rpl\n";
  for (int i = 0; i < 4; ++i)
    text += "link-" + n + "(" + std::to_string(i) + ", " + std::to_string(random() % 1000) + ")\n";
  return text + "step-" + n + "(?a, ?b) <-\n  link-" + n + "(?a, ?c)\n  link-" + n +
         "(?c, ?b)\n```\n\n";
}

std::string FactLine(Random& random, int number) {
  return "edge(" + std::to_string(number) + ", " + std::to_string(random() % 100000) +
         ", \"the edge " + std::to_string(number) + "\")\n";
}

// Every rule of a relation of its own, which reads that of the rule before.
std::string RuleLine(Random& random, int number) {
  if (number == 0) return "link0(?from, ?to) <- edge(?from, ?to, _)\n";
  return "link" + std::to_string(number) + "(?from, ?to) <- edge(?from, ?via, :kind-" +
         std::to_string(random() % 9) + "), link" + std::to_string(number - 1) +
         "(?via, ?to), not closed(?via)\n";
}

std::string Document(std::string (*part)(Random&, int), const char* begin, std::size_t bytes) {
  Random random(20240229);
  std::string text = begin;
  text.reserve(bytes + 2000);
  for (int number = 0; text.size() < bytes; ++number) text += part(random, number);
  return text;
}

// --- Measuring ----------------------------------------------------------------------------

template <typename Fn>
double Median(Fn&& work) {
  std::vector<double> seconds;
  for (int i = 0; i < kRounds; ++i) {
    const std::clock_t start = std::clock();
    work();
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kRounds / 2];
}

void Measure(const char* name, const std::string& file, const std::string& text) {
  const double read = Median([&] {
    rpl::Sources sources;
    rpl::Diagnostics diagnostics;
    rpl::ReadDocument(sources, sources.Add(file, text), diagnostics);
  });
  const double load = Median([&] {
    rpl::Nobody nobody;
    rpl::Session session(nobody, {});
    session.Load(file, text);
  });
  std::size_t findings = 0;
  const double check = Median([&] {
    rpl::Sources sources;
    findings = rpl::CheckFiles(sources, {sources.Add(file, text)}, {}).size();
  });
  std::printf("%-16s %8.1f %9td %9.4f %9.4f %9.4f %9zu\n", name,
              static_cast<double>(text.size()) / 1e6, std::count(text.begin(), text.end(), '\n'),
              read, load, check, findings);
}

std::string Lines(std::string text, int lines) {
  std::size_t at = 0;
  while (lines-- > 0) at = text.find('\n', at) + 1;
  text.resize(at);
  return text;
}

}  // namespace

int main() {
  std::printf("%-16s %8s %9s %9s %9s %9s %9s\n", "document", "MB", "lines", "read s", "load s",
              "check s", "findings");
  Measure("1,000 lines", "d.md", Lines(Document(ProtocolSection, "", 100'000), 999) + "```\n");
  Measure("mostly prose", "d.md", Document(ProseSection, "", kBytes));
  Measure("a protocol", "d.md", Document(ProtocolSection, "", kBytes));
  Measure("only facts", "d.rpl", Document(FactLine, "", kBytes));
  Measure("only rules", "d.rpl", Document(RuleLine, "%all <- link0(?from, _)\n", kBytes));
  return 0;
}
