// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of a document's queries, for hovers and lenses.
//
// A document is evaluated in a session of its own, with limits of time and memory, by an agent that
// answers nothing: no tool is called and nobody is asked. An evaluation that met a limit or was
// cancelled says so; it never says "no".
#ifndef RPL_SHELL_LSP_EVALUATION_H_
#define RPL_SHELL_LSP_EVALUATION_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "shell/lsp/workspace.h"

namespace rpl::lsp {

struct EvaluationLimits {
  std::chrono::milliseconds time{1'000};
  std::size_t megabytes = 2'048;  // more than the process holds when it begins
  std::size_t rows = 2'000'000;
  std::size_t bytes = std::size_t{4} << 20;  // of the document
};

class Evaluation {
 public:
  using Files = std::function<std::optional<std::string>(const std::string&)>;

  /// `cancelled` is polled while evaluating.
  Evaluation(File file, Files files, std::shared_ptr<const std::atomic<bool>> cancelled,
             EvaluationLimits limits = {})
      : file_(std::move(file)),
        files_(std::move(files)),
        cancelled_(std::move(cancelled)),
        limits_(limits) {}

  /// The derivations of the facts that match a call, or why there is none.
  std::string Why(const std::string& call) const;
  /// The answers of a query, one per line.
  std::string Answers(const std::string& query) const;
  /// The outcome of a goal (GoalNamed), or the questions that it waits for.
  std::string Run(const std::string& given) const;

 private:
  struct Loaded;
  std::string Begin(Loaded& to) const;

  const File file_;
  const Files files_;
  const std::shared_ptr<const std::atomic<bool>> cancelled_;
  const EvaluationLimits limits_;
};

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_EVALUATION_H_
