// SPDX-License-Identifier: Apache-2.0
//
// Built-in relations: those of the library (std/std.md) that rules cannot compute in time linear in
// a list, or at all. The library declares each by a heading without rules; a reader sees them as
// relations with modes (decision 87), answered call by call. Some of them describe the call that a
// guard decides, and are unknown where none does.
//
// A session keeps the text of the library that it began with (runtime/record/journal.h). So a row
// of the table is never removed, and never gives other answers.
#ifndef RPL_INTERP_PROGRAM_BUILTINS_H_
#define RPL_INTERP_PROGRAM_BUILTINS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

struct BuiltinCall;

/// What relations of the library describe: the call that a guard decides (std/std.md, "The call
/// under decision"), or the calls of an agent's host (std/std.md, "Calls of a host").
class DecidedCall {
 public:
  virtual ~DecidedCall() = default;
  /// Gives the rows of the relation with that label. False: they, or some of them, are not known.
  virtual bool Describe(std::string_view label, BuiltinCall& call) const = 0;
};

/// The calls of a host, of which a session sees those up to an entry of their log.
class HostDescription : public DecidedCall {
 public:
  /// The number of the last entry of the log.
  virtual std::int64_t last() const = 0;
  /// From here on describes the log as it was at this entry; nullopt: as it is.
  virtual void ReadAt(std::optional<std::int64_t> entry) = 0;
};

/// A call of a built-in relation, and where its rows go.
struct BuiltinCall {
  Pool& pool;
  std::string_view label;
  const DecidedCall* decided;   // null: no guard decides about a call now
  const HostDescription* host;  // null: no host reports its calls
  /// Per argument: its value, or kNone while it is free. The known ones meet a mode.
  std::span<const Value> known;
  /// Takes a row with a value for each argument. It need not agree with what is known.
  std::function<void(std::span<const Value> row)> give;
  /// Why the call is undefined (decision 89), as operators say it (operators.h).
  std::string why = {};
  /// Why it is defined and has no row.
  std::string none = {};
  /// There may be more rows than were given: what rests on them is undecided.
  bool unknown = false;
};

struct Builtin {
  std::string_view label;
  std::size_t arity;
  std::vector<Columns> modes;
  void (*answer)(BuiltinCall& call);
};

/// The built-in relation of that label and number of arguments, or null.
const Builtin* FindBuiltin(std::string_view label, std::size_t arity);

/// Whether it describes the call that a guard decides.
bool DescribesCalls(std::string_view label, std::size_t arity);
/// Whether it describes the calls of a host.
bool DescribesHost(std::string_view label, std::size_t arity);
/// Whether rows of it may be known by their beginning alone. A call is then one of the relation
/// with an argument more: what its last argument begins with, as the program writes it, a text, a
/// list, or nil.
bool HasOpenRows(std::string_view label, std::size_t arity);

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_BUILTINS_H_
