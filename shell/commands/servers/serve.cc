// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

#include "runtime/postgres/database_url.h"
#include "runtime/tools/tool.h"
#include "shell/commands/commands.h"
#include "shell/commands/servers/mcp_setup.h"
#include "shell/commands/shared_options.h"
#include "shell/mcp/http_server.h"
#include "shell/mcp/mcp_service.h"
#include "shell/serve/run_rows.h"
#include "shell/serve/serve_api.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl serve [FILE|FOLDER…]: does turns of runs in a database, and serves them on HTTP.
struct ServeOptions {
  std::vector<std::string> paths;
  std::string store;                    // --store URL
  std::string http = "127.0.0.1:7070";  // --http ADDRESS
  std::string token_file;               // --token-file FILE
  std::size_t workers = 2;              // --workers N
  int lease = 15;                       // --lease SECONDS
  int drain = 30;                       // --drain SECONDS
  std::int64_t most_ready = 10'000;     // --max-ready N, of a tenant
  std::int64_t most_working = 0;        // --max-working N, likewise
  std::string spans;                    // --spans FILE
  AskOptions answers;                   // of /mcp
  EngineOptions engine;                 // config, allow_tools, guard, limits, threads
  bool schema = false;                  // rpl serve schema
};

constexpr const char* kServeFooter =
    R"(Runs and their sessions are rows of a database, so that any number of these processes, on any
machines, share the work: each does the next turn of any run. Clients begin runs and give answers
over HTTP; /openapi.json describes the interface. A process may be killed at any time: another
goes on with its runs. See docs/serve.md.

Examples
  rpl serve protocols --store postgresql://rpl@db/rpl
  rpl serve protocols --store postgresql://rpl@db/rpl --max-ready 1000 --spans spans.jsonl
  rpl serve schema)";

constexpr std::size_t kLeastToken = 16;
constexpr const char* kSealKey = "mcp key";
constexpr auto kQuietWait = std::chrono::seconds(1);

// Lines `TOKEN TENANT`; `#` begins a comment line. The reason why it cannot be used, or "".
std::string ReadTokens(const std::string& text, std::map<std::string, std::string>& tokens) {
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string token, tenant, more;
    words >> token >> tenant >> more;
    if (token.empty() || token.front() == '#') continue;
    if (tenant.empty() || !more.empty())
      return fmt::format("line {}: expected a token and the name of a tenant", number);
    if (token.size() < kLeastToken)
      return fmt::format("line {}: expected a token of at least {} characters", number,
                         kLeastToken);
    if (!tokens.emplace(token, tenant).second)
      return fmt::format("line {}: the token is there twice", number);
  }
  return tokens.empty() ? "there is no token in it" : "";
}

ExitCode ReadTokenFile(const std::string& path, std::map<std::string, std::string>& tokens) {
  if (path.empty()) return kExitOk;
  const Input input = ReadFile(path);
  if (!input.error.empty()) {
    Complain(path, input.error);
    return kExitFile;
  }
  if (const std::string error = ReadTokens(input.text, tokens); !error.empty()) {
    Complain(path, error);
    return kExitInvalid;
  }
  return kExitOk;
}

// Makes what is missing in the database, and reads the key of what its workers seal. A process that
// has to wait for the database says so, once.
SqlError PrepareStore(const ServeSettings& settings, std::string& key) {
  bool said = false;
  const auto say = [&](const std::string& why) {
    if (!said) std::cerr << fmt::format("rpl serve: waiting for the database: {}\n", why);
    said = true;
  };
  const auto began = std::chrono::steady_clock::now();
  RunQueue queue = QueueIn(settings, [&] {
    if (std::chrono::steady_clock::now() - began > kQuietWait) say("it does not answer yet");
    return false;
  });
  SqlError error = queue.Ping();
  if (error && error.retry) say(error.message);
  error = queue.Prepare();
  if (!error) error = queue.Share(kSealKey, Sealer::NewKeyText(), key);
  return error;
}

// Does not return before a signal. kExitFile for a database, a path or an address that cannot be
// used.
int CommandServe(const ServeOptions& options) {
  if (options.schema) {
    std::cout << RunQueue::Schema();
    return kExitOk;
  }
  if (options.paths.empty()) {
    Complain("serve", "expected protocols, or a folder with them", "see `rpl serve --help`");
    return kExitInvalid;
  }
  if (options.store.empty() || !IsDatabaseUrl(options.store)) {
    Complain("--store",
             options.store.empty() ? "expected the URL of a PostgreSQL database"
                                   : "this is no URL of a PostgreSQL database",
             "as in `--store postgresql://user@host/database`");
    return kExitInvalid;
  }
  if (const std::string error = CheckDatabaseUrl(options.store); !error.empty()) {
    Complain("--store", error);
    return kExitInvalid;
  }
  ServeSettings settings;
  settings.store = options.store;
  settings.workers = options.workers;
  settings.lease = std::chrono::seconds(options.lease);
  settings.limits = {options.most_ready, options.most_working};
  settings.spans = options.spans;
  settings.config = options.engine.config;
  HttpSettings web{options.http, {}};
  if (const ExitCode code = ReadTokenFile(options.token_file, web.tokens); code != kExitOk)
    return code;
  if (const std::string error = HttpFault(web); !error.empty()) {
    Complain("--http", error);
    return kExitInvalid;
  }
  // They live as long as the process, like the threads that use them.
  auto& protocols = *new ProtocolFolder();
  if (const std::string error = protocols.Add(options.paths); !error.empty()) {
    Complain("serve", error);
    return kExitFile;
  }
  std::string key;
  if (const SqlError error = PrepareStore(settings, key)) {
    Complain("--store", error.message);
    return kExitFile;
  }
  std::optional<Sealer> seals = Sealer::FromKeyText(key);
  if (!seals) {
    Complain("--store", std::string("the value `") + kSealKey + "` of rpl_shared is no key",
             "remove it to have it made again; what was sealed with it is then refused");
    return kExitFile;
  }
  auto& engine = *new EngineOptions(options.engine);
  auto& metrics = *new ServeMetrics();
  auto& workers = *new ServeWorkers(settings, engine, protocols, metrics);
  constexpr std::size_t kRequestThreads = 4;
  constexpr std::size_t kRenewer = 1;  // of the claims of /mcp
  auto& pool =
      *new WorkerPool(settings.workers + ServeWorkers::kMoreThreads + kRenewer + kRequestThreads);
  auto& watch = *new DatabaseWatch(
      [](const std::string& line) { std::cerr << fmt::format("rpl serve: {}\n", line); });
  auto& queues = *new QueuePool([settings, &watch] {
    return std::unique_ptr<RunQueue>(new RunQueue(RequestQueueIn(settings, watch)));
  });
  auto& patient = *new QueuePool(
      [settings] { return std::unique_ptr<RunQueue>(new RunQueue(QueueIn(settings))); });
  auto& api = *new ServeApi(settings, protocols, workers, metrics, queues, pool);
  web.handler = &api;
  web.party = "";  // the tenant of the JSON interface without tokens
  auto rows = std::make_unique<RunRows>(settings, queues, patient, metrics);
  RunRows& renewed = *rows;
  auto& mcp = *new McpService(options.engine, protocols, std::move(rows), std::move(*seals));
  if (const ExitCode code = SetUpMcp(options.answers, options.engine, mcp); code != kExitOk)
    return code;
  web.drain = std::chrono::seconds(options.drain);
  LeaveSignals();
  SqlConnection::KeepIdle(settings.workers + kRequestThreads + McpService::kWorkers);
  workers.Start(pool, [&api](const std::string& session) { api.Done(session); });
  pool.Post([&renewed] { renewed.RenewClaims(); });
  return ServeHttp(&mcp, web);
}

}  // namespace

Command DescribeServe(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<ServeOptions>();
  ServeOptions& to = *options;
  command.RequirePart(0);
  command.Add("PATH", to.paths,
              "Markdown protocols, plain RPL (*.rpl), or folders with such files");
  command.Part("schema", "Print the tables that it uses", [&to] { to.schema = true; });
  command.Add("--store", to.store, "The PostgreSQL database with the runs and their sessions")
      .Unit("URL")
      .Check(CheckNamed);
  command.Add("--http", to.http, "Serve at this address (default: 127.0.0.1:7070)")
      .Unit("ADDRESS")
      .Check(CheckNamed);
  command
      .Add("--token-file", to.token_file,
           "Serve only those with a token: a file with a token and a tenant on each line")
      .Unit("FILE")
      .Check(CheckNamed);
  command.Add("--workers", to.workers, "Do so many turns at the same time (default: 2)")
      .Unit("N")
      .Within(1, 256);
  command
      .Add("--lease", to.lease,
           "Leave the run of a worker that died to others after this time (default: 15)")
      .Unit("SECONDS")
      .Within(1, 3600);
  command.Add("--drain", to.drain, "Wait so long for turns when told to end (default: 30)")
      .Unit("SECONDS")
      .Within(0, 3600);
  command
      .Add("--max-ready", to.most_ready,
           "Refuse runs of a tenant that has so many waiting for a worker (default: 10000)")
      .Unit("N")
      .NotNegative();
  command
      .Add("--max-working", to.most_working,
           "Do at most so many turns of a tenant at the same time, on all workers")
      .Unit("N")
      .NotNegative();
  command.Add("--spans", to.spans, "Append OpenTelemetry spans of each turn to this file")
      .Unit("FILE")
      .Check(CheckNamed);
  AddAskOptions(command, to.answers);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddGuardOptions(command, to.engine.guard, "--guard-store");
  AddLimitOptions(command, to.engine.limits);
  AddThreads(command, to.engine.threads);
  command.Footer(kServeFooter);
  return {.run = [options] { return CommandServe(*options); }};
}

}  // namespace rpl
