// SPDX-License-Identifier: Apache-2.0
//
// Writing and reading are one description of the members, visited by a writer or a reader. A
// number has the bytes that it has in memory, a text and a list their length before them, and a
// choice its index.
#include "checks/guard/policy_image.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "checks/guard/guard_store.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using JsonType = ordered_json::value_t;

// Increase it when a member of a rule or condition is added, removed or changes its meaning.
constexpr int kImageForm = 3;

class Writer {
 public:
  template <typename T>
  void Plain(const T& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Text(const std::string& text) {
    Plain(text.size());
    out_ += text;
  }
  void Json(const ordered_json& json) {
    const auto type = json.type();
    Plain(type);
    if (type == JsonType::boolean) return Plain(json.get<bool>());
    if (type == JsonType::number_integer) return Plain(json.get<std::int64_t>());
    if (type == JsonType::number_unsigned) return Plain(json.get<std::uint64_t>());
    if (type == JsonType::number_float) return Plain(json.get<double>());
    if (type == JsonType::string) return Text(json.get_ref<const std::string&>());
    if (type != JsonType::null) Text(DumpJson(json));
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

class ImageReader {
 public:
  explicit ImageReader(std::string_view image) : left_(image) {}

  template <typename T>
  void Plain(T& value) {
    if (left_.size() < sizeof value) return Fail();
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
  }
  void Text(std::string& text) {
    std::size_t size = 0;
    Plain(size);
    if (size > left_.size()) return Fail();
    text.assign(left_.substr(0, size));
    left_.remove_prefix(size);
  }
  void Json(ordered_json& json) {
    JsonType type = JsonType::null;
    Plain(type);
    if (type == JsonType::boolean) return Number<bool>(json);
    if (type == JsonType::number_integer) return Number<std::int64_t>(json);
    if (type == JsonType::number_unsigned) return Number<std::uint64_t>(json);
    if (type == JsonType::number_float) return Number<double>(json);
    json = nullptr;
    if (type == JsonType::null) return;
    std::string text;
    Text(text);
    if (type == JsonType::string) json = std::move(text);
    else json = ParseOwnJson(text);
    if (json.is_discarded()) Fail();
  }
  // Each element has a byte at least.
  bool IsRoomFor(std::size_t elements) {
    if (elements > left_.size()) Fail();
    return !failed_;
  }
  void Fail() {
    failed_ = true;
    left_ = {};
  }
  bool AtEnd() const { return !failed_ && left_.empty(); }

 private:
  template <typename T>
  void Number(ordered_json& json) {
    T value{};
    Plain(value);
    json = value;
  }

  std::string_view left_;
  bool failed_ = false;
};

template <typename T>
concept Scalar =
    std::is_arithmetic_v<std::remove_const_t<T>> || std::is_enum_v<std::remove_const_t<T>>;

template <Scalar T>
void Pass(Writer& to, const T& value) {
  to.Plain(value);
}
template <Scalar T>
void Pass(ImageReader& from, T& value) {
  from.Plain(value);
}
void Pass(Writer& to, const std::string& text) { to.Text(text); }
void Pass(ImageReader& from, std::string& text) { from.Text(text); }
void Pass(Writer& to, const ordered_json& json) { to.Json(json); }
void Pass(ImageReader& from, ordered_json& json) { from.Json(json); }

template <typename... Parts>
void PassAll(auto& to, Parts&... parts);

template <typename T>
void Pass(Writer& to, const std::optional<T>& value) {
  to.Plain(value.has_value());
  if (value) Pass(to, *value);
}
template <typename T>
void Pass(ImageReader& from, std::optional<T>& value) {
  bool there = false;
  from.Plain(there);
  if (there) Pass(from, value.emplace());
}
template <typename T>
void Pass(Writer& to, const std::vector<T>& list) {
  to.Plain(list.size());
  for (const T& element : list) Pass(to, element);
}
template <typename T>
void Pass(ImageReader& from, std::vector<T>& list) {
  std::size_t size = 0;
  from.Plain(size);
  if (!from.IsRoomFor(size)) return;
  list.resize(size);
  for (T& element : list) Pass(from, element);
}

// `T` is the type, or a const one for the writer.
template <typename T, typename Of>
concept A = std::is_same_v<std::remove_const_t<T>, Of>;

void Pass(auto& to, A<EnduserTagLeaf> auto& leaf) { PassAll(to, leaf.op, leaf.tag, leaf.values); }
void Pass(auto& to, A<ExecutionTimeLeaf> auto& leaf) { PassAll(to, leaf.total, leaf.op, leaf.ms); }
void Pass(auto& to, A<SequenceLeaf> auto& leaf) { PassAll(to, leaf.must, leaf.must_not); }
void Pass(auto& to, A<MaxCallsLeaf> auto& leaf) { PassAll(to, leaf.by_tag, leaf.globs, leaf.max); }
void Pass(auto& to, A<MetricWindowLeaf> auto& leaf) {
  PassAll(to, leaf.of_user, leaf.key, leaf.aggregate, leaf.window_seconds, leaf.op, leaf.value,
          leaf.tool_names, leaf.tool_tags);
}
void Pass(auto& to, A<TimeGateLeaf::Window> auto& window) {
  PassAll(to, window.days, window.start, window.end);
}
void Pass(auto& to, A<TimeGateLeaf> auto& leaf) {
  PassAll(to, leaf.tag, leaf.or_organisation, leaf.windows);
}
void Pass(auto& to, A<SignalBinding> auto& binding) {
  PassAll(to, binding.from, binding.of, binding.role, binding.id_system, binding.value);
}
void Pass(auto& to, A<std::pair<std::string, SignalBinding>> auto& arg) {
  PassAll(to, arg.first, arg.second);
}
void Pass(auto& to, A<SignalLeaf> auto& leaf) {
  PassAll(to, leaf.key, leaf.args, leaf.op, leaf.value, leaf.raw);
}
void Pass(auto& to, A<ToolNameLeaf> auto& leaf) { PassAll(to, leaf.op, leaf.values); }
void Pass(auto& to, A<ToolTagLeaf> auto& leaf) { PassAll(to, leaf.op, leaf.tags); }
void Pass(auto& to, A<ToolArgLeaf> auto& leaf) { PassAll(to, leaf.path, leaf.op, leaf.value); }
void Pass(auto& to, A<RequireSubjectLeaf> auto& leaf) { PassAll(to, leaf.type, leaf.id_system); }
void Pass(auto&, A<AndParts> auto&) {}
void Pass(auto&, A<OrParts> auto&) {}
void Pass(auto&, A<NotPart> auto&) {}

using Leaf = decltype(ConditionNode::is);

void Pass(Writer& to, const Leaf& leaf) {
  to.Plain(static_cast<std::uint8_t>(leaf.index()));
  std::visit([&](const auto& is) { Pass(to, is); }, leaf);
}

template <std::size_t... I>
void PassChosen(ImageReader& from, Leaf& leaf, std::size_t index, std::index_sequence<I...>) {
  const bool known = ((index == I && (Pass(from, leaf.emplace<I>()), true)) || ...);
  if (!known) from.Fail();
}
void Pass(ImageReader& from, Leaf& leaf) {
  std::uint8_t index = 0;
  from.Plain(index);
  PassChosen(from, leaf, index, std::make_index_sequence<std::variant_size_v<Leaf>>());
}

void Pass(auto& to, A<ConditionNode> auto& node) {
  PassAll(to, node.is, node.on_missing, node.end);
}
void Pass(auto& to, A<ToolSelector> auto& selector) {
  PassAll(to, selector.names, selector.tags_all, selector.tags_any);
}
void Pass(auto& to, A<GuardRule> auto& rule) {
  PassAll(to, rule.id, rule.name, rule.enabled, rule.priority, rule.phase, rule.tool,
          rule.condition, rule.effect, rule.reason, rule.on_missing);
}
void Pass(auto& to, A<Policy> auto& policy) {
  PassAll(to, policy.enabled, policy.enforced, policy.on_missing, policy.agent_slugs,
          policy.agent_tags, policy.rules);
}

template <typename... Parts>
void PassAll(auto& to, Parts&... parts) {
  (Pass(to, parts), ...);
}

}  // namespace

std::string PolicyImageName(std::string_view text, std::string_view version) {
  return fmt::format("{} {} {}", kImageForm, version, ContentHash(text));
}

std::string PolicyImage(const Policy& policy) {
  Writer to;
  Pass(to, policy);
  return to.Take();
}

std::optional<Policy> PolicyOfImage(std::string_view image) {
  ImageReader from(image);
  Policy policy;
  Pass(from, policy);
  if (!from.AtEnd()) return std::nullopt;
  return policy;
}

}  // namespace rpl
