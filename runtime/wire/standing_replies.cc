// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/standing_replies.h"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/shorten.h"
#include "runtime/wire/plain_term.h"

namespace rpl {
namespace {

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

}  // namespace rpl
