// SPDX-License-Identifier: Apache-2.0
//
// `<!-- rpl-ignore RPL6001: reason -->` and `-- rpl-ignore RPL6001, RPL6002: reason`.
//
// Found in the text, not in the blocks: a comment may end a line of prose, of a heading or
// of RPL. A comment alone on its line applies to the next line with text; one in a code span
// (after a backtick) is an example and is ignored.
#include <algorithm>
#include <cctype>
#include <map>

#include "interp/lint/context.h"

namespace rpl::check {
namespace {

/// The largest number of lines between a comment and the line it applies to.
constexpr std::size_t kMostLines = 16;

struct Suppression {
  Span span;         // of the comment
  std::string code;  // "RPL6001"
  bool has_reason;
  std::uint32_t line;  // of the findings it applies to
  std::uint32_t next;  // the second such line, or the same
  bool used = false;
};

std::uint32_t LineOf(const Sources& sources, std::uint32_t file, std::uint32_t offset) {
  const std::vector<std::uint32_t>& lines = sources.at(file).lines;
  return static_cast<std::uint32_t>(std::upper_bound(lines.begin(), lines.end(), offset) -
                                    lines.begin());
}

class SuppressionReader {
 public:
  SuppressionReader(const Sources& sources, std::uint32_t file)
      : sources_(sources), file_(file), text_(sources.at(file).text) {}

  std::vector<Suppression> Read() {
    constexpr std::string_view kMark = "rpl-ignore";
    for (std::size_t at = text_.find(kMark); at != std::string_view::npos;
         at = text_.find(kMark, at + 1))
      ReadAt(at, at + kMark.size());
    return std::move(out_);
  }

 private:
  void ReadAt(std::size_t mark, std::size_t behind) {
    std::size_t open = mark;
    while (open > 0 && text_[open - 1] == ' ') --open;
    const bool html = open >= 4 && text_.substr(open - 4, 4) == "<!--";
    if (!html && (open < 2 || text_.substr(open - 2, 2) != "--")) return;
    open -= html ? 4 : 2;
    if (open > 0 && text_[open - 1] == '`') return;
    const std::size_t line_end = std::min(text_.find('\n', behind), text_.size());
    std::size_t end = line_end;
    std::size_t stop = line_end;
    if (html) {
      const std::size_t close = text_.substr(0, line_end).find("-->", behind);
      if (close == std::string_view::npos) return;
      stop = close;
      end = close + 3;
    }
    const std::string_view inside = text_.substr(behind, stop - behind);
    const std::size_t colon = inside.find(':');
    const std::string_view codes = inside.substr(0, colon);
    const std::string_view reason = colon == std::string_view::npos ? "" : inside.substr(colon + 1);
    const bool has_reason = std::any_of(reason.begin(), reason.end(),
                                        [](unsigned char c) { return std::isspace(c) == 0; });
    const std::uint32_t line = LineOf(sources_, file_, Offset(open));
    const auto& lines = sources_.at(file_).lines;
    // Backwards, so that with many comments on a line each examines only the text before it.
    std::size_t before = open;
    while (before > lines[line - 1] && Blank(before - 1, before)) --before;
    const bool alone = before == lines[line - 1] && Blank(end, line_end);
    std::uint32_t next = line;
    const std::size_t limit = std::min<std::size_t>(lines.size(), line + kMostLines);
    for (std::uint32_t k = line; alone && k < limit; ++k) {
      const std::size_t stop_line = k + 1 < lines.size() ? lines[k + 1] - 1 : text_.size();
      const std::string_view candidate = text_.substr(lines[k], stop_line - lines[k]);
      if (Blank(lines[k], stop_line)) continue;
      next = k + 1;
      if (candidate.find("rpl-ignore") == std::string_view::npos) break;  // stacked comments
    }
    for (std::size_t at = codes.find("RPL"); at != std::string_view::npos;
         at = codes.find("RPL", at + 1)) {
      std::size_t stop_code = at + 3;
      while (stop_code < codes.size() && codes[stop_code] >= '0' && codes[stop_code] <= '9')
        ++stop_code;
      out_.push_back({{file_, Offset(open), Offset(end)},
                      std::string(codes.substr(at, stop_code - at)),
                      has_reason,
                      line,
                      next});
    }
  }

  bool Blank(std::size_t begin, std::size_t end) const {
    return begin >= end ||
           text_.substr(begin, end - begin).find_first_not_of(" \t\r") == std::string_view::npos;
  }

  static std::uint32_t Offset(std::size_t at) { return static_cast<std::uint32_t>(at); }

  const Sources& sources_;
  std::uint32_t file_;
  std::string_view text_;
  std::vector<Suppression> out_;
};

}  // namespace

void ApplySuppressions(Context& context) {
  std::vector<Suppression> all;
  for (const std::uint32_t file : context.checked_files)
    for (Suppression& s : SuppressionReader(context.sources, file).Read())
      all.push_back(std::move(s));
  if (all.empty()) return;
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::string>;
  std::map<Key, std::vector<std::size_t>> at;  // file, line, code
  for (std::size_t i = 0; i < all.size(); ++i) {
    at[{all[i].span.file, all[i].line, all[i].code}].push_back(i);
    if (all[i].next != all[i].line) at[{all[i].span.file, all[i].next, all[i].code}].push_back(i);
  }
  std::erase_if(context.findings, [&](const Finding& f) {
    const Diagnostic& d = f.diagnostic;
    const auto found = at.find(
        {d.span.file, LineOf(context.sources, d.span.file, d.span.begin), CodeText(d.code)});
    if (found == at.end()) return false;
    all[found->second.front()].used = true;
    return true;
  });
  for (const Suppression& s : all) {
    if (!s.used)
      context.Add(Code::kUnusedSuppression, s.span, "there is no " + s.code + " here to ignore",
                  "remove this comment");
    else if (!s.has_reason)
      context.Add(Code::kSuppressionWithoutReason, s.span,
                  s.code + " is ignored here without a reason",
                  "write why, as in `rpl-ignore " + s.code + ": the name is from the API`");
  }
}

}  // namespace rpl::check
