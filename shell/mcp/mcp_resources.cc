// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/mcp_resources.h"

#include <fmt/format.h>
#include <exception>

#include <algorithm>
#include <cctype>
#include <span>

#include "formats/data/diagnostic_json.h"
#include "formats/data/json_rpc.h"
#include "formats/data/json_text.h"
#include "formats/file_name.h"
#include "formats/percent_text.h"
#include "runtime/host/host_calls.h"
#include "runtime/postgres/open_session.h"
#include "runtime/run/run.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/protocol_list.h"
#include "shell/mcp/run_turns.h"
#include "shell/pages/pages.h"
#include "shell/pages/program_catalogue.h"
#include "shell/pages/session_story.h"
#include "shell/pages/trace_page.h"
#include "shell/program/engine_setup.h"
#include "shell/serving/protocol_run.h"
#include "shell/serving/run_report.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kOnPage = 100;
constexpr std::size_t kMostCompleted = 100;
constexpr std::int64_t kListMs = 60'000;
constexpr const char* kPagePurpose = "page";
constexpr std::string_view kProtocolUri = "rpl://protocol/";
constexpr std::string_view kCatalogueUri = "rpl://catalogue/";
constexpr std::string_view kSessionUri = "rpl://session/";

struct RunPart {
  const char* name;  // "" for the state
  const char* title;
  const char* type;
};
constexpr RunPart kRunParts[] = {
    {"", "The state of a run", "application/json"},
    {"trace", "What a run established", "text/plain"},
    {"answers", "All answers of a run", "application/json"},
    {"page", "A run as a page", "text/html"},
};

// Those that this build has.
std::span<const RunPart> RunParts() {
  return std::span(kRunParts).first(std::size(kRunParts) - (MakesPages() ? 0 : 1));
}

void NotFound(McpCall& call, const std::string& uri) {
  call.Fail(call.modern ? kRpcInvalidParams : kRpcResourceNotFound, "Resource not found",
            {{"uri", uri}});
}

void ReplyText(McpCall& call, const std::string& uri, const char* type, std::string text,
               std::int64_t ttl_ms) {
  ordered_json contents = ordered_json::array();
  contents.push_back({{"uri", uri}, {"mimeType", type}, {"text", CleanUtf8(text)}});
  call.Reply({{"contents", std::move(contents)}}, ttl_ms);
}

std::string TextParam(const McpCall& call, const char* key) {
  const auto at = call.params.find(key);
  return at != call.params.end() && at->is_string() ? at->get<std::string>() : "";
}

// The handle and the part of "HANDLE/part".
std::pair<std::string, std::string> HandleAndPart(std::string_view rest) {
  const std::size_t slash = rest.find('/');
  if (slash == rest.npos) return {std::string(rest), ""};
  const std::string part(rest.substr(slash + 1));
  return {std::string(rest.substr(0, slash)), part.empty() ? "/" : part};
}

const RunPart* PartOf(const std::string& name) {
  const std::span<const RunPart> parts = RunParts();
  const auto at = std::find_if(parts.begin(), parts.end(),
                               [&](const RunPart& part) { return name == part.name; });
  return at == parts.end() || (name.empty() && at != parts.begin()) ? nullptr : &*at;
}

std::string Lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

ordered_json CompletionJson(std::vector<std::string> values) {
  const std::size_t total = values.size();
  if (values.size() > kMostCompleted) values.resize(kMostCompleted);
  return {
      {"completion", {{"values", values}, {"total", total}, {"hasMore", total > kMostCompleted}}}};
}

// The place in the list where the page begins that the cursor names; nullopt, after a failure, for
// one that is not ours.
std::optional<std::size_t> FirstOnPage(McpService& service, McpCall& call) {
  if (!call.params.contains("cursor")) return 0;
  const auto cursor = service.seals.Open(kPagePurpose, TextParam(call, "cursor"), SecondsNow());
  if (cursor) return cursor->value("at", std::size_t{0});
  call.Fail(kRpcInvalidParams, "invalid cursor");
  return std::nullopt;
}

}  // namespace

std::string EscapedName(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string PromptName(const std::string& protocol) {
  std::string out;
  const std::string whole = protocol.substr(0, protocol.rfind('.'));
  for (const char c : whole) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) out += c;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? protocol : out;
}

void McpResources::Work(const Call& call, std::function<void()> work) {
  service_.pool.Post([this, call, work = std::move(work)] {
    if (service_.stopping || call->cancelled()) return;
    try {
      work();
    } catch (const std::exception& error) {
      call->Fail(kRpcInternalError, fmt::format("internal error: {}", error.what()));
    }
  });
}

// --- Resources -----------------------------------------------------------------------------------

void McpResources::List(const Call& call) {
  const std::optional<std::size_t> first = FirstOnPage(service_, *call);
  if (!first) return;
  Work(call, [this, call, first = *first] {
    const std::vector<ProtocolAbout> all = protocols_.All(service_.Interrupted(call));
    ordered_json resources = ordered_json::array();
    const std::size_t end = std::min(all.size(), first + kOnPage);
    for (std::size_t i = first; i < end; ++i) {
      ordered_json resource = {{"uri", std::string(kProtocolUri) + EscapedName(all[i].name)},
                               {"name", all[i].name}};
      if (call->Has("2025-06-18")) resource["title"] = all[i].title;
      if (!all[i].description.empty()) resource["description"] = all[i].description;
      resource["mimeType"] = HasExtension(all[i].name, ".md") ? "text/markdown" : "text/plain";
      if (call->Has("2025-03-26")) resource["size"] = all[i].size;
      resources.push_back(std::move(resource));
    }
    ordered_json out = {{"resources", std::move(resources)}};
    if (end < all.size())
      out["nextCursor"] =
          service_.seals.Seal(kPagePurpose, {{"at", end}}, SecondsNow() + kCursorSeconds);
    call->Reply(std::move(out), kListMs);
  });
}

void McpResources::Templates(const Call& call) {
  ordered_json templates = ordered_json::array();
  const auto add = [&](const std::string& uri, const std::string& name, const std::string& title,
                       const std::string& type) {
    ordered_json each = {{"uriTemplate", uri}, {"name", name}};
    if (call->Has("2025-06-18")) each["title"] = title;
    each["description"] = title;
    each["mimeType"] = type;
    templates.push_back(std::move(each));
  };
  add(std::string(kCatalogueUri) + "{+protocol}", "catalogue", "The parts of a protocol",
      "application/json");
  for (const RunPart& part : RunParts()) {
    const std::string end = part.name[0] == '\0' ? "" : std::string("/") + part.name;
    add(std::string(kSessionUri) + "{session}" + end,
        part.name[0] == '\0' ? "session" : std::string("session-") + part.name, part.title,
        part.type);
  }
  call->Reply({{"resourceTemplates", std::move(templates)}}, kListMs);
}

bool McpResources::MayChange(const McpCall& call, const std::string& uri) {
  if (!uri.starts_with(kSessionUri)) return false;
  const auto [handle, part] = HandleAndPart(std::string_view(uri).substr(kSessionUri.size()));
  return PartOf(part) != nullptr && service_.runs.Find(handle, call.peer->who).run != nullptr;
}

void McpResources::Read(const Call& call) {
  const std::string uri = TextParam(*call, "uri");
  if (uri.empty()) return void(call->Fail(kRpcInvalidParams, "resources/read needs a `uri`"));
  if (uri.starts_with(kSessionUri)) {
    const auto [handle, part] = HandleAndPart(std::string_view(uri).substr(kSessionUri.size()));
    if (PartOf(part) == nullptr) return NotFound(*call, uri);
    return ReadRun(call, uri, handle, part);
  }
  for (const std::string_view kind : {kProtocolUri, kCatalogueUri}) {
    if (!uri.starts_with(kind)) continue;
    const std::optional<std::string> name = PercentDecoded(uri.substr(kind.size()));
    if (!name || !service_.protocols.Find(*name)) return NotFound(*call, uri);
    return kind == kProtocolUri ? ReadProtocol(call, uri, *name) : ReadCatalogue(call, uri, *name);
  }
  NotFound(*call, uri);
}

void McpResources::ReadProtocol(const Call& call, const std::string& uri, const std::string& name) {
  Work(call, [this, call, uri, name] {
    const std::optional<std::string> path = service_.protocols.Find(name);
    Input input = path ? ReadFile(*path) : Input{"", "gone"};
    if (!input.error.empty()) return NotFound(*call, uri);
    ReplyText(*call, uri, HasExtension(name, ".md") ? "text/markdown" : "text/plain",
              std::move(input.text), 0);
  });
}

void McpResources::ReadCatalogue(const Call& call, const std::string& uri,
                                 const std::string& name) {
  Work(call, [this, call, uri, name] {
    const std::optional<std::string> path = service_.protocols.Find(name);
    Input input = path ? ReadFile(*path) : Input{"", "gone"};
    if (!input.error.empty()) return NotFound(*call, uri);
    const Catalogue catalogue = CatalogueOf({{name, std::move(input.text)}}, ReaderBeside({*path}));
    ordered_json entries = ordered_json::array();
    for (const CatalogueEntry& entry : catalogue.entries) {
      ordered_json each = {{"id", entry.Id()},
                           {"kind", CatalogueKindName(entry.kind)},
                           {"prose", entry.prose},
                           {"uses", ordered_json::array()}};
      if (entry.facts > 0) each["facts"] = entry.facts;
      if (!entry.defined.empty())
        each["place"] = PlaceJson(entry.defined.front(), catalogue.sources);
      for (const std::size_t used : entry.uses)
        each["uses"].push_back(catalogue.entries[used].Id());
      entries.push_back(std::move(each));
    }
    ordered_json constraints = ordered_json::array();
    for (const CatalogueConstraint& constraint : catalogue.constraints)
      constraints.push_back(
          {{"text", constraint.text}, {"place", PlaceJson(constraint.span, catalogue.sources)}});
    ReplyText(*call, uri, "application/json",
              DumpJson({{"schema", "rpl.mcp.catalogue/1"},
                        {"protocol", name},
                        {"entries", std::move(entries)},
                        {"constraints", std::move(constraints)}}),
              0);
  });
}

void McpResources::ReadRun(const Call& call, const std::string& uri, const std::string& handle,
                           const std::string& part) {
  const ServedRuns::Found found = service_.runs.Find(handle, call->peer->who);
  if (!found.fault.reason.empty())
    return void(call->Fail(kRpcInternalError, found.fault.reason, {{"uri", uri}}));
  if (found.run == nullptr) return NotFound(*call, uri);
  Work(call, [this, call, uri, part, run = found.run] {
    const std::string path = service_.runs.records().NameOf(run->handle);
    if (part.empty()) {
      if (const ordered_json report = run->report(); report.is_object())
        return ReplyText(*call, uri, "application/json", DumpJson(report), 0);
      if (run->busy())
        return ReplyText(*call, uri, "application/json",
                         DumpJson(RunningReport(run->handle, run->protocol, nullptr)), 0);
    }
    const SessionStore::Opened opened = OpenSession(path, SessionStore::Mode::kRead);
    if (opened.store == nullptr) return NotFound(*call, uri);
    const std::vector<Event>& events = opened.store->events();
    if (part == "trace") {
      std::string text;
      for (const TraceEntry& entry : Entries(events))
        if (!entry.again) text += TraceLine(entry) + "\n";
      text = WithName(std::move(text), RecordedName(events), run->protocol);
      return ReplyText(*call, uri, "text/plain", std::move(text), 0);
    }
    if (part == "page") {
      const auto story = TellStory(events, nullptr, opened.store->host());
      return ReplyText(*call, uri, "text/html", TracePage(story), 0);
    }
    // The last recorded outcome.
    const auto outcome = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
      return event.kind == Event::Kind::kOutcome;
    });
    ScratchRun copy = CopyOf(path, service_.engine, service_.Interrupted(call));
    if (!copy.refusal.reason.empty() || outcome == events.rend()) return NotFound(*call, uri);
    const Outcome* const last = copy.run->last();
    ordered_json answers = ordered_json::array();
    if (last)
      for (const std::string& answer : last->json_answers) answers.push_back(ParseOwnJson(answer));
    ordered_json out = {{"schema", part == "answers" ? "rpl.mcp.answers/1" : "rpl.mcp.run/1"},
                        {"session", run->handle},
                        {"protocol", run->protocol},
                        {"status", last ? StatusName(last->status) : "nothing"},
                        {"goal", last ? last->goal : ""},
                        {"answers", std::move(answers)}};
    ReplyText(*call, uri, "application/json", DumpJson(out), 0);
  });
}

// --- Prompts -------------------------------------------------------------------------------------

void McpResources::ListPrompts(const Call& call) {
  const std::optional<std::size_t> first = FirstOnPage(service_, *call);
  if (!first) return;
  Work(call, [this, call, first = *first] {
    const std::vector<ProtocolAbout> all = protocols_.All(service_.Interrupted(call));
    ordered_json prompts = ordered_json::array();
    const std::size_t end = std::min(all.size(), first + kOnPage);
    for (std::size_t i = first; i < end; ++i) {
      ordered_json prompt = {{"name", PromptName(all[i].name)}};
      if (call->Has("2025-06-18")) prompt["title"] = all[i].title;
      prompt["description"] =
          all[i].description.empty() ? "Follow " + all[i].name + "." : all[i].description;
      ordered_json arguments = ordered_json::array();
      for (const OpenQuestion& question : all[i].asks)
        if (IsForForm(question) && !question.personal)
          arguments.push_back(
              {{"name", question.key}, {"description", question.prompt}, {"required", false}});
      if (!arguments.empty()) prompt["arguments"] = std::move(arguments);
      prompts.push_back(std::move(prompt));
    }
    ordered_json out = {{"prompts", std::move(prompts)}};
    if (end < all.size())
      out["nextCursor"] =
          service_.seals.Seal(kPagePurpose, {{"at", end}}, SecondsNow() + kCursorSeconds);
    call->Reply(std::move(out), kListMs);
  });
}

namespace {

const ProtocolAbout* WithPrompt(const std::vector<ProtocolAbout>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const ProtocolAbout& about) {
    return PromptName(about.name) == name || about.name == name;
  });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

void McpResources::GetPrompt(const Call& call) {
  const std::string name = TextParam(*call, "name");
  const auto given = call->params.find("arguments");
  const ordered_json arguments =
      given == call->params.end() || given->is_null() ? ordered_json::object() : *given;
  const bool texts =
      arguments.is_object() && std::all_of(arguments.begin(), arguments.end(),
                                           [](const ordered_json& v) { return v.is_string(); });
  if (!texts) {
    call->Fail(kRpcInvalidParams, "`arguments` is an object of strings");
    return;
  }
  Work(call, [this, call, name, arguments] {
    const std::vector<ProtocolAbout> all = protocols_.All(service_.Interrupted(call));
    const ProtocolAbout* about = WithPrompt(all, name);
    if (about == nullptr) {
      call->Fail(kRpcInvalidParams, "unknown prompt `" + name.substr(0, 200) + "`");
      return;
    }
    ordered_json answers = ordered_json::object();
    for (const auto& [key, value] : arguments.items())
      if (!value.get_ref<const std::string&>().empty()) answers[key] = value;
    std::string text = fmt::format(
        "Follow the protocol `{}` ({}) with me. Call rpl_run with protocol \"{}\"{}, then do what "
        "`now` of each result says, step by step, until the status is satisfied. Ask me whatever "
        "`pending` lists; do not answer for me.",
        about->name, about->title, about->name,
        answers.empty() ? "" : " and answers " + DumpJson(answers));
    if (!about->asks.empty()) {
      text += "\n\nIt begins with:";
      for (const OpenQuestion& question : about->asks)
        if (!answers.contains(question.key)) text += "\n- " + question.prompt;
    }
    ordered_json messages = ordered_json::array();
    messages.push_back(
        {{"role", "user"}, {"content", {{"type", "text"}, {"text", std::move(text)}}}});
    call->Reply({{"description", about->title}, {"messages", std::move(messages)}});
  });
}

// --- Completion -----------------------------------------------------------------------------

void McpResources::Complete(const Call& call) {
  const auto ref = call->params.find("ref");
  const auto argument = call->params.find("argument");
  const auto text_in = [](const ordered_json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  if (ref == call->params.end() || !ref->is_object() || argument == call->params.end() ||
      !argument->is_object() || text_in(*argument, "name").empty()) {
    call->Fail(kRpcInvalidParams, "completion/complete needs `ref` and `argument`");
    return;
  }
  const std::string type = text_in(*ref, "type");
  const std::string key = text_in(*argument, "name");
  const std::string begun = text_in(*argument, "value");
  if (type == "ref/resource") {
    const std::string uri = text_in(*ref, "uri");
    if (uri.starts_with(kSessionUri) && key == "session") {
      call->Reply(
          CompletionJson(service_.runs.records().Handles(begun, call->peer->who, kMostCompleted)));
      return;
    }
    if (uri.starts_with(kCatalogueUri) || uri.starts_with(kProtocolUri)) {
      std::vector<std::string> names;
      for (const ProtocolFolder::Protocol& protocol : service_.protocols.List())
        if (protocol.name.starts_with(begun)) names.push_back(protocol.name);
      call->Reply(CompletionJson(std::move(names)));
      return;
    }
    call->Fail(kRpcInvalidParams, "unknown resource template `" + uri.substr(0, 200) + "`");
    return;
  }
  if (type != "ref/prompt") {
    call->Fail(kRpcInvalidParams, "`ref` is a prompt or a resource template");
    return;
  }
  Work(call, [this, call, name = text_in(*ref, "name"), key, begun] {
    const std::vector<ProtocolAbout> all = protocols_.All(service_.Interrupted(call));
    const ProtocolAbout* about = WithPrompt(all, name);
    if (about == nullptr) {
      call->Fail(kRpcInvalidParams, "unknown prompt `" + name.substr(0, 200) + "`");
      return;
    }
    std::vector<std::string> values;
    for (const OpenQuestion& question : about->asks)
      if (question.key == key)
        for (const std::string& option : question.options)
          if (Lowered(option).starts_with(Lowered(begun))) values.push_back(option);
    call->Reply(CompletionJson(std::move(values)));
  });
}

}  // namespace rpl
