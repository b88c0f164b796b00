#!/usr/bin/env bash
# Fails when what `make run` builds needs a package that only the tests install: configures with the
# test libraries hidden, then looks whether a file of such a package went into the program.
# Usage: test/package/program_alone.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source=$1 build=$2
for tool in dpkg-query ninja; do
  command -v $tool > /dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Without Node.js and npm in the way, whose folders may hold much else.
mkdir "$work/bin"
for tool in cmake ninja c++ g++ cc gcc as ld esbuild; do
  found=$(command -v $tool) && ln -s "$found" "$work/bin/"
done
PATH=$work/bin:/usr/bin:/bin cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_rapidcheck=ON > "$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; echo "cannot be configured without the test libraries"; exit 1; }

list() { "$source/scripts/install-deps" --list "$1" | sort; }
comm -13 <(list build) <(list check) | while read -r package; do
  dpkg-query -L "$package" 2> /dev/null || true
done | grep -E '\.(h|hpp|a|so|cmake)$|/bin/' | sort -u > "$work/theirs"

# Headers that were read, from the compiler; libraries and tools, from the rules.
cd "$build"
ninja -t inputs thresh > "$work/inputs"
ninja -t deps | awk '/^[^ ]/ {on = $1 ~ /^CMakeFiles\/thresh/ && $1 !~ /thresh_mpi/} on && /^ / {print $1}' >> "$work/inputs"
grep -E '^/' "$work/inputs" | sort -u > "$work/ours"
[ "$(wc -l < "$work/ours")" -gt 100 ] || { echo "hardly any inputs were found"; exit 1; }
if comm -12 "$work/ours" "$work/theirs" | grep .; then
  echo "the program is built with files of packages that only the tests install"
  exit 1
fi
