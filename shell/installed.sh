# SPDX-License-Identifier: Apache-2.0
#
# For scripts that test what is installed.
# shellcheck shell=bash

. shell/expect.sh

# install BUILD: to $folder/rpl. Another folder than the first, so that nothing finds its way
# back to it.
install() {
  cmake --install "$1" --prefix "$folder/first" && mv "$folder/first" "$folder/rpl"
}
