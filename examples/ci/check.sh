#!/bin/sh
# What continuous integration runs, and you before you push: every protocol is clean, and
# every test passes. On GitHub, findings are shown at their lines. Other systems read the
# exit code, and SARIF if they know it: rpl check --format sarif.
cd "$(dirname "$0")" || exit 6
format=text
[ "${GITHUB_ACTIONS:-}" != true ] || format=github
status=0
for protocol in protocols/*.md; do
  rpl check --strict --format "$format" "$protocol" || status=1
done
rpl test tests || status=1
exit "$status"
