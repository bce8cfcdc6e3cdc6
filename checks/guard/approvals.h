// SPDX-License-Identifier: Apache-2.0
//
// The log of reviews: calls that a guard rule held for a person's decision, in an append-only file
// of JSON lines.
//
//   {"type":"request","id":"…","rule":"…","tool":"…","args":…,"user":"u1","message":"…",
//    "executionId":"…","createdAt":"…"}
//   {"type":"response","id":"…","approved":true,"reason":"…","approvedBy":"…","timestamp":"…"}
//   {"type":"made","id":"…","timestamp":"…"}
//
// A call is identified by its rule, tool, arguments and end user, across runs; the id of a request
// is a hash of these, independent of the order of keys. The last response to a request counts; a
// response without a request is ignored. `made` records that the call went out while its request
// was pending, because the user of a host allowed it: the request is closed, and the next call of
// the same kind needs a review again.
#ifndef RPL_CHECKS_GUARD_APPROVALS_H_
#define RPL_CHECKS_GUARD_APPROVALS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/guard_call.h"
#include "checks/guard/zone.h"

namespace rpl {

/// A hash of 256 bits (BLAKE2b) as 64 hexadecimal digits.
std::string ContentHash(std::string_view text);

/// The id of a request: the first 40 digits of such a hash.
std::string ReviewId(const ReviewRequest& request);

/// A request in the log, and its state.
struct KnownReview {
  nlohmann::ordered_json request;  // the line of the request
  Review review;
};

/// The reviews of one file. Every function reads the file anew, because a person may have answered
/// in between; several processes may append to it.
class ReviewLog {
 public:
  /// With an empty path nothing is stored: every request is a new one.
  explicit ReviewLog(std::string path) : path_(std::move(path)) {}

  /// The state of a review, kUnasked if the log has no open or answered request. No value if the
  /// file cannot be read.
  Sourced<Review> Find(const ReviewRequest& request) const;
  /// Appends a request unless there is one, and returns its state. No value if the file cannot be
  /// read or written.
  Sourced<Review> Ask(const ReviewRequest& request, const std::string& run, Moment now);
  /// Appends a response. Returns the reason why it could not be written, or "". It has no effect if
  /// `id` names no request.
  [[nodiscard]] std::string Answer(const std::string& id, bool approved, const std::string& reason,
                                   const std::string& by, Moment now);

  /// Closes those of the requests that are pending, because the call went out. Returns the reason
  /// why that could not be written, or "".
  [[nodiscard]] std::string Made(const std::vector<ReviewRequest>& requests, Moment now);

  /// The contents of the log.
  struct All {
    std::vector<KnownReview> reviews;  // in the order of their requests
    std::string error;                 // why the file cannot be read, or ""
  };
  /// Reads the log; malformed lines are ignored. A missing file is empty.
  All Read() const;

 private:
  std::string path_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_APPROVALS_H_
