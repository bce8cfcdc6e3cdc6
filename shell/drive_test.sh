#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/drive_test.sh RPL [KILLS]
#
# rpl drive and the modules over it (shell/drive_cases.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$(dirname "${BASH_SOURCE[0]}")/drive_cases.py" "$1" "$folder" "${2:-20}"
