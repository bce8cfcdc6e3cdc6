// SPDX-License-Identifier: Apache-2.0
//
// Names and tags of tools as policies compare them: whole, and without case.
//
// In a glob only `*` is special: any run of characters, also none. Case is that of ASCII
// letters; other characters are compared as they are.
#ifndef RPL_FORMATS_GLOB_H_
#define RPL_FORMATS_GLOB_H_

#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// The text with small letters for capitals.
std::string FoldCase(std::string_view text);

/// Whether the glob stands for the whole text, case apart. Linear in the text for each `*`.
bool GlobMatches(std::string_view glob, std::string_view text);

/// Whether one of the globs does.
bool AnyGlobMatches(const std::vector<std::string>& globs, std::string_view text);

/// Whether the tags have this one, case apart.
bool HasTag(const std::vector<std::string>& tags, std::string_view tag);

}  // namespace rpl

#endif  // RPL_FORMATS_GLOB_H_
