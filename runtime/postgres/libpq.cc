// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/libpq.h"

#include <dlfcn.h>

#include <type_traits>

namespace rpl {

const Libpq* Libpq::Load() {
  static const Libpq* const loaded = []() -> const Libpq* {
  // A static program cannot load a library that is linked with another C library.
#ifdef RPL_STATIC
    void* const library = nullptr;
#else
    void* const library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
#endif
    if (library == nullptr) return nullptr;
    static Libpq pq;
    bool all = true;
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      all = all && function != nullptr;
    };
    find(pq.connect_start, "PQconnectStartParams");
    find(pq.connect_poll, "PQconnectPoll");
    find(pq.needs_password, "PQconnectionNeedsPassword");
    find(pq.status, "PQstatus");
    find(pq.socket, "PQsocket");
    find(pq.finish, "PQfinish");
    find(pq.error_message, "PQerrorMessage");
    find(pq.set_error_verbosity, "PQsetErrorVerbosity");
    find(pq.set_notice_receiver, "PQsetNoticeReceiver");
    find(pq.set_nonblocking, "PQsetnonblocking");
    find(pq.send_query, "PQsendQueryParams");
    find(pq.set_single_row_mode, "PQsetSingleRowMode");
    find(pq.flush, "PQflush");
    find(pq.consume_input, "PQconsumeInput");
    find(pq.is_busy, "PQisBusy");
    find(pq.get_result, "PQgetResult");
    find(pq.put_copy_data, "PQputCopyData");
    find(pq.put_copy_end, "PQputCopyEnd");
    find(pq.get_cancel, "PQgetCancel");
    find(pq.cancel, "PQcancel");
    find(pq.free_cancel, "PQfreeCancel");
    find(pq.result_status, "PQresultStatus");
    find(pq.error_field, "PQresultErrorField");
    find(pq.clear, "PQclear");
    find(pq.rows, "PQntuples");
    find(pq.columns, "PQnfields");
    find(pq.column_name, "PQfname");
    find(pq.column_type, "PQftype");
    find(pq.column_modifier, "PQfmod");
    find(pq.affected, "PQcmdTuples");
    find(pq.tag, "PQcmdStatus");
    find(pq.is_null, "PQgetisnull");
    find(pq.value, "PQgetvalue");
    find(pq.length, "PQgetlength");
    find(pq.notifies, "PQnotifies");
    find(pq.free_memory, "PQfreemem");
    return all ? &pq : nullptr;
  }();
  return loaded;
}

}  // namespace rpl
