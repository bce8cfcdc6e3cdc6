// SPDX-License-Identifier: Apache-2.0
//
// The words of answers, as people type them and questions take them; the replies to calls.
#ifndef RPL_RUNTIME_REPLIES_H_
#define RPL_RUNTIME_REPLIES_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/ports.h"

namespace rpl {

/// The value of a text that a person typed: a number if that prints as the same text, of a quoted
/// string its text, otherwise the text itself as a string. So `3` is a number, and `007`, `2.10`
/// and `1e3` are texts; for kNumber each number literal is a number.
Value TypedValue(Pool& pool, const std::string& text, Takes takes = Takes::kAny);

/// A reply as its question takes it. Of a question for rows: a list of distinct rows, each a value,
/// or a list with a value for each argument; made from such a list, a set, one row, or `none`.
struct TakenReply {
  Value value;
  std::string refused;  // the reason why it is not taken, for people; else ""
};
TakenReply TakeReply(const Request& request, Value reply, Pool& pool);

/// The value of a line that answers the question: an option, else as TypedValue. Of a question for
/// rows a list: of one row, its values separated by commas; of those of a list or set literal; of
/// none for `none`.
Value TypedReply(Pool& pool, const std::string& text, const Request& request);

/// The reply of a failed call: {:status :error, :code code, :message message}.
Answer FailedCall(Pool& pool, std::string_view code, std::string_view message);
/// The same for a call that did not run.
Answer NotRunCall(Pool& pool, std::string_view code, std::string_view message);

/// Some of the calls of a list, and where they stand in it.
template <typename Call>
struct Picked {
  void Add(Call call, std::size_t place) {
    calls.push_back(std::move(call));
    places.push_back(place);
  }
  /// Puts their replies, which are in their order, where they stand in the list.
  void Place(std::vector<Answer> replies, std::vector<Answer>& to) const {
    for (std::size_t k = 0; k < replies.size(); ++k) to[places[k]] = std::move(replies[k]);
  }

  std::vector<Call> calls;
  std::vector<std::size_t> places;
};

/// The option that a typed text selects: by its text, plain or as in prose, else by its number from
/// 1 (`2` or
/// `#2`); kNone if there is none.
Value TypedOption(Pool& pool, const std::string& text, std::span<const Value> options);

}  // namespace rpl

#endif  // RPL_RUNTIME_REPLIES_H_
