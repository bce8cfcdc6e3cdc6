// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/table.h"

#include <algorithm>
#include <numeric>

#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

constexpr std::size_t kLeast = 6;  // least width of a cut cell

std::string Padded(const std::string& text, std::size_t width, bool right) {
  std::string cut = CutToWidth(text, width);
  const std::string blanks(width - std::min(width, TextWidth(cut)), ' ');
  return right ? blanks + cut : cut + blanks;
}

std::string WithoutTail(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

// Narrows the widest columns until the table fits; false if it cannot.
bool Fit(std::vector<std::size_t>& widths, std::size_t width) {
  const std::size_t between = 3 * widths.size() - 1;  // blanks and bars
  for (;;) {
    const std::size_t total = std::accumulate(widths.begin(), widths.end(), between);
    if (total <= width) return true;
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kLeast) return false;
    // The next narrower width, or as far as necessary.
    std::size_t next = kLeast;
    for (const std::size_t w : widths)
      if (w < *widest) next = std::max(next, w);
    const auto count = static_cast<std::size_t>(std::count(widths.begin(), widths.end(), *widest));
    const std::size_t each = (total - width + count - 1) / count;
    const std::size_t to = std::max(next, *widest - std::min(*widest, each));
    const std::size_t from = *widest;
    for (std::size_t& w : widths)
      if (w == from) w = to;
  }
}

std::string Records(const std::vector<std::string>& columns,
                    const std::vector<std::vector<TableCell>>& rows, std::size_t width) {
  std::size_t widest = 0;
  for (const std::string& name : columns) widest = std::max(widest, TextWidth(name));
  std::string out;
  for (const std::vector<TableCell>& row : rows) {
    if (!out.empty()) out += '\n';
    for (std::size_t i = 0; i < columns.size(); ++i)
      out += CutToWidth(Padded(columns[i], widest, false) + " = " + row[i].text,
                        std::max<std::size_t>(width, 1)) +
             '\n';
  }
  return out;
}

}  // namespace

std::string TableText(const std::vector<std::string>& columns,
                      const std::vector<std::vector<TableCell>>& rows, std::size_t width,
                      const std::string& header_on, const std::string& header_off) {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    widths.push_back(TextWidth(columns[i]));
    right.push_back(!rows.empty());
    for (const std::vector<TableCell>& row : rows) {
      widths[i] = std::max(widths[i], TextWidth(row[i].text));
      right[i] = right[i] && row[i].number;
    }
  }
  if (columns.empty() || !Fit(widths, width)) return Records(columns, rows, width);
  std::string header, rule, out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    header += (i > 0 ? " | " : " ") + Padded(columns[i], widths[i], right[i]);
    rule += (i > 0 ? "+" : "") + std::string(widths[i] + 2, '-');
  }
  header = WithoutTail(header);
  header.pop_back();
  out = header_on + header + header_off + '\n' + rule + '\n';
  for (const std::vector<TableCell>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i)
      line += (i > 0 ? " | " : " ") + Padded(row[i].text, widths[i], right[i]);
    out += WithoutTail(line);
  }
  return out;
}

}  // namespace rpl
