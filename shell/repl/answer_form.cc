// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/answer_form.h"

#include <algorithm>
#include <span>

#include "formats/terminal_text.h"
#include "runtime/facts/facts_file.h"
#include "shell/terminal/table.h"

namespace rpl {
namespace {

std::string InQuotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

// `"`, `,` and line ends need quotes.
std::string CsvField(const std::string& text) {
  return text.find_first_of("\",\r\n") == text.npos ? text : InQuotes(text);
}

// A field that docs/facts.md reads as the value: nil is empty, and a string has quotes if its bare
// text would be another value. CSV has no lists, sets, maps and terms, whose text is a string.
class CsvFields {
 public:
  explicit CsvFields(const Pool& pool) : pool_(pool) {}

  // `named`: in a column of keywords or symbols, whose fields are the names.
  std::string Of(Value value, bool named) {
    if (value == kAbsent || value == kNil) return "";
    if (named) return std::string(pool_.TextOf(value));
    const std::string text = PlainText(pool_, value);
    if (value.kind() == Kind::kString && !IsTextField(scratch_, text)) return InQuotes(text);
    return CsvField(text);
  }

 private:
  const Pool& pool_;
  Pool scratch_;  // for values of texts that are no strings
};

// The type in the header of a column: `:keyword` or `:symbol` if all its cells are such names.
std::string CsvTypeOf(const Pool& pool, std::span<const Value> cells, std::size_t column,
                      std::size_t width) {
  if (cells.empty()) return "";
  const Kind kind = cells[column].kind();
  if (kind != Kind::kKeyword && kind != Kind::kSymbol) return "";
  for (std::size_t i = column; i < cells.size(); i += width)
    if (cells[i].kind() != kind || !IsName(pool.TextOf(cells[i]))) return "";
  return kind == Kind::kKeyword ? ":keyword" : ":symbol";
}

std::string Csv(const Pool& pool, const std::vector<std::string>& columns,
                const std::vector<Value>& cells) {
  CsvFields fields(pool);
  std::vector<bool> named;
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string type = CsvTypeOf(pool, cells, i, columns.size());
    named.push_back(!type.empty());
    out += i > 0 ? "," : "";
    out += CsvField(columns[i].substr(columns[i].starts_with('?') ? 1 : 0)) + type;
  }
  out += '\n';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t column = i % columns.size();
    out += fields.Of(cells[i], named[column]);
    out += column + 1 == columns.size() ? '\n' : ',';
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

const std::vector<NamedMode>& AnswerModes() {
  static const std::vector<NamedMode> modes = [] {
    std::vector<NamedMode> out;
    const auto add = [&](const char* name, AnswerForm form, const char* help) {
      out.push_back({name, help, {.columns = form}});
    };
    add("table", AnswerForm::kTable, "columns, cut to the terminal");
    for (const OutputFormat& format : kOutputFormats) {
      std::string help = "as rpl reply";
      if (!format.IsText()) help += std::string(" --format ") + format.name;
      out.push_back({format.name, std::move(help), {.format = &format}});
    }
    add("csv", AnswerForm::kCsv, "all answers, for another program");
    add("markdown", AnswerForm::kMarkdown, "a table for a document");
    add("line", AnswerForm::kLine, "a line for each value");
    return out;
  }();
  return modes;
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
