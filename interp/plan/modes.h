// SPDX-License-Identifier: Apache-2.0
//
// The modes of a relation: which of its arguments must be known (decision 87).
//
// `big(?x) <- ?x > 3` needs ?x; `same(?x, ?y) <- ?x = ?y` needs ?x or ?y. A *mode* is a set of
// arguments that suffices, and the modes of a relation are alternatives. No mode contains another;
// the mode {} alone says that nothing is needed.
#ifndef RPL_INTERP_PLAN_MODES_H_
#define RPL_INTERP_PLAN_MODES_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "interp/store/relation_id.h"

namespace rpl {

class ModeSet {
 public:
  /// How many modes are kept: those with fewest arguments.
  static constexpr std::size_t kMost = 8;

  /// Nothing is needed.
  ModeSet() : modes_{0} {}
  /// These arguments are needed.
  explicit ModeSet(Columns mode) : modes_{mode} {}

  /// Any one of these suffices. REQUIRES: there are some.
  static ModeSet Either(std::vector<Columns> modes);

  /// The modes of what is evaluated from the columns `all`, of which any may be known. `works`
  /// says whether a set of them suffices; what contains one that does must suffice, too. When not
  /// even `all` suffice, the mode is `all`.
  static ModeSet Of(Columns all, const std::function<bool(Columns)>& works);

  /// Whether what is known suffices.
  bool Meets(Columns known) const;
  /// Needs one of these and one of those.
  void Require(const ModeSet& other);
  /// What is not known of the mode of which least is missing; 0 when `known` suffices.
  Columns Missing(Columns known) const;
  /// The arguments of all modes.
  Columns AnyOf() const;
  /// "?x or ?y", "?r, or ?a and ?l"; `argument` names one by its number from 0. "" when nothing is
  /// needed.
  std::string Text(const std::function<std::string(std::size_t)>& argument) const;
  /// In ascending order of the number of arguments.
  std::span<const Columns> modes() const { return modes_; }

  friend bool operator==(const ModeSet&, const ModeSet&) = default;

 private:
  void Take(std::vector<Columns> modes);

  std::vector<Columns> modes_;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_MODES_H_
