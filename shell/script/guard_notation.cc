// SPDX-License-Identifier: Apache-2.0
#include "shell/script/guard_notation.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <map>
#include <sstream>
#include <vector>

#include "checks/guard/guard.h"
#include "checks/guard/guard_config.h"
#include "formats/character.h"
#include "formats/data/json_text.h"
#include "interp/program/operators.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr const char* kTrue =
    R"({"kind":"maxCalls","selector":{"by":"toolName","patterns":["*"]},"max":0})";
constexpr const char* kZone = R"({"source":"enduserTag","tag":"tz"})";

// A syntax error of a line; caught in this file.
struct WrongCase {
  std::string why;
};

// The positions of `part` outside strings and brackets.
std::vector<std::size_t> Outside(std::string_view text, std::string_view part) {
  std::vector<std::size_t> out;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
      continue;
    }
    if (depth == 0 && text.substr(i).starts_with(part)) out.push_back(i);
    if (c == '"') quoted = true;
    else if (c == '{' || c == '[') ++depth;
    else if (c == '}' || c == ']') --depth;
  }
  return out;
}

std::vector<std::string> SplitAt(std::string_view text, std::string_view part) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (const std::size_t at : Outside(text, part)) {
    out.emplace_back(Trimmed(text.substr(begin, at - begin)));
    begin = at + part.size();
  }
  out.emplace_back(Trimmed(text.substr(begin)));
  return out;
}

// Replaces TRUE, FALSE and TZ outside strings by their meaning.
std::string Expanded(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const auto is = [&](std::string_view word) {
      const bool begins = i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]));
      return !quoted && begins && rest.starts_with(word);
    };
    if (is("TRUE")) out += kTrue, i += 3;
    else if (is("FALSE")) out += fmt::format(R"({{"kind":"not","not":{}}})", kTrue), i += 4;
    else if (is("TZ")) out += kZone, i += 1;
    else {
      if (quoted && text[i] == '\\') out += text[i++];
      else if (text[i] == '"') quoted = !quoted;
      if (i < text.size()) out += text[i];
    }
  }
  return out;
}

ordered_json Parsed(std::string_view text) {
  JsonText parsed = ParseJson(Expanded(text), 500);
  if (!parsed.error.empty()) throw WrongCase{fmt::format("no JSON: {}", text)};
  return std::move(parsed.json);
}

// The JSON value at the beginning of the text; `rest` receives the text after it.
ordered_json Leading(const std::string& from, std::string& rest) {
  const std::string text = from;  // a copy, because `from` may be `rest` itself
  const std::size_t end = text.find_first_of(" ,");
  if (text.empty() || (text[0] != '{' && text[0] != '[' && text[0] != '"')) {
    rest = end == std::string_view::npos ? "" : Trimmed(text.substr(end));
    return Parsed(text.substr(0, end));
  }
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && (c == '{' || c == '[')) ++depth;
    else if (!quoted && (c == '}' || c == ']')) --depth;
    if (depth == 0 && !quoted) {
      rest = Trimmed(text.substr(i + 1));
      return Parsed(text.substr(0, i + 1));
    }
  }
  throw WrongCase{fmt::format("no JSON: {}", text)};
}

class NotationCase : public GuardSources {
 public:
  std::optional<std::string> Check(const std::string& line) {
    const std::vector<std::size_t> arrows = Outside(line, "=>");
    if (arrows.size() != 1) throw WrongCase{"expected one `=>` in it"};
    const std::vector<std::string> parts = SplitAt(line.substr(0, arrows[0]), ";");
    for (std::size_t i = 0; i < parts.size(); ++i) Part(parts[i], i == 0);
    return Compare(std::string(Trimmed(std::string_view(line).substr(arrows[0] + 2))));
  }

  Sourced<ordered_json> Signal(const std::string& key, const ordered_json& args) override {
    ++asked_[key];
    got_[key] = args;
    const auto known = signals_.find(key);
    if (known == signals_.end()) return {std::nullopt, "nothing provides it"};
    if (known->second.is_discarded()) return {std::nullopt, "it failed"};
    return {known->second, ""};
  }
  Sourced<std::vector<Subject>> Subjects(const GuardCall&) override { return subjects_; }
  Sourced<Review> FindReview(const ReviewRequest& request) override {
    const auto known = reviews_.find(request.rule);
    if (known == reviews_.end()) return {Review{}, ""};
    return {Review{known->second, "id", ""}, ""};
  }
  Sourced<bool> SpendReview(const Review&) override { return {true, ""}; }
  Sourced<Review> AskForReview(const ReviewRequest&) override {
    return {Review{Review::State::kPending, "id", ""}, ""};
  }

 private:
  void Part(const std::string& part, bool first) {
    static const RE2 returns(R"((\w+) returns (.*))");
    static const RE2 fails(R"((\w+) fails)");
    static const RE2 review(R"((\S+) is (approved|denied|pending))");
    std::string_view rest = part;
    const auto takes = [&](std::string_view word) {
      if (!rest.starts_with(word)) return false;
      rest.remove_prefix(word.size());
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      return true;
    };
    std::string a, b;
    if (first && takes("rules ")) rules_ = Parsed(rest);
    else if (first) condition_ = Parsed(part);
    else if (takes("selector.tool ")) tool_ = Parsed(rest);
    else if (takes("selector without tool")) tool_ = nullptr;
    else if (takes("policy ")) policy_ = Parsed(rest);
    else if (takes("effect ")) effect_ = Parsed(rest);
    else if (takes("onMissing ")) on_missing_ = std::string(rest);
    else if (takes("phase of the rule ")) rule_phase_ = std::string(rest);
    else if (takes("phase of the call ")) Phase(rest);
    else if (takes("phase ")) rule_phase_ = std::string(rest), Phase(rest);
    else if (takes("call ")) Call(rest);
    else if (takes("took ")) call_.took_ms = Milliseconds(rest);
    else if (takes("open ")) {
      for (const std::string& tool : SplitAt(rest, ",")) open_.push_back(tool);
    } else if (takes("after ")) After(rest, true);
    else if (takes("other runs ")) After(rest, false);
    else if (takes("user id ")) {
      EnsureUser().id = std::string(rest.substr(0, rest.find(' ')));
      if (rest.find(' ') != std::string_view::npos)
        EnsureUser().tags = Parsed(rest.substr(rest.find(' ')));
    } else if (takes("user ")) EnsureUser().tags = Parsed(rest);
    else if (takes("now ")) now_ = Time(rest);
    else if (takes("org zone ")) agent_.organisation_zone = std::string(rest);
    else if (takes("host onMissing ")) agent_.on_missing = EffectNamed(rest);
    else if (takes("agent ")) agent_.slug = std::string(rest);
    else if (takes("subjects fail")) subjects_ = {std::nullopt, "the extractor failed"};
    else if (takes("subjects ")) subjects_ = ReadSubjects(Parsed(rest));
    else if (RE2::FullMatch(part, returns, &a, &b)) signals_[a] = Parsed(b);
    else if (RE2::FullMatch(part, fails, &a))
      signals_[a] = ordered_json(ordered_json::value_t::discarded);
    else if (RE2::FullMatch(part, review, &a, &b))
      reviews_[a] = b == "approved" ? Review::State::kApproved
                    : b == "denied" ? Review::State::kDenied
                                    : Review::State::kPending;
    else throw WrongCase{fmt::format("not understood: `{}`", part)};
  }

  EndUser& EnsureUser() {
    if (!call_.user) call_.user.emplace();
    return *call_.user;
  }

  void Phase(std::string_view phase) {
    call_.phase = phase == "tool.after" ? CallPhase::kAfter : CallPhase::kBefore;
  }

  static double Milliseconds(std::string_view text) {
    double ms = 0;
    if (!RE2::FullMatch(text, R"(([0-9.]+)ms)", &ms))
      throw WrongCase{"expected milliseconds, `60ms`"};
    return ms;
  }

  static Moment Time(std::string_view text) {
    const auto moment = ParseInstant(text);
    if (!moment) throw WrongCase{fmt::format("no time: {}", text)};
    return *moment;
  }

  // name, name{args}, name args; then tags […].
  void Call(std::string_view text) {
    const std::size_t end = text.find_first_of(" {[");
    call_.tool = std::string(text.substr(0, end));
    std::string rest(end == std::string_view::npos ? "" : Trimmed(text.substr(end)));
    if (rest.starts_with('{') || rest.starts_with('[')) call_.args = Leading(rest, rest);
    if (rest.starts_with("tags ")) {
      const ordered_json tags = Leading(rest.substr(5), rest);
      for (const ordered_json& tag : tags) call_.tags.push_back(tag.get<std::string>());
    }
    if (!rest.empty()) throw WrongCase{fmt::format("not understood: `{}`", rest)};
  }

  // t, t!, t 60ms, t result JSON, t args JSON, t tags […], t {"cost":2} (metrics), 30s ago,
  // by u1
  void After(std::string_view text, bool this_run) {
    for (const std::string& item : SplitAt(text, ",")) {
      Past past;
      past.this_run = this_run;
      const std::size_t end = item.find(' ');
      past.call.tool = item.substr(0, end);
      if (past.call.tool.ends_with('!')) past.call.failed = true, past.call.tool.pop_back();
      std::string rest(end == std::string::npos ? "" : Trimmed(item.substr(end)));
      while (!rest.empty()) {
        double number = 0;
        std::string word;
        re2::StringPiece piece(rest);
        if (RE2::Consume(&piece, R"(([0-9.]+)ms ?)", &number)) {
          past.call.took_ms = number;
          rest = std::string(piece);
        } else if (RE2::Consume(&piece, R"(([0-9.]+)s ago ?)", &number)) {
          past.ago = static_cast<Moment>(number * 1000) * 1000;
          rest = std::string(piece);
        } else if (RE2::Consume(&piece, R"(by (\w+) ?)", &word)) {
          past.call.user = word;
          rest = std::string(piece);
        } else if (rest.starts_with("tags ")) {
          const ordered_json tags = Leading(rest.substr(5), rest);
          for (const ordered_json& tag : tags) past.call.tags.push_back(tag.get<std::string>());
        } else if (rest.starts_with("result ")) {
          past.result = Leading(rest.substr(7), rest);
        } else if (rest.starts_with("args ")) {
          past.args = Leading(rest.substr(5), rest);
        } else {
          const ordered_json metrics = Leading(rest, rest);
          for (const auto& [key, value] : metrics.items())
            past.call.metrics[key] = value.get<double>();
        }
      }
      past_.push_back(std::move(past));
    }
  }

  ordered_json Policy() const {
    const ordered_json selector = {{"phase", rule_phase_}};
    ordered_json list = ordered_json::array();
    ordered_json given = rules_.is_null() ? ordered_json::array({ordered_json::object()}) : rules_;
    for (std::size_t i = 0; i < given.size(); ++i) {
      ordered_json rule = {{"priority", 0}, {"enabled", true}, {"name", fmt::format("r{}", i + 1)}};
      rule["selector"] = selector;
      if (!tool_.is_null()) rule["selector"]["tool"] = tool_;
      rule["condition"] = condition_;
      rule["effect"] = effect_;
      if (!on_missing_.empty()) rule["onMissing"] = on_missing_;
      rule.update(given[i]);
      list.push_back(std::move(rule));
    }
    ordered_json file = {{"rules", std::move(list)}};
    if (!policy_.is_null()) file["policy"] = policy_;
    return file;
  }

  Decision Decide(std::string& text) {
    text = Policy().dump();
    Sources sources;
    Diagnostics found;
    std::optional<rpl::Policy> policy = ReadPolicy(sources, sources.Add("policy", text), found);
    if (!policy) {
      std::ostringstream shown;
      PrintDiagnostics(found.all(), sources, shown);
      throw WrongCase{"the policy has errors:\n" + shown.str()};
    }
    const Guard guard(std::move(*policy), agent_);
    History history;
    for (Past& past : past_) {
      past.call.at = now_ - past.ago;
      auto metrics =
          InbuiltMetrics(past.args, past.result ? &*past.result : nullptr, past.call.took_ms);
      for (const auto& [key, value] : past.call.metrics) metrics[key] = value;
      past.call.metrics = std::move(metrics);
      if (past.call.tags.empty() && past.call.tool == call_.tool) past.call.tags = call_.tags;
      history.Add(past.call, past.this_run);
    }
    for (const std::string& tool : open_) history.Begin(tool, {});
    if (call_.phase == CallPhase::kAfter) history.Add(EndedCall(call_, nullptr, now_), true);
    return guard.Decide(call_, history, *this, now_);
  }

  // `block`, then further expectations: `reason R`, `rule R`, `s asked 1`, `s got {…}`, `only r1
  // evaluated`, `not evaluated`.
  std::optional<std::string> Compare(const std::string& expected) {
    std::string policy;
    const Decision decision = Decide(policy);
    const std::vector<std::string> wanted = SplitAt(expected, ",");
    const std::string effect(decision.Stops() ? EffectName(decision.effect) : "allow");
    if (effect != wanted.front()) {
      std::string why;
      for (const std::string& premise : decision.premises) why += "\n  " + premise;
      for (const EvaluatedRule& rule : decision.rules) why += "\n  " + rule.id + " " + rule.note;
      for (const std::string& problem : decision.problems) why += "\n  " + problem;
      return fmt::format("expected {}, got {} ({}){}\n  {}", wanted.front(), effect,
                         decision.message, why, policy);
    }
    for (std::size_t i = 1; i < wanted.size(); ++i)
      if (!Holds(wanted[i], decision))
        return fmt::format("expected {}, got {}", wanted[i],
                           Dump(DecisionJson(decision, call_)) + Dump(ordered_json(got_)));
    return std::nullopt;
  }

  bool Holds(const std::string& what, const Decision& decision) {
    static const RE2 asked(R"((\w+) asked (\d+))");
    static const RE2 got(R"((\w+) got (.*))");
    std::string key, text;
    int times = 0;
    if (what.starts_with("reason ")) return decision.message == what.substr(7);
    if (what.starts_with("rule ")) return decision.rule == what.substr(5);
    if (RE2::FullMatch(what, asked, &key, &times)) return asked_[key] == times;
    if (RE2::FullMatch(what, got, &key, &text)) return SameContent(got_[key], Parsed(text));
    if (what == "problem") return !decision.problems.empty();
    if (what == "not evaluated")
      return std::none_of(decision.rules.begin(), decision.rules.end(),
                          [](const EvaluatedRule& rule) { return rule.evaluated; });
    if (what.starts_with("matched ")) {
      std::string all;
      for (const EvaluatedRule& rule : decision.rules)
        if (rule.matched) all += (all.empty() ? "" : " ") + rule.id;
      return all == what.substr(8);
    }
    throw WrongCase{fmt::format("not understood: `{}`", what)};
  }

  struct Past {
    PastCall call;
    bool this_run = true;
    Moment ago = 0;
    ordered_json args = ordered_json::object();
    std::optional<ordered_json> result;
  };

  ordered_json rules_, condition_, policy_;
  ordered_json tool_ = {{"name", "*"}};
  ordered_json effect_ = {{"type", "block"}};
  std::string on_missing_, rule_phase_ = "tool.before";
  GuardCall call_{"", "t", {}, ordered_json::object(), CallPhase::kBefore, 0, std::nullopt};
  std::vector<Past> past_;
  std::vector<std::string> open_;
  GuardAgent agent_;
  Moment now_ = Time("2026-01-02T00:00:00Z");
  std::map<std::string, ordered_json> signals_;
  std::map<std::string, Review::State> reviews_;
  Sourced<std::vector<Subject>> subjects_{std::vector<Subject>(), ""};
  std::map<std::string, int> asked_;
  std::map<std::string, ordered_json> got_;
};

}  // namespace

std::optional<std::string> CheckGuardLine(const std::string& line) {
  try {
    return NotationCase().Check(line);
  } catch (const WrongCase& wrong) {
    return fmt::format("`{}`: {}", line, wrong.why);
  }
}

}  // namespace rpl
