// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/request_state.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <vector>

#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kSealMark = "r1.";
constexpr std::size_t kMostSealBytes = 64u << 10;
constexpr int kSealVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

std::string Base64Url(std::string_view bytes) {
  std::string out(sodium_base64_encoded_len(bytes.size(), kSealVariant), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kSealVariant);
  out.resize(out.size() - 1);  // its NUL
  return out;
}

std::optional<std::string> FromBase64Url(std::string_view text) {
  // libsodium takes some bytes beyond ASCII for letters, so one value would have several texts.
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  if (text.find_first_not_of(kLetters) != text.npos) return std::nullopt;
  std::string out(text.size(), '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(out.data()), out.size(), text.data(),
                        text.size(), nullptr, &size, &end, kSealVariant) != 0 ||
      end != text.data() + text.size())
    return std::nullopt;
  out.resize(size);
  return out;
}

// Keys in one order, at every depth. Bounded by the nesting of parsed JSON.
nlohmann::json Sorted(const ordered_json& json) {
  if (json.is_object()) {
    nlohmann::json out = nlohmann::json::object();
    for (const auto& [key, value] : json.items()) out[key] = Sorted(value);
    return out;
  }
  if (json.is_array()) {
    nlohmann::json out = nlohmann::json::array();
    for (const auto& item : json) out.push_back(Sorted(item));
    return out;
  }
  if (json.is_binary()) return DumpJson(json);  // an exact integer
  return json;
}

std::string NewKey() {
  std::string key(crypto_auth_hmacsha256_KEYBYTES, '\0');
  randombytes_buf(key.data(), key.size());
  return key;
}

std::optional<std::string> ReadKey(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return std::nullopt;
  std::array<char, crypto_auth_hmacsha256_KEYBYTES + 1> bytes;
  const ssize_t n = read(fd, bytes.data(), bytes.size());
  close(fd);
  if (n != crypto_auth_hmacsha256_KEYBYTES) return std::nullopt;
  return std::string(bytes.data(), static_cast<std::size_t>(n));
}

// Whole or not at all, and never over the key of another process.
void WriteKey(const std::string& path, const std::string& key) {
  const std::string part = path + "." + RandomText(9);
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;
  const bool whole = write(fd, key.data(), key.size()) == static_cast<ssize_t>(key.size());
  const bool synced = fsync(fd) == 0;
  close(fd);
  // If another process was faster, its key stays.
  const bool linked = whole && synced && link(part.c_str(), path.c_str()) == 0;
  static_cast<void>(linked);
  unlink(part.c_str());
}

}  // namespace

Sealer::Sealer() : key_(NewKey()) {}

std::optional<Sealer> Sealer::FromFile(const std::string& path) {
  if (!std::filesystem::exists(path)) WriteKey(path, NewKey());
  std::optional<std::string> key = ReadKey(path);
  if (!key) return std::nullopt;
  return Sealer(std::move(*key));
}

std::optional<Sealer> Sealer::FromKeyText(std::string_view text) {
  std::optional<std::string> key = FromBase64Url(text);
  if (!key || key->size() != crypto_auth_hmacsha256_KEYBYTES) return std::nullopt;
  return Sealer(std::move(*key));
}

std::string Sealer::NewKeyText() { return Base64Url(NewKey()); }

std::string Sealer::Mac(std::string_view text) const {
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> mac;
  crypto_auth_hmacsha256(mac.data(), reinterpret_cast<const unsigned char*>(text.data()),
                         text.size(), reinterpret_cast<const unsigned char*>(key_.data()));
  return std::string(reinterpret_cast<const char*>(mac.data()), mac.size());
}

std::string Sealer::Seal(std::string_view purpose, ordered_json payload,
                         std::int64_t expires) const {
  payload["for"] = purpose;
  payload["exp"] = expires;
  std::string text = std::string(kSealMark) + Base64Url(DumpJson(payload));
  text += "." + Base64Url(Mac(text));
  return text;
}

std::optional<ordered_json> Sealer::Open(std::string_view purpose, std::string_view text,
                                         std::int64_t now) const {
  if (text.size() > kMostSealBytes || !text.starts_with(kSealMark)) return std::nullopt;
  const std::size_t dot = text.rfind('.');
  if (dot < kSealMark.size()) return std::nullopt;
  const std::optional<std::string> mac = FromBase64Url(text.substr(dot + 1));
  const std::string wanted = Mac(text.substr(0, dot));
  if (!mac || mac->size() != wanted.size() ||
      sodium_memcmp(mac->data(), wanted.data(), wanted.size()) != 0)
    return std::nullopt;
  const std::optional<std::string> inside =
      FromBase64Url(text.substr(kSealMark.size(), dot - kSealMark.size()));
  if (!inside) return std::nullopt;
  JsonText read = ParseJson(*inside);
  if (!read.error.empty() || read.json.value("for", "") != purpose ||
      read.json.value("exp", std::int64_t{0}) < now)
    return std::nullopt;
  return std::move(read.json);
}

std::int64_t SecondsNow() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string DigestOf(const ordered_json& json) {
  const std::string text =
      Sorted(json).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::array<unsigned char, 16> hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  std::array<char, 33> hex;
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return hex.data();
}

std::string RandomText(std::size_t bytes) {
  std::string random(bytes, '\0');
  randombytes_buf(random.data(), random.size());
  return Base64Url(random);
}

}  // namespace rpl
