// SPDX-License-Identifier: Apache-2.0
//
// A turn of a run as OpenTelemetry spans: one for the turn, one for each of its timesteps, one for
// each call of a tool.
//
// They are written as OTLP in JSON, one ExportTraceServiceRequest per turn and line, the form of
// the collector's file receiver. Times are those of this process; the trace is that of the client's
// `traceparent`, or a new one.
#ifndef RPL_SHELL_SERVE_TURN_SPANS_H_
#define RPL_SHELL_SERVE_TURN_SPANS_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rpl {

class TurnSpans {
 public:
  /// `parent`: a value of the header traceparent; another text begins a trace.
  TurnSpans(std::string session, std::string protocol, const std::string& parent);

  /// Takes an event of the run as it happens (docs/schemas/event.json).
  void Take(const nlohmann::ordered_json& event);
  /// Ends what is open, and gives the request in one line without its end.
  std::string End(const std::string& status, bool failed);

  std::size_t timesteps() const { return timesteps_; }
  std::size_t calls() const { return calls_; }

 private:
  struct TurnSpan {
    std::string id;
    std::string parent;
    std::string name;
    std::int64_t begin = 0;  // nanoseconds since 1970
    std::int64_t end = 0;
    bool failed = false;
    nlohmann::ordered_json attributes = nlohmann::ordered_json::array();
  };

  TurnSpan& Begin(const std::string& name, const std::string& parent);
  static nlohmann::ordered_json Shown(const TurnSpan& span, const std::string& trace);

  std::string trace_;
  std::vector<TurnSpan> spans_;                    // the first is that of the turn
  std::size_t timestep_ = 0;                       // the index of the one that runs; 0: none
  std::map<std::string, std::size_t> open_calls_;  // by id
  std::size_t timesteps_ = 0;
  std::size_t calls_ = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_TURN_SPANS_H_
