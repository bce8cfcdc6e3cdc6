// SPDX-License-Identifier: Apache-2.0
//
// The loader of a document, in two passes: the first sorts sentences by role and heading (decisions
// 71, 72), the second lowers them, rules before constraints within a sentence's place. A heading's
// rule is made of parts:
//
//   # T - r(?x) <- a(?x)        head r(?x), tail a(?x)
//   Collect __y__.              prose term ?y
//   ```rpl
//   r(?x) <- z(?x)              an alternative: its tail joins the heading's
//   c(?x)                       a headless expression: it joins every alternative
//   z(7)                        a fact
//   ```
//
// and becomes  r(?x) <- a(?x), ?y, z(?x), c(?x).
#ifndef RPL_INTERP_PROGRAM_LOADER_H_
#define RPL_INTERP_PROGRAM_LOADER_H_

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "interp/program/lower.h"
#include "interp/program/program.h"

namespace rpl {

/// Loads one document; made once per call of Program::Load. Borrows its arguments.
class Loader {
 public:
  Loader(Program& program, const Document& document, Diagnostics& out, bool forbids)
      : program_(program),
        document_(document),
        out_(out),
        forbids_(forbids),
        sections_(document.scopes.size()) {
    novelty.file = document.file;
    novelty.readings.resize(document.sentences.size());
  }

  void Sort();
  void Lower();
  /// The prose of a scope of the document, or null; after Sort.
  std::shared_ptr<const HeadingProse> WordsOf(std::size_t scope) const {
    return sections_[scope].context.words;
  }

  Novelty novelty;
  std::vector<Definition> definitions;
  std::vector<Constraint> constraints;
  std::vector<Collected> collected;
  std::vector<Declared> declared;

 private:
  /// The sentences and prose of one heading, sorted.
  struct Section {
    Nodes prose_terms;
    Nodes conjoined;                   // headless expressions and prose terms, in order
    std::vector<const Sentence*> own;  // rules whose head is the heading's
    HeadingContext context;
  };

  SentenceReading& ReadingOf(const PlacedSentence& placed) {
    return novelty.readings[static_cast<std::size_t>(&placed - document_.sentences.data())];
  }
  void AssertPlain(std::size_t end);
  bool Assert(const Rule& rule, const Sentence& sentence);
  bool AssertOne(const Node& clause, bool truth, bool trace, const Sentence& sentence,
                 std::vector<Assertion>& to);
  struct Told;
  bool TakeEntries(const Nodes& entries, bool inner, Told& to);
  bool TakeSuffix(const Suffix& suffix, Told& to);
  bool AssertGoal(const Call& call, Told& told, Assertion& out);
  bool AssertRow(const Call& call, Told& told, Assertion& out);
  bool AssertHalf(const Node& clause, const Sentence& sentence);
  bool AssertQuestion(const Node& clause, bool truth, const Sentence& sentence);
  bool OpenCallOf(const Node& form, RelationId& relation, std::vector<Value>& key,
                  std::vector<std::string>& free);
  void Define(const Rule& rule, Span span, const HeadingContext& context);
  static bool ForbidsCall(const Rule& rule);
  bool AgreesWithRules(const Definition& def);
  void Nested(const Node& node, Span span, const HeadingContext& context);
  void Heading(int scope);
  void PlaceHeadingFacts();
  void Add(Assertion assertion);
  RelationId NoteParameters(Space space, const Call& call);
  void Loose(const PlacedSentence& placed);
  bool HasFact(const Call& head) const;
  void Declare(const Node& head, Span span, const HeadingContext& context);

  Program& program_;
  const Document& document_;
  Diagnostics& out_;
  const bool forbids_;  // see Program::Load
  std::vector<Section> sections_;
  std::vector<const PlacedSentence*> loose_;
  std::vector<Assertion> heading_facts_;     // in order; among the other assertions at the end
  std::unordered_set<RelationId> asserted_;  // relations with facts in this document
  std::size_t plain_ = 0;                    // plain facts asserted so far
  std::string_view plain_label_;             // the last one's label, arity and relation
  std::size_t plain_arity_ = 0;
  RelationId plain_relation_ = kNoId;
};

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_LOADER_H_
