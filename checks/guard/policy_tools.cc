// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/policy_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "checks/guard/policy.h"
#include "checks/guard/policy_fields.h"
#include "formats/glob.h"
#include "formats/spelling.h"
#include "interp/program/builtin_tools.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Tools = std::vector<const KnownTool*>;

// The types of JSON Schema that a schema admits; empty if it does not say.
std::vector<std::string> TypesOf(const ordered_json& schema) {
  std::vector<std::string> out;
  const auto type = schema.find("type");
  if (type == schema.end()) return out;
  for (const ordered_json& one : type->is_array() ? *type : ordered_json::array({*type}))
    if (one.is_string()) out.push_back(one.get<std::string>());
  return out;
}

// What a schema says of the argument at a dot path.
struct Argument {
  enum class Is { kUnknown, kMissing, kThere };
  Is is = Is::kUnknown;
  ordered_json schema;  // kThere
  std::string name;     // kMissing: the path as far as its first part that is not there
  std::vector<std::string> instead;
};

Argument ArgumentAt(const ordered_json& root, std::string_view path) {
  const ordered_json* at = &root;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string above(path.substr(0, path.size() - rest.size()));  // "", or as in "a.b."
    const std::string part(rest.substr(0, rest.find('.')));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (!at->is_object()) return {};
    Argument missing{Argument::Is::kMissing, nullptr, above + part, {}};
    const std::vector<std::string> types = TypesOf(*at);
    const auto has_parts = [](const std::string& type) {
      return type == "object" || type == "array";
    };
    if (!types.empty() && std::ranges::none_of(types, has_parts)) return missing;
    const auto properties = at->find("properties");
    if (properties == at->end() || !properties->is_object()) return {};
    if (const auto found = properties->find(part); found != properties->end()) {
      at = &*found;
      continue;
    }
    const auto more = at->find("additionalProperties");
    const bool open = more != at->end() && *more != false;
    if (open || at->contains("patternProperties") || at->contains("allOf") ||
        at->contains("anyOf") || at->contains("oneOf") || at->contains("$ref"))
      return {};
    for (const auto& [name, ignored] : properties->items()) missing.instead.push_back(above + name);
    return missing;
  }
  return {Argument::Is::kThere, *at, "", {}};
}

class ToolCheck {
 public:
  ToolCheck(const YamlNode& root, const std::vector<KnownTool>& tools, Diagnostics& found)
      : fields_(root, found), tools_(tools) {}

  void Rule(const YamlNode& rule) {
    const YamlNode* selector = rule.Find("selector");
    const YamlNode* tool = selector == nullptr ? nullptr : YamlFields::Optional(*selector, "tool");
    const YamlNode* condition = rule.Find("condition");
    if (tool == nullptr || condition == nullptr) return;
    Tools selected;
    for (const KnownTool& known : tools_) selected.push_back(&known);
    if (const YamlNode* names = YamlFields::Optional(*tool, "name")) {
      Names(*names);
      Keep(selected, Globs(*names));
    }
    Tags(*tool, "tagsAll");
    Tags(*tool, "tagsAny");
    Condition(*condition, selected);
  }

 private:
  using Matches = std::function<bool(const std::string& pattern, const KnownTool& tool)>;

  static bool NameMatches(const std::string& glob, const KnownTool& tool) {
    return GlobMatches(glob, tool.name);
  }

  // The texts of a node that is one or a list of them.
  template <typename Fn>
  static void ForEachText(const YamlNode& node, Fn&& fn) {
    if (node.kind == YamlKind::kString) fn(node, node.scalar.get_ref<const std::string&>());
    for (const YamlNode& item : node.items)
      if (item.kind == YamlKind::kString) fn(item, item.scalar.get_ref<const std::string&>());
  }

  static std::vector<std::string> Globs(const YamlNode& node) {
    std::vector<std::string> out;
    ForEachText(node, [&](const YamlNode&, const std::string& glob) { out.push_back(glob); });
    return out;
  }

  static void Keep(Tools& tools, const std::vector<std::string>& globs) {
    std::erase_if(tools, [&](const KnownTool* tool) { return !AnyGlobMatches(globs, tool->name); });
  }

  std::string Instead(const std::string& got, const std::vector<std::string>& names) {
    NearestName nearest(FoldCase(got));
    std::string near;
    for (const std::string& name : names)
      if (nearest.Offer(FoldCase(name))) near = name;
    return near.empty() ? "" : "did you mean `" + near + "`?";
  }

  // A finding for each name or glob that no tool matches.
  void Names(const YamlNode& node, const Matches& matches = NameMatches) {
    ForEachText(node, [&](const YamlNode& at, const std::string& glob) {
      const auto fits = [&](const KnownTool& tool) { return matches(glob, tool); };
      if (std::any_of(tools_.begin(), tools_.end(), fits)) return;
      std::vector<std::string> names;
      for (const KnownTool& tool : tools_) names.push_back(tool.name);
      fields_.Add(Code::kNoSuchTool, at, "no tool matches `" + glob + "`", Instead(glob, names));
    });
  }

  // The same for tags, where all of them are known.
  void Tags(const YamlNode& map, const char* key) {
    const YamlNode* node = YamlFields::Optional(map, key);
    const auto unknown = [](const KnownTool& tool) { return !tool.tags; };
    if (node == nullptr || std::any_of(tools_.begin(), tools_.end(), unknown)) return;
    ForEachText(*node, [&](const YamlNode& at, const std::string& tag) {
      std::vector<std::string> tags;
      for (const KnownTool& tool : tools_)
        tags.insert(tags.end(), tool.tags->begin(), tool.tags->end());
      if (HasTag(tags, tag)) return;
      fields_.Add(Code::kNoSuchTool, at, "no tool has the tag `" + tag + "`", Instead(tag, tags));
    });
  }

  void Condition(const YamlNode& root, const Tools& selected) {
    std::vector<const YamlNode*> open = {&root};
    while (!open.empty()) {
      const YamlNode& node = *open.back();
      open.pop_back();
      for (const char* key : {"all", "any"})
        if (const YamlNode* parts = YamlFields::Optional(node, key))
          for (auto part = parts->items.rbegin(); part != parts->items.rend(); ++part)
            open.push_back(&*part);
      if (const YamlNode* part = YamlFields::Optional(node, "not")) open.push_back(part);
      Leaf(node, selected);
    }
  }

  void Leaf(const YamlNode& node, const Tools& selected) {
    const YamlNode* kind = node.Find("kind");
    if (kind == nullptr) return;
    const ordered_json& name = kind->scalar;
    if (name == "sequence") {
      for (const char* key : {"mustHaveCalled", "mustNotHaveCalled"})
        if (const YamlNode* globs = YamlFields::Optional(node, key)) Names(*globs);
    } else if (name == "maxCalls") {
      const YamlNode* selector = node.Find("selector");
      if (const YamlNode* globs = selector == nullptr ? nullptr : selector->Find("patterns"))
        Names(*globs);
    } else if (name == "metricWindow") {
      const YamlNode* filter = YamlFields::Optional(node, "filter");
      if (filter == nullptr) return;
      if (const YamlNode* globs = YamlFields::Optional(*filter, "toolName")) Names(*globs);
      Tags(*filter, "toolTag");
    } else if (name == "toolName") {
      Name(node);
    } else if (name == "toolTag") {
      Tags(node, "tag");
      Tags(node, "tags");
    } else if (name == "toolArg") {
      Argued(node, selected);
    }
  }

  void Name(const YamlNode& node) {
    const YamlNode* op = node.Find("op");
    const YamlNode* value = node.Find("value");
    if (op == nullptr || value == nullptr) return;
    const auto folded = [](const auto& holds) {
      return [holds](const std::string& text, const KnownTool& tool) {
        return holds(FoldCase(tool.name), FoldCase(text));
      };
    };
    using Text = const std::string&;
    if (op->scalar == "glob" || op->scalar == "in") Names(*value);
    else if (op->scalar == "eq") Names(*value, folded([](Text a, Text b) { return a == b; }));
    else if (op->scalar == "contains")
      Names(*value, folded([](Text a, Text b) { return a.find(b) != std::string::npos; }));
    else if (op->scalar == "startsWith")
      Names(*value, folded([](Text a, Text b) { return a.starts_with(b); }));
    else if (op->scalar == "endsWith")
      Names(*value, folded([](Text a, Text b) { return a.ends_with(b); }));
  }

  // A finding if no selected tool has the argument, or none of the type.
  void Argued(const YamlNode& node, const Tools& selected) {
    const YamlNode* path = node.Find("path");
    const YamlNode* type = node.Find("type");
    if (path == nullptr || type == nullptr || selected.empty()) return;
    const std::string wanted = type->scalar.get<std::string>();
    std::string missing, wrong;  // of the first tool
    std::vector<std::string> instead;
    for (const KnownTool* tool : selected) {
      const Argument argument =
          ArgumentAt(tool->schema, path->scalar.get_ref<const std::string&>());
      if (argument.is == Argument::Is::kUnknown) return;
      if (argument.is == Argument::Is::kMissing) {
        if (missing.empty())
          missing = fmt::format("`{}` has no argument `{}`", tool->name, argument.name);
        instead.insert(instead.end(), argument.instead.begin(), argument.instead.end());
        continue;
      }
      const std::vector<std::string> types = TypesOf(argument.schema);
      if (types.empty()) return;
      for (const std::string& one : types)
        if (one == wanted || (one == "integer" && wanted == "number")) return;
      if (wrong.empty())
        wrong = fmt::format("`{}` of `{}` is of the type {}, never {}",
                            path->scalar.get<std::string>(), tool->name, types.front(), wanted);
    }
    if (!wrong.empty()) return fields_.Add(Code::kArgumentNeverFits, *type, wrong);
    const std::string name = path->scalar.get<std::string>();
    fields_.Add(Code::kArgumentNeverFits, *path, missing, Instead(name, instead));
  }

  YamlFields fields_;
  const std::vector<KnownTool>& tools_;
};

}  // namespace

std::vector<KnownTool> ReadKnownTools(const Sources& sources, std::uint32_t file,
                                      Diagnostics& found) {
  std::vector<KnownTool> out;
  const std::optional<YamlNode> root = ReadYaml(sources, file, found, kDocumentLimits);
  if (!root) return out;
  YamlFields fields(*root, found);
  const YamlNode* list = &*root;
  if (root->kind == YamlKind::kMap) {
    list = fields.Require(*root, "tools", "give a list of tools");
    if (list == nullptr) return out;
  }
  if (!fields.IsList(*list)) return out;
  for (const YamlNode& item : list->items) {
    KnownTool tool;
    if (item.kind == YamlKind::kMap) {
      const YamlNode* name = fields.Require(item, "name");
      tool.name = name == nullptr ? "" : fields.Text(*name).value_or("");
      if (const YamlNode* schema = YamlFields::Optional(item, "inputSchema"))
        tool.schema = JsonOf(*schema);
      if (const YamlNode* tags = YamlFields::Optional(item, "tags");
          tags != nullptr && fields.IsList(*tags)) {
        tool.tags.emplace();
        for (const YamlNode& tag : tags->items) tool.tags->push_back(fields.Text(tag).value_or(""));
      }
    } else {
      tool.name = fields.Text(item).value_or("");
    }
    out.push_back(std::move(tool));
  }
  return out;
}

std::vector<KnownTool> KnownToolsOf(const GuardConfig& config,
                                    const std::vector<std::string>& labels) {
  std::vector<KnownTool> out;
  const auto add = [&](const std::string& label) {
    const GuardTool* tool = config.FindTool(label);
    KnownTool known;
    known.name = tool != nullptr && !tool->name.empty() ? tool->name : label;
    if (std::any_of(out.begin(), out.end(), [&](const auto& t) { return t.name == known.name; }))
      return;
    if (tool != nullptr) known.tags = tool->tags;
    if (tool != nullptr && !tool->params.empty()) {
      known.schema["properties"] = ordered_json::object();
      for (const std::string& param : tool->params)
        known.schema["properties"][param] = ordered_json::object();
    }
    out.push_back(std::move(known));
  };
  for (const GuardTool& tool : config.tools) add(tool.label);
  for (const std::string& label : labels) add(label);
  for (const BuiltinTool& tool : kBuiltinTools) add(std::string(tool.label));
  return out;
}

void CheckTools(const Sources& sources, std::uint32_t policy, const std::vector<KnownTool>& tools,
                Diagnostics& found) {
  Diagnostics ignored;  // those of a policy without errors were told when it was read
  const std::optional<YamlNode> root = PolicyTree(sources, policy, ignored);
  const YamlNode* rules = root ? root->Find("rules") : nullptr;
  if (rules == nullptr) return;
  ToolCheck check(*root, tools, found);
  for (const YamlNode& rule : rules->items) check.Rule(rule);
}

}  // namespace rpl
