// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/finding_json.h"

#include "formats/data/diagnostic_json.h"

namespace rpl {

nlohmann::ordered_json FindingJson(const Finding& finding, const Sources& sources) {
  nlohmann::ordered_json out = FindingJson(finding.diagnostic, sources);
  out["fixable"] = finding.fixable();
  return out;
}

}  // namespace rpl
