// SPDX-License-Identifier: Apache-2.0
//
// Facts from files of other programs: CSV, TSV and NDJSON.
//
// A file has the rows of one relation. CSV and TSV begin with a header that names the columns;
// `name:type` gives the type of a column's fields: text, number, boolean, keyword or symbol.
// Without a type, each field determines its own: a quoted field is a string, an empty one nil,
// `true` and `false` are booleans, a number without leading zeros is a number,
// anything else a string. A row with a carriage return that neither precedes a line feed nor stands
// in quotes is malformed, in the header the file. NDJSON has an array per row, or an object per row
// with the keys of the first as columns; JSON becomes values as in interp/store/json_value.h.
//
// A program names such a file `RELATION=FILE`, as a person does for `--facts`.
#ifndef RPL_RUNTIME_FACTS_FACTS_FILE_H_
#define RPL_RUNTIME_FACTS_FACTS_FILE_H_

#include <optional>
#include <string>
#include <string_view>

#include "formats/diagnostic.h"
#include "interp/store/value.h"

namespace rpl {

class Pool;
class Store;
struct Novelty;

/// Whether the text is a NAME of the Appendix, as relations, keywords and symbols have.
bool IsName(std::string_view text);

/// Whether the text may name a relation: a name other than `not`, `true`, `false` and `nil`, which
/// a program reads as something else.
bool IsRelationName(std::string_view text);

struct FactsName {
  std::string relation;
  std::string path;      // "-": CSV from standard input
  char separator = ',';  // of fields in CSV
};

/// The name of a file of facts: `relation=path`, with a separator other than the comma before the
/// `=`. So a session knows how its rows are read.
std::string Text(const FactsName& name);

/// nullopt if `name` names a document: it has no `=` after a relation's name, or what is after it
/// is neither `-` nor a file of one of the three kinds, which may be compressed (`.csv.gz`).
std::optional<FactsName> FactsNameOf(std::string_view name);

/// Whether the fields of CSV may have this character between them: a comma, semicolon, bar, tab,
/// blank, `^` or `~`.
bool IsSeparator(char c);

/// The value of an unquoted field of CSV without a type; kNone if it is too large for a number.
Value ValueOfField(Pool& pool, std::string_view text);

/// Whether that value is the text itself. Quotes make a string of any text.
bool IsTextField(Pool& pool, std::string_view text);

/// Bad rows reported one by one, at most; further ones are counted.
inline constexpr std::size_t kBadRowsShown = 10;

/// The rows of `file`. A malformed row is omitted and reported at its line: as a warning, or with
/// `strict` as an error, and then no row of the file counts. Beyond kBadRowsShown, the rest is
/// counted at the last one. Without a header, or not in UTF-8: one error and no rows.
Novelty ReadFacts(const Sources& sources, std::uint32_t file, const FactsName& name, bool strict,
                  Store& store, Diagnostics& out);
/// The same for a text that nobody reads again. While a long text is read, the memory of lines that
/// were read is given back, except the header, the first row and bad rows, which findings show.
Novelty ReadFactsOnce(Sources& sources, std::uint32_t file, const FactsName& name, bool strict,
                      Store& store, Diagnostics& out);

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_FACTS_FILE_H_
