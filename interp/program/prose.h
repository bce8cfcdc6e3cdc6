// SPDX-License-Identifier: Apache-2.0
//
// The prose under a heading (§17.2), as a reader sees it: without the marks of emphasised spans,
// whose places are kept, so that the values of their variables can stand in them (decision 91).
#ifndef RPL_INTERP_PROGRAM_PROSE_H_
#define RPL_INTERP_PROGRAM_PROSE_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rpl {

struct HeadingProse {
  /// An emphasised span: its bytes in `text`, and the variable that it names ("first-name").
  struct Hole {
    std::size_t begin;
    std::size_t end;
    std::string name;
  };
  std::string title;
  std::string text;
  std::vector<Hole> holes;  // in order

  /// Whether a span names the variable.
  bool Names(const std::string& name) const {
    return std::ranges::any_of(holes, [&](const Hole& hole) { return hole.name == name; });
  }

  /// A text with values in it, and their ranges [begin, end), in order.
  struct FilledText {
    std::string text;
    std::vector<std::pair<std::size_t, std::size_t>> values;
  };

  /// The text with the value of each variable that has one.
  FilledText Filled(
      const std::function<std::optional<std::string>(const std::string& name)>& value) const {
    FilledText out;
    std::size_t from = 0;
    for (const Hole& hole : holes) {
      const std::optional<std::string> known = value(hole.name);
      if (!known) continue;
      out.text += text.substr(from, hole.begin - from);
      out.values.emplace_back(out.text.size(), out.text.size() + known->size());
      out.text += *known;
      from = hole.end;
    }
    out.text += text.substr(from);
    return out;
  }
};

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_PROSE_H_
