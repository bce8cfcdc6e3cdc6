// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/settings_model.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "runtime/tools/tool_config.h"

namespace rpl {

SettingsModel ModelOfSettings(const Sources& sources, std::uint32_t file, ModelLog log,
                              Diagnostics& out) {
  std::error_code ignored;
  std::optional<ToolConfig> settings =
      ReadToolConfig(sources, file, std::filesystem::current_path(ignored), out);
  if (!settings || !settings->model || settings->model_permission == Permit::kDeny) return {};
  SettingsModel model;
  model.config = std::move(settings->model);
  model.provider = MakeModelProvider(model.config, std::move(log));
  return model;
}

}  // namespace rpl
