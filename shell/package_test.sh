#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/package_test.sh FOLDER
#
# The Debian packages in FOLDER, unpacked: the program runs, its man pages have no mistakes,
# its completions are understood by bash, zsh and fish, and a program can be built with the
# library. `./dev package` runs it, which installs these tools. The last line is
# `N passed, N failed`.
set -uo pipefail
packages=$(realpath "${1:?usage: package_test.sh FOLDER}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh
root=$folder/root
version=$(sed -n 's/^project(rpl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
architecture=$(dpkg --print-architecture)
program=$packages/rpl-engine_${version}_$architecture.deb
library=$packages/librpl-engine-dev_${version}_$architecture.deb

unpack() {
  dpkg -x "$program" "$root" && dpkg -x "$library" "$root"
}

# What the program is linked with is named by the dependencies, and nothing of tests is.
dependencies() {
  local wanted
  wanted=$(dpkg-deb -f "$program" Depends)
  printf '%s\n' "$wanted"
  for name in libc6 libfmt libgmp libmimalloc libre2 libsodium libsqlite3 libstdc++ libuv1 libyaml-cpp; do
    grep -qE "(^| )${name}[^ ]* \\(>= " <<<"$wanted" || return 1
  done
  ! grep -qE 'catch|cmark|-dev' <<<"$wanted"
}

# The library's package brings what its CMake package looks for.
library_dependencies() {
  local wanted module package path owner
  wanted=$(dpkg-deb -f "$library" Depends)
  printf '%s\n' "$wanted"
  for module in $(sed -n 's/^set(RPL_MODULES \(.*\))$/\1/p' cmake/rpl-dependencies.cmake); do
    printf '%s\n' "$(pkg-config --variable=pcfiledir "$module")/$module.pc"
  done >"$folder/files"
  # Threads and PkgConfig come with CMake, the others from where the build found them.
  for package in $(sed -n 's/^set(RPL_PACKAGES \(.*\))$/\1/p' cmake/rpl-dependencies.cmake); do
    sed -n "s/^${package}_DIR:PATH=//p" build-package/CMakeCache.txt
  done >>"$folder/files"
  while read -r path; do
    owner=$(dpkg -S "$path" | cut -d : -f 1)
    grep -qE "(^| )$owner(,|$)" <<<"$wanted" || { printf 'no package for %s\n' "$path"; return 1; }
  done <"$folder/files"
}

changelog() {
  local package
  for package in rpl-engine librpl-engine-dev; do
    zcat "$root/usr/share/doc/$package/changelog.gz" | head -n 1 | grep -F "rpl-engine ($version)" || return 1
    grep -F "License: Apache-2.0" "$root/usr/share/doc/$package/copyright" || return 1
  done
}

run_example() {
  printf 'doc-42\nclarity\n' |
    "$root/usr/bin/rpl" run "$root/usr/share/doc/rpl-engine/examples/collaborative-editing.md"
}

embed() {
  cmake -S examples/embed -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$root/usr" &&
    cmake --build "$folder/build" &&
    "$folder/build/returns_desk" examples/embed/returns.md | diff examples/embed/output.txt -
}

# What can be known of the image without making it: its steps are commands of a shell, call
# ./dev with what it knows, and install the package that is there, whose dependencies the
# same release of Debian has for both of its stages.
dockerfile() {
  local step pattern
  sed -n 's/^RUN //p' Dockerfile >"$folder/steps"
  sh -n "$folder/steps" || return 1
  for step in $(grep -oE '\./dev [a-z]+' "$folder/steps" | cut -d ' ' -f 2); do
    ./dev help | grep -qE "^  $step " || { printf 'no ./dev %s\n' "$step"; return 1; }
  done
  pattern=$(sed -n 's|^COPY --from=build /src/build/\([^ ]*\) .*|\1|p' Dockerfile)
  [[ $(cd "$packages" && compgen -G "$pattern") == "$(basename "$program")" ]] || return 1
  [[ $(sed -n 's/^FROM debian:\([a-z]*\).*/\1/p' Dockerfile | sort -u | wc -l) == 1 ]]
}

# As `man` shows them; any warning is a mistake.
man_pages() {
  local page warnings=
  for page in "$root"/usr/share/man/man1/*.1.gz; do
    warnings+=$(zcat "$page" | LC_ALL=C.UTF-8 groff -man -Tutf8 -Kutf8 -ww -z 2>&1)
    # shellcheck disable=SC2016
    LC_ALL=C.UTF-8 MANWIDTH=80 man -l "$page" | grep -q '^EXIT STATUS' || warnings+=$page
  done
  printf '%s\n' "$warnings"
  [[ -z $warnings ]]
}

# offered WANTED LINE: what fish offers at the end of a line, in a folder with three files.
offered() {
  local got
  mkdir -p "$folder/work"
  touch "$folder/work/plan.md" "$folder/work/trip.rpls" "$folder/work/rpl.yaml"
  got=$(cd "$folder/work" && HOME=$folder fish -N -c "
    set -gx PATH $root/usr/bin \$PATH
    source $root/usr/share/fish/vendor_completions.d/rpl.fish
    complete -C '$2'" | cut -f 1 | paste -s -d ' ')
  printf '%s\n' "$got"
  [[ $got == "$1" ]]
}

# completed WANTED LINE: what zsh makes of a line on a terminal when one presses Tab.
cat >"$folder/tab.zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2=; stty -echo; autoload -U compinit; compinit -u -D; source $1
  finish() { print -r -- \"<<\$BUFFER>>\"; exit }
  zle -N finish; bindkey '^X' finish; bindkey '^I' complete-word; print rea''dy"
zpty -r shell out '*ready*'
zpty -w -n shell "$2"$'\t\x18'
zpty -r shell out '*<<*>>*'
print -r -- "$out"
END
completed() {
  local got
  got=$(cd "$folder/work" && HOME=$folder timeout 60 zsh -f "$folder/tab.zsh" \
    "$root/usr/share/zsh/vendor-completions/_rpl" "$2" | sed -n 's/.*<<\(.*\)>>.*/\1/p')
  printf '%s\n' "$got"
  [[ $got == "$1" ]]
}

check "the packages can be unpacked" unpack
check "the package depends on what the program is linked with" dependencies
check "the library's package depends on what the library is linked with" library_dependencies
check "changelog and copyright" changelog
check "the program runs" run_example
check "a program can be built with the library" embed
check "the image is made of what is there" dockerfile
check "the man pages have no mistakes" man_pages
check "completions for bash can be read" bash -n "$root/usr/share/bash-completion/completions/rpl"
check "completions for zsh can be read" zsh -n "$root/usr/share/zsh/vendor-completions/_rpl"
check "completions for fish can be read" fish -n "$root/usr/share/fish/vendor_completions.d/rpl.fish"
check "fish completes commands" offered "explain" "rpl ex"
check "fish completes commands of commands" offered "diff export html query replay show verify" "rpl trace "
formats=$("$root/usr/bin/rpl" trace show --help | sed -nE 's/.*--format FORMAT:\{([^}]*)\}.*/\1/p')
check "fish completes choices" offered "$(tr , '\n' <<<"$formats" | LC_ALL=C sort | paste -s -d ' ')" \
  "rpl trace show trip.rpls --format "
check "fish offers likely files" offered "plan.md" "rpl run "
check "fish offers files of an option" offered "rpl.yaml" "rpl run plan.md --config "
check "zsh completes commands" completed "rpl explain " "rpl exp"
check "zsh completes commands of commands" completed "rpl trace verify " "rpl trace v"
check "zsh completes choices" completed "rpl trace show trip.rpls --format=json " "rpl trace show trip.rpls --format=j"
check "zsh completes files" completed "rpl run plan.md " "rpl run "

finish
