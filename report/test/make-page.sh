#!/usr/bin/env bash
# The page is made without Node.js, the same each time, and not at all where it would break; exit
# code 77 where esbuild or d3-array is missing.
# Usage: report/test/make-page.sh ESBUILD MODULES
set -euo pipefail
skip() { echo "skipped: $1"; exit 77; }
fail() { echo "failed: $1"; exit 1; }
[ -x "$1" ] || skip "esbuild is not installed"
[ -d "$2/d3-array" ] || skip "d3-array is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/report" "$work/modules"
for tool in awk base64 bash cat cut dirname env grep mkdir mktemp mv realpath rm sed sha256sum sort; do
  ln -s "$(command -v "$tool")" "$work/bin"
done
cd "$(dirname "$0")/.."
cp -r src make-page tsconfig.json package.json "$work/report"

# OUT [MODULES]: made of a copy of the sources, with no programs but those above.
esbuild=$(realpath "$1")
modules=$(realpath "$2")
make_page() {
  PATH=$work/bin ESBUILD=$esbuild "$work/report/make-page" "$work/$1" "${2:-$modules}" 2>&1
}
# WHY MODULES MESSAGE
refuses() {
  if output=$(make_page refused "$2"); then fail "a page was made although $1"; fi
  [[ $output == *"$3"* ]] || fail "$1, but: $output"
  [ ! -e "$work/refused/page.html" ] || fail "a page was left although $1"
}

make_page one || fail "no page was made"
make_page two
cmp "$work/one/page.html" "$work/two/page.html" || fail "the same sources gave another page"
grep -q '>d3-array:$' "$work/one/page.html" || fail "the licence of d3-array is not in the page"
grep -q '{{data}}' "$work/one/page.html" || fail "there is no place for the data"
[ "$(grep -c '{{' "$work/one/page.html")" = 1 ] || fail "a place of the template was not filled"
printf 'R"page(%s\n)page"\n' "$(cat "$work/one/page.html")" > "$work/literal"
cmp "$work/literal" "$work/one/page.inc" ||
  fail "the literal is not the page"

refuses "d3-array is missing" "$work/modules" "esbuild failed"
# Debian's licences are known by the name of the package.
cp -rL "$modules/d3-array" "$work/modules/unknown"
rm -f "$work"/modules/unknown/LICEN*
ln -s unknown "$work/modules/d3-array"
[ ! -d "$modules/internmap" ] || cp -rL "$modules/internmap" "$work/modules"
refuses "a licence is missing" "$work/modules" "unknown has no file with its licence"
echo 'as is </SCRIPT>' > "$work/modules/unknown/LICENSE"
refuses "a licence ends its element" "$work/modules" "licences would end its own element"
echo 'console.log(`)page"`);' >> "$work/report/src/main.ts"
refuses "it ends its own literal" "$modules" "string literal"
