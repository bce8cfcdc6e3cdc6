// SPDX-License-Identifier: Apache-2.0
//
// Sealed text: what the server hands to a client and takes back unchanged, or not at all.
//
// A `requestState` of MCP, a cursor of a list and a page of rows go through the client, which may
// change them. A seal is `r1.` PAYLOAD `.` MAC in base64url, where MAC is HMAC-SHA-256 over all
// before it, with a key that only this user's servers have. It is kept in a file of mode 0600, so
// that a server that starts anew goes on with what an earlier one sealed. A seal has an expiry and
// a purpose; a text that fails in any way is refused without saying how.
#ifndef RPL_SHELL_SERVING_REQUEST_STATE_H_
#define RPL_SHELL_SERVING_REQUEST_STATE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rpl {

class Sealer {
 public:
  /// With a new key, for this process alone.
  Sealer();
  /// With the key in the file, which is made if it does not exist. nullopt if it can be neither
  /// read nor made, or is no key.
  static std::optional<Sealer> FromFile(const std::string& path);
  /// With a key as text, that of NewKeyText for one; nullopt if it is none.
  static std::optional<Sealer> FromKeyText(std::string_view text);
  static std::string NewKeyText();

  /// `now` and the expiry are seconds since 1970. REQUIRES: `payload` is an object.
  std::string Seal(std::string_view purpose, nlohmann::ordered_json payload,
                   std::int64_t expires) const;
  /// The payload of an own, unexpired seal for this purpose; else nullopt.
  std::optional<nlohmann::ordered_json> Open(std::string_view purpose, std::string_view text,
                                             std::int64_t now) const;

 private:
  explicit Sealer(std::string key) : key_(std::move(key)) {}
  std::string Mac(std::string_view text) const;

  std::string key_;
};

/// Seconds since 1970.
std::int64_t SecondsNow();

/// A digest of JSON that does not depend on the order of keys: 32 hexadecimal digits.
std::string DigestOf(const nlohmann::ordered_json& json);

/// Random bits from the system, as base64url without padding: `bytes` of them.
std::string RandomText(std::size_t bytes);

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_REQUEST_STATE_H_
