// SPDX-License-Identifier: Apache-2.0
//
// For tests: a private PostgreSQL cluster in a temporary folder, on a Unix socket in the same
// folder. It is started once per test process, without fsync, and removed at its end; the server
// also ends if the process is killed. It is a child of the process, so tests that want to have no
// child come first, as those of runtime/tools do.
//
// The server refuses to run as root, so a process of root runs it as the user `postgres`. Everybody
// may connect as any role without a password, except as `locked`, whose password is `s3cret/word`.
#ifndef RPL_RUNTIME_POSTGRES_TEST_CLUSTER_H_
#define RPL_RUNTIME_POSTGRES_TEST_CLUSTER_H_

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/postgres/connection.h"

namespace rpl::testing {

class TestCluster {
 public:
  /// The cluster of this process. Null, with a warning in the report of the test, where no server
  /// is installed; a server that is installed and does not start fails the test.
  static TestCluster* Get() {
    static const std::unique_ptr<TestCluster> cluster = Make();
    if (cluster == nullptr) WARN("skipped: no PostgreSQL server is installed");
    return cluster.get();
  }

  TestCluster(const TestCluster&) = delete;
  ~TestCluster() {
    Stop(SIGQUIT);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// The URL of a database, without a session.
  std::string Url(const std::string& database = "postgres",
                  const std::string& user = "postgres") const {
    return "postgresql://" + user + "@/" + database + "?host=" + folder_;
  }
  /// The URL of a session in it.
  std::string SessionUrl(const std::string& database, const std::string& session,
                         const std::string& user = "postgres") const {
    return "postgresql://" + user + "@/" + database + "/" + session + "?host=" + folder_;
  }
  /// Makes an empty database; its name.
  std::string NewDatabase() {
    const std::string name = "test" + std::to_string(++databases_);
    Run("CREATE DATABASE " + name);
    return name;
  }
  /// Runs one statement as the superuser.
  void Run(const std::string& sql, const std::string& database = "postgres") {
    SqlConnection::Opened opened = SqlConnection::Open({.url = Url(database)});
    REQUIRE(opened.error.message == "");
    REQUIRE(opened.connection->Execute(sql).error.message == "");
  }

  /// Ends the server: SIGINT in order, SIGQUIT as a crash.
  void Stop(int signal = SIGINT) {
    if (server_ > 0) {
      kill(server_, signal);
      waitpid(server_, nullptr, 0);
    }
    server_ = 0;
  }
  void Start() {
    server_ = Spawn({binaries_ + "/postgres", "-D", folder_ + "/data", "-k", folder_, "-c",
                     "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60"});
    SqlError error;
    for (int i = 0; i < 600; ++i) {
      error = SqlConnection::Open({.url = Url()}).error;
      if (!error) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL("the PostgreSQL server does not start: " + error.message);
  }
  void Restart() {
    Stop();
    Start();
  }

 private:
  TestCluster(std::string binaries, std::string folder)
      : binaries_(std::move(binaries)), folder_(std::move(folder)) {}

  static std::unique_ptr<TestCluster> Make() {
    namespace fs = std::filesystem;
    std::string binaries;
    std::error_code ignored;
    for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored))
      if (fs::exists(version.path() / "bin/postgres", ignored))
        binaries = std::max(binaries, (version.path() / "bin").string());
    if (binaries.empty()) return nullptr;
    std::string folder = (fs::temp_directory_path() / "rpl-cluster-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    std::unique_ptr<TestCluster> out(new TestCluster(binaries, folder));
    if (const passwd* const user = Server())
      REQUIRE(chown(folder.c_str(), user->pw_uid, user->pw_gid) == 0);
    const pid_t made = out->Spawn({binaries + "/initdb", "-D", folder + "/data", "-U", "postgres",
                                   "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"});
    int status = 0;
    REQUIRE(waitpid(made, &status, 0) == made);
    REQUIRE(status == 0);
    std::ofstream(folder + "/data/pg_hba.conf")
        << "local all locked scram-sha-256\nlocal all all trust\n";
    out->Start();
    out->Run("CREATE ROLE locked LOGIN PASSWORD 's3cret/word'");
    return out;
  }

  // The user to run the server as; null: this one.
  static const passwd* Server() { return geteuid() == 0 ? getpwnam("postgres") : nullptr; }

  pid_t Spawn(const std::vector<std::string>& command) const {
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const passwd* const user = Server();
    const std::string log = folder_ + "/log";
    const pid_t child = fork();
    if (child != 0) return child;
    setpgid(0, 0);
    if (user != nullptr && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int in = open("/dev/null", O_RDONLY);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    if (chdir(folder_.c_str()) != 0) _exit(1);
    execv(argv[0], argv.data());
    _exit(127);
  }

  std::string binaries_;
  std::string folder_;
  pid_t server_ = 0;
  int databases_ = 0;
};

}  // namespace rpl::testing

#endif  // RPL_RUNTIME_POSTGRES_TEST_CLUSTER_H_
