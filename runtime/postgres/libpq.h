// SPDX-License-Identifier: Apache-2.0
//
// The client library of PostgreSQL, loaded at its first use; for connection.cc alone.
#ifndef RPL_RUNTIME_POSTGRES_LIBPQ_H_
#define RPL_RUNTIME_POSTGRES_LIBPQ_H_

#include <libpq-fe.h>

namespace rpl {

/// Its functions.
struct Libpq {
  decltype(&PQconnectStartParams) connect_start = nullptr;
  decltype(&PQconnectPoll) connect_poll = nullptr;
  decltype(&PQconnectionNeedsPassword) needs_password = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQsocket) socket = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQerrorMessage) error_message = nullptr;
  decltype(&PQsetErrorVerbosity) set_error_verbosity = nullptr;
  decltype(&PQsetNoticeReceiver) set_notice_receiver = nullptr;
  decltype(&PQsetnonblocking) set_nonblocking = nullptr;
  decltype(&PQsendQueryParams) send_query = nullptr;
  decltype(&PQsetSingleRowMode) set_single_row_mode = nullptr;
  decltype(&PQflush) flush = nullptr;
  decltype(&PQconsumeInput) consume_input = nullptr;
  decltype(&PQisBusy) is_busy = nullptr;
  decltype(&PQgetResult) get_result = nullptr;
  decltype(&PQputCopyData) put_copy_data = nullptr;
  decltype(&PQputCopyEnd) put_copy_end = nullptr;
  decltype(&PQgetCancel) get_cancel = nullptr;
  decltype(&PQcancel) cancel = nullptr;
  decltype(&PQfreeCancel) free_cancel = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQresultErrorField) error_field = nullptr;
  decltype(&PQclear) clear = nullptr;
  decltype(&PQntuples) rows = nullptr;
  decltype(&PQnfields) columns = nullptr;
  decltype(&PQfname) column_name = nullptr;
  decltype(&PQftype) column_type = nullptr;
  decltype(&PQfmod) column_modifier = nullptr;
  decltype(&PQcmdTuples) affected = nullptr;
  decltype(&PQcmdStatus) tag = nullptr;
  decltype(&PQgetisnull) is_null = nullptr;
  decltype(&PQgetvalue) value = nullptr;
  decltype(&PQgetlength) length = nullptr;
  decltype(&PQnotifies) notifies = nullptr;
  decltype(&PQfreemem) free_memory = nullptr;

  /// Null if the library cannot be loaded.
  static const Libpq* Load();
};

}  // namespace rpl

#endif  // RPL_RUNTIME_POSTGRES_LIBPQ_H_
