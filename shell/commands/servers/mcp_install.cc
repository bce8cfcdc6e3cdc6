// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/servers/mcp_install.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "formats/data/json_text.h"
#include "shell/program/program_files.h"
#include "shell/serving/protocol_folder.h"
#include "shell/terminal/input.h"
#include "shell/terminal/replace_file.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct McpHost {
  const char* name;
  const char* file;    // relative to the working directory or, with `~/`, to the home folder
  const char* key;     // of the object with the servers
  bool typed = false;  // an entry says that it is a pipe
};
constexpr McpHost kMcpHosts[] = {
    {"claude-code", ".mcp.json", "mcpServers"},
    {"claude-desktop", "~/.config/Claude/claude_desktop_config.json", "mcpServers"},
    {"cursor", ".cursor/mcp.json", "mcpServers"},
    {"vscode", ".vscode/mcp.json", "servers", true},
};

// "" without a home folder.
std::string FileFor(const McpHost& host) {
  const std::string file = host.file;
  if (!file.starts_with("~/")) return file;
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + file.substr(1);
}

ordered_json EntryFor(const McpHost& host, const McpOptions& options) {
  const std::vector<std::string> program = LastingProgram();
  ordered_json args(std::vector<std::string>(program.begin() + 1, program.end()));
  args.push_back("mcp");
  for (const std::string& path : options.paths) args.push_back(ResolvedPath(path));
  const auto add = [&](const char* option, const std::string& value) {
    args.push_back(option);
    args.push_back(value);
  };
  if (!options.sessions.empty()) add("--sessions", ResolvedPath(options.sessions));
  if (!options.project.empty()) add("--project", ResolvedPath(options.project));
  if (options.answers.ask != "auto") add("--ask", options.answers.ask);
  for (const std::string& tool : options.engine.allow_tools) add("--allow-tool", tool);
  if (!options.engine.guard.policy.empty())
    add("--policy", ResolvedPath(options.engine.guard.policy));
  ordered_json entry;
  if (host.typed) entry["type"] = "stdio";
  entry["command"] = program.front();
  entry["args"] = std::move(args);
  return entry;
}

}  // namespace

int InstallMcp(const McpOptions& options) {
  ProtocolFolder protocols;
  if (const std::string error = protocols.Add(options.paths); !error.empty()) {
    Complain("mcp install", error);
    return kExitFile;
  }
  const McpHost& host = *std::find_if(std::begin(kMcpHosts), std::end(kMcpHosts),
                                      [&](const McpHost& h) { return options.host == h.name; });
  const std::string file = FileFor(host);
  const ordered_json entry = EntryFor(host, options);
  ordered_json settings = ordered_json::object();
  if (!options.write) {
    settings[host.key][options.name] = entry;
    std::cout << settings.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
    std::cerr << fmt::format("help: this belongs into {}; with --write it is added there\n",
                             PrintableLine(file));
    return kExitOk;
  }
  if (file.empty()) {
    Complain("mcp install", "there is no home folder");
    return kExitFile;
  }
  std::error_code ignored;
  if (fs::exists(file, ignored)) {
    const Input input = ReadFile(file);
    const JsonText read = ParseJson(input.text);
    const std::string error = input.error.empty() ? read.error : input.error;
    if (!error.empty() || !read.json.is_object() ||
        (read.json.contains(host.key) && !read.json[host.key].is_object())) {
      Complain(file, error.empty() ? "it has another form than settings have" : error,
               "nothing was written; add the entry by hand, without --write it is printed");
      return kExitFile;
    }
    settings = read.json;
  }
  ordered_json& servers = settings[host.key];
  if (servers.is_null()) servers = ordered_json::object();
  const auto there = servers.find(options.name);
  if (there != servers.end() && *there == entry) {
    std::cerr << fmt::format("{}: `{}` is there already\n", PrintableLine(file), options.name);
    return kExitOk;
  }
  if (there != servers.end()) {
    Complain(file, "there is another server `" + options.name + "`",
             "remove it, or give this one another name with --name");
    return kExitInvalid;
  }
  servers[options.name] = entry;
  fs::create_directories(fs::absolute(file, ignored).parent_path(), ignored);
  const std::string text = settings.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  if (const std::string error = ReplaceFile(file, text + "\n"); !error.empty()) {
    Complain(file, error);
    return kExitFile;
  }
  std::cerr << fmt::format("{}: added `{}`; start the host anew\n", PrintableLine(file),
                           options.name);
  return kExitOk;
}

}  // namespace rpl
