#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/dev_test.sh
#
# What `./dev` installs and says on a machine that has nothing: in a folder with a copy of it, and
# with stand-ins for apt-get, dpkg-query and cmake, which note how they are called. Nothing is
# installed. The last line is `N passed, N failed`.
set -uo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
. "$root/shell/expect.sh"

# --- The lists -------------------------------------------------------------------------------

cd "$folder" || exit 1
expect "what the program needs" 0 '*' "" "$root/dev" packages run
cp out run
expect "what the tests need" 0 '*' "" "$root/dev" packages test
cp out test
same "the tests need all that the program needs" "" "$(grep -vxFf test run)"
same "the program needs nothing of the tests" "" \
  "$(grep -xE 'catch2|ccache|clang-format|gringo|libcmark-dev|librapidcheck-dev|postgresql|python3-.*|tmux' run)"
same "each package once" "" "$(sort test | uniq -d)"
expect "other lists" 1 "" 'dev: packages: expected run or test, got `all`' "$root/dev" packages all

# Whether Debian has them, as apt knows it here; `apt-get indextargets` is empty without lists.
if command -v apt-cache >/dev/null && [[ -n $(apt-get indextargets 2>/dev/null) ]]; then
  same "Debian has them" "" "$(xargs apt-cache show --no-all-versions <test 2>&1 >/dev/null | grep '^E')"
fi

# --- A machine that has nothing --------------------------------------------------------------

mkdir -p bin clone && cp "$root/dev" clone/ || exit 1
touch installed

# Installed is what is in the file `installed`.
cat >bin/dpkg-query <<END
#!/bin/sh
shift 3
for package; do ! grep -qx "\$package" $folder/installed || printf 'installed:%s ' "\$package"; done
END
cat >bin/apt-get <<END
#!/bin/bash
echo "apt-get \$*" >>$folder/calls
[[ ! -e $folder/broken ]] || { echo "E: the mirror is gone"; exit 100; }
packages=()
for word; do [[ \$word == -* || \$word == APT::* || \$word == install ]] || packages+=("\$word"); done
case "\$*" in
  *--assume-no*)
    echo "0 upgraded, 142 newly installed, 0 to remove and 0 not upgraded."
    echo "Need to get 157 MB of archives."
    echo "After this operation, 640 MB of additional disk space will be used."
    exit 1
    ;;
  *update) echo "dlstatus:1:80.0:Retrieving file" ;;
  *' install '*)
    echo "Selecting previously unselected package"
    for tenth in 0 4 10 50; do echo "dlstatus:1:\$tenth.5:Retrieving file"; done
    for tenth in 0 50 100; do echo "pmstatus:cmake:\$tenth.0:Installing"; done
    printf '%s\n' "\${packages[@]}" >>$folder/installed
    ;;
esac
END
cat >bin/cmake <<END
#!/bin/bash
echo "cmake \$*" >>$folder/calls
case "\$*" in
  --preset*)
    mkdir -p build && touch build/build.ninja
    printf 'RPL_TESTS:BOOL=%s\n' "\${3#*=}" >build/CMakeCache.txt
    echo "-- Configuring done"
    ;;
  *' -- -n') printf '[1/3] one\n[2/3] two\n[3/3] three\n' ;;
  *)
    [[ ! -e $folder/wrong ]] || { echo "[1/3] one"; echo "a.cc:1: error: no such thing"; exit 1; }
    printf '[1/3] one\n[2/3] two\n[3/3] three\n'
    printf '#!/bin/sh\necho "rpl \$*"\n' >build/rpl
    chmod +x build/rpl
    ;;
esac
END
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/*
export PATH=$folder/bin:$PATH

expect "it runs a file" 0 'rpl run a.md --answer x=1' "" clone/dev run a.md --answer x=1
same "it says first what it does" \
  "dev: building build/ (rpl): packages, configuration, compilation" "$(head -n 1 err)"
same "it says what it installs, how much, and how far it is" "dev: missing Debian packages: $(paste -sd ' ' run)
dev: reading what Debian has
dev: installing 142 packages with what they need, 157 MB to download, 640 MB on the disk
dev: downloading, 10 %
dev: downloading, 50 %
dev: installing, 50 %
dev: installing, 100 %
dev: compiling 3 parts, $(nproc) at a time
dev: compiled 3 of 3" "$(tail -n +2 err)"
same "it installs what the program needs, and nothing else" "$(sort run)" "$(sort installed)"
same "it leaves the tests out" "cmake --preset release -DRPL_TESTS=OFF" "$(grep -- --preset calls)"

: >calls
expect "once more, it has nothing to install" 0 'rpl run a.md' "" clone/dev run a.md
same "nor to configure" "" "$(grep -E 'apt-get|--preset' calls)"

: >calls
expect "then everything is built" 0 '*' "dev: missing Debian packages: $(grep -vxFf run test | paste -sd ' ')" \
  clone/dev build
same "with the tests" "cmake --preset release -DRPL_TESTS=ON" "$(grep -- --preset calls)"
same "the tests install what they need" "$(sort test)" "$(sort installed)"

: >calls
expect "a run keeps the tests" 0 'rpl run a.md' "" clone/dev run a.md
same "of a machine that has them" "" "$(grep -- --preset calls)"

touch wrong
expect "a build that fails is told" 1 "" "a.cc:1: error: no such thing" clone/dev run a.md
same "and that it failed" "dev: the build failed" "$(tail -n 1 err)"
rm wrong

touch broken && : >installed
expect "a mirror that is gone is told" 1 "" "E: the mirror is gone" clone/dev run a.md
same "and what failed" "dev: apt-get update failed, with the message above" "$(tail -n 1 err)"

finish
