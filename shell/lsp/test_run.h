// SPDX-License-Identifier: Apache-2.0
//
// The test scripts of a document, run as `rpl test` does, in a process of their own.
#ifndef RPL_SHELL_LSP_TEST_RUN_H_
#define RPL_SHELL_LSP_TEST_RUN_H_

#include <atomic>
#include <chrono>
#include <string>

namespace rpl::lsp {

inline constexpr std::chrono::seconds kTestSeconds{60};

/// Runs `rpl test` with the file at `path`, of its cases those whose names contain `filter`.
/// Returns what it prints; a sentence if it was cancelled, or killed after `most`.
std::string RunTests(const std::string& path, const std::string& filter,
                     const std::atomic<bool>& cancelled, std::chrono::seconds most = kTestSeconds);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_TEST_RUN_H_
