// SPDX-License-Identifier: Apache-2.0
//
// The facts of a source that `$index` reads (docs/tools.md). The extension of its name says what it
// is:
//
//   .csv .tsv .ndjson .jsonl  rows, as of `--facts` (runtime/facts/facts_file.h)
//   .json                     an array: rows; an object: each key is a relation, with the rows of
//                             its array, or one row with any other value
//   .md .markdown             each table under a heading with a signature: rows; facts and traces
//   .rpl                      facts and traces
//   folder/                   an array of JSON: rows of the relation that the hint names
//
// Rows without a name of their own are of the relation that the hint names, else of the stem of the
// file's name. The elements of an array of JSON are rows: arrays by position, objects by the order
// of the keys of the first, other values alone; each row has its JSON pointer in the metadata
// `:pointer`. An object whose keys all begin with `?` or `$`, as `$write` writes a binding map, is
// one row: its values, of the relation that the hint names, else the map itself. Cells of a
// Markdown table have the values of fields of CSV. A source has no rules: those of a document, its
// questions, constraints and goals are left out.
#ifndef RPL_RUNTIME_FACTS_SOURCE_FACTS_H_
#define RPL_RUNTIME_FACTS_SOURCE_FACTS_H_

#include <string>
#include <string_view>

#include "formats/diagnostic.h"

namespace rpl {

class Store;
struct Novelty;

/// The facts of `file`. A malformed row or sentence is omitted and reported: as a warning, or with
/// `strict` as an error. If there is an error, the whole source is refused and has no facts.
Novelty ReadSource(const Sources& sources, std::uint32_t file, std::string_view hint, bool strict,
                   Store& store, Diagnostics& out);
/// The same of a text that is RPL, whatever its name: what a model read in a source.
Novelty ReadFactsText(const Sources& sources, std::uint32_t file, std::string_view hint,
                      bool strict, Store& store, Diagnostics& out);
/// Whether a source of that name is read; others may be read by a model.
bool IsReadable(const std::string& name);

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_SOURCE_FACTS_H_
