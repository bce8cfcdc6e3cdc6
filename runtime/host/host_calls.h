// SPDX-License-Identifier: Apache-2.0
//
// The log of a host's calls as relations of the library (std/std.md, "Calls of a host").
//
// Rows that are not known but for their beginning are compared with what the program says of the
// last argument: if that contradicts, the row is another one; else the rows of the call are not
// known (decision 80).
#ifndef RPL_RUNTIME_HOST_HOST_CALLS_H_
#define RPL_RUNTIME_HOST_HOST_CALLS_H_

#include <string_view>

#include "interp/program/builtins.h"
#include "runtime/host/host_log.h"

namespace rpl {

/// The maximal size of a result that a program reads; of a larger one, it reads a hash.
inline constexpr std::size_t kMostHostResult = std::size_t{64} << 10;

/// Borrows the log.
class HostCalls : public HostDescription {
 public:
  explicit HostCalls(HostLog& log) : log_(log) {}
  HostLog& log() { return log_; }

  bool Describe(std::string_view label, BuiltinCall& to) const override;
  std::int64_t last() const override { return log_.last(); }
  void ReadAt(std::optional<std::int64_t> entry) override { log_.ReadAt(entry); }

 private:
  bool Rows(std::string_view relation, BuiltinCall& to) const;
  bool Succeeded(BuiltinCall& to) const;
  void Calls(std::string_view label, BuiltinCall& to) const;

  HostLog& log_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_HOST_HOST_CALLS_H_
