// SPDX-License-Identifier: Apache-2.0
//
// Sessions on a disk that fails: each write, sync and truncation of a run with three tools fails
// once, or from then on, before or after it was done. A layer below SQLite (a VFS) injects the
// faults, so nothing but the disk differs from a real run.
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "interp/testing_folder.h"
#include "runtime/saved_session.h"
#include "runtime/tool_agent.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

/// Which operations of the disk fail, and how. Counted from 1 since Reset.
struct Faults {
  int at = 0;          // the first that fails; 0: none
  bool lasts = false;  // and all after it
  bool done = false;   // it is done, although it says that it failed
  int code = SQLITE_FULL;
  int operations = 0;

  bool Fails() {
    ++operations;
    return at > 0 && (lasts ? operations >= at : operations == at);
  }
};
Faults faults;

struct FaultyFile {
  sqlite3_file base;
  sqlite3_file* real;  // behind this one, in the same piece of memory
};

sqlite3_file* RealOf(sqlite3_file* file) { return reinterpret_cast<FaultyFile*>(file)->real; }

template <typename Do>
int Faulty(Do&& act) {
  if (!faults.Fails()) return act();
  if (faults.done) act();
  return faults.code;
}

namespace faulty {

int Close(sqlite3_file* f) { return RealOf(f)->pMethods->xClose(RealOf(f)); }
int Read(sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
  return RealOf(f)->pMethods->xRead(RealOf(f), to, n, at);
}
int Write(sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
  return Faulty([&] { return RealOf(f)->pMethods->xWrite(RealOf(f), from, n, at); });
}
int Truncate(sqlite3_file* f, sqlite3_int64 size) {
  return Faulty([&] { return RealOf(f)->pMethods->xTruncate(RealOf(f), size); });
}
int Sync(sqlite3_file* f, int flags) {
  return Faulty([&] { return RealOf(f)->pMethods->xSync(RealOf(f), flags); });
}
int FileSize(sqlite3_file* f, sqlite3_int64* size) {
  return RealOf(f)->pMethods->xFileSize(RealOf(f), size);
}
int Lock(sqlite3_file* f, int how) { return RealOf(f)->pMethods->xLock(RealOf(f), how); }
int Unlock(sqlite3_file* f, int how) { return RealOf(f)->pMethods->xUnlock(RealOf(f), how); }
int CheckLock(sqlite3_file* f, int* out) {
  return RealOf(f)->pMethods->xCheckReservedLock(RealOf(f), out);
}
int Control(sqlite3_file* f, int op, void* arg) {
  return RealOf(f)->pMethods->xFileControl(RealOf(f), op, arg);
}
int SectorSize(sqlite3_file* f) { return RealOf(f)->pMethods->xSectorSize(RealOf(f)); }
int Device(sqlite3_file* f) { return RealOf(f)->pMethods->xDeviceCharacteristics(RealOf(f)); }
int ShmMap(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  return RealOf(f)->pMethods->xShmMap(RealOf(f), page, size, extend, out);
}
int ShmLock(sqlite3_file* f, int offset, int n, int flags) {
  return RealOf(f)->pMethods->xShmLock(RealOf(f), offset, n, flags);
}
void ShmBarrier(sqlite3_file* f) { RealOf(f)->pMethods->xShmBarrier(RealOf(f)); }
int ShmUnmap(sqlite3_file* f, int del) { return RealOf(f)->pMethods->xShmUnmap(RealOf(f), del); }

const sqlite3_io_methods kMethods = {
    2,       Close,      Read,   Write,  Truncate, Sync,       FileSize, Lock,    Unlock, CheckLock,
    Control, SectorSize, Device, ShmMap, ShmLock,  ShmBarrier, ShmUnmap, nullptr, nullptr};

}  // namespace faulty

/// Is the VFS of this process while it lives.
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

struct NobodyAnswers : Agent {
  rpl::Answer Answer(const Request&, Pool&, bool) override { return {}; }
  void Chat(const std::string& line) override { chat += line + "\n"; }
  void OfferToContinue(const std::string&) override {}
  std::string chat;
};

struct EverythingGoes : Permission {
  Verdict Approve(const ToolCommand&) override { return {true, ""}; }
  Verdict Ask(const ToolCall&, const std::string&) override { return {true, ""}; }
};

/// Three tools that each leave a line in a file of their own. The third is called with what the
/// others replied.
struct ThreeTools {
  explicit ThreeTools(const std::string& home) : folder(home) {
    for (const char* name : {"one", "two", "three"}) {
      ToolCommand command;
      command.name = name;
      command.argv = {"/bin/sh", "-c",
                      "echo ran >> " + home + "/" + name + "; exec " RPL_TOOL_UNDER_TEST " echo"};
      command.folder = command.home = "/";
      command.permission = Permit::kAllow;
      config.tools.push_back(std::move(command));
    }
  }

  /// Begins the session or goes on with it. What became of it; nullopt: it cannot be opened.
  std::optional<Outcome> GoOn() {
    const std::string path = folder + "/session";
    SessionFile::Opened opened = SessionFile::Open(
        path, fs::exists(path) ? SessionFile::Mode::kOpen : SessionFile::Mode::kCreate);
    error = opened.error;
    if (opened.file == nullptr) return std::nullopt;
    damage = opened.file->damage();
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    std::vector<Event> events = opened.file->events();
    SavedSession saved(agent, options, std::move(events), std::move(opened.file));
    saved.Start({{"p.rpl", "% <- ?a = $one(1), ?b = $two(2), ?c = $three(?a, ?b), $json(?c)\n"}},
                [](const std::string&) { return std::nullopt; });
    const auto& last = saved.last();
    if (last && last->status == Status::kSatisfied) return last;
    return saved.session().Run();
  }

  int Runs(const std::string& tool) const {
    std::ifstream in(folder + "/" + tool);
    int lines = 0;
    for (std::string line; std::getline(in, line);) ++lines;
    return lines;
  }

  std::string folder;
  std::string error;
  std::string damage;
  ToolConfig config;
  EverythingGoes everything;
  NobodyAnswers nobody;
  ToolAgent agent{config, everything, {}, nobody};
};

TEST_CASE("whatever write or sync fails, no call runs twice, and the session opens afterwards") {
  const FaultyDisk disk;
  int most = 0;
  {
    const testing::Folder folder;
    ThreeTools tools(folder.path());
    faults = Faults{};
    REQUIRE(tools.GoOn()->status == Status::kSatisfied);
    most = faults.operations;
    REQUIRE(most > 20);
  }
  for (int at = 1; at <= most; ++at)
    for (const bool lasts : {false, true})
      for (const bool done : {false, true}) {
        CAPTURE(at, lasts, done);
        const testing::Folder folder;
        ThreeTools tools(folder.path());
        faults = {at, lasts, done, at % 2 == 0 ? SQLITE_FULL : SQLITE_IOERR_FSYNC, 0};
        tools.GoOn();
        faults = Faults{};
        std::optional<Outcome> outcome;
        for (int again = 0; again < 3; ++again) {
          outcome = tools.GoOn();
          CHECK(tools.error == "");
          CHECK(tools.damage == "");
        }
        for (const char* tool : {"one", "two", "three"}) CHECK(tools.Runs(tool) <= 1);
        REQUIRE(outcome);
        // It comes to its end, or waits for a person to say what became of a call in doubt.
        if (outcome->status == Status::kSatisfied) {
          CHECK(tools.Runs("three") == 1);
        } else {
          REQUIRE(outcome->status == Status::kWaiting);
          CHECK(std::any_of(outcome->pending.begin(), outcome->pending.end(),
                            [](const Request& request) { return request.in_doubt; }));
        }
      }
}

}  // namespace
}  // namespace rpl
