#!/usr/bin/env bash
# Every relative link in the documents leads to a file, and docs/README.md to every document; none has
# a place, @LIKE1@ on a line of its own, that is still to be filled.
# Usage: test/docs/links.sh SOURCE_DIR
set -euo pipefail
cd "$1"
broken=0
complain() { echo "$*"; broken=1; }

while IFS= read -r page; do
  # Code is not a link; anchors and titles are not part of the file's name.
  links=$(awk '/^ *```/ {code = !code; next} !code' "$page" | sed 's/`[^`]*`//g' |
    grep -oE '\]\([^)]+\)' | sed -E 's/^\]\(//; s/\)$//; s/[# ].*//' || true)
  for link in $links; do
    [[ $link == *:* || -e $(dirname "$page")/$link ]] || complain "$page: no such file: $link"
  done
  if place=$(grep -nE '^@[A-Z0-9]+@$' "$page"); then complain "$page:$place is still to be filled"; fi
done < <(find . -name '*.md' -not -path './build*' -not -path './bench/work/*' -not -path '*/node_modules/*')

for page in docs/*.md; do
  name=$(basename "$page")
  [[ $name == README.md ]] || grep -qF "]($name)" docs/README.md ||
    complain "docs/README.md: no link to $name"
done
exit $broken
