// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/review_secret.h"

#include <sodium.h>

#include <array>

#include "checks/guard/guard_store.h"
#include "formats/database.h"

namespace rpl {
namespace {

using Query = Database::Query;

// Made when it is first used: files of this version without it are read by older programs, too.
void MakeSecrets(Database& database) {
  Query(database, "CREATE TABLE IF NOT EXISTS secret(n INTEGER PRIMARY KEY, hash TEXT NOT NULL)")
      .Run();
}

}  // namespace

ReviewSecret::ReviewSecret(const std::string& path, std::string& error)
    : database_(OpenGuardStore(path, std::chrono::seconds(5), error)) {
  if (database_ == nullptr) return;
  database_->Begin();
  MakeSecrets(*database_);
  {
    Query known(*database_, "SELECT hash FROM secret WHERE n=1");
    if (known.Next()) hash_ = known.Text(0);
  }
  error = database_->Commit();
}

ReviewSecret::~ReviewSecret() = default;

bool ReviewSecret::Is(std::string_view secret) const {
  return IsSet() && sodium_init() >= 0 &&
         crypto_pwhash_str_verify(hash_.c_str(), secret.data(), secret.size()) == 0;
}

std::string ReviewSecret::Set(std::string_view secret) {
  if (secret.empty()) return "the secret is empty";
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  if (sodium_init() < 0 || crypto_pwhash_str(hash.data(), secret.data(), secret.size(),
                                             crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                             crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0)
    return "there is not enough memory";
  database_->Begin();
  Query(*database_, "INSERT OR REPLACE INTO secret VALUES(1, ?)")
      .Bind(std::string_view(hash.data()))
      .Run();
  std::string why = database_->Commit();
  if (why.empty()) hash_ = hash.data();
  return why;
}

}  // namespace rpl
