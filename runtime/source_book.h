// SPDX-License-Identifier: Apache-2.0
//
// The book of sources: what calls of `$index` read in this session, by identity of the call.
//
// The text of a source comes with the reply of its call in phase 8 and is read there, because a
// source that is refused is a call that failed. Its facts are asserted with the reply, in phases 1
// and 2 of the next timestep.
//
// A source that changed is read again in phase 1 of a timestep that is not replayed, after the
// replies were taken: a timestep sees the rows that one snapshot of a database has. What it stated
// is exchanged for what it states now; a row stays that somebody else states as well. A source that
// cannot be read any more, or is refused, keeps its facts.
#ifndef RPL_RUNTIME_SOURCE_BOOK_H_
#define RPL_RUNTIME_SOURCE_BOOK_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/eval/evaluation.h"
#include "interp/program/program.h"
#include "interp/sql/sql_source.h"

namespace rpl {

/// Relations that a database evaluates in place of the sources below them (interp/sql/sql_push.h).
/// Each is read by a call of its own, `$index("paid", :query)`, or `$index("paid", :query, 2)`
/// where several have its label, which stands in place of sentences of the program until something
/// reads or states what is not here then.
struct PushBook {
  bool decided = false;  // once in an epoch
  bool active = false;
  std::map<CallId, SqlPushed> calls;
  std::vector<OpenCall> sentences;         // as the program states them
  std::set<RelationId> heads, replaced;    // as SqlPush has them
  std::set<RelationId> partial;            // of the heads: on whose absence nothing may rest
  std::size_t rules = 0, constraints = 0;  // of the program that was decided about
  std::string changed;                     // why a database cannot go on, or ""
  RelationId stated = kNoId;               // one of those of which somebody else states a fact
};

struct SourceBook {
  std::vector<OpenCall> sentences;   // `$index(…)` as a sentence, in order, each once
  std::map<CallId, Novelty> coming;  // read, with a reply that phase 1 has not taken
  std::map<CallId, Novelty> stated;  // asserted
  std::set<std::string> refused;     // hashes of sources that were read again and refused
  Diagnostics findings;              // of their rows, not reported yet
  PushBook push;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_SOURCE_BOOK_H_
