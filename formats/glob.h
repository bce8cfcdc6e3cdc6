// SPDX-License-Identifier: Apache-2.0
//
// Matching of the names and tags of tools in policies: case-insensitive, and on the whole text.
//
// In a glob only `*` is special: it stands for any run of characters, including none. Case is
// folded by character, as Unicode maps single letters: `É` is `é`, but `ß` is not `ss`, and no
// character outside ASCII is one inside. Bytes that are not UTF-8 are compared as they are.
#ifndef RPL_FORMATS_GLOB_H_
#define RPL_FORMATS_GLOB_H_

#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// The text with capitals replaced by small letters, and variants of a letter by one of them.
std::string FoldCase(std::string_view text);

/// True if the glob matches the whole text, ignoring case. O(glob · text) at worst, without
/// recursion; an empty glob matches only the empty text.
bool GlobMatches(std::string_view glob, std::string_view text);

/// True if one of the globs matches; false for no globs.
bool AnyGlobMatches(const std::vector<std::string>& globs, std::string_view text);

/// True if `tag` is one of the tags, ignoring case. A `*` in either is an ordinary character.
bool HasTag(const std::vector<std::string>& tags, std::string_view tag);

}  // namespace rpl

#endif  // RPL_FORMATS_GLOB_H_
