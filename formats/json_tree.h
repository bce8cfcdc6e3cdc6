// SPDX-License-Identifier: Apache-2.0
//
// JSON as the tree of formats/yaml_tree.h, many times as fast: a hook reads its policy before
// every tool call. Only what is plainly right is read here; for all else there is ReadYaml,
// which says what is wrong with it.
#ifndef RPL_FORMATS_JSON_TREE_H_
#define RPL_FORMATS_JSON_TREE_H_

#include <optional>

#include "formats/yaml_tree.h"

namespace rpl {

/// nullopt when the file is no JSON within the limits, or a key stands twice in one map.
std::optional<YamlNode> ReadJsonTree(const Sources& sources, std::uint32_t file,
                                     const YamlLimits& limits);

}  // namespace rpl

#endif  // RPL_FORMATS_JSON_TREE_H_
