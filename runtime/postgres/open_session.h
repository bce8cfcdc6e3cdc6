// SPDX-License-Identifier: Apache-2.0
//
// Opens a session by its name, wherever it is kept: the path of a file.
#ifndef RPL_RUNTIME_POSTGRES_OPEN_SESSION_H_
#define RPL_RUNTIME_POSTGRES_OPEN_SESSION_H_

#include <functional>
#include <string>

#include "runtime/session_store.h"

namespace rpl {

/// Opens the session. `interrupted` is polled while a store far away is waited for, then and at
/// each Append; null: never.
SessionStore::Opened OpenSession(const std::string& name, SessionStore::Mode mode,
                                 std::function<bool()> interrupted = nullptr);

}  // namespace rpl

#endif  // RPL_RUNTIME_POSTGRES_OPEN_SESSION_H_
