#!/usr/bin/env bash
# Holds the order of the folders of src/ that HACKING.md shows in its block "order": a file includes
# files of its own folder and of those above it, never of one below, so there are no cycles. And the
# program includes public headers only, and these only each other and the standard library.
# Usage: test/docs/folders.sh SOURCE_DIR
set -euo pipefail
cd "$1"
order=$(awk '/^```order$/ {on = 1; next} /^```/ {on = 0} on {print $1}' HACKING.md)
[ -n "$order" ] || { echo "HACKING.md has no block \"order\""; exit 1; }

grep -rHo --include='*.?pp' '^#include "[^"]*"' src | grep -v '"thresh/' |
  sed 's|^src/||; s|:#include "| |; s|"$||' |
  awk -v order="$order" '
    BEGIN { count = split(order, folders) }
    function place(file,  i) {
      for (i = 1; i <= count; ++i) if (index(file, folders[i] "/") == 1) return i
      print file ": in no folder of HACKING.md"
      failed = 1
      return 0
    }
    { from = place($1); to = place($2); ++seen }
    to > from { print "src/" $1 " includes " $2 ", from a folder below its own"; failed = 1 }
    END {
      if (seen < 500) { print "only " seen + 0 " includes were found"; failed = 1 }
      exit failed
    }'

# What is no file of cli/ itself must be public.
grep -Ho '^#include "[^"]*"' cli/*.?pp | grep -v '"thresh/' | while IFS='"' read -r file header _; do
  [ -f "cli/$header" ] || { echo "${file%%:*} includes $header, which is not public"; exit 1; }
done

if grep -H '^#include' include/thresh/*.hpp | grep -v '#include <[a-z_]*>\|#include "thresh/'; then
  echo "in a public header"
  exit 1
fi

# Every folder that is listed exists.
for folder in $order; do [ -d "src/$folder" ] || { echo "src/$folder does not exist"; exit 1; }; done
