// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/event_chain.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace rpl {
namespace {

constexpr std::size_t kHashBytes = 32;

}  // namespace

std::string PrepareHashing() { return sodium_init() < 0 ? "no hashing on this machine" : ""; }

std::string FirstHash() { return std::string(kHashBytes, '\0'); }

std::string EventHash(const std::string& previous, const Event& event) {
  std::string hash(kHashBytes, '\0');
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, kHashBytes);
  const auto add = [&](std::string_view bytes) {
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
  };
  add(previous);
  add(EventName(event.kind));
  add(std::string_view("\0", 1));
  add(event.body);
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(hash.data()), kHashBytes);
  return hash;
}

std::string Hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

bool EventChain::Load(std::int64_t sequence, const std::string& kind, std::string body,
                      const std::string& hash) {
  const std::size_t number = count_ + 1;
  const std::optional<Event::Kind> known = EventKindOf(kind);
  if (!known || sequence != static_cast<std::int64_t>(number)) {
    Damage(known ? fmt::format("event {} is missing", number)
                 : fmt::format("event {} is of an unknown kind", number));
    return false;
  }
  Event event{*known, std::move(body)};
  const std::string expected = EventHash(hash_, event);
  if (expected != hash) {
    Damage(fmt::format("event {} is not what was written", number));
    return false;
  }
  if (const std::string why = sequence_.Take(event); !why.empty()) {
    Damage(fmt::format("event {} cannot be right: {}", number, why));
    return false;
  }
  hash_ = expected;
  count_ = number;
  events_.push_back(std::move(event));
  return true;
}

void EventChain::EndLoad(std::int64_t events, const std::string& hash) {
  const auto count = static_cast<std::int64_t>(count_);
  if (events == count && hash == hash_) return;
  Damage(events > count ? fmt::format("event {} is missing", count + 1)
                        : "the last hash is not what was written");
}

void EventChain::Damage(std::string what) {
  if (damage_.empty()) damage_ = std::move(what);
}

void EventChain::Add(const Event& event) {
  hash_ = EventHash(hash_, event);
  ++count_;
}

std::string EventChain::Anchor() const {
  return count_ == 0 ? "" : fmt::format("{}:{}", count_, Hex(hash_));
}

std::string EventChain::Departs(const std::string& anchor) const {
  const std::size_t colon = anchor.find(':');
  std::size_t number = 0;
  const auto read =
      std::from_chars(anchor.data(), anchor.data() + std::min(colon, anchor.size()), number);
  const std::string hash = colon == anchor.npos ? "" : anchor.substr(colon + 1);
  if (read.ec != std::errc() || read.ptr != anchor.data() + colon || number == 0 ||
      hash.size() != 2 * FirstHash().size())
    return "expected an anchor like `12:3f…`, as `rpl trace anchor` prints it, got `" + anchor +
           "`";
  if (number > events_.size())
    return fmt::format("it has {} events, and had {} when the anchor was taken", events_.size(),
                       number);
  std::string here = FirstHash();
  for (std::size_t i = 0; i < number; ++i) here = EventHash(here, events_[i]);
  if (Hex(here) == hash) return "";
  return fmt::format("its first {} events are not those of the anchor", number);
}

}  // namespace rpl
