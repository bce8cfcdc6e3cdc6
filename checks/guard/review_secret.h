// SPDX-License-Identifier: Apache-2.0
//
// The secret of a store's reviewers, with which reviews are answered without a terminal.
//
// A store has at most one. It is kept as a hash (Argon2id) from which it cannot be read. Functions
// that return a text return the reason why something could not be done, or "".
#ifndef RPL_CHECKS_GUARD_REVIEW_SECRET_H_
#define RPL_CHECKS_GUARD_REVIEW_SECRET_H_

#include <memory>
#include <string>
#include <string_view>

namespace rpl {

class Database;

class ReviewSecret {
 public:
  /// Opens the store in `path`, which is made if there is none: `error` says why that failed.
  ReviewSecret(const std::string& path, std::string& error);
  ~ReviewSecret();

  /// Whether the store has a secret.
  bool IsSet() const { return !hash_.empty(); }
  /// Whether this is the secret. False if none is set.
  bool Is(std::string_view secret) const;
  /// Sets the secret in place of another. An empty one is refused.
  std::string Set(std::string_view secret);

 private:
  std::unique_ptr<Database> database_;  // null after an error
  std::string hash_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_REVIEW_SECRET_H_
