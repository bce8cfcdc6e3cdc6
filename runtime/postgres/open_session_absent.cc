// SPDX-License-Identifier: Apache-2.0
//
// Where there is neither SQLite nor libpq, sessions are in memory alone.
#include "runtime/postgres/open_session.h"

namespace rpl {

SessionStore::Opened OpenSession(const std::string&, SessionStore::Mode, std::function<bool()>) {
  SessionStore::Opened out;
  out.error = "this build of rpl keeps no sessions";
  out.hint = "keep the exported trace (Engine::Export), and load it after the documents";
  return out;
}

}  // namespace rpl
