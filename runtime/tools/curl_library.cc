// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/curl_library.h"

#include <unistd.h>
#ifdef RPL_STATIC
#include <openssl/ssl.h>
#endif

#include <cstdlib>

#include "runtime/loaded_library.h"

namespace rpl {
namespace {

// The file of the authorities whose certificates count, or "": that of libcurl. That of a static
// program has none: it is where the system has it.
std::string CertificateFile() {
  const char* const named = std::getenv("SSL_CERT_FILE");
  if (named != nullptr && *named != '\0') return named;
#ifdef RPL_STATIC
  for (const char* const file : {
           "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Alpine, NixOS
           "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora, Red Hat
           "/etc/ssl/ca-bundle.pem",              // SUSE
           "/etc/ssl/cert.pem",                   // Alpine without ca-certificates
       })
    if (access(file, R_OK) == 0) return file;
#endif
  return "";
}

}  // namespace

const std::string_view kNoCurl = "libcurl.so.4 cannot be loaded";

CURL* Curl::Begin() const {
  CURL* const out = easy_init();
  if (const std::string file = CertificateFile(); out != nullptr && !file.empty())
    easy_setopt(out, CURLOPT_CAINFO, file.c_str());
  return out;
}

std::string Curl::WhyNot(CURLcode code) const {
  const std::string why = easy_strerror(code);
#ifdef RPL_STATIC
  if (code == CURLE_PEER_FAILED_VERIFICATION && CertificateFile().empty())
    return why + ": this system has no file of certificates; name one in SSL_CERT_FILE";
#endif
  return why;
}

#ifdef RPL_STATIC
const Curl* Curl::Load() {
  static const Curl curl = {curl_global_init,      curl_easy_init,           curl_easy_setopt,
                            curl_easy_getinfo,     curl_easy_cleanup,        curl_easy_strerror,
                            curl_slist_append,     curl_slist_free_all,      curl_multi_init,
                            curl_multi_add_handle, curl_multi_remove_handle, curl_multi_perform,
                            curl_multi_poll,       curl_multi_info_read,     curl_multi_cleanup};
  // The system's configuration of OpenSSL may name modules, which a static program cannot load.
  static const bool ready = OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1 &&
                            curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready ? &curl : nullptr;
}
#else
const Curl* Curl::Load() {
  static const Curl* const loaded = []() -> const Curl* {
    static Curl curl;
    LoadedLibrary library("libcurl.so.4");
    library.Find(curl.global_init, "curl_global_init");
    library.Find(curl.easy_init, "curl_easy_init");
    library.Find(curl.easy_setopt, "curl_easy_setopt");
    library.Find(curl.easy_getinfo, "curl_easy_getinfo");
    library.Find(curl.easy_cleanup, "curl_easy_cleanup");
    library.Find(curl.easy_strerror, "curl_easy_strerror");
    library.Find(curl.slist_append, "curl_slist_append");
    library.Find(curl.slist_free_all, "curl_slist_free_all");
    library.Find(curl.multi_init, "curl_multi_init");
    library.Find(curl.multi_add_handle, "curl_multi_add_handle");
    library.Find(curl.multi_remove_handle, "curl_multi_remove_handle");
    library.Find(curl.multi_perform, "curl_multi_perform");
    library.Find(curl.multi_poll, "curl_multi_poll");
    library.Find(curl.multi_info_read, "curl_multi_info_read");
    library.Find(curl.multi_cleanup, "curl_multi_cleanup");
    return library.complete() && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? &curl
                                                                                   : nullptr;
  }();
  return loaded;
}
#endif

}  // namespace rpl
