// SPDX-License-Identifier: Apache-2.0
//
// The state that the features of the server share: the files, their indexes and views, the client's
// capabilities, and where a name of one file is defined and used in others.
#ifndef RPL_SHELL_LSP_PROJECT_H_
#define RPL_SHELL_LSP_PROJECT_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shell/lsp/document_index.h"
#include "shell/lsp/program_view.h"
#include "shell/lsp/workspace.h"

namespace rpl {
struct ToolConfig;
}  // namespace rpl

namespace rpl::lsp {

/// What the client said in `initialize`.
struct Client {
  PositionEncoding encoding = PositionEncoding::kUtf16;
  bool snippets = false;          // in completion
  bool document_changes = false;  // edits with versions
  bool related = false;           // related places of diagnostics
  bool nested_symbols = false;    // outlines
  bool shows_results = false;     // answers of commands: the client shows them itself
};

/// A name with the file that defines it. `name.space` is "" or a prefix that names no file.
struct Target {
  File file;
  Name name;
};

/// The library as a file of its own, which no client has.
File LibraryFile();

/// An occurrence in its file.
struct Place {
  Index index;
  const Occurrence* occurrence;
};

/// A file that may name a target, with the name that the target has there.
struct NamingFile {
  Index index;
  Name name;
};

class Project {
 public:
  Workspace files;
  IndexCache indexes;
  Client client;

  /// The analysis of a document. It is made again when the document or a file that it names has
  /// changed.
  std::shared_ptr<const ProgramView> ViewOf(const File& file);

  /// The reader of the files that a document names.
  std::function<std::optional<std::string>(const std::string&)> ReaderFor(File file) const;

  /// The tools of `rpl.yaml` beside a document; none if there is no such file, or it has errors.
  std::shared_ptr<const ToolConfig> ToolsOf(const TextFile& file);
  /// The first error of `rpl.yaml` beside a document, with "rpl.yaml:line:column" in its message;
  /// nullopt if there is none, or no such file.
  std::optional<Diagnostic> ToolsErrorOf(const TextFile& file);

  /// Where a name of a file is defined; nullopt for the library, and a file that is not there.
  std::optional<Target> TargetOf(const File& file, const Name& name) const;
  /// The definitions of a target, and of a tool those of all files beside it.
  std::vector<Place> DefinitionsOf(const Target& target);
  /// Its file, and those beside it that name the file; of a tool all files beside it.
  std::vector<NamingFile> FilesNaming(const Target& target);
  /// All occurrences in these.
  std::vector<Place> UsesOf(const Target& target);

  Json RangeOf(const TextFile& file, Span span) const;
  Json LocationOf(const TextFile& file, Span span) const;
  Json LocationOf(const Place& place) const;

  /// The file that the parameters of a request name, or null.
  File FileOf(const Json& params) const;
  /// The file and the offset that they name.
  std::optional<std::pair<File, std::uint32_t>> CursorOf(const Json& params) const;

 private:
  struct Viewed {
    File file;
    std::map<std::string, File> named;  // by name; null for one that is not there
    std::shared_ptr<const ProgramView> view;
  };
  struct Configured {
    File file;
    std::shared_ptr<const ToolConfig> tools;
    std::optional<Diagnostic> error;
  };

  Configured ConfiguredBeside(const TextFile& file);

  std::mutex mutex_;
  std::map<std::string, Viewed> views_;      // by URI
  std::map<std::string, Configured> tools_;  // by URI of rpl.yaml
};

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_PROJECT_H_
