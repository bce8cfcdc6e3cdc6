// SPDX-License-Identifier: Apache-2.0
//
// The frames of the Language Server Protocol: a header with `Content-Length`, an empty line, and so
// many bytes of JSON.
//
// The stream is untrusted. A header that cannot be read is a fault, and reading goes on behind the
// next empty line. A body beyond the limit is a fault too, and its bytes are passed over without
// being stored.
#ifndef RPL_SHELL_LSP_FRAMES_H_
#define RPL_SHELL_LSP_FRAMES_H_

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rpl::lsp {

using Json = nlohmann::ordered_json;

class FrameReader {
 public:
  static constexpr std::size_t kMaxHeader = std::size_t{8} << 10;
  static constexpr std::size_t kMaxBody = std::size_t{64} << 20;

  explicit FrameReader(std::size_t max_body = kMaxBody) : max_body_(max_body) {}

  /// Takes bytes as they arrive. Calls `body` with each body that is complete, and `fault` with the
  /// reason for each frame that is left out. The view is valid during the call. Linear in the size
  /// of the stream.
  void Feed(std::string_view bytes, const std::function<void(std::string_view)>& body,
            const std::function<void(std::string)>& fault);

 private:
  enum class State { kHeader, kBody, kSkip };

  std::string_view FeedHeader(std::string_view bytes,
                              const std::function<void(std::string)>& fault);
  void EndHeader(const std::function<void(std::string)>& fault);

  const std::size_t max_body_;
  State state_ = State::kHeader;
  std::string header_;         // as far as it came, at most kMaxHeader and a line end
  bool header_fault_ = false;  // it is too long, and dropped to its end
  std::string body_;
  std::size_t left_ = 0;  // bytes of the body that did not come yet
};

/// The bytes of a message.
std::string FrameOf(const Json& message);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_FRAMES_H_
