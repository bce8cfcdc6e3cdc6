// SPDX-License-Identifier: Apache-2.0
//
// What a Markdown document, a user message or a plain RPL file says (§17).
//
// A Document is a tree of scopes, flattened in document order: scope 0 is the document,
// each heading (with or without signature) opens one under the nearest open scope of a
// lower level, and `--` closes one. Sentences and prose know the scope they stand in.
// Nothing is conjoined yet (§17.3, §17.4): that is the loader's work (interp/program/program.h).
//
// A file whose name ends in .rpl is plain RPL: one scope, no Markdown. So is what was typed
// into the shell, `<entry 3>`, or after `rpl query`, `<query>`.
#ifndef RPL_GRAMMAR_DOCUMENT_H_
#define RPL_GRAMMAR_DOCUMENT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/emphasis.h"
#include "grammar/facts.h"

namespace rpl {

/// One paragraph, list, quote or table of prose.
struct Prose {
  int scope;
  Span span;
  std::vector<ProseSpan> spans;  // emphasised spans, in order; none inside code spans
};

/// A sentence of a fence or a bare line (decision 73).
struct PlacedSentence {
  int scope;
  Sentence sentence;
  bool fenced = false;
};

/// A heading, or (number 0) the document itself.
struct Scope {
  int parent = -1;    // index into Document::scopes; -1 for the document
  int level = 0;      // 1-6; 0 for the document
  std::string title;  // without the signature and its ` - `
  std::optional<Sentence> signature;
  Span span;  // of the heading line
};

struct Document {
  std::uint32_t file = 0;
  std::vector<Scope> scopes;              // in document order; a parent comes before its children
  std::vector<PlacedSentence> sentences;  // in document order
  PlainFacts facts;                       // those that are no sentences, in document order
  std::vector<Prose> prose;               // in document order
};

/// Whether a file of that name is plain RPL.
bool IsPlainRpl(std::string_view name);

/// What becomes of the plain facts of fences and of plain RPL (grammar/facts.h).
enum class FactForm {
  kSentences,  // trees, as of any sentence: to print, check, rename
  kPlain,      // Document::facts: to load
};

/// Reads a whole file. Whatever is wrong is added to `out` and left out; the rest stands.
/// Not UTF-8: one error, nothing else is read.
Document ReadDocument(const Sources& sources, std::uint32_t file, Diagnostics& out,
                      FactForm form = FactForm::kSentences);

/// A user message (§15.9): its query line, when the last non-blank line starts with `%`,
/// is not part of the document. `query` is empty when there is none. The query of an
/// entry is its last sentence, over lines too, when that is a goal form.
struct Message {
  Document document;
  std::optional<Span> query_line;  // set when the message triggers shell mode
  std::optional<Sentence> query;   // set when the query line is also a goal form
};
Message ReadMessage(const Sources& sources, std::uint32_t file, Diagnostics& out,
                    FactForm form = FactForm::kSentences);

/// For each scope without a signature the nearest ones below it that have one, in document
/// order: those that its headless sentences belong to (decision 72). None for the document.
std::vector<std::vector<int>> SectionsBelow(const Document& document);

/// n expressions over m headings are n times m clauses: how many a document may have.
inline constexpr std::size_t kMaxJoins = 4000;

/// Counts them, sentence by sentence in document order.
class Joins {
 public:
  /// Whether an expression may join `headings` more. One that joins a single heading is no
  /// more than it says, and always may.
  bool Take(std::size_t headings) {
    if (headings <= 1) return true;
    if (headings <= left_) {
      left_ -= headings;
      return true;
    }
    left_ = 0;
    ++refused_;
    return false;
  }
  /// Whether the last one was the first that may not: one finding is enough.
  bool IsFirstRefused() const { return refused_ == 1; }

 private:
  std::size_t left_ = kMaxJoins;
  std::size_t refused_ = 0;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_DOCUMENT_H_
