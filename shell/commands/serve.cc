// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "runtime/postgres/database_url.h"
#include "runtime/tools/tool.h"
#include "shell/commands/mcp_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"
#include "shell/mcp/http_server.h"
#include "shell/mcp/mcp_service.h"
#include "shell/serve/run_rows.h"
#include "shell/serve/serve_api.h"

namespace rpl {
namespace {

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

}  // namespace

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

}  // namespace rpl
