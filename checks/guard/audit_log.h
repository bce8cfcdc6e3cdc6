// SPDX-License-Identifier: Apache-2.0
//
// The file of a guard's audit events: JSON lines, each with a hash over itself and the line before.
//
//   {"schema":"handlebar.audit.v1", …, "hash":"64 hexadecimal digits"}
//
// The hash is ContentHash of the hash before and the text of the line without `hash`; before the
// first there is none. So an event that was changed, removed, added or moved is found, but for the
// last ones: whoever keeps the last hash elsewhere finds their removal too. A line that a crash cut
// off within an event is none, and the chain goes on after it.
//
// Several processes may append to a file.
#ifndef RPL_CHECKS_GUARD_AUDIT_LOG_H_
#define RPL_CHECKS_GUARD_AUDIT_LOG_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rpl {

/// Appends events; creates a missing file with mode 0600. Returns the reason why that failed, or
/// "". After a failure the file may have some of them.
[[nodiscard]] std::string AppendEvents(const std::string& path,
                                       const std::vector<nlohmann::ordered_json>& events);

/// What the hashes of a log say.
struct AuditChain {
  std::size_t events = 0;   // that follow each other, from the first
  std::size_t cut_off = 0;  // lines of which a part is missing
  std::string hash;         // of the last of them
  std::size_t broken = 0;   // the line that does not follow, from 1; 0: all do
  std::string error;        // why the file cannot be read, or ""
};
/// Checks a log. A missing file is an error.
AuditChain CheckAuditLog(const std::string& path);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_AUDIT_LOG_H_
