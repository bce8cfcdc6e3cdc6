// SPDX-License-Identifier: Apache-2.0
#include "shell/host/scripted_agent.h"

#include <algorithm>
#include <set>

#include "formats/shorten.h"
#include "formats/spelling.h"
#include "formats/terminal_text.h"
#include "grammar/parser.h"
#include "interp/program/program.h"

namespace rpl {
namespace {

// --- RPL terms ----------------------------------------------------------------------------

// The value of a plain term, with kWild for lvars.
Value ValueOfTerm(const Node& term, Pool& pool) {
  if (const auto* s = term.As<String>()) return pool.String(s->text);
  if (const auto* k = term.As<Keyword>()) return pool.Keyword(k->name);
  if (const auto* s = term.As<Symbol>()) return pool.Symbol(s->name);
  if (const auto* b = term.As<Boolean>()) return Pool::Bool(b->value);
  if (const auto* n = term.As<Number>()) return NumberValue(pool, *n);
  if (term.As<Nil>() != nullptr) return kNil;
  if (term.As<Lvar>() != nullptr) return kWild;
  std::vector<Value> items;
  ForEachChild(term, [&](const Node& child) { items.push_back(ValueOfTerm(child, pool)); });
  if (const auto* call = term.As<Call>()) return pool.Term(call->ns, call->label, items);
  switch (term.As<Collection>()->kind) {
    case CollectionKind::kList: return pool.List(items);
    case CollectionKind::kSet: return pool.Set(items);
    case CollectionKind::kMap: return pool.Map(items);
  }
  return kNone;
}

// True if the value matches the pattern, where kWild matches anything. Inside sets and in map keys
// the parts must be equal.
bool Fits(const Pool& pool, Value pattern, Value value) {
  if (pattern == kWild || pattern == value) return true;
  if (pattern.kind() != value.kind()) return false;
  const bool map = pattern.kind() == Kind::kMap;
  if (pattern.kind() != Kind::kList && pattern.kind() != Kind::kTerm && !map) return false;
  const auto wanted = pool.ItemsOf(pattern);
  const auto given = pool.ItemsOf(value);
  if (wanted.size() != given.size()) return false;
  if (pattern.kind() == Kind::kTerm && (pool.TextOf(pattern) != pool.TextOf(value) ||
                                        pool.NamespaceOf(pattern) != pool.NamespaceOf(value))) {
    return false;
  }
  for (std::size_t i = 0; i < wanted.size(); i += map ? 2 : 1) {
    if (map) {
      const Value under_key = pool.Lookup(value, wanted[i]);
      if (under_key.is_none() || !Fits(pool, wanted[i + 1], under_key)) return false;
    } else if (!Fits(pool, wanted[i], given[i])) {
      return false;
    }
  }
  return true;
}

bool CallFits(const Node& call, const Request& request, Pool& pool) {
  if (const auto* avar = call.As<Avar>()) {
    return request.tool.empty() && KeyFits(request, avar->name);
  }
  if (const auto* symbol = call.As<Symbol>()) return KeyFits(request, symbol->name);
  const auto* tool = call.As<Call>();
  if (tool == nullptr || tool->label != request.tool || tool->args.size() != request.args.size()) {
    return false;
  }
  for (std::size_t i = 0; i < request.args.size(); ++i) {
    if (!Fits(pool, ValueOfTerm(tool->args[i], pool), request.args[i])) return false;
  }
  return true;
}

}  // namespace

namespace {

// A plain term with this text; nullopt if it is none.
std::optional<Node> PlainTerm(std::string_view text) {
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file = sources.Add("<key>", std::string(text));
  std::optional<Node> term =
      ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
  if (term && !IsPlain(*term, true)) term.reset();
  return term;
}

// A key of replies, read once.
class ReplyKey {
 public:
  explicit ReplyKey(std::string_view key) : key_(key) {
    // `stay(1, ?to, ?x) for ?to`: its reply is that of the whole heading.
    const std::string_view call = key.substr(0, key.find(") for ?"));
    const std::size_t open = call.find('(');
    if (open == call.npos || call.starts_with('$')) return;
    if (const std::optional<Node> term =
            PlainTerm(call.size() < key.size() ? std::string(call) + ")" : std::string(call))) {
      pattern_ = ValueOfTerm(*term, pool_);
      relation_ = call.substr(0, open + 1);
    }
  }

  bool Matches(const TraceEntry& entry) {
    if (entry.kind != TraceEntry::Kind::kReply || !entry.answered || key_.empty()) return false;
    const AnsweredCall& answered = *entry.answered;
    if (answered.call == key_ ||
        (entry.text.starts_with(key_) && entry.text.substr(key_.size(), 2) == " ^"))
      return true;
    std::string_view name = key_;
    if (name.starts_with('?') || name.starts_with('$')) name.remove_prefix(1);
    if (std::ranges::find(answered.keys, name) != answered.keys.end()) return true;
    // `q(1, ?v)` asked for what is now `q(1, 5)`.
    if (relation_.empty() || !answered.call.starts_with(relation_)) return false;
    const std::optional<Node> call = PlainTerm(answered.call);
    return call && Fits(pool_, pattern_, ValueOfTerm(*call, pool_));
  }

 private:
  std::string_view key_;
  Pool pool_;
  Value pattern_ = kNone;      // of the call of a heading
  std::string_view relation_;  // its beginning, "q("; "" for other keys
};

bool IsAnswered(const Trace& trace, std::string_view key) {
  ReplyKey wanted(key);
  return std::any_of(trace.begin(), trace.end(),
                     [&](const TraceEntry& entry) { return wanted.Matches(entry); });
}

}  // namespace

const TraceEntry* LastReply(const Trace& trace, std::string_view key) {
  const std::vector<const TraceEntry*> standing = StandingReplies(trace, key);
  return standing.empty() ? nullptr : standing.front();
}

std::vector<const TraceEntry*> StandingReplies(const Trace& trace, std::string_view key) {
  ReplyKey wanted(key);
  std::vector<const TraceEntry*> out;
  std::set<std::string> over;  // calls and sentences that a later entry replies to or takes back
  for (auto entry = trace.rbegin(); entry != trace.rend(); ++entry) {
    const bool retracts = entry->kind == TraceEntry::Kind::kRetraction;
    if (retracts) over.insert(entry->text);
    if (wanted.Matches(*entry) && !over.contains(RetractionOf(*entry)) &&
        !over.contains(entry->answered->call))
      out.push_back(&*entry);
    if (entry->answered && (retracts || entry->kind == TraceEntry::Kind::kReply))
      over.insert(entry->answered->call);
  }
  return out;
}

std::string KeyOfReply(const Trace& trace, const TraceEntry& reply) {
  const AnsweredCall& call = *reply.answered;
  if (!call.tool.empty() || call.keys.empty()) return call.call;
  const std::string& name = call.keys.size() == 2 ? call.keys.back() : call.keys.front();
  return LastReply(trace, name) == &reply ? name : call.call;
}

std::string TakesBack(const Trace& trace, std::string_view key) {
  const TraceEntry* reply = LastReply(trace, key);
  return reply == nullptr ? "" : RetractionOf(*reply);
}

Retractions TakeBack(const Trace& trace, const std::vector<std::string>& keys) {
  Retractions out;
  for (const std::string& key : keys) {
    const std::vector<const TraceEntry*> standing = StandingReplies(trace, key);
    if (standing.empty()) {
      const std::string told = "answered for `" + Shortened(key, kToldBytes) + "`";
      out.refused = IsAnswered(trace, key) ? "what was " + told + " is taken back already"
                                           : "nothing was " + told;
      return out;
    }
    for (const TraceEntry* reply : standing) {
      std::string retraction = RetractionOf(*reply);
      if (std::ranges::find(out.sentences, retraction) != out.sentences.end()) continue;
      out.sentences.push_back(std::move(retraction));
      break;
    }
  }
  return out;
}

bool KeyFits(const Request& request, std::string_view key) {
  if (key == request.id) return true;
  if (key.starts_with('?') || key.starts_with('$')) key.remove_prefix(1);
  return !key.empty() && (key == request.name || key == request.relation || key == request.tool);
}

std::optional<ScriptedAnswer> AnswerFromOption(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  const std::string key = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  ScriptedAnswer answer;
  answer.label = key;
  answer.matches = [key](const Request& request, Pool&) { return KeyFits(request, key); };
  answer.make = [value](const Request& request, Pool& pool) {
    return ScriptedAnswer::Made{
        {rpl::Answer::Kind::kValue, TypedReply(pool, value, request)}, "", ""};
  };
  return answer;
}

ScriptedAnswer DeclineFromOption(const std::string& key) {
  ScriptedAnswer answer;
  answer.label = key;
  answer.matches = [key](const Request& request, Pool&) { return KeyFits(request, key); };
  answer.make = [](const Request&, Pool&) {
    return ScriptedAnswer::Made{{rpl::Answer::Kind::kDecline, kNone}, "", ""};
  };
  return answer;
}

ScriptedAnswer AnswerFromTerms(std::string label, Node call, rpl::Answer::Kind kind, Node value,
                               By by) {
  ScriptedAnswer answer;
  answer.label = std::move(label);
  answer.matches = [call = std::move(call)](const Request& request, Pool& pool) {
    return CallFits(call, request, pool);
  };
  answer.make = [kind, by, value = std::move(value)](const Request&, Pool& pool) {
    const bool has_value = kind == rpl::Answer::Kind::kValue || kind == rpl::Answer::Kind::kMeta;
    const Value held = has_value ? ValueOfTerm(value, pool) : kNone;
    return ScriptedAnswer::Made{{.kind = kind, .value = held, .by = by}, "", ""};
  };
  return answer;
}

bool IsPlain(const Node& term, bool variables) {
  const auto* call = term.As<Call>();
  const auto* collection = term.As<Collection>();
  bool plain = term.As<String>() || term.As<Number>() || term.As<Keyword>() || term.As<Symbol>() ||
               term.As<Boolean>() || term.As<Nil>() || (variables && term.As<Lvar>()) ||
               (call && call->ns == Namespace::kRelation) ||
               (collection && collection->rest.empty());
  ForEachChild(term, [&](const Node& child) { plain = plain && IsPlain(child, variables); });
  return plain;
}

std::vector<std::string> ScriptedAgent::Unused() const {
  std::vector<std::string> labels;
  for (const ScriptedAnswer& answer : script_) {
    if (!answer.used) labels.push_back(answer.label);
  }
  return labels;
}

std::string ScriptedAgent::NameLike(std::string_view key) const {
  if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) return "";
  NearestName nearest(key);
  for (const std::string& name : asked_) nearest.Offer(name);
  return nearest.name();
}

std::optional<rpl::Answer> ScriptedAgent::Scripted(const Request& request, Pool& pool) {
  last_.clear();
  for (const std::string& name : {request.name, request.relation, request.tool})
    if (!name.empty()) asked_.push_back(name);
  std::optional<rpl::Answer> out;
  std::vector<Value> rows;  // of a question for rows
  for (ScriptedAnswer& answer : script_) {
    if (answer.used || !answer.matches(request, pool)) continue;
    const rpl::Answer made = Made(answer, request, pool);
    const bool row = !request.row.empty() && made.kind == rpl::Answer::Kind::kValue;
    if (!out) out = made;
    if (!row) return out;
    const bool several = made.value.kind() == Kind::kList || made.value.kind() == Kind::kSet;
    if (!several) rows.push_back(made.value);
    else rows.insert(rows.end(), pool.ItemsOf(made.value).begin(), pool.ItemsOf(made.value).end());
    if (rows.size() > 1) out->value = pool.List(rows);
  }
  return out;
}

rpl::Answer ScriptedAgent::Made(ScriptedAnswer& answer, const Request& request, Pool& pool) {
  answer.used = true;
  last_ = answer.label;
  ScriptedAnswer::Made made = answer.make(request, pool);
  if (!made.error.empty() && misfit_.error.empty()) {
    made.error = "the answer for `" + answer.label + "` does not fit: " + made.error;
    misfit_ = made;
  }
  made.answer.prepared = true;
  return made.answer;
}

rpl::Answer ScriptedAgent::Ask(const Request& request, Pool& pool, std::string_view refused) {
  const bool misfits = !refused.empty() && !last_.empty();
  if (misfits)
    err_ << "note: the answer for `" << PrintableLine(last_)
         << "` is refused: " << PrintableLine(refused) << '\n';
  std::optional<rpl::Answer> answer = Scripted(request, pool);
  if (!answer) answer = otherwise_.Ask(request, pool, misfits ? "" : refused);
  unanswered_.reset();
  if (answer->kind == rpl::Answer::Kind::kNobody) unanswered_ = request;
  return *answer;
}

std::vector<rpl::Answer> ScriptedAgent::Call(const std::vector<Request>& requests, Pool& pool) {
  std::vector<rpl::Answer> answers(requests.size());
  std::vector<Request> rest;
  std::vector<std::size_t> places;  // indexes in `requests`, parallel to `rest`
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (auto answer = Scripted(requests[i], pool)) {
      answers[i] = std::move(*answer);
    } else {
      rest.push_back(requests[i]);
      places.push_back(i);
    }
  }
  if (rest.empty()) return answers;
  const std::vector<rpl::Answer> others = otherwise_.Call(rest, pool);
  for (std::size_t k = 0; k < rest.size(); ++k) answers[places[k]] = others[k];
  return answers;
}

}  // namespace rpl
