#!/usr/bin/env bash
# Checks the page's types and tests it in Chromium; exit code 77 where something for that is missing.
# Usage: report/test/run.sh THRESH
set -euo pipefail
export THRESH=$(realpath "$1")
cd "$(dirname "$0")/.."
skip() { echo "skipped: $1"; exit 77; }
command -v node > /dev/null || skip "Node.js is not installed"
[ -d node_modules/playwright-core ] || skip "the packages of report/package-lock.json are not there"
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "Chromium is not installed"
export CHROMIUM
page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
echo '{"kind": "experiment", "title": "none"}' |
  "$THRESH" report - -o "$page/none.html" --json 2> /dev/null |
  grep -q '"page": true' || skip "thresh was built without the page"
node_modules/.bin/tsc
node --test --test-reporter=spec test/page.test.mjs
