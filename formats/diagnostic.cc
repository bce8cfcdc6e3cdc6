// SPDX-License-Identifier: Apache-2.0
//
// Source text is untrusted: every part of it that reaches a terminal passes
// formats/terminal_text.h. A tab is shown as one blank, because it is one column.
#include "formats/diagnostic.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "formats/terminal_text.h"
#include "formats/utf8.h"

namespace rpl {
namespace {

constexpr std::size_t kLineWidth = 160;   // columns of source shown
constexpr std::size_t kBeforeCaret = 60;  // of them before the caret, in a long line

constexpr std::size_t kMarkBytes = 256;

// The number of code points before `offset`.
std::size_t CodePointsBefore(const Sources::File& f, std::size_t offset) {
  const std::size_t mark = offset / kMarkBytes;
  return f.marks[mark] + CountCodePoints(std::string_view(f.text).substr(
                             mark * kMarkBytes, offset - mark * kMarkBytes));
}

// One source line cut to kLineWidth columns around its marked bytes [begin, end).
struct Excerpt {
  std::string text;
  std::size_t caret_column = 0;  // from 0, in shown columns
  std::size_t caret_width = 1;
};

Excerpt ExcerptOf(std::string_view line, std::size_t begin, std::size_t end) {
  struct Cell {
    std::string shown;
    std::size_t columns;
    std::size_t at;
  };
  std::vector<Cell> cells;
  PrintableCells printable;
  std::size_t first = 0;  // the cell under the first caret
  std::size_t past = 0;   // the cell after the last caret
  for (std::size_t i = 0; i < line.size();) {
    // A line may have megabytes: only cells near the marked bytes are kept.
    if (i + 4 * kLineWidth < begin) {
      i = begin - 4 * kLineWidth;
      while (i < begin && IsContinuation(line[i])) ++i;
    }
    if (i > begin + 4 * kLineWidth) break;
    PrintableCells::Cell cell = printable.Next(line.substr(i));
    cells.push_back({std::move(cell.shown), cell.columns, i});
    i += cell.bytes;
    if (i <= begin) first = cells.size();
    if (i <= end) past = cells.size();
  }
  std::size_t from = 0;
  std::size_t total = 0;
  for (const Cell& cell : cells) total += cell.columns;
  const bool whole = total <= kLineWidth && (cells.empty() || cells.front().at == 0);
  if (!whole && first > kBeforeCaret) from = first - kBeforeCaret;

  Excerpt out;
  const bool cut_left = from > 0 || (!cells.empty() && cells.front().at > 0);
  if (cut_left) out.text = "...";
  std::size_t columns = out.text.size();
  out.caret_width = 0;
  std::size_t k = from;
  for (; k < cells.size() && columns + cells[k].columns <= kLineWidth; ++k) {
    if (k == first) out.caret_column = columns;
    if (k >= first && k < past) out.caret_width += cells[k].columns;
    columns += cells[k].columns;
    out.text += cells[k].shown;
  }
  if (first >= k) out.caret_column = columns;
  if (k < cells.size()) out.text += "...";
  out.caret_width = std::max<std::size_t>(out.caret_width, 1);
  return out;
}

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kInfo: return "info";
  }
  return "";
}

Span Cover(Span a, Span b) {
  assert(a.file == b.file);
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

const std::vector<CodeInfo>& AllCodes() {
  static const std::vector<CodeInfo> codes = {
#define RPL_CODE(number, name, severity, title) {Code::k##name, Severity::severity, #name, title},
#include "formats/codes.inc"
#undef RPL_CODE
  };
  return codes;
}

const CodeInfo& InfoOf(Code code) {
  const std::vector<CodeInfo>& codes = AllCodes();
  const auto found =
      std::find_if(codes.begin(), codes.end(), [&](const CodeInfo& c) { return c.code == code; });
  assert(found != codes.end());
  return *found;
}

std::string CodeText(Code code) { return "RPL" + std::to_string(static_cast<int>(code)); }

std::uint32_t Sources::Add(std::string name, std::string text) {
  auto file = std::make_shared<File>();
  file->name = std::move(name);
  file->text = std::move(text);
  file->lines.push_back(0);
  for (std::size_t i = file->text.find('\n'); i != std::string::npos;
       i = file->text.find('\n', i + 1)) {
    file->lines.push_back(static_cast<std::uint32_t>(i + 1));
  }
  std::uint32_t before = 0;
  for (std::size_t at = 0; at <= file->text.size(); at += kMarkBytes) {
    file->marks.push_back(before);
    before += static_cast<std::uint32_t>(
        CountCodePoints(std::string_view(file->text).substr(at, kMarkBytes)));
  }
  const std::size_t slot = size_ % kGroup;
  if (slot == 0) groups_.push_back(std::make_shared<Group>());
  if (std::size_t used = slot; !groups_.back()->used.compare_exchange_strong(used, slot + 1)) {
    auto own = std::make_shared<Group>();
    std::copy_n(groups_.back()->files.begin(), slot, own->files.begin());
    own->used = slot + 1;
    groups_.back() = std::move(own);
  }
  groups_.back()->files[slot] = std::move(file);
  return static_cast<std::uint32_t>(size_++);
}

std::string_view Sources::Text(Span span) const {
  assert(span.begin <= span.end && span.end <= at(span.file).text.size());
  return std::string_view(at(span.file).text).substr(span.begin, span.end - span.begin);
}

Sources::Place Sources::PlaceOf(std::uint32_t file, std::uint32_t offset) const {
  const File& f = at(file);
  const auto next = std::upper_bound(f.lines.begin(), f.lines.end(), offset);
  const std::uint32_t line_begin = *(next - 1);
  Place place;
  place.line = static_cast<std::uint32_t>(next - f.lines.begin());
  const std::size_t end = std::min<std::size_t>(offset, f.text.size());
  place.column +=
      static_cast<std::uint32_t>(CodePointsBefore(f, end) - CodePointsBefore(f, line_begin));
  // A byte order mark is not part of the first line.
  const std::size_t mark = MarkSize(f.text);
  if (line_begin == 0 && mark > 0 && end >= mark) --place.column;
  return place;
}

std::string Sources::Where(Span span) const {
  const Place place = PlaceOf(span.file, span.begin);
  return PrintableLine(at(span.file).name) + ":" + std::to_string(place.line) + ":" +
         std::to_string(place.column);
}

bool HasErrors(const std::vector<Diagnostic>& findings) {
  return std::ranges::any_of(findings,
                             [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

void Diagnostics::Add(Code code, Span span, std::string message, std::string hint) {
  const Severity severity = InfoOf(code).severity;
  Add({code, severity, span, std::move(message), std::move(hint)});
}

void Diagnostics::Add(Diagnostic finding) {
  if (finding.severity == Severity::kError) ++errors_;
  all_.push_back(std::move(finding));
}

void Diagnostics::Sort() {
  std::stable_sort(all_.begin(), all_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.span.file, a.span.begin, a.span.end, a.code) <
           std::tie(b.span.file, b.span.begin, b.span.end, b.code);
  });
}

std::string Render(const Diagnostic& d, const Sources& sources) {
  const Sources::File& file = sources.at(d.span.file);
  const Sources::Place place = sources.PlaceOf(d.span.file, d.span.begin);
  const std::size_t line_begin = file.lines[place.line - 1];
  std::size_t line_end =
      place.line < file.lines.size() ? file.lines[place.line] - 1 : file.text.size();
  if (line_end > line_begin && file.text[line_end - 1] == '\r') --line_end;
  const std::string_view line =
      std::string_view(file.text).substr(line_begin, line_end - line_begin);
  const std::size_t begin = std::min<std::size_t>(d.span.begin - line_begin, line.size());
  const std::size_t end = std::min<std::size_t>(d.span.end - line_begin, line.size());
  const Excerpt excerpt = ExcerptOf(line, begin, std::max(begin, end));

  std::string number = std::to_string(place.line);
  if (number.size() < 5) number.insert(0, 5 - number.size(), ' ');
  std::string out = sources.Where(d.span) + ": " + std::string(SeverityName(d.severity)) + " " +
                    CodeText(d.code) + ": " + PrintableLine(d.message) + "\n";
  out += number + " | " + excerpt.text + "\n";
  out += std::string(number.size(), ' ') + " | " + std::string(excerpt.caret_column, ' ') +
         std::string(excerpt.caret_width, '^') + "\n";
  if (!d.hint.empty()) out += "help: " + PrintableLine(d.hint) + "\n";
  return out;
}

}  // namespace rpl
