// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/guard_store.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "formats/data/json_text.h"
#include "formats/database.h"
#include "formats/shorten.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Query = Database::Query;

constexpr Database::Form kForm = {
    0x72706c67,  // "rplg"
    1,
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL,"
    " steps INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE tools(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);"  // name and tags
    "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);"
    "CREATE TABLE metrics(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);"  // agent and key
    "CREATE TABLE calls(run INTEGER, step INTEGER, tool INTEGER NOT NULL, call TEXT NOT NULL,"
    " counts INTEGER NOT NULL, begun INTEGER NOT NULL, ended INTEGER, took_ms REAL, PRIMARY "
    "KEY(run, step)) WITHOUT ROWID;"
    "CREATE INDEX open_calls ON calls(run, call) WHERE ended IS NULL;"
    "CREATE TABLE used(run INTEGER, tool INTEGER, open INTEGER NOT NULL, ended INTEGER NOT NULL,"
    " took_ms REAL NOT NULL, PRIMARY KEY(run, tool)) WITHOUT ROWID;"
    "CREATE TABLE samples(metric INTEGER, at INTEGER, n INTEGER, tool INTEGER NOT NULL,"
    " user INTEGER NOT NULL, value REAL NOT NULL, PRIMARY KEY(metric, at, n)) WITHOUT ROWID;"
    "CREATE TABLE totals(metric INTEGER, user INTEGER, width INTEGER, start INTEGER, tool INTEGER,"
    " count INTEGER NOT NULL, sum REAL NOT NULL, most REAL NOT NULL, least REAL NOT NULL,"
    " PRIMARY KEY(metric, user, width, start, tool)) WITHOUT ROWID;"
    "CREATE TABLE reviews(n INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, request TEXT NOT NULL,"
    " state INTEGER NOT NULL, reason TEXT NOT NULL DEFAULT '',"
    " answered_by TEXT NOT NULL DEFAULT '', answered_at INTEGER NOT NULL DEFAULT 0,"
    " expires INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0,"
    " spent_by TEXT NOT NULL DEFAULT '');"
    "CREATE INDEX approvals ON reviews(expires) WHERE state=2;"
    "CREATE TABLE policies(n INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, image TEXT NOT "
    "NULL);"};

// The periods that have totals, the widest first.
constexpr std::array<Moment, 3> kWidths = {86400 * kSecond, 3600 * kSecond, 60 * kSecond};

// Later than any value of a metric; a whole number of the widest periods.
constexpr Moment kLast = 100'000'000 * kWidths.front();

// The total of all users; users have ids from 1.
constexpr std::int64_t kEverybody = 0;

// Rounds towards the past.
Moment FloorOf(Moment at, Moment width) {
  const Moment quotient = at / width;
  return (at % width < 0 ? quotient - 1 : quotient) * width;
}

// A tool and its tags in one text.
std::string ToolName(const std::string& tool, const std::vector<std::string>& tags) {
  return ordered_json::array({tool, tags})
      .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

bool Take(std::string_view& from, std::string_view what) {
  if (!from.starts_with(what)) return false;
  from.remove_prefix(what.size());
  return true;
}

bool TakeText(std::string_view& from, std::string& to) {
  const std::size_t end = from.find('"', 1);
  if (!from.starts_with('"') || end == from.npos) return false;
  to = from.substr(1, end - 1);
  from.remove_prefix(end + 1);
  return true;
}

// The tool and its tags in a text of ToolName that is ASCII without escapes, as most are: a reader
// of JSON takes tens of times as long. Empty if it is another text.
std::vector<std::string> PlainToolName(std::string_view text) {
  std::vector<std::string> out(1);
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '\\'; };
  if (!std::all_of(text.begin(), text.end(), is_plain)) return {};
  if (!Take(text, "[") || !TakeText(text, out.front()) || !Take(text, ",[")) return {};
  for (bool more = text.starts_with('"'); more; more = Take(text, ","))
    if (!TakeText(text, out.emplace_back())) return {};
  return text == "]]" ? out : std::vector<std::string>();
}

Review::State StateOf(std::int64_t number) {
  return number >= 0 && number <= 3 ? static_cast<Review::State>(number) : Review::State::kPending;
}

// Whether something happened after now. A run has its time in whole seconds.
bool IsLater(Moment at, Moment now) { return at >= now + kSecond; }

// The review in a row of id, state, reason, spent_by, answered_at. An approval of later than now is
// none: the clock was set back, and how long it held is not known.
Review ReviewIn(const Query& row, const std::string& by, Moment now) {
  Review review{StateOf(row.Number(1)), row.Text(0), row.Text(2)};
  const bool own = !by.empty() && row.Text(3) == by;
  if (own) review.state = Review::State::kApproved;
  else if (review.state == Review::State::kApproved && IsLater(row.Number(4), now))
    review.state = Review::State::kUnasked;
  if (review.state == Review::State::kUnasked) return {};
  return review;
}

}  // namespace

std::string ContentHash(std::string_view text) {
  [[maybe_unused]] const int ready = sodium_init();
  std::array<unsigned char, 32> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  std::array<char, 2 * hash.size() + 1> hex{};
  return sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
}

// 160 bits: an attacker who chooses the arguments of two calls must not be able to give them the
// same id, or the approval of one would admit the other.
std::string ReviewId(const ReviewRequest& request) {
  const ordered_json user = request.user ? ordered_json(*request.user) : ordered_json();
  return ContentHash(
             CanonicalText(ordered_json::array({request.rule, request.tool, request.args, user})))
      .substr(0, 40);
}

GuardStore::GuardStore(std::string path, std::string agent, std::chrono::milliseconds patience)
    : path_(std::move(path)), agent_(std::move(agent)), patience_(patience) {}
GuardStore::~GuardStore() = default;
GuardStore::GuardStore(GuardStore&&) noexcept = default;
GuardStore& GuardStore::operator=(GuardStore&&) noexcept = default;

std::unique_ptr<Database> OpenGuardStore(const std::string& path,
                                         std::chrono::milliseconds patience, std::string& error) {
  return Database::Open(path, kForm, patience, error);
}

void GuardStore::RecordAnswersIn(const std::string& audit) {
  audit_ = audit.empty() ? "" : std::filesystem::absolute(audit).string();
}

std::string GuardStore::Told(const std::string& error) const {
  constexpr std::size_t kMostPath = 400;
  return fmt::format("`{}`: {}", Shortened(path_, kMostPath), error);
}

std::string GuardStore::Open() {
  std::string error;
  if (database_ == nullptr) database_ = OpenGuardStore(path_, patience_, error);
  return error.empty() ? "" : Told(error);
}

std::string GuardStore::Transact(const std::function<std::string()>& work) {
  if (path_.empty()) return work();
  if (in_transaction_) {
    std::string why = work();
    return why.empty() ? database_->error() : why;
  }
  if (std::string why = Open(); !why.empty()) return why;
  // Also after an exception: what was not committed must not stay open.
  const struct Ended {
    GuardStore& store;
    ~Ended() {
      store.in_transaction_ = false;
      store.totals_.clear();
      store.database_->Rollback();
    }
  } ended{*this};
  database_->Begin();
  if (!database_->error().empty()) return Told(database_->error());
  in_transaction_ = true;
  if (std::string why = work(); !why.empty()) return why;
  const std::string error = database_->Commit();
  return error.empty() ? "" : Told(error);
}

template <typename T>
Sourced<T> GuardStore::Read(const std::function<T()>& read) {
  T out{};
  std::string why = Transact([&] {
    out = read();
    return std::string();
  });
  if (!why.empty()) return {std::nullopt, std::move(why)};
  return {std::move(out), ""};
}

// --- names --------------------------------------------------------------------------------

std::int64_t GuardStore::IdOf(const char* find, const char* add, std::string_view name) {
  Query known(*database_, find);
  if (known.Bind(name).Next()) return known.Number(0);
  Query added(*database_, add);
  return added.Bind(name).Next() ? added.Number(0) : 0;
}

std::int64_t GuardStore::RunId(const std::string& run) {
  return IdOf("SELECT id FROM runs WHERE name=?", "INSERT INTO runs(name) VALUES(?) RETURNING id",
              run);
}

std::int64_t GuardStore::ToolId(const std::string& tool, const std::vector<std::string>& tags) {
  return IdOf("SELECT id FROM tools WHERE name=?", "INSERT INTO tools(name) VALUES(?) RETURNING id",
              ToolName(tool, tags));
}

const GuardStore::Tool& GuardStore::ToolOf(std::int64_t id) {
  const auto [known, is_new] = tools_.try_emplace(id);
  if (!is_new) return known->second;
  Query query(*database_, "SELECT name FROM tools WHERE id=?");
  const std::string text = query.Bind(id).Next() ? query.Text(0) : "";
  if (std::vector<std::string> plain = PlainToolName(text); !plain.empty()) {
    known->second.name = std::move(plain.front());
    plain.erase(plain.begin());
    known->second.tags = std::move(plain);
    return known->second;
  }
  const JsonText name = ParseJson(text);
  if (name.json.is_array() && name.json.size() == 2 && name.json[0].is_string()) {
    known->second.name = name.json[0];
    for (const ordered_json& tag : name.json[1])
      if (tag.is_string()) known->second.tags.push_back(tag);
  } else {
    tools_.erase(known);
    database_->Damaged("its table of tools is damaged");
    static const Tool kUnreadable;
    return kUnreadable;
  }
  return known->second;
}

// --- calls --------------------------------------------------------------------------------

Sourced<GuardStore::Run> GuardStore::ReadRun(const std::string& run, History& to) {
  if (!keeps()) return {Run{}, ""};
  return Read<Run>([&] {
    Run out;
    Query known(*database_, "SELECT id, steps FROM runs WHERE name=?");
    if (!known.Bind(run).Next()) return out;
    out.is_new = false;
    out.steps = static_cast<std::size_t>(known.Number(1));
    Query used(*database_, "SELECT tool, open, ended, took_ms FROM used WHERE run=?");
    used.Bind(known.Number(0));
    while (used.Next()) {
      const Tool& tool = ToolOf(used.Number(0));
      out.ended += static_cast<std::size_t>(used.Number(2));
      to.AddCounts(tool.name, tool.tags,
                   {static_cast<std::size_t>(used.Number(2)),
                    static_cast<std::size_t>(used.Number(1)), used.Real(3)});
    }
    return out;
  });
}

std::string GuardStore::Decided(const std::string& run, std::size_t step, const GuardCall& call,
                                Effect effect, Moment now) {
  if (!keeps()) return "";
  return Transact([&] {
    Expire(now);
    const std::int64_t id = RunId(run);
    Query(*database_, "UPDATE runs SET steps=max(steps, ?) WHERE id=?")
        .Bind(static_cast<std::int64_t>(step) + 1)
        .Bind(id)
        .Run();
    if (effect == Effect::kBlock) return std::string();
    const std::int64_t tool = ToolId(call.tool, call.tags);
    Query begin(*database_,
                "INSERT INTO calls(run, step, tool, call, counts, begun) VALUES(?, ?, ?, ?, 1, ?)"
                " ON CONFLICT DO NOTHING RETURNING 1");
    begin.Bind(id).Bind(static_cast<std::int64_t>(step)).Bind(tool).Bind(call.id).Bind(now);
    if (!begin.Next()) return std::string();
    while (begin.Next()) continue;
    if (call.user && call.user->id) {
      MakeBegunBy();
      Query(*database_, "INSERT OR REPLACE INTO begun_by(run, step, user) VALUES(?, ?, ?)")
          .Bind(id)
          .Bind(static_cast<std::int64_t>(step))
          .Bind(*call.user->id)
          .Run();
    }
    Query(*database_,
          "INSERT INTO used(run, tool, open, ended, took_ms) VALUES(?, ?, 1, 0, 0)"
          " ON CONFLICT DO UPDATE SET open=open+1")
        .Bind(id)
        .Bind(tool)
        .Run();
    return std::string();
  });
}

Sourced<std::optional<BegunCall>> GuardStore::FindBegun(const std::string& run,
                                                        const GuardCall& call) {
  using Found = std::optional<BegunCall>;
  if (!keeps()) return {Found(), ""};
  return Read<Found>([&] {
    Query open(*database_,
               "SELECT step, begun, tool FROM calls"
               " WHERE run=? AND call=? AND ended IS NULL ORDER BY step DESC");
    open.Bind(RunId(run)).Bind(call.id);
    while (open.Next())
      if (ToolOf(open.Number(2)).name == call.tool)
        return Found({static_cast<std::size_t>(open.Number(0)), open.Number(1)});
    return Found();
  });
}

std::string GuardStore::Ended(const std::string& run, std::size_t step, const PastCall& call) {
  if (!keeps()) return "";
  return Transact([&] {
    const std::int64_t id = RunId(run), at_step = static_cast<std::int64_t>(step);
    const std::int64_t tool = ToolId(call.tool, call.tags);
    Query known(*database_,
                "SELECT tool, ended IS NOT NULL, counts FROM calls WHERE run=? AND step=?");
    if (known.Bind(id).Bind(at_step).Next()) {
      if (known.Number(1) != 0) return std::string();
      Query(*database_, "UPDATE used SET open=open-? WHERE run=? AND tool=?")
          .Bind(known.Number(2))
          .Bind(id)
          .Bind(known.Number(0))
          .Run();
    }
    Query(*database_,
          "INSERT INTO calls VALUES(?1, ?2, ?3, '', 1, ?4, ?4, ?5) ON CONFLICT"
          " DO UPDATE SET tool=?3, counts=1, ended=?4, took_ms=?5")
        .Bind(id)
        .Bind(at_step)
        .Bind(tool)
        .Bind(call.at)
        .Bind(call.took_ms)
        .Run();
    Query(*database_, "UPDATE runs SET steps=max(steps, ?) WHERE id=?")
        .Bind(at_step + 1)
        .Bind(id)
        .Run();
    Query(*database_,
          "INSERT INTO used(run, tool, open, ended, took_ms) VALUES(?, ?, 0, 1, ?)"
          " ON CONFLICT DO UPDATE SET ended=ended+1, took_ms=took_ms+excluded.took_ms")
        .Bind(id)
        .Bind(tool)
        .Bind(call.took_ms)
        .Run();
    AddSamples(call);
    return std::string();
  });
}

Sourced<bool> GuardStore::HasEnded(const std::string& run, std::size_t step, Moment at) {
  if (!keeps()) return {false, ""};
  return Read<bool>([&] {
    Query known(*database_,
                "SELECT 1 FROM runs JOIN calls ON calls.run=runs.id"
                " WHERE runs.name>=?1 AND runs.name<?1||'~' AND step=?2 AND ended=?3");
    return known.Bind(run).Bind(static_cast<std::int64_t>(step)).Bind(at).Next();
  });
}

// --- metrics ------------------------------------------------------------------------------

std::string GuardStore::AddMetrics(const PastCall& call) {
  if (!keeps()) return "";
  return Transact([&] {
    AddSamples(call);
    return std::string();
  });
}

void GuardStore::AddSamples(const PastCall& call) {
  totals_.clear();
  const std::int64_t tool = ToolId(call.tool, call.tags);
  std::int64_t user = kEverybody;
  if (call.user)
    user = IdOf("SELECT id FROM users WHERE name=?",
                "INSERT INTO users(name) VALUES(?) RETURNING id", *call.user);
  for (const auto& [key, value] : call.metrics) {
    const std::int64_t metric =
        IdOf("SELECT id FROM metrics WHERE name=?",
             "INSERT INTO metrics(name) VALUES(?) RETURNING id", agent_ + '\n' + key);
    Query(*database_,
          "INSERT INTO samples(metric, at, n, tool, user, value)"
          " SELECT ?1, ?2, coalesce(max(n) + 1, 0), ?3, ?4, ?5 FROM samples"
          " WHERE metric=?1 AND at=?2")
        .Bind(metric)
        .Bind(call.at)
        .Bind(tool)
        .Bind(user)
        .Bind(value)
        .Run();
    for (const std::int64_t of : {kEverybody, user}) {
      for (const Moment width : kWidths)
        Query(*database_,
              "INSERT INTO totals VALUES(?1, ?2, ?3, ?4, ?5, 1, ?6, ?6, ?6) ON CONFLICT DO UPDATE"
              " SET count=count+1, sum=sum+?6, most=max(most, ?6), least=min(least, ?6)")
            .Bind(metric)
            .Bind(of)
            .Bind(width)
            .Bind(FloorOf(call.at, width))
            .Bind(tool)
            .Bind(value)
            .Run();
      if (user == kEverybody) break;
    }
  }
}

// Adds the values from `from` to `to`, ends included, from the widest periods that lie between.
void GuardStore::AddTotals(std::int64_t metric, std::int64_t user, Moment from, Moment to,
                           std::size_t level, ByTool& out) {
  if (from > to) return;
  if (level == kWidths.size()) {
    Query query(*database_,
                "SELECT tool, user, value FROM samples"
                " WHERE metric=? AND at BETWEEN ? AND ?");
    query.Bind(metric).Bind(from).Bind(to);
    while (query.Next())
      if (user == kEverybody || query.Number(1) == user) out[query.Number(0)].Add(query.Real(2));
    return;
  }
  const Moment width = kWidths[level];
  const Moment begin = FloorOf(from + width - 1, width), end = FloorOf(to + 1, width);
  if (begin >= end) return AddTotals(metric, user, from, to, level + 1, out);
  {
    Query query(*database_,
                "SELECT tool, count, sum, most, least FROM totals"
                " WHERE metric=? AND user=? AND width=? AND start>=? AND start<?");
    query.Bind(metric).Bind(user).Bind(width).Bind(begin).Bind(end);
    while (query.Next())
      out[query.Number(0)].Add(
          {static_cast<std::size_t>(query.Number(1)), query.Real(2), query.Real(3), query.Real(4)});
  }
  AddTotals(metric, user, from, begin - 1, level + 1, out);
  AddTotals(metric, user, end, to, level + 1, out);
}

const GuardStore::ByTool& GuardStore::TotalsOf(std::int64_t metric, std::int64_t user, Moment from,
                                               Moment to) {
  const auto [known, is_new] = totals_.try_emplace({metric, user, from, to});
  if (is_new) AddTotals(metric, user, from, to, 0, known->second);
  return known->second;
}

Sourced<MetricTotals> GuardStore::Totals(const MetricWindowLeaf& of,
                                         const std::optional<std::string>& user, Moment now) {
  if (!keeps()) return {MetricTotals{}, ""};
  return Read<MetricTotals>([&] {
    MetricTotals out;
    Query metric(*database_, "SELECT id FROM metrics WHERE name=?");
    const std::string key = agent_ + '\n' + of.key;
    if (!metric.Bind(key).Next()) return out;
    std::int64_t whose = kEverybody;
    if (of.of_user) {
      Query known(*database_, "SELECT id FROM users WHERE name=?");
      if (!user || !known.Bind(*user).Next()) return out;
      whose = known.Number(0);
    }
    // To the end: what seems to be later happened before the clock was set back.
    const Moment from = now - of.window_seconds * kSecond;
    for (const auto& [id, totals] : TotalsOf(metric.Number(0), whose, from, kLast)) {
      const Tool& tool = ToolOf(id);
      if (Selects(of, tool.name, tool.tags)) out.Add(totals);
    }
    return out;
  });
}

// Made when it is first used, like the pins.
void GuardStore::MakeBegunBy() {
  Query(*database_,
        "CREATE TABLE IF NOT EXISTS begun_by(run INTEGER, step INTEGER, user TEXT NOT NULL,"
        " PRIMARY KEY(run, step)) WITHOUT ROWID")
      .Run();
}

Sourced<std::size_t> GuardStore::OpenCalls(const MetricWindowLeaf& of,
                                           const std::optional<std::string>& user, Moment now) {
  if (!keeps()) return {0, ""};
  return Read<std::size_t>([&] {
    MakeBegunBy();
    std::size_t out = 0;
    Query open(*database_,
               "SELECT tool, user FROM calls LEFT JOIN begun_by USING(run, step)"
               " WHERE ended IS NULL AND counts=1 AND begun>=?");
    open.Bind(now - of.window_seconds * kSecond);
    while (open.Next()) {
      const Tool& tool = ToolOf(open.Number(0));
      if ((!of.of_user || (user && open.Text(1) == *user)) && Selects(of, tool.name, tool.tags))
        ++out;
    }
    return out;
  });
}

// --- reviews ------------------------------------------------------------------------------

// For good: the clock may be set back.
void GuardStore::Expire(Moment now) {
  Query(*database_, "UPDATE reviews SET state=0 WHERE state=2 AND expires<=?").Bind(now).Run();
}

Sourced<Review> GuardStore::Find(const ReviewRequest& request, const std::string& by, Moment now) {
  if (!keeps()) return {Review{}, ""};
  return Read<Review>([&] {
    Expire(now);
    const std::string id = ReviewId(request);
    Query known(*database_,
                "SELECT id, state, reason, spent_by, answered_at FROM reviews WHERE id=?");
    return known.Bind(id).Next() ? ReviewIn(known, by, now) : Review{};
  });
}

Sourced<Review> GuardStore::Ask(const ReviewRequest& request, const std::string& run, Moment now) {
  const std::string id = ReviewId(request);
  if (!keeps()) return {Review{Review::State::kPending, id, ""}, ""};
  return Read<Review>([&] {
    if (Sourced<Review> known = Find(request, "", now);
        known.value && known.value->state != Review::State::kUnasked)
      return *known.value;
    ordered_json json = {
        {"id", id}, {"rule", request.rule}, {"tool", request.tool}, {"args", request.args}};
    if (request.user) json["user"] = *request.user;
    json["message"] = request.message;
    json["executionId"] = run;
    json["createdAt"] = MomentText(now);
    if (!audit_.empty()) json["audit"] = audit_;
    const std::string text = json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    Query(*database_, "INSERT OR REPLACE INTO reviews(id, request, state) VALUES(?, ?, ?)")
        .Bind(id)
        .Bind(text)
        .Bind(static_cast<std::int64_t>(Review::State::kPending))
        .Run();
    return Review{Review::State::kPending, id, ""};
  });
}

Sourced<bool> GuardStore::Spend(const std::string& id, const std::string& by, Moment now) {
  if (!keeps()) return {false, ""};
  return Read<bool>([&] {
    Expire(now);
    Query known(*database_, "SELECT state, calls, spent_by, answered_at FROM reviews WHERE id=?");
    if (!known.Bind(id).Next()) return false;
    if (!by.empty() && known.Text(2) == by) return true;
    if (StateOf(known.Number(0)) != Review::State::kApproved || IsLater(known.Number(3), now))
      return false;
    const std::int64_t left = known.Number(1) - 1;
    Query(*database_, "UPDATE reviews SET calls=?, state=?, spent_by=? WHERE id=?")
        .Bind(left)
        .Bind(static_cast<std::int64_t>(left > 0 ? Review::State::kApproved
                                                 : Review::State::kUnasked))
        .Bind(by)
        .Bind(id)
        .Run();
    return true;
  });
}

std::string GuardStore::GiveBack(const std::string& id, const std::string& by) {
  if (!keeps()) return "";
  return Transact([&] {
    Query(*database_,
          "UPDATE reviews SET calls=calls+1, state=?, spent_by='' WHERE id=? AND spent_by=?")
        .Bind(static_cast<std::int64_t>(Review::State::kApproved))
        .Bind(id)
        .Bind(by)
        .Run();
    return std::string();
  });
}

std::string GuardStore::Answer(const std::string& id, const ReviewAnswer& answer) {
  if (!keeps()) return "";
  return Transact([&] {
    const auto state = answer.approved ? Review::State::kApproved : Review::State::kDenied;
    Query(*database_,
          "UPDATE reviews SET state=?, reason=?, answered_by=?, answered_at=?,"
          " expires=?, calls=?, spent_by='' WHERE id=?")
        .Bind(static_cast<std::int64_t>(state))
        .Bind(answer.reason)
        .Bind(answer.by)
        .Bind(answer.at)
        .Bind(answer.expires)
        .Bind(answer.calls)
        .Bind(id)
        .Run();
    return std::string();
  });
}

std::string GuardStore::Made(const std::vector<ReviewRequest>& requests) {
  if (!keeps() || requests.empty()) return "";
  return Transact([&] {
    for (const ReviewRequest& request : requests) {
      const std::string id = ReviewId(request);
      Query(*database_, "UPDATE reviews SET state=? WHERE id=? AND state=?")
          .Bind(static_cast<std::int64_t>(Review::State::kUnasked))
          .Bind(id)
          .Bind(static_cast<std::int64_t>(Review::State::kPending))
          .Run();
    }
    return std::string();
  });
}

Sourced<std::vector<KnownReview>> GuardStore::Reviews() {
  using All = std::vector<KnownReview>;
  if (!keeps()) return {All(), ""};
  return Read<All>([&] {
    All out;
    Query all(*database_, "SELECT id, state, reason, request FROM reviews ORDER BY n");
    while (all.Next())
      out.push_back(
          {ParseJson(all.Text(3)).json, {StateOf(all.Number(1)), all.Text(0), all.Text(2)}});
    return out;
  });
}

// --- pins ---------------------------------------------------------------------------------

// Made when it is first used: files of this version without it are read by older programs, too.
void GuardStore::MakePins() {
  Query(*database_,
        "CREATE TABLE IF NOT EXISTS pins(agent TEXT, server TEXT, tool TEXT, hash TEXT NOT NULL,"
        " PRIMARY KEY(agent, server, tool)) WITHOUT ROWID")
      .Run();
}

Sourced<std::string> GuardStore::Pin(const std::string& server, const std::string& tool) {
  if (!keeps()) return {std::string(), ""};
  return Read<std::string>([&] {
    MakePins();
    Query known(*database_, "SELECT hash FROM pins WHERE agent=? AND server=? AND tool=?");
    return known.Bind(agent_).Bind(server).Bind(tool).Next() ? known.Text(0) : std::string();
  });
}

std::string GuardStore::SetPin(const std::string& server, const std::string& tool,
                               const std::string& hash) {
  if (!keeps()) return "";
  return Transact([&] {
    MakePins();
    Query(*database_, "INSERT OR REPLACE INTO pins(agent, server, tool, hash) VALUES(?, ?, ?, ?)")
        .Bind(agent_)
        .Bind(server)
        .Bind(tool)
        .Bind(hash)
        .Run();
    return std::string();
  });
}

// --- policies -----------------------------------------------------------------------------

std::optional<std::string> GuardStore::PolicyImage(std::string_view name) {
  if (!keeps() || !Open().empty()) return std::nullopt;
  Query kept(*database_, "SELECT image FROM policies WHERE name=?");
  if (!kept.Bind(name).Next()) return std::nullopt;
  return kept.Text(0);
}

void GuardStore::KeepPolicyImage(std::string_view name, std::string_view image) {
  if (!keeps()) return;
  [[maybe_unused]] const std::string ignored = Transact([&] {
    Query(*database_, "INSERT OR REPLACE INTO policies(name, image) VALUES(?, ?)")
        .Bind(name)
        .Bind(image)
        .Run();
    Query(*database_, "DELETE FROM policies WHERE n <= (SELECT max(n) FROM policies) - 4").Run();
    return std::string();
  });
}

}  // namespace rpl
