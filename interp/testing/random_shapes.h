// SPDX-License-Identifier: Apache-2.0
//
// Shapes: the additions to the layers of rules in random programs, for tests only.
//
// A shape adds relations that need their caller, goals, conditions or sets, and relations that read
// them, to a program of the plain vocabulary. What shapes add reads only what the program has
// already, so it stays stratified.
//
// Keys that callers pass are within kLeastKey and kMostKey as long as no row has a number outside
// of kLeastNumber and kMostNumber: only then does the closed text of a program say what the program
// says (interp/testing/random_program.h).
#ifndef RPL_INTERP_TESTING_RANDOM_SHAPES_H_
#define RPL_INTERP_TESTING_RANDOM_SHAPES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interp/testing/random_program.h"

namespace rpl {

inline constexpr int kLeastNumber = -8, kMostNumber = 12;
inline constexpr int kLeastKey = -17, kMostKey = 25;

struct Shape {
  std::string_view name;
  /// What the engine is known to do wrong with it, or to refuse; empty: nothing. Such a shape is
  /// made only on request.
  std::string_view fault;
};

/// In the order in which programs are made of them.
const std::vector<Shape>& Shapes();

/// The names of the shapes without a known fault.
std::vector<std::string_view> SoundShapes();

/// A program of the plain vocabulary with up to three of these shapes. The same seed and shapes
/// give the same program with the same compiler.
RandomProgram MakeShaped(std::uint32_t seed, const std::vector<std::string_view>& shapes);

}  // namespace rpl

#endif  // RPL_INTERP_TESTING_RANDOM_SHAPES_H_
