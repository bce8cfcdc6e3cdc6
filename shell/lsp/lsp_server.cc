// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/lsp_server.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "shell/lsp/check_feed.h"
#include "shell/lsp/completion_items.h"
#include "shell/lsp/evaluation.h"
#include "shell/lsp/hints.h"
#include "shell/lsp/hover.h"
#include "shell/lsp/navigation.h"
#include "shell/lsp/outline.h"
#include "shell/lsp/program_check.h"
#include "shell/lsp/rename.h"
#include "shell/lsp/semantic_tokens.h"
#include "shell/lsp/test_run.h"
#include "shell/terminal/report.h"

namespace rpl::lsp {
namespace {

constexpr std::size_t kWorkers = 2;  // one checks while the other evaluates
constexpr const char* kCommands[] = {"rpl.answers", "rpl.hint", "rpl.run", "rpl.tests", "rpl.why"};

Json Capabilities(PositionEncoding encoding) {
  Json commands = Json::array();
  for (const char* command : kCommands) commands.push_back(command);
  return {
      {"positionEncoding", encoding == PositionEncoding::kUtf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"documentSymbolProvider", true},
      {"workspaceSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"callHierarchyProvider", true},
      {"inlayHintProvider", true},
      {"documentFormattingProvider", true},
      {"documentRangeFormattingProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"codeActionProvider", {{"codeActionKinds", Json::array({"quickfix", "source.fixAll.rpl"})}}},
      {"completionProvider", {{"triggerCharacters", Json::array({"?", "%", "$", "@", ":", "#"})}}},
      {"executeCommandProvider", {{"commands", std::move(commands)}}},
      {"semanticTokensProvider", {{"legend", TokenLegend()}, {"full", true}, {"range", true}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
}

bool Contains(const Json& list, const char* text) {
  return list.is_array() && std::ranges::find(list, Json(text)) != list.end();
}

Client ClientOf(const Json& params) {
  const Json& capabilities = FieldAt(params, "capabilities");
  const Json& text = FieldAt(capabilities, "textDocument");
  const Json& workspace = FieldAt(capabilities, "workspace");
  Client out;
  if (Contains(FieldAt(FieldAt(capabilities, "general"), "positionEncodings"), "utf-8"))
    out.encoding = PositionEncoding::kUtf8;
  out.snippets = FlagAt(FieldAt(FieldAt(text, "completion"), "completionItem"), "snippetSupport");
  out.document_changes = FlagAt(FieldAt(workspace, "workspaceEdit"), "documentChanges");
  out.related = FlagAt(FieldAt(text, "publishDiagnostics"), "relatedInformation");
  out.nested_symbols = FlagAt(FieldAt(text, "documentSymbol"), "hierarchicalDocumentSymbolSupport");
  out.shows_results = FlagAt(FieldAt(params, "initializationOptions"), "showsResults");
  return out;
}

RequestError NoDocument() { return {kRpcInvalidParams, "there is no such document"}; }

// An argument of a command, "" if there is none.
std::string ArgumentAt(const Json& params, std::size_t i) {
  const Json& list = FieldAt(params, "arguments");
  return list.is_array() && i < list.size() && list[i].is_string() ? list[i].get<std::string>()
                                                                   : "";
}

std::string UriAt(const Json& params) { return TextAt(FieldAt(params, "textDocument"), "uri"); }

std::int64_t VersionAt(const Json& params) {
  const Json& version = FieldAt(FieldAt(params, "textDocument"), "version");
  return version.is_number_integer() ? version.get<std::int64_t>() : 0;
}

// The UTF-16 unit of an escape `\uXXXX` at an offset of JSON; nullopt where there is none.
std::optional<std::uint32_t> EscapedUnitAt(std::string_view json, std::size_t at) {
  std::uint32_t unit = 0;
  if (at + 6 > json.size() || json.substr(at, 2) != "\\u") return std::nullopt;
  const char* const end = json.data() + at + 6;
  const auto [stop, error] = std::from_chars(json.data() + at + 2, end, unit, 16);
  return error == std::errc() && stop == end ? std::optional(unit) : std::nullopt;
}

// The JSON with U+FFFD for each escaped surrogate without the other half, which editors in
// JavaScript have in their texts and UTF-8 cannot express. Both are one unit of UTF-16, so the
// places of later changes stay right.
std::string WithoutLoneSurrogates(std::string_view json) {
  std::string out(json);
  const auto is_half = [&](std::size_t at, std::uint32_t first) {
    const std::optional<std::uint32_t> unit = EscapedUnitAt(json, at);
    return unit && *unit >= first && *unit < first + 0x400;
  };
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at)) {
    if (is_half(at, 0xD800) && is_half(at + 6, 0xDC00)) {
      at += 12;
    } else if (is_half(at, 0xD800) || is_half(at, 0xDC00)) {
      out.replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at += 2;
    }
  }
  return out;
}

}  // namespace

/// One method of requests.
struct LspServer::Method {
  std::string_view name;
  Reply (*reply)(LspServer& server, const Json& id, const Json& params);
};

const LspServer::Method LspServer::kMethods[] = {
    {"textDocument/hover",
     [](LspServer& s, const Json& id, const Json& params) { return s.Hover(id, params); }},
    {"textDocument/definition",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       return DefinitionsAt(s.project_, params);
     }},
    {"textDocument/references",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       return ReferencesAt(s.project_, params);
     }},
    {"textDocument/documentHighlight",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       return HighlightsAt(s.project_, params);
     }},
    {"textDocument/prepareRename",
     [](LspServer& s, const Json&, const Json& params) { return s.PrepareRename(params); }},
    {"textDocument/rename",
     [](LspServer& s, const Json&, const Json& params) { return s.RenameTo(params); }},
    {"textDocument/documentSymbol",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       const File file = s.project_.FileOf(params);
       if (file == nullptr) return NoDocument();
       return SymbolsOf(s.project_, *s.project_.indexes.Of(file));
     }},
    {"workspace/symbol",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       return WorkspaceSymbols(s.project_, TextAt(params, "query"));
     }},
    {"textDocument/foldingRange",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       const File file = s.project_.FileOf(params);
       if (file == nullptr) return NoDocument();
       return FoldingRangesOf(*s.project_.indexes.Of(file));
     }},
    {"textDocument/completion",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       return CompletionAt(s.project_, params);
     }},
    {"textDocument/codeAction",
     [](LspServer& s, const Json&, const Json& params) { return s.Actions(params); }},
    {"textDocument/codeLens",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       const File file = s.project_.FileOf(params);
       if (file == nullptr) return NoDocument();
       return CodeLensesOf(s.project_, file);
     }},
    {"textDocument/inlayHint",
     [](LspServer& s, const Json&, const Json& params) { return s.Hints(params); }},
    {"textDocument/semanticTokens/full",
     [](LspServer& s, const Json&, const Json& params) { return s.Tokens(params, true); }},
    {"textDocument/semanticTokens/range",
     [](LspServer& s, const Json&, const Json& params) { return s.Tokens(params, false); }},
    {"textDocument/formatting",
     [](LspServer& s, const Json&, const Json& params) { return s.Format(params, true); }},
    {"textDocument/rangeFormatting",
     [](LspServer& s, const Json&, const Json& params) { return s.Format(params, false); }},
    {"textDocument/prepareCallHierarchy",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       return PrepareCallHierarchy(s.project_, params);
     }},
    {"callHierarchy/incomingCalls",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       return IncomingCalls(s.project_, params);
     }},
    {"callHierarchy/outgoingCalls",
     [](LspServer& s, const Json&, const Json& params) -> Reply {
       return OutgoingCalls(s.project_, params);
     }},
    {"workspace/executeCommand",
     [](LspServer& s, const Json& id, const Json& params) { return s.Execute(id, params); }},
    {"shutdown",
     [](LspServer& s, const Json&, const Json&) -> Reply {
       s.shut_down_ = true;
       return Json(nullptr);
     }},
};

LspServer::LspServer(Sink send)
    : send_(std::move(send)),
      pool_(kWorkers),
      feed_(std::make_unique<CheckFeed>(project_, pool_,
                                        [this](const ProgramCheck& check) {
                                          send_(RpcNotification("textDocument/publishDiagnostics",
                                                                PublishJson(project_, check)));
                                        })),
      evaluations_(std::make_shared<Strand>(pool_)) {}

LspServer::~LspServer() {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, flag] : open_) *flag = true;
  }
  pool_.Stop();
}

void LspServer::Log(const std::string& text) {
  constexpr int kWarning = 2;
  send_(RpcNotification("window/logMessage", {{"type", kWarning}, {"message", text}}));
}

void LspServer::TakeFault(const std::string& reason) {
  Send(nullptr, RequestError{kRpcParseError, reason});
}

void LspServer::Take(std::string_view body) {
  JsonText read = ParseJson(body);
  if (!read.error.empty()) read = ParseJson(WithoutLoneSurrogates(body));
  if (!read.error.empty()) return TakeFault(read.error);
  // What the client answers: nothing depends on it.
  if (read.json.is_object() && !read.json.contains("method") &&
      (read.json.contains("result") || read.json.contains("error")))
    return;
  if (read.json.is_object() && FieldAt(read.json, "params").is_null()) read.json.erase("params");
  std::variant<RpcMessage, RpcFault> message = RpcMessageOf(std::move(read.json));
  if (auto* fault = std::get_if<RpcFault>(&message))
    return Send(fault->id, RequestError{fault->code, fault->message});
  auto& rpc = std::get<RpcMessage>(message);
  if (rpc.kind == RpcMessage::Kind::kRequest) TakeRequest(std::move(rpc));
  else if (rpc.kind == RpcMessage::Kind::kNotification) TakeNotification(rpc);
}

void LspServer::Send(const Json& id, Reply reply) {
  if (std::holds_alternative<std::monostate>(reply)) return;
  if (auto* result = std::get_if<Json>(&reply)) return send_(RpcResult(id, std::move(*result)));
  const auto& error = std::get<RequestError>(reply);
  Json out = RpcError(id, error.code, error.message);
  if (id.is_null()) out["id"] = nullptr;
  send_(out);
}

void LspServer::TakeRequest(RpcMessage message) {
  const Json id = message.id;
  if (message.method == "initialize" && !initialized_ && !shut_down_)
    return Send(id, Initialize(message.params));
  Send(id, ReplyTo(message));
}

Reply LspServer::ReplyTo(const RpcMessage& message) {
  if (!initialized_) return RequestError{kNotInitialized, "expected `initialize` first"};
  if (shut_down_) return RequestError{kRpcInvalidRequest, "the server was shut down"};
  if (message.method == "initialize")
    return RequestError{kRpcInvalidRequest, "the server is initialized"};
  const auto* method = std::ranges::find(kMethods, message.method, &Method::name);
  if (method == std::end(kMethods))
    return RequestError{kRpcMethodNotFound, "unknown method `" + message.method + "`"};
  return method->reply(*this, message.id, message.params);
}

Json LspServer::Initialize(const Json& params) {
  initialized_ = true;
  project_.client = ClientOf(params);
  client_process_ = NumberAt(params, "processId", 0);
  const Json& workspace = FieldAt(FieldAt(params, "capabilities"), "workspace");
  watches_ = FlagAt(FieldAt(workspace, "didChangeWatchedFiles"), "dynamicRegistration");
  if (const Json& folders = FieldAt(params, "workspaceFolders"); folders.is_array())
    for (const Json& folder : folders) project_.files.AddFolder(TextAt(folder, "uri"));
  else if (const std::string root = TextAt(params, "rootUri"); !root.empty())
    project_.files.AddFolder(root);
  return {{"capabilities", Capabilities(project_.client.encoding)},
          {"serverInfo", {{"name", "rpl"}, {"version", RPL_VERSION}}}};
}

void LspServer::TakeNotification(const RpcMessage& message) {
  const std::string& method = message.method;
  const Json& params = message.params;
  if (method == "exit") {
    exit_code_ = shut_down_ ? kExitOk : kExitNo;
    return;
  }
  if (!initialized_) return;
  if (method == "$/cancelRequest") {
    const std::lock_guard lock(mutex_);
    const auto at = open_.find(DumpJson(FieldAt(params, "id")));
    if (at != open_.end()) *at->second = true;
    return;
  }
  const std::string uri = UriAt(params);
  if (method == "initialized" && watches_) {
    const Json watchers =
        Json::array({{{"globPattern", "**/*.{md,rpl}"}}, {{"globPattern", "**/rpl.yaml"}}});
    const Json registration = {{"id", "files"},
                               {"method", "workspace/didChangeWatchedFiles"},
                               {"registerOptions", {{"watchers", watchers}}}};
    send_(RpcRequest("rpl-files", "client/registerCapability",
                     {{"registrations", Json::array({registration})}}));
  } else if (method == "textDocument/didOpen") {
    const Json& text = FieldAt(FieldAt(params, "textDocument"), "text");
    if (uri.empty() || !text.is_string()) return Log("textDocument/didOpen without URI or text");
    project_.files.Open(uri, VersionAt(params), text.get<std::string>(),
                        TextAt(FieldAt(params, "textDocument"), "languageId") == "rpl");
    feed_->Changed(uri);
  } else if (method == "textDocument/didChange") {
    if (!project_.files.Change(uri, VersionAt(params), FieldAt(params, "contentChanges"),
                               project_.client.encoding))
      return Log("textDocument/didChange of a document that is not open, or with bad changes: " +
                 uri);
    feed_->Changed(uri);
  } else if (method == "textDocument/didClose") {
    project_.files.Close(uri);
    feed_->Closed(uri);
  } else if (method == "workspace/didChangeWatchedFiles") {
    WatchedFiles(params);
  } else if (method == "workspace/didChangeWorkspaceFolders") {
    const Json& event = FieldAt(params, "event");
    if (const Json& list = FieldAt(event, "removed"); list.is_array())
      for (const Json& folder : list) project_.files.RemoveFolder(TextAt(folder, "uri"));
    if (const Json& list = FieldAt(event, "added"); list.is_array())
      for (const Json& folder : list) project_.files.AddFolder(TextAt(folder, "uri"));
  }
}

void LspServer::WatchedFiles(const Json& params) {
  const Json& changes = FieldAt(params, "changes");
  if (!changes.is_array()) return;
  for (const Json& change : changes) feed_->Changed(TextAt(change, "uri"));
}

Reply LspServer::Evaluate(const Json& id, std::function<Json(const Flag& cancelled)> work) {
  const std::string key = DumpJson(id);
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  {
    const std::lock_guard lock(mutex_);
    open_[key] = cancelled;
  }
  evaluations_->Post([this, id, key, cancelled, work = std::move(work)] {
    Reply reply = RequestError{kRequestCancelled, "cancelled"};
    if (!*cancelled) {
      Json result = work(cancelled);
      if (!*cancelled) reply = std::move(result);
    }
    {
      const std::lock_guard lock(mutex_);
      const auto at = open_.find(key);
      if (at != open_.end() && at->second == cancelled) open_.erase(at);
    }
    Send(id, std::move(reply));
  });
  return std::monostate();
}

Reply LspServer::Hover(const Json& id, const Json& params) {
  const std::optional<lsp::Hover> hover = HoverAt(project_, params);
  if (!hover) return Json(nullptr);
  const File file = project_.FileOf(params);
  if (hover->ground.empty() || file == nullptr) return HoverJson(*hover, "");
  return Evaluate(id, [this, file, hover = *hover](const Flag& cancelled) {
    return HoverJson(hover,
                     Evaluation(file, project_.ReaderFor(file), cancelled).Why(hover.ground));
  });
}

Reply LspServer::Actions(const Json& params) {
  const File file = project_.FileOf(params);
  if (file == nullptr) return NoDocument();
  return CodeActionsOf(project_, *feed_->CheckOf(file), params);
}

Reply LspServer::PrepareRename(const Json& params) {
  const std::optional<Place> at = OccurrenceAt(project_, params);
  if (!at) return Json(nullptr);
  if (std::string why = RefusalOf(project_, *at); !why.empty())
    return RequestError{kRequestFailed, std::move(why)};
  return Json({{"range", project_.RangeOf(at->index->file(), at->occurrence->span)},
               {"placeholder", at->occurrence->name.label}});
}

Reply LspServer::RenameTo(const Json& params) {
  const std::optional<Place> at = OccurrenceAt(project_, params);
  if (!at) return RequestError{kRequestFailed, "there is no name here"};
  auto renamed = Rename(project_, *at, TextAt(params, "newName"));
  if (auto* refusal = std::get_if<Refusal>(&renamed))
    return RequestError{kRequestFailed, std::move(refusal->reason)};
  return WorkspaceEditOf(project_, std::get<FileEdits>(renamed));
}

Reply LspServer::Format(const Json& params, bool whole) {
  const File file = project_.FileOf(params);
  if (file == nullptr) return NoDocument();
  if (!file->is_program()) return Json::array();
  Span range{0, 0, static_cast<std::uint32_t>(file->text.size())};
  if (!whole) {
    TextPosition begin, end;
    const Json& asked = FieldAt(params, "range");
    if (!ReadPosition(FieldAt(asked, "start"), begin) || !ReadPosition(FieldAt(asked, "end"), end))
      return RequestError{kRpcInvalidParams, "expected a range"};
    range.begin = file->lines.OffsetOf(begin, project_.client.encoding);
    range.end = file->lines.OffsetOf(end, project_.client.encoding);
  }
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t number = sources.Add(file->name(), file->text);
  Json out = Json::array();
  for (const Edit& edit : FormatEdits(sources, number, ignored))
    if (edit.span.begin <= range.end && range.begin <= edit.span.end)
      out.push_back(TextEditOf(project_, *file, edit));
  return out;
}

Reply LspServer::Tokens(const Json& params, bool whole) {
  const File file = project_.FileOf(params);
  if (file == nullptr) return NoDocument();
  std::uint32_t begin = 0, end = static_cast<std::uint32_t>(file->text.size());
  if (!whole) {
    TextPosition from, to;
    const Json& asked = FieldAt(params, "range");
    if (!ReadPosition(FieldAt(asked, "start"), from) || !ReadPosition(FieldAt(asked, "end"), to))
      return RequestError{kRpcInvalidParams, "expected a range"};
    begin = file->lines.OffsetOf(from, project_.client.encoding);
    end = file->lines.OffsetOf(to, project_.client.encoding);
  }
  if (!file->is_program()) return Json({{"data", Json::array()}});
  return SemanticTokensOf(project_, *project_.indexes.Of(file), begin, end);
}

Reply LspServer::Hints(const Json& params) {
  const File file = project_.FileOf(params);
  if (file == nullptr) return NoDocument();
  TextPosition from, to;
  const Json& asked = FieldAt(params, "range");
  if (!ReadPosition(FieldAt(asked, "start"), from) || !ReadPosition(FieldAt(asked, "end"), to))
    return RequestError{kRpcInvalidParams, "expected a range"};
  if (!file->is_program()) return Json::array();
  return InlayHintsOf(project_, file, file->lines.OffsetOf(from, project_.client.encoding),
                      file->lines.OffsetOf(to, project_.client.encoding));
}

// The result of a command is its text, which clients that do nothing with results are also shown.
Reply LspServer::Execute(const Json& id, const Json& params) {
  const std::string command = TextAt(params, "command");
  const auto show = [this](std::string text) {
    constexpr int kInfo = 3;
    if (!project_.client.shows_results)
      send_(RpcNotification("window/showMessage", {{"type", kInfo}, {"message", text}}));
    return Json(std::move(text));
  };
  if (command == "rpl.hint")
    return show(ArgumentAt(params, 0) + ": " + ArgumentAt(params, 1) +
                "\nhelp: " + ArgumentAt(params, 2));
  if (std::ranges::find(kCommands, command) == std::end(kCommands))
    return RequestError{kRpcInvalidParams, "unknown command `" + command + "`"};
  const File file = project_.files.Find(ArgumentAt(params, 0));
  if (file == nullptr) return NoDocument();
  return Evaluate(id, [this, command, file, show, what = ArgumentAt(params, 1)](const Flag& flag) {
    if (command == "rpl.tests") {
      const File disk = project_.files.OnDisk(file->path);
      if (disk == nullptr || disk->text != file->text)
        return show("the tests run from the file: save the document first");
      return show(RunTests(file->path, what, *flag));
    }
    const Evaluation evaluation(file, project_.ReaderFor(file), flag);
    if (command == "rpl.why") return show(evaluation.Why(what));
    if (command == "rpl.run") return show(evaluation.Run(what));
    return show(evaluation.Answers(what));
  });
}

}  // namespace rpl::lsp
