// SPDX-License-Identifier: Apache-2.0
//
// The URL of a PostgreSQL database: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETER=…`, or
// `postgres://…`. Every part may be missing; libpq then takes it from its environment. Parameters
// are those of libpq, `?host=/run/postgresql` for a Unix socket.
//
// libpq cuts a URL at the first `/`, `@` or `:` that may end a part, so a password with such a
// character would be taken for a host or a port and appear in a message. CheckDatabaseUrl refuses
// these URLs, and no message about a URL contains it.
#ifndef RPL_RUNTIME_POSTGRES_DATABASE_URL_H_
#define RPL_RUNTIME_POSTGRES_DATABASE_URL_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// Whether the text begins as the URL of a PostgreSQL database.
bool IsDatabaseUrl(std::string_view text);

/// The reason why libpq would not read the URL, or would read it in another way than it looks, for
/// people; "" if there is none. Never contains a part of the URL that may be a password.
std::string CheckDatabaseUrl(std::string_view url);

/// The URL as it may be shown: `***` stands for the password, also for one among the parameters,
/// and for all of a URL that CheckDatabaseUrl refuses. Any other text is returned as it is.
std::string WithoutPassword(const std::string& url);

/// The passwords in a URL, decoded; for a message of somebody else, which might repeat them.
/// REQUIRES: CheckDatabaseUrl accepts the URL.
std::vector<std::string> PasswordsOf(std::string_view url);

/// The name of a session in a database: `postgresql://USER@HOST/DATABASE/NAME?PARAMETER=…`. Of the
/// parameters `lease=SECONDS` (1 to 3600) is ours, all others are those of libpq.
struct SessionUrl {
  std::string database;            // the URL for libpq, without the session and our parameter
  std::string session;             // decoded; "" if the URL names a database alone
  std::chrono::seconds lease{30};  // of a writer
  std::string error;               // for people; "" if the URL is right
};
SessionUrl SessionUrlOf(const std::string& url);
/// The way back: the URL of a session in a database, with a lease if one is given. REQUIRES: the
/// URL names a database and no session; the name has no character to be encoded.
std::string SessionUrlIn(const std::string& database, const std::string& session,
                         std::optional<std::chrono::seconds> lease = std::nullopt);

}  // namespace rpl

#endif  // RPL_RUNTIME_POSTGRES_DATABASE_URL_H_
