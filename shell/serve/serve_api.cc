// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/serve_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "formats/data/json_text.h"
#include "formats/percent_text.h"
#include "interp/program/builtin_tools.h"
#include "runtime/postgres/database_url.h"
#include "runtime/postgres/open_session.h"
#include "runtime/trace.h"
#include "shell/program/tool_setup.h"
#include "shell/serve/openapi.h"
#include "shell/serving/protocol_run.h"
#include "shell/serving/request_state.h"
#include "shell/serving/run_records.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kRunSchema = "rpl.serve.run/1";
constexpr std::string_view kRuns = "/v1/runs";
constexpr std::size_t kPage = 100;
constexpr std::size_t kMostOnPage = 1'000;
constexpr std::size_t kMostWaiting = 1'000;
constexpr std::size_t kMostKey = 200;
constexpr const char* kKeyFault = "Idempotency-Key has at most 200 bytes";
constexpr const char* kSeeOpenApi = "see /openapi.json";
constexpr double kMostWait = 60;  // seconds
constexpr std::int64_t kMostDelay = 366 * 24 * 3600;
constexpr auto kFirstLook = milliseconds(15);
constexpr auto kLongestLook = milliseconds(250);

WebAnswer Json(unsigned status, const ordered_json& body) {
  return {status, DumpJson(body) + "\n", "application/json", {}};
}

WebAnswer Fault(unsigned status, const std::string& error, const std::string& hint = "") {
  ordered_json body = {{"error", error}};
  if (!hint.empty()) body["hint"] = hint;
  return Json(status, body);
}

WebAnswer Later(const std::string& error) {
  WebAnswer answer = Fault(503, error, "try again");
  answer.headers = {{"Retry-After", "2"}};
  return answer;
}

WebAnswer Full() {
  WebAnswer answer = Fault(429, "too many runs wait for a worker", "try again later");
  answer.headers = {{"Retry-After", "5"}};
  return answer;
}

WebAnswer NotFound() { return Fault(404, "there is nothing here", kSeeOpenApi); }
WebAnswer NoRun() { return Fault(404, "there is no such run"); }

using Names = std::vector<std::string_view>;
using Parameters = std::map<std::string, std::string>;

const Names kStates = {"ready", "waiting", "ended", "refused"};
const Names kInputMembers = {"answers", "errors", "declines", "facts",
                             "retract", "retry",  "source",   "by"};

// The fault of a name that is none of the known ones, which it lists.
std::string UnknownName(std::string_view what, std::string_view name, const Names& known) {
  std::string out = fmt::format("there is no {} `{}`", what, name);
  for (std::size_t i = 0; i < known.size(); ++i)
    out += fmt::format("{}`{}`", i == 0 ? "; there are " : ", ", known[i]);
  return out;
}

bool IsOneOf(std::string_view name, const Names& known) {
  return std::ranges::find(known, name) != known.end();
}

// Reads the parameters of a query, each at most once and each known. The fault, or "".
std::string ReadQuery(std::string_view query, const Names& known, Parameters& to) {
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const auto name = PercentDecoded(part.substr(0, equals));
    const auto value =
        PercentDecoded(equals == part.npos ? std::string_view() : part.substr(equals + 1));
    const auto is_text = [](const std::optional<std::string>& text) {
      return text && IsUtf8(*text) && text->find('\0') == text->npos;
    };
    if (!is_text(name)) return "a name in the query is no text in UTF-8";
    if (!is_text(value)) return fmt::format("`{}` in the query is no text in UTF-8", *name);
    if (!IsOneOf(*name, known)) return UnknownName("parameter", *name, known);
    if (!to.emplace(*name, *value).second) return fmt::format("`{}` is given twice", *name);
  }
  return "";
}

// The fault of a query where there are no parameters, or "".
std::string FaultOfQuery(std::string_view query) {
  Parameters none;
  return ReadQuery(query, {}, none);
}

// The number that a whole text is; nullopt if it is none.
template <typename Number>
std::optional<Number> NumberIn(const std::string& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Reads a query that may have `wait`, and sets the time until which it tells to wait. The fault, or
// "".
std::string ReadWait(std::string_view query, Clock::time_point& until) {
  Parameters parameters;
  if (std::string fault = ReadQuery(query, {"wait"}, parameters); !fault.empty()) return fault;
  until = Clock::now();
  const auto at = parameters.find("wait");
  if (at == parameters.end()) return "";
  const auto seconds = NumberIn<double>(at->second);
  if (!seconds || !(*seconds >= 0)) return "`wait` is a number of seconds";
  until += std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(*seconds, kMostWait)));
  return "";
}

ordered_json RunJson(const QueuedRun& run) {
  ordered_json out = {{"schema", kRunSchema},
                      {"session", run.session},
                      {"protocol", run.protocol},
                      {"goal", run.goal},
                      {"state", run.state},
                      {"working", run.working},
                      {"inputs", {{"given", run.given}, {"taken", run.taken}}}};
  if (!run.report.empty()) out["report"] = ParseOwnJson(run.report);
  return out;
}

bool IsTexts(const ordered_json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(),
                                         [](const ordered_json& text) { return text.is_string(); });
}

// The reason why a member of an input is wrong, or "".
std::string MemberFault(const std::string& key, const ordered_json& value) {
  if (key == "answers") return value.is_object() ? "" : "`answers` is an object, by key";
  if (key == "errors") {
    const bool texts =
        value.is_object() && std::all_of(value.begin(), value.end(),
                                         [](const ordered_json& text) { return text.is_string(); });
    return texts ? "" : "`errors` is an object of texts, by key";
  }
  if (key == "declines" || key == "facts" || key == "retry")
    return IsTexts(value) ? "" : "`" + key + "` is a list of texts";
  if (key == "source") return value.is_string() ? "" : "`source` is a text";
  if (key == "by") {
    if (value == "person")
      return "nobody is a person by this interface: `by` is \"host\" or \"model\"";
    return value == "host" || value == "model" ? "" : "`by` is \"host\" or \"model\"";
  }
  if (key == "retract") {
    if (!value.is_object()) return "`retract` is an object with `facts` or `answers`";
    for (const auto& [inner, list] : value.items()) {
      if (inner != "facts" && inner != "answers")
        return UnknownName("member", "retract." + inner, {"retract.facts", "retract.answers"});
      if (!IsTexts(list)) return "`retract." + inner + "` is a list of texts";
    }
  }
  return "";
}

struct GivenInput {
  std::string text;                // as it is stored; "" for none
  std::vector<std::string> retry;  // the tools that it has made again
};

// Takes the members of an input out of a body. The fault, or "".
std::string ReadInput(ordered_json& body, const WebRequest& request, GivenInput& input) {
  ordered_json out = ordered_json::object();
  for (const std::string_view member : kInputMembers) {
    const std::string key(member);
    const auto at = body.find(key);
    if (at == body.end()) continue;
    if (const std::string fault = MemberFault(key, *at); !fault.empty()) return fault;
    out[key] = std::move(*at);
    body.erase(at);
  }
  if (out.empty()) return "";
  if (out.contains("retry")) input.retry = out["retry"].get<std::vector<std::string>>();
  if (!request.trace.empty()) out["traceparent"] = request.trace;
  input.text = DumpJson(out);
  return "";
}

// A whole number of seconds in a body, which is taken out of it. The fault, or "".
std::string ReadDelay(ordered_json& body, const char* key, std::chrono::seconds& to) {
  const auto at = body.find(key);
  if (at == body.end()) return "";
  if (!at->is_number_unsigned() || at->get<std::uint64_t>() > kMostDelay)
    return fmt::format("`{}` is a whole number of seconds, at most {}", key, kMostDelay);
  to = std::chrono::seconds(at->get<std::int64_t>());
  body.erase(at);
  return "";
}

std::string ReadText(ordered_json& body, const char* key, std::string& to) {
  const auto at = body.find(key);
  if (at == body.end()) return "";
  if (!at->is_string()) return fmt::format("`{}` is a text", key);
  to = at->get<std::string>();
  body.erase(at);
  return to.find('\0') == to.npos ? "" : fmt::format("`{}` has a zero byte", key);
}

// The fault of what is left of a body after its members were taken out of it, or "". `own`: the
// members beside those of an input.
std::string FaultOfRest(const ordered_json& body, Names own) {
  if (body.empty()) return "";
  own.insert(own.end(), kInputMembers.begin(), kInputMembers.end());
  return UnknownName("member", body.begin().key(), own);
}

// The object that a request has as its body; the fault, or "".
std::string ReadBody(const WebRequest& request, ordered_json& body) {
  if (request.body.empty()) {
    body = ordered_json::object();
    return "";
  }
  JsonText read = ParseJson(request.body, kMaxJsonDepth, JsonNumbers::kExact);
  if (!read.error.empty()) return read.error;
  if (!read.json.is_object()) return "the body is an object";
  body = std::move(read.json);
  return "";
}

}  // namespace

// A request that waits until a run needs no worker.
struct ServeApi::Wait {
  Reply reply;
  std::string session;
  std::string tenant;
  Clock::time_point until;
  unsigned done = 200;      // the status when the run is settled
  unsigned not_done = 200;  // the status when the time is over
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Of the looks, several of which may be under way: guarded by the mutex.
  milliseconds pause = kFirstLook;
  bool answered = false;
  bool timed = false;  // the next look has its time
};

ServeApi::ServeApi(ServeSettings settings, const ProtocolFolder& protocols, ServeWorkers& workers,
                   ServeMetrics& metrics, QueuePool& queues, WorkerPool& pool)
    : settings_(std::move(settings)),
      protocols_(protocols),
      workers_(workers),
      metrics_(metrics),
      queues_(queues),
      pool_(pool) {}

bool ServeApi::IsPublic(std::string_view path) const {
  return path == "/healthz" || path == "/readyz" || path == "/openapi.json";
}

void ServeApi::Drain() {
  draining_ = true;
  workers_.Drain();
}

void ServeApi::Take(WebRequest request, std::function<void(WebAnswer)> given) {
  const auto reply = [this, tenant = request.tenant, given = std::move(given)](WebAnswer answer) {
    metrics_.Request(tenant, answer.status);
    --waiting_;
    given(std::move(answer));
  };
  ++waiting_;
  if (request.path == "/healthz") return reply(Json(200, {{"status", "ok"}}));
  if (request.path == "/openapi.json") return reply({200, kOpenApi, "application/json", {}});
  if (waiting_ > kMostWaiting) return reply(Later("too many requests wait"));
  pool_.Post([this, request = std::move(request), reply] {
    bool later = false;
    WebAnswer answer;
    try {
      answer = Answer(request, reply, later);
    } catch (const std::exception& error) {
      answer = Fault(500, std::string("internal error: ") + error.what());
    }
    if (!later) reply(std::move(answer));
  });
}

// The answer to a request that the database did not serve. What lies behind it is for the log.
WebAnswer ServeApi::Failed(const SqlError& error) {
  metrics_.DatabaseError();
  if (error.retry || error.lost) return Later(TextForClients(error));
  std::cerr << fmt::format("rpl serve: {}\n", error.message);
  return Fault(500, TextForClients(error));
}

WebAnswer ServeApi::Answer(const WebRequest& request, const Reply& reply, bool& later) {
  const bool get = request.method == "GET", post = request.method == "POST";
  if (request.path == "/readyz" && get) return Ready();
  if (request.path == "/metrics" && get) return Metrics(request);
  if (request.path == "/v1/protocols" && get) return Protocols(request);
  if (!request.path.starts_with(kRuns)) return NotFound();
  const std::string rest = request.path.substr(kRuns.size());
  if (rest.empty() && get) return List(request);
  if (rest.empty() && post) return Begin(request, reply, later);
  if (rest.empty()) return Fault(405, "there are GET and POST");
  if (rest.front() != '/') return NotFound();
  const std::size_t slash = rest.find('/', 1);
  const std::string session = rest.substr(1, slash - 1);
  const std::string what = slash == rest.npos ? "" : rest.substr(slash);
  if (!IsHandle(session)) return NoRun();
  if (what.empty() && get) return Show(request, session, reply, later);
  if (what == "/trace" && get) return Trace(request, session);
  if (what == "/inputs" && post) return Give(request, session, reply, later);
  return what.empty() || what == "/trace" || what == "/inputs"
             ? Fault(405, "this has another method", kSeeOpenApi)
             : NotFound();
}

WebAnswer ServeApi::Begin(const WebRequest& request, const Reply& reply, bool& later) {
  if (draining_) return Later("this process ends");
  Clock::time_point until;
  ordered_json body;
  NewRun run;
  GivenInput input;
  std::string fault = ReadWait(request.query, until);
  if (fault.empty()) fault = ReadBody(request, body);
  if (fault.empty()) fault = ReadText(body, "protocol", run.protocol);
  if (fault.empty()) fault = ReadText(body, "goal", run.goal);
  if (fault.empty()) fault = ReadDelay(body, "after", run.after);
  if (fault.empty()) fault = ReadDelay(body, "every", run.every);
  if (fault.empty()) fault = ReadInput(body, request, input);
  if (fault.empty()) fault = FaultOfRest(body, {"protocol", "goal", "after", "every"});
  if (fault.empty() && request.key.size() > kMostKey) fault = kKeyFault;
  if (!fault.empty()) return Fault(400, fault, kSeeOpenApi);
  if (run.protocol.empty() || !protocols_.Find(run.protocol))
    return Fault(400,
                 run.protocol.empty() ? "`protocol` is missing"
                                      : "there is no protocol `" + run.protocol + "`",
                 "GET /v1/protocols lists those there are");
  if (fault = RetryFault(input.retry, run.protocol); !fault.empty()) return Fault(400, fault);
  run.input = std::move(input.text);
  run.session = NewHandle();
  run.tenant = request.tenant;
  run.key = request.key;
  RunQueue::Added added = QueuePool::Borrowed(queues_)->Add(run, settings_.limits);
  if (added.error) return Failed(added.error);
  if (added.taken == RunQueue::Taken::kFull) return Full();
  if (run.after.count() == 0) Announce();
  const bool again = added.taken == RunQueue::Taken::kAgain;
  later = true;
  const unsigned status = again ? 200 : 201;
  WaitFor({reply,
           added.run.session,
           request.tenant,
           until,
           status,
           status,
           {{"Location", std::string(kRuns) + "/" + added.run.session}}});
  return {};
}

WebAnswer ServeApi::Give(const WebRequest& request, const std::string& session, const Reply& reply,
                         bool& later) {
  if (draining_) return Later("this process ends");
  Clock::time_point until;
  ordered_json body;
  GivenInput input;
  std::string fault = ReadWait(request.query, until);
  if (fault.empty()) fault = ReadBody(request, body);
  if (fault.empty()) fault = ReadInput(body, request, input);
  if (fault.empty()) fault = FaultOfRest(body, {});
  if (fault.empty() && request.key.size() > kMostKey) fault = kKeyFault;
  if (!fault.empty()) return Fault(400, fault, kSeeOpenApi);
  if (!input.retry.empty()) {
    const RunQueue::Found found = QueuePool::Borrowed(queues_)->Find(session, request.tenant);
    if (found.error) return Failed(found.error);
    if (!found.run) return NoRun();
    fault = RetryFault(input.retry, found.run->protocol);
    if (!fault.empty()) return Fault(400, fault);
  }
  if (input.text.empty()) input.text = "{}";  // a turn, for what changed outside
  RunQueue::Added added = QueuePool::Borrowed(queues_)->Give(
      session, request.tenant, request.key.empty() ? "r:" + RandomText(12) : request.key,
      input.text, settings_.limits);
  if (added.error) return Failed(added.error);
  if (added.taken == RunQueue::Taken::kNoRun) return NoRun();
  if (added.taken == RunQueue::Taken::kFull) return Full();
  Announce();
  later = true;
  WaitFor({reply, session, request.tenant, until, 200, 202});
  return {};
}

WebAnswer ServeApi::Show(const WebRequest& request, const std::string& session, const Reply& reply,
                         bool& later) {
  Clock::time_point until;
  if (const std::string fault = ReadWait(request.query, until); !fault.empty())
    return Fault(400, fault, kSeeOpenApi);
  later = true;
  WaitFor({reply, session, request.tenant, until});
  return {};
}

// The fault of tools that are to be called again, or "". Not known here are those of a protocol
// that another worker has, or of a configuration with errors, which the turn reports.
std::string ServeApi::RetryFault(const std::vector<std::string>& retry,
                                 const std::string& protocol) const {
  const std::optional<std::string> path = protocols_.Find(protocol);
  ToolConfig config;
  if (retry.empty() || !path || ReadTools(ConfigPath(settings_.config, {*path}), config) != kExitOk)
    return "";
  Names known;
  for (const ToolCommand& tool : config.tools) known.push_back(tool.name);
  for (const BuiltinTool& tool : kBuiltinTools)
    if (IsFileTool(tool.label) && !IsOneOf(tool.label, known)) known.push_back(tool.label);
  for (const std::string& tool : retry)
    if (!IsOneOf(tool, known)) return UnknownName("tool", tool, known);
  return "";
}

// A run has become ready: if nobody here is idle, others are told.
void ServeApi::Announce() {
  if (workers_.Wake()) return;
  if (QueuePool::Borrowed(queues_)->Announce()) metrics_.DatabaseError();
}

void ServeApi::WaitFor(Wait given) {
  const auto wait = std::make_shared<Wait>(std::move(given));
  {
    const std::lock_guard lock(mutex_);
    waits_.emplace(wait->session, wait);
  }
  Look(wait);
}

void ServeApi::Done(const std::string& session) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = waits_.equal_range(session);
  for (auto at = begin; at != end; ++at) pool_.Post([this, wait = at->second] { Look(wait); });
}

// Answers if the run is settled or the time is over, else looks again later. On a worker.
void ServeApi::Look(const std::shared_ptr<Wait>& wait) {
  {
    const std::lock_guard lock(mutex_);
    if (wait->answered) return;
  }
  const RunQueue::Found found = QueuePool::Borrowed(queues_)->Find(wait->session, wait->tenant);
  const bool settled = found.run && found.run->settled();
  const auto now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (wait->answered) return;
    wait->answered = found.error || !found.run || settled || now >= wait->until || draining_;
    if (!wait->answered) {
      if (wait->timed) return;
      wait->timed = true;
      pool_.At(std::min(now + wait->pause, wait->until), [this, wait] {
        {
          const std::lock_guard timing(mutex_);
          wait->timed = false;
        }
        pool_.Post([this, wait] { Look(wait); });
      });
      wait->pause = std::min(2 * wait->pause, kLongestLook);
      return;
    }
    const auto [begin, end] = waits_.equal_range(wait->session);
    for (auto at = begin; at != end; ++at)
      if (at->second == wait) {
        waits_.erase(at);
        break;
      }
  }
  if (found.error) return wait->reply(Failed(found.error));
  if (!found.run) return wait->reply(NoRun());
  WebAnswer answer = Json(settled ? wait->done : wait->not_done, RunJson(*found.run));
  answer.headers = wait->headers;
  wait->reply(std::move(answer));
}

WebAnswer ServeApi::List(const WebRequest& request) {
  Parameters parameters;
  std::string fault = ReadQuery(request.query, {"state", "after", "limit"}, parameters);
  const std::string& state = parameters["state"];
  if (fault.empty() && !state.empty() && !IsOneOf(state, kStates))
    fault = UnknownName("state", state, kStates);
  std::size_t most = kPage;
  if (const auto limit = parameters.find("limit"); limit != parameters.end()) {
    most = NumberIn<std::size_t>(limit->second).value_or(0);
    if (fault.empty() && (most < 1 || most > kMostOnPage))
      fault = fmt::format("`limit` is a whole number from 1 to {}", kMostOnPage);
  }
  if (!fault.empty()) return Fault(400, fault, kSeeOpenApi);
  const RunQueue::Listed listed =
      QueuePool::Borrowed(queues_)->List(request.tenant, state, parameters["after"], most + 1);
  if (listed.error) return Failed(listed.error);
  ordered_json out = {{"runs", ordered_json::array()}};
  for (std::size_t i = 0; i < std::min(most, listed.runs.size()); ++i)
    out["runs"].push_back(RunJson(listed.runs[i]));
  if (listed.runs.size() > most) out["next"] = listed.runs[most - 1].session;
  return Json(200, out);
}

WebAnswer ServeApi::Trace(const WebRequest& request, const std::string& session) {
  if (const std::string fault = FaultOfQuery(request.query); !fault.empty())
    return Fault(400, fault, kSeeOpenApi);
  const RunQueue::Found found = QueuePool::Borrowed(queues_)->Find(session, request.tenant);
  if (found.error) return Failed(found.error);
  if (!found.run) return NoRun();
  const SessionStore::Opened opened =
      OpenSession(SessionUrlIn(settings_.store, session), SessionStore::Mode::kRead);
  if (opened.store == nullptr) return Fault(404, "it has no trace yet: " + opened.error);
  if (!opened.store->damage().empty()) return Fault(500, opened.store->damage());
  std::string text;
  for (const TraceEntry& entry : TraceSoFar(opened.store->events())) text += entry.text + "\n";
  text = WithName(std::move(text), RecordedName(opened.store->events()), found.run->protocol);
  return {200, std::move(text), "text/plain; charset=utf-8", {}};
}

WebAnswer ServeApi::Protocols(const WebRequest& request) const {
  if (const std::string fault = FaultOfQuery(request.query); !fault.empty())
    return Fault(400, fault, kSeeOpenApi);
  ordered_json out = {{"protocols", ordered_json::array()}};
  for (const ProtocolFolder::Protocol& protocol : protocols_.List())
    out["protocols"].push_back({{"name", protocol.name}});
  return Json(200, out);
}

WebAnswer ServeApi::Ready() {
  if (draining_) return Later("this process ends");
  if (const SqlError error = QueuePool::Borrowed(queues_)->Ping()) return Failed(error);
  return Json(200, {{"status", "ready"}});
}

WebAnswer ServeApi::Metrics(const WebRequest& request) {
  const RunQueue::Counted counted = QueuePool::Borrowed(queues_)->CountRuns(request.tenant);
  if (counted.error) return Failed(counted.error);
  return {200, metrics_.Text(request.tenant, counted.counts), "text/plain; version=0.0.4", {}};
}

}  // namespace rpl
