// SPDX-License-Identifier: Apache-2.0
#include "runtime/ports.h"

#include "interp/sql/sql_source.h"

namespace rpl {

std::vector<Answer> SourceAccess::ReadAgain(const std::vector<Reread>& calls, Pool&) {
  return std::vector<Answer>(calls.size());
}

std::vector<RecordedText> SourceAccess::ReadRecorded(const std::vector<RecordedRead>& reads,
                                                     Pool&) {
  return std::vector<RecordedText>(reads.size(), {"", "this host reads no database"});
}

std::vector<std::optional<SqlSource>> SourceAccess::Places(const std::vector<ToolCall>& calls,
                                                           const Pool&) {
  return std::vector<std::optional<SqlSource>>(calls.size());
}

}  // namespace rpl
