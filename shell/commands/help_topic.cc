// SPDX-License-Identifier: Apache-2.0
//
// A code has its section on one of the pages: below a heading that begins with it, up to the next
// heading of that level or above. A line in a fence is no heading.
#include "shell/commands/help_topic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "shell/commands/help_pages.h"

namespace rpl {
namespace {

// Takes the first line of `text`, with its end.
std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

// The headings of a page: calls see(level, what follows the marks, offset of the line).
template <typename See>
void ForEachHeading(std::string_view page, See see) {
  std::string_view fence;
  for (std::string_view left = page; !left.empty();) {
    const std::size_t offset = page.size() - left.size();
    const std::string_view line = TakeLine(left);
    const std::string_view marks = line.substr(0, line.find_first_not_of(line.front()));
    if (!fence.empty()) {
      if (marks == fence && line == fmt::format("{}\n", fence)) fence = {};
    } else if (marks.size() >= 3 && marks.front() == '`') {
      fence = marks;
    } else if (marks.front() == '#' && line.substr(marks.size()).starts_with(' ')) {
      see(marks.size(), line.substr(marks.size() + 1), offset);
    }
  }
}

bool IsCode(std::string_view text) {
  return text.size() == 7 && text.starts_with("RPL") &&
         std::all_of(text.begin() + 3, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The section of `code` on `page`, or "".
std::string_view SectionOf(std::string_view page, std::string_view code) {
  std::size_t begin = std::string_view::npos, end = page.size(), depth = 0;
  ForEachHeading(page, [&](std::size_t level, std::string_view heading, std::size_t offset) {
    if (begin == std::string_view::npos) {
      if (heading.substr(0, heading.find(' ')) == code) begin = offset, depth = level;
    } else if (end == page.size() && level <= depth) {
      end = offset;
    }
  });
  return begin == std::string_view::npos ? "" : page.substr(begin, end - begin);
}

// The title of a page, without its line end.
std::string_view TitleOf(std::string_view page) {
  std::string_view title = TakeLine(page).substr(2);
  title.remove_suffix(1);
  return title;
}

std::string ListOfPages() {
  std::string out = "Pages, printed by `rpl help PAGE`\n";
  for (const HelpPage& page : kHelpPages)
    out += fmt::format("  {:<12}{}\n", page.name, TitleOf(page.text));
  return out +
         "\nA code of a finding, as in `rpl help RPL2005`, has its section. Where a command has "
         "the "
         "name of a\npage, `.md` leads to the page: `rpl help guard.md`.\n";
}

std::string WithoutBlankEnd(std::string_view text) {
  while (text.ends_with("\n\n")) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

std::string HelpOn(std::string_view topic) {
  if (topic == "topics") return ListOfPages();
  std::string code(topic);
  std::transform(code.begin(), code.end(), code.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string_view name = topic;
  if (name.starts_with("docs/")) name.remove_prefix(5);
  if (name.ends_with(".md")) name.remove_suffix(3);
  for (const HelpPage& page : kHelpPages) {
    if (page.name == name) return std::string(page.text);
    if (!IsCode(code)) continue;
    const std::string_view section = SectionOf(page.text, code);
    if (!section.empty()) return WithoutBlankEnd(section);
  }
  return "";
}

std::vector<std::string> HelpTopics() {
  std::vector<std::string> topics = {"topics"};
  for (const HelpPage& page : kHelpPages) {
    topics.emplace_back(page.name);
    ForEachHeading(page.text, [&](std::size_t, std::string_view heading, std::size_t) {
      const std::string_view word = heading.substr(0, heading.find(' '));
      if (IsCode(word)) topics.emplace_back(word);
    });
  }
  return topics;
}

}  // namespace rpl
