// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/session_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <exception>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "runtime/host/host_calls.h"

namespace rpl {
namespace {

constexpr int kApplication = 0x72706c31;  // "rpl1"
constexpr int kFormat = 4;
constexpr int kFormatOfModels = 5;  // with attempts of models
/// How long to wait for another process, which may be recovering the file of a killed one.
constexpr int kWaitMs = 5000;
constexpr const char* kBusy = "another process has this session open";
constexpr const char* kBusyHint = "wait until it ends, or stop it";

constexpr const char* kTables =
    "CREATE TABLE events(seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL,"
    " hash BLOB NOT NULL);"
    "CREATE TABLE head(id INTEGER PRIMARY KEY CHECK (id = 1), events INTEGER NOT NULL,"
    " hash BLOB NOT NULL);"
    "INSERT INTO head VALUES(1, 0, zeroblob(32));";

// A prepared statement; finalized at the end of its scope.
class Statement {
 public:
  Statement(sqlite3* db, const char* sql) { sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;

  void Bind(int at, std::int64_t number) { sqlite3_bind_int64(statement_, at, number); }
  void Bind(int at, std::string_view text) {
    sqlite3_bind_text64(statement_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void BindBytes(int at, std::string_view bytes) {
    sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
  int Step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  std::int64_t Number(int column) { return sqlite3_column_int64(statement_, column); }
  std::string Bytes(int column) {
    const void* data = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return data == nullptr ? "" : std::string(static_cast<const char*>(data), size);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

bool IsPlainInUri(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' || c == '-' ||
         c == '_';
}

}  // namespace

// The lock of a writer, on the whole file. SQLite does not use it and readers do not take it. The
// system releases it when the process ends.
//
// Closing any descriptor of a file drops the locks that SQLite holds on it in this process, so a
// second writer in one process must be refused before it opens anything.
class SessionFile::WriterLock {
 public:
  /// Null if another writer has it, or, with `error`, if it cannot be opened.
  static std::unique_ptr<WriterLock> Take(const std::string& path, bool create,
                                          std::string& error) {
    const std::lock_guard guard(mutex());
    struct stat there {};
    if (stat(path.c_str(), &there) == 0 && held().contains({there.st_dev, there.st_ino}))
      return nullptr;
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
    if (descriptor < 0) {
      error = fmt::format("unable to open database file: {}", std::strerror(errno));
      return nullptr;
    }
    if (fstat(descriptor, &there) != 0 || flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) error = std::strerror(errno);
      close(descriptor);
      return nullptr;
    }
    held().insert({there.st_dev, there.st_ino});
    return std::unique_ptr<WriterLock>(new WriterLock(descriptor, {there.st_dev, there.st_ino}));
  }
  WriterLock(const WriterLock&) = delete;
  ~WriterLock() {
    const std::lock_guard guard(mutex());
    close(descriptor_);
    held().erase(file_);
  }

 private:
  using File = std::pair<dev_t, ino_t>;

  WriterLock(int descriptor, File file) : descriptor_(descriptor), file_(std::move(file)) {}
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static std::set<File>& held() {
    static std::set<File> files;
    return files;
  }

  int descriptor_;
  File file_;
};

SessionFile::Opened SessionFile::Open(const std::string& path, Mode mode) {
  Opened out;
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool exists = std::filesystem::exists(status);
  if (mode == Mode::kContinue) mode = exists ? Mode::kOpen : Mode::kCreate;
  if (mode != Mode::kCreate && !exists) {
    out.error = "no such file";
    return out;
  }
  if (mode == Mode::kCreate && exists) {
    out.error = "there is a file of that name already";
    return out;
  }
  if (exists && !std::filesystem::is_regular_file(status)) {
    out.error = "not a file";
    return out;
  }
  if (mode == Mode::kRead) return OpenToRead(path);
  std::unique_ptr<WriterLock> lock = WriterLock::Take(path, mode == Mode::kCreate, out.error);
  if (lock == nullptr) {
    if (out.error.empty()) out = {nullptr, kBusy, kBusyHint, true};
    return out;
  }
  int code = SQLITE_OK;
  return OpenAt(path, SQLITE_OPEN_READWRITE, mode, std::move(lock), code);
}

// Opens a file that need not be writable and may be in use.
SessionFile::Opened SessionFile::OpenToRead(const std::string& path) {
  int code = SQLITE_OK;
  Opened out = OpenAt(path, SQLITE_OPEN_READWRITE, Mode::kRead, nullptr, code);
  // A lock on a file that may not be written is an I/O error.
  const auto unwritable = [&] {
    return out.store == nullptr && (code == SQLITE_READONLY || code == SQLITE_CANTOPEN ||
                                    code == SQLITE_PERM || code == SQLITE_IOERR);
  };
  if (!unwritable()) return out;
  std::error_code ignored;
  if (std::filesystem::exists(path + "-wal", ignored) &&
      std::filesystem::file_size(path + "-wal", ignored) > 0) {
    out = OpenAt(path, SQLITE_OPEN_READONLY, Mode::kRead, nullptr, code);
    return unwritable() ? OpenCopy(path) : std::move(out);
  }
  std::string uri = "file:";
  for (const char c : path)
    uri +=
        IsPlainInUri(c) ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return OpenAt(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, Mode::kRead, nullptr,
                code);
}

// Opens a copy in a writable place: opening recovers the `-wal` file, which requires writing.
SessionFile::Opened SessionFile::OpenCopy(const std::string& path) {
  namespace fs = std::filesystem;
  Opened out;
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "rpl-session-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    out.error = "it cannot be written, and no copy of it be made: no temporary folder";
    return out;
  }
  const std::string copy = (fs::path(folder) / "session").string();
  for (const char* const part : {"", "-wal"})
    if (!error) fs::copy_file(path + part, copy + part, error);
  if (!error) fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, error);
  int code = SQLITE_OK;
  if (error) out.error = error.message();
  else out = OpenAt(copy, SQLITE_OPEN_READWRITE, Mode::kRead, nullptr, code);
  fs::remove_all(folder, error);
  return out;
}

SessionFile::Opened SessionFile::OpenAt(const std::string& name, int flags, Mode mode,
                                        std::unique_ptr<WriterLock> lock, int& code) {
  Opened out;
  sqlite3* db = nullptr;
  code = sqlite3_open_v2(name.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<SessionFile> file(new SessionFile(db, std::move(lock)));
  if (code != SQLITE_OK) {
    out.error = file->Error();
    return out;
  }
  sqlite3_busy_timeout(db, kWaitMs);
  if (mode != Mode::kRead) out.error = file->BeginWriting();
  if (out.error.empty()) out.error = file->Prepare(mode);
  if (out.error.empty()) out.error = file->Load();
  if (!out.error.empty()) {
    code = sqlite3_errcode(db);
    if (code == SQLITE_NOTADB) out.error = "not a session of rpl";
    if (code == SQLITE_BUSY) out = {nullptr, kBusy, kBusyHint, true};
    return out;
  }
  out.store = std::move(file);
  return out;
}

struct SessionFile::Host {
  explicit Host(sqlite3* db) : log(db) {}
  HostLog log;
  HostCalls calls{log};
};

SessionFile::SessionFile(sqlite3* db, std::unique_ptr<WriterLock> lock)
    : lock_(std::move(lock)), db_(db) {}

// Rolls back events that are not settled, before the lock is released.
SessionFile::~SessionFile() {
  host_.reset();
  sqlite3_close(db_);
}

std::string SessionFile::Error() const { return sqlite3_errmsg(db_); }

std::string SessionFile::Run(const char* sql) {
  return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? "" : Error();
}

std::string SessionFile::BeginWriting() {
  for (const char* sql : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"})
    if (const std::string error = Run(sql); !error.empty()) return error;
  return "";
}

// Makes or checks the format.
std::string SessionFile::Prepare(Mode mode) {
  if (const std::string error = PrepareHashing(); !error.empty()) return error;
  const auto number = [&](const char* sql) -> std::optional<std::int64_t> {
    Statement statement(db_, sql);
    if (statement.Step() != SQLITE_ROW) return std::nullopt;
    return statement.Number(0);
  };
  const auto parts = number("SELECT count(*) FROM sqlite_schema");
  const auto application = number("PRAGMA application_id");
  const auto format = number("PRAGMA user_version");
  if (!parts || !application || !format) return Error();
  // A process that ends before its first write leaves an empty file.
  if (parts == 0) {
    if (mode == Mode::kRead) return "";  // Load finds nothing
    if (const std::string error = Run("BEGIN"); !error.empty()) return error;
    if (const std::string error = Run(kTables); !error.empty()) return error;
    const std::string marks =
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kFormat);
    if (const std::string error = Run(marks.c_str()); !error.empty()) return error;
    return Run("COMMIT");
  }
  if (application != kApplication) return "not a session of rpl";
  if (format < kFormat || format > kFormatOfModels)
    return fmt::format("a session of format {}, which {} rpl wrote; this one reads format {}",
                       *format, *format > kFormat ? "a newer" : "an older", kFormatOfModels);
  return "";
}

// In one transaction, so that what a writer appends meanwhile is not seen in part.
std::string SessionFile::Load() {
  if (const std::string error = Run("BEGIN"); !error.empty()) return error;
  Statement tables(db_, "SELECT count(*) FROM sqlite_schema");
  if (tables.Step() == SQLITE_ROW && tables.Number(0) == 0) return Run("COMMIT");
  Statement rows(db_, "SELECT seq, kind, body, hash FROM events ORDER BY seq");
  int code = SQLITE_DONE;
  while ((code = rows.Step()) == SQLITE_ROW)
    if (!chain_.Load(rows.Number(0), rows.Bytes(1), rows.Bytes(2), rows.Bytes(3))) break;
  if (code == SQLITE_BUSY) return Error();
  if (code != SQLITE_DONE)
    chain_.Damage(fmt::format("event {} cannot be read: {}", chain_.count() + 1, Error()));
  Statement head(db_, "SELECT events, hash FROM head");
  if (head.Step() == SQLITE_ROW) chain_.EndLoad(head.Number(0), head.Bytes(1));
  else chain_.Damage("the last hash cannot be read: " + Error());
  Run("COMMIT");  // of reads; on a damaged file it may fail, which changes nothing
  return "";
}

std::string SessionFile::Append(const Event& event, bool settled) {
  if (!writing_) {
    if (const std::string error = Run("BEGIN IMMEDIATE"); !error.empty()) return error;
    writing_ = true;
  }
  chain_.Add(event);
  {
    Statement insert(db_, "INSERT INTO events VALUES(?, ?, ?, ?)");
    insert.Bind(1, static_cast<std::int64_t>(chain_.count()));
    insert.Bind(2, EventName(event.kind));
    insert.Bind(3, event.body);
    insert.BindBytes(4, chain_.hash());
    if (insert.Step() != SQLITE_DONE) return Error();
  }
  if (event.kind == Event::Kind::kAttempt)  // which rpl of format 4 does not read
    if (const std::string error =
            Run(fmt::format("PRAGMA user_version = {}", kFormatOfModels).c_str());
        !error.empty())
      return error;
  if (!settled) return "";
  {
    Statement head(db_, "UPDATE head SET events = ?, hash = ?");
    head.Bind(1, static_cast<std::int64_t>(chain_.count()));
    head.BindBytes(2, chain_.hash());
    if (head.Step() != SQLITE_DONE) return Error();
  }
  writing_ = false;
  return Run("COMMIT");
}

HostCalls* SessionFile::host(bool begins) {
  if (host_ == nullptr) {
    Statement tables(db_, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'host_%'");
    const bool there = tables.Step() == SQLITE_ROW && tables.Number(0) > 0;
    if (!there && !begins) return nullptr;
    host_ = std::make_unique<Host>(db_);
  }
  return &host_->calls;
}

std::string SessionFile::Transact(const std::function<std::string()>& work) {
  if (const std::string error = Run("BEGIN IMMEDIATE"); !error.empty()) return error;
  std::string result;
  try {
    result = work();
  } catch (const std::exception& e) {
    result = e.what();
  }
  if (result.empty()) result = Run("COMMIT");
  if (!result.empty()) Run("ROLLBACK");
  return result;
}

}  // namespace rpl
