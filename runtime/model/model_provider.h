// SPDX-License-Identifier: Apache-2.0
//
// A provider of a model: it turns one request into one text. Everything else, what is asked and
// whether the text is an answer, is decided elsewhere.
//
//   command    a process that reads a line of JSON and writes one (runtime/tools/tool.h)
//   cassette   recorded replies; never the network (runtime/model/cassette.h)
//   openai     POST URL/chat/completions, with response_format json_schema
//   anthropic  POST URL/messages, with output_config.format
//
// The key of an HTTP provider is read from its variable when the header is made, and is in nothing
// that a provider returns: texts of errors come from the status alone, or have the key struck out.
#ifndef RPL_RUNTIME_MODEL_MODEL_PROVIDER_H_
#define RPL_RUNTIME_MODEL_MODEL_PROVIDER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/tools/model_config.h"
#include "runtime/tools/tool.h"

namespace rpl {

/// A request. Plain data.
struct ModelRequest {
  std::string call = {};    // the question
  std::string key = {};     // its name
  std::string text = {};    // the prompt
  std::string digest = {};  // of it
  nlohmann::ordered_json schema = nullptr;
  std::size_t attempt = 1;     // of the question
  std::string refused = {};    // why the last attempt was not taken, or ""
  std::size_t most_calls = 1;  // that the transport may make for it, at least 1
  std::uint64_t most_ms = 0;   // within which it must end
};

struct ModelReply {
  enum class Kind {
    kText,     // `text` is to be judged
    kRefused,  // the model does not answer; `why` is its text
    kNoReply,  // nothing came now: no connection, 5xx, a process that failed
    kEnds,     // nothing will come in this run: 4xx, no key, no recording
  };
  Kind kind = Kind::kNoReply;
  std::string text;
  std::string why;           // for people
  std::string model = {};    // of a recording: the one that replied; else ""
  std::size_t requests = 1;  // that were made
  std::uint64_t tokens = 0;  // of requests and reply
  bool estimated = false;    // by their length
  std::uint64_t took_ms = 0;
};

class ModelProvider {
 public:
  virtual ~ModelProvider() = default;
  /// The reply. `interrupted` is polled and ends the wait.
  virtual ModelReply Ask(const ModelRequest& request, const std::function<bool()>& interrupted) = 0;
};

/// Receives the log of a command, as ToolRun::log does; may be empty.
using ModelLog = std::function<void(const std::string& of, const std::string& line)>;

/// The provider of a configuration. REQUIRES: it has one.
std::unique_ptr<ModelProvider> MakeModelProvider(const ModelConfig& config, ModelLog log);

// Each by its kind.
std::unique_ptr<ModelProvider> MakeCommandProvider(const ModelConfig& config, ModelLog log);
std::unique_ptr<ModelProvider> MakeHttpProvider(const ModelConfig& config);
std::unique_ptr<ModelProvider> MakeCassetteProvider(const ModelConfig& config);

/// The command, or the address with model and variable, as it is approved: a tool named `model`.
ToolCommand ApprovedAs(const ModelConfig& config);

}  // namespace rpl

#endif  // RPL_RUNTIME_MODEL_MODEL_PROVIDER_H_
