// SPDX-License-Identifier: Apache-2.0
#include "interp/testing/naive_datum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "grammar/printer.h"

namespace rpl::naive {
namespace {

nlohmann::json ToJson(const Datum& d) {
  switch (d.kind) {
    case 'n': return nullptr;
    case 'b': return d.text == "true";
    case 'i': return std::stoll(d.text);
    case 'f': return std::stod(d.text);
    case 'k': return ":" + d.text;
    case 'a':
    case 'y': return d.text;
    case 't': return Text(d);
    case 'm': {
      nlohmann::json out = nlohmann::json::object();
      for (const Datum& entry : d.parts)
        out[entry.parts[0].kind == 'a' ? entry.parts[0].text : Text(entry.parts[0])] =
            ToJson(entry.parts[1]);
      return out;
    }
    default: {
      std::vector<nlohmann::json> items;
      for (const Datum& part : d.parts) items.push_back(ToJson(part));
      std::sort(items.begin(), items.end());
      return items;
    }
  }
}

}  // namespace

bool Datum::operator<(const Datum& o) const {
  if (kind != o.kind) return kind < o.kind;
  if (text != o.text) return text < o.text;
  return std::lexicographical_compare(parts.begin(), parts.end(), o.parts.begin(), o.parts.end());
}

Datum Unknown() { return {'?', "", {}}; }

bool HasUnknown(const Datum& d) {
  return d.kind == '?' || std::any_of(d.parts.begin(), d.parts.end(), HasUnknown);
}

Truth Equal(const Datum& a, const Datum& b) {
  if (a.kind == '?' || b.kind == '?') return Truth::kUndecided;
  if (a.kind != b.kind || a.text != b.text) return Truth::kFalse;
  // Parts of sets and maps have no places of their own.
  if (a.kind == 's' || a.kind == 'm')
    return HasUnknown(a) || HasUnknown(b) ? Truth::kUndecided
           : a == b                       ? Truth::kTrue
                                          : Truth::kFalse;
  if (a.parts.size() != b.parts.size()) return Truth::kFalse;
  Truth out = Truth::kTrue;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    out = std::min(out, Equal(a.parts[i], b.parts[i]));
  return out;
}

Datum IntDatum(std::int64_t v) { return {'i', std::to_string(v), {}}; }

Datum FloatDatum(double v) {
  if (v >= -0x1p63 && v < 0x1p63 && v == std::trunc(v))
    return IntDatum(static_cast<std::int64_t>(v));
  return {'f', fmt::format("{}", v), {}};
}

Datum SetDatum(std::vector<Datum> parts) {
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return {'s', "", std::move(parts)};
}

Datum MapDatum(const std::vector<Datum>& flat) {
  std::map<Datum, Datum> entries;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) entries.emplace(flat[i], flat[i + 1]);
  Datum out{'m', "", {}};
  for (const auto& [k, v] : entries) out.parts.push_back({'l', "", {k, v}});
  return out;
}

std::string Plain(const Datum& d) { return d.kind == 'a' ? d.text : Text(d); }

std::string Text(const Datum& d) {
  std::string out;
  const auto each = [&](const char* separator) {
    for (std::size_t i = 0; i < d.parts.size(); ++i)
      out += (i > 0 ? separator : "") + Text(d.parts[i]);
  };
  switch (d.kind) {
    case 'n': return "nil";
    case '?': return "undefined";
    case 'k': return ":" + d.text;
    case 'a': return Quote(d.text);
    case 'l': out = "[", each(" "); return out + "]";
    case 's': out = "#{", each(" "); return out + "}";
    case 't': out = d.text + "(", each(", "); return out + ")";
    case 'm':
      out = "{";
      for (std::size_t i = 0; i < d.parts.size(); ++i)
        out += (i > 0 ? ", " : "") + Text(d.parts[i].parts[0]) + " " + Text(d.parts[i].parts[1]);
      return out + "}";
    default: return d.text;
  }
}

std::string SortedJson(const Datum& d) { return ToJson(d).dump(); }

Datum Unordered(Datum d) {
  if (d.kind == 'l') std::sort(d.parts.begin(), d.parts.end());
  return d;
}

}  // namespace rpl::naive
