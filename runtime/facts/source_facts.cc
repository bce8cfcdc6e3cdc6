// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/source_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "formats/data/json_tree.h"
#include "formats/file_name.h"
#include "formats/spelling.h"
#include "formats/utf8.h"
#include "grammar/document.h"
#include "grammar/markdown.h"
#include "interp/program/assertion.h"
#include "interp/program/novelty.h"
#include "interp/program/program.h"
#include "interp/store/json_value.h"
#include "interp/store/store.h"
#include "runtime/facts/facts_file.h"
#include "runtime/facts/written_text.h"

namespace rpl {
namespace {

constexpr YamlLimits kJsonLimits{kMaxTextBytes, kMaxJsonDepth, true};

// Malformed rows of one source: the first of them one by one, the rest counted at the last one.
class BadRows {
 public:
  BadRows(bool strict, Diagnostics& out) : strict_(strict), out_(out) {}

  void Add(Span span, const std::string& message) {
    last_ = span;
    if (++count_ <= kBadRowsShown) Report(message, strict_ ? "" : "the row is left out");
  }
  void End(std::size_t good) {
    if (count_ > 1) Report(fmt::format("{} of {} rows are bad", count_, count_ + good), "");
  }

 private:
  void Report(std::string message, std::string hint) {
    out_.Add({Code::kBadRow, strict_ ? Severity::kError : Severity::kWarning, last_,
              std::move(message), std::move(hint)});
  }

  bool strict_;
  Diagnostics& out_;
  std::size_t count_ = 0;
  Span last_;
};

// --- JSON ---------------------------------------------------------------------------------

std::string PointerTo(const std::string& above, std::string_view key) {
  std::string out = above + "/";
  for (const char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

bool IsBindings(const YamlNode& map) {
  return !map.entries.empty() && std::ranges::all_of(map.entries, [](const YamlNode::Entry& entry) {
    const std::string key = entry.key.scalar.get<std::string>();
    return key.starts_with('?') || key.starts_with('$');
  });
}

// `hint`: it is the second argument of `$index`.
void RefuseName(std::uint32_t file, const std::string& name, bool hint, Diagnostics& out) {
  const std::string kebab = Kebab(name);
  out.Add(Code::kBadFactsFile, {file, 0, 0}, "`" + name + "` is no name of a relation",
          !hint                   ? "name the relation in the second argument of `$index`"
          : IsRelationName(kebab) ? "write `" + kebab + "`"
                                  : "names are in kebab-case, as in `order-line`");
}

// What the name of a source says that it is.
enum class SourceForm { kNone, kJson, kRows, kMarkdown, kRpl };
SourceForm FormOfName(const std::string& name) {
  if (HasExtension(name, ".json") || name.ends_with('/')) return SourceForm::kJson;
  if (HasExtension(name, ".md") || HasExtension(name, ".markdown")) return SourceForm::kMarkdown;
  if (IsPlainRpl(name)) return SourceForm::kRpl;
  return IsFactsFile(name) ? SourceForm::kRows : SourceForm::kNone;
}

class JsonReader {
 public:
  JsonReader(const Sources& sources, bool strict, Store& store, Diagnostics& out)
      : sources_(sources), store_(store), pool_(store.pool()), bad_(strict, out) {}

  // `own`: the relation of rows without a name; `hinted`: a hint named it.
  std::vector<Assertion> Read(const YamlNode& root, const std::string& own, bool hinted) {
    if (root.kind == YamlKind::kList) {
      Rows(own, root, "");
    } else if (IsBindings(root)) {
      std::vector<Value> cells;
      for (const YamlNode::Entry& entry : root.entries) cells.push_back(ValueOf(entry.value));
      if (!hinted) cells = {ValueOf(root)};
      Add(own, std::move(cells), root.span, "");
    } else {
      for (const YamlNode::Entry& entry : root.entries) {
        const std::string relation = entry.key.scalar.get<std::string>();
        const std::string pointer = PointerTo("", relation);
        if (!IsRelationName(relation))
          bad_.Add(entry.key.span, "`" + relation + "` is no name of a relation");
        else if (entry.value.kind == YamlKind::kList) Rows(relation, entry.value, pointer);
        else Add(relation, {ValueOf(entry.value)}, entry.value.span, pointer);
      }
    }
    bad_.End(rows_.size());
    return std::move(rows_);
  }

 private:
  void Rows(const std::string& relation, const YamlNode& list, const std::string& pointer) {
    if (list.items.empty()) return;
    const YamlNode& first = list.items.front();
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const YamlNode& row = list.items[i];
      std::vector<Value> cells;
      if (IsScalar(row) && IsScalar(first)) cells.push_back(ValueOf(row));
      else if (row.kind == first.kind && row.kind == YamlKind::kList) cells = Elements(row, first);
      else if (row.kind == first.kind) cells = Entries(row, first);
      else
        bad_.Add(row.span,
                 "expected " + Described(first) + ", as in the first row, got " + Described(row));
      if (!cells.empty())
        Add(relation, std::move(cells), row.span, PointerTo(pointer, std::to_string(i)));
    }
  }

  static bool IsScalar(const YamlNode& node) {
    return node.kind != YamlKind::kList && node.kind != YamlKind::kMap;
  }

  std::vector<Value> Elements(const YamlNode& row, const YamlNode& first) {
    std::vector<Value> cells;
    for (const YamlNode& item : row.items) cells.push_back(ValueOf(item));
    if (!Fits(row, cells.size(), first.items.size(), "elements")) cells.clear();
    return cells;
  }

  std::vector<Value> Entries(const YamlNode& row, const YamlNode& first) {
    std::vector<Value> cells;
    if (!Fits(row, row.entries.size(), first.entries.size(), "keys")) return cells;
    for (const YamlNode::Entry& column : first.entries) {
      const std::string key = column.key.scalar.get<std::string>();
      const YamlNode* value = row.Find(key);
      if (value == nullptr) {
        bad_.Add(row.span, "expected the key `" + key + "`");
        return {};
      }
      cells.push_back(ValueOf(*value));
    }
    return cells;
  }

  bool Fits(const YamlNode& row, std::size_t got, std::size_t wanted, std::string_view what) {
    if (wanted == 0 || wanted > kMaxArity)
      bad_.Add(row.span, fmt::format("expected 1 to {} {}, got {}", kMaxArity, what, got));
    else if (got != wanted)
      bad_.Add(row.span, fmt::format("expected {} {}, got {}", wanted, what, got));
    else return true;
    return false;
  }

  void Add(const std::string& relation, std::vector<Value> cells, Span span,
           const std::string& pointer) {
    Assertion row;
    row.relation =
        store_.Declare(Space::kRelation, relation, static_cast<std::uint32_t>(cells.size()));
    row.row = std::move(cells);
    const Value entry[] = {pool_.Keyword("pointer"), pool_.String(pointer)};
    row.meta = pool_.Map(entry);
    row.span = span;
    rows_.push_back(std::move(row));
  }

  Value ValueOf(const YamlNode& node) {
    std::vector<Value> parts;
    if (node.kind == YamlKind::kList) {
      for (const YamlNode& item : node.items) parts.push_back(ValueOf(item));
      return pool_.List(parts);
    }
    if (node.kind == YamlKind::kMap) {
      const bool bindings = IsBindings(node);
      for (const YamlNode::Entry& entry : node.entries) {
        const std::string key = entry.key.scalar.get<std::string>();
        parts.push_back(bindings && key.starts_with('?') ? pool_.Slot(key.substr(1))
                                                         : pool_.String(key));
        parts.push_back(ValueOf(entry.value));
      }
      return pool_.Map(parts);
    }
    if (node.kind == YamlKind::kNumber && !node.scalar.is_number_integer()) {
      const std::string_view digits = sources_.Text(node.span);
      if (digits.find_first_not_of("-0123456789") == digits.npos)
        return pool_.Number(std::string(digits));  // beyond 64 bits
    }
    return ValueOfJson(node.scalar, pool_, false);
  }

  const Sources& sources_;
  Store& store_;
  Pool& pool_;
  BadRows bad_;
  std::vector<Assertion> rows_;
};

void ReadJson(const Sources& sources, std::uint32_t file, const std::string& own, bool hinted,
              bool strict, Store& store, Novelty& to, Diagnostics& out) {
  std::optional<YamlNode> root = ReadJsonTree(sources, file, kJsonLimits);
  JsonText read;
  if (!root) {
    read = ParseExactJson(sources.at(file).text);
    // The tree of JSON has no integers beyond the range of floats.
    Diagnostics ignored;
    if (HasExactInteger(read.json)) root = ReadYaml(sources, file, ignored, kJsonLimits);
  }
  if (root && (root->kind == YamlKind::kList || IsBindings(*root)) && !IsRelationName(own))
    return RefuseName(file, own, hinted, out);
  if (root) {
    to.assertions = JsonReader(sources, strict, store, out).Read(*root, own, hinted);
    return;
  }
  const auto at = static_cast<std::uint32_t>(read.byte == 0 ? 0 : read.byte - 1);
  out.Add(Code::kBadFactsFile, {file, at, at},
          read.error.empty() ? "expected an array or an object" : read.error);
}

// --- Markdown and RPL ---------------------------------------------------------------------

// The cells of a line of a table, without the bars around them.
std::vector<std::string> CellsOf(std::string_view line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') cells.back() += line[++i];
    else if (line[i] == '|') cells.emplace_back();
    else cells.back() += line[i];
  }
  for (std::string& cell : cells) {
    const std::size_t begin = cell.find_first_not_of(" \t\r");
    cell = begin == cell.npos ? "" : cell.substr(begin, cell.find_last_not_of(" \t\r") - begin + 1);
  }
  const std::size_t text = line.find_first_not_of(" \t");
  if (text != line.npos && line[text] == '|') cells.erase(cells.begin());
  if (cells.size() > 1 && cells.back().empty()) cells.pop_back();
  return cells;
}

Value ValueOfCell(Pool& pool, const std::string& cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return ValueOfField(pool, cell);
  std::string text;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"') ++i;
  }
  return pool.String(text);
}

// The head of a heading with a signature, if it is a call of a relation.
const Call* HeadOf(const Scope& scope) {
  if (!scope.signature || scope.signature->rule.heads.size() != 1) return nullptr;
  const auto* call = scope.signature->rule.heads.front().As<Call>();
  const bool relation = call != nullptr && call->ns == Namespace::kRelation;
  return relation && !call->args.empty() && call->args.size() <= kMaxArity ? call : nullptr;
}

void ReadTable(std::string_view text, const Block& table, const Call& head, Store& store,
               BadRows& bad, Novelty& to) {
  const std::size_t arity = head.args.size();
  const RelationId relation =
      store.Declare(Space::kRelation, head.label, static_cast<std::uint32_t>(arity));
  std::size_t line = 0;
  for (std::size_t at = table.span.begin; at < table.span.end; ++line) {
    const std::size_t end = std::min<std::size_t>(text.find('\n', at), table.span.end);
    const Span span{table.span.file, static_cast<std::uint32_t>(at),
                    static_cast<std::uint32_t>(end)};
    const std::vector<std::string> cells = CellsOf(text.substr(at, end - at));
    at = end + 1;
    if (line < 2) continue;  // the header and the line below it
    if (cells.size() != arity) {
      bad.Add(span, fmt::format("expected {} cells, got {}", arity, cells.size()));
      continue;
    }
    std::vector<Value> values;
    for (const std::string& cell : cells) values.push_back(ValueOfCell(store.pool(), cell));
    if (const auto none = std::ranges::find_if(values, &Value::is_none); none != values.end()) {
      const auto& cell = cells[static_cast<std::size_t>(none - values.begin())];
      bad.Add(span, fmt::format("`{}` is too large for a number", cell.substr(0, 100)));
      continue;
    }
    to.facts.Add({relation, span.begin, span.end}, values);
  }
}

void ReadTables(const Sources& sources, const Document& document, bool strict, Store& store,
                Novelty& to, Diagnostics& out) {
  BadRows bad(strict, out);
  const std::size_t before = to.facts.size();
  auto prose = document.prose.begin();
  for (const Block& block : ReadBlocks(sources, document.file)) {
    if (block.kind != BlockKind::kTable) continue;
    while (prose != document.prose.end() && prose->span.begin < block.span.begin) ++prose;
    if (prose == document.prose.end()) break;
    const Call* head = HeadOf(document.scopes[static_cast<std::size_t>(prose->scope)]);
    if (head != nullptr) ReadTable(sources.at(document.file).text, block, *head, store, bad, to);
  }
  bad.End(to.facts.size() - before);
}

// The facts and traces of a document. Its rules are loaded into a program of their own, which is
// dropped.
void ReadFactsOf(const Sources& sources, std::uint32_t file, bool strict, Store& store, Novelty& to,
                 Diagnostics& out) {
  Diagnostics found;
  const Document document = ReadDocument(sources, file, found, FactForm::kPlain);
  Program apart(store, sources);
  to = apart.Load(document, found, false);
  to.readings.clear();
  for (Diagnostic d : found.all()) {
    if (!strict && d.severity == Severity::kError) d.severity = Severity::kWarning;
    out.Add(std::move(d));
  }
  if (FormOfName(sources.at(file).name) == SourceForm::kMarkdown)
    ReadTables(sources, document, strict, store, to, out);
}

// What `read` gives, without what is only part of it after an error. A source that is read without
// a finding has all rows of the relation that it names.
Novelty Whole(std::uint32_t file, std::string_view hint, Diagnostics& out,
              const std::function<void(Novelty&, Diagnostics&)>& read) {
  Novelty to;
  to.file = file;
  Diagnostics found;
  read(to, found);
  if (!found.all().empty()) to.given.reset();
  else if (!hint.empty() && !to.given) to.given.emplace(hint, std::nullopt);
  if (found.has_errors()) {
    to = {};
    to.file = file;
  }
  for (const Diagnostic& d : found.all()) out.Add(d);
  return to;
}

}  // namespace

bool IsReadable(const std::string& name) { return FormOfName(name) != SourceForm::kNone; }

Novelty ReadSource(const Sources& sources, std::uint32_t file, std::string_view hint, bool strict,
                   Store& store, Diagnostics& out) {
  const std::string& name = sources.at(file).name;
  const std::string own = hint.empty() ? StemOf(name) : std::string(hint);
  return Whole(file, hint, out, [&](Novelty& to, Diagnostics& found) {
    if (!IsText(sources.at(file).text, file, found)) return;
    const bool named = IsRelationName(own);
    if (!hint.empty() && !named) return RefuseName(file, own, true, found);
    switch (FormOfName(name)) {
      case SourceForm::kJson:
        return ReadJson(sources, file, own, !hint.empty(), strict, store, to, found);
      case SourceForm::kMarkdown:
      case SourceForm::kRpl: return ReadFactsOf(sources, file, strict, store, to, found);
      case SourceForm::kRows:
        if (!named) return RefuseName(file, own, false, found);
        to = ReadFacts(sources, file, {own, name}, strict, store, found);
        return;
      case SourceForm::kNone:
        found.Add(Code::kBadFactsFile, {file, 0, 0}, "`" + name + "` is of no kind that is read",
                  "expected .csv, .tsv, .ndjson, .jsonl, .json, .md or .rpl; a model reads other "
                  "texts, if `answers` of `rpl.yaml` has `index`");
    }
  });
}

Novelty ReadFactsText(const Sources& sources, std::uint32_t file, std::string_view hint,
                      bool strict, Store& store, Diagnostics& out) {
  return Whole(file, hint, out, [&](Novelty& to, Diagnostics& found) {
    ReadFactsOf(sources, file, strict, store, to, found);
  });
}

}  // namespace rpl
