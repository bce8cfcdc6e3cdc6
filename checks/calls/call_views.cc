// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/call_views.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/calls/row_writer.h"
#include "checks/calls/served_tools.h"
#include "checks/calls/shell_views.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

enum class ToolAction : std::uint8_t {
  kRuns,   // a text for the shell, or a list of words
  kReads,  // the files at its paths
  kEdits,
  kSearches,  // the files below its paths; those of the project if it has none
  kPatches,   // the files that a patch names
  kFetches,
  kEither,  // an action of its own: `view` reads, any other edits
  kTypes,   // what is typed into a running program
  kPowerShell,
  kNothing,  // reaches no file and no address, or names none
};

struct ToolRow {
  std::string_view names;  // with blanks between
  ToolAction action;
  std::string_view arguments;  // where the text, the paths or the addresses are
};

constexpr std::string_view kPaths =
    "file_path path filePath notebook_path absolute_path target_file target_notebook "
    "relative_workspace_path TargetFile AbsolutePath fileName filename file";

constexpr ToolRow kTools[] = {
    // Claude Code: Bash; Codex: shell, exec_command, local_shell; Cursor: Shell; Gemini:
    // run_shell_command; Copilot, OpenCode: bash; Windsurf: run_command.
    {"Bash bash Shell shell shell_command local_shell exec_command container.exec exec "
     "run_shell_command run_command run_terminal_cmd run_in_terminal runTerminalCommand terminal "
     "execute_command Monitor",
     ToolAction::kRuns, "command cmd command_line CommandLine commandLine script"},
    {"write_stdin write_bash write_powershell writeStdin BashInput bash_input send_keys "
     "send_to_terminal write_to_terminal terminal_input",
     ToolAction::kTypes, ""},
    // No shell that the reader knows.
    {"PowerShell powershell pwsh Powershell", ToolAction::kPowerShell, ""},
    {"Read read read_file view read_code view_file view_image ReadFile", ToolAction::kReads,
     kPaths},
    {"read_many_files", ToolAction::kReads, "include paths files"},
    {"Write Edit MultiEdit NotebookEdit StrReplace TabWrite EditNotebook Delete write edit "
     "multiedit "
     "write_file replace create write_code write_to_file replace_file_content edit_file "
     "search_replace "
     "delete_file create_file insert_edit_into_file EditFile WriteFile",
     ToolAction::kEdits, kPaths},
    {"str_replace_editor str_replace_based_edit_tool", ToolAction::kEither, kPaths},
    {"Glob Grep LS glob grep list ls list_dir list_directory LSP search_file_content grep_search "
     "codebase_search rg",
     ToolAction::kSearches, "path dir_path SearchPath SearchDirectory target_directories"},
    {"apply_patch ApplyPatch patch", ToolAction::kPatches, "command input patch patchText diff"},
    {"WebFetch web_fetch webfetch fetch read_url_content view_content_chunk", ToolAction::kFetches,
     "url urls Url prompt"},
};

const ToolRow* FindTool(std::string_view name) {
  for (const ToolRow& row : kTools) {
    for (std::string_view rest = row.names; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == name) return &row;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return nullptr;
}

std::vector<std::string> WordsIn(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

// The files that texts among the arguments name. False if there are too many texts.
bool NameFiles(const ordered_json& value, RowWriter& rows, int& texts) {
  constexpr int kMostTexts = 10'000;
  if (value.is_string()) {
    rows.Name(KnownWord(value.get<std::string>()), rows.paths().folder());
    return ++texts <= kMostTexts;
  }
  if (!value.is_structured()) return true;
  return std::all_of(value.begin(), value.end(),
                     [&](const ordered_json& one) { return NameFiles(one, rows, texts); });
}

class ViewedCall {
 public:
  ViewedCall(const HostCall& call, CallPlace place, ShellReader& reader)
      : call_(call), place_(std::move(place)), reader_(reader) {
    for (const char* key :
         {"workdir", "cwd", "directory", "dir_path", "working_directory", "Cwd"}) {
      const auto folder = call.arguments.find(key);
      if (folder == call.arguments.end() || folder->is_null()) continue;
      if (!folder->is_string()) place_.folder.clear();
      else if (const auto& text = folder->get_ref<const std::string&>(); text.starts_with('/'))
        place_.folder = text;
      else if (!text.empty() && !place_.folder.empty()) place_.folder += "/" + text;
    }
  }

  CallViews Run(const ToolRow& row) {
    std::vector<const ordered_json*> found = Values(row.arguments);
    // An address of its own goes before those in a text.
    if (row.action == ToolAction::kFetches && found.size() > 1) found.resize(1);
    if (row.action == ToolAction::kRuns) return RunShell(found);
    CallViews views;
    const CallPaths paths(place_);
    RowWriter rows(paths, views);
    if (found.empty() && row.action != ToolAction::kSearches) return Unreadable();
    if (found.empty()) rows.ReadWithin(KnownWord("."), paths.folder());
    for (const ordered_json* value : found) {
      std::vector<std::string> texts;
      if (!Texts(*value, texts)) return Unreadable();
      for (const std::string& text : texts) Add(row.action, text, rows);
    }
    return views;
  }

 private:
  CallViews Unreadable() const {
    return UndecidedViews("the arguments of `" + call_.tool + "` are not as expected");
  }

  std::vector<const ordered_json*> Values(std::string_view keys) const {
    std::vector<const ordered_json*> out;
    for (const std::string& key : WordsIn(keys)) {
      const auto found = call_.arguments.find(key);
      if (found != call_.arguments.end() && !found->is_null()) out.push_back(&*found);
    }
    return out;
  }

  static bool Texts(const ordered_json& value, std::vector<std::string>& out) {
    if (value.is_string()) {
      out.push_back(value.get<std::string>());
      return true;
    }
    if (!value.is_array()) return false;
    for (const ordered_json& one : value) {
      if (!one.is_string()) return false;
      out.push_back(one.get<std::string>());
    }
    return true;
  }

  // Whether the command may go on when the call has ended, or runs in a shell that earlier calls
  // have set up: then the end of the call is no end of the command.
  bool RunsAside() const {
    if ((call_.reads_as.empty() ? call_.tool : call_.reads_as) == "Monitor") return true;
    for (const char* key : {"session_id", "sessionId", "shell_id", "shellId", "terminal_id",
                            "terminalId", "async", "mode", "initial_wait", "run_in_background",
                            "is_background", "isBackground", "background", "detach", "tty"}) {
      const auto found = call_.arguments.find(key);
      if (found != call_.arguments.end() && !found->is_null() && *found != false) return true;
    }
    return false;
  }

  CallViews RunShell(const std::vector<const ordered_json*>& found) {
    CallViews views = RunText(found);
    if (RunsAside()) views.succeeded.clear();
    return views;
  }

  CallViews RunText(const std::vector<const ordered_json*>& found) {
    // Readers of events may add a command by another name.
    if (found.empty()) return Unreadable();
    for (const ordered_json* value : found)
      if (*value != *found[0]) return Unreadable();
    std::vector<std::string> words;
    if (found[0]->is_string())
      return ViewsOfShell(found[0]->get_ref<const std::string&>(), place_, reader_);
    if (!Texts(*found[0], words) || words.empty()) return Unreadable();
    return ViewsOfWords(words, place_, reader_);
  }

  void Add(ToolAction action, const std::string& text, RowWriter& rows) const {
    const Folders& folders = rows.paths().folder();
    // A pattern of a host's tool may match in any folder.
    const bool is_pattern = text.find_first_of("*?[{~$") != text.npos;
    ShellWord path = KnownWord(text);
    switch (action) {
      case ToolAction::kEither: {
        const auto command = call_.arguments.find("command");
        const bool views = command != call_.arguments.end() && *command == "view";
        return Add(views ? ToolAction::kReads : ToolAction::kEdits, text, rows);
      }
      case ToolAction::kReads:
        rows.Read(path, folders);
        if (is_pattern) rows.OpenRead("");
        return;
      case ToolAction::kEdits:
        rows.Edit(path, folders);
        if (text.starts_with('~') || text.starts_with('$')) rows.OpenEdit("");
        return;
      case ToolAction::kSearches:
        rows.Read(path, folders);
        rows.ReadWithin(path, folders);
        return;
      case ToolAction::kPatches: return AddPatch(text, rows);
      case ToolAction::kFetches: return AddAddresses(text, rows);
      case ToolAction::kRuns:
      case ToolAction::kTypes:
      case ToolAction::kPowerShell:
      case ToolAction::kNothing: return;
    }
  }

  // `*** Update File: PATH` of Codex, and the lines `---` and `+++` of a unified diff.
  static void AddPatch(const std::string& patch, RowWriter& rows) {
    bool has_file = false;
    std::string_view rest = patch;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
        line.remove_suffix(1);
      while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
      for (const std::string_view start : {"*** Add File:", "*** Update File:", "*** Delete File:",
                                           "*** Move to:", "*** Move File:", "*** Copy to:"}) {
        if (!line.starts_with(start)) continue;
        has_file = true;
        line.remove_prefix(start.size());
        while (line.starts_with(' ')) line.remove_prefix(1);
        rows.Edit(std::string(line));
        break;
      }
      for (const std::string_view start : {"+++ ", "--- "}) {
        if (!line.starts_with(start)) continue;
        has_file = true;
        std::string_view path = line.substr(start.size());
        path = path.substr(0, path.find('\t'));
        if (path == "/dev/null") break;
        rows.Edit(std::string(path));
        if (path.starts_with("a/") || path.starts_with("b/"))
          rows.Edit(std::string(path.substr(2)));
        break;
      }
    }
    if (!has_file) rows.OpenEdit("");
  }

  // Gemini has the addresses within a text.
  static void AddAddresses(const std::string& text, RowWriter& rows) {
    if (text.find_first_of(" \t\n") == text.npos) return rows.Fetch(KnownWord(text));
    bool found = false;
    for (std::size_t at = text.find("://"); at != text.npos; at = text.find("://", at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && std::isalpha(static_cast<unsigned char>(text[begin - 1]))) --begin;
      const std::size_t end = std::min(text.find_first_of(" \t\n\"'<>)]`", at), text.size());
      rows.Fetch(KnownWord(text.substr(begin, end - begin)));
      found = true;
    }
    if (!found) rows.OpenFetch("");
  }

  const HostCall& call_;
  CallPlace place_;
  ShellReader& reader_;
};

}  // namespace

bool IsReadTool(std::string_view name) { return FindTool(name) != nullptr; }

bool IsShellTool(std::string_view name) {
  const ToolRow* const row = FindTool(name);
  return row != nullptr &&
         (row->action == ToolAction::kRuns || row->action == ToolAction::kPowerShell);
}

CallViews ViewsOf(const HostCall& call, const CallPlace& place, ShellReader& reader) {
  const bool is_read_as = !call.reads_as.empty();
  const bool is_served = call.server || IsServedName(call.tool) || is_read_as;
  const ToolRow* const row = is_read_as  ? FindTool(call.reads_as)
                             : is_served ? nullptr
                                         : FindTool(call.tool);
  const bool is_builtin = !is_served && call.is_own;
  if (row != nullptr && row->action == ToolAction::kTypes)
    return UndecidedViews("what `" + call.tool + "` types into a program cannot be read");
  if (row != nullptr && row->action == ToolAction::kPowerShell)
    return UndecidedViews("commands of PowerShell cannot be read");
  if (row != nullptr && !call.arguments.is_object())
    return UndecidedViews("the arguments of `" + call.tool + "` are not as expected");
  try {  // the file system and memory
    CallViews views;
    if (row != nullptr) views = ViewedCall(call, place, reader).Run(*row);
    if (is_builtin) return views;
    AddServes(call, views);
    if (is_read_as) return views;
    const CallPaths paths(place);
    RowWriter rows(paths, views);
    int texts = 0;
    if (!NameFiles(call.arguments, rows, texts))
      return UndecidedViews("the arguments of `" + call.tool + "` hold too many texts");
    return views;
  } catch (const std::exception& failure) {
    return UndecidedViews(std::string("the call could not be read: ") + failure.what());
  }
}

}  // namespace rpl
