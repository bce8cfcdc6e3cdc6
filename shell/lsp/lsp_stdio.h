// SPDX-License-Identifier: Apache-2.0
//
// The language server on a pipe: frames on standard input and output.
//
// Standard output carries nothing but the protocol. The end of the input without `shutdown` and
// `exit` is an abnormal end, as the protocol has it; so are a signal, and a client that is gone.
#ifndef RPL_SHELL_LSP_LSP_STDIO_H_
#define RPL_SHELL_LSP_LSP_STDIO_H_

namespace rpl::lsp {

/// Serves until the client ends it, and then ends the process. `client`: the process of the client,
/// 0 if it is not known; when it ends, so does the server.
[[noreturn]] void ServeLsp(int client);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_LSP_STDIO_H_
