// SPDX-License-Identifier: Apache-2.0
//
// Formatted text as it should look; and for all available text (examples, spec tests, random
// sentences with odd blanks, random Markdown): it reads the same, and formatting it again changes
// nothing.
#include "grammar/formatter.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "grammar/layout.h"
#include "grammar/parser.h"
#include "grammar/testing_programs.h"
#include "grammar/testing_random.h"

namespace rpl {
namespace {

using testing::Of;
using testing::Pick;
using testing::ProgramsIn;
using testing::ReadAll;

std::string Format(const std::string& text, const std::string& name = "t.md") {
  Sources sources;
  Diagnostics findings;
  const std::uint32_t file = sources.Add(name, text);
  return ApplyEdits(sources, file, FormatEdits(sources, file, findings));
}

// Tests both guarantees of formatter.h. Returns how one is broken, or "".
std::string Broken(const std::string& text, const std::string& name) {
  Sources sources;
  Diagnostics findings;
  const std::uint32_t before = sources.Add(name, text);
  const std::string formatted = ApplyEdits(sources, before, FormatEdits(sources, before, findings));
  const std::uint32_t after = sources.Add(name, formatted);
  Diagnostics ignored;
  const Document a = ReadDocument(sources, before, ignored);
  const Document b = ReadDocument(sources, after, ignored);
  if (!SameDocument(sources, a, sources, b)) return "it reads differently:\n" + formatted;
  // Nothing but blanks was added or lost.
  auto letters = [](const std::string& s) {
    std::string out;
    std::copy_if(s.begin(), s.end(), std::back_inserter(out), [](char c) { return c > ' '; });
    std::sort(out.begin(), out.end());
    return out;
  };
  if (letters(text) != letters(formatted)) return "something was lost:\n" + formatted;
  const std::string again = Format(formatted, name);
  if (again != formatted) return "it changes again:\n" + formatted + "\n--- again\n" + again;
  return "";
}

struct LaidOut {
  const char* name;
  const char* before;
  const char* after;
};

TEST_CASE("plain RPL is laid out") {
  const std::vector<LaidOut> rows = {
      {"blanks", "p( ?x )<-q(?x),r( ?x )\n", "p(?x) <- q(?x), r(?x)\n"},
      {"strings, numbers and regexes keep their spelling",
       "p('a',\"b\",'say \"c\"',1.50,+1e3,~/a  b\\/c/, \"\\u0041\")\n",
       "p('a', \"b\", 'say \"c\"', 1.50, +1e3, ~ /a  b\\/c/, \"\\u0041\")\n"},
      {"operators", "?x=?y+1*2 , ?a-1!=?b -1,?c>=-1,?l not   in?m\n",
       "?x = ?y + 1 * 2, ?a-1 != ?b - 1, ?c >= -1, ?l not in ?m\n"},
      {"temporal operators", "?t   within '1h'of(now),?t between ?a  and ?b, in( ?t )\n",
       "?t within '1h' of (now), ?t between ?a and ?b, in(?t)\n"},
      {"collections", "p([ ?a -1 . ?b&?r ],#{ 1  2 },{ :k ?v , :l 2 },[],[?a,?b],[& ?x])\n",
       "p([?a -1 . ?b & ?r], #{1 2}, {:k ?v, :l 2}, [], [?a, ?b], [& ?x])\n"},
      {"metadata", "p()^:k ?v^doc ?d ^ :l ?l^?m^^~{?a 1}^^ ?a  ?b^^{?c 2}\n",
       "p() ^:k ?v ^doc ?d ^:l ?l ^ ?m ^^ ~ {?a 1} ^^ ?a ?b ^^ {?c 2}\n"},
      {"a comment that touches the root goal", "%--why\n<-p()\n", "% <- --why\n  p()\n"},
      {"truth of goals", "%g^true|!  %h -> a()\n", "%g ^ true | !%h -> a()\n"},
      {"counts and alternatives", "a(?x)|| b(?y) |=1,| #?t |>0\n",
       "a(?x) | |b(?y)| = 1, |#?t| > 0\n"},
      {"negation", "a(?x) <- not(b(?x)),not   c(?x)\n", "a(?x) <- not (b(?x)), not c(?x)\n"},
      {"activation", "a(?x)<-b(?x);@when (c(?x) ),@choose( ?x,b(?x))->d( ?x)\n",
       "a(?x) <- b(?x) ; @when(c(?x)), @choose(?x, b(?x)) -> d(?x)\n"},
      {"names with dots", "file.md#p( a/b )<-$t#u( :k/l ),%f.md#g\n",
       "file.md#p(a/b) <- $t#u(:k/l), %f.md#g\n"},
      {"a broken rule has a clause a line",
       "a(?x) <- b(?x)\n  , (c(?x) | d(?x))\n;@when(e(?x)),@choose(?x,b(?x))\n-> f(?x), g(?x)\n",
       "a(?x) <-\n  b(?x),\n  (c(?x) | d(?x))\n  ; @when(e(?x)), @choose(?x, b(?x))\n"
       "  -> f(?x), g(?x)\n"},
      {"alternatives end their line", "a(?x) <-\n b(?x), c(?x) |\n d(?x)\n",
       "a(?x) <-\n  b(?x),\n  c(?x) |\n  d(?x)\n"},
      {"two heads", "a(?x) <- b(?x) <-\nc(?x)\n", "a(?x) <- b(?x) <-\n  c(?x)\n"},
      {"a broken constraint hangs", "a(?x),\nb(?x)\n-> c(?x)\n", "a(?x),\n  b(?x)\n  -> c(?x)\n"},
      {"a broken group is laid out inside", "a(?x) <- (b(?x) |\nc(?x), d(?x)) ^ ?m, e(?x)\n",
       "a(?x) <-\n  (\n    b(?x) |\n    c(?x),\n    d(?x)\n  ) ^ ?m,\n  e(?x)\n"},
      {"a nested rule", "a(?x) <- (b(?x) <- c(?x)\n; @when(d(?x)))\n",
       "a(?x) <-\n  (\n    b(?x) <-\n      c(?x)\n      ; @when(d(?x))\n  )\n"},
      {"breaks in arguments stay", "p([\n1\n     2 ], {\n:a 1,\n\n:b 2\n})\n",
       "p([\n  1\n  2], {\n    :a 1,\n    :b 2\n  })\n"},
      {"comments stay", "-- top\n  -- second  \np( 1 )-- touching\nq(1)   -- apart\n",
       "-- top\n-- second\np(1) -- touching\nq(1)   -- apart\n"},
      {"comments inside a rule", "a(?x) <- -- why\n  b(?x) -- first\n-- own\n  , c(?x) -- last\n",
       "a(?x) <- -- why\n  b(?x), -- first\n  -- own\n  c(?x) -- last\n"},
      {"comments inside brackets", "p([1 -- one\n2 -- two\n])\na() <- ( -- g\nb())\n",
       "p([1 -- one\n  2 -- two\n])\na() <-\n  ( -- g\n    b()\n  )\n"},
      {"blank lines", "\n\np(1)\n\n\n\n  q(1)\nr(1)\n\n\n", "\np(1)\n\nq(1)\nr(1)\n\n"},
      {"blanks at line ends", "p(1)  \n \t \nq(1)\t\n", "p(1)\n\nq(1)\n"},
      {"no final newline", "p( 1 )", "p(1)"},
      {"no final newline behind a comment", "p( 1 ) -- c", "p(1) -- c"},
      {"carriage returns", "p( 1 )\r\nq(?x) <-\r\nr(?x)\r\n\r\n\r\n-- c \r\n",
       "p(1)\r\nq(?x) <-\r\n  r(?x)\r\n\r\n-- c\r\n"},
      {"a string over two lines", "p('a\n  b' ,  1)\n", "p('a\n  b', 1)\n"},
      {"a broken sentence stays, and so do the gaps", "  p( 1 )  \n\n\n q( ,  1)\nr( 2 )\n",
       "  p(1)  \n\n\n q( ,  1)\nr(2)\n"},
      {"nothing", "", ""},
      {"only blanks", " \n\n\n", "\n"},
      {"only a comment", "   --c", "--c"},
  };
  for (const LaidOut& row : rows) {
    INFO(row.name);
    CHECK(Format(row.before, "t.rpl") == row.after);
    CHECK(Broken(row.before, "t.rpl").empty());
  }
}

TEST_CASE("what does not fit goes on several lines") {
  const std::string name(30, 'n');
  const std::string a = "a" + name + "(?x)";
  const std::string b = "b" + name + "(?x)";
  const std::string c = "c" + name + "(?x)";
  CHECK(Format("p(?x) <- " + a + ", " + b + ", " + c, "t.rpl") ==
        "p(?x) <-\n  " + a + ",\n  " + b + ",\n  " + c);
  CHECK(Format("p(?x) <- (" + a + " | " + b + " | " + c + ")", "t.rpl") ==
        "p(?x) <-\n  (\n    " + a + " |\n    " + b + " |\n    " + c + "\n  )");
  CHECK(Format("p(?x) <- q(?x) -> " + a + ", " + b + ", " + c, "t.rpl") ==
        "p(?x) <-\n  q(?x)\n  -> " + a + ",\n     " + b + ",\n     " + c);
  // Exactly as wide as a line; an umlaut is one column.
  const std::string exact = "p(\"" + std::string(93, 'x') + "ä\")";
  CHECK(Format(exact + " <-q()", "t.rpl") == exact + " <-\n  q()");
  CHECK(Format("p(\"" + std::string(86, 'x') + "ä\") <-q()", "t.rpl") ==
        "p(\"" + std::string(86, 'x') + "ä\") <- q()");
}

TEST_CASE("in Markdown only RPL changes") {
  const std::vector<LaidOut> rows = {
      {"prose", "Some  prose ,  with `p( 1 )`.\n* a  list\n\n    p( 1 )\n\n> p( 1 )\n",
       "Some  prose ,  with `p( 1 )`.\n* a  list\n\n    p( 1 )\n\n> p( 1 )\n"},
      {"fences", "```rpl\np( 1 )\n\n\n\nq(1)\n```\n\n```text\np( 1 )\n```\n",
       "```rpl\np(1)\n\nq(1)\n```\n\n```text\np( 1 )\n```\n"},
      {"an indented fence", "  ```rpl\np( 1 )\n  a(?x) <-\n b(?x)\n  ```\n",
       "  ```rpl\n  p(1)\n  a(?x) <-\n    b(?x)\n  ```\n"},
      {"bare sentences", "Prose  here.\np( 1 )\n  q(?x)<-r(?x) ,\n s(?x)\nMore  prose.\n",
       "Prose  here.\np(1)\n  q(?x) <-\n    r(?x),\n    s(?x)\nMore  prose.\n"},
      {"signatures", "#  The   title  -  p( ?x )<-q(?x)  ##\n\n## Two  words\n",
       "#  The   title  -  p(?x) <- q(?x)  ##\n\n## Two  words\n"},
      {"a signature that goes on below",
       "# Title - p( ?x ) ##\n<-q( ?x )\n   ,  r( ?x )\nProse  .\n",
       "# Title - p(?x) ##\n<- q(?x)\n   , r(?x)\nProse  .\n"},
      {"a setext heading", "Title - p( ?x )<-q(?x)\n===\n", "Title - p(?x) <- q(?x)\n===\n"},
      {"a scope return", "# A - p(?x)\n\n--\n\nq( 1 )\n", "# A - p(?x)\n\n--\n\nq(1)\n"},
      {"an unclosed fence", "```rpl\np( 1 )", "```rpl\np(1)"},
      {"carriage returns", "# A - p( ?x )\r\n\r\n```rpl\r\np( 1 )\r\n```\r\nq( 1 )",
       "# A - p(?x)\r\n\r\n```rpl\r\np(1)\r\n```\r\nq(1)"},
      // At two columns the second line would be a list.
      {"a layout that Markdown would misread stays", "q(?x, [\n      - 1])\n\np( ?x )\n",
       "q(?x, [\n      - 1])\n\np(?x)\n"},
      {"without a mark of RPL", "p( 1 )\n\nx<-5\n\n## PHP - $this->foo()\n",
       "p( 1 )\n\nx<-5\n\n## PHP - $this->foo()\n"},
  };
  for (const LaidOut& row : rows) {
    INFO(row.name);
    CHECK(Format(row.before) == row.after);
    CHECK(Broken(row.before, "t.md").empty());
  }
}

TEST_CASE("a file that is not text stays") {
  CHECK(Format("p( 1 )\n\xff\n", "t.rpl") == "p( 1 )\n\xff\n");
}

// --- Existing texts ----------------------------------------------------------------------

namespace fs = std::filesystem;

TEST_CASE("examples, pages and spec tests read the same when formatted") {
  const fs::path root = fs::path(__FILE__).parent_path().parent_path();
  std::size_t programs = 0;
  for (const char* folder : {"examples", "spec-tests", "docs"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".md") && !name.ends_with(".rpl")) continue;
      INFO(entry.path().string());
      const std::string text = ReadAll(entry.path());
      CHECK(Broken(text, name) == "");
      for (const std::string& program : ProgramsIn(text)) {
        ++programs;
        CHECK(Broken(program, "t.md") == "");
        CHECK(Broken(program, "t.rpl") == "");
      }
    }
  }
  CHECK(programs > 300);
}

TEST_CASE("examples are formatted") {
  const fs::path root = fs::path(__FILE__).parent_path().parent_path();
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "examples")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".md") && !name.ends_with(".rpl")) continue;
    INFO(entry.path().string());
    const std::string text = ReadAll(entry.path());
    CHECK(Format(text, name) == text);
  }
}

// --- Random sentences --------------------------------------------------------------------

// A sentence, token by token, with gaps that decisions 5 and 6 allow.
struct Babble {
  std::string text;
  int depth = 0;           // of brackets
  bool one_line = false;   // for headings and bare lines
  bool glue = true;        // no gap before the next token
  bool may_break = false;  // a line may end here, outside brackets

  std::string Gap() {
    const bool breaks = !one_line && (may_break || depth > 0);
    switch (Pick(breaks ? 9 : 5)) {
      case 0: return "  ";
      case 1: return "\t";
      case 5: return "\n";
      case 6: return "\n      ";
      case 7: return "  -- it's (here\n ";
      case 8: return "\n -- own ]\n-- two\n";
      default: return " ";
    }
  }
  void Put(const std::string& token, bool ends_line = false, bool begins_line = false) {
    may_break = may_break || begins_line;
    if (!glue) text += Gap();
    text += token;
    glue = false;
    may_break = ends_line;
  }
  void Glued(const std::string& token) {
    text += token;
    glue = true;
  }
  void Punctuation(const std::string& token, bool ends_line = true, bool begins_line = true) {
    if (Pick(2) == 0) glue = true;
    Put(token, ends_line, begins_line);
    if (Pick(2) == 0) glue = true;
  }
  void Open(const std::string& bracket) {
    Put(bracket);
    ++depth;
    glue = Pick(2) == 0;
  }
  void Close(const std::string& bracket) {
    if (Pick(2) == 0) glue = true;
    Put(bracket);
    --depth;
  }

  void Variable() { Put(Of({"?x", "?long-name", "_", "$focus", "?x-1"})); }
  void Literal() {
    Put(Of({"1", "-2", "1.50", "\"a  b\"", "'it \"is\"'", ":key", ":a/b", "true", "nil", "word",
            "in", "\"{?x} {\"", "+3e2", "'-- no comment'"}));
  }
  void Element(int levels) {
    switch (Pick(levels > 0 ? 4 : 2)) {
      case 0: return Variable();
      case 1: return Literal();
      case 2: return Collection(levels - 1);
      default:
        Put("~");
        if (Pick(3) == 0) return Put(Of({"/a b\\/[c]/", "/--'/", "'x {?y}'"}));
        return Collection(levels - 1);
    }
  }
  void Collection(int levels) {
    const int kind = Pick(3);
    Open(kind == 0 ? "[" : kind == 1 ? "#{" : "{");
    const int size = Pick(4);
    const bool dots = Pick(4) == 0;
    for (int i = 0; i < size; ++i) {
      if (i > 0 && dots) Put(".");
      else if (i > 0 && Pick(3) == 0) Punctuation(",");
      if (kind == 2) Put(std::to_string(i));
      Element(levels);
    }
    if (Pick(3) == 0) {
      Put("&");
      Put("?rest");
    }
    Close(kind == 0 ? "]" : "}");
  }
  void Call(const std::string& label, int levels) {
    Put(label);
    Glued("");
    Open("(");
    for (int i = Pick(4); i > 0; --i) {
      if (levels > 0 && Pick(3) == 0) Call(Of({"f", "in", "not-x"}), levels - 1);
      else Element(levels);
      if (i > 1) Punctuation(",");
    }
    Close(")");
  }
  void Operand(int levels) {
    switch (Pick(levels > 0 ? 7 : 2)) {
      case 0: return Variable();
      case 1: return Put(Of({"1", "'s'", "now", ":k"}));
      case 2: return Collection(levels - 1);
      case 3: return Call("p", levels - 1);
      case 4:
        Put("|");
        glue = one_line || depth == 0 || Pick(2) == 0;
        if (glue) Glued(Pick(2) == 0 ? " " : "");
        if (Pick(2) == 0) Put("#?t");
        else Call("q", levels - 1);
        if (Pick(2) == 0) glue = true;
        return Put("|");
      case 5: return Put("#?e");
      default:
        Open("(");
        Operand(levels - 1);
        Put(Of({"+", "-", "*", "/", "union"}), true, false);
        Operand(levels - 1);
        return Close(")");
    }
  }
  void Comparison(int levels) {
    Operand(levels);
    switch (Pick(4)) {
      case 0:
        Put("within", true, true);
        Operand(levels);
        Put("of", true, true);
        return Operand(levels);
      case 1:
        Put("between", true, true);
        Operand(levels);
        Put("and", true, true);
        return Operand(levels);
      default:
        Put(Of({"=", "!=", "<", ">", "<=", ">=", "in", "not in", "before", "-", "difference"}),
            true, true);
        return Operand(levels);
    }
  }
  void Suffix() {
    const std::string mark = Of({"^", "^^"});
    Put(mark, true, true);
    if (mark == "^") glue = Pick(2) == 0;
    switch (Pick(4)) {
      case 0: return Put("?m");
      case 1:
        Put("~");
        Open("{");
        Put(":k");
        Put("?v");
        return Close("}");
      case 2:
        if (mark == "^") Put(Of({":scope", "doc"}));
        else Put("choice");
        return Put(Of({"?s", "'t'", "-1"}));
      default:
        if (mark == "^") return Put(Of({"true", "false"}));
        Put("?a");
        return Put("?b");
    }
  }
  void Clause(int levels) {
    for (int n = Pick(8) - 6; n > 0; --n) Put("not", true, false);
    switch (Pick(levels > 0 ? 6 : 2)) {
      case 0: Call(Of({"rel", "a#b", "file.md#r", "of"}), levels); break;
      case 1: Put(Of({"%", "%goal", "!%", "!%g", "ready", "$x"})); break;
      case 2: Call(Of({"%g", "$tool", "!%h", "$t#u"}), levels); break;
      case 3:
        Open("(");
        if (Pick(3) == 0) {
          Call("h", 0);
          Punctuation("<-", true, true);
        }
        Tail(levels - 1);
        Close(")");
        break;
      default: Comparison(levels - 1);
    }
    if (Pick(4) == 0) Suffix();
  }
  void Tail(int levels) {
    Clause(levels);
    for (int n = Pick(4); n > 0; --n) {
      if (Pick(3) == 0) Put("|", true, depth > 0);
      else Punctuation(",");
      Clause(levels);
    }
  }
  void Sentence(int levels) {
    for (int n = Pick(3); n > 0; --n) {
      Call(Of({"head", "%goal", "p"}), 1);
      Punctuation("<-");
    }
    Tail(levels);
    for (int n = Pick(4) - 2; n > 0; --n) {
      Punctuation(";");
      Put("@when");
      if (Pick(2) == 0) Glued("");
      else if (!one_line) Glued(" ");
      Open("(");
      Tail(levels - 1);
      Close(")");
    }
    if (Pick(3) == 0) {
      Put("->", true, true);
      Tail(levels);
    }
  }
};

std::string RandomSentence(bool one_line) {
  Babble babble;
  babble.one_line = one_line;
  babble.Sentence(Pick(4));
  return babble.text;
}

std::optional<Sentence> ParseAll(const std::string& text) {
  Sources sources;
  Diagnostics findings;
  const std::uint32_t file = sources.Add("t", text);
  std::vector<Sentence> sentences =
      ParseSentences(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
  if (sentences.size() != 1 || findings.has_errors()) return std::nullopt;
  return sentences.front();
}

// The layout alone, without the formatter's check.
TEST_CASE("a random sentence reads the same when laid out, and laid out twice") {
  int parsed = 0;
  int tried = 0;
  CHECK(rc::check([&] {
    const std::string text = RandomSentence(false);
    ++tried;
    const std::optional<Sentence> sentence = ParseAll(text);
    if (!sentence) return;
    ++parsed;
    const std::string trimmed = text.substr(0, text.find_last_not_of(" \t\n") + 1);
    const std::string laid = LayOut(trimmed, "", "\n");
    const std::optional<Sentence> again = ParseAll(laid);
    if (!again || !(*again == *sentence)) RC_FAIL(text + "\n--- laid out\n" + laid);
    const std::string twice = LayOut(laid, "", "\n");
    if (twice != laid) RC_FAIL(text + "\n--- laid out\n" + laid + "\n--- twice\n" + twice);
    // The layout of a single line does not depend on its blanks.
    const bool lines = text.find('\n') != text.npos;
    if (!lines && laid.find('\n') == laid.npos) RC_ASSERT(SpaceOut(laid, laid) == laid);
  }));
  CHECK(parsed * 2 > tried);
}

TEST_CASE("random Markdown reads the same when formatted") {
  CHECK(rc::check([] {
    std::string text;
    for (int n = Pick(8); n > 0; --n) {
      switch (Pick(10)) {
        case 0:
          text += Of({"Some  prose (here), __a b__ .\n\n", "prose\n", "* item p( 1 )\n"});
          break;
        case 1:
          text += Of({"# A title\n", "## Two - words\n\n", "--\n", "\n\n", "---\n", "===\n"});
          break;
        case 2: text += "## T - " + RandomSentence(true) + Of({"\n", " ##\n", "\n\n"}); break;
        case 3: text += "T - " + RandomSentence(true) + "\n===\n"; break;
        case 4: text += "# T - p( ?x )\n<-" + RandomSentence(false) + "\n"; break;
        case 5: text += Of({"p( 1 )\n", "  q(?x)<-r( ?x )\n", "p( 1 -- open\n", "x(,\n"}); break;
        case 6: text += Of({"", " ", "   ", "      "}) + RandomSentence(false) + "\n"; break;
        case 7:
          text += Of({"<div>\np( 1 )\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "    p( 1 )\n"});
          break;
        default: {
          const std::string indent = Of({"", "  "});
          text += indent + "```rpl\n";
          for (int k = Pick(5); k > 0; --k) {
            text += Of({"", "  ", "\t"}) + RandomSentence(false);
            text +=
                Of({"\n", "   \n", " -- c  \n", "\n\n\n", "\n-- own\n", "\np(, 1)\n", "\np(\n"});
          }
          if (Pick(8) > 0) text += indent + "```\n";
        }
      }
    }
    if (Pick(3) == 0 && text.ends_with('\n')) text.pop_back();
    if (Pick(3) == 0) {
      std::string crlf;
      for (char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
      text = crlf;
      const std::string formatted = Format(text);
      for (std::size_t at = formatted.find('\n'); at != formatted.npos;
           at = formatted.find('\n', at + 1)) {
        RC_ASSERT(at > 0 && formatted[at - 1] == '\r');
      }
    }
    for (const char* name : {"t.md", "t.rpl"}) {
      const std::string why = Broken(text, name);
      if (!why.empty()) RC_FAIL(text + "\n--- " + why);
    }
  }));
}

TEST_CASE("no text crashes the formatter, and none reads differently") {
  CHECK(rc::check([] {
    std::string text;
    for (int n = *rc::gen::inRange(0, 60); n > 0; --n) {
      text += Of({"p(",      ")",      "[",    "]",      "{",         "}",    "#{",   "|",
                  ",",       " ",      "\n",   "<-",     "->",        ";",    "^",    "^^",
                  "~",       "/",      "a",    "?x",     "$x",        "%",    "%g",   "!",
                  "not",     "in ",    "1",    ".",      "-",         "\"",   "'",    "\\",
                  ":k",      "=",      "<=",   "&",      "#?x",       "_",    "A",    "#",
                  "--",      "é",      "of",   "- ",     "\n# ",      "\n\n", "\r\n", "```rpl\n",
                  "\n```\n", "q(1)\n", "a - ", "@when(", "p(?x) <- ", "\t",   "true", "> ",
                  "    "});
    }
    for (const char* name : {"t.md", "t.rpl"}) {
      const std::string why = Broken(text, name);
      if (!why.empty()) RC_FAIL(text + "\n--- " + why);
    }
  }));
}

}  // namespace
}  // namespace rpl
