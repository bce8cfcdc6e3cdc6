// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcurl, which is loaded when it is first needed: linked, it and its libraries
// would be loaded whenever rpl starts. A static program, which cannot load one, has it inside
// (packaging/static_libraries.sh).
#ifndef RPL_RUNTIME_TOOLS_CURL_LIBRARY_H_
#define RPL_RUNTIME_TOOLS_CURL_LIBRARY_H_

#include <curl/curl.h>

#include <string>
#include <string_view>

namespace rpl {

/// Why it cannot be loaded, for people.
extern const std::string_view kNoCurl;

struct Curl {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  CURLcode (*easy_setopt)(CURL*, CURLoption, ...) = nullptr;
  CURLcode (*easy_getinfo)(CURL*, CURLINFO, ...) = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_multi_info_read) multi_info_read = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;

  /// The functions, once for the process; null if the library cannot be loaded.
  static const Curl* Load();
  /// A new transfer, which trusts the certificates of the system, or those in the file that the
  /// environment variable SSL_CERT_FILE names.
  CURL* Begin() const;
  /// Why a transfer failed, for people.
  std::string WhyNot(CURLcode code) const;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_CURL_LIBRARY_H_
