// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/open_session.h"

#include "runtime/session_file.h"

namespace rpl {

SessionStore::Opened OpenSession(const std::string& name, SessionStore::Mode mode,
                                 std::function<bool()>) {
  return SessionFile::Open(name, mode);
}

}  // namespace rpl
