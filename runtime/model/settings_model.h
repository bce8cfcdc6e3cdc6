// SPDX-License-Identifier: Apache-2.0
//
// The model that the text of settings names: the section `model` of an `rpl.yaml`, for a program
// that has no other use for them. Its relative paths are of the working directory.
#ifndef RPL_RUNTIME_MODEL_SETTINGS_MODEL_H_
#define RPL_RUNTIME_MODEL_SETTINGS_MODEL_H_

#include <cstdint>
#include <memory>

#include "formats/diagnostic.h"
#include "runtime/model/model_provider.h"

namespace rpl {

struct SettingsModel {
  ModelConfig config;
  std::unique_ptr<ModelProvider> provider;  // null without a model, and after an error
};
SettingsModel ModelOfSettings(const Sources& sources, std::uint32_t file, ModelLog log,
                              Diagnostics& out);

}  // namespace rpl

#endif  // RPL_RUNTIME_MODEL_SETTINGS_MODEL_H_
