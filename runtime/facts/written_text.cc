// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/written_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "formats/data/json_text.h"
#include "interp/store/json_value.h"
#include "interp/store/store.h"
#include "runtime/facts/facts_file.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

bool IsSeveral(Value v) { return v.kind() == Kind::kList || v.kind() == Kind::kSet; }

// The rows of a value, each with a cell for each column.
struct Grid {
  std::vector<std::string> columns;  // names; c1, c2, … where the rows have none
  bool named = false;
  std::vector<std::vector<Value>> rows;
  std::string error;
};

class GridReader {
 public:
  explicit GridReader(Pool& pool) : pool_(pool) {}

  Grid Read(Value content) {
    if (content.kind() == Kind::kMap) Add(content);
    else if (IsSeveral(content))
      for (const Value row : pool_.ItemsOf(content)) Add(row);
    else grid_.error = "it has no rows: expected a list, a set or a map";
    for (std::size_t i = 0; !grid_.named && !grid_.rows.empty() && i < grid_.rows[0].size(); ++i)
      grid_.columns.push_back(fmt::format("c{}", i + 1));
    return std::move(grid_);
  }

 private:
  void Add(Value row) {
    if (!grid_.error.empty()) return;
    std::vector<Value> cells;
    const std::span<const Value> items = row.kind() == Kind::kList || row.kind() == Kind::kMap
                                             ? pool_.ItemsOf(row)
                                             : std::span(&row, 1);
    const bool first = grid_.rows.empty();
    const bool named = row.kind() == Kind::kMap;
    if (first) grid_.named = named;
    if (named && first) TakeKeys(items);
    if (named == grid_.named)
      cells = named ? CellsOf(row) : std::vector(items.begin(), items.end());
    if (cells.empty() || (!first && cells.size() != grid_.rows.front().size()) ||
        (named && items.size() != 2 * cells.size()))
      grid_.error = "its rows differ: expected lists of one length, or maps with the same keys";
    grid_.rows.push_back(std::move(cells));
  }

  void TakeKeys(std::span<const Value> items) {
    for (std::size_t i = 0; i < items.size(); i += 2) {
      keys_.push_back(items[i]);
      std::string name = PlainText(pool_, items[i]);
      if (name.starts_with(':') || name.starts_with('?') || name.starts_with('$')) name.erase(0, 1);
      if (std::ranges::find(grid_.columns, name) != grid_.columns.end())
        grid_.error = "two of its keys are the same text";
      grid_.columns.push_back(std::move(name));
    }
  }

  // Empty unless the row has all keys.
  std::vector<Value> CellsOf(Value row) {
    std::vector<Value> cells;
    for (const Value key : keys_)
      if (const Value cell = pool_.Lookup(row, key); !cell.is_none()) cells.push_back(cell);
    if (cells.size() != keys_.size()) cells.clear();
    return cells;
  }

  Pool& pool_;
  Grid grid_;
  std::vector<Value> keys_;
};

std::string InQuotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

// The text of a field that is read as this value; nullopt if there is none. `bare`: of a typed
// column, whose fields are names.
std::optional<std::string> FieldOf(const Pool& pool, Value v, bool bare) {
  switch (v.kind()) {
    case Kind::kInt:
    case Kind::kBigInt:
    case Kind::kFloat: return Text(pool, v);
    case Kind::kString: return InQuotes(pool.TextOf(v));
    case Kind::kKeyword:
    case Kind::kSymbol:
      if (bare && IsName(pool.TextOf(v))) return std::string(pool.TextOf(v));
      return std::nullopt;
    case Kind::kSpecial:
      if (v == kNil) return "";
      if (v == kTrue || v == kFalse) return v == kTrue ? "true" : "false";
      return std::nullopt;
    default: return std::nullopt;
  }
}

// The kind of all cells of a column; nullopt if they differ.
std::optional<Kind> KindOf(const Grid& grid, std::size_t column) {
  const Kind kind = grid.rows.front()[column].kind();
  for (const std::vector<Value>& row : grid.rows)
    if (row[column].kind() != kind) return std::nullopt;
  return kind;
}

std::string NoField(const Pool& pool, Value v) {
  return "a table has no field for " + Text(pool, v, 60) + "; `:rpl` keeps all values";
}

WrittenText InCsv(const Pool& pool, const Grid& grid) {
  std::string out;
  std::vector<bool> bare;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    const std::optional<Kind> kind = KindOf(grid, i);
    bare.push_back(kind == Kind::kKeyword || kind == Kind::kSymbol);
    std::string name = grid.columns[i];
    if (name.find(':') != name.npos) return {"", "a column of CSV has no `:` in its name: " + name};
    if (bare.back()) name += kind == Kind::kKeyword ? ":keyword" : ":symbol";
    out += (i == 0 ? "" : ",") + (IsName(grid.columns[i]) ? name : InQuotes(name));
  }
  out += '\n';
  for (const std::vector<Value>& row : grid.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::optional<std::string> field = FieldOf(pool, row[i], bare[i]);
      if (!field || (row.size() == 1 && field->empty())) return {"", NoField(pool, row[i])};
      out += (i == 0 ? "" : ",") + *field;
    }
    out += '\n';
  }
  return {std::move(out), ""};
}

WrittenText InMarkdown(const Pool& pool, const Grid& grid, std::string_view relation) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += " " + cell + (cell.empty() ? "|" : " |");
    return out + "\n";
  };
  std::string arguments;
  std::set<std::string> known;
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    const std::string& name = grid.columns[i];
    columns.push_back(IsName(name) ? name : fmt::format("c{}", i + 1));
    if (!known.insert(columns.back()).second) return {"", "two of its columns are " + name};
    arguments += (arguments.empty() ? "?" : ", ?") + columns.back();
  }
  std::string title(relation);
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  std::string out = fmt::format("# {} - {}({})\n\n", title, relation, arguments);
  out += line(columns) + line(std::vector<std::string>(columns.size(), "---"));
  for (const std::vector<Value>& row : grid.rows) {
    std::vector<std::string> cells;
    for (const Value v : row) {
      const std::optional<std::string> field = FieldOf(pool, v, false);
      if (!field || field->find_first_of("\r\n") != field->npos) return {"", NoField(pool, v)};
      cells.emplace_back();
      for (const char c : *field) cells.back() += c == '|' ? "\\|" : std::string(1, c);
    }
    out += line(cells);
  }
  return {std::move(out), ""};
}

// Whether a fact can state the value: a variable is none, and a collection has no terms.
bool CanBeStated(const Pool& pool, Value v, bool inside) {
  switch (v.kind()) {
    case Kind::kSlot: return false;
    case Kind::kTerm:
      if (inside) return false;
      [[fallthrough]];
    case Kind::kList:
    case Kind::kSet:
    case Kind::kMap:
      inside = inside || v.kind() != Kind::kTerm;
      return std::ranges::all_of(pool.ItemsOf(v),
                                 [&](Value part) { return CanBeStated(pool, part, inside); });
    default: return true;
  }
}

WrittenText AsFacts(const Pool& pool, const Grid& grid, std::string_view relation) {
  std::string out;
  for (const std::vector<Value>& row : grid.rows) {
    out += relation;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!CanBeStated(pool, row[i], false))
        return {"", "a fact cannot state " + Text(pool, row[i], 60)};
      out += (i == 0 ? "(" : ", ") + Text(pool, row[i]);
    }
    out += ")\n";
  }
  return {std::move(out), ""};
}

WrittenText NoJson() { return {"", "it has no JSON: two keys of a map are the same text"}; }

WrittenText InJsonLines(const Pool& pool, Value content) {
  std::string out;
  const bool one = content.kind() == Kind::kMap;
  for (const Value row : one ? std::span<const Value>(&content, 1) : pool.ItemsOf(content)) {
    const bool whole = row.kind() == Kind::kList || row.kind() == Kind::kMap;
    const std::optional<ordered_json> json = JsonOfValue(pool, row);
    if (!json) return NoJson();
    out += whole ? DumpJson(*json) + "\n" : "[" + DumpJson(*json) + "]\n";
  }
  return {std::move(out), ""};
}

WrittenText InJson(const Pool& pool, Value content) {
  const std::optional<ordered_json> json = JsonOfValue(pool, content);
  if (!json) return NoJson();
  const bool lines = std::ranges::any_of(
      *json, [](const ordered_json& part) { return part.is_array() || part.is_object(); });
  if (!json->is_structured() || !lines) return {DumpJson(*json) + "\n", ""};
  std::string out = json->is_array() ? "[" : "{";
  for (const auto& [key, part] : json->items()) {
    out += out.size() == 1 ? "\n  " : ",\n  ";
    if (json->is_object()) out += DumpJson(key) + ": ";
    out += DumpJson(part);
  }
  return {out + (json->is_array() ? "\n]\n" : "\n}\n"), ""};
}

}  // namespace

WrittenText TextToWrite(Pool& pool, Value content, std::string_view format,
                        std::string_view relation) {
  if (format.empty() && content.kind() == Kind::kString)
    return {std::string(pool.TextOf(content)), ""};
  if (pool.TextBytes(content) > kMaxTextBytes) return {"", "it is longer than 64 MiB"};
  if (format.empty() || format == "json") return InJson(pool, content);
  const Grid grid = GridReader(pool).Read(content);
  if (!grid.error.empty()) return {"", grid.error};
  if ((format == "md" || format == "rpl") && !IsRelationName(relation))
    return {"", fmt::format("`{}` is no name of a relation", relation)};
  if (format == "rpl") return AsFacts(pool, grid, relation);
  if (grid.rows.empty()) return {"", "it has no rows, so the table has no columns"};
  if (format == "csv") return InCsv(pool, grid);
  if (format == "md") return InMarkdown(pool, grid, relation);
  if (format == "ndjson") return InJsonLines(pool, content);
  return {"", fmt::format("`{}` is no format: expected json, csv, ndjson, md or rpl", format)};
}

}  // namespace rpl
