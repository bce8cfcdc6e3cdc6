// SPDX-License-Identifier: Apache-2.0
//
// Sessions of programs that read and write files, from process to process.
#include "runtime/tools/file_tools.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "interp/testing/testing.h"
#include "interp/testing/testing_folder.h"
#include "runtime/record/session_file.h"
#include "runtime/run/saved_session.h"
#include "runtime/tools/tool_agent.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

struct AllMayRun : Permission {
  Permit Approve(const ToolCommand&) override { return {true, ""}; }
  Permit Ask(const CommandCall&, const std::string&) override { return {true, ""}; }
  Permit Reach(const std::string&, const std::string&) override { return {true, ""}; }
  Permit AskToWrite(const std::string&, std::size_t) override {
    ++asked;
    return {true, ""};
  }
  int asked = 0;
};

// A program with its folder, run again and again in one session.
struct Files {
  testing::Folder folder;
  ToolConfig config;
  AllMayRun permission;

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  std::string Read(const std::string& name) const {
    std::ifstream in(folder / name, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  // The status and answers of the next run.
  std::string Run(const std::string& program) {
    testing::Silent nobody;
    ToolAgent agent(config, permission, {});
    agent.SetFolder(folder.path());
    const std::string path = folder / "session";
    SessionFile::Opened opened = SessionFile::Open(
        path, fs::exists(path) ? SessionFile::Mode::kOpen : SessionFile::Mode::kCreate);
    REQUIRE(opened.store != nullptr);
    std::vector<Event> events = opened.store->events();
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    SavedSession saved({nobody, agent, agent}, options, std::move(events), std::move(opened.store));
    saved.Start({{"p.rpl", program}}, [](const std::string&) { return std::nullopt; });
    const Outcome outcome = saved.session().Run();
    CHECK(saved.journal().broken() == "");
    std::string out(StatusName(outcome.status));
    for (const std::string& answer : outcome.answers) out += " " + answer;
    return out;
  }
};

TEST_CASE("a session goes on when its source is gone, and notices when it is back") {
  Files files;
  const std::string program = "$index(\"a.csv\")\n%r(?x) <- a(?x)\n";
  CHECK(files.Run(program) == "tool-failed");
  files.Write("a.csv", "x\n1\n2\n");
  CHECK(files.Run(program) == "satisfied 1 2");
  fs::remove(files.folder / "a.csv");
  CHECK(files.Run(program) == "satisfied 1 2");
  files.Write("a.csv", "x\n2\n3\n");
  CHECK(files.Run(program) == "satisfied 2 3");
  CHECK(files.Run(program) == "satisfied 2 3");
}

TEST_CASE("a changed program reads its sources again") {
  Files files;
  files.Write("a.csv", "x\n1\n");
  CHECK(files.Run("$index(\"a.csv\")\n%r(?x) <- a(?x)\n") == "satisfied 1");
  files.Write("a.csv", "x\n2\n");
  CHECK(files.Run("$index(\"a.csv\")\n%s(?x) <- a(?x)\n") == "satisfied 2");
  CHECK(files.Run("%s(?x) <- a(?x)\n") == "unsatisfied");
  fs::remove(files.folder / "a.csv");
  CHECK(files.Run("$index(\"a.csv\")\n%r(?x) <- a(?x)\n") == "tool-failed");
}

TEST_CASE("a write is made once, and a file that is there is not overwritten") {
  Files files;
  const std::string one = "%r(?n) <- $write(\"one\", \"x\") ^ ~ {:bytes ?n}\n";
  CHECK(files.Run(one) == "satisfied 3");
  CHECK(files.Run(one) == "satisfied 3");
  CHECK(files.permission.asked == 1);
  CHECK(files.Run("%r(?n) <- $write(\"other\", \"x\") ^ ~ {:bytes ?n}\n") == "satisfied 5");
  files.Write("x", "by hand");
  CHECK(files.Run("%r(?n) <- $write(\"more\", \"x\") ^ ~ {:bytes ?n}\n") == "tool-failed");
  CHECK(files.Read("x") == "by hand");
}

// The tools of a program, called one by one.
struct Calls {
  Files files;
  Pool pool;
  FileTools tools{files.config.files, files.permission};

  Calls() {
    files.config.files.write = Permit::kAllow;
    tools.SetFolder(files.folder.path());
  }

  // The message of a call that failed, or what it resulted in.
  std::string Call(const std::string& tool, const std::vector<std::string>& args) {
    ToolCall call;
    call.tool = tool;
    for (const std::string& arg : args) call.args.push_back(testing::Read(pool, arg));
    if (!tools.Takes(call)) return "not taken";
    const Value reply = tools.Call({call}, pool)[0].value;
    const Value message = pool.Lookup(reply, pool.Keyword("message"));
    return Text(pool, message == kAbsent || message.is_none()
                          ? pool.Lookup(reply, pool.Keyword("result"))
                          : message);
  }
};

TEST_CASE("a call of $write with other arguments is refused, and writes nothing") {
  Calls calls;
  const auto write = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args = {"[[1 2]]"};
    args.insert(args.end(), more.begin(), more.end());
    return calls.Call("write", args);
  };
  CHECK(write({"7"}) == R"("expected a path as the second argument, got 7")");
  CHECK(write({R"("x.csv")", ":csv"}) == R"("expected a map as the third argument, got :csv")");
  for (const char* option : {"{:format \"csv\"}", "{:replace 1}", "{:other true}"})
    CHECK_THAT(write({R"("x.csv")", option}),
               Catch::Contains("expected `:format :csv` or `:replace true`, got `:"));
  CHECK(write({}) == "not taken");
  CHECK(write({R"("x.csv")", "{}", "1"}) == "not taken");
  CHECK(!fs::exists(calls.files.folder / "x.csv"));
  CHECK(write({R"("x.csv")", "{:format :csv, :replace false}"}) == R"("x.csv")");
  CHECK_THAT(write({R"("x.csv")", "{:format :json}"}), Catch::Contains("this session did not"));
  CHECK(write({R"("x.csv")", "{:format :json, :replace true}"}) == R"("x.csv")");
}

TEST_CASE("a call of $index with other arguments is refused") {
  Calls calls;
  calls.files.Write("a.csv", "x\n1\n");
  const auto index = [&](const std::vector<std::string>& args) {
    return calls.Call("index", args);
  };
  CHECK(index({R"("a.csv")"}) == R"("a.csv")");
  CHECK(index({R"("a.csv")", R"("rel")"}) == R"("a.csv")");
  CHECK(index({R"("a.csv")", "7"}) ==
        R"("expected no hint, or the name of a relation as a string")");
  CHECK_THAT(index({R"("a.csv")", "{:x 1}"}), Catch::Contains("columns are bound by a map"));
  for (const char* folder : {"7", R"(folder("a"))", R"(folder(:a, :b))", R"(folder("a", "b"))"})
    CHECK_THAT(index({folder}), Catch::Contains("expected a path, or `folder(path, $entries)`"));
  CHECK(index({R"(folder(".", :name))"}) == R"("./")");
  CHECK(index({R"(folder(:name, "."))"}) == R"("./")");
  CHECK(index({R"(folder(".", :name))", R"("rel")"}) ==
        R"("expected no hint, or the name of a relation as a string")");
  CHECK_THAT(index({R"(folder("none", :name))"}), Catch::Contains("there is no such folder"));
  CHECK_THAT(index({R"("http://a/b.csv")"}), Catch::Contains("is no file; a tool named `index`"));
  CHECK(index({}) == "not taken");
  calls.tools.SetFolder("");
  CHECK(index({R"("a.csv")"}) == "not taken");
}

TEST_CASE("a write in doubt is made again, and a second one of another text is refused") {
  Files files;
  files.config.files.write = Permit::kAllow;
  FileTools tools(files.config.files, files.permission);
  tools.SetFolder(files.folder.path());
  Pool pool;
  ToolCall call;
  call.tool = "write";
  call.args = {pool.String("text"), pool.String("x")};
  call.in_doubt = true;
  bool recorded = false;
  call.starting = [&] { return recorded; };
  CHECK(tools.Call({call}, pool)[0].kind == Answer::Kind::kNobody);
  CHECK(!fs::exists(files.folder / "x"));
  recorded = true;
  const Answer first = tools.Call({call}, pool)[0];
  CHECK(tools.Call({call}, pool)[0].value == first.value);
  CHECK(files.Read("x") == "text");
  call.args[0] = pool.String("text 2");
  CHECK(pool.Lookup(tools.Call({call}, pool)[0].value, pool.Keyword("code")) ==
        pool.String("exists"));
  call.written = {{"x", std::string(pool.TextOf(pool.Lookup(first.value, pool.Keyword("hash"))))}};
  tools.Call({call}, pool);
  CHECK(files.Read("x") == "text 2");
}

}  // namespace
}  // namespace rpl
