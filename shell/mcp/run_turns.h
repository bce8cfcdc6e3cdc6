// SPDX-License-Identifier: Apache-2.0
//
// The turns of runs that calls ask for, and the questions that they end with.
//
// A turn runs on the strand of its run. If it waits for answers, then
//
//   a client with a handshake and forms   is sent `elicitation/create`, and the call goes on with
//                                         the answer; after 45 s without one it ends, `waiting`
//   a modern client with forms            gets `input_required` with a sealed state, and calls
//   again others                                get the questions in the result
//
// A call whose turn takes longer ends, and the turn goes on: its input is stored before that
// (RunRecords::Keep), so that it is taken even if this process ends.
//
// A client that answers "no" within a second, or does not know the method, has nobody to ask: it is
// not asked again. The answers of a form are a person's; those in the arguments of a tool are a
// model's.
//
// Where other processes use the same runs, the answer in a form may come to another one. It finds
// in the sealed id of the question what was asked, and does the turn; the one that asked notices,
// and its call goes on. A run is held and open for the length of a turn; one in a folder is closed
// when nothing has been done with it for a second (ServedRuns). While another process has it, a
// call waits, but not as long as it may take: then it ends with the reason, and nothing was done.
#ifndef RPL_SHELL_MCP_RUN_TURNS_H_
#define RPL_SHELL_MCP_RUN_TURNS_H_

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shell/mcp/mcp_call.h"
#include "shell/mcp/served_runs.h"

namespace rpl {

struct McpService;
struct RunReport;
struct TurnInput;

class RunTurns {
 public:
  explicit RunTurns(McpService& service) : service_(service) {}

  /// A turn of the run for the call, with an input (ReadInput) or null. `begins`: the run is
  /// dropped if it cannot be opened. The call is answered.
  void Start(std::shared_ptr<McpCall> call, std::shared_ptr<ServedRun> run,
             nlohmann::ordered_json input, bool begins = false);

  /// The state of the run, without a turn if it has one.
  void Show(std::shared_ptr<McpCall> call, std::shared_ptr<ServedRun> run, std::size_t first);

  /// The answers in `inputResponses` of a call that is made again with the state that was sealed.
  /// nullopt: the call was answered, with an error.
  struct Retry {
    std::string session;
    nlohmann::ordered_json input;
    std::string asked;  // what was asked, a digest
    int fruitless = 0;  // rounds before this one, one after the other, that brought nothing
  };
  std::optional<Retry> ReadRetry(const std::shared_ptr<McpCall>& call);
  /// A turn with these answers. A client whose answers bring nothing is asked three times, and then
  /// gets the questions in the result.
  void GoOn(std::shared_ptr<McpCall> call, std::shared_ptr<ServedRun> run, Retry retry);

  /// Takes the answer to a question that another process asked, or that nobody waits for any more.
  /// What is not sealed here is ignored. The reason why the answer is not stored, or "".
  std::string TakeStray(const std::shared_ptr<McpPeer>& peer, const std::string& sealed,
                        const nlohmann::ordered_json& result);

  /// The reason for which a run cannot be opened, in its result.
  static nlohmann::ordered_json RefusalJson(const std::string& session, const Refusal& refusal);

 private:
  struct Turn;  // a call with its run
  class Working;

  struct Evaluated;

  void Begin(const std::shared_ptr<Turn>& turn, std::shared_ptr<McpCall> call,
             std::shared_ptr<ServedRun> run, nlohmann::ordered_json input, bool begins);
  void Post(const std::shared_ptr<Turn>& turn);
  void Run(const std::shared_ptr<Turn>& turn);
  bool IsLeft(const Turn& turn, bool done);
  std::string KeepInput(Turn& turn);
  void TakenInput(Turn& turn);
  Evaluated Evaluate(Turn& turn);
  static void Tell(const TurnInput& input, nlohmann::ordered_json& report);
  void ShowRun(const std::shared_ptr<Turn>& turn);
  RunReport Report(ServedRun& run, std::size_t first);
  bool Hold(const std::shared_ptr<Turn>& turn);
  void TryLater(const std::shared_ptr<Turn>& turn, const std::string& why);
  bool OpenRun(const std::shared_ptr<Turn>& turn);
  void Release(Turn& turn, const RunRecords::Turn& what);
  void Conclude(const std::shared_ptr<Turn>& turn, RunReport report);
  bool MayAsk(const McpCall& call);
  static bool AsksOnceMore(Turn& turn, const std::vector<OpenQuestion>& questions);
  void AskLegacy(const std::shared_ptr<Turn>& turn, RunReport report,
                 std::vector<OpenQuestion> questions);
  void AskModern(const std::shared_ptr<Turn>& turn, RunReport report,
                 const std::vector<OpenQuestion>& questions);
  std::string Answered(const std::shared_ptr<Turn>& turn, const RunReport& report,
                       const std::vector<OpenQuestion>& questions, std::chrono::milliseconds took,
                       const nlohmann::ordered_json& result, const nlohmann::ordered_json& error);
  void GoOnElsewhere(const std::shared_ptr<Turn>& turn, std::uint64_t question,
                     const std::string& last_turn);
  void Watch(const std::shared_ptr<Turn>& turn);
  void TellProgress(const std::shared_ptr<Turn>& turn);

  McpService& service_;
};

/// The purpose of the cursors for answers (Sealer), and how long they hold.
inline constexpr const char* kAnswersPurpose = "answers";
inline constexpr std::int64_t kCursorSeconds = 86'400;

/// The digest of a call that is made again: its tool and arguments, without answers and state.
std::string CallDigest(const McpCall& call);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_RUN_TURNS_H_
