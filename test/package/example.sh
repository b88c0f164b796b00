#!/usr/bin/env bash
# Builds the example of docs/api.md against an installed thresh, with CMake and with pkg-config, and
# runs it.
# Usage: test/package/example.sh SOURCE_DIR PREFIX [SANITIZERS]
set -euo pipefail
source=$(realpath "$1") prefix=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

block() { awk -v fence="\`\`\`$1" '$0 == fence {on = 1; next} /^```/ {if (on) exit} on' "$source/docs/api.md"; }
block cpp > main.cpp
block cmake > CMakeLists.txt
cmake -B out -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
  ${3:+-DCMAKE_CXX_FLAGS=-fsanitize=$3} > /dev/null
cmake --build out > build.log || { cat build.log; exit 1; }

printf '+1 3:1 7:2\n-1 3:-1 10:1\n+1 3:0.5\n-1 7:-1\n' > rows.svm
out/example rows.svm | tee out.txt
grep -q '^converged: [1-9]' out.txt
grep -q '^margin .* label -*1$' out.txt
"$prefix/bin/thresh" eval model.thresh rows.svm --json | grep -q '"error": 0.0'
out/example no-such-file 2> err.txt && exit 1
grep -q '^no-such-file: No such file or directory$' err.txt

if command -v pkg-config > /dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix/lib" -name thresh.pc)")
  export PKG_CONFIG_PATH
  "$prefix/bin/thresh" --version | grep -qx "thresh $(pkg-config --modversion thresh)"
  ${CXX:-c++} -std=c++20 ${3:+-fsanitize=$3} main.cpp -o by_pkg_config \
    $(pkg-config --static --cflags --libs thresh)
  ./by_pkg_config rows.svm | cmp - out.txt
fi
