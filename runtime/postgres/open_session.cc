// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/open_session.h"

#include "runtime/postgres/database_url.h"
#include "runtime/postgres/session_rows.h"
#include "runtime/session_file.h"

namespace rpl {

SessionStore::Opened OpenSession(const std::string& name, SessionStore::Mode mode,
                                 std::function<bool()> interrupted) {
  if (IsDatabaseUrl(name)) return SessionRows::Open(name, mode, std::move(interrupted));
  return SessionFile::Open(name, mode);
}

}  // namespace rpl
