// SPDX-License-Identifier: Apache-2.0
//
// The kinds of file names: each says something about the contents of its file.
#ifndef RPL_FORMATS_FILE_NAME_H_
#define RPL_FORMATS_FILE_NAME_H_

#include <string>
#include <string_view>

namespace rpl {

/// Whether the name ends with the extension, such as ".md", in letters of either case.
bool HasExtension(std::string_view path, std::string_view extension);

/// Whether the file has the rows of one relation: CSV, TSV or NDJSON.
bool IsFactsFile(std::string_view path);

/// The path without the `.gz` of a file that gzip has compressed.
std::string_view WithoutGz(std::string_view path);

/// The name of the file without folders and extension.
std::string StemOf(std::string_view path);

}  // namespace rpl

#endif  // RPL_FORMATS_FILE_NAME_H_
