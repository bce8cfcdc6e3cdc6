// SPDX-License-Identifier: Apache-2.0
#ifndef RPL_FORMATS_LAUNCH_H_
#define RPL_FORMATS_LAUNCH_H_

#include <future>

namespace rpl {

/// How work goes on beside its caller: in a thread; where the system has none, or gives none now,
/// in the caller's, as it waits for the result.
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
inline constexpr std::launch kBeside = std::launch::deferred;
#else
inline constexpr std::launch kBeside = std::launch::async | std::launch::deferred;
#endif

}  // namespace rpl

#endif  // RPL_FORMATS_LAUNCH_H_
