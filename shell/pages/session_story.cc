// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/session_story.h"

#include "runtime/attempt.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "formats/data/json_fields.h"
#include "interp/program/program.h"
#include "runtime/explained.h"
#include "runtime/nobody.h"
#include "runtime/run/saved_session.h"
#include "shell/pages/shown_document.h"
#include "shell/program/guard_setup.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr ExplainLimits kProofs{20, 64};
constexpr std::size_t kStoryDepth = 3;

std::vector<std::string> TextsAt(const ordered_json& object, const char* key) {
  std::vector<std::string> out;
  if (const auto at = object.find(key); at != object.end() && at->is_array())
    for (const ordered_json& text : *at)
      if (text.is_string()) out.push_back(text.get<std::string>());
  return out;
}

// "$refund blocked by the rule `refund-limit`: over the limit (amount 950 is above 200)".
std::string DecisionLine(const ordered_json& decision) {
  const ordered_json tool = decision.value("tool", ordered_json::object());
  const ordered_json cause = decision.value("cause", ordered_json::object());
  const std::string effect = TextAt(decision, "effect");
  std::string out = "$" + TextAt(tool, "name");
  const auto enforced = decision.find("enforced");
  if (effect != "allow" && enforced != decision.end() && *enforced == false) out += " would be";
  out += effect == "allow" ? " allowed" : effect == "hitl" ? " held for a review" : " blocked";
  if (const std::string rule = TextAt(cause, "ruleId"); !rule.empty())
    out += " by the rule `" + rule + "`";
  if (const std::string review = TextAt(cause, "approvalId"); !review.empty())
    out += ", review " + review;
  if (const std::string message = TextAt(decision, "message"); !message.empty())
    out += ": " + message;
  std::string found;
  for (const std::string& premise : TextsAt(decision, "premises"))
    found += (found.empty() ? "" : "; ") + premise;
  return found.empty() ? out : out + " (" + found + ")";
}

// --- Recorded events ---------------------------------------------------------------------

class Recorded {
 public:
  explicit Recorded(std::vector<StoryTurn>& turns) : turns_(turns) {}

  void Take(const Event& event) {
    const ordered_json read = ordered_json::parse(event.body, nullptr, false);
    const ordered_json body = read.is_object() ? read : ordered_json::object();
    switch (event.kind) {
      case Event::Kind::kProgram:
      case Event::Kind::kFile: break;
      case Event::Kind::kTurn:
        turns_.emplace_back();
        if (body.contains("text")) turns_.back().message = TextAt(body, "text");
        break;
      case Event::Kind::kStep:
        Turn().steps.emplace_back();
        Turn().steps.back().number = NumberAt(body, "timestep", 0);
        Turn().steps.back().now = TextAt(body, "now");
        break;
      case Event::Kind::kEntry:
        for (TraceEntry& entry : Entries({&event, 1}))
          if (!entry.again)
            Add(StoryItem::Kind::kEntry, entry.phase, std::move(entry.text)).entry = entry.kind;
        break;
      case Event::Kind::kOutside: break;
      case Event::Kind::kDecision:
        Add(StoryItem::Kind::kDecision, NumberAt(body, "phase", 8), DecisionLine(body));
        break;
      case Event::Kind::kChat: Add(StoryItem::Kind::kChat, 8, TextAt(body, "line")); break;
      case Event::Kind::kCall: {
        StoryItem& item = Add(StoryItem::Kind::kCall, 8, TextAt(body, "call"));
        item.call.question = !body.contains("tool");
        break;
      }
      case Event::Kind::kStarted:
        if (StoryCall* call = Open(TextAt(body, "call"))) call->started = true;
        break;
      case Event::Kind::kReply:
        if (StoryCall* call = Open(TextAt(body, "call"))) Reply(body, *call);
        break;
      case Event::Kind::kAttempt:
        if (const Attempt attempt = AttemptOf(body); attempt.gate != Attempt::Gate::kTaken)
          Add(StoryItem::Kind::kAttempt, 8, AttemptLine(attempt));
        break;
      case Event::Kind::kOutcome: End(body); break;
    }
  }

 private:
  static void Reply(const ordered_json& body, StoryCall& call) {
    const std::string kind = TextAt(body, "kind");
    call.reply = kind == "value"      ? StoryCall::Reply::kValue
                 : kind == "metadata" ? StoryCall::Reply::kMetadata
                                      : StoryCall::Reply::kDeclined;
    call.value = TextAt(body, "value");
    call.by = ByOf(TextAt(body, "by"));
    call.model = TextAt(body, "model");
    if (const auto ms = body.find("ms"); ms != body.end() && ms->is_number_integer())
      call.took_ms = ms->get<std::int64_t>();
  }

  void End(const ordered_json& body) {
    StoryTurn& turn = Turn();
    turn.over = true;
    turn.status = TextAt(body, "status");
    turn.goal = TextAt(body, "goal");
    turn.reason = TextAt(body, "reason");
    turn.answers = TextsAt(body, "answers");
  }

  StoryTurn& Turn() {
    if (turns_.empty()) turns_.emplace_back();
    return turns_.back();
  }

  StoryItem& Add(StoryItem::Kind kind, int phase, std::string text) {
    StoryTurn& turn = Turn();
    if (turn.steps.empty()) turn.steps.emplace_back();
    std::vector<StoryItem>& items = turn.steps.back().items;
    items.push_back({kind, std::clamp(phase, 0, 8), {std::move(text), {}}, {}, {}, {}});
    return items.back();
  }

  // The call with this text in this timestep; replies are recorded in the timestep of the call.
  StoryCall* Open(const std::string& text) {
    if (Turn().steps.empty()) return nullptr;
    std::vector<StoryItem>& items = Turn().steps.back().items;
    const auto at = std::find_if(items.rbegin(), items.rend(), [&](const StoryItem& item) {
      return item.kind == StoryItem::Kind::kCall && item.line.text == text;
    });
    return at == items.rend() ? nullptr : &at->call;
  }

  std::vector<StoryTurn>& turns_;
};

// --- Replay ------------------------------------------------------------------------------

class Replayed {
 public:
  explicit Replayed(StoryEpoch& epoch) {
    for (StoryTurn& turn : epoch.turns)
      for (StoryStep& step : turn.steps) steps_[step.number].step = &step;
  }

  /// True if the rest of the replay is not part of the record.
  bool IsOver() const { return saved_ != nullptr && saved_->over(); }

  /// Takes reports of `saved` from now on; null for no further ones.
  void Listen(SavedSession* saved) { saved_ = saved; }

  // Items are recorded; the log adds their places. Other lines are details.
  void Take(const LogLine& line) {
    // A turn that was cut off goes on at the end of the record; that did not happen then.
    if (saved_ == nullptr || saved_->over()) return;
    const auto at = steps_.find(line.timestep);
    if (at == steps_.end()) return;
    Progress& to = at->second;
    using Verb = LogLine::Verb;
    switch (line.verb) {
      case Verb::kPhase: break;
      case Verb::kTrace:
        if (StoryItem* item = Place(to, StoryItem::Kind::kEntry, to.entries, line); item != nullptr)
          item->goal = line.entry->goal;
        break;
      case Verb::kChat: Place(to, StoryItem::Kind::kChat, to.chats, line); break;
      case Verb::kDispatched:
        if (StoryItem* item = Place(to, StoryItem::Kind::kCall, to.calls, line); item != nullptr)
          TakeRequest(*line.request, item->call);
        break;
      case Verb::kViolated: AddViolation(*to.step, line); break;
      default: AddDetail(*to.step, line);
    }
  }

 private:
  /// How many items of each kind were met in a timestep.
  struct Progress {
    StoryStep* step = nullptr;
    std::size_t entries = 0, chats = 0, calls = 0;
  };

  // The next item of this kind, which the line is about. Both are told in one order.
  static StoryItem* Place(Progress& to, StoryItem::Kind kind, std::size_t& met,
                          const LogLine& line) {
    std::size_t number = met++;
    for (StoryItem& item : to.step->items) {
      if (item.kind != kind || number-- > 0) continue;
      item.line.place = line.place;
      return &item;
    }
    return nullptr;
  }

  void TakeRequest(const Request& request, StoryCall& call) {
    if (!call.question) return;
    call.prompt = request.prompt;
    call.key = request.name;
    Pool& pool = saved_->session().pool();
    for (const Value option : request.choices())
      call.options.push_back(Json(pool, option).value_or(Text(pool, option)));
  }

  static void AddViolation(StoryStep& step, const LogLine& line) {
    const auto after = std::find_if(step.items.begin(), step.items.end(),
                                    [&](const StoryItem& i) { return i.phase > line.phase; });
    step.items.insert(
        after, {StoryItem::Kind::kViolation, line.phase, {line.text, line.place}, {}, {}, {}});
  }

  static void AddDetail(StoryStep& step, const LogLine& line) {
    StoryLog& log = step.log[static_cast<std::size_t>(line.phase)];
    if (log.lines.size() == kStoryLogLines) ++log.more;
    else log.lines.push_back({SaidText(line), line.place});
  }

  SavedSession* saved_ = nullptr;
  std::map<int, Progress> steps_;  // by number
};

// The goals of satisfied entries and of outcomes, in the order in which they were met.
std::vector<std::string> Pursued(const StoryEpoch& epoch) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (name.starts_with('%') && std::find(out.begin(), out.end(), name) == out.end())
      out.push_back(name);
  };
  for (const StoryTurn& turn : epoch.turns) {
    for (const StoryStep& step : turn.steps)
      for (const StoryItem& item : step.items) add(item.goal);
    add(turn.goal);
  }
  return out;
}

void AddGoals(StoryEpoch& epoch) {
  Session& session = epoch.saved->session();
  for (const std::string& name : Pursued(epoch)) {
    const Goal* goal = session.program().FindGoal(name.substr(1));
    if (goal == nullptr || goal->rules.empty()) continue;  // the goal of a query no longer exists
    StoryGoal told{name, {}, 0, {}};
    std::string captures;
    for (const Value capture : goal->captures)
      captures += (captures.empty() ? "" : ", ") + Text(session.pool(), capture);
    if (!captures.empty()) told.form += "(" + captures + ")";
    Explained explained = session.Explain(told.form, kProofs, kStoryDepth);
    if (explained.rejected) continue;
    told.proofs = std::move(explained.why.proofs);
    told.more = explained.why.more;
    told.why_not = std::move(explained.why_not);
    epoch.goals.push_back(std::move(told));
  }
}

// Messages and the library are no documents of the program.
std::string TitleOf(const StoryEpoch& epoch) {
  for (std::uint32_t file = 0; file < epoch.files; ++file) {
    const std::string& name = epoch.sources().at(file).name;
    if (!IsMarkdownName(name)) continue;
    const Document document = ShownDocument(epoch.sources(), file);
    for (const Scope& scope : document.scopes)
      if (!scope.title.empty()) return scope.title;
  }
  return "";
}

// `events` end with the epoch, which starts at `begin`.
StoryEpoch Tell(const std::vector<Event>& events, std::size_t begin, SourceAccess* reader,
                HostDescription* host) {
  static Nobody nobody;  // sessions borrow it
  StoryEpoch epoch;
  Recorded recorded(epoch.turns);
  for (std::size_t i = begin; i < events.size(); ++i) recorded.Take(events[i]);

  // Shared with the callbacks that the session keeps, because it outlives this function.
  const auto replayed = std::make_shared<Replayed>(epoch);
  SessionOptions options;
  const ProgramEvent program = *LastProgram(events);
  epoch.gate = GateSetupFrom(program.guard);
  options.gate = epoch.gate.get();
  options.host = host;
  options.limits.max_seconds = 0;
  options.limits.max_megabytes = 0;
  options.interrupted = [replayed] { return replayed->IsOver() || Interrupted(); };
  options.tell_replayed = true;
  options.log = [replayed](const LogLine& line) { replayed->Take(line); };
  epoch.saved =
      std::make_unique<SavedSession>(Ports(nobody, nobody, reader != nullptr ? *reader : nobody),
                                     std::move(options), events, nullptr, Journal::End::kOver);
  replayed->Listen(epoch.saved.get());
  epoch.saved->Start(program.files, [](const std::string&) { return std::nullopt; });
  replayed->Listen(nullptr);
  epoch.differs = epoch.saved->journal().Difference();
  epoch.files = static_cast<std::uint32_t>(epoch.sources().size());
  const bool told = epoch.differs.empty() && !epoch.turns.empty() && epoch.turns.back().over &&
                    !epoch.saved->finished_turn();
  if (told) epoch.last = epoch.saved->last();
  epoch.title = TitleOf(epoch);
  AddGoals(epoch);
  return epoch;
}

}  // namespace

StoryEpoch::StoryEpoch() = default;
StoryEpoch::StoryEpoch(StoryEpoch&&) noexcept = default;
StoryEpoch::~StoryEpoch() = default;

const Sources& StoryEpoch::sources() const { return saved->session().sources(); }

std::vector<StoryEpoch> TellStory(const std::vector<Event>& events, SourceAccess* reader,
                                  HostDescription* host) {
  std::vector<StoryEpoch> out;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != Event::Kind::kProgram) continue;
    const auto next =
        std::find_if(events.begin() + static_cast<std::ptrdiff_t>(i) + 1, events.end(),
                     [](const Event& event) { return event.kind == Event::Kind::kProgram; });
    out.push_back(Tell({events.begin(), next}, i, reader, host));
  }
  return out;
}

}  // namespace rpl
