// SPDX-License-Identifier: Apache-2.0
//
// Calls that a person was asked about, in a file of JSON lines that is only appended to.
//
//   {"type":"request","id":"…","rule":"…","tool":"…","args":…,"user":"u1","message":"…",
//    "executionId":"…","createdAt":"…"}
//   {"type":"response","id":"…","approved":true,"reason":"…","approvedBy":"…","timestamp":"…"}
//   {"type":"made","id":"…","timestamp":"…"}
//
// A call is known by its rule, tool, arguments and end user, whatever the run; the id of a
// request is a hash over them, without regard for the order of keys. The last response to a
// request counts. A response to a request that was never made is not taken. `made` says that the
// call went out while its request was pending, since the user of a host let it: the request is
// over, and the next call of the same kind is asked about again.
#ifndef RPL_CHECKS_GUARD_APPROVALS_H_
#define RPL_CHECKS_GUARD_APPROVALS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/guard_call.h"
#include "checks/guard/zone.h"

namespace rpl {

/// A hash of 256 bits, as 64 hexadecimal digits.
std::string ContentHash(std::string_view text);

/// 40 hexadecimal digits of such a hash.
std::string ReviewId(const ReviewRequest& request);

struct KnownReview {
  nlohmann::ordered_json request;  // its line
  Review review;
};

class ReviewLog {
 public:
  /// With an empty path nothing is kept: every request is a new one.
  explicit ReviewLog(std::string path) : path_(std::move(path)) {}

  /// Each reads the file again: a person may have answered in between.
  Sourced<Review> Find(const ReviewRequest& request) const;
  /// Adds a request unless it is there.
  Sourced<Review> Ask(const ReviewRequest& request, const std::string& run, Moment now);
  /// Why the answer could not be kept, or "".
  [[nodiscard]] std::string Answer(const std::string& id, bool approved, const std::string& reason,
                                   const std::string& by, Moment now);

  /// A call went out: of these requests, those that are pending are over. Why that could not be
  /// kept, or "".
  [[nodiscard]] std::string Made(const std::vector<ReviewRequest>& requests, Moment now);

  struct All {
    std::vector<KnownReview> reviews;  // in the order they were asked for
    std::string error;                 // why the file cannot be read, or ""
  };
  All Read() const;

 private:
  std::string path_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_APPROVALS_H_
