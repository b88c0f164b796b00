#!/usr/bin/env bash
# Each test that a page names exists: `Suite.Name`, `Suite.*` or `Suite.Begin*`.
# Usage: test/docs/named_tests.sh SOURCE_DIR
set -euo pipefail
cd "$1"
missing=0

tests=$(grep -rhoEz '(TEST|TEST_F|RC_GTEST_PROP)\(\s*\w+,\s*\w+' test --include='*.cpp' |
  tr '\0' '\n' | tr -d '\n ' | sed -E 's/(TEST_F|TEST|RC_GTEST_PROP)\(/\n/g; s/,/./g')
for page in docs/papers.md docs/design/theorems.md docs/experiments/*.md; do
  for name in $(grep -oE '`[A-Z][A-Za-z0-9]+\.([A-Z][A-Za-z0-9]*\*?|\*)`' "$page" | tr -d '`' | sort -u); do
    if [[ $name == *\* ]]; then
      grep -q "^${name%\*}" <<<"$tests" && continue
    else
      grep -qxF "$name" <<<"$tests" && continue
    fi
    echo "$page: no test $name"
    missing=1
  done
done
exit $missing
