// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/libpq.h"

#include "runtime/loaded_library.h"

namespace rpl {

const Libpq* Libpq::Load() {
  static const Libpq* const loaded = []() -> const Libpq* {
    static Libpq pq;
    LoadedLibrary library("libpq.so.5");
    library.Find(pq.connect_start, "PQconnectStartParams");
    library.Find(pq.connect_poll, "PQconnectPoll");
    library.Find(pq.needs_password, "PQconnectionNeedsPassword");
    library.Find(pq.status, "PQstatus");
    library.Find(pq.socket, "PQsocket");
    library.Find(pq.finish, "PQfinish");
    library.Find(pq.error_message, "PQerrorMessage");
    library.Find(pq.set_error_verbosity, "PQsetErrorVerbosity");
    library.Find(pq.set_notice_receiver, "PQsetNoticeReceiver");
    library.Find(pq.set_nonblocking, "PQsetnonblocking");
    library.Find(pq.send_query, "PQsendQueryParams");
    library.Find(pq.set_single_row_mode, "PQsetSingleRowMode");
    library.Find(pq.flush, "PQflush");
    library.Find(pq.consume_input, "PQconsumeInput");
    library.Find(pq.is_busy, "PQisBusy");
    library.Find(pq.get_result, "PQgetResult");
    library.Find(pq.put_copy_data, "PQputCopyData");
    library.Find(pq.put_copy_end, "PQputCopyEnd");
    library.Find(pq.get_cancel, "PQgetCancel");
    library.Find(pq.cancel, "PQcancel");
    library.Find(pq.free_cancel, "PQfreeCancel");
    library.Find(pq.result_status, "PQresultStatus");
    library.Find(pq.error_field, "PQresultErrorField");
    library.Find(pq.clear, "PQclear");
    library.Find(pq.rows, "PQntuples");
    library.Find(pq.columns, "PQnfields");
    library.Find(pq.column_name, "PQfname");
    library.Find(pq.column_type, "PQftype");
    library.Find(pq.column_modifier, "PQfmod");
    library.Find(pq.affected, "PQcmdTuples");
    library.Find(pq.tag, "PQcmdStatus");
    library.Find(pq.is_null, "PQgetisnull");
    library.Find(pq.value, "PQgetvalue");
    library.Find(pq.length, "PQgetlength");
    library.Find(pq.notifies, "PQnotifies");
    library.Find(pq.free_memory, "PQfreemem");
    return library.complete() ? &pq : nullptr;
  }();
  return loaded;
}

}  // namespace rpl
