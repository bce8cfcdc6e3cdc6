#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/model_test.sh RPL [SCRIPTS [SEED]]
#
# Models that answer questions, with a server in place of their providers (shell/model_cases.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 "$(dirname "${BASH_SOURCE[0]}")/model_cases.py" "$1" "$folder" "${2:-40}" ${3:+"$3"}
