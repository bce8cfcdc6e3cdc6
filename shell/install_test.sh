#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/install_test.sh [BUILD]
#
# `cmake --install` puts each thing where Debian wants it: installs what is built in the
# folder BUILD, build by default, elsewhere, and uses it from there. That a program can be
# built with the library is tested by shell/embed_test.sh. The last line is
# `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/installed.sh
build=${1:-build}
root=$folder/rpl
version=$(sed -n 's/^project(rpl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# A page of the manual for rpl and for each command, compressed, and no others.
man_pages() {
  { echo rpl.1.gz; "$root/bin/rpl" reference commands | sed 's/.*/rpl-&.1.gz/'; } | LC_ALL=C sort |
    diff - <(find "$root/share/man/man1" -type f -printf '%f\n' | LC_ALL=C sort)
}

man_page_says_version() {
  gzip -dc "$root/share/man/man1/rpl.1.gz" | grep -qF "\"rpl $version\""
}

# Bash finds completions by the name of the command.
completions() {
  diff "$root/share/bash-completion/completions/rpl" <("$root/bin/rpl" completion bash) &&
    diff "$root/share/zsh/vendor-completions/_rpl" <("$root/bin/rpl" completion zsh) &&
    diff "$root/share/fish/vendor_completions.d/rpl.fish" <("$root/bin/rpl" completion fish)
}

example() {
  printf 'doc-42\nclarity\n' | "$root/bin/rpl" run "$root/share/doc/rpl/examples/collaborative-editing.md"
}

# Nothing lies anywhere else, and nothing of the tests or of the machine came along.
folders() {
  diff <(printf '%s\n' bin include lib share | LC_ALL=C sort) <(find "$root" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort) &&
    diff <(printf '%s\n' bash-completion doc fish man zsh) \
      <(find "$root/share" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort) &&
    diff /dev/null <(find "$root/bin" "$root/lib" "$root/include" -type f ! -path "$root/bin/rpl" \
      ! -path "$root/include/rpl/*.h" ! -path "$root/lib*/librpl.a" ! -path "$root/lib*/cmake/rpl/rpl-*.cmake")
}

no_paths_of_the_build() {
  ! grep -rlF "$PWD" "$root/lib" "$root/share" "$root/include"
}

check "everything is installed" install "$build"
check "the program has the version of the project" test "$("$root/bin/rpl" --version)" = "rpl $version"
check "a man page for each command" man_pages
check "the man page says the version" man_page_says_version
check "completions are what the program prints" completions
check "the licence is there" diff LICENSE "$root/share/doc/rpl/LICENSE"
check "the pages are there" diff -r docs "$root/share/doc/rpl/docs"
check "an example runs from where it is" example
check "nothing else is installed" folders
check "what is installed does not name the folder of its build" no_paths_of_the_build

finish
