// SPDX-License-Identifier: Apache-2.0
//
// The result of the tools that run a protocol, one shape for every status:
//
//   {"now": "…", "schema": "rpl.mcp.run/1", "session": "s_…", "seq": 14, "status": "waiting", …}
//
// `now` is for the model: what the protocol's prose tells to do, filled in, and one sentence that
// names the next call. The rest is for programs, in the words of `rpl run --format json`.
#ifndef RPL_SHELL_SERVING_RUN_REPORT_H_
#define RPL_SHELL_SERVING_RUN_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shell/serving/protocol_run.h"
#include "shell/serving/question_form.h"

namespace rpl {

struct RunReport {
  nlohmann::ordered_json json;
  std::vector<OpenQuestion> questions;
  std::vector<UnusedAnswer> unused;
};

/// The report of a run after a turn. `path`: of its session file, for a person at a terminal.
RunReport ReportOf(ProtocolRun& run, const std::string& handle, const std::string& path);

/// The report while a turn runs, from the last one, which may be null. `fault`: why its input is
/// not stored yet, or "".
nlohmann::ordered_json RunningReport(const std::string& handle, const std::string& protocol,
                                     nlohmann::ordered_json last, const std::string& fault = "");

/// The JSON schema of both, in short.
nlohmann::ordered_json RunSchema();

/// A report as text: what to do now, the handle, the keys of the questions, the answers.
std::string ReportText(const nlohmann::ordered_json& report);

/// The most answers in a report, and their bytes. Others are on further pages.
inline constexpr std::size_t kMostAnswers = 50;
inline constexpr std::size_t kMostAnswerText = 12'000;

/// The answers from `first` on that fit a page.
struct AnswerPage {
  nlohmann::ordered_json answers = nlohmann::ordered_json::array();
  std::size_t next = 0;  // the first one that did not fit; 0 if all did
};
AnswerPage PageOf(const std::vector<std::string>& json_answers, std::size_t first,
                  std::size_t most = kMostAnswers);

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_RUN_REPORT_H_
