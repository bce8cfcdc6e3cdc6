// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/call_views.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "checks/calls/call_test.h"

namespace rpl {
namespace {

std::string Line(const std::string& program, const std::vector<std::string>& words) {
  std::string line = program;
  for (const std::string& word : words) line += " " + word;
  return line;
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

std::string Succeeded(const CallViews& views) {
  std::vector<std::string> lines;
  for (const ProgramCall& run : views.succeeded) lines.push_back(Line(run.program, run.arguments));
  return Joined(lines);
}

// All rows, those that are open with `?`.
std::string Rows(const CallViews& views) {
  std::vector<std::string> lines;
  for (const ProgramCall& run : views.runs)
    lines.push_back("run " + Line(run.program, run.arguments));
  for (const OpenRun& run : views.open_runs)
    lines.push_back("run? " + Line(run.program.value_or("*"), run.words));
  for (const ProgramCall& run : views.options)
    lines.push_back("options " + Line(run.program, run.arguments));
  for (const OpenRun& run : views.open_options)
    lines.push_back("options? " + Line(run.program.value_or("*"), run.words));
  for (const std::string& path : views.edits) lines.push_back("edits " + path);
  for (const std::string& path : views.open_edits) lines.push_back("edits? " + path);
  for (const std::string& path : views.reads) lines.push_back("reads " + path);
  for (const std::string& path : views.open_reads) lines.push_back("reads? " + path);
  for (const AddressFetch& fetch : views.fetches)
    lines.push_back("fetches " + fetch.host + " " + fetch.url);
  for (const std::string& url : views.open_fetches) lines.push_back("fetches? " + url);
  for (const ServedTool& served : views.serves)
    lines.push_back("serves " + served.server + " " + served.tool);
  for (const OpenServe& served : views.open_serves)
    lines.push_back("serves? " + served.server.value_or("*") + " " + served.tool);
  return Joined(lines);
}

}  // namespace

TEST_CASE("what a call does: evidence is the whole command line or a member of its chain") {
  TestProject project;
  const std::pair<std::string, const char*> cases[] = {
      {"make test", "make test"},
      {"make test # all of them", "make test"},
      {"make -n test", "make -n test"},
      {"make test > log 2>&1", "make test"},
      {"make test 2>&1 < /dev/null", "make test"},
      {"  make   'test'  ", "make test"},
      {"cd . && make test", "make test"},
      {"cd " + project.folder() + " && make test", "make test"},
      {"cd src && cd .. && make test", "make test"},
      {"make && make test && git push", "make, make test, git push"},
      {"echo a && make test", "make test"},
      {"make test && make $x", "make test"},
      {"make test && (cd src; make)", "make test"},
      {"./gradlew test", "./gradlew test"},
      {"/tmp/make test", "/tmp/make test"},
      {"git -C . push", "git -C . push"},
      {"npm test", "npm test"},
  };
  for (const auto& [command, expected] : cases) {
    INFO(command);
    CHECK(Succeeded(project.Shell(command)) == expected);
  }
}

TEST_CASE("what a call does: what may end well though a command failed is no evidence") {
  TestProject project;
  for (const char* const command : {"make test || true",
                                    "make test | cat",
                                    "make test |& cat",
                                    "make test &",
                                    "! make test",
                                    "make test; true",
                                    "true; make test",
                                    "true\nmake test",
                                    "cd src && make test",
                                    "cd $x && make test",
                                    "cd /tmp && make test",
                                    "make() { :; }; make test",
                                    "make() { :; } && make test",
                                    "(make test)",
                                    "(make test); true",
                                    "{ make test; }",
                                    "if make test; then :; fi",
                                    "make $x",
                                    "make \"$(date)\"",
                                    "$x test",
                                    "X=1 make test",
                                    "PATH=/x make test",
                                    "PATH=/x && make test",
                                    "export PATH=/x && make test",
                                    "alias make=true && make test",
                                    "unalias -a && make test",
                                    "eval x && make test",
                                    "source x && make test",
                                    ". x && make test",
                                    "exit 0 && make test",
                                    "exec true && make test",
                                    "trap 'exit 0' EXIT && make test",
                                    "set +e && make test",
                                    "hash -p /x make && make test",
                                    "enable -n x && make test",
                                    "time make test",
                                    "env make test",
                                    "sudo make test",
                                    "timeout 5 make test",
                                    "nice make test",
                                    "command make test",
                                    "exec make test",
                                    "nohup make test",
                                    "bash -c 'make test'",
                                    "xargs make test",
                                    "find . -exec make test \\;",
                                    "echo $(make test)",
                                    "make test && true || true",
                                    "false || make test",
                                    "while ! make test; do :; done",
                                    "coproc make test",
                                    "f && $x && make test",
                                    "pushd . && make test",
                                    "[[ -f x ]] && make test",
                                    "make test > $x",
                                    "MAKEFLAGS=-n make test",
                                    "return 0 && make test",
                                    "builtin exit && make test",
                                    "make tes[t]",
                                    "make {$x,test}",
                                    "declare -x PATH=/x && make test",
                                    "read PATH && make test",
                                    "printf -v PATH x && make test"}) {
    INFO(command);
    const std::string rows = Succeeded(project.Shell(command));
    CHECK(rows.find("make") == rows.npos);
  }
  CHECK(Succeeded(project.Views("Bash", {{"command", "make test"}, {"cwd", "src"}})) == "");
  CHECK(Succeeded(project.Views("shell", {{"command", {"make", "test"}}})) == "make test");
  CHECK(Succeeded(project.Views("shell", {{"command", {"bash", "-lc", "make test"}}})) ==
        "make test");
  CHECK(Succeeded(project.Views("shell", {{"command", {"make", "test"}}, {"workdir", "/tmp"}})) ==
        "");
}

TEST_CASE("what a call does: rows of commands, options, files and addresses") {
  TestProject project;
  const std::pair<const char*, const char*> cases[] = {
      {"git -C . push origin", "run git push origin, options git -C ., fetches? "},
      {"git --no-pager log -1", "run git log -1, options git --no-pager"},
      {"git show \"$x\"", "run? git show, edits? "},
      {"git status \"$x\"", "run? git status"},
      {"git -C \"$x\" tag", "run git tag, options? git -C"},
      {"git", "run git"},
      {"docker --context x push y",
       "run docker push y, options docker --context x, fetches docker.io y"},
      {"cargo +nightly build", "run cargo +nightly build"},
      {"env -i A=1 make x", "run env -i A=1 make x, run make x"},
      {"echo x > out 2>> err", "run echo x, edits out, edits err"},
      {"cat src/a.c /etc/hosts", "run cat src/a.c /etc/hosts, reads src/a.c, reads /etc/hosts"},
      {"cat < link/key.txt", "run cat, reads secret/key.txt"},
      {"cd src && cat a.c ../x", "run cd src, run cat a.c ../x, reads src/a.c, reads x"},
      {"curl -sS https://Example.org:8080/x",
       "run curl -sS https://Example.org:8080/x, "
       "fetches example.org https://Example.org:8080/x"},
      {"curl \"https://x/$y\"", "run? curl, fetches? https://x/"},
      {"curl -d @src/a.c x.org", "run curl -d @src/a.c x.org, reads src/a.c, fetches x.org x.org"},
      {"cat > /dev/tcp/x.org/80", "run cat, fetches x.org tcp://x.org:80"},
      {"sed -n '/a/,/b/{p;q}' src/a.c", "run sed -n /a/,/b/{p;q} src/a.c, reads src/a.c"},
      {"rm src/*.o", "run? rm, edits? src/"},
      {"rm link/../x", "run rm link/../x, edits x"},
      {"xargs rm -f", "run xargs rm -f, run? rm -f, edits? "},
      {"bash x.sh a", "run bash x.sh a, reads x.sh"},
      {"./x.sh", "run x.sh"},
      {"git() { :; }; git push", "run :, run? git, options? git, edits? , fetches? "},
      {"sort -o b src/a.c", "run sort -o b src/a.c, edits b, reads src/a.c"},
      {"grep -rn x src", "run grep -rn x src, reads src, reads? src/"},
  };
  for (const auto& [command, expected] : cases) {
    INFO(command);
    CHECK(Rows(project.Shell(command)) == expected);
  }
}

TEST_CASE("what a call does: what the text says of a path that it computes") {
  TestProject project;
  const auto computed = [&](const std::string& command) {
    std::string out;
    for (const ComputedEdit& edit : project.Shell(command).computed_edits) {
      std::string start = edit.start;
      if (start.starts_with(project.folder())) start.erase(0, project.folder().size() + 1);
      out += (out.empty() ? "" : ", ") + start + (edit.whole ? "" : "?") + edit.end;
    }
    return out;
  };
  const std::pair<const char*, const char*> cases[] = {
      {"f=a/b; echo > $f", "a/b"},
      {"f=a; f=b; rm \"$f/x\"", "a/x, b/x"},
      {"for f in a b; do cp x $f; done", "a, b"},
      {"f=~/x; rm $f", "home/x"},
      {"d=a; f=$d/b; tee x$f.c < y", "xa/b.c"},
      {"f=$f; rm $f", "?"},
      {"rm src/*", "src/a.c"},
      {"f=src/*; rm $f", "src/a.c"},
      {"rm src/*.o", ""},
      {"rm *", "link, secret, src"},
      {"rm $(cat x)", "?"},
      {"rm \"$(cat x)/y\"", "?/y"},
      {"rm a$(cat x)", "a?"},
      {"read f; rm $f", "?"},
      {"rm $f", ""},
      {"rm a$f", "a?"},
      {"rm a/$f", ""},
      {"f=$(mktemp); rm $f", ""},
      {"echo > $(mktemp -d)/x", ""},
      {"f=$(mktemp -p src); rm $f", "?"},
      {"sed -i s/a/b/ $(cat x)", ""},
      {"f=a; sed -i s/a/b/ $f", "a"},
      {"cat x | xargs rm", ""},
      {"find . -exec rm {} +", ".?"},
      {"cat $(cat x) > y", ""},
  };
  for (const auto& [command, expected] : cases) {
    INFO(command);
    CHECK(computed(command) == expected);
  }
}

TEST_CASE("what a call does: tools of hosts by their names and arguments") {
  TestProject project;
  const std::string patch =
      "*** Begin Patch\n*** Update File: src/a.c\n*** Move to: src/b.c\n@@\n-a\n+b\n"
      "*** Delete File: secret/key.txt\n*** Add File: link/new\n+x\n*** End Patch\n";
  struct Case {
    const char* tool;
    nlohmann::ordered_json arguments;
    const char* rows;
  };
  const Case cases[] = {
      {"Bash", {{"command", "git push"}}, "run git push, fetches? "},
      {"shell", {{"command", {"git", "push"}}}, "run git push, fetches? "},
      {"shell", {{"command", {"bash", "-lc", "git push"}}}, "run git push, fetches? "},
      {"shell", {{"command", {"env", "git", "push"}}}, "run env git push, run git push, fetches? "},
      {"shell", {{"command", {"git", "$x"}}}, "run? git, options? git, edits? "},
      {"exec_command",
       {{"cmd", "cat a.c"}, {"workdir", project.folder() + "/src"}},
       "run cat a.c, reads src/a.c"},
      {"run_shell_command",
       {{"command", "cat a.c"}, {"directory", "src"}},
       "run cat a.c, reads src/a.c"},
      {"run_command",
       {{"command_line", "git push"}, {"cwd", project.folder()}},
       "run git push, fetches? "},
      {"Read", {{"file_path", project.folder() + "/link/key.txt"}}, "reads secret/key.txt"},
      {"Write", {{"file_path", "src/../x"}, {"content", "y"}}, "edits x"},
      {"Edit", {{"file_path", "/etc/hosts"}}, "edits /etc/hosts"},
      {"NotebookEdit", {{"notebook_path", "a.ipynb"}}, "edits a.ipynb"},
      {"edit", {{"filePath", "src/a.c"}}, "edits src/a.c"},
      {"write_file", {{"file_path", "src/a.c"}}, "edits src/a.c"},
      {"replace", {{"absolute_path", project.folder() + "/x"}}, "edits x"},
      {"str_replace_editor", {{"command", "view"}, {"path", "x"}}, "reads x"},
      {"str_replace_editor", {{"command", "create"}, {"path", "x"}}, "edits x"},
      {"read_many_files", {{"include", {"a", "b/*.c"}}}, "reads a, reads b/*.c, reads? "},
      {"Grep", {{"pattern", "x"}}, "reads? "},
      {"Grep", {{"pattern", "x"}, {"path", "src"}}, "reads src, reads? src/"},
      {"apply_patch",
       {{"command", patch}},
       "edits src/a.c, edits src/b.c, edits secret/key.txt, edits secret/new"},
      {"apply_patch", {{"input", "what"}}, "edits? "},
      {"patch", {{"patchText", "--- a/x\n+++ b/x\n"}}, "edits a/x, edits x, edits b/x"},
      {"WebFetch",
       {{"url", "https://me@x.org/y?z"}, {"prompt", "sum up"}},
       "fetches x.org https://me@x.org/y?z"},
      {"WebFetch",
       {{"url", "https://x.org\\@y.org/"}, {"prompt", "sum up"}},
       "fetches x.org https://x.org\\@y.org/, fetches y.org https://x.org\\@y.org/"},
      {"web_fetch",
       {{"prompt", "sum up https://x.org/y, please"}},
       "fetches x.org https://x.org/y,"},
      {"mcp__git__push", nlohmann::ordered_json::object(), "serves git push"},
      {"mcp__a_b__c__d", nlohmann::ordered_json::object(), "serves a_b c__d, serves? a_b__c d"},
      {"Unknown", {{"command", "git push"}}, "serves? * Unknown"},
  };
  for (const Case& one : cases) {
    INFO(one.tool << " " << one.arguments.dump());
    CHECK(Rows(project.Views(one.tool, one.arguments)) == one.rows);
  }
  CHECK(Rows(project.Views("Task", {{"prompt", "git push"}}, true)) == "");
}

TEST_CASE("what a call does: a call that cannot be read is open in all ways, and says why") {
  TestProject project;
  std::string many;
  for (int i = 0; i < 600; ++i) many += "a;";
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "(";
  const std::pair<std::string, const char*> cases[] = {
      {std::string(70'000, 'a'), "longer than 65536 bytes"},
      {many, "more than 500 commands"},
      {"echo '", "no valid bash"},
      {"# a \\\ngit push", "comment"},
      {"git push\r\n", "control character"},
      {std::string("a\0b", 3), "control character"},
      {"echo \xff", "not UTF-8"},
      {"echo \"`echo \\\"a\\\"`\"", "backslash in backquotes"},
  };
  for (const auto& [command, why] : cases) {
    INFO(command.substr(0, 80));
    const CallViews views = project.Shell(command);
    CHECK(views.why.find(why) != std::string::npos);
    CHECK(Rows(views) == "run? *, options? *, edits? , reads? , fetches? , serves? * ");
    CHECK(views.succeeded.empty());
  }
  for (int i = 0; i < 300; ++i) deep += i == 0 ? "a)" : ")";
  CHECK(project.Shell(deep).why != "");
  std::string chain = "a";
  for (int i = 0; i < 450; ++i) chain += " && a";
  CHECK(project.Shell(chain).why == "");
  CHECK(project.Views("Bash", {{"command", 1}}).why != "");
  CHECK(project.Views("Bash", nullptr).why != "");
  CHECK(project.Views("Write", {{"content", "x"}}).why != "");
  CHECK(project.Views("shell", {{"command", {"a", 1}}}).why != "");
  ShfmtReader missing("", "");
  const CallViews views = ViewsOf({"Bash", {{"command", "ls"}}}, {"/", "/", "/"}, missing);
  CHECK(views.why == "commands cannot be read: install shfmt");
}

TEST_CASE("what a call does: large texts take time in proportion") {
  TestProject project;
  std::string text = "echo";
  while (text.size() < 20'000) text += " 'a b' \"c$x\" {d,e}f";
  CHECK(project.Shell(text).why == "");
  std::string named = "perl";
  for (int i = 0; named.size() < 60'000; ++i) named += " a=b/" + std::to_string(i);
  CHECK(project.Shell(named).named.size() > 10);
  std::string quotes(60'000, '{');
  CHECK(project.Shell("echo " + quotes).why == "");
  std::string braces = "echo ";
  for (int i = 0; i < 1000; ++i) braces += "{a,b}";
  const CallViews views = project.Shell(braces);
  CHECK(views.open_runs.size() == 1);
}

}  // namespace rpl
