#!/usr/bin/env bash
# docs/papers.md has every numbered item of the four papers.
# Usage: test/docs/papers.sh SOURCE_DIR
set -euo pipefail
cd "$1"
page=docs/papers.md
missing=0
complain() { echo "$page: $*"; missing=1; }

# The items of a section's first column, one a line: "eqs. 2-4" gives eq 2, eq 3 and eq 4.
items() {
  awk -v section="$1" '/^## / {here = index($0, "## " section) == 1} here && /^\|/' "$page" | cut -d'|' -f2 |
    grep -oE '(eqs?\.|Algorithms?|Theorems?|Propositions?|Lemmas?|Tables?|Figures?) [0-9][0-9, -]*' |
    while read -r kind numbers; do
      kind=${kind%.} kind=${kind%s}
      for range in ${numbers//,/ }; do seq -f "$kind %g" "${range%-*}" "${range#*-}"; done
    done
}

# expect SECTION "KIND LAST" ...: items 1 to LAST of each kind.
expect() {
  local section=$1 found
  found=$(items "$section")
  shift
  for last in "$@"; do
    for item in $(seq -f "${last% *}_%g" "${last##* }"); do
      grep -qxF "${item/_/ }" <<<"$found" || complain "$section: no row for ${item/_/ }"
    done
  done
}

expect Xie "eq 18" "Algorithm 1" "Theorem 3" "Lemma 3" "Table 3" "Figure 5"
# The numbers of theorems, the proposition and lemmas are shared: Proposition 4, Lemmas 5 to 7.
expect Shalev "eq 23" "Algorithm 3" "Theorem 3" "Table 1" "Figure 8"
for item in "Proposition 4" "Lemma 5" "Lemma 6" "Lemma 7"; do
  grep -qxF "$item" <<<"$(items Shalev)" || complain "Shalev: no row for $item"
done
expect Duchi "eq 13" "Lemma 3" "Figure 8"
expect Dhingra "eq 23" "Algorithm 5" "Table 2" "Figure 7"
exit $missing
