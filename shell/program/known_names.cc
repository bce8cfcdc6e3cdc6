// SPDX-License-Identifier: Apache-2.0
#include "shell/program/known_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/shorten.h"
#include "formats/spelling.h"
#include "interp/program/builtin_tools.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/run/session.h"

namespace rpl {

std::string_view LabelOf(std::string_view text) {
  return text.substr(0, std::min(text.find_first_of("/( ^"), text.size()));
}

std::vector<std::string> WrongScope(const Session& session, const std::vector<std::string>& keys) {
  std::set<std::string> known;
  for (const BuiltinTool& tool : kBuiltinTools)
    if (IsQuestionTool(tool.label)) known.emplace(tool.label);
  known.insert("index");  // texts that a model reads
  std::set<std::string> of_persons;
  const std::vector<std::string> stated = session.MayState(By::kModel);
  for (const ArgumentQuestion& question : session.program().questions()) {
    const std::string label = question.subject.substr(0, question.subject.find('('));
    known.insert(question.name);
    if (question.subject.starts_with('$')) continue;
    known.insert(label);
    const bool open = std::ranges::any_of(
        stated, [&](const std::string& name) { return LabelOf(name) == label; });
    if (!open) of_persons.insert(label), of_persons.insert(question.name);
  }
  std::vector<std::string> out;
  for (const std::string& key : keys) {
    if (!known.contains(key)) {
      NearestName nearest(key);
      for (const std::string& name : known) nearest.Offer(name);
      out.push_back("`answers` names `" + key + "`, which no question has" +
                    (nearest.name().empty() ? "" : ", did you mean `" + nearest.name() + "`?"));
    } else if (of_persons.contains(key)) {
      out.push_back("`answers` names `" + key + "`, which only a person answers");
    }
  }
  return out;
}

bool IsListed(const Store& store, RelationId id) {
  const Relation& relation = store.at(id);
  return relation.space() == Space::kRelation && !store.IsWhole(id) &&
         (!relation.empty() || store.IsGiven(id));
}

std::vector<std::string> KnownNames(const Session& session) {
  std::vector<std::string> out = session.Definitions();
  const Store& store = session.store();
  for (RelationId id = 0; id < store.size(); ++id)
    if (IsListed(store, id))
      out.push_back(fmt::format("{}/{}", store.at(id).name(), store.at(id).arity()));
  return out;
}

std::vector<std::string> UnknownCalls(const Session& session,
                                      const std::vector<std::string>& calls) {
  std::vector<std::string> out;
  const std::vector<std::string> known = KnownNames(session);
  for (const std::string& call : calls) {
    if (std::find(known.begin(), known.end(), call) != known.end()) continue;
    NearestName nearest(call);
    for (const std::string& name : known)
      if (EditDistance(LabelOf(call), LabelOf(name)) <
          std::max(LabelOf(call).size(), LabelOf(name).size()))
        nearest.Offer(name);
    out.push_back(
        fmt::format("nothing defines {}{}", call,
                    nearest.name().empty() ? "" : ", did you mean " + nearest.name() + "?"));
  }
  return out;
}

std::string NoGoalNamed(const Session& session, const std::string& name) {
  NearestName nearest(name);
  for (const Goal& goal : session.program().goals())
    if (!goal.label.empty()) nearest.Offer(goal.label);
  return fmt::format("no goal is named %{}{}", Shortened(name, kToldBytes),
                     nearest.name().empty() ? "" : ", did you mean %" + nearest.name() + "?");
}

}  // namespace rpl
