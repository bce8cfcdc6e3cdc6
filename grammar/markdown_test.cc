// SPDX-License-Identifier: Apache-2.0
//
// Blocks as one line of text, compared with those of cmark.
#include "grammar/markdown.h"

#include <cmark.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>

namespace rpl {
namespace {

std::vector<Block> BlocksOf(Sources& sources, std::string text) {
  return ReadBlocks(sources, sources.Add("test.md", std::move(text)));
}

/// The lines of a text, each without its line end.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return lines;
}

/// The number, from 1, of the line that contains `offset`.
int LineAt(const std::vector<std::string_view>& lines, std::string_view text, std::size_t offset) {
  const char* place = text.data() + offset;
  auto after = std::upper_bound(lines.begin(), lines.end(), place,
                                [](const char* p, std::string_view l) { return p < l.data(); });
  return static_cast<int>(after - lines.begin());
}

/// The last line in [first, last] that is not blank.
int LastText(const std::vector<std::string_view>& lines, int first, int last) {
  last = std::min(last, static_cast<int>(lines.size()));
  while (last > first && lines[last - 1].find_first_not_of(" \t") == std::string_view::npos) --last;
  return last;
}

std::string Name(BlockKind kind, int level) {
  switch (kind) {
    case BlockKind::kHeading: return "h" + std::to_string(level);
    case BlockKind::kParagraph: return "text";
    case BlockKind::kFence: return "fence";
    case BlockKind::kCode: return "code";
    case BlockKind::kQuote: return "quote";
    case BlockKind::kList: return "list";
    case BlockKind::kTable: return "table";
    case BlockKind::kHtml: return "html";
    case BlockKind::kBreak: return "break";
    case BlockKind::kScopeReturn: return "return";
    case BlockKind::kFrontMatter: return "front";
  }
  return "?";
}

std::string Entry(const std::string& name, int first, int last) {
  std::string lines = std::to_string(first);
  if (last != first) lines += "-" + std::to_string(last);
  return name + " " + lines + "; ";
}

/// "h1 1; text 3-4; ": kinds and lines.
std::string Shape(const std::string& given) {
  Sources sources;
  std::vector<Block> blocks = BlocksOf(sources, given);
  const std::string& text = sources.at(0).text;
  auto lines = LinesOf(text);
  std::string shape;
  for (const Block& b : blocks) {
    int first = LineAt(lines, text, b.span.begin);
    int last = LastText(lines, first, LineAt(lines, text, b.span.end));
    shape += Entry(Name(b.kind, b.level), first, last);
  }
  return shape;
}

/// Likewise for cmark. Its last lines are wrong where a line that ends one block begins the next,
/// and include blank lines: both are corrected here.
std::string ShapeOfCmark(const std::string& text) {
  auto lines = LinesOf(text);
  cmark_node* document = cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT);
  std::string shape;
  for (cmark_node* n = cmark_node_first_child(document); n; n = cmark_node_next(n)) {
    int first = cmark_node_get_start_line(n);
    int last = cmark_node_get_end_line(n);
    if (cmark_node* next = cmark_node_next(n)) {
      last = std::min(last, cmark_node_get_start_line(next) - 1);
    }
    std::string name;
    switch (cmark_node_get_type(n)) {
      case CMARK_NODE_BLOCK_QUOTE: name = "quote"; break;
      case CMARK_NODE_LIST: name = "list"; break;
      case CMARK_NODE_CODE_BLOCK: {
        std::size_t mark = lines[first - 1].find_first_not_of(" \t");
        bool fence = mark < 4 && lines[first - 1].find('\t') > mark &&
                     (lines[first - 1][mark] == '`' || lines[first - 1][mark] == '~');
        name = fence ? "fence" : "code";
        break;
      }
      case CMARK_NODE_HTML_BLOCK: {
        name = "html";
        std::string_view literal = cmark_node_get_literal(n);
        last = first - 1 + static_cast<int>(std::count(literal.begin(), literal.end(), '\n'));
        break;
      }
      case CMARK_NODE_PARAGRAPH: name = "text"; break;
      case CMARK_NODE_HEADING: name = "h" + std::to_string(cmark_node_get_heading_level(n)); break;
      case CMARK_NODE_THEMATIC_BREAK: name = "break"; break;
      default: name = "?"; break;
    }
    shape += Entry(name, first, LastText(lines, first, last));
  }
  cmark_node_free(document);
  return shape;
}

}  // namespace

TEST_CASE("the blocks of a text", "[markdown]") {
  struct Case {
    const char* text;
    const char* shape;
  };
  const Case cases[] = {
      {"", ""},
      {"\n \n\t\n", ""},
      {"a\nb\n\nc", "text 1-2; text 4; "},
      // Headings.
      {"# a\n## b ##\n###### c\n####### d\n#e", "h1 1; h2 2; h6 3; text 4-5; "},
      {"   # a\n    # b", "h1 1; code 2; "},
      {"#\n# #\n", "h1 1; h1 2; "},
      {"a\nb\n===\nc\n---\n", "h1 1-3; h2 4-5; "},
      {"a\n====  \n\n---\n", "h1 1-2; break 4; "},
      {"> a\n---\n", "quote 1; break 2; "},
      // `--` is a scope return everywhere in the top-level body.
      {"--", "return 1; "},
      {"a\n--\nb", "text 1; return 2; text 3; "},
      {"a\n  --  \nb", "text 1; return 2; text 3; "},
      {"a\n---\n", "h2 1-2; "},
      {"a\n-- b", "text 1-2; "},
      {"- a\n--\nb", "list 1; return 2; text 3; "},
      {"> a\n--\nb", "quote 1; return 2; text 3; "},
      {"- a\n  --\n", "list 1-2; "},
      {"> a\n> --\n", "quote 1-2; "},
      {"```\n--\n```", "fence 1-3; "},
      {"    --\n", "code 1; "},
      {"<!--\n--\n-->", "html 1-3; "},
      // Fences.
      {"```rpl\na\n\nb\n```\nc", "fence 1-5; text 6; "},
      {"~~~~\n~~~\n```\n~~~~~\nc", "fence 1-4; text 5; "},
      {"```\na\n```b\n", "fence 1-3; "},
      {"a\n```\nb", "text 1; fence 2-3; "},
      {"``` a`b\nc", "text 1-2; "},
      {"> ```\na", "quote 1; text 2; "},
      // Code.
      {"    a\n\n    b\n\nc", "code 1-3; text 5; "},
      {"a\n    b", "text 1-2; "},
      {"\ta\n", "code 1; "},
      // Quotes and lists.
      {"> a\nb\n\nc", "quote 1-2; text 4; "},
      {"> a\n\n> b\n", "quote 1; quote 3; "},
      {"- a\nb\n\n  c\n\nd", "list 1-4; text 6; "},
      {"- a\n\n\n- b\n* c", "list 1-4; list 5; "},
      {"1. a\n2. b\n1) c", "list 1-2; list 3; "},
      {"a\n2. b\n1. c", "text 1-2; list 3; "},
      {"-\n\n  a", "list 1; text 3; "},
      {"- ```\n  a\n\n  b\nc", "list 1-4; text 5; "},
      {"- a\n  > b\nc\n", "list 1-3; "},
      {"* * *\n- - x", "break 1; list 2; "},
      // Tables.
      {"| a | b |\n|---|:-:|\n| 1 | 2 |\nx\n\ny", "table 1-4; text 6; "},
      {"t\na | b\n--|--\n", "text 1; table 2-3; "},
      {"a | b\n---|---|---\n", "text 1-2; "},
      {"| a |\n|--|\n# b", "table 1-2; h1 3; "},
      {"| a \\| b |\n|--|\n", "table 1-2; "},
      // HTML.
      {"<div>\na\n\nb", "html 1-2; text 4; "},
      {"<script>\n\n</script>\na", "html 1-3; text 4; "},
      {"<!-- a --> b\nc", "html 1; text 2; "},
      {"a\n<b>\n\n<b>\nc", "text 1-2; html 4-5; "},
      {"a\r\n===\r\nb\rc", "h1 1-2; text 3-4; "},
      // Front matter.
      {"---\na: b\n\n# c\n```rpl\n---\n# d", "front 1-6; h1 7; "},
      {"---\n---\na", "front 1-2; text 3; "},
      {"--- \r\na\r\n---\t\r\nb", "front 1-3; text 4; "},
      {"+++\na = 1\n---\n+++\nb", "front 1-4; text 5; "},
      {"---\na\n...\nb", "front 1-3; text 4; "},
      {"---\ra\r---\rb", "front 1-3; text 4; "},
      {"---\na\n---", "front 1-3; "},
      {"---\na\n --- \n", "break 1; h2 2-3; "},
      {"---\na\n", "break 1; text 2; "},
      {"----\na\n\n----\n", "break 1; text 2; break 4; "},
      {"\n---\na\n\n---\n", "break 2; text 3; break 5; "},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(Shape(c.text) == c.shape);
  }
}

TEST_CASE("what a block says of its bytes", "[markdown]") {
  Sources sources;
  const std::string bom = "\xEF\xBB\xBF";
  auto blocks = BlocksOf(sources, bom +
                                      "# Edit - edit(?d) ##\r\n"
                                      "  ```` rpl x \n"
                                      "draft(?d)\n"
                                      "```\n"
                                      "````\n"
                                      " A b \n"
                                      "===\n"
                                      "~~~\n"
                                      "open");
  REQUIRE(blocks.size() == 4);
  CHECK(sources.Text(blocks[0].span) == "# Edit - edit(?d) ##");
  CHECK(sources.Text(blocks[0].content) == "Edit - edit(?d)");
  CHECK(blocks[1].info == "rpl x");
  CHECK(sources.Text(blocks[1].content) == "draft(?d)\n```\n");
  CHECK(blocks[1].closed);
  CHECK(sources.Text(blocks[2].span) == " A b \n===");
  CHECK(sources.Text(blocks[2].content) == "A b");
  CHECK(sources.Text(blocks[3].content) == "open");
  CHECK(!blocks[3].closed);

  Sources marked;
  blocks = BlocksOf(marked, bom + "---\na\n---\n\n# b");
  REQUIRE(blocks.size() == 2);
  CHECK(marked.Text(blocks[0].span) == "---\na\n---");
  CHECK(marked.Text(blocks[1].span) == "# b");

  for (const char* text : {"#", "# #", "#  ", "###   ###"}) {
    Sources one;
    auto heading = BlocksOf(one, text);
    INFO(text);
    REQUIRE(heading.size() == 1);
    CHECK(one.Text(heading[0].content).empty());
  }
}

TEST_CASE("the fences and headings inside a quote or list", "[markdown]") {
  Sources sources;
  const auto blocks = BlocksOf(sources,
                               "> # A - a(?x) #\n"
                               "> - ```rpl x\n"
                               ">   # b\n"
                               ">   ```\n"
                               ">\n"
                               "> C\n"
                               "> ---\n"
                               "> d\n"
                               "> e\n"
                               "> ---\n"
                               "\n"
                               "1. ~~~ {.rpl}\n");
  REQUIRE(blocks.size() == 2);
  const std::vector<Block>& quoted = blocks[0].inside;
  REQUIRE(quoted.size() == 3);
  CHECK(quoted[0].kind == BlockKind::kHeading);
  CHECK(sources.Text(quoted[0].content) == "A - a(?x)");
  CHECK(IsRplFence(quoted[1]));
  CHECK(sources.Text(quoted[1].span) == "```rpl x");
  CHECK(quoted[2].level == 2);
  CHECK(sources.Text(quoted[2].content) == "C");
  REQUIRE(blocks[1].inside.size() == 1);
  CHECK(IsRplFence(blocks[1].inside[0]));
  CHECK(blocks[1].inside[0].closed);
}

TEST_CASE("the tag of a fence", "[markdown]") {
  for (const char* info : {"rpl", "rpl x", "rpl\tx", "rpl,ignore", "rpl{a=b}", "{rpl}", "{.rpl}",
                           "{ .rpl #a }", "{#a .rpl}", "{.rpl,x}"}) {
    INFO(info);
    CHECK(TagOf(info) == "rpl");
  }
  CHECK(TagOf("rpl-test") == "rpl-test");
  CHECK(TagOf("RPL,x") == "RPL");
  CHECK(TagOf("") == "");
  CHECK(TagOf("{}") == "");
  CHECK(TagOf("{#a}") == "");
  CHECK(TagOf(".rpl") == ".rpl");
}

TEST_CASE("hand-made texts have the blocks that cmark sees", "[markdown]") {
  const char* texts[] = {
      "-\n   \n  foo",
      "*\n       \n \n   ###",
      "- a\n - b\n  - c\n   - d\n    - e\n",
      "1. a\n\n  2. b\n\n    3. c\n",
      "- # Foo\n- Bar\n  ---\n  baz\n\n baz",
      "> - a\n>\n> b\n- c\n",
      "10) foo\n    - bar\n\n   x",
      "   > # Foo\n   > bar\n > baz\n\tx",
      ">     code\n\n>    not code\n",
      "> foo\n    - bar\n",
      "> ```\nfoo\n```\n",
      "- foo\n\n\tbar\n\n-\t\tbaz\n",
      "* a\n  > b\n  ```\n  c\n  ```\n* d\n\n\n  e\nf\n\n g",
      "- `one\n- two`\nx\n    y\n\n    z\n",
      "> foo\n<a>\nbar\n",
      "- foo\n<a>\n\nbar\n",
      "foo\n<div>\n> <div>\n</div>\n\nx",
      "<pre\nx\n\n</pre> y\nz\n",
      "</script\n\n<STYLE>\n\n</style x>\n</styLe>\nz\n",
      "<a href=\"b\" c d='e' f=g/>\n\n<a href=\"b\">x\n\n<a\n\n</a >\n\n</a b>\n\n<a b =\n",
      "1234567890. a\n\n123456789. b\n",
      "01. a\n\nx\n01. b\n\ny\n001) c\n",
      "*\ta\n\t b\n\n  c\n",
      "-\n\n-\n  a\n-\n\n\n  b",
      "~~~ a`b ~~~\nx\n~~~~ y\n~~~~\t\nz",
      "\\> a\n\\# b\n\\- c\n",
      "a\n- - -\n-- -\n - -\nb\n* **\n",
      "===\n\n=\n\na\n=b\n= =\n",
      "+ a\n+\n\n+ c\n\n  + d\n + e\n    + f\n",
      "> > > a\nb\n> c\n>> d\n\n>\n> e\n",
      "#\ta\t#\t\n# a #b\n# a \\#\n",
      "    a\n   b\n\n\n    c\n  \t d\n",
      "- a\n\n      code\n\n\n  b\n\n c",
      "1.      a\n\n         b\n\n        c\n",
  };
  for (const char* text : texts) {
    INFO(text);
    CHECK(Shape(text) == ShapeOfCmark(text));
  }
}

TEST_CASE("random texts have the blocks that cmark sees", "[markdown]") {
  // Not drawn: `--`, delimiter rows of tables, link reference definitions.
  constexpr std::array kPrefixes = {"",     "",   "",   " ",   "  ",  "   ",    "    ", "     ",
                                    "\t",   "> ", ">",  "- ",  "* ",  "+  ",    "1. ",  "2) ",
                                    "12. ", "-",  "1.", "-\t", ">\t", "-      "};
  constexpr std::array kTexts = {
      "",      "",       "",      "a",       "b c",       "a",      "# h",  "## h ##",  "###",
      "===",   "---",    "- - -", "***",     "```",       "~~~",    "````", "```rpl",   "``` a`",
      "<div>", "<b c>",  "</b>",  "<!-- x",  "--> y",     "<?x",    "?>",   "<pre>",    "</pre>",
      "<!A>",  "</div>", "_ _ _", "%g <- a", "<![CDATA[", "]]>",    "=",    "*",        "#x",
      "1",     "-",      "> ",    "    x",   "\tx",       "<a b='", "<a/>", "<script>", "==="};
  std::mt19937 random(20240229);
  auto draw = [&](auto& from) { return std::string(from[random() % from.size()]); };
  int differ = 0;
  for (int i = 0; i < 6000; ++i) {
    const char* line_end = i % 10 == 9 ? "\r\n" : "\n";
    std::string text;
    for (unsigned lines = 1 + random() % 12; lines > 0; --lines) {
      std::string line;
      for (unsigned n = random() % 4; n > 0; --n) line += draw(kPrefixes);
      line += draw(kTexts);
      if (line.find("--") != line.npos && line.find_first_not_of("- \t") == line.npos) {
        line = "---";
      }
      text += line + line_end;
    }
    if (text.starts_with("---")) text.insert(0, line_end);  // no front matter
    if (random() % 4 == 0) text.erase(text.find_last_not_of("\r\n") + 1);
    if (Shape(text) != ShapeOfCmark(text) && ++differ <= 10) {
      INFO(text);
      CHECK(Shape(text) == ShapeOfCmark(text));
    }
  }
  CHECK(differ == 0);
}

TEST_CASE("hostile texts are read in linear time", "[markdown]") {
  auto repeat = [](std::string_view piece, std::size_t times) {
    std::string text;
    text.reserve(piece.size() * times);
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
  };
  const std::string texts[] = {
      repeat(">", 1000000),
      repeat("> ", 500000) + "a\n" + repeat("\n", 100000) + repeat(">\n", 100000),
      repeat("- ", 500000) + "a\n" + repeat("\n", 500000),
      repeat("- - - - ", 200000),
      repeat("* ", 500000) + "a" + repeat("\n* ", 200000),
      repeat("-\n", 500000),
      repeat("1) ", 300000),
      repeat("`", 1000000) + "a`",
      repeat("# ", 500000),
      repeat("a | ", 250000) + "\n" + repeat("-|", 500000),
      repeat("a|b\n-|-|-\n", 100000),
      repeat("<a ", 300000),
      repeat("<a b='\n", 200000),
      repeat("\t", 1000000) + "a",
      repeat("- " + repeat(" ", 20000) + "\n", 50),
      repeat("\r", 1000000),
      repeat("a\r", 500000),
      repeat("- # a - a(1)\n", 100000),
      "---\n" + repeat("--\n", 500000),
      repeat("a", 10000000),
  };
  for (const std::string& text : texts) {
    Sources sources;
    CAPTURE(text.substr(0, 40), text.size());
    CHECK(BlocksOf(sources, text).size() <= text.size());
  }
}

}  // namespace rpl
