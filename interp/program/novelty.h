// SPDX-License-Identifier: Apache-2.0
//
// The assertions of a document, which join the facts with a timestep: plain data. Their rows are
// walked by interp/program/novelty_walk.h.
#ifndef RPL_INTERP_PROGRAM_NOVELTY_H_
#define RPL_INTERP_PROGRAM_NOVELTY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/program/assertion.h"
#include "interp/program/fact_rows.h"
#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

class Store;

/// What a document states before a sentence: plain facts and other assertions.
struct StatedBefore {
  std::size_t facts = 0;
  std::size_t assertions = 0;
};

/// An entry of a trace for a collected heading with answers to only some of its arguments:
/// `stay(1, ?to, ?x) ^^ {?to 2} -> true`.
struct HalfAnswer {
  RelationId relation;
  std::vector<Value> key;  // the arguments of the call; kNone where free
  std::vector<Value> row;  // the same with the known answers
  std::string text;        // the sentence
  Span span;
  StatedBefore before;
};

/// An entry of a trace for a question that was declined, or answered with rows:
/// `place(?where) ^ ~ {:status :declined} -> true`, `cohort(?id) ^ ~ {:rows ["a", "b"]} -> true`.
/// With `-> false` it takes that back.
struct QuestionEntry {
  RelationId relation;
  std::vector<Value> key;  // the arguments of the call; kNone where free
  bool truth = true;
  bool declined = false;
  Value rows;        // else: a list, of values for one free argument, of lists for several
  std::string text;  // the sentence
  Span span;
  StatedBefore before;
};

/// The rows of a list that answers a question about a heading called with `key`. One that does not
/// fit, of a trace that somebody altered, is left out.
std::vector<std::vector<Value>> RowsOfAnswer(const Pool& pool, std::span<const Value> key,
                                             Value rows);

/// A call of `$index` as a sentence: its source is a part of the program.
struct SourceSentence {
  RelationId relation;
  std::vector<Value> row;
  Span span;
};

/// The role of a sentence in the program (decisions 34, 43, 71, 72).
enum class SentenceRole : std::uint8_t {
  kSignature,   // of a heading
  kOwn,         // a rule that continues its heading's rule
  kConjoined,   // an expression that joins the tails of headings
  kAssertion,   // facts, traces, retractions, sources
  kRule,        // stands alone
  kConstraint,  // with `->`
  kFailure,     // a statement of %fail
  kObligation,  // a bare expression that joins nothing
  kRefused,     // would join too many headings; reported
};

struct SentenceReading {
  SentenceRole role = SentenceRole::kObligation;
  std::vector<int> joins;  // kConjoined: the scopes with the signatures that it joins
};

/// The assertions of a document: plain facts, and the others among them.
struct Novelty {
  using Fact = FactRows::Fact;
  std::uint32_t file = 0;
  /// The relation that a file of rows is named to give, with its number of arguments if the file
  /// tells it: known also where there is no row (decision 101).
  std::optional<std::pair<std::string, std::optional<std::uint32_t>>> given = {};
  FactRows facts;
  std::vector<Assertion> assertions;
  std::vector<HalfAnswer> half_answers;
  std::vector<QuestionEntry> question_entries;
  std::vector<SourceSentence> sources;
  std::vector<SentenceReading> readings;  // of Document::sentences, in their order

  /// Calls `fact(relation, row, span)` and `assertion(a)` for each, in the order of the text.
  template <typename OnFact, typename OnAssertion>
  void ForEach(const Store& store, OnFact&& fact, OnAssertion&& assertion) const {
    ForEach(
        store, fact, assertion, [](const HalfAnswer&) {}, [](const QuestionEntry&) {});
  }
  /// Calls also `half(h)` and `question(q)`, for the answers to questions among them.
  template <typename OnFact, typename OnAssertion, typename OnHalf, typename OnQuestion>
  void ForEach(const Store& store, OnFact&& fact, OnAssertion&& assertion, OnHalf&& half,
               OnQuestion&& question) const {
    Walk(store, fact, assertion, half, question, [&](auto&& fn) { facts.ForEachBlock(fn); });
  }
  /// The same, and frees the facts behind it: none is left.
  template <typename OnFact, typename OnAssertion, typename OnHalf, typename OnQuestion>
  void Take(const Store& store, OnFact&& fact, OnAssertion&& assertion, OnHalf&& half,
            OnQuestion&& question) {
    Walk(store, fact, assertion, half, question, [&](auto&& fn) { facts.TakeBlocks(fn); });
  }

 private:
  template <typename OnFact, typename OnAssertion, typename OnHalf, typename OnQuestion,
            typename EachBlock>
  void Walk(const Store& store, OnFact&& fact, OnAssertion&& assertion, OnHalf&& half,
            OnQuestion&& question, EachBlock&& each_block) const;
};

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_NOVELTY_H_
