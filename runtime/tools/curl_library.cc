// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/curl_library.h"

#include <dlfcn.h>

#include <type_traits>

namespace rpl {

#ifdef RPL_STATIC
const std::string_view kNoCurl =
    "this program is linked statically and speaks no HTTP; start the server by a `command`, or use "
    "the Debian package";
#else
const std::string_view kNoCurl = "libcurl.so.4 cannot be loaded";
#endif

const Curl* Curl::Load() {
  static const Curl* const loaded = []() -> const Curl* {
  // A static program cannot load a library that is linked with another C library.
#ifdef RPL_STATIC
    void* const library = nullptr;
#else
    void* const library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
#endif
    if (library == nullptr) return nullptr;
    static Curl curl;
    bool all = true;
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      all = all && function != nullptr;
    };
    find(curl.global_init, "curl_global_init");
    find(curl.easy_init, "curl_easy_init");
    find(curl.easy_setopt, "curl_easy_setopt");
    find(curl.easy_getinfo, "curl_easy_getinfo");
    find(curl.easy_cleanup, "curl_easy_cleanup");
    find(curl.easy_strerror, "curl_easy_strerror");
    find(curl.slist_append, "curl_slist_append");
    find(curl.slist_free_all, "curl_slist_free_all");
    find(curl.multi_init, "curl_multi_init");
    find(curl.multi_add_handle, "curl_multi_add_handle");
    find(curl.multi_remove_handle, "curl_multi_remove_handle");
    find(curl.multi_perform, "curl_multi_perform");
    find(curl.multi_poll, "curl_multi_poll");
    find(curl.multi_info_read, "curl_multi_info_read");
    find(curl.multi_cleanup, "curl_multi_cleanup");
    return all && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? &curl : nullptr;
  }();
  return loaded;
}

}  // namespace rpl
