// SPDX-License-Identifier: Apache-2.0
//
// The text that `$write` makes of a value, from which `$index` makes the same facts again
// (runtime/facts/source_facts.h, docs/tools.md).
//
// A string is its text. Of any other value the text is JSON, unless a format is named:
//
//   json    one line; of a list, a set or a map with a list, a set or a map in it, a line for each
//           element or entry
//   csv     a header and a line for each row; the type of a column of keywords or symbols is in the
//           header, and a string that would be read as another value is quoted
//   ndjson  a line for each row
//   md      a heading with a signature, and a table with a line for each row
//   rpl     a fact for each row
//
// The rows of a list or a set are its elements: lists of one length, maps with the same keys, or
// single values. A binding map, whose keys all begin with `?` or `$`, is one row.
//
// JSON has no keywords, symbols and sets (interp/store/json_value.h), and a table holds numbers,
// strings, booleans and nil only; `rpl` keeps all values.
#ifndef RPL_RUNTIME_FACTS_WRITTEN_TEXT_H_
#define RPL_RUNTIME_FACTS_WRITTEN_TEXT_H_

#include <string>
#include <string_view>

#include "interp/store/value.h"

namespace rpl {

struct WrittenText {
  std::string text;
  std::string error;  // the reason why there is none; else ""
};

/// `format`: "" or one of the list above. `relation`: the name for the rows of `md` and `rpl`.
WrittenText TextToWrite(Pool& pool, Value content, std::string_view format,
                        std::string_view relation);

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_WRITTEN_TEXT_H_
