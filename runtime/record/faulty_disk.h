// SPDX-License-Identifier: Apache-2.0
//
// For tests: a disk that fails. While a FaultyDisk exists, SQLite opens its files on it, and
// `faults` determines which of their writes, syncs and truncations fail, and how.
//
// One at a time; no file opened on it may outlive it.
#ifndef RPL_RUNTIME_RECORD_FAULTY_DISK_H_
#define RPL_RUNTIME_RECORD_FAULTY_DISK_H_

#include <sqlite3.h>

namespace rpl::testing {

/// The operations of the disk that fail, counted from 1 since Reset.
struct Faults {
  int at = 0;          // the first that fails; 0: none
  bool lasts = false;  // all after it fail as well
  bool done = false;   // the operation takes effect although it reports failure
  int code = SQLITE_FULL;
  int operations = 0;

  bool Fails() {
    ++operations;
    return at > 0 && (lasts ? operations >= at : operations == at);
  }
};
inline Faults faults;

struct FaultyFile {
  sqlite3_file base;
  sqlite3_file* real;  // behind this one, in the same piece of memory
};

inline sqlite3_file* RealOf(sqlite3_file* file) {
  return reinterpret_cast<FaultyFile*>(file)->real;
}

template <typename Do>
inline int Faulty(Do&& act) {
  if (!faults.Fails()) return act();
  if (faults.done) act();
  return faults.code;
}

namespace faulty {

inline int Close(sqlite3_file* f) { return RealOf(f)->pMethods->xClose(RealOf(f)); }
inline int Read(sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
  return RealOf(f)->pMethods->xRead(RealOf(f), to, n, at);
}
inline int Write(sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
  return Faulty([&] { return RealOf(f)->pMethods->xWrite(RealOf(f), from, n, at); });
}
inline int Truncate(sqlite3_file* f, sqlite3_int64 size) {
  return Faulty([&] { return RealOf(f)->pMethods->xTruncate(RealOf(f), size); });
}
inline int Sync(sqlite3_file* f, int flags) {
  return Faulty([&] { return RealOf(f)->pMethods->xSync(RealOf(f), flags); });
}
inline int FileSize(sqlite3_file* f, sqlite3_int64* size) {
  return RealOf(f)->pMethods->xFileSize(RealOf(f), size);
}
inline int Lock(sqlite3_file* f, int how) { return RealOf(f)->pMethods->xLock(RealOf(f), how); }
inline int Unlock(sqlite3_file* f, int how) { return RealOf(f)->pMethods->xUnlock(RealOf(f), how); }
inline int CheckLock(sqlite3_file* f, int* out) {
  return RealOf(f)->pMethods->xCheckReservedLock(RealOf(f), out);
}
inline int Control(sqlite3_file* f, int op, void* arg) {
  return RealOf(f)->pMethods->xFileControl(RealOf(f), op, arg);
}
inline int SectorSize(sqlite3_file* f) { return RealOf(f)->pMethods->xSectorSize(RealOf(f)); }
inline int Device(sqlite3_file* f) {
  return RealOf(f)->pMethods->xDeviceCharacteristics(RealOf(f));
}
inline int ShmMap(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  return RealOf(f)->pMethods->xShmMap(RealOf(f), page, size, extend, out);
}
inline int ShmLock(sqlite3_file* f, int offset, int n, int flags) {
  return RealOf(f)->pMethods->xShmLock(RealOf(f), offset, n, flags);
}
inline void ShmBarrier(sqlite3_file* f) { RealOf(f)->pMethods->xShmBarrier(RealOf(f)); }
inline int ShmUnmap(sqlite3_file* f, int del) {
  return RealOf(f)->pMethods->xShmUnmap(RealOf(f), del);
}

inline constexpr sqlite3_io_methods kMethods = {
    2,       Close,      Read,   Write,  Truncate, Sync,       FileSize, Lock,    Unlock, CheckLock,
    Control, SectorSize, Device, ShmMap, ShmLock,  ShmBarrier, ShmUnmap, nullptr, nullptr};

}  // namespace faulty

/// The default VFS of this process while it exists.
class FaultyDisk {
 public:
  FaultyDisk() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    vfs_.zName = "faulty";
    vfs_.pAppData = real_;
    vfs_.szOsFile = static_cast<int>(sizeof(FaultyFile)) + real_->szOsFile;
    vfs_.xOpen = [](sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
      auto* const real = static_cast<sqlite3_vfs*>(vfs->pAppData);
      auto* const faulty = reinterpret_cast<FaultyFile*>(file);
      faulty->real = reinterpret_cast<sqlite3_file*>(faulty + 1);
      const int code = real->xOpen(real, name, faulty->real, flags, out);
      file->pMethods = faulty->real->pMethods == nullptr ? nullptr : &faulty::kMethods;
      return code;
    };
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~FaultyDisk() {
    faults = Faults{};
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
  }
  FaultyDisk(const FaultyDisk&) = delete;

 private:
  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
};

}  // namespace rpl::testing

#endif  // RPL_RUNTIME_RECORD_FAULTY_DISK_H_
