// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/cassette.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "runtime/model/model_provider.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kShownLine = 80;

// The number of the first line in which the texts differ, from 1, and that line of each.
struct Difference {
  std::size_t line = 1;
  std::string was, is;
};
Difference FirstDifference(const std::string& was, const std::string& is) {
  std::istringstream left(was), right(is);
  Difference out;
  for (;; ++out.line) {
    const bool more_left = static_cast<bool>(std::getline(left, out.was));
    const bool more_right = static_cast<bool>(std::getline(right, out.is));
    if (!more_left) out.was.clear();
    if (!more_right) out.is.clear();
    if (out.was != out.is || more_left != more_right || !more_left) return out;
  }
}

std::string Line(const std::string& text) { return PrintableLine(Shortened(text, kShownLine)); }

class CassetteProvider : public ModelProvider {
 public:
  explicit CassetteProvider(const ModelConfig& config) {
    std::ifstream in(config.file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    why_ = in ? cassette_.Read(text.str()) : "it cannot be read";
    if (!why_.empty()) why_ = "the cassette " + PrintableLine(config.file) + ": " + why_;
  }

  ModelReply Ask(const ModelRequest& request, const std::function<bool()>&) override {
    ModelReply out;
    out.kind = ModelReply::Kind::kEnds;
    out.requests = 0;
    out.why = why_;
    if (!why_.empty()) return out;
    Cassette::Recording* const found = cassette_.Find(request.digest);
    if (found == nullptr) {
      out.kind = ModelReply::Kind::kNoReply;
      out.why = cassette_.Miss(request.call, request.text);
      return out;
    }
    found->used = true;
    out.kind = found->refusal.empty() ? ModelReply::Kind::kText : ModelReply::Kind::kRefused;
    out.text = found->reply;
    out.why = found->refusal;
    out.tokens = found->tokens;
    out.model = found->model;
    out.requests = 1;
    return out;
  }

 private:
  Cassette cassette_;
  std::string why_;  // it cannot be used
};

class RecordingProvider : public ModelProvider {
 public:
  RecordingProvider(std::unique_ptr<ModelProvider> from, std::string model, std::string path)
      : from_(std::move(from)), model_(std::move(model)), path_(std::move(path)) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc);
  }

  ModelReply Ask(const ModelRequest& request, const std::function<bool()>& interrupted) override {
    ModelReply reply = from_->Ask(request, interrupted);
    Attempt attempt{.call = request.call};
    if (reply.kind == ModelReply::Kind::kRefused) attempt.gate = Attempt::Gate::kRefusal;
    else if (reply.kind != ModelReply::Kind::kText) return reply;
    attempt.reason = reply.why;
    attempt.model = model_;
    attempt.digest = request.digest;
    attempt.prompt = request.text;
    attempt.schema = DumpJson(request.schema);
    attempt.reply = CleanUtf8(reply.text);
    attempt.tokens = reply.tokens;
    std::ofstream out(path_, std::ios::binary | std::ios::app);
    out << *CassetteLine(attempt) << '\n';
    reply.model = model_;
    return reply;
  }

 private:
  std::unique_ptr<ModelProvider> from_;
  std::string model_, path_;
};

}  // namespace

std::unique_ptr<ModelProvider> MakeRecordingProvider(std::unique_ptr<ModelProvider> from,
                                                     std::string model, std::string path) {
  return std::make_unique<RecordingProvider>(std::move(from), std::move(model), std::move(path));
}

std::optional<std::string> CassetteLine(const Attempt& attempt) {
  if (!attempt.Counts() || attempt.prompt.empty()) return std::nullopt;
  ordered_json line = {{"cassette", 1},
                       {"call", attempt.call},
                       {"digest", attempt.digest},
                       {"model", attempt.model},
                       {"prompt", attempt.prompt},
                       {"schema", ParseJson(attempt.schema).json}};
  if (attempt.gate == Attempt::Gate::kRefusal) line["refusal"] = attempt.reason;
  else line["reply"] = attempt.reply;
  if (attempt.tokens != 0) line["tokens"] = attempt.tokens;
  return DumpJson(line);
}

std::string Cassette::Read(const std::string& text) {
  recordings_.clear();
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const JsonText read = ParseJson(line);
    if (!read.error.empty() || !FieldAt(read.json, "cassette").is_number())
      return fmt::format("line {} is no recording", number);
    if (read.json["cassette"] != 1) return fmt::format("line {} is of another format", number);
    Recording one{TextAt(read.json, "call"),  TextAt(read.json, "digest"),
                  TextAt(read.json, "model"), TextAt(read.json, "prompt"),
                  TextAt(read.json, "reply"), TextAt(read.json, "refusal")};
    one.tokens = CountAt(read.json, "tokens");
    recordings_.push_back(std::move(one));
  }
  return "";
}

Cassette::Recording* Cassette::Find(const std::string& digest) {
  Recording* last = nullptr;
  for (Recording& recording : recordings_) {
    if (recording.digest != digest) continue;
    last = &recording;
    if (!recording.used) break;
  }
  return last;
}

std::string Cassette::Miss(const std::string& call, const std::string& prompt) const {
  const Recording* nearest = nullptr;
  Difference difference;
  for (const Recording& recording : recordings_) {
    Difference here = FirstDifference(recording.prompt, prompt);
    const bool nearer =
        nearest == nullptr || (recording.call == call && nearest->call != call) ||
        ((recording.call == call) == (nearest->call == call) && here.line > difference.line);
    if (!nearer) continue;
    nearest = &recording;
    difference = std::move(here);
  }
  if (nearest == nullptr) return "the cassette is empty";
  if (difference.was == difference.is)
    return "the cassette has this prompt for `" + Line(nearest->call) + "` with another schema";
  return fmt::format(
      "the cassette has no such request; the nearest is for `{}`, and line {} of it was `{}`, and "
      "is now `{}`",
      Line(nearest->call), difference.line, Line(difference.was), Line(difference.is));
}

std::unique_ptr<ModelProvider> MakeCassetteProvider(const ModelConfig& config) {
  return std::make_unique<CassetteProvider>(config);
}

}  // namespace rpl
