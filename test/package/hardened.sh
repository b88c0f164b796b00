#!/usr/bin/env bash
# Unpacks the packages of `make deb` and looks whether program and library are hardened, and whether the
# program makes the models that every other build makes.
# Usage: test/package/hardened.sh PACKAGES_DIR SOURCE_DIR
set -euo pipefail
packages=$(realpath "$1") source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for deb in "$packages"/thresh_*.deb "$packages"/libthresh-dev_*.deb; do dpkg-deb -x "$deb" "$work"; done
program=$work/usr/bin/thresh
library=$(find "$work/usr/lib" -name 'libthresh.so.0')

has() {  # FILE WHAT PATTERN READELF-OPTION
  readelf -W "$4" "$1" | grep -E "$3" > /dev/null || { echo "$(basename "$1"): no $2"; exit 1; }
}
for file in "$program" "$library"; do
  has "$file" "relocations that are read-only" GNU_RELRO --segments
  has "$file" "binding at the start" 'BIND_NOW|Flags:.* NOW' --dynamic
  has "$file" "stack protector" '__stack_chk_fail' --dyn-syms
  has "$file" "_FORTIFY_SOURCE" '__(memcpy|memmove|memset|read|pread|snprintf|vsnprintf|strncpy|longjmp)_chk' --dyn-syms
  if readelf -W --segments "$file" | grep -q 'GNU_STACK.*E '; then echo "$file: its stack can be executed"; exit 1; fi
done
has "$program" "address of its own for each start (PIE)" 'Type: *DYN' --file-header
"$source/test/same/models.sh" "$program" "$source/test/same/models.txt" > "$work/models" ||
  { cat "$work/models"; echo "the packaged program makes other models"; exit 1; }
echo "hardened: program and library; the same models as everywhere"
