#!/usr/bin/env bash
# docs/design/theorems.md has each reason why a theorem does not apply, and tests quote each.
# Usage: test/docs/theorems.sh SOURCE_DIR
set -euo pipefail
cd "$1"
page=docs/design/theorems.md
missing=0
complain() { echo "$page: $*"; missing=1; }

# The source in one line, with adjacent literals joined.
joined() { cat "$@" | tr '\n' ' ' | sed -E 's/" +"//g'; }

# Returned there, but no reasons.
others='the condition is sufficient|the number of features, unless|too large to say|error on new rows|no model has'

# The reasons in a source, one a line, with blanks for the numbers that are put in.
reasons() {
  joined "$1" |
    grep -oE '(\bno\(|why = |kNotRepeated = |return [^;"{]*|return [^;"]*\? "" : |does_not_apply[^;]*: |nullptr, *scaled \? )(fmt::format\( *)?"[^"]{12,}"' |
    grep -vE "return does_not_apply|return \\{|$others" |
    sed -E 's/^[^"]*("" : )?"(.*)"$/\2/; s/\{[^}]*\}/ /g'
}

tests=$(joined test/*/*.cpp)
while read -r section; do
  rows=$(awk -v section="$section" '/^## / {here = $0 == section} here' "$page")
  sources=$(grep -E '^Sources?:' -A1 <<<"$rows" | grep -oE '`src/[^`]+`' | tr -d '`')
  [[ -n $sources ]] || complain "$section: no sources"
  cells=$(grep '^|' <<<"$rows" | sed 's/\\|/\x01/g' | cut -d'|' -f3 | tail -n +3 |
    sed -E 's/^ +| +$//g; s/\x01/|/g' | grep -v '^(' | sort -u)
  found=$(for source in $sources; do reasons "$source"; done)
  while read -r reason; do
    some=0
    while read -r cell; do [[ $reason == *"$cell"* ]] && some=1; done <<<"$cells"
    ((some)) || complain "$section: no row for \"$reason\""
  done <<<"$found"
  while read -r cell; do
    joined $sources | grep -qF -- "$cell" || complain "$section: no source says \"$cell\""
    grep -qF -- "$cell" <<<"$tests" || complain "$section: no test quotes \"$cell\""
  done <<<"$cells"
done < <(grep '^## ' "$page")
exit $missing
