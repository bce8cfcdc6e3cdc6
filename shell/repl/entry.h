// SPDX-License-Identifier: Apache-2.0
//
// An entry: what a person types or pastes at the prompt of the shell, over one line or
// several, and what it asks for.
//
//   .facts edge            a command
//   edge(1, 2)             sentences: novelty of an ordinary turn (§18.3)
//   %far(?x) <- edge(1, ?x), ?x > 1
//                          the last sentence, when it is a goal form: a query (§15.9)
//   edge(1, ?x), ?x > 1    the last sentence, when it asserts nothing: a query for its
//                          variables. A call of a goal, or a test, is one without variables
//   # Trip - %trip(?to) …  begins with a heading or a fence: Markdown, as in a message
//
// An entry is plain RPL unless it is Markdown, so that whatever is wrong with it is an error
// and never prose. It goes on over lines while a bracket or a string is open or a connective
// waits. An empty line ends any entry, but for two: in a fence it is text, and the one right
// below a first heading is part of the entry. A fence ends an entry that began with it.
#ifndef RPL_SHELL_REPL_ENTRY_H_
#define RPL_SHELL_REPL_ENTRY_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

/// Whether Enter at the end of `text` ends the entry, and is not the start of another line.
/// A Markdown block that was `pasted` needs no empty line.
bool IsComplete(std::string_view text, bool pasted);

struct Entry {
  enum class Kind {
    kNothing,  // blanks and comments
    kCommand,  // `.name …`: `text` begins with the dot
    kNovelty,
    kQuery,
    kRejected,  // `findings` has errors
  };
  Kind kind = Kind::kNothing;
  std::string name;                  // "<entry 3>"; "<entry 3>.md" for Markdown
  std::string text;                  // for Session::Say
  std::string novelty;               // what of it stays: what stands before a query; "" for nothing
  std::vector<std::string> calls;    // of a query: the relations it names, "edge/2"
  std::vector<Diagnostic> findings;  // of syntax; they are of `sources`

  /// What was entered, as file 0.
  Sources sources;
  /// A finding of Session::Say about `text`, as one about what was entered: the head that was
  /// put before a query is not counted. REQUIRES: it stands in the file `name`.
  Diagnostic AsEntered(Diagnostic finding) const;

  std::size_t head_at = 0;     // where a head was put into `text`
  std::size_t head_bytes = 0;  // and how long it is
};

/// What ground calls without more do, at the end of an entry.
enum class Ground { kAsserts, kAsks };

/// The entry `number` of a session.
Entry ReadEntry(std::string text, int number);
/// A text that is an entry by the name of `name`, "<entry 3>" or "<query>".
Entry ReadEntry(std::string text, std::string name, Ground ground);

/// What of a message's text stays: what stands before its query, "" when that says nothing.
std::string NoveltyOf(const std::string& name, const std::string& text);

/// Findings of Session::Say about the entry, each as Render gives it; not those again that the
/// entry has itself.
void PrintFindings(const Entry& entry, const std::vector<Diagnostic>& findings,
                   const Sources& sources, std::ostream& to);

/// The headings of a Markdown text that are open at its end: how many `--` return from them.
int OpenHeadings(const std::string& text);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_ENTRY_H_
