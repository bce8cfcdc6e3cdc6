// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics as the public headers give them.
#ifndef RPL_EMBED_PUBLIC_FINDING_H_
#define RPL_EMBED_PUBLIC_FINDING_H_

#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "rpl/rpl.h"

namespace rpl {

Engine::Severity PublicSeverity(Severity severity);
Severity OwnSeverity(Engine::Severity severity);

std::vector<Engine::Finding> FindingsOf(const std::vector<Diagnostic>& diagnostics,
                                        const Sources& sources);

/// An error that is in no text.
Engine::Finding ErrorIn(const std::string& file, const std::string& message);

}  // namespace rpl

#endif  // RPL_EMBED_PUBLIC_FINDING_H_
