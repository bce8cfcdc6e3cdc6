// SPDX-License-Identifier: Apache-2.0
//
// In place of the pages in a build without them, where nothing asks for one.
#include "shell/pages/catalogue_page.h"
#include "shell/pages/coverage_page.h"
#include "shell/pages/pages.h"
#include "shell/pages/trace_page.h"

namespace rpl {

bool MakesPages() { return false; }
std::string TracePage(const std::vector<StoryEpoch>&) { return ""; }
std::string CataloguePage(const Catalogue&, const ProgramGraph&) { return ""; }
std::string CoveragePage(const std::vector<CoverageFile>&, double) { return ""; }

}  // namespace rpl
