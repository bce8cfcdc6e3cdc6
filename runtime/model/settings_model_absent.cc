// SPDX-License-Identifier: Apache-2.0
//
// Where there is no operating system there are no settings.
#include "runtime/model/settings_model.h"

namespace rpl {

SettingsModel ModelOfSettings(const Sources&, std::uint32_t file, ModelLog, Diagnostics& out) {
  out.Add(Code::kWrongConfigValue, {file, 0, 0}, "there are no models here",
          "leave the settings out");
  return {};
}

}  // namespace rpl
