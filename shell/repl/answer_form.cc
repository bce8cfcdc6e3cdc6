// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/answer_form.h"

#include <algorithm>

#include "formats/terminal_text.h"
#include "shell/host/table.h"

namespace rpl {
namespace {

// `"`, `,` and line ends need quotes.
std::string CsvField(const std::string& text) {
  if (text.find_first_of("\",\r\n") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string Csv(const Pool& pool, const std::vector<std::string>& columns,
                const std::vector<Value>& cells) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i)
    out += (i > 0 ? "," : "") + CsvField(columns[i].substr(columns[i].starts_with('?') ? 1 : 0));
  out += '\n';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] != kAbsent) out += CsvField(PlainText(pool, cells[i]));
    out += (i + 1) % columns.size() == 0 ? '\n' : ',';
  }
  return out;
}

// One line, as RPL.
std::string CellText(const Pool& pool, Value value) {
  std::string text = value == kAbsent ? "" : Text(pool, value);
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\t', ' ');
  return Printable(text);
}

std::string MarkdownRow(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += ' ';
    for (const char c : cell) out += c == '|' ? "\\|" : std::string(1, c);
    out += " |";
  }
  return out + '\n';
}

}  // namespace

std::optional<AnswerForm> AnswerFormOf(std::string_view name) {
  int number = 0;
  for (std::string_view left = kAnswerFormNames; !left.empty(); ++number) {
    const std::size_t end = std::min(left.find('|'), left.size());
    if (left.substr(0, end) == name) return static_cast<AnswerForm>(number);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return std::nullopt;
}

std::string AnswersAs(AnswerForm form, const Pool& pool, const std::vector<std::string>& columns,
                      const std::vector<Value>& cells, const AnswerLayout& layout) {
  if (form == AnswerForm::kCsv) return Csv(pool, columns, cells);
  const std::size_t width = columns.size();
  const std::size_t answers = cells.size() / width;
  const std::size_t shown = layout.most == 0 ? answers : std::min(answers, layout.most);
  if (form == AnswerForm::kTable) {
    std::vector<std::vector<TableCell>> rows(shown);
    for (std::size_t i = 0; i < shown * width; ++i)
      rows[i / width].push_back({CellText(pool, cells[i]), Pool::IsNumber(cells[i])});
    return TableText(columns, rows, layout.width, layout.bold ? "\033[1m" : "",
                     layout.bold ? "\033[0m" : "");
  }
  std::string out;
  if (form == AnswerForm::kMarkdown)
    out = MarkdownRow(columns) + MarkdownRow(std::vector<std::string>(width, "---"));
  for (std::size_t row = 0; row < shown; ++row) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < width; ++i) texts.push_back(CellText(pool, cells[row * width + i]));
    if (form == AnswerForm::kMarkdown) {
      out += MarkdownRow(texts);
      continue;
    }
    if (row > 0) out += '\n';
    for (std::size_t i = 0; i < width; ++i) out += columns[i] + " = " + texts[i] + '\n';
  }
  return out;
}

}  // namespace rpl
