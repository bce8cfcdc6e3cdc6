// SPDX-License-Identifier: Apache-2.0
//
// The properties that fuzzing looks for hold for the inputs it begins with. Each target is part of
// this test, so they compile wherever the tests do; one that finds something ends the process.
#define LLVMFuzzerTestOneInput FuzzBlockReader
#include "fuzz/block_reader.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzHook
#include "fuzz/hook.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzLsp
#include "fuzz/lsp.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzMcp
#include "fuzz/mcp.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzMcpGateway
#include "fuzz/mcp_gateway.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzPatterns
#include "fuzz/patterns.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzPolicy
#include "fuzz/policy.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzReply
#include "fuzz/reply.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzRulespec
#include "fuzz/rulespec.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzSentenceParser
#include "fuzz/sentence_parser.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzSession
#include "fuzz/session.cc"
#undef LLVMFuzzerTestOneInput

#include <catch2/catch.hpp>
#include <filesystem>

#include "shell/terminal/input.h"

namespace rpl::fuzz {
namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

void Replay(const std::string& target, Target run) {
  std::size_t inputs = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(RPL_FUZZ_CORPUS) / target)) {
    const std::string input = ReadFile(entry.path().string()).text;
    CHECK(run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()) == 0);
    ++inputs;
  }
  CHECK(inputs > 0);
}

TEST_CASE("The inputs that fuzzing begins with break no property") {
  Replay("block_reader", FuzzBlockReader);
  Replay("hook", FuzzHook);
  Replay("lsp", FuzzLsp);
  Replay("mcp", FuzzMcp);
  Replay("mcp_gateway", FuzzMcpGateway);
  Replay("patterns", FuzzPatterns);
  Replay("policy", FuzzPolicy);
  Replay("reply", FuzzReply);
  Replay("rulespec", FuzzRulespec);
  Replay("sentence_parser", FuzzSentenceParser);
  Replay("session", FuzzSession);
}

}  // namespace
}  // namespace rpl::fuzz
