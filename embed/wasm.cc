// SPDX-License-Identifier: Apache-2.0
//
// The functions of the WebAssembly module: JSON in, JSON out (runtime/run/json_run.h).
//
// Results are valid until the next call. Runs have numbers from 1.
#include <emscripten/emscripten.h>

#include <exception>
#include <map>
#include <memory>
#include <stdexcept>

#include "formats/data/json_text.h"
#include "grammar/formatter.h"
#include "interp/lint/checker.h"
#include "runtime/run/json_run.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

std::map<int, std::unique_ptr<JsonRun>>& Runs() {
  static std::map<int, std::unique_ptr<JsonRun>> runs;
  return runs;
}

const char* Result(const ordered_json& json) {
  static std::string last;
  last = DumpJson(json);
  return last.c_str();
}

template <typename Work>
const char* Answered(const char* text, const Work& work) {
  try {
    const JsonText read = ParseExactJson(text);
    if (!read.error.empty()) return Result({{"error", "expected JSON: " + read.error}});
    return Result(work(read.json));
  } catch (const std::bad_alloc&) {
    return Result({{"error", "out of memory"}});
  } catch (const std::exception& e) {
    return Result({{"error", e.what()}});
  }
}

}  // namespace
}  // namespace rpl

extern "C" {

/// Checks and opens documents (RunSpecOf): {"run", "findings"}; run is 0 if they have errors, with
/// "refused", the reason. `check` false: only the
/// findings that opening makes.
EMSCRIPTEN_KEEPALIVE const char* rpl_open(const char* request) {
  using namespace rpl;
  return Answered(request, [](const ordered_json& json) {
    RunSpec spec = RunSpecOf(json);
    ordered_json out = {{"run", 0}};
    const bool check = json.value("check", true);
    if (check) {
      CheckOptions options;
      options.reader = spec.reader;
      out.update(CheckedJson(spec.files, options));
    }
    auto run = std::make_unique<JsonRun>(std::move(spec));
    if (!check) out["findings"] = run->findings();
    if (const std::string why = run->refused(); !why.empty()) {
      out["refused"] = why;
      return out;
    }
    const int number = Runs().empty() ? 1 : Runs().rbegin()->first + 1;
    Runs()[number] = std::move(run);
    out["run"] = number;
    return out;
  });
}

/// The result of a request to a run; of run 0, {"do": "format", "name", "text"}: "text", formatted.
EMSCRIPTEN_KEEPALIVE const char* rpl_turn(int run, const char* request) {
  using namespace rpl;
  return Answered(request, [run](const ordered_json& json) {
    if (run == 0 && json.value("do", "") == "format") {
      Sources sources;
      Diagnostics ignored;
      const std::uint32_t file =
          sources.Add(json.value("name", "protocol.md"), json.value("text", ""));
      return ordered_json{{"text", ApplyEdits(sources, file, FormatEdits(sources, file, ignored))}};
    }
    const auto at = Runs().find(run);
    if (at == Runs().end()) return ordered_json{{"error", "there is no such run"}};
    return at->second->Do(json);
  });
}

EMSCRIPTEN_KEEPALIVE void rpl_close(int run) { rpl::Runs().erase(run); }

}  // extern "C"
