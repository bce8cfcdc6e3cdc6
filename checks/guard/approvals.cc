// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/approvals.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>

#include "formats/json_fields.h"
#include "formats/json_lines.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

}  // namespace

std::string ContentHash(std::string_view text) {
  [[maybe_unused]] const int ready = sodium_init();
  std::array<unsigned char, 32> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  std::string hex;
  for (const unsigned char byte : hash) hex += fmt::format("{:02x}", byte);
  return hex;
}

// 160 bits: an attacker who chooses the arguments of two calls must not be able to give them the
// same id, or the approval of one would admit the other.
std::string ReviewId(const ReviewRequest& request) {
  const ordered_json user = request.user ? ordered_json(*request.user) : ordered_json();
  return ContentHash(
             CanonicalText(ordered_json::array({request.rule, request.tool, request.args, user})))
      .substr(0, 40);
}

ReviewLog::All ReviewLog::Read() const {
  All out;
  if (path_.empty()) return out;
  JsonLines lines = ReadJsonLines(path_);
  out.error = lines.error;
  for (ordered_json& line : lines.objects) {
    const std::string id = TextAt(line, "id");
    const auto known =
        std::find_if(out.reviews.begin(), out.reviews.end(),
                     [&](const KnownReview& review) { return review.review.id == id; });
    const std::string type = TextAt(line, "type");
    if (type == "request" && known == out.reviews.end()) {
      out.reviews.push_back({std::move(line), {Review::State::kPending, id, ""}});
    } else if (known == out.reviews.end()) {
      continue;
    } else if (type == "request" && known->review.state == Review::State::kUnasked) {
      known->request = std::move(line);
      known->review.state = Review::State::kPending;
    } else if (type == "made" && known->review.state == Review::State::kPending) {
      known->review.state = Review::State::kUnasked;
    } else if (type == "response") {
      const auto approved = line.find("approved");
      if (approved == line.end() || !approved->is_boolean()) continue;
      known->review.state =
          approved->get<bool>() ? Review::State::kApproved : Review::State::kDenied;
      known->review.reason = TextAt(line, "reason");
    }
  }
  return out;
}

Sourced<Review> ReviewLog::Find(const ReviewRequest& request) const {
  const All all = Read();
  if (!all.error.empty()) return {std::nullopt, all.error};
  const std::string id = ReviewId(request);
  for (const KnownReview& known : all.reviews)
    if (known.review.id == id) return {known.review, ""};
  return {Review{}, ""};
}

Sourced<Review> ReviewLog::Ask(const ReviewRequest& request, const std::string& run, Moment now) {
  const Sourced<Review> known = Find(request);
  if (!known.value || known.value->state != Review::State::kUnasked) return known;
  Review review{Review::State::kPending, ReviewId(request), ""};
  if (path_.empty()) return {review, ""};
  ordered_json line = {{"type", "request"},
                       {"id", review.id},
                       {"rule", request.rule},
                       {"tool", request.tool},
                       {"args", request.args}};
  if (request.user) line["user"] = *request.user;
  line["message"] = request.message;
  line["executionId"] = run;
  line["createdAt"] = MomentText(now);
  if (const std::string error = AppendJsonLine(path_, line); !error.empty())
    return {std::nullopt, error};
  return {review, ""};
}

std::string ReviewLog::Answer(const std::string& id, bool approved, const std::string& reason,
                              const std::string& by, Moment now) {
  ordered_json line = {{"type", "response"}, {"id", id}, {"approved", approved}};
  if (!reason.empty()) line["reason"] = reason;
  if (!by.empty()) line["approvedBy"] = by;
  line["timestamp"] = MomentText(now);
  return AppendJsonLine(path_, line);
}

std::string ReviewLog::Made(const std::vector<ReviewRequest>& requests, Moment now) {
  if (requests.empty()) return "";
  const All all = Read();
  if (!all.error.empty()) return all.error;
  for (const ReviewRequest& request : requests) {
    const std::string id = ReviewId(request);
    const bool pending =
        std::any_of(all.reviews.begin(), all.reviews.end(), [&](const auto& known) {
          return known.review.id == id && known.review.state == Review::State::kPending;
        });
    if (!pending) continue;
    const std::string error =
        AppendJsonLine(path_, {{"type", "made"}, {"id", id}, {"timestamp", MomentText(now)}});
    if (!error.empty()) return error;
  }
  return "";
}

}  // namespace rpl
