// SPDX-License-Identifier: Apache-2.0
//
// The file of a session: the events of its journal in one SQLite database (WAL, full sync).
//
// A table `events` has one row per event, in order: its kind, its body and its hash
// (event_chain.h); the only row of `head` has their number and the last hash. The format has a
// number; files of another format are refused. A session has format 4 until it has an attempt of a
// model, which the format 5 has besides.
//
// A file without write permission, for itself or its folder, can be read, including the `-wal` file
// that a killed process left beside it.
//
// A settled event is on disk when Append returns. The writer holds a lock on the file, which the
// system releases when the process ends.
#ifndef RPL_RUNTIME_RECORD_SESSION_FILE_H_
#define RPL_RUNTIME_RECORD_SESSION_FILE_H_

#include <memory>
#include <string>

#include "runtime/record/session_store.h"

struct sqlite3;

namespace rpl {

class SessionFile : public SessionStore {
 public:
  static Opened Open(const std::string& path, Mode mode);
  ~SessionFile() override;

  std::string Append(const Event& event, bool settled) override;
  HostCalls* host(bool begins) override;
  std::string Transact(const std::function<std::string()>& work) override;

 private:
  class WriterLock;

  SessionFile(sqlite3* db, std::unique_ptr<WriterLock> lock);

  static Opened OpenAt(const std::string& name, int flags, Mode mode,
                       std::unique_ptr<WriterLock> lock, int& code);
  static Opened OpenToRead(const std::string& path);
  static Opened OpenCopy(const std::string& path);

  std::string Run(const char* sql);
  std::string Error() const;
  std::string BeginWriting();
  std::string Prepare(Mode mode);
  std::string Load();

  std::unique_ptr<WriterLock> lock_;  // null: a reader
  sqlite3* db_;
  bool writing_ = false;  // a transaction is open
  struct Host;
  std::unique_ptr<Host> host_;  // null before it is needed, and if there is none
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RECORD_SESSION_FILE_H_
