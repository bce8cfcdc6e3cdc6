// SPDX-License-Identifier: Apache-2.0
//
// Facts from files of other programs: CSV, TSV and NDJSON.
//
// A file gives the rows of one relation. CSV and TSV begin with a header that names the
// columns; `name:type` says what the fields of a column are, one of text, number, boolean,
// keyword, symbol. Without a type each field says it itself: a quoted one is a string, an
// empty one nil, `true` and `false` are booleans, a number without leading zeros that 64 bits
// hold is a number, anything else a string. NDJSON has one array for each row, or one object, whose
// columns are the keys of the first; JSON stands for values as in interp/store/json_value.h.
//
// A program names such a file `RELATION=FILE`, as a person does for `--facts`.
#ifndef RPL_RUNTIME_FACTS_FILE_H_
#define RPL_RUNTIME_FACTS_FILE_H_

#include <optional>
#include <string>
#include <string_view>

#include "formats/diagnostic.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {

struct FactsName {
  std::string relation;
  std::string path;
};

/// nullopt when `name` names a document: it has no `=` after a relation's name, or no file of
/// the three kinds behind it.
std::optional<FactsName> FactsNameOf(std::string_view name);

/// Whether the file's name ends as one of the three kinds does.
bool IsFactsFile(std::string_view path);

/// How many bad rows are reported one by one.
inline constexpr std::size_t kBadRowsShown = 10;

/// The rows of `file`. A row that is not like the others is left out and reported by its
/// line: a warning, or with `strict` an error; then nothing of the file stands. Several are
/// counted at the last of them. Without a header, or not in UTF-8: one error and no rows.
Novelty ReadFacts(const Sources& sources, std::uint32_t file, const FactsName& name, bool strict,
                  Store& store, Diagnostics& out);

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_FILE_H_
