// SPDX-License-Identifier: Apache-2.0
//
// The analysis of a document's relations, with the files that it names: strata,
// and the arguments that a caller must bind. Nothing is derived.
#ifndef RPL_SHELL_LSP_PROGRAM_VIEW_H_
#define RPL_SHELL_LSP_PROGRAM_VIEW_H_

#include <map>
#include <memory>
#include <string>

#include "shell/lsp/document_index.h"

namespace rpl::lsp {

struct RelationView {
  std::size_t stratum = 0;  // from 1; 0 for a relation that is not derived bottom-up
  bool broken = false;      // it depends on its own negation
  bool tabled = false;      // evaluated for its callers
  std::string needs;        // "?x or ?y": what a caller must bind; "" for nothing
};

class ProgramView {
 public:
  /// `files` gives the text of a file beside the document.
  ProgramView(const TextFile& file,
              const std::function<std::optional<std::string>(const std::string&)>& files);

  /// The view of a relation; null for one without rules.
  const RelationView* Find(const Name& name) const;
  /// The number of strata.
  std::size_t strata() const { return strata_; }

 private:
  std::map<std::string, RelationView> relations_;  // by Name::Text()
  std::size_t strata_ = 0;
};

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_PROGRAM_VIEW_H_
