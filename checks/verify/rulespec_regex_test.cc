// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/rulespec_regex.h"

#include <fmt/format.h>
#include <rapidcheck.h>
#include <re2/re2.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "checks/verify/code_points.h"

namespace rpl {
namespace {

bool Matches(const std::string& regex, const std::string& text) {
  RulespecRegex::Problem problem;
  const auto compiled = RulespecRegex::Read(regex, &problem);
  INFO(regex << ": " << problem.at << ": " << problem.why);
  REQUIRE(compiled);
  return compiled->Matches(text);
}

// "3: missing `]`"; with a `limit` before if the regex is valid.
std::string ProblemOf(const std::string& regex) {
  RulespecRegex::Problem problem;
  if (RulespecRegex::Read(regex, &problem)) return "";
  return fmt::format("{}{}: {}", problem.is_limit ? "limit " : "", problem.at, problem.why);
}

TEST_CASE("classes of characters are Unicode's") {
  CHECK(Matches("^\\w+$", "été_9٣"));
  CHECK_FALSE(Matches("\\W", "日本語"));
  CHECK(Matches("(?-u)^\\w$", "e"));
  CHECK_FALSE(Matches("(?-u:^\\w$)", "é"));
  CHECK(Matches("^\\D\\S$", "ab"));
  CHECK(Matches("^[\\d--5]$", "4"));
  CHECK_FALSE(Matches("^[\\d--5]$", "5"));
  CHECK(Matches("^[a-g~~b-h]+$", "ah"));
  CHECK_FALSE(Matches("[a-g~~b-h]", "bcdefg"));
  CHECK(Matches("^[]a-]+$", "]-a"));
  CHECK(Matches("^[^]a]$", "b"));
  CHECK(Matches("^[a-c[x-z]]+$", "abz"));
  CHECK(Matches("^[[:alpha:]&&[^x]]$", "y"));
  CHECK(Matches("^[\\p{Greek}&&\\p{Lu}]$", "Λ"));
  CHECK_FALSE(Matches("^[\\p{Greek}&&\\p{Lu}]$", "λ"));
  CHECK(Matches("\\p{script=old italic}", "𐌀"));
  CHECK(Matches("^\\p{gc!=Lu}$", "a"));
  CHECK_FALSE(Matches("[a&&b]", "ab"));
  // U+0378 is assigned to no character, U+0085 is a control.
  CHECK(
      Matches("^\\p{C}\\pC\\p{Other}\\p{Cn}\\p{gc=Unassigned}$", "\u0085\u0378\u0085\u0378\u0378"));
  CHECK_FALSE(Matches("[\\P{C}]|^\\p{Cn}", "\u0085\u0378"));
}

TEST_CASE("letters have the cases of Unicode") {
  CHECK(Matches("(?i)^straße k$", "STRAẞE \u212a"));
  CHECK_FALSE(Matches("(?i)[^kſ]", "Ks\u212aS"));
  CHECK(Matches("(?i-u)k", "K"));
  CHECK_FALSE(Matches("(?i-u)k", "\u212a"));
  CHECK(Matches("a(?i)b|c", "C"));
  CHECK(Matches("(?:a(?i)b)c", "aBc"));
  CHECK_FALSE(Matches("(?:a(?i)b)c", "aBC"));
}

TEST_CASE("a boundary of words is Unicode's") {
  CHECK(Matches("\\bété\\b", "l'été."));
  CHECK_FALSE(Matches("\\bt\\b", "été"));
  CHECK(Matches("(?-u)\\bt\\b", "été"));
  CHECK(Matches("^Z\\b.é\\bZ?$", "Z éZ") == false);
  CHECK(Matches("\\bZé\\b", "a Zé b"));
  CHECK_FALSE(Matches("\\bZ\\b", "é"));
  CHECK_FALSE(Matches("\\bZ", "aé"));
  CHECK(Matches("(?i)\\bz\\b", "é Z"));
  CHECK(Matches("^.\\b.$", "é!"));
  CHECK(Matches("^\\b[^x]{3}\\b$", "éZé"));
  CHECK(ProblemOf("(?-u:\\b)\\b") == "limit 1: `\\b` of Unicode together with `\\b` of ASCII");
}

TEST_CASE("repetitions have no limit of their own") {
  CHECK(Matches("^a{1001}$", std::string(1001, 'a')));
  CHECK_FALSE(Matches("^a{1001}$", std::string(1000, 'a')));
  CHECK(Matches("^(ab){2,2100}$", [] {
    std::string text;
    for (int i = 0; i < 2099; ++i) text += "ab";
    return text;
  }()));
  CHECK_FALSE(Matches("^(a{100}){20}$", std::string(1999, 'a')));
  CHECK(Matches("^(a{100}){20}$", std::string(2000, 'a')));
  CHECK(Matches("^a{1500,}$", std::string(4000, 'a')));
  CHECK(Matches("^a**$", "aaa"));
  CHECK(Matches("^a{0}b??$", "b"));
  CHECK(ProblemOf("(\\w{1000}){1000}") == "limit 11: repetitions that make it too large");
  CHECK(ProblemOf("a{2,1}") == "2: a repetition from a larger to a smaller number");
  CHECK(ProblemOf("a{,5}") == "2: expected a number after `{`");
  CHECK(ProblemOf("a|*") == "3: a repetition of nothing");
}

TEST_CASE("comments, groups and escapes of a regex") {
  CHECK(Matches("(?x) a b # not ) this\n [ x # y\n ] \\  \\#", "abx #"));
  CHECK(Matches("(?P<n>a)(?<m>b)", "ab"));
  CHECK(Matches("^\\x41\\u{e9}\\U0001F600\\t\\.\\/$", "Aé😀\t./"));
  CHECK(Matches("(?m)^b$", "a\nb\nc"));
  CHECK_FALSE(Matches("^b$", "a\nb\nc"));
  CHECK_FALSE(Matches("a.b", "a\nb"));
  CHECK(Matches("(?s)a.b", "a\nb"));
  CHECK(Matches("", ""));
  CHECK(Matches("()|x{0}", "y"));
  CHECK(Matches("}]", "}]"));
}

TEST_CASE("an invalid regex says where and why") {
  CHECK(ProblemOf("é[") == "2: missing `]`");
  CHECK(ProblemOf("a)") == "2: `)` without `(`");
  CHECK(ProblemOf("(a") == "1: missing `)`");
  CHECK(ProblemOf("(a)\\1") == "4: a back-reference, which regexes of rulespecs do not have");
  CHECK(ProblemOf("(?=a)") == "1: look-around, which regexes of rulespecs do not have");
  CHECK(ProblemOf("\\Q") == "1: unknown escape");
  CHECK(ProblemOf("\\") == "1: `\\` at the end");
  CHECK(ProblemOf("\\x{110000}") == "1: expected the hexadecimal number of a character");
  CHECK(ProblemOf("[z-a]") == "2: a range that ends before it begins");
  CHECK(ProblemOf("(?P<a>x)(?P<a>y)") == "9: two groups of one name");
  CHECK(ProblemOf("(?y)") == "3: unknown flag");
  CHECK(ProblemOf("(?-u).") == "6: `.` would match parts of characters here");
  CHECK(ProblemOf("(?-u:\\xFF)") == "6: it can match text that is not UTF-8");
  CHECK(ProblemOf("(?-u:\\x7F)\\xFF") == "");
  CHECK(ProblemOf("a\\b{start}") == "limit 2: `\\b{start}`");
  CHECK(ProblemOf("\\p{Emoji}") == "limit 1: the property `Emoji` of characters");
  CHECK(ProblemOf(std::string(100000, '(')) == "251: more than 250 groups inside each other");
  CHECK(ProblemOf(std::string(100000, '[')) == "251: more than 250 classes inside each other");
}

TEST_CASE("the cases of letters are those of RE2") {
  const auto letters = CodePoints::OfClass("[\\p{L}\\p{M}\\p{N}\\p{So}]");
  REQUIRE(letters);
  for (const char32_t c :
       {U'k', U's', U'é', U'ς', U'ǆ', U'İ', U'ı', U'ß', U'Ω', U'Ꭰ', U'ⓐ', U'µ'}) {
    const CodePoints set(c, c);
    const auto folded = CodePoints::OfClass("(?i:" + set.Re2() + ")");
    REQUIRE(folded);
    CHECK(set.WithOtherCases().Re2() == folded->Re2());
  }
}

TEST_CASE("random regexes match as in RE2") {
  const auto texts = rc::gen::container<std::string>(rc::gen::element('a', 'b', 'Z', ' ', '_'));
  CHECK(rc::check("without letters beyond ASCII", [&] {
    const auto parts = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "b", "Z", "[ab]", "[^a]", ".", "\\b", "\\B", "^", "$",
                                      "a*", "(?:a|b )+", "\\W", "Z?", "(?i:z)", "\\w{2,3}", "|"));
    std::string regex;
    for (const std::string& part : parts) regex += part;
    const std::string text = *texts;
    RulespecRegex::Problem problem;
    const auto compiled = RulespecRegex::Read(regex, &problem);
    RC_ASSERT(compiled);
    const bool wanted = RE2::PartialMatch(text, RE2(regex));
    RC_ASSERT(compiled->Matches(text) == wanted);
    // A letter beyond ASCII has the text searched in its other form. No part tells it from `q`.
    if (regex.find("[^a]") != regex.npos || regex.find("\\W") != regex.npos) return;
    const bool in_lines = RE2::PartialMatch(text + "\nq", RE2("(?m:" + regex + ")"));
    const auto lines = RulespecRegex::Read("(?m:" + regex + ")", &problem);
    RC_ASSERT(lines->Matches(text + "\né") == in_lines);
  }));
}

}  // namespace
}  // namespace rpl
