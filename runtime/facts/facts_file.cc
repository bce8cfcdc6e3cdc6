// SPDX-License-Identifier: Apache-2.0
//
// A format is a reader of rows: Next gives the fields and the place of one row. The values of
// fields are determined after that, in the same way for all formats.
#include "runtime/facts/facts_file.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "formats/character.h"
#include "formats/file_name.h"
#include "formats/number_text.h"
#include "formats/utf8.h"
#include "interp/program/novelty.h"
#include "interp/store/json_value.h"
#include "interp/store/pages.h"
#include "interp/store/store.h"
#include "interp/store/text_queue.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

enum class Type { kAny, kText, kNumber, kBoolean, kKeyword, kSymbol };

constexpr std::array<std::pair<std::string_view, Type>, 5> kTypes = {{{"text", Type::kText},
                                                                      {"number", Type::kNumber},
                                                                      {"boolean", Type::kBoolean},
                                                                      {"keyword", Type::kKeyword},
                                                                      {"symbol", Type::kSymbol}}};

std::string_view NameOf(Type type) {
  for (const auto& [name, of] : kTypes)
    if (of == type) return name;
  return "value";
}

// Of fields, instead of the comma: none of these stands in a name.
constexpr std::string_view kSeparators = ";|\t^~ ";

// Whether the text begins and ends like a JSON number. Leading zeros make a code.
bool LooksLikeNumber(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || !IsDigit(digits.front()) || !IsDigit(digits.back())) return false;
  return digits.size() == 1 || digits[0] != '0' || !IsDigit(digits[1]);
}

// A JSON number, whole text; kNone for any other text.
Value NumberOf(Pool& pool, std::string_view text) {
  if (!LooksLikeNumber(text)) return kNone;
  // Most numbers are short, and read sooner so.
  constexpr double kExact = 0x1p53;
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, whole);
      stop == end && error == std::errc{})
    return pool.Int(whole);
  double value = 0;
  if (const auto [stop, error] = ReadFloat(text.data(), end, value);
      stop == end && error == std::errc{} && std::abs(value) < kExact)
    return pool.Float(value);
  const NumberText read = ReadNumber(text);
  return read.problem == NumberText::Problem::kNone ? pool.Number(read.value) : kNone;
}

// Whether the text is a number as above, but too large for one.
bool IsTooLarge(std::string_view text) {
  constexpr std::size_t kLong = 300;  // shorter ones have an exponent
  if (!LooksLikeNumber(text)) return false;
  if (text.size() < kLong && text.find_first_of("eE") == text.npos) return false;
  const NumberText::Problem problem = ReadNumber(text).problem;
  return problem == NumberText::Problem::kTooLarge || problem == NumberText::Problem::kTooLong;
}

// The value of an unquoted field without a type; kNone if it is its text.
Value NoTextOf(Pool& pool, std::string_view text) {
  if (text.empty()) return kNil;
  if (text == "true" || text == "false") return Pool::Bool(text == "true");
  return NumberOf(pool, text);
}

struct Field {
  std::string_view text;
  bool quoted = false;
  bool copied = false;  // the text lasts only until the next row
};

// Adds the value of a field of CSV or TSV; false if it is not of the type, or too large.
bool PushField(Pool& pool, const Field& field, Type type, TextQueue& cells) {
  const std::string_view text = field.text;
  const auto push = [&](Value v) {
    if (!v.is_none()) cells.Push(v);
    return !v.is_none();
  };
  const auto push_text = [&](Kind kind) {
    if (text.size() > kMaxTextBytes) return push(pool.String(text));
    cells.Push(kind, text);
    if (field.copied) cells.Flush();
    return true;
  };
  const bool truth = text == "true" || text == "false";
  switch (type) {
    case Type::kText: return push_text(Kind::kString);
    case Type::kNumber: return push(NumberOf(pool, text));
    case Type::kBoolean: return push(truth ? Pool::Bool(text == "true") : kNone);
    case Type::kKeyword: return IsName(text) && push_text(Kind::kKeyword);
    case Type::kSymbol: return IsName(text) && push_text(Kind::kSymbol);
    case Type::kAny: break;
  }
  if (field.quoted) return push_text(Kind::kString);
  const Value value = NoTextOf(pool, text);
  if (!value.is_none()) return push(value);
  return !IsTooLarge(text) && push_text(Kind::kString);
}

// The text of one row.
struct RowText {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  // before its line end
  std::string problem;    // of a malformed row, whose fields are meaningless; else ""
  // A carriage return that ends no line, if that is the problem: lines end with a line feed.
  std::optional<std::uint32_t> bare_return;
};

// Fields between separators. A quoted field may hold line ends and doubled quotes; a
// tab-separated file has no quotes but the escapes \t, \n, \r and \\. A carriage return may stand
// before a line feed and at the end of the file, and within quotes.
class Separated {
 public:
  Separated(std::string_view text, char separator, bool quotes, std::uint32_t begin)
      : text_(text), separator_(separator), quotes_(quotes), at_(begin) {}

  // The next row that is not empty. False at the end.
  bool Next(RowText& row, std::vector<Field>& fields) {
    while (at_ < text_.size() && (text_[at_] == '\n' || EndsLine(at_))) ++at_;
    if (at_ >= text_.size()) return false;
    fields.clear();
    unescaped_.clear();
    row = {at_, at_, "", std::nullopt};
    for (;;) {
      fields.push_back(NextField(row));
      if (!row.problem.empty()) at_ = LineEnd();
      if (at_ >= text_.size() || text_[at_] != separator_) break;
      ++at_;
    }
    row.end = at_;
    return true;
  }

 private:
  Field NextField(RowText& row) {
    if (quotes_ && at_ < text_.size() && text_[at_] == '"') return Quoted(row);
    const std::uint32_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    std::uint32_t end = at_;
    if (end > begin && EndsLine(end - 1)) --end;
    const std::string_view field = text_.substr(begin, end - begin);
    if (const std::size_t stray = field.find('\r'); stray != field.npos)
      return Stray(row, begin + static_cast<std::uint32_t>(stray));
    if (!quotes_ && field.find('\\') != field.npos) return {Unescaped(field), true, true};
    return {field, false, false};
  }

  // Whether a carriage return at the place belongs to the end of a line.
  bool EndsLine(std::uint32_t at) const {
    return text_[at] == '\r' && (at + 1 == text_.size() || text_[at + 1] == '\n');
  }

  static Field Stray(RowText& row, std::uint32_t at) {
    row.problem = "a carriage return stands here without a line feed";
    row.bare_return = at;
    return {};
  }

  Field Quoted(RowText& row) {
    const std::uint32_t begin = ++at_;
    bool doubled = false;
    for (;; ++at_) {
      at_ = static_cast<std::uint32_t>(std::min(text_.find('"', at_), text_.size()));
      if (at_ == text_.size()) {
        row.problem = "a quote is opened and never closed";
        at_ = begin;
        return {};
      }
      if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
      doubled = true;
      ++at_;
    }
    std::string_view field = text_.substr(begin, at_ - begin);
    ++at_;
    if (at_ < text_.size() && text_[at_] == '\r') {
      if (!EndsLine(at_)) return Stray(row, at_);
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n')
      row.problem = "text follows a closing quote";
    return {doubled ? Undoubled(field) : field, true, doubled};
  }

  std::string_view Undoubled(std::string_view field) {
    std::string& out = unescaped_.emplace_back();
    for (std::size_t i = 0; i < field.size(); ++i) {
      out += field[i];
      if (field[i] == '"') ++i;
    }
    return out;
  }

  std::string_view Unescaped(std::string_view field) {
    std::string& out = unescaped_.emplace_back();
    for (std::size_t i = 0; i < field.size(); ++i) {
      const char next = i + 1 < field.size() ? field[i + 1] : '\0';
      constexpr std::string_view kNames = "tnr\\";
      constexpr std::string_view kValues = "\t\n\r\\";
      const std::size_t known = kNames.find(next);
      const bool escape = field[i] == '\\' && known != kNames.npos;
      out += escape ? kValues[known] : field[i];
      i += escape ? 1 : 0;
    }
    return out;
  }

  std::uint32_t LineEnd() const {
    return static_cast<std::uint32_t>(std::min(text_.find('\n', at_), text_.size()));
  }

  std::string_view text_;
  char separator_;
  bool quotes_;  // and no escapes
  std::uint32_t at_;
  std::deque<std::string> unescaped_;  // of the current row
};

// The lines of a text that were read: their memory is given back, except that of those kept.
class PassedLines {
 public:
  /// `text`: null if all are kept. `cells`: whose waiting texts may be parts of these lines.
  PassedLines(char* text, TextQueue& cells) : text_(text), cells_(cells) {}

  /// No line before `end` is read again, except those kept.
  void Pass(std::uint32_t end) {
    if (text_ != nullptr && end - begin_ >= 2 * kHugePage) Drop(end);
  }
  /// REQUIRES: it is behind all that were passed and kept.
  void Keep(const RowText& row) {
    if (text_ != nullptr) Drop(row.begin);
    begin_ = row.end;
  }

 private:
  void Drop(std::uint32_t end) {
    cells_.Flush();
    begin_ += static_cast<std::uint32_t>(DropPages(text_ + begin_, end - begin_));
  }

  char* text_;
  TextQueue& cells_;
  std::uint32_t begin_ = 0;  // of the lines behind those that were given back or are kept
};

class FactsReader {
 public:
  FactsReader(const Sources& sources, std::uint32_t file, char* drops, const FactsName& name,
              bool strict, Store& store, Diagnostics& out)
      : text_(sources.at(file).text),
        name_(name),
        strict_(strict),
        store_(store),
        pool_(store.pool()),
        out_(out),
        cells_(pool_, novelty_.facts.cells()),
        passed_(drops, cells_) {
    novelty_.file = file;
  }

  Novelty Read() {
    const std::string_view path = WithoutGz(name_.path);
    const bool json = HasExtension(path, ".ndjson") || HasExtension(path, ".jsonl");
    const bool tabs = HasExtension(path, ".tsv");
    const bool read = json ? ReadLines() : ReadSeparated(tabs ? '\t' : name_.separator, !tabs);
    if (bad_ > 1)
      Report(last_bad_, fmt::format("{} of {} rows are bad", bad_, bad_ + novelty_.facts.size()),
             "");
    if (!read || (strict_ && bad_ > 0)) return Nothing();
    cells_.Flush();
    passed_.Pass(static_cast<std::uint32_t>(text_.size()));
    // Rows that were left out may have been some of the relation.
    if (bad_ == 0) novelty_.given.emplace(name_.relation, Arity());
    return std::move(novelty_);
  }

 private:
  std::optional<std::uint32_t> Arity() const {
    if (relation_ == kNoId) return std::nullopt;
    return static_cast<std::uint32_t>(arity_);
  }

  Novelty Nothing() const {
    Novelty nothing;
    nothing.file = novelty_.file;
    return nothing;
  }

  // Of its problem, if that has a place in it.
  Span SpanOf(const RowText& row) const {
    if (row.bare_return) return {novelty_.file, *row.bare_return, *row.bare_return + 1};
    return {novelty_.file, row.begin, row.end};
  }

  void Report(Span span, std::string message, std::string hint) {
    out_.Add({Code::kBadRow, strict_ ? Severity::kError : Severity::kWarning, span,
              std::move(message), std::move(hint)});
  }

  void Bad(const RowText& row, const std::string& message, std::string hint = "") {
    last_bad_ = SpanOf(row);
    passed_.Keep(row);
    if (hint.empty() && !strict_) hint = "the row is left out";
    if (++bad_ <= kBadRowsShown) Report(last_bad_, message, std::move(hint));
  }

  void Refuse(const RowText& row, std::string message, std::string hint) {
    out_.Add(Code::kBadFactsFile, SpanOf(row), std::move(message), std::move(hint));
  }

  bool Declare(const RowText& header, std::size_t arity) {
    if (arity > kMaxArity) {
      Refuse(header, fmt::format("expected at most {} columns, got {}", kMaxArity, arity), "");
      return false;
    }
    relation_ = store_.Declare(Space::kRelation, name_.relation, static_cast<std::uint32_t>(arity));
    arity_ = arity;
    return true;
  }

  // Takes a row whose cells were pushed, or drops them if it is a bad one.
  void End(const RowText& row, bool good) {
    if (!good) return novelty_.facts.DropCells(cells_);
    if (novelty_.facts.empty()) passed_.Keep(row);
    novelty_.facts.Add({relation_, row.begin, row.end}, cells_);
    passed_.Pass(row.end);
  }

  // --- CSV, TSV

  bool ReadSeparated(char separator, bool quotes) {
    Separated rows(text_, separator, quotes, MarkSize(text_));
    RowText row;
    std::vector<Field> fields;
    if (!rows.Next(row, fields)) {
      Refuse(row, "the file has no header", "write the names of the columns into its first line");
      return false;
    }
    if (!ReadHeader(row, fields)) return false;
    while (rows.Next(row, fields)) {
      if (!row.problem.empty()) {
        Bad(row, row.problem);
      } else if (fields.size() != columns_.size()) {
        Bad(row, fmt::format("expected {} fields, got {}", columns_.size(), fields.size()));
      } else {
        End(row, Push(row, fields));
      }
    }
    return true;
  }

  bool ReadHeader(const RowText& row, const std::vector<Field>& fields) {
    if (!row.problem.empty()) {
      Refuse(row, row.problem, row.bare_return ? "end each line with a line feed" : "");
      return false;
    }
    for (const Field& field : fields) {
      const std::size_t colon = field.text.rfind(':');
      Column column{std::string(field.text.substr(0, colon)), Type::kAny};
      if (colon != field.text.npos) {
        const std::string_view wanted = field.text.substr(colon + 1);
        for (const auto& [name, type] : kTypes)
          if (name == wanted) column.type = type;
        if (column.type == Type::kAny) {
          Refuse(row, fmt::format("`{}` is not a type of a column", wanted),
                 "write one of text, number, boolean, keyword, symbol");
          return false;
        }
      }
      columns_.push_back(std::move(column));
    }
    passed_.Keep(row);
    return Declare(row, columns_.size());
  }

  bool Push(const RowText& row, const std::vector<Field>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (PushField(pool_, fields[i], columns_[i].type, cells_)) continue;
      const std::string& column = columns_[i].name;
      const std::string_view shown = fields[i].text.substr(0, 100);
      if (fields[i].text.size() > kMaxTextBytes) Bad(row, "a field is " + pool_.overflow());
      else if (columns_[i].type == Type::kAny)
        Bad(row, fmt::format("`{}` as `{}` is too large for a number", shown, column),
            fmt::format("the row is left out; if it is a text, name the column `{}:text`", column));
      else
        Bad(row, fmt::format("expected a {} as `{}`, got `{}`", NameOf(columns_[i].type), column,
                             shown));
      return false;
    }
    return true;
  }

  // --- NDJSON

  bool ReadLines() {
    for (std::size_t at = MarkSize(text_); at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      const RowText row{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end), "", {}};
      const std::string_view line = text_.substr(at, end - at);
      at = end + 1;
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      if (!ReadLine(row, line)) return false;
    }
    if (relation_ != kNoId || bad_ == 0) return true;
    Refuse({}, "the file has no row", "write one array or object into each line");
    return false;
  }

  // False if the whole file is unusable.
  bool ReadLine(const RowText& row, std::string_view line) {
    const JsonText read = ParseExactJson(line);
    if (!read.error.empty()) {
      const std::string error = CleanUtf8(read.error);
      Bad(row, read.byte == 0 ? error : "the line is not one JSON value: " + error);
    } else if (!read.json.is_array() && !read.json.is_object()) {
      Bad(row, "expected an array or an object");
    } else if (relation_ == kNoId && !BeginLines(row, read.json)) {
      return false;
    } else {
      End(row, read.json.is_array() ? PushArray(row, read.json) : PushObject(row, read.json));
    }
    return true;
  }

  bool BeginLines(const RowText& row, const ordered_json& first) {
    if (first.is_object())
      for (const auto& [key, value] : first.items()) columns_.push_back({key, Type::kAny});
    return Declare(row, first.size());
  }

  bool PushArray(const RowText& row, const ordered_json& array) {
    if (array.size() != arity_) {
      Bad(row, fmt::format("expected {} elements, got {}", arity_, array.size()));
      return false;
    }
    for (std::size_t i = 0; i < arity_; ++i)
      if (!Push(row, array[i])) return false;
    return true;
  }

  bool PushObject(const RowText& row, const ordered_json& object) {
    if (columns_.empty() && arity_ > 0) {
      Bad(row, "expected an array, as in the first row");
      return false;
    }
    if (object.size() != arity_) {
      Bad(row, fmt::format("expected {} keys, got {}", columns_.size(), object.size()));
      return false;
    }
    for (std::size_t i = 0; i < arity_; ++i) {
      const auto found = object.find(columns_[i].name);
      if (found == object.end()) {
        Bad(row, fmt::format("expected the key `{}`", columns_[i].name));
        return false;
      }
      if (!Push(row, *found)) return false;
    }
    return true;
  }

  bool Push(const RowText& row, const ordered_json& json) {
    const Value value = ValueOfJson(json, pool_, false);
    if (value.is_none()) Bad(row, pool_.overflow());
    else cells_.Push(value);
    return !value.is_none();
  }

  struct Column {
    std::string name;
    Type type;
  };

  std::string_view text_;
  const FactsName& name_;
  bool strict_;
  Store& store_;
  Pool& pool_;
  Diagnostics& out_;
  Novelty novelty_;
  std::vector<Column> columns_;  // none for arrays
  RelationId relation_ = kNoId;
  std::size_t arity_ = 0;
  TextQueue cells_;  // of the accepted rows, and of the current one
  PassedLines passed_;
  std::size_t bad_ = 0;
  Span last_bad_;
};

// `drops`: the text again; null if it is kept.
Novelty Read(const Sources& sources, std::uint32_t file, char* drops, const FactsName& name,
             bool strict, Store& store, Diagnostics& out) {
  if (IsText(sources.at(file).text, file, out))
    return FactsReader(sources, file, drops, name, strict, store, out).Read();
  Novelty nothing;
  nothing.file = file;
  return nothing;
}

}  // namespace

bool IsSeparator(char c) { return c == ',' || kSeparators.find(c) != kSeparators.npos; }

bool IsName(std::string_view text) {
  if (text.empty() || !IsLower(text.front())) return false;
  for (const char c : text)
    if (!IsLower(c) && !IsDigit(c) && c != '-') return false;
  return true;
}

bool IsRelationName(std::string_view text) {
  return IsName(text) && text != "not" && text != "true" && text != "false" && text != "nil";
}

bool IsTextField(Pool& pool, std::string_view text) {
  return NoTextOf(pool, text).is_none() && !IsTooLarge(text);
}

Value ValueOfField(Pool& pool, std::string_view text) {
  const Value value = NoTextOf(pool, text);
  if (!value.is_none()) return value;
  return IsTooLarge(text) ? kNone : pool.String(text);
}

std::optional<FactsName> FactsNameOf(std::string_view name) {
  const std::size_t equals = name.find('=');
  if (equals == name.npos || equals == 0) return std::nullopt;
  std::string_view relation = name.substr(0, equals);
  const std::string_view path = name.substr(equals + 1);
  const char last = relation.back();
  const bool separated = kSeparators.find(last) != kSeparators.npos;
  if (separated) relation.remove_suffix(1);
  if (!IsRelationName(relation) || (path != "-" && !IsFactsFile(WithoutGz(path))))
    return std::nullopt;
  return FactsName{std::string(relation), std::string(path), separated ? last : ','};
}

std::string Text(const FactsName& name) {
  const std::string separator = name.separator == ',' ? "" : std::string(1, name.separator);
  return name.relation + separator + "=" + name.path;
}

Novelty ReadFacts(const Sources& sources, std::uint32_t file, const FactsName& name, bool strict,
                  Store& store, Diagnostics& out) {
  return Read(sources, file, nullptr, name, strict, store, out);
}

Novelty ReadFactsOnce(Sources& sources, std::uint32_t file, const FactsName& name, bool strict,
                      Store& store, Diagnostics& out) {
  return Read(sources, file, sources.TextToClear(file), name, strict, store, out);
}

}  // namespace rpl
