// SPDX-License-Identifier: Apache-2.0
//
// Commands that reach git and files under another program's name, or by what git is told to run.
#include <catch2/catch.hpp>

#include "checks/calls/call_test.h"

namespace rpl {

TEST_CASE("what a call does: git under other names and behind other programs") {
  TestProject project;
  for (const char* const command : {"/usr/lib/git-core/git-push origin main",
                                    "git-push",
                                    "env git-push x",
                                    "setpriv git push",
                                    "setpriv --reuid 5 --no-new-privs git push",
                                    "setpriv --new x git push",
                                    "setarch x86_64 git push",
                                    "setarch -R git push",
                                    "linux64 git push",
                                    "choom -n 1 -- git push",
                                    "ssh-agent git push",
                                    "ssh-agent -t 5 git push",
                                    "pkexec git push",
                                    "pkexec --user x git push",
                                    "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push",
                                    "/lib/ld-musl-x86_64.so.1 --library-path /x git push",
                                    "ld.so git push",
                                    "firejail git push",
                                    "make --eval='x:;git push' x",
                                    "make --ev 'x:;git push' x",
                                    "make -E 'x:;git push' x",
                                    "printf 'x:;git push' | make -f - x",
                                    "make -f /dev/stdin x",
                                    "make -f- x",
                                    "make --makefile=- x",
                                    "make -kf - x",
                                    "make SHELL='git push' x",
                                    "printf 'x:;git push' > m; make -f m x",
                                    "tee m; make --file=m x",
                                    "tee src/m; cd src && gmake -fm x",
                                    "make -f $x",
                                    "git config core.pager '!git push'",
                                    "git config --global alias.x push",
                                    "git config set core.hooksPath x",
                                    "git config --add core.sshCommand 'git push'",
                                    "git config CORE.FSMONITOR x",
                                    "git config diff.x.textconv 'git push'",
                                    "git config filter.x.clean 'git push'",
                                    "git config --file .git/config core.editor x",
                                    "git config $x y",
                                    "git config core.pager $x",
                                    "git config $x",
                                    "echo 'git push' > .git/hooks/pre-commit",
                                    "cp x .git/hooks/pre-commit",
                                    "cp x .git/hooks/",
                                    "cp -r x .git/hooks",
                                    "cp x .git/hooks/$y",
                                    "cd .git && tee config",
                                    "tee .git/modules/x/hooks/y",
                                    "tee .git/info/attributes",
                                    "tee src/.git/config",
                                    "tee ~/.gitconfig",
                                    "tee ~/.config/git/config"}) {
    INFO(command);
    CHECK(Runs(project.Shell(command), "git", {"push"}) != Answer::kNo);
  }
  CHECK(Runs(project.Views("Write", {{"file_path", ".git/hooks/pre-push"}}), "git", {"push"}) ==
        Answer::kOpen);
  CHECK(Runs(project.Shell("git-push x"), "git-push", {"x"}) == Answer::kYes);
}

TEST_CASE("what a call does: what only looks like git under another name is no command of it") {
  TestProject project;
  for (const char* const command : {"git-lfs push",
                                    "git-status",
                                    "/usr/lib/git-core/git-log push",
                                    "choom -p 5",
                                    "make test",
                                    "make -f m test",
                                    "make -j4 -C src test",
                                    "make -k -j 4 V=1",
                                    "tee m; make -f n x",
                                    "git config core.pager",
                                    "git config --get core.editor",
                                    "git config --list",
                                    "git config user.name push",
                                    "git config --global push.default simple",
                                    "git config branch.main.remote x",
                                    "git config core.autocrlf true",
                                    "rm .git/index.lock",
                                    "tee .github/hooks",
                                    "tee hooks/config",
                                    "setpriv --dump"}) {
    INFO(command);
    CHECK(Runs(project.Shell(command), "git", {"push"}) == Answer::kNo);
  }
}

TEST_CASE("what a call does: a file with another name besides is edited under that, too") {
  TestProject project;
  std::filesystem::create_hard_link(project.folder() + "/secret/key.txt",
                                    project.folder() + "/src/b");
  const auto edits = [](const CallViews& views) {
    return Reaches(views.edits, views.open_edits, "secret/key.txt");
  };
  for (const char* const command :
       {"echo x > src/b", "cd src && tee b", "sed -i s/a/b/ src/b", "cp src/a.c src/b"}) {
    INFO(command);
    CHECK(edits(project.Shell(command)) == Answer::kOpen);
  }
  CHECK(edits(project.Views("Write", {{"file_path", "src/b"}})) == Answer::kOpen);
  for (const char* const command : {"cat src/b", "tee src/a.c", "touch src", "tee src/new"}) {
    INFO(command);
    CHECK(edits(project.Shell(command)) == Answer::kNo);
  }
}

}  // namespace rpl
