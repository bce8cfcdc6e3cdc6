// SPDX-License-Identifier: Apache-2.0
//
// The JSON interface of a worker: runs are begun, given inputs and read, whichever worker does
// their turns. docs/schemas/serve.json describes it in OpenAPI.
//
//   POST /v1/runs                begins a run              201, 200 if the key was used before
//   GET  /v1/runs                lists runs of the tenant
//   GET  /v1/runs/ID             one run, with its report
//   POST /v1/runs/ID/inputs      answers, facts, retries   200, 202 if the turn is not done yet
//   GET  /v1/runs/ID/trace       the trace so far, as text
//   GET  /v1/protocols           the names of the protocols
//   GET  /metrics                those of the tenant
//   GET  /healthz  /readyz  /openapi.json                  without a token
//
// `?wait=SECONDS` waits until the run needs no worker. A request that cannot be taken has the
// answer
// {"error": …, "hint": …}: 400 if it is wrong, 404, 429 if the tenant has too many runs waiting,
// 503 while the database cannot be reached, within two seconds, or the process ends. No answer says
// where the database is.
#ifndef RPL_SHELL_SERVE_SERVE_API_H_
#define RPL_SHELL_SERVE_SERVE_API_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "shell/serve/queue_pool.h"
#include "shell/serve/serve_workers.h"
#include "shell/serving/web_handler.h"

namespace rpl {

class ServeApi : public WebHandler {
 public:
  /// Borrows all but the settings.
  ServeApi(ServeSettings settings, const ProtocolFolder& protocols, ServeWorkers& workers,
           ServeMetrics& metrics, QueuePool& queues, WorkerPool& pool);

  bool IsPublic(std::string_view path) const override;
  void Take(WebRequest request, std::function<void(WebAnswer)> reply) override;
  void Drain() override;
  /// A turn of the run has ended in this process: requests that wait for that look at it.
  void Done(const std::string& session);
  bool IsDrained() override { return workers_.IsDrained() && waiting_ == 0; }

 private:
  using Reply = std::function<void(WebAnswer)>;
  struct Wait;

  WebAnswer Answer(const WebRequest& request, const Reply& reply, bool& later);
  WebAnswer Begin(const WebRequest& request, const Reply& reply, bool& later);
  WebAnswer Give(const WebRequest& request, const std::string& session, const Reply& reply,
                 bool& later);
  WebAnswer Show(const WebRequest& request, const std::string& session, const Reply& reply,
                 bool& later);
  WebAnswer List(const WebRequest& request);
  WebAnswer Trace(const WebRequest& request, const std::string& session);
  WebAnswer Protocols(const WebRequest& request) const;
  WebAnswer Ready();
  WebAnswer Metrics(const WebRequest& request);
  WebAnswer Failed(const SqlError& error);
  std::string RetryFault(const std::vector<std::string>& retry, const std::string& protocol) const;
  void Announce();
  void WaitFor(Wait wait);
  void Look(const std::shared_ptr<Wait>& wait);

  const ServeSettings settings_;
  const ProtocolFolder& protocols_;
  ServeWorkers& workers_;
  ServeMetrics& metrics_;
  QueuePool& queues_;
  WorkerPool& pool_;
  std::atomic<bool> draining_ = false;
  std::atomic<std::size_t> waiting_ = 0;  // requests that have no answer yet
  std::mutex mutex_;
  std::multimap<std::string, std::shared_ptr<Wait>> waits_;  // of those, by session
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_SERVE_API_H_
