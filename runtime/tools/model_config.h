// SPDX-License-Identifier: Apache-2.0
//
// The model that may answer questions of a project: the section `model` of `rpl.yaml`, or an option
// of the command line (docs/models.md).
//
// A key is never a part of it: `key` is the name of a variable of the environment, which the HTTP
// layer reads when it makes the header. A configuration cannot approve its own model: provider,
// address and model are approved by the user, as commands are (runtime/tools/tool_approval.h).
#ifndef RPL_RUNTIME_TOOLS_MODEL_CONFIG_H_
#define RPL_RUNTIME_TOOLS_MODEL_CONFIG_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rpl {

/// What a model may answer, how often, and what of it is recorded.
struct ModelBounds {
  std::vector<std::string> answers;  // keys of questions, or "generate"; nothing else is answered
  bool answers_all = false;     // of a first try on the command line: every question that may be
  std::size_t attempts = 3;     // of one question, from 1
  std::size_t most_calls = 40;  // of the run, with those that are repeated
  std::uint64_t most_tokens = 200'000;
  std::uint64_t most_seconds = 300;  // wall time of the calls
  bool full = true;                  // a session records requests and replies, not their digests
};

struct ModelConfig {
  enum class Provider { kNoModel, kCommand, kCassette, kOpenAi, kAnthropic };
  Provider provider = Provider::kNoModel;
  std::string url;                   // of an HTTP provider: https, or a loopback address
  std::string model;                 // the name that the provider knows
  std::string key;                   // a variable of the environment, or ""
  std::vector<std::string> command;  // kCommand: its words, not empty
  std::string file;                  // kCassette: a path
  ModelBounds bounds;
  std::string folder;  // of the configuration, absolute; working directory of kCommand
  std::vector<std::string> environment = {"PATH", "HOME", "LANG", "TZ"};  // of kCommand
  std::size_t max_output_bytes = std::size_t{1} << 20;                    // of one reply
  std::chrono::milliseconds timeout{60'000};                              // of one request

  explicit operator bool() const { return provider != Provider::kNoModel; }
};

/// "openai", "command", ….
std::string ProviderName(ModelConfig::Provider provider);

/// The model of `--model PROVIDER:NAME`, or of `cassette:FILE` and `command:WORDS`; with the reason
/// as `error` if the text names none. Paths are of this folder. Its keys are those that the
/// providers' own programs read.
struct NamedModel {
  ModelConfig config;
  std::string error;
};
NamedModel ModelNamed(const std::string& text);

/// Whether the address is one of https, or one of http at a loopback address.
bool IsSafeAddress(const std::string& url);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_MODEL_CONFIG_H_
