// SPDX-License-Identifier: Apache-2.0
//
// The open questions of a run as data, for programs and people outside the process.
#ifndef RPL_RUNTIME_WIRE_OPEN_QUESTION_H_
#define RPL_RUNTIME_WIRE_OPEN_QUESTION_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "interp/store/value.h"
#include "runtime/request.h"

namespace rpl {

/// "ask", "choose" or "tool".
std::string_view KindName(Request::Kind kind);

/// The most bytes that a form shows: a person reads it.
inline constexpr std::size_t kMostFormBytes = 4000;

/// An open call of a run, without the values of its session.
struct OpenQuestion {
  Request::Kind kind = Request::Kind::kAsk;
  std::string id;                    // the call
  std::string key;                   // unique among the open ones
  std::string prompt;                // for people, one paragraph
  std::string place;                 // "trip.md:3:1", or ""
  std::string tool;                  // kTool: its name
  nlohmann::ordered_json arguments;  // kTool: an array
  std::vector<std::string> options;  // kChoose
  std::vector<std::string> row;      // the names of the columns, if it takes rows
  Takes takes = Takes::kAny;
  bool whole = true;  // a form can show all of it
  bool secret = false;
  bool personal = false;   // only a person's answer counts
  bool in_doubt = false;   // the tool may have run
  bool of_server = false;  // and the server has its command: the client is not to call it
};

/// Whether a request asks for a password or a key, by its words.
bool AsksForSecret(const Request& request);

/// The questions of an outcome, in its order.
std::vector<OpenQuestion> OpenQuestionsOf(const std::vector<OpenRequest>& pending,
                                          const Pool& pool);

/// The entry in a result: {"id", "key", "kind", "prompt", …}.
nlohmann::ordered_json QuestionJson(const OpenQuestion& question);

/// The JSON Schema of the values that answer it. REQUIRES: it is no call of a tool.
nlohmann::ordered_json AnswerSchema(const OpenQuestion& question);

/// What the answer is, for people: "a number", "one of \"a\", \"b\"".
std::string WantedText(const OpenQuestion& question);

/// The text as Printable shows it, at most `most` bytes.
std::string ShownText(const std::string& text, std::size_t most = 4000);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_OPEN_QUESTION_H_
