// SPDX-License-Identifier: Apache-2.0
//
// Where something stands in a file, and what is wrong with it.
//
// Failure has three kinds, never mixed. A *wrong source* is a Diagnostic, as here: a
// value with a stable code and a place. A *failed run* is %fail (§15.7), in runtime/.
// *Our own mistake* is an assert.
//
// A Span is a pair of byte offsets into the whole file as the user sees it, also for a
// sentence inside a fence of a Markdown document. Line and column are computed only to
// print: lines from 1, columns from 1 in code points, a tab is one column.
//
// Codes are stable: a code is never reused for another finding. Families: 1xxx syntax,
// 2xxx binding and safety, 3xxx recursion and negation, 4xxx Markdown, 5xxx tools,
// 6xxx names and style, 7xxx YAML and JSON, 8xxx files of facts, 9xxx limits.
#ifndef RPL_FORMATS_DIAGNOSTIC_H_
#define RPL_FORMATS_DIAGNOSTIC_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// A half-open range of bytes [begin, end) of the file numbered `file` (see Sources).
struct Span {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// The smallest span that covers both; they lie in the same file.
Span Cover(Span a, Span b);

enum class Severity { kError, kWarning, kInfo };

/// "error", "warning", "info".
std::string_view SeverityName(Severity severity);

enum class Code : std::uint16_t {
#define RPL_CODE(number, name, severity, title) k##name = number,
#include "formats/codes.inc"
#undef RPL_CODE
};

struct CodeInfo {
  Code code;
  Severity severity;
  std::string_view name;   // UnclosedString
  std::string_view title;  // one line for docs and SARIF
};

/// The table of codes.inc, in its order.
const std::vector<CodeInfo>& AllCodes();
const CodeInfo& InfoOf(Code code);

/// "RPL1003".
std::string CodeText(Code code);

/// One finding: one cause, in the author's own names. `message` is lower case, without
/// a final stop, expected before got. At most one hint: what to write instead.
struct Diagnostic {
  Code code;
  Severity severity;
  Span span;
  std::string message;
  std::string hint;
};

/// The files of one program, by number; their text never moves or changes.
class Sources {
 public:
  struct File {
    std::string name;  // as the user wrote it; "<message 1>" for a turn
    std::string text;
    std::vector<std::uint32_t> lines;  // offset of the first byte of each line
    std::vector<std::uint32_t> marks;  // code points before every kMarkBytes-th byte
  };

  /// Takes the text; returns the number of the file.
  std::uint32_t Add(std::string name, std::string text);

  const File& at(std::uint32_t file) const { return *files_[file]; }
  std::string_view Text(Span span) const;
  std::size_t size() const { return files_.size(); }

  struct Place {
    std::uint32_t line = 1;    // from 1
    std::uint32_t column = 1;  // from 1, in code points
  };
  /// Takes the same time wherever the offset is, in a line however long.
  Place PlaceOf(std::uint32_t file, std::uint32_t offset) const;

  /// "name:line:column".
  std::string Where(Span span) const;

 private:
  std::vector<std::shared_ptr<const File>> files_;
};

/// Collects findings in the order met. Never throws away; the printer caps.
class Diagnostics {
 public:
  /// Adds with the severity that codes.inc gives the code.
  void Add(Code code, Span span, std::string message, std::string hint = "");
  void Add(Diagnostic finding);

  const std::vector<Diagnostic>& all() const { return all_; }
  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }
  std::size_t size() const { return all_.size(); }

  /// Sorts by file, place, then code; keeps the order of equals.
  void Sort();

 private:
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

/// The finding as a person reads it:
///
///   notes.md:3:5: error RPL1003: a string is opened here and never closed
///       3 | p("abc)
///         |   ^^^^^
///   help: end it with `"`
///
/// Control characters of the line are shown escaped; a line over 160 columns is shown
/// around the caret. Ends with a newline.
std::string Render(const Diagnostic& d, const Sources& sources);

}  // namespace rpl

#endif  // RPL_FORMATS_DIAGNOSTIC_H_
