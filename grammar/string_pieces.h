// SPDX-License-Identifier: Apache-2.0
//
// The string that is being read: its pieces in order, with escapes resolved, until the whole token
// makes a String of them, or a Template if it has holes (§3).
//
// A brace opens no hole; one that resembles a hole gives a lint. A half of a surrogate pair alone
// is an error, which is thrown.
#ifndef RPL_GRAMMAR_STRING_PIECES_H_
#define RPL_GRAMMAR_STRING_PIECES_H_

#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "grammar/sentence_text.h"

namespace rpl {

class StringPieces {
 public:
  /// Borrows the text, and adds lints to it.
  explicit StringPieces(SentenceText& source) : source_(source) {}

  /// Forgets the pieces, of a string that was not read to its end.
  void Clear();

  // The next piece; `token` is a view into the file.
  void Text(std::string_view token) { string_.append(token); }
  void Escape(std::string_view token);
  void Brace(std::string_view token);
  void Hole(std::string_view token);

  /// True if the pieces have a hole: then they are a template, else a string. Either leaves none.
  bool has_holes() const { return !holes_.empty(); }
  String TakeString();
  Template TakeTemplate();

 private:
  SentenceText& source_;
  std::string string_;  // the text before a hole moves to texts_
  std::vector<std::string> texts_;
  std::vector<std::string> holes_;
  char16_t high_surrogate_ = 0;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_STRING_PIECES_H_
