// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/shell_line.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "checks/calls/scripts.h"
#include "checks/calls/shfmt_reader.h"

namespace rpl {
namespace {

ShellLine Read(const std::string& text) {
  ShfmtReader reader("", std::getenv("PATH"));
  const ShellTree tree = reader.Read(text);
  REQUIRE(tree.why == "");
  return ReadShellLine(text, tree.json);
}

// The words of the first command; an unknown rest is `?`, a home folder `~`.
std::string WordsOfFirst(const std::string& text) {
  const ShellLine line = Read(text);
  std::string out;
  for (const ShellWord& word : line.root.parts.at(0).words) {
    out += out.empty() ? "" : "|";
    out += word.start == WordStart::kHome ? "~" : word.start == WordStart::kFolder ? "." : "";
    out += word.text;
    if (!word.complete) out += word.is_pattern ? "*" : word.splits ? "??" : "?";
  }
  return out;
}

}  // namespace

TEST_CASE("what a call does: words are known up to what only the shell knows") {
  const std::pair<const char*, const char*> cases[] = {
      {"a 'b c' \"d e\" f\\ g", "a|b c|d e|f g"},
      {"a \"\\$b \\\\ \\c \\\"\"", "a|$b \\ \\c \""},
      {"a '' \"\" b''", "a|||b"},
      {"a $'\\x41\\101\\u00e9\\n\\'' $'a\\0b'c", "a|AA\xC3\xA9\n'|ac"},
      {"a $x b$x \"c$x\" $@ \"$@\" \"${y[@]}\"", "a|??|b??|c?|??|??|??"},
      {"a $(b) `c` $((1)) <(d)", "a|??|??|??|?"},
      {"a {b,c}d {e,{f,g}} {x} {1..3} {,y}", "a|bd|cd|e|f|g|{x}|??|??|y"},
      {"a '{b,c}' \\{b,c} {b\\,c}", "a|{b,c}|{b,c}|{b,c}"},
      {"a ~ ~/b ~c a~ '~' $HOME \"$HOME/d\" ${HOME}e ${HOME:-f} $PWD/g",
       "a|~|~/b|??|a~|~|~|~/d|~e|??|./g"},
      {"a *.c b?c [d]e f[ \\*", "a|*|b*|?|f[|*"},
      {"a b/*/c .* ../* x/.*", "a|b/?|.?|../*|x/.?"},
      {"a =b = ==", "a|??|=|=="},
      {"a @(b|c) !(d)", "a|??|??"},
      {"a b\\\nc \"d\\\ne\"", "a|bc|de"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(WordsOfFirst(text) == expected);
  }
}

TEST_CASE("what a call does: redirections by the parser's numbers of operators") {
  const std::pair<const char*, RedirectionKind> cases[] = {
      {">", RedirectionKind::kWrites},   {">>", RedirectionKind::kWrites},
      {">|", RedirectionKind::kWrites},  {"&>", RedirectionKind::kWrites},
      {"&>>", RedirectionKind::kWrites}, {">&", RedirectionKind::kWrites},
      {"<", RedirectionKind::kReads},    {"<&", RedirectionKind::kReads},
      {"<>", RedirectionKind::kBoth},    {"<<<", RedirectionKind::kText}};
  for (const auto& [op, kind] : cases) {
    INFO(op);
    const ShellLine line = Read(std::string("a ") + op + " file");
    REQUIRE(line.root.parts.at(0).redirections.size() == 1);
    CHECK(line.root.parts[0].redirections[0].kind == kind);
  }
  for (const char* text :
       {"a >&2", "a 2>&1", "a >&-", "a <&3", "a 3<&4-", "a <<E\nb\nE", "a <<-E\nb\nE"})
    CHECK(Read(text).root.parts.at(0).redirections.at(0).kind == RedirectionKind::kText);
}

TEST_CASE("what a call does: statements by the parser's numbers of operators") {
  const std::pair<const char*, StatementForm> cases[] = {
      {"a && b", StatementForm::kAnd},
      {"a || b", StatementForm::kOr},
      {"a | b", StatementForm::kPipe},
      {"a |& b", StatementForm::kPipe},
      {"(a)", StatementForm::kSubshell},
      {"{ a; }", StatementForm::kSequence},
      {"f() { a; }", StatementForm::kFunction},
      {"while a; do b; done", StatementForm::kLoop},
      {"case a in b) c;; esac", StatementForm::kEither},
      {"a b", StatementForm::kCommand}};
  for (const auto& [text, form] : cases) {
    INFO(text);
    CHECK(Read(text).root.parts.at(0).form == form);
  }
  CHECK(Read("a && b && c && d").root.parts.at(0).parts.size() == 4);
  CHECK(Read("a | b | c").root.parts.at(0).parts.size() >= 2);
  CHECK(Read("! a &").root.parts.at(0).is_negated);
  CHECK(Read("! a &").root.parts.at(0).is_background);
}

TEST_CASE("what a call does: a tree that is no tree of a text is undecided or unknown") {
  CHECK(ReadShellLine("a", "{").why != "");
  CHECK(ReadShellLine("a", "").why != "");
  for (const char* json :
       {"{}", "[]", "1", "{\"Stmts\": 1}", "{\"Stmts\": [1, {}, {\"Cmd\": 1}, {\"Cmd\": {}}]}",
        "{\"Stmts\": [{\"Cmd\": {\"Type\": \"New\", \"Stmts\": []}, \"Redirs\": [{}, 1]}]}",
        "{\"Stmts\": [{\"Cmd\": {\"Type\": \"CallExpr\", \"Args\": [1, {}, {\"Parts\": [{}, "
        "2]}]}}]}",
        "{\"Stmts\": [{\"Cmd\": {\"Type\": \"BinaryCmd\", \"Op\": 10}}]}",
        "{\"Stmts\": [{\"Cmd\": {\"Type\": \"DeclClause\", \"Args\": [{}, 1]}}]}"})
    CHECK(ReadShellLine("a", json).why == "");
  const ShellLine line = ReadShellLine("a", "{\"Stmts\": [{\"Cmd\": {\"Type\": \"New\"}}]}");
  CHECK_FALSE(line.root.parts.at(0).words.at(0).complete);
}

TEST_CASE("what a call does: scripts of sed and awk are plain if nothing in them reaches out") {
  for (const char* script : {"s/a/b/",
                             "s/a/b/g;s|c|d|2",
                             "1,5p",
                             "$d",
                             "/a/,/b/d",
                             "/a/!d",
                             "/^#/d; /^$/d",
                             "5q",
                             "s/[^/]*$//",
                             "s/[]/]/x/",
                             "s/[[:space:]/]*$//",
                             "y/abc/def/",
                             "{p;q}",
                             "/a/{n;p}",
                             "1~2d",
                             "$!N",
                             "a hello world",
                             "s/\\//x/",
                             ":a;N;$!ba;s/\\n/ /g",
                             "=",
                             "1d # first"})
    CHECK(IsPlainSed(script));
  for (const char* script :
       {"s/a/b/e", "s/a/b/w f", "1e ls", "w f", "W f", "r f", "R f", "e", "s/a/b/gew", "s/[/e",
        "/a/e ls", "p;e", "s/a/[/e;s/]/b/", "\\,a,e ls", "a x\\\ne ls", "s", "v 4 e"})
    CHECK_FALSE(IsPlainSed(script));
  for (const char* program :
       {"{print $1}", "$1 > 5", "NR >= 2 {print}", "/a/ || /b/", "{print $1 > 5}", "END{print NR}"})
    CHECK(IsPlainAwk(program));
  for (const char* program : {"BEGIN{system(\"ls\")}", "{print > \"f\"}", "{print | \"sh\"}",
                              "{\"ls\" | getline}", "{print >> f}", "@load \"x\""})
    CHECK_FALSE(IsPlainAwk(program));
}

}  // namespace rpl
