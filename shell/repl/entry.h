// SPDX-License-Identifier: Apache-2.0
//
// An entry: one or several lines typed or pasted at the prompt of the shell, and their meaning.
//
//   .facts edge            a command
//   edge(1, 2)             sentences: novelty of an ordinary turn (§18.3)
//   %far(?x) <- edge(1, ?x), ?x > 1
//                          a goal form as last sentence: a query (§15.9)
//   edge(1, ?x), ?x > 1    a last sentence that asserts nothing: a query for its variables.
//                          A call of a goal, or a test, is one without variables
//   # Trip - %trip(?to) …  begins with a heading or a fence: Markdown, as in a message
//
// An entry is plain RPL unless it is Markdown, so every mistake in it is an error and never prose.
// It continues over lines while a bracket or a string is open or a connective ends the line. An
// empty line ends any entry, with two exceptions: in a fence it is text, and directly below a first
// heading it is part of the entry. A fence ends an entry that began with it.
#ifndef RPL_SHELL_REPL_ENTRY_H_
#define RPL_SHELL_REPL_ENTRY_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

/// True if Enter at the end of `text` ends the entry instead of starting another line. A Markdown
/// block that was `pasted` needs no empty line.
bool IsComplete(std::string_view text, bool pasted);

/// An entry and its reading.
struct Entry {
  /// The kind of entry; it determines the further processing.
  enum class Kind {
    kNothing,  // blanks and comments
    kCommand,  // `.name …`: `text` begins with the dot
    kNovelty,
    kQuery,
    kRejected,  // `findings` has errors
  };
  Kind kind = Kind::kNothing;
  std::string name;                  // "<entry 3>"; "<entry 3>.md" for Markdown
  std::string text;                  // for Session::Say; of a query with a head added
  std::string novelty;               // the part that remains: before a query; "" for none
  std::vector<std::string> calls;    // of a query: the relations that it calls, "edge/2"
  std::vector<Diagnostic> findings;  // syntax findings, about `sources`

  /// The text as entered, as file 0.
  Sources sources;
  /// Translates a finding of Session::Say about `text` into one about the text as entered, without
  /// the head that was added. REQUIRES: it is in the file `name`.
  Diagnostic AsEntered(Diagnostic finding) const;

  std::size_t head_at = 0;     // offset of the added head in `text`
  std::size_t head_bytes = 0;  // its size; 0 without one
};

/// The meaning of ground calls at the end of an entry.
enum class Ground { kAsserts, kAsks };

/// Reads entry `number` of a session; ground calls assert.
Entry ReadEntry(std::string text, int number);
/// Reads a text as an entry with that name, "<entry 3>" or "<query>".
Entry ReadEntry(std::string text, std::string name, Ground ground);

/// The part of a message that remains: the text before its query; "" if it defines nothing.
std::string NoveltyOf(const std::string& name, const std::string& text);

/// The relations that the query of a message calls, "edge/2"; none without a query.
std::vector<std::string> CallsOf(const std::string& name, const std::string& text);

/// Prints findings of Session::Say about the entry, as Render formats them, except those that the
/// entry has already.
void PrintFindings(const Entry& entry, const std::vector<Diagnostic>& findings,
                   const Sources& sources, std::ostream& to);

/// The number of headings that are open at the end of a Markdown text, and of `--` that close them.
int OpenHeadings(const std::string& text);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_ENTRY_H_
