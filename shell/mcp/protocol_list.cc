// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/protocol_list.h"

#include <algorithm>

#include "formats/shorten.h"
#include "grammar/document.h"
#include "interp/program/program.h"
#include "runtime/run/run.h"
#include "shell/serving/protocol_run.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostTitle = 120;
constexpr std::size_t kMostDescription = 400;
constexpr double kMostSeconds = 2;  // of the run that nobody answers

// The text of a paragraph on one line.
std::string OneParagraph(std::string text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return ShownText(out, kMostDescription);
}

// Title and first paragraph of a document.
void ReadWords(const std::string& name, const std::string& text, ProtocolAbout& to) {
  Sources sources;
  Diagnostics ignored;
  const Document document =
      ReadDocument(sources, sources.Add(name, text), ignored, FactForm::kPlain);
  for (const Scope& scope : document.scopes) {
    if (scope.level == 0 || scope.title.empty()) continue;
    to.title = ShownText(scope.title, kMostTitle);
    break;
  }
  if (to.title.empty()) to.title = name;
  if (!document.prose.empty())
    to.description = OneParagraph(std::string(sources.Text(document.prose.front().span)));
}

}  // namespace

std::vector<ProtocolAbout> ProtocolList::All(const std::function<bool()>& interrupted) {
  std::vector<ProtocolAbout> out;
  for (const ProtocolFolder::Protocol& protocol : folder_.List()) {
    if (interrupted()) break;
    ProtocolAbout about = About(protocol, interrupted);
    if (about.error.empty() && !about.goals.empty()) out.push_back(std::move(about));
  }
  return out;
}

std::optional<ProtocolAbout> ProtocolList::Find(const std::string& name,
                                                const std::function<bool()>& interrupted) {
  const std::optional<std::string> path = folder_.Find(name);
  if (!path) return std::nullopt;
  return About({name, *path}, interrupted);
}

ProtocolAbout ProtocolList::About(const ProtocolFolder::Protocol& protocol,
                                  const std::function<bool()>& interrupted) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(protocol.path, error);
  const auto size = std::filesystem::file_size(protocol.path, error);
  {
    const std::lock_guard lock(mutex_);
    const auto at = kept_.find(protocol.path);
    if (at != kept_.end() && at->second.changed == changed && at->second.size == size) {
      ProtocolAbout about = at->second.about;
      about.name = protocol.name;
      return about;
    }
  }
  ProtocolAbout about;
  about.name = protocol.name;
  about.path = protocol.path;
  about.size = size;
  const Input input = ReadFile(protocol.path);
  if (!input.error.empty()) {
    about.error = input.error;
    return about;
  }
  ReadWords(protocol.name, input.text, about);
  EngineOptions engine = engine_;
  engine.limits.max_seconds = std::min(engine.limits.max_seconds, kMostSeconds);
  ScratchRun scratch = ScratchOf(protocol.path, protocol.name, engine, interrupted);
  if (!scratch.refusal.reason.empty()) {
    about.error = scratch.refusal.reason;
  } else if (scratch.of().HasGoals()) {
    for (const std::string& defined : scratch.of().Definitions())
      if (defined.starts_with('%')) about.goals.push_back(defined.substr(0, defined.find('/')));
    if (about.goals.empty()) about.goals.push_back("%");
    const Outcome& outcome = scratch.run->Turn();
    if (interrupted()) return about;
    about.asks = OpenQuestionsOf(outcome.pending, scratch.of().pool());
  }
  const std::lock_guard lock(mutex_);
  kept_[protocol.path] = {changed, size, about};
  return about;
}

ordered_json AboutJson(const ProtocolAbout& about) {
  ordered_json asks = ordered_json::array();
  for (const OpenQuestion& question : about.asks) asks.push_back(QuestionJson(question));
  ordered_json out = {{"protocol", about.name}, {"title", about.title}};
  if (!about.description.empty()) out["description"] = about.description;
  out["goals"] = about.goals;
  out["asks"] = std::move(asks);
  return out;
}

}  // namespace rpl
