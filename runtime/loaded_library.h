// SPDX-License-Identifier: Apache-2.0
//
// A shared library that is loaded when it is first needed, and stays: linked, it and its own
// libraries would be loaded whenever rpl starts. A static program loads none, since it is linked
// with another C library.
#ifndef RPL_RUNTIME_LOADED_LIBRARY_H_
#define RPL_RUNTIME_LOADED_LIBRARY_H_

#include <dlfcn.h>

#include <type_traits>

namespace rpl {

class LoadedLibrary {
 public:
  explicit LoadedLibrary([[maybe_unused]] const char* name) {
#ifndef RPL_STATIC
    library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
    complete_ = library_ != nullptr;
  }

  /// Sets a pointer to the function of that name.
  template <typename Function>
  void Find(Function& function, const char* name) {
    if (library_ == nullptr) return;
    function = reinterpret_cast<std::remove_reference_t<Function>>(dlsym(library_, name));
    complete_ = complete_ && function != nullptr;
  }

  /// Whether it was loaded, and has all functions that were looked for.
  bool complete() const { return complete_; }

 private:
  void* library_ = nullptr;
  bool complete_ = false;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_LOADED_LIBRARY_H_
