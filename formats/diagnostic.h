// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics: a finding about a source text, with its place, and the texts that places point into.
//
// Failures are of three kinds, never mixed. A *wrong source* is a Diagnostic, as here: a value with
// a stable code and a place. A *failed run* is `%fail` (§15.7), reported by runtime/. A *mistake of
// the engine* is an assert.
//
// A Span is a pair of byte offsets into the whole file as the user sees it, even for a sentence
// inside a fence of a Markdown document. Line and column are computed only for output: lines count
// from 1, columns from 1 in code points, and a tab is one column.
//
// Codes are stable: a code is never reused for another finding. Families: 1xxx syntax, 2xxx binding
// and safety, 3xxx recursion and negation, 4xxx Markdown, 5xxx tools, 6xxx names and style, 7xxx
// YAML and JSON, 8xxx files of facts, 9xxx programs as SQL.
#ifndef RPL_FORMATS_DIAGNOSTIC_H_
#define RPL_FORMATS_DIAGNOSTIC_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// A half-open range of bytes [begin, end) of the file numbered `file` (see Sources). An empty
/// range is a position. Files are below 4 GiB; readers limit them to far less.
struct Span {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// The smallest span that covers both. REQUIRES: a.file == b.file.
Span Cover(Span a, Span b);

/// Errors make a source unusable; warnings and infos do not stop a run.
enum class Severity { kError, kWarning, kInfo };

/// "error", "warning", "info".
std::string_view SeverityName(Severity severity);

/// The stable number of a kind of finding; one enumerator for each row of codes.inc.
enum class Code : std::uint16_t {
#define RPL_CODE(number, name, severity, title) k##name = number,
#include "formats/codes.inc"
#undef RPL_CODE
};

/// A row of codes.inc. The views have static lifetime.
struct CodeInfo {
  Code code;
  Severity severity;
  std::string_view name;   // as in UnclosedString
  std::string_view title;  // one line for docs and SARIF
};

/// The rows of codes.inc, in its order.
const std::vector<CodeInfo>& AllCodes();
/// The row of a code. O(number of codes).
const CodeInfo& InfoOf(Code code);

/// The code as users see it: "RPL1003".
std::string CodeText(Code code);

/// One finding, with one cause, in the author's own names. `message` is lower case, without a final
/// stop, and names the expected before the actual. `hint` says what to write instead, or is empty.
/// Both may quote untrusted source text; Render escapes it.
struct Diagnostic {
  Code code;
  Severity severity;
  Span span;
  std::string message;
  std::string hint;
  std::string name = {};  // that it is about, with its mark, where a fix needs it; else ""
};

/// Whether one of the findings is an error.
bool HasErrors(const std::vector<Diagnostic>& findings);

/// The files of one program, numbered from 0. The text of a file neither moves nor changes once
/// added, so that views into it last as long as the Sources or a copy of it: copies share the
/// texts. Only the reader of a file of rows may clear what nobody reads again (TextToClear).
class Sources {
 public:
  /// A file with the indexes from which places are computed.
  struct File {
    std::string name;  // as the user wrote it; "<message 1>" for a turn
    std::string text;
    std::vector<std::uint32_t> lines;  // offset of the first byte of each line
    std::vector<std::uint32_t> marks;  // code points before every kMarkBytes-th byte
  };

  /// Takes ownership of the text and returns the number of the file. O(length).
  std::uint32_t Add(std::string name, std::string text);

  /// REQUIRES: file < size().
  const File& at(std::uint32_t file) const { return *groups_[file / kGroup]->files[file % kGroup]; }
  /// The bytes of a span; valid as long as the file. REQUIRES: the span lies within its file.
  std::string_view Text(Span span) const;
  /// The text of a file whose reader puts zeros in place of lines that it is done with. The
  /// beginnings of lines keep their places.
  char* TextToClear(std::uint32_t file) { return const_cast<char*>(at(file).text.data()); }
  std::size_t size() const { return size_; }

  /// A position as printed.
  struct Place {
    std::uint32_t line = 1;    // from 1
    std::uint32_t column = 1;  // from 1, in code points
  };
  /// The place of a byte; an offset beyond the end counts as the end. O(log lines), however long
  /// the line is.
  Place PlaceOf(std::uint32_t file, std::uint32_t offset) const;

  /// The start of a span as "name:line:column", with the name escaped for a terminal.
  std::string Where(Span span) const;

 private:
  // Full groups but for the last; copies share them, so that a session may copy its many files. Of
  // the last group a copy sees its own size_. The first copy that adds a file puts it there, and
  // another one, to which that file does not belong, then has a group of its own.
  static constexpr std::size_t kGroup = 128;
  struct Group {
    std::array<std::shared_ptr<const File>, kGroup> files;
    std::atomic<std::size_t> used = 0;
  };
  std::vector<std::shared_ptr<Group>> groups_;
  std::size_t size_ = 0;
};

/// A list of findings in the order in which they were added. It drops none; callers that print cap.
class Diagnostics {
 public:
  /// Adds a finding with the severity that codes.inc gives its code.
  void Add(Code code, Span span, std::string message, std::string hint = "");
  /// Adds a finding with a severity of its own.
  void Add(Diagnostic finding);

  const std::vector<Diagnostic>& all() const { return all_; }
  /// True if a finding of severity kError was added. O(1).
  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }
  std::size_t size() const { return all_.size(); }

  /// Sorts by file, begin, end, then code; stable.
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
/// Ends with a newline. Source text is untrusted: control characters are shown as escapes, and of a
/// line over 160 columns only the part around the caret is shown. A span of several lines is marked
/// on its first. O(1) in the length of the line.
std::string Render(const Diagnostic& d, const Sources& sources);

}  // namespace rpl

#endif  // RPL_FORMATS_DIAGNOSTIC_H_
