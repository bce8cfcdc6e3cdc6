// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/model_provider.h"

#include <utility>

namespace rpl {

std::unique_ptr<ModelProvider> MakeModelProvider(const ModelConfig& config, ModelLog log) {
  switch (config.provider) {
    case ModelConfig::Provider::kCommand: return MakeCommandProvider(config, std::move(log));
    case ModelConfig::Provider::kCassette: return MakeCassetteProvider(config);
    case ModelConfig::Provider::kOpenAi:
    case ModelConfig::Provider::kAnthropic: return MakeHttpProvider(config);
    case ModelConfig::Provider::kNoModel: break;
  }
  return nullptr;
}

}  // namespace rpl
