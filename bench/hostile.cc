// SPDX-License-Identifier: Apache-2.0
//
// pathological documents: each shape is made at two sizes, n and 2n, and taken through
// the four ways that read a file and run nothing. Twice the document may take at most
// kMostRatio times as long; the program prints each shape and ends with 1 when one takes
// longer.
//
//   bench_hostile              all shapes
//   bench_hostile quote fence  those whose name holds one of these words
//
// A ratio over kMostRatio is measured again from 2n to 4n and the smaller one counts: what
// grows in steps, as a document does that leaves a cache of the processor, does so once.
// Seconds are those of the processor, least of several rounds in which the sizes take
// turns, so that other work on the machine shows little. n is such that a shape takes some
// 5 to 50 ms, so that both sizes have their memory from the allocator, not from the system;
// it stays below the limits of a sentence, because what a limit ends early says nothing
// about growth. Shapes that a limit is there to end have only to end soon.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast_json.h"
#include "grammar/formatter.h"
#include "interp/lint/checker.h"
#include "runtime/nobody.h"
#include "runtime/run/session.h"

namespace {

constexpr double kMostRatio = 2.3;
/// What takes less is not told from noise.
constexpr double kLeastSeconds = 0.004;
constexpr int kLeastRounds = 3;
constexpr int kMostRounds = 7;
/// What a limit ends has so long.
constexpr double kSoon = 1;
/// A shape that takes so long is not measured again.
constexpr double kMostSeconds = 3;
/// As the program has: limits end a deep evaluation, not the stack.
constexpr std::size_t kStackBytes = std::size_t{512} << 20;

// --- Making text --------------------------------------------------------------------------

std::string Times(std::size_t n, std::string_view piece) {
  std::string out;
  out.reserve(n * piece.size());
  for (std::size_t i = 0; i < n; ++i) out += piece;
  return out;
}

/// `piece` n times, with the number of its turn for each `@` and that of the next for each `~`.
std::string Count(std::size_t n, std::string_view piece) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    for (const char c : piece) {
      if (c == '@') out += std::to_string(i);
      else if (c == '~') out += std::to_string(i + 1);
      else out += c;
    }
  return out;
}

/// The same from the last turn to the first.
std::string CountDown(std::size_t n, std::string_view piece) {
  std::string out;
  for (std::size_t i = n; i-- > 0;)
    for (const char c : piece) {
      if (c == '@') out += std::to_string(i);
      else if (c == '~') out += std::to_string(i + 1);
      else out += c;
    }
  return out;
}

std::string Fence(const std::string& text) { return "```rpl\n" + text + "\n```\n"; }

/// A rule or fact between `open` and `close` with n parts.
std::string Sentence(std::size_t n, std::string_view open, std::string_view part,
                     std::string_view close) {
  return std::string(open) + Count(n, part) + std::string(close) + "\n";
}

/// Runs of backticks, each longer than the one before, in some n bytes.
std::string TickRuns(std::size_t n) {
  std::string out;
  for (std::size_t run = 1; out.size() < n; ++run) out += std::string(run, '`') + " __a__ ";
  return out;
}

std::string FencesOfManyLengths(std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    out += std::string(3 + i % 50, i % 2 == 0 ? '`' : '~') + "rpl\np(" + std::to_string(i) + ")\n";
  return out;
}

std::string NestedLists(std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += std::string(2 * (i % 60), ' ') + "- item\n";
  return out;
}

std::string HeadingLevels(std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    out += std::string(1 + i % 6, '#') + " Part " + std::to_string(i) + "\n\n";
  return out;
}

/// Terms as deep as the limit allows, one a line.
std::string DeepTerms(std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    out += "p(" + Times(200, "f(") + std::to_string(i) + std::string(201, ')') + "\n";
  return out;
}

// --- Shapes -------------------------------------------------------------------------------

struct Shape {
  const char* name;
  std::size_t n;
  std::string (*make)(std::size_t n);
  const char* file = "hostile.md";
  bool limited = false;  // a limit ends it: then only that it ends soon is asked for
};

using Size = std::size_t;
constexpr const char* kPlain = "hostile.rpl";

const Shape kShapes[] = {
    // Brackets
    {"deep (", 200000, [](Size n) { return Fence("p" + Times(n, "(") + Times(n, ")")); }},
    {"deep [", 200000, [](Size n) { return Fence("p(" + Times(n, "[") + Times(n, "]") + ")"); }},
    {"deep #{", 150000, [](Size n) { return Fence("p(" + Times(n, "#{") + Times(n, "}") + ")"); }},
    {"unclosed (", 150000, [](Size n) { return Fence("p" + Times(n, "(")); }},
    {"unclosed [{#{", 60000, [](Size n) { return Fence("p(" + Times(n, "[{#{")); }},
    {"unclosed ( on each bare line", 10000, [](Size n) { return Times(n, "p((a\n"); }},
    {"terms f(f(...)) at the limit", 100, DeepTerms, kPlain},
    {"calls as groups ((((", 300000, [](Size n) { return Times(n, "(") + "p(1)" + Times(n, ")"); }},

    // Lines
    {"one long line of words", 200000, [](Size n) { return Times(n, "words and "); }},
    {"one long word", 1000000, [](Size n) { return Times(n, "w"); }},
    {"one long number", 2000000, [](Size n) { return Fence("p(" + Times(n, "1") + ")"); }},
    {"one long line of blanks", 1000000, [](Size n) { return "a\n" + Times(n, " ") + "b\n"; }},
    {"blank lines", 500000, [](Size n) { return "a\n" + Times(n, "\n") + "b\n"; }},
    {"facts in one line", 10000, [](Size n) { return Fence(Sentence(n, "q(0)", ", p(@)", "")); }},
    {"calls that begin bare lines", 5000, [](Size n) { return Count(n, "p(@) is prose\n"); }},
    {"tabs", 400000, [](Size n) { return Times(n, "\t\ta\t\n"); }},
    {"CRLF", 6000, [](Size n) { return Count(n, "# T@\r\n\r\ntext\r\n\r\np(@)\r\n\r\n"); }},
    {"CR alone", 5000, [](Size n) { return Count(n, "# T@\rtext\r--\r"); }},
    {"a NUL at the end", 1000000, [](Size n) { return Times(n, "a ") + std::string(1, '\0'); }},
    {"not UTF-8 at the end", 1000000, [](Size n) { return Times(n, "\xC3\xA9") + "\xC3"; }},
    {"multi-byte text", 300000, [](Size n) { return Times(n, "\xE2\x80\x94__\xC3\xA9__ "); }},

    // Headings
    {"headings", 12000, [](Size n) { return Count(n, "# Part @\n"); }},
    {"headings of all levels", 12000, HeadingLevels},
    {"headings with a signature", 8000, [](Size n) { return Count(n, "# T - p@(?x)\n\nText.\n\n"); }},
    {"headings with facts", 5000, [](Size n) { return Count(n, "# T - p@(1)\n\n"); }},
    {"headings that look like calls", 6000, [](Size n) { return Count(n, "# p@(?x) in C\n\n"); }},
    {"headings that are underlined", 12000, [](Size n) { return Count(n, "Part @\n====\n\n"); }},
    {"headings that go on below", 4000,
     [](Size n) { return Count(n, "# T - p@(?x)\n<- q(?x)\n\n"); }},
    {"dashes in a heading", 100000, [](Size n) { return "# T" + Times(n, " - a") + "\n"; }},
    {"dashes and arrows in a heading", 20000,
     [](Size n) { return "# T" + Times(n, " - ?x -> a") + "\n"; }},
    {"labels in a heading", 100000, [](Size n) { return "# T - q (?x)" + Times(n, " a.a#a.a#") + "\n"; }},
    {"parentheses in a heading", 500000, [](Size n) { return "# T (?x) " + Times(n, "(") + "\n"; }},
    {"a heading over many lines", 100000, [](Size n) { return Times(n, "words\n") + "===\n"; }},
    {"marks behind a heading", 300000, [](Size n) { return "# T " + Times(n, "# ") + "\n"; }},
    {"expressions below a heading", 2000,
     [](Size n) { return "# T - r(?x)\n\n" + Fence(Count(n, "c@(?x)\n")); }},
    {"expressions below plain headings", 3000,
     [](Size n) { return Count(n, "# T@\n\n```rpl\nc(?x)\n```\n\n## U - r@(?x)\n\n"); }},
    {"expressions above headings", 300,
     [](Size n) {
       return "# T\n\n" + Fence(Count(n, "c@(?x)\n")) + Count(n, "## U - r@(?x)\n\nText.\n\n");
     }},

    // Fences
    {"one giant fence", 6000, [](Size n) { return Fence(Count(n, "p(@, \"text\")\n")); }},
    {"tiny fences", 5000, [](Size n) { return Count(n, "```rpl\np(@)\n```\n\n"); }},
    {"empty fences", 20000, [](Size n) { return Times(n, "```rpl\n```\n"); }},
    {"an unclosed fence", 6000, [](Size n) { return "```rpl\n" + Count(n, "p(@)\n"); }},
    {"fences of many lengths", 6000, FencesOfManyLengths},
    {"unclosed fences in quotes", 50000, [](Size n) { return Times(n, "> ```rpl\n> p(1)\n\n"); }},

    // Strings
    {"alternating quotes", 500000, [](Size n) { return Fence("p(" + Times(n, "\"'") + ")"); }},
    {"an unclosed string", 10000, [](Size n) { return Fence("p(\"\n" + Count(n, "q(@)\n")); }},
    {"an unclosed string on each line", 15000, [](Size n) { return Fence(Times(n, "p(\"a)\n")); }},
    {"strings that all end at the end", 20000,
     [](Size n) { return Fence(Times(n, "p(\\'a\n") + "q(x'y"); }},
    {"backslashes", 1000000, [](Size n) { return Fence("p(\"" + Times(n, "\\\\") + "\")"); }},
    {"a string with many variables", 2000,
     [](Size n) { return Fence("p(?s) <- q(?x), ?s = \"" + Count(n, "{?x@} ") + "\""); }},
    {"a string with braces", 200000, [](Size n) { return Fence("p(\"" + Times(n, "{") + "\")"); }},
    {"a string with names in braces", 6000,
     [](Size n) { return Fence("p(\"" + Count(n, "{x@}") + "\")"); }},
    {"a long regex", 20000,
     [](Size n) { return Fence("p(?x) <- q(?x), ?x = ~ /" + Times(n, "a[bc]") + "/"); }},
    {"a regex with many groups", 500,
     [](Size n) { return Fence("p(?x) <- q(?x), ?x = ~ /" + Count(n, "(?<g@>a)") + "/"); }},
    {"regexes", 1000, [](Size n) { return Fence(Count(n, "p(?x) <- q(?x), ?x = ~ /a@.*/\n")); }},

    // Scope returns and comments
    {"-- below headings", 8000, [](Size n) { return Count(n, "# T@\n\ntext\n\n--\n\n"); }},
    {"-- in the document", 20000, [](Size n) { return Times(n, "--\n\n"); }},
    {"-- under text", 6000, [](Size n) { return Times(n, "# T\ntext\n--\n"); }},
    {"-- without blanks", 500000, [](Size n) { return Times(n, "--"); }},
    {"comments between clauses", 5000,
     [](Size n) { return Fence("p(?x) <- q(?x)" + Times(n, " -- text\n, q(?x)")); }},

    // Prose
    {"spans", 100000, [](Size n) { return Times(n, "__a__ "); }},
    {"spans below a signature", 3000,
     [](Size n) { return "# T - p(?x)\n\n" + Count(n, "__a@__ ") + "\n"; }},
    {"unclosed spans", 300000, [](Size n) { return Times(n, "__a "); }},
    {"runs of backticks", 1000000, TickRuns},
    {"paragraphs", 20000, [](Size n) { return Times(n, "words\n\n"); }},
    {"code and names that are not kebab-case", 500000,
     [](Size n) { return "# T - pQ(?xY)\n\n" + TickRuns(n) + "\n"; }},
    {"spans of names that are not kebab-case", 1000,
     [](Size n) {
       return "# T - p([" + Count(n, "?aB@ ") + "])\n\n" + Count(n, "__cD@__ ") + "\n";
     }},
    {"quote marks on one line", 500000, [](Size n) { return Times(n, ">") + " a\n"; }},
    {"deep quotes that end", 2000, [](Size n) { return Times(n, std::string(100, '>') + " a\n\n"); }},
    {"list marks on one line", 300000, [](Size n) { return Times(n, "- ") + "a\n"; }},
    {"a list of items", 100000, [](Size n) { return Times(n, "- item\n"); }},
    {"nested lists", 20000, NestedLists},
    {"an unclosed HTML comment", 300000, [](Size n) { return "<!--\n" + Times(n, "text\n"); }},
    {"openings of HTML comments", 100000, [](Size n) { return Times(n, "<!-- text\n\n"); }},
    {"a table", 50000, [](Size n) { return "|a|b|\n|-|-|\n" + Times(n, "|a|b|\n"); }},
    {"link references", 50000, [](Size n) { return Count(n, "[a@]: /url \"title\"\n"); }},
    {"old arrows in prose", 4000, [](Size n) { return Count(n, "ready@ <= b(1)\n\n"); }},

    // Suppressions
    {"suppressions", 3000,
     [](Size n) { return Count(n, "<!-- rpl-ignore RPL6001: why -->\np@(?x) <- q@(?x)\n\n"); }},
    {"suppressions of nothing", 10000,
     [](Size n) { return Times(n, "<!-- rpl-ignore RPL6001: why -->\n\n"); }},
    {"suppressions on one line", 2000,
     [](Size n) { return Times(n, "<!-- rpl-ignore RPL6001: why --> "); }},
    {"suppressions in RPL", 3000,
     [](Size n) { return Count(n, "p@(?x) <- q@(?x) -- rpl-ignore RPL6001: why\n"); }, kPlain},

    // Findings
    {"one error many times", 5000, [](Size n) { return Times(n, "p(?x) <- <- q(?x)\n"); }, kPlain},
    {"old arrows", 4000, [](Size n) { return Times(n, "p(?x) => q(?x)\n"); }, kPlain},
    {"undefined relations", 4000, [](Size n) { return Count(n, "p(?x) <- undefined-@(?x)\n"); }, kPlain},
    {"misspelled relations", 3000,
     [](Size n) { return Count(n, "relation-@(1)\np(?x) <- relatoin-@(?x)\n"); }, kPlain},
    {"names that are not kebab-case, one line", 1500,
     [](Size n) { return Sentence(n, "p([1", " :aB@", "])"); }, kPlain},
    {"variables with hyphens", 1500, [](Size n) { return Sentence(n, "p(?x) <- q([?x", " ?x-@", "])"); }, kPlain},
    {"bare names", 4000, [](Size n) { return Count(n, "p@ <- q@\n"); }, kPlain},
    {"wrong arities", 3000, [](Size n) { return Count(n, "p@(1)\nq() <- p@(1, 2)\n"); }, kPlain},
    {"files that are not there", 4000, [](Size n) { return Count(n, "p() <- a@.md#q()\n"); }, kPlain},

    // One sentence
    {"clauses of one rule", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", q(?x)", ""); }, kPlain},
    {"clauses of one rule, each another", 1000,
     [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", q@(?x)", ""); }, kPlain},
    {"clauses of one rule, a chain", 1000,
     [](Size n) { return Sentence(n, "p(?x0) <- q(?x0)", ", q(?x@, ?x~)", ""); }, kPlain},
    {"alternatives of one rule", 1000,
     [](Size n) { return Sentence(n, "p(?x) <- q(?x)", " | q@(?x)", ""); }, kPlain},
    {"alternatives in a row", 500, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", (a@(?x) | b@(?x))", ""); }, kPlain, true},
    {"negations in one rule", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", not q@(?x)", ""); }, kPlain},
    {"counts in one rule", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", |q@(_)| > 1", ""); }, kPlain},
    {"equalities in one rule", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", ?x@ = @", ""); }, kPlain},
    {"patterns in one rule", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", ?x = ~ [?a@ 1 2]", ""); }, kPlain},
    {"variables of one rule", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", q(?x@), r(?x@)", ""); }, kPlain},
    {"variables of a list", 2000, [](Size n) { return Sentence(n, "p(?x) <- q([?x", " ?x@", "])"); }, kPlain},
    {"variables never bound", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", ", ?x@ < ?x", ""); }, kPlain},
    {"variables never bound, of one clause", 1000,
     [](Size n) { return Sentence(n, "% <- q(?x), ?x = [", "?x@ ", "]"); },
     kPlain},
    {"heads of one rule", 100, [](Size n) { return Sentence(n, "p(?x) <- ", "p@(?x) <- ", "q(?x)"); }, kPlain},
    {"heads and clauses of one rule", 1000,
     [](Size n) { return Sentence(n, "p() <- ", "p@() <- ", "q()") + Count(n, ", q@()"); }, kPlain},
    {"arguments of one call", 5000, [](Size n) { return Sentence(n, "p(0", ", @", ")"); }, kPlain},
    {"a list", 30000, [](Size n) { return Sentence(n, "p([", "@ ", "])"); }, kPlain},
    {"a map", 10000, [](Size n) { return Sentence(n, "p({", ":k@ @, ", "})"); }, kPlain},
    {"a map as a pattern", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x), ?x = ~ {", ":k@ ?v@, ", "}"); }, kPlain},
    {"metadata as a pattern", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x) ^ ~ {", ":k@ ?v@, ", "}"); }, kPlain},
    {"metadata in suffixes", 3000, [](Size n) { return Sentence(n, "p(1)", " ^:k@ @", ""); }, kPlain},
    {"metadata in suffixes of a clause", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x)", " ^:k@ ?v@", ""); }, kPlain},
    {"bindings of a fact", 3000, [](Size n) { return Sentence(n, "p(1) ^^ {", "?k@ @, ", "}"); }, kPlain},
    {"a sum", 20000, [](Size n) { return Sentence(n, "p(?a) <- ?a = 1", " + 1", ""); }, kPlain},
    {"comparisons in a chain", 20000, [](Size n) { return Sentence(n, "p(?a) <- ?a", " < @", ""); }, kPlain},
    {"activations of one rule", 1000, [](Size n) { return Sentence(n, "p(?x) <- q(?x); @when(q(?x))", ", @when(q@(1))", ""); }, kPlain},
    {"rules in parentheses", 200, [](Size n) { return Times(n, "p() <- (" + Times(30, "a() <- (") + "q()" + Times(31, ")") + "\n"); }, kPlain},

    // Programs
    {"facts", 6000, [](Size n) { return Count(n, "p(@)\n"); }, kPlain},
    {"facts retracted", 4000, [](Size n) { return Count(n, "p(@)\np(@) -> false\n"); }, kPlain},
    {"rules of one relation", 3000, [](Size n) { return "q(1)\n" + Count(n, "p(?x) <- q(?x), ?x > @\n"); }, kPlain},
    {"a chain of relations, backwards", 3000, [](Size n) { return CountDown(n, "p~(?x) <- p@(?x)\n") + "p0(1)\n"; }, kPlain},
    {"a chain of negations", 2000, [](Size n) { return "q(1)\np0(1)\n" + Count(n, "p~(?x) <- q(?x), not p@(?x)\n"); }, kPlain},
    {"a chain of inputs, backwards", 2000, [](Size n) { return CountDown(n, "p~(?x) <- p@(?x)\n") + "p0(?x) <- ?x > 1\n"; }, kPlain},
    {"a chain of goals", 3000, [](Size n) { return "% <- %g0\n" + Count(n, "%g@ <- %g~\n"); }, kPlain},
    {"goals", 3000, [](Size n) { return Count(n, "%g@ <- p(@)\n"); }, kPlain},
    {"rules of one goal", 3000, [](Size n) { return Count(n, "%g <- p(@)\n"); }, kPlain},
    {"a goal over many", 1000, [](Size n) { return Sentence(n, "% <- %g0", ", %g@", "") + Count(n, "%g@ <- true\n"); }, kPlain},
    {"a cycle", 4000, [](Size n) { return Count(n, "p~(?x) <- p@(?x)\n") + "p0(?x) <- p" + std::to_string(n) + "(?x)\n"; }, kPlain},
    {"a cycle of negations", 2000, [](Size n) { return "q(1)\n" + Count(n, "p~(?x) <- q(?x), not p@(?x)\n") + "p0(?x) <- p" + std::to_string(n) + "(?x)\n"; }, kPlain},
    {"cycles of two negations", 2000, [](Size n) { return Count(n, "p@() <- not q@()\nq@() <- not p@()\n"); }, kPlain},
    {"constraints", 3000, [](Size n) { return Count(n, "p(?x), ?x > @ -> false\n"); }, kPlain},
    {"rules with constraints", 2500, [](Size n) { return Count(n, "p@(?x) <- q(?x) -> ?x > 1\n"); }, kPlain},
    {"gathering", 3000, [](Size n) { return Count(n, "p@([& ?x]) <- q(?x, @)\n"); }, kPlain},
    {"expansions", 4000, [](Size n) { return Count(n, "#?h <- p(?h, @)\n"); }, kPlain},
    {"terms as data", 3000, [](Size n) { return Count(n, "p(q@(@), r@(?x)) <- s@(?x)\n"); }, kPlain},
    {"tools", 3000, [](Size n) { return Count(n, "p@(?x) <- ?x = $t@(1)\n"); }, kPlain},
    {"sentences that assert nothing", 4000, [](Size n) { return Count(n, "p@(?x)\n"); }, kPlain},
};

// --- Ways through -------------------------------------------------------------------------

std::size_t Check(const char* file, const std::string& text) {
  rpl::Sources sources;
  const std::uint32_t number = sources.Add(file, text);
  std::string report;
  for (const rpl::Finding& f : rpl::CheckFiles(sources, {number}, {}))
    report += rpl::Render(f.diagnostic, sources);
  return report.size();
}

std::size_t Load(const char* file, const std::string& text) {
  rpl::Nobody nobody;
  rpl::Session session(nobody, {});
  return session.Load(file, text).size();
}

std::size_t Format(const char* file, const std::string& text) {
  rpl::Sources sources;
  const std::uint32_t number = sources.Add(file, text);
  rpl::Diagnostics findings;
  return rpl::ApplyEdits(sources, number, rpl::FormatEdits(sources, number, findings)).size();
}

std::size_t Parse(const char* file, const std::string& text) {
  rpl::Sources sources;
  const std::uint32_t number = sources.Add(file, text);
  rpl::Diagnostics findings;
  return rpl::ToJson(rpl::ReadDocument(sources, number, findings), sources).dump().size();
}

struct Way {
  const char* name;
  std::size_t (*take)(const char* file, const std::string& text);
};

constexpr Way kWays[] = {{"check", Check}, {"load", Load}, {"fmt", Format}, {"parse", Parse}};

// --- Measuring ----------------------------------------------------------------------------

double Now() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double Seconds(const Way& way, const char* file, const std::string& text) {
  const double start = Now();
  way.take(file, text);
  return Now() - start;
}

struct Times2 {
  double once;
  double twice;
  double ratio() const { return twice / std::max(once, kLeastSeconds); }
};

Times2 Measure(const Way& way, const char* file, const std::string& once,
               const std::string& twice) {
  constexpr double kNever = std::numeric_limits<double>::max();
  Times2 least{kNever, kNever};
  double spent = 0;
  for (int round = 0; round < kMostRounds && spent < kMostSeconds; ++round) {
    if (round >= kLeastRounds && least.ratio() <= kMostRatio) break;
    const double a = Seconds(way, file, once);
    const double b = Seconds(way, file, twice);
    least = {std::min(least.once, a), std::min(least.twice, b)};
    spent += a + b;
  }
  return least;
}

struct Run {
  std::vector<std::string_view> words;  // of the shapes wanted; all when empty
  bool failed = false;

  bool Wants(std::string_view name) const {
    return words.empty() || std::any_of(words.begin(), words.end(), [&](std::string_view word) {
             return name.find(word) != name.npos;
           });
  }
};

void MeasureAll(Run& run) {
  std::printf("%-40s %9s", "seconds at n and 2n, ratio", "bytes");
  for (const Way& way : kWays) std::printf(" | %18s", way.name);
  std::printf("\n");
  double most = 0;
  std::string worst;
  for (const Shape& shape : kShapes) {
    if (!run.Wants(shape.name)) continue;
    const std::string once = shape.make(shape.n);
    const std::string twice = shape.make(2 * shape.n);
    std::printf("%-40s %9zu", shape.name, once.size());
    for (const Way& way : kWays) {
      Times2 t = Measure(way, shape.file, once, twice);
      if (shape.limited) {
        run.failed = run.failed || t.twice > kSoon;
        std::printf(" | %6.3f %6.3f    %c", t.once, t.twice, t.twice > kSoon ? '!' : ' ');
        continue;
      }
      if (t.ratio() > kMostRatio && t.twice < kMostSeconds / 4) {
        const Times2 next = Measure(way, shape.file, twice, shape.make(4 * shape.n));
        if (next.ratio() < t.ratio()) t = next;
      }
      const double ratio = t.ratio();
      std::printf(" | %6.3f %6.3f %3.1f%c", t.once, t.twice, ratio, ratio > kMostRatio ? '!' : ' ');
      std::fflush(stdout);
      if (ratio <= most) continue;
      most = ratio;
      worst = std::string(shape.name) + ", " + way.name;
    }
    std::printf("\n");
  }
  run.failed = run.failed || most > kMostRatio;
  std::printf("hostile: largest ratio %.2f (%s), at most %.1f is %s\n", most, worst.c_str(),
              kMostRatio, run.failed ? "exceeded" : "kept");
}

void* RunThread(void* run) {
  MeasureAll(*static_cast<Run*>(run));
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  Run run;
  run.words.assign(argv + 1, argv + argc);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, RunThread, &run) != 0) RunThread(&run);
  else pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return run.failed ? 1 : 0;
}
