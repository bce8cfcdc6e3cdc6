// SPDX-License-Identifier: Apache-2.0
//
// The interface that decides which commands, calls and writes may happen. The terminal and tests
// implement it.
#ifndef RPL_RUNTIME_TOOLS_PERMISSION_H_
#define RPL_RUNTIME_TOOLS_PERMISSION_H_

#include <cstddef>
#include <string>

namespace rpl {

struct CommandCall;
struct ToolCommand;

class Permission {
 public:
  /// A decision, with the reason if it is no.
  struct Permit {
    bool yes = false;
    std::string reason;  // of a refusal: "nobody is there to ask"
  };

  virtual ~Permission() = default;

  /// Decides whether the command may run at all; called before every call.
  virtual Permit Approve(const ToolCommand& command) = 0;

  /// Decides whether a tool of a server may be used with the definition of this hash, which is
  /// shown to people as `definition`. The first one is kept; one that differs from it needs
  /// approval.
  virtual Permit Pin(const ToolCommand& command, const std::string& hash,
                     const std::string& definition) {
    static_cast<void>(command), static_cast<void>(hash), static_cast<void>(definition);
    return {false, "nothing keeps the definitions of tools"};
  }

  /// Decides whether the configuration, which comes with the program, may let it reach further than
  /// its folder: `what` says so to people, after "the program"; `tool` is the one that reaches,
  /// index or write. Called before each use; approved once for this configuration.
  virtual Permit Reach(const std::string& tool, const std::string& what) = 0;

  /// Decides about one call, if the configuration says `ask`. `request` is the call as RPL text,
  /// which is untrusted.
  virtual Permit Ask(const CommandCall& call, const std::string& request) = 0;

  /// Decides about one file that `$write` is to write, if the configuration says `ask`: its
  /// absolute path, which is untrusted, and its size.
  virtual Permit AskToWrite(const std::string& path, std::size_t bytes) = 0;
};

/// For runs whose starter vouches for all that they use: a script, a program that embeds rpl.
class VouchedPermission : public Permission {
 public:
  Permit Approve(const ToolCommand&) override { return {true, ""}; }
  Permit Reach(const std::string&, const std::string&) override { return {true, ""}; }
  Permit Ask(const CommandCall&, const std::string&) override { return {true, ""}; }
  Permit AskToWrite(const std::string&, std::size_t) override { return {true, ""}; }
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_PERMISSION_H_
