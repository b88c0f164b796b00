#!/usr/bin/env bash
# Checks the page's types and tests it in Chromium; exit code 77 where something for that is missing.
# The packages of package-lock.json are fetched where they are not there already.
# Usage: report/test/run.sh THRESH
set -euo pipefail
export THRESH=$(realpath "$1")
cd "$(dirname "$0")/.."
skip() { echo "skipped: $1"; exit 77; }
command -v node > /dev/null && command -v npm > /dev/null || skip "Node.js or npm is not installed"
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "Chromium is not installed"
export CHROMIUM
page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
echo '{"kind": "experiment", "title": "none"}' |
  "$THRESH" report - -o "$page/none.html" --json 2> /dev/null |
  grep -q '"page": true' || skip "thresh was built without the page"

# Two builds in one checkout share the packages: one fetches them, the other waits.
exec 9< package-lock.json
flock 9
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --loglevel=error --fetch-retries=1 --fetch-timeout=20000 > "$page/npm.log" 2>&1 ||
    skip "the packages of report/package-lock.json cannot be fetched"
  cp package-lock.json node_modules/.installed
fi
flock -u 9
node_modules/.bin/tsc
node --test --test-reporter=spec test/page.test.mjs test/drawing.test.mjs test/sections.test.mjs
