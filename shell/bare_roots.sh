# SPDX-License-Identifier: Apache-2.0
#
# For scripts that try packages in bare roots of Debian, in which nothing of this machine is installed.
# debootstrap makes them from the mirror of apt. They are kept in build/ for a month, as tarballs.
# The script is in the folder of the repository, $project.
# shellcheck shell=bash

mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
  sed -n 's/^Debian \([^ ]*\) [a-z]*$/\1/p' | head -n 1)

# kept ARCHIVE FOLDER: unpacks an archive that is not too old.
kept() {
  [[ -n $(find "$1" -mtime -30 2>/dev/null) ]] && mkdir -p "$2" && tar -C "$2" -xf "$1"
}

# keep ARCHIVE FOLDER
keep() { tar -C "$2" -cf "$1.new" . && mv "$1.new" "$1"; }

# bare_root CODENAME FOLDER: makes a root in FOLDER, or says on standard output why there is none.
bare_root() {
  local archive=$project/build/release-root-$1.tar log
  ! kept "$archive" "$2" || return 0
  ((EUID == 0)) && command -v debootstrap >/dev/null && [[ -n $mirror ]] ||
    { echo "no root, debootstrap or mirror"; return 1; }
  log=$(mktemp)
  debootstrap --variant=minbase "$1" "$2" "$mirror" >"$log" 2>&1 ||
    { tail -n 1 "$log"; rm -f "$log"; return 1; }
  rm -f "$log"
  keep "$archive" "$2"
}

# in_root FOLDER COMMAND…: in that root, with a /proc, which ends with the command.
in_root() {
  unshare --mount sh -c 'mount -t proc proc "$1/proc" && root=$1 && shift && exec chroot "$root" "$@"' - \
    "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "${@:2}"
}

# install_in FOLDER PACKAGE…: from the mirror, by the settings of apt of this machine.
install_in() {
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  cp -r /etc/apt/apt.conf.d/. "$1/etc/apt/apt.conf.d"
  in_root "$1" apt-get update && in_root "$1" apt-get install -y --no-install-recommends "${@:2}"
}
