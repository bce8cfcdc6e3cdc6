// SPDX-License-Identifier: Apache-2.0
//
// The conversion of diagnostics to the public headers' structs.
#ifndef RPL_EMBED_PUBLIC_FINDING_H_
#define RPL_EMBED_PUBLIC_FINDING_H_

#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "rpl/rpl.h"

namespace rpl {

/// The public enumerator of the same name.
Engine::Severity PublicSeverity(Severity severity);
/// The inverse of PublicSeverity.
Severity OwnSeverity(Engine::Severity severity);

/// Copies of the diagnostics with their places and their rendered texts, in order. `sources` are
/// those of their spans.
std::vector<Engine::Finding> FindingsOf(const std::vector<Diagnostic>& diagnostics,
                                        const Sources& sources);

/// An error without a code and a place, about a file as a whole.
Engine::Finding ErrorIn(const std::string& file, const std::string& message);

}  // namespace rpl

#endif  // RPL_EMBED_PUBLIC_FINDING_H_
