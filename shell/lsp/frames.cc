// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/frames.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "formats/character.h"
#include "formats/data/json_text.h"

namespace rpl::lsp {
namespace {

bool SameField(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, [](char x, char y) {
    return (IsUpper(x) ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

// The length that a header states; nullopt without a proper one, or with two that differ.
std::optional<std::size_t> LengthIn(std::string_view header) {
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t end = std::min(header.find('\n'), header.size());
    const std::string_view line = Trimmed(header.substr(0, end));
    header.remove_prefix(std::min(end + 1, header.size()));
    const std::size_t colon = line.find(':');
    if (line.empty()) continue;
    if (colon == line.npos) return std::nullopt;
    if (!SameField(Trimmed(line.substr(0, colon)), "content-length")) continue;
    const std::string_view digits = Trimmed(line.substr(colon + 1));
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error != std::errc() || stop != digits.end() || (length && *length != value))
      return std::nullopt;
    length = value;
  }
  return length;
}

}  // namespace

void FrameReader::Feed(std::string_view bytes, const std::function<void(std::string_view)>& body,
                       const std::function<void(std::string)>& fault) {
  while (!bytes.empty() || (state_ != State::kHeader && left_ == 0)) {
    if (state_ == State::kHeader) {
      bytes = FeedHeader(bytes, fault);
      continue;
    }
    const std::size_t size = std::min(left_, bytes.size());
    if (state_ == State::kBody) body_.append(bytes, 0, size);
    bytes.remove_prefix(size);
    left_ -= size;
    if (left_ > 0) continue;
    if (state_ == State::kBody) body(body_);
    body_ = std::string();
    state_ = State::kHeader;
  }
}

// Reads up to the empty line that ends the header, and returns what follows.
std::string_view FrameReader::FeedHeader(std::string_view bytes,
                                         const std::function<void(std::string)>& fault) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    header_ += bytes[at];
    if (header_.ends_with("\n\r\n") || header_.ends_with("\n\n")) {
      EndHeader(fault);
      return bytes.substr(at + 1);
    }
    if (header_.size() <= kMaxHeader) continue;
    header_fault_ = true;
    header_.erase(0, header_.size() - 3);  // an end may have begun
  }
  return {};
}

void FrameReader::EndHeader(const std::function<void(std::string)>& fault) {
  const std::optional<std::size_t> length = LengthIn(header_);
  const bool readable = !header_fault_ && length;
  header_.clear();
  if (!readable) {
    fault(header_fault_ ? "the header of a message is too long"
                        : "a header without a proper `Content-Length`");
    header_fault_ = false;
    return;
  }
  left_ = *length;
  state_ = left_ <= max_body_ ? State::kBody : State::kSkip;
  if (state_ == State::kSkip)
    fault("a message of " + std::to_string(left_) + " bytes, expected at most " +
          std::to_string(max_body_));
}

std::string FrameOf(const Json& message) {
  const std::string body = DumpJson(message);
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace rpl::lsp
