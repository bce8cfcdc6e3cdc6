// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/open_session.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/postgres/database_url.h"
#include "runtime/postgres/session_rows.h"
#include "runtime/record/session_file.h"

namespace rpl {

SessionStore::Opened OpenSession(const std::string& name, SessionStore::Mode mode,
                                 std::function<bool()> interrupted) {
  const bool in_database = IsDatabaseUrl(name);
  SessionStore::Opened opened = in_database ? SessionRows::Open(name, mode, std::move(interrupted))
                                            : SessionFile::Open(name, mode);
  if (opened.store == nullptr) return opened;
  std::error_code unknown;
  const std::filesystem::path path = std::filesystem::weakly_canonical(name, unknown);
  opened.store->SetPlace(in_database || unknown ? name : path.string());
  return opened;
}

}  // namespace rpl
