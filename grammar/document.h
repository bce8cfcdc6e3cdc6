// SPDX-License-Identifier: Apache-2.0
//
// The reading of a Markdown document, a user message or a plain RPL file (§17).
//
// A Document is a tree of scopes, flattened in document order: scope 0 is the document, each
// heading (with or without signature) opens a scope under the nearest open scope of a lower level,
// and `--` closes one. Each sentence and each piece of prose names the scope that contains it.
// Nothing is conjoined yet (§17.3, §17.4): interp/program/program.h does that.
//
// A file whose name ends in .rpl is plain RPL: one scope, no Markdown. So are the inputs of the
// shell, `<entry 3>`, and of `rpl query`, `<query>`.
#ifndef RPL_GRAMMAR_DOCUMENT_H_
#define RPL_GRAMMAR_DOCUMENT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/emphasis.h"
#include "grammar/facts.h"

namespace rpl {

/// One paragraph, list, quote or table of prose.
struct Prose {
  int scope;  // index into Document::scopes
  Span span;
  std::vector<ProseSpan> spans;  // emphasised spans, in order; none inside code spans
};

/// A sentence of a fence or a bare line (decision 73).
struct PlacedSentence {
  int scope;
  Sentence sentence;
  bool fenced = false;
};

/// A heading, or (index 0) the document itself.
struct Scope {
  int parent = -1;    // index into Document::scopes; -1 for the document
  int level = 0;      // 1-6; 0 for the document
  std::string title;  // without the signature and its ` - `
  std::optional<Sentence> signature;
  Span span;  // of the heading line
};

/// The contents of one file. Owns its trees; spans refer to the Sources it was read from.
struct Document {
  std::uint32_t file = 0;
  std::vector<Scope> scopes;              // in document order; a parent comes before its children
  std::vector<PlacedSentence> sentences;  // in document order
  PlainFacts facts;                       // those that are not among the sentences
  std::vector<Prose> prose;               // in document order
  std::string prefix;                     // of its labels (PrefixLabels): "file#", or ""
};

/// True if a file of that name is plain RPL.
bool IsPlainRpl(std::string_view name);

/// True if a sentence or signature of the document has a mark that other texts have not
/// (grammar/line_start.h): then the document is certainly one of RPL (decision 102).
bool HasMarkedSentence(const Sources& sources, const Document& document);

/// The representation of the plain facts in fences and in plain RPL (grammar/facts.h).
enum class FactForm {
  kSentences,  // trees, as of any sentence: to print, check, rename
  kPlain,      // Document::facts: to load
};

/// Reads a file, or the part of it before `limit`, the start of a line. Each faulty sentence is
/// left out and adds a finding to `out`; the rest is kept. A file that is not text (formats/utf8.h)
/// gives one error and a document without contents. O(size of the file).
Document ReadDocument(const Sources& sources, std::uint32_t file, Diagnostics& out,
                      FactForm form = FactForm::kSentences,
                      std::size_t limit = std::string_view::npos);

/// A user message (§15.9). A last non-blank line that starts with `%` is its query line and not
/// part of the document. In an entry of the shell the query is the last sentence, even over several
/// lines, if it is a goal form.
struct Message {
  Document document;
  std::optional<Span> query_line;  // set if the message triggers shell mode
  std::optional<Sentence> query;   // set if the query line is also a goal form
};
/// Reads a message, with the same errors as ReadDocument. A query line that is no goal form is an
/// error.
Message ReadMessage(const Sources& sources, std::uint32_t file, Diagnostics& out,
                    FactForm form = FactForm::kSentences);

/// The names of the lvars and avars in the signature of a scope, and of those above it: what a span
/// of its prose of such a name is (decision 96).
std::vector<std::string> VariablesAbove(const Document& document, int scope);

/// The maximal number of clauses that a document may create by joining headless expressions to
/// headings: n expressions over m headings are n · m clauses.
inline constexpr std::size_t kMaxJoins = 4000;

/// The headings whose rules the headless expressions of a document join (decision 72), and how many
/// clauses that makes. To be asked for the sentences in document order.
class HeadingJoins {
 public:
  explicit HeadingJoins(const Document& document);
  /// By the parent of each scope, and whether it has a signature.
  HeadingJoins(const std::vector<int>& parents, const std::vector<bool>& have_signature);

  /// The scopes with a signature that an expression of this scope joins: its own, or else the
  /// nearest below it, in document order; none for the document itself. Null if that exceeds
  /// kMaxJoins. To join a single heading adds nothing, and is always allowed.
  const std::vector<int>* Of(int scope);
  /// True after the first refusal and before the second: one finding is enough.
  bool IsFirstRefused() const { return refused_ == 1; }

 private:
  std::vector<std::vector<int>> joined_;  // by scope
  std::size_t left_ = kMaxJoins;
  std::size_t refused_ = 0;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_DOCUMENT_H_
