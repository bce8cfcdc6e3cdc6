// SPDX-License-Identifier: Apache-2.0
//
// Opens a session by its name, wherever it is kept: the path of a file, or
// `postgresql://USER@HOST/DATABASE/NAME` (SessionUrlOf) of rows in a database.
#ifndef RPL_RUNTIME_POSTGRES_OPEN_SESSION_H_
#define RPL_RUNTIME_POSTGRES_OPEN_SESSION_H_

#include <functional>
#include <string>

#include "runtime/record/session_store.h"

namespace rpl {

/// Opens the session. While a database is waited for, then and at each Append, `interrupted` is
/// polled by the waiting thread, and ends the wait; null: never.
SessionStore::Opened OpenSession(const std::string& name, SessionStore::Mode mode,
                                 std::function<bool()> interrupted = nullptr);

}  // namespace rpl

#endif  // RPL_RUNTIME_POSTGRES_OPEN_SESSION_H_
