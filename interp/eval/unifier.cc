// SPDX-License-Identifier: Apache-2.0
//
// Matching keeps a list of (pattern, value) pairs still to be matched, linked through the
// C++ stack frames of the alternatives above. Taking a pair either fails, binds, or puts
// its parts in front of the list; an empty list is a match. Choices (which element of a
// set, which entry of a map) call the rest once per choice.
#include "interp/eval/unifier.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

namespace rpl {
namespace {

struct Todo {
  const Pattern* pattern;
  Value value;
  const Todo* next;
  std::span<const Value> order = {};  // of its parts, where it is not the value's own
};

std::span<const Value> InOrder(const Pool& pool, Value value, std::span<const Value> order) {
  return order.empty() ? pool.ItemsOf(value) : order;
}

// The distinct elements of a list, in its order, where a set pattern matches lists (decision 90).
std::vector<Value> ElementsOfList(const Pool& pool, const Pattern& p, Value v) {
  std::vector<Value> out;
  if (!p.lists || v.kind() != Kind::kList) return out;
  std::set<Value> seen;
  for (const Value item : pool.ItemsOf(v))
    if (seen.insert(item).second) out.push_back(item);
  return out;
}

bool IsSetOf(Pool& pool, const Pattern& p, Value v) {
  return p.lists && v.kind() == Kind::kList && pool.Set(pool.ItemsOf(v)) == p.constant;
}

bool Take(Pool& pool, const Todo* todo, Value* slots, Continuation then);

// Puts parts[i..] against values[i..] in front of `todo`, in order.
bool TakeAll(Pool& pool, const std::vector<Pattern>& parts, std::span<const Value> values,
             const Todo* todo, Value* slots, Continuation then) {
  std::vector<Todo> items(parts.size());
  for (std::size_t i = parts.size(); i-- > 0;)
    items[i] = {&parts[i], values[i], i + 1 < parts.size() ? &items[i + 1] : todo};
  return Take(pool, items.empty() ? todo : &items.front(), slots, then);
}

bool TakeList(Pool& pool, const Pattern& p, Value value, const Todo* todo, Value* slots,
              Continuation then) {
  if (value.kind() != Kind::kList) return true;
  const std::span<const Value> items = pool.ItemsOf(value);
  const std::size_t fixed = p.parts.size();
  if (p.rest.empty()) {
    if (items.size() != fixed) return true;
    return TakeAll(pool, p.parts, items, todo, slots, then);
  }
  if (items.size() < fixed) return true;
  const Todo rest{&p.rest.front(), pool.List(items.subspan(fixed)), todo};
  return TakeAll(pool, p.parts, items, &rest, slots, then);
}

// Matches parts[at..] with different elements; `taken` marks those in use.
bool TakeSet(Pool& pool, const Pattern& p, std::span<const Value> items, std::size_t at,
             std::vector<bool>& taken, const Todo* todo, Value* slots, Continuation then) {
  if (at == p.parts.size()) {
    if (p.rest.empty())
      return items.size() == p.parts.size() ? Take(pool, todo, slots, then) : true;
    std::vector<Value> rest;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (!taken[i]) rest.push_back(items[i]);
    const Todo more{&p.rest.front(), pool.Set(rest), todo};
    return Take(pool, &more, slots, then);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!pool.Work(1)) return false;
    if (taken[i]) continue;
    taken[i] = true;
    const Todo one{&p.parts[at], items[i], nullptr};
    const bool go_on = Take(pool, &one, slots, [&] {
      return TakeSet(pool, p, items, at + 1, taken, todo, slots, then);
    });
    taken[i] = false;
    if (!go_on) return false;
  }
  return true;
}

// Position of the entry of `key`, or items.size(). `g` and `?g` address the same slot of
// a bindings map (decision 46).
std::size_t FindKey(Pool& pool, std::span<const Value> items, Value key) {
  pool.Work(items.size() / 16);
  const auto at = [&](Value wanted) {
    std::size_t i = 0;
    while (i < items.size() && items[i] != wanted) i += 2;
    return i;
  };
  std::size_t found = at(key);
  if (found == items.size() && key.kind() == Kind::kSymbol) found = at(pool.Slot(pool.TextOf(key)));
  else if (found == items.size() && key.kind() == Kind::kSlot)
    found = at(pool.Symbol(pool.TextOf(key)));
  return found;
}

// Matches the entries parts[at], parts[at + 1], … with different entries of the map.
bool TakeMap(Pool& pool, const Pattern& p, std::span<const Value> items, std::size_t at,
             std::vector<bool>& taken, const Todo* todo, Value* slots, Continuation then) {
  if (at == p.parts.size()) {
    if (p.rest.empty())
      return p.open || items.size() == p.parts.size() ? Take(pool, todo, slots, then) : true;
    std::vector<Value> rest;
    for (std::size_t i = 0; i < items.size(); i += 2) {
      if (taken[i / 2]) continue;
      rest.push_back(items[i]);
      rest.push_back(items[i + 1]);
    }
    const Todo more{&p.rest.front(), pool.Map(rest), todo};
    return Take(pool, &more, slots, then);
  }
  const Pattern& key = p.parts[at];
  const bool is_value = key.kind == Pattern::Kind::kConstant && !key.lists;
  const auto with = [&](std::size_t i) {
    taken[i / 2] = true;
    const Todo value_todo{&p.parts[at + 1], items[i + 1], nullptr};
    const Todo key_todo{&key, items[i], &value_todo};
    const Todo* start = is_value ? &value_todo : &key_todo;
    const bool go_on = Take(pool, start, slots, [&] {
      return TakeMap(pool, p, items, at + 2, taken, todo, slots, then);
    });
    taken[i / 2] = false;
    return go_on;
  };
  if (is_value) {
    const std::size_t i = FindKey(pool, items, key.constant);
    return i == items.size() || taken[i / 2] || with(i);
  }
  for (std::size_t i = 0; i < items.size(); i += 2)
    if (!pool.Work(1) || (!taken[i / 2] && !with(i))) return false;
  return true;
}

// Whole-string match, leftmost holes shortest (decision 11). Bound holes count as literal text, so
// texts and open holes alternate.
struct TemplateParts {
  std::vector<std::string> texts;  // one more than there are holes
  std::vector<const Pattern*> holes;
  bool repeats = false;  // some open hole occurs twice
};

TemplateParts PartsOf(Pool& pool, const Pattern& p, const Value* slots) {
  TemplateParts out;
  out.texts.push_back(p.texts().front());
  std::vector<SlotId> open;
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    const Pattern& part = p.parts[i];
    const bool slot = part.kind == Pattern::Kind::kSlot;
    const bool again = slot && std::find(open.begin(), open.end(), part.slot) != open.end();
    if (slot && !part.binds && !again) {
      pool.Work(pool.TextBytes(slots[part.slot]) / 16);
      out.texts.back() += PlainText(pool, slots[part.slot]) + p.texts()[i + 1];
      continue;
    }
    if (slot && part.binds) open.push_back(part.slot);
    out.repeats |= again;
    out.holes.push_back(&part);
    out.texts.push_back(p.texts()[i + 1]);
  }
  return out;
}

// With distinct holes, only the first occurrence of each following text needs to be tried; the last
// text is a suffix.
bool TakeDistinctHoles(Pool& pool, const TemplateParts& t, std::string_view text, Value* slots) {
  if (!text.starts_with(t.texts.front())) return false;
  text.remove_prefix(t.texts.front().size());
  if (t.holes.empty()) return text.empty();
  for (std::size_t i = 0; i < t.holes.size(); ++i) {
    const std::string& follow = t.texts[i + 1];
    std::size_t length;
    if (i + 1 == t.holes.size()) {
      if (!text.ends_with(follow)) return false;
      length = text.size() - follow.size();
    } else {
      length = text.find(follow);
      if (length == std::string_view::npos) return false;
    }
    if (t.holes[i]->kind == Pattern::Kind::kSlot)
      slots[t.holes[i]->slot] = pool.String(text.substr(0, length));
    text.remove_prefix(length + follow.size());
  }
  return text.empty();
}

// Budget of a template with repeated holes: positions tried.
constexpr std::size_t kMaxPlaces = 100'000;

// With repeated holes, later occurrences are tried as well, within a budget. `held`: the texts of
// the holes before `hole`. `budget` becomes 0 when it is exceeded, or the work on all of them takes
// too long.
bool TakeRepeatedHoles(Pool& pool, const TemplateParts& t, std::string_view text, std::size_t hole,
                       std::vector<std::string_view>& held, std::size_t& budget) {
  if (!text.starts_with(t.texts[hole])) return false;
  text.remove_prefix(t.texts[hole].size());
  if (hole == t.holes.size()) return text.empty();
  const Pattern& part = *t.holes[hole];
  if (part.kind == Pattern::Kind::kSlot && !part.binds) {
    std::size_t first = 0;
    while (t.holes[first]->kind != Pattern::Kind::kSlot || t.holes[first]->slot != part.slot)
      ++first;
    held[hole] = held[first];
    return text.starts_with(held[hole]) &&
           TakeRepeatedHoles(pool, t, text.substr(held[hole].size()), hole + 1, held, budget);
  }
  for (std::size_t length = 0; length <= text.size() && budget > 0; ++length) {
    const std::size_t from = length;
    length = text.find(t.texts[hole + 1], length);
    if (!pool.Work(1 + (std::min(length, text.size()) - from) / 64)) budget = 0;
    if (length == std::string_view::npos || budget == 0) return false;
    if (--budget == 0) {
      pool.Overflow(fmt::format("a template with more than {} ways to match", kMaxPlaces));
      return false;
    }
    held[hole] = text.substr(0, length);
    if (TakeRepeatedHoles(pool, t, text.substr(length), hole + 1, held, budget)) return true;
  }
  return false;
}

bool TakeTemplate(Pool& pool, const Pattern& p, std::string_view text, Value* slots) {
  const TemplateParts parts = PartsOf(pool, p, slots);
  if (!parts.repeats) return TakeDistinctHoles(pool, parts, text, slots);
  std::size_t budget = kMaxPlaces + 1;
  std::vector<std::string_view> held(parts.holes.size());
  if (!TakeRepeatedHoles(pool, parts, text, 0, held, budget)) return false;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (parts.holes[i]->kind == Pattern::Kind::kSlot && parts.holes[i]->binds)
      slots[parts.holes[i]->slot] = pool.String(held[i]);
  return true;
}

// A template in which the holes marked `every` take every possible text; for each combination the
// other holes are shortest, leftmost first. Calls `then` for each combination.
class EverySplit {
 public:
  EverySplit(Pool& pool, const TemplateParts& parts, Value* slots, Continuation then)
      : pool_(pool), parts_(parts), slots_(slots), then_(then), held_(parts.holes.size()) {}

  // Matches `text` from this hole on, including the literal before it. False when stopped.
  bool Run(std::string_view text, std::size_t hole = 0) {
    if (!text.starts_with(parts_.texts[hole])) return true;
    text.remove_prefix(parts_.texts[hole].size());
    if (hole == held_.size()) return !text.empty() || Found();
    const Pattern& part = *parts_.holes[hole];
    if (part.kind == Pattern::Kind::kSlot && !part.binds) {  // again
      std::size_t first = 0;
      while (parts_.holes[first]->kind != Pattern::Kind::kSlot ||
             parts_.holes[first]->slot != part.slot)
        ++first;
      held_[hole] = held_[first];
      return !text.starts_with(held_[hole]) || Run(text.substr(held_[hole].size()), hole + 1);
    }
    const std::string& follow = parts_.texts[hole + 1];
    std::size_t length = 0;
    if (hole + 1 == held_.size()) {
      if (!text.ends_with(follow)) return true;
      length = text.size() - follow.size();
    }
    for (; length <= text.size(); ++length) {
      const std::size_t from = length;
      length = text.find(follow, length);
      if (!pool_.Work(1 + (std::min(length, text.size()) - from) / 64)) return false;
      if (length == std::string_view::npos) return true;
      if (++places_ > kMaxPlaces) {
        pool_.Overflow(fmt::format("a template with more than {} ways to match", kMaxPlaces));
        return true;
      }
      held_[hole] = text.substr(0, length);
      if (!Run(text.substr(length), hole + 1)) return false;
    }
    return true;
  }

 private:
  // Among splits with the same texts for those holes, only the first counts.
  bool Found() {
    std::vector<std::string_view> every;
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (parts_.holes[i]->every) every.push_back(held_[i]);
    if (!seen_.insert(std::move(every)).second) return true;
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (parts_.holes[i]->kind == Pattern::Kind::kSlot && parts_.holes[i]->binds)
        slots_[parts_.holes[i]->slot] = pool_.String(held_[i]);
    return then_();
  }

  Pool& pool_;
  const TemplateParts& parts_;
  Value* slots_;
  Continuation then_;
  std::vector<std::string_view> held_;
  std::set<std::vector<std::string_view>> seen_;
  std::size_t places_ = 0;
};

bool TakesEvery(const Pattern& p) {
  return p.parts.size() > 1 && std::any_of(p.parts.begin(), p.parts.end(),
                                           [](const Pattern& part) { return part.every; });
}

bool TakeRegex(Pool& pool, const Pattern& p, std::string_view text, Value* slots) {
  if (!pool.Work(1 + text.size() / 16)) return false;
  std::vector<re2::StringPiece> groups(p.parts.size() + 1);
  const re2::StringPiece input(text.data(), text.size());
  if (!p.regex().Match(input, 0, text.size(), re2::RE2::UNANCHORED, groups.data(),
                       static_cast<int>(groups.size())))
    return false;
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    const Pattern& part = p.parts[i];
    if (part.kind != Pattern::Kind::kSlot) continue;
    const bool took_part = groups[i + 1].data() != nullptr;
    const Value found =
        took_part ? pool.String({groups[i + 1].data(), groups[i + 1].size()}) : kNil;
    if (part.binds) slots[part.slot] = found;
    else if (slots[part.slot] != found) return false;
  }
  return true;
}

bool Take(Pool& pool, const Todo* todo, Value* slots, Continuation then) {
  for (; todo != nullptr; todo = todo->next) {
    const Pattern& p = *todo->pattern;
    const Value v = todo->value;
    switch (p.kind) {
      case Pattern::Kind::kAny: continue;
      case Pattern::Kind::kConstant:
        if (p.constant != v && !IsSetOf(pool, p, v)) return true;
        continue;
      case Pattern::Kind::kSlot:
        if (p.binds) slots[p.slot] = v;
        else if (slots[p.slot] != v) return true;
        continue;
      case Pattern::Kind::kList: return TakeList(pool, p, v, todo->next, slots, then);
      case Pattern::Kind::kSet: {
        const std::vector<Value> distinct = ElementsOfList(pool, p, v);
        if (v.kind() != Kind::kSet && !(p.lists && v.kind() == Kind::kList)) return true;
        const std::span<const Value> items =
            v.kind() == Kind::kSet ? InOrder(pool, v, todo->order) : distinct;
        std::vector<bool> taken(items.size());
        return TakeSet(pool, p, items, 0, taken, todo->next, slots, then);
      }
      case Pattern::Kind::kMap: {
        if (v.kind() != Kind::kMap) return true;
        const std::span<const Value> items = InOrder(pool, v, todo->order);
        std::vector<bool> taken(items.size() / 2);
        return TakeMap(pool, p, items, 0, taken, todo->next, slots, then);
      }
      case Pattern::Kind::kTerm: {
        if (v.kind() != Kind::kTerm || pool.NamespaceOf(v) != p.ns || pool.TextOf(v) != p.label())
          return true;
        const std::span<const Value> args = pool.ItemsOf(v);
        if (args.size() != p.parts.size()) return true;
        return TakeAll(pool, p.parts, args, todo->next, slots, then);
      }
      case Pattern::Kind::kTemplate:
        if (v.kind() == Kind::kString && TakesEvery(p)) {
          const TemplateParts parts = PartsOf(pool, p, slots);
          const Todo* next = todo->next;
          const auto go_on = [&] { return Take(pool, next, slots, then); };
          return EverySplit(pool, parts, slots, go_on).Run(pool.TextOf(v));
        }
        if (v.kind() != Kind::kString || !TakeTemplate(pool, p, pool.TextOf(v), slots)) return true;
        continue;
      case Pattern::Kind::kRegex:
        if (v.kind() != Kind::kString || !TakeRegex(pool, p, pool.TextOf(v), slots)) return true;
        continue;
      case Pattern::Kind::kEach: {
        if (p.parts.front().kind == Pattern::Kind::kAny) {  // any element gives the same answer
          if (v.kind() == Kind::kSet && pool.ItemsOf(v).empty()) return true;
          continue;
        }
        const Todo* next = todo->next;
        return UnifyEach(pool, p.parts.front(), v, slots,
                         [&] { return Take(pool, next, slots, then); });
      }
      case Pattern::Kind::kInstance: {
        if (p.slot >= 0 && p.binds) slots[p.slot] = v;
        else if (p.slot >= 0 && slots[p.slot] != v) return true;
        const Todo part{&p.parts.front(), v, todo->next, todo->order};
        return Take(pool, &part, slots, then);
      }
    }
  }
  return then();
}

}  // namespace

bool Unify(Pool& pool, const Pattern& pattern, Value value, Value* slots, Continuation then,
           std::span<const Value> order) {
  const Todo todo{&pattern, value, nullptr, order};
  return Take(pool, &todo, slots, then);
}

bool UnifyEach(Pool& pool, const Pattern& pattern, Value value, Value* slots, Continuation then,
               std::span<const Value> order) {
  const bool takes_set =
      pattern.kind == Pattern::Kind::kSet ||
      (pattern.kind == Pattern::Kind::kConstant && pattern.constant.kind() == Kind::kSet);
  if (takes_set && value.kind() != Kind::kSet && !(pattern.lists && value.kind() == Kind::kList))
    return true;
  if (value.kind() == Kind::kSet && !takes_set) {
    for (Value element : InOrder(pool, value, order))
      if (!pool.Work(1) || !Unify(pool, pattern, element, slots, then)) return false;
    return true;
  }
  // A map against a two-element list: each entry as [key value] (decision 30).
  if (value.kind() == Kind::kMap && pattern.kind == Pattern::Kind::kConstant &&
      pattern.constant.kind() == Kind::kList) {
    const std::span<const Value> entry = pool.ItemsOf(pattern.constant);
    return entry.size() != 2 || pool.Lookup(value, entry[0]) != entry[1] || then();
  }
  if (value.kind() == Kind::kMap && pattern.kind == Pattern::Kind::kList &&
      pattern.parts.size() == 2 && pattern.rest.empty()) {
    const std::span<const Value> items = InOrder(pool, value, order);
    for (std::size_t i = 0; i < items.size(); i += 2)
      if (!TakeAll(pool, pattern.parts, items.subspan(i, 2), nullptr, slots, then)) return false;
    return true;
  }
  return Unify(pool, pattern, value, slots, then, order);
}

Value Build(Pool& pool, const Pattern& p, const Value* slots,
            const std::vector<std::string>* names) {
  const auto parts = [&](std::vector<Value>& out) {
    for (const Pattern& part : p.parts) {
      out.push_back(Build(pool, part, slots, names));
      if (out.back().is_none()) return false;
    }
    return true;
  };
  std::vector<Value> items;
  switch (p.kind) {
    case Pattern::Kind::kConstant: return p.constant;
    case Pattern::Kind::kSlot: return slots[p.slot];
    case Pattern::Kind::kList:
    case Pattern::Kind::kSet:
    case Pattern::Kind::kMap: {
      if (!parts(items)) return kNone;
      if (!p.rest.empty()) {
        const Value rest = Build(pool, p.rest.front(), slots, names);
        const Kind wanted = p.kind == Pattern::Kind::kList  ? Kind::kList
                            : p.kind == Pattern::Kind::kSet ? Kind::kSet
                                                            : Kind::kMap;
        if (rest.kind() != wanted) return kNone;
        const std::span<const Value> more = pool.ItemsOf(rest);
        items.insert(items.end(), more.begin(), more.end());
      }
      if (p.kind == Pattern::Kind::kList) return pool.List(items);
      return p.kind == Pattern::Kind::kSet ? pool.Set(items) : pool.Map(items);
    }
    case Pattern::Kind::kTerm:
      for (const Pattern& part : p.parts) {
        if (part.kind == Pattern::Kind::kAny) {
          items.push_back(kWild);
          continue;
        }
        Value v = Build(pool, part, slots, names);
        if (v.is_none() && part.kind == Pattern::Kind::kSlot && names != nullptr)
          v = pool.Slot((*names)[static_cast<std::size_t>(part.slot)]);
        if (v.is_none()) return kNone;
        items.push_back(v);
      }
      return pool.Term(p.ns, p.label(), items);
    case Pattern::Kind::kTemplate: {
      constexpr std::size_t kSlack = 16;  // TextBytes counts the quotes of a text
      std::string text = p.texts().front();
      for (std::size_t i = 0; i < p.parts.size(); ++i) {
        const Value v = Build(pool, p.parts[i], slots, names);
        if (v.is_none()) return kNone;
        const std::uint64_t bytes = pool.TextBytes(v);
        if (bytes > kMaxTextBytes || text.size() + bytes > kMaxTextBytes + kSlack) {
          pool.Overflow("a text longer than 64 MiB");
          return kNone;
        }
        if (!pool.Work(bytes / 16)) return kNone;
        if (v.kind() == Kind::kString) text += pool.TextOf(v);
        else text += PlainText(pool, v);
        text += p.texts()[i + 1];
      }
      return pool.String(text);
    }
    case Pattern::Kind::kAny:
    case Pattern::Kind::kRegex:
    case Pattern::Kind::kEach:
    case Pattern::Kind::kInstance: return kNone;
  }
  return kNone;
}

}  // namespace rpl
