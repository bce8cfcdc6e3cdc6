// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/model_config.h"

#include <re2/re2.h>

#include <array>
#include <filesystem>
#include <utility>

namespace rpl {
namespace {

constexpr std::array<std::pair<std::string_view, ModelConfig::Provider>, 4> kProviders = {
    {{"command", ModelConfig::Provider::kCommand},
     {"cassette", ModelConfig::Provider::kCassette},
     {"openai", ModelConfig::Provider::kOpenAi},
     {"anthropic", ModelConfig::Provider::kAnthropic}}};

std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != text.npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

}  // namespace

std::string ProviderName(ModelConfig::Provider provider) {
  for (const auto& [name, known] : kProviders)
    if (known == provider) return std::string(name);
  return "";
}

bool IsSafeAddress(const std::string& url) {
  static const re2::RE2 safe(
      R"(https://[^/?#@\s]+([/?#].*)?|http://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?([/?#].*)?)");
  return re2::RE2::FullMatch(url, safe);
}

NamedModel ModelNamed(const std::string& text) {
  NamedModel out;
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string rest = colon == text.npos ? "" : text.substr(colon + 1);
  for (const auto& [known, provider] : kProviders)
    if (known == name) out.config.provider = provider;
  if (!out.config || rest.empty()) {
    out.error = "expected PROVIDER:NAME with the provider openai, anthropic, command or cassette";
    out.config.provider = ModelConfig::Provider::kNoModel;
    return out;
  }
  out.config.bounds.answers_all = true;
  std::error_code ignored;
  out.config.folder = std::filesystem::current_path(ignored);
  switch (out.config.provider) {
    case ModelConfig::Provider::kCommand:
      out.config.command = WordsOf(rest);
      if (out.config.command.empty()) out.error = "expected the words of a command";
      else if (std::string& program = out.config.command.front(); program.find('/') != program.npos)
        program = std::filesystem::absolute(program, ignored).lexically_normal();
      break;
    case ModelConfig::Provider::kCassette: out.config.file = rest; break;
    case ModelConfig::Provider::kOpenAi:
      out.config.url = "https://api.openai.com/v1";
      out.config.key = "OPENAI_API_KEY";
      out.config.model = rest;
      break;
    case ModelConfig::Provider::kAnthropic:
      out.config.url = "https://api.anthropic.com/v1";
      out.config.key = "ANTHROPIC_API_KEY";
      out.config.model = rest;
      break;
    case ModelConfig::Provider::kNoModel: break;
  }
  return out;
}

}  // namespace rpl
