// SPDX-License-Identifier: Apache-2.0
//
// The documents among the sources of a program, as pages and stories read them again.
#ifndef RPL_SHELL_PAGES_SHOWN_DOCUMENT_H_
#define RPL_SHELL_PAGES_SHOWN_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/document.h"

namespace rpl {

/// The number of lines shown of a file; the page states how many more it has.
inline constexpr std::size_t kPageSourceLines = 20'000;

/// True if a source is read as a document, Markdown or plain RPL, and not as rows of a relation.
bool IsDocumentName(const std::string& name);
/// True for such a one in Markdown that is neither a message nor the library: it has prose to show.
bool IsMarkdownName(const std::string& name);

/// The document in a source, as far as a page shows it; findings are of no interest here.
Document ShownDocument(const Sources& sources, std::uint32_t file);

/// The spans of RPL in a document, by begin and disjoint: signatures and sentences.
std::vector<Span> RplSpansOf(const Document& document);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_SHOWN_DOCUMENT_H_
