// SPDX-License-Identifier: Apache-2.0
//
// A cassette: the recorded replies of a model, in a file of lines of JSON, one a reply.
//
//   {"cassette":1,"call":"…","digest":"…","model":"…","prompt":"…","schema":{…},"reply":"…",
//    "tokens":n}
//
// A request takes the first unused reply with its digest, else the last one with it. A request
// without any is an error that tells the nearest recording and the first line that differs. A
// cassette is never written by a run: it is made of a session (`rpl trace export --cassette`), or
// by `rpl test --record`.
#ifndef RPL_RUNTIME_MODEL_CASSETTE_H_
#define RPL_RUNTIME_MODEL_CASSETTE_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/attempt.h"
#include "runtime/model/model_provider.h"

namespace rpl {

/// The line of an attempt, without its end; nullopt if the session kept digests alone.
std::optional<std::string> CassetteLine(const Attempt& attempt);

class Cassette {
 public:
  struct Recording {
    std::string call, digest, model, prompt, reply, refusal;
    std::uint64_t tokens = 0;
    bool used = false;
  };

  /// Reads the text of a file. Returns the reason why it is none, for people, or "".
  std::string Read(const std::string& text);
  /// The reply to a request; null if there is none.
  Recording* Find(const std::string& digest);
  /// What the cassette has in place of a request that it does not have, for people.
  std::string Miss(const std::string& call, const std::string& prompt) const;

 private:
  std::vector<Recording> recordings_;
};

/// A provider that asks another one and writes each reply that is an attempt to a cassette, which
/// begins anew. `model`: the name of the other one.
std::unique_ptr<ModelProvider> MakeRecordingProvider(std::unique_ptr<ModelProvider> from,
                                                     std::string model, std::string path);

}  // namespace rpl

#endif  // RPL_RUNTIME_MODEL_CASSETTE_H_
