#!/usr/bin/env bash
# Builds the example of docs/api.md against an installed thresh, with CMake and with pkg-config, and
# the programs of examples/cpp, and runs them.
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

"$prefix/bin/thresh" generate corpus --rows 1000 --features 2000 -o rows.svm > /dev/null
out/example rows.svm | tee out.txt
grep -q '^[a-z ]*: [1-9][0-9]* features$' out.txt
grep -q '^margin .* label -*1$' out.txt
# The example trains what the program trains.
"$prefix/bin/thresh" train rows.svm -q -o program.thresh
cmp model.thresh program.thresh
printf 'a,word,y\n' > rows.csv
for i in $(seq 300); do printf '%s,w%s,class%s\n' $((i * 7 % 13)) $((i % 5)) $((i % 3)); done >> rows.csv
out/example rows.csv > /dev/null
"$prefix/bin/thresh" train rows.csv -q -o program.thresh 2> /dev/null
cmp model.thresh program.thresh
out/example no-such-file 2> err.txt && exit 1
grep -q '^no-such-file: No such file or directory$' err.txt

# The programs of examples/cpp.
cmake -S "$source/examples/cpp" -B examples -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
  ${3:+-DCMAKE_CXX_FLAGS=-fsanitize=$3} > /dev/null
cmake --build examples > build.log || { cat build.log; exit 1; }
examples/from_vectors | tee from_vectors.txt
grep -q '^label 1, probability [01]' from_vectors.txt
examples/stream_file - 50 < rows.svm > stream.txt 2> progress.txt
grep -q ': [1-9][0-9]* features$' stream.txt
grep -q '^1[0-9]* rows, ' progress.txt
[ "$("$prefix/bin/thresh" weights stream.thresh | grep -c .)" -le 51 ]
cut -d' ' -f2- rows.svm > unlabelled.txt
out/example rows.svm > /dev/null
examples/threaded_scorer model.thresh unlabelled.txt 4 | tee latency.txt
grep -q '^1000 rows, 4 threads: median [0-9]* ns' latency.txt
examples/threaded_scorer model.thresh rows.svm 2> err.txt && exit 1
grep -q '^row: expected INDEX:VALUE' err.txt

if command -v pkg-config > /dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix/lib" -name thresh.pc)")
  export PKG_CONFIG_PATH
  "$prefix/bin/thresh" --version | grep -qx "thresh $(pkg-config --modversion thresh)"
  ${CXX:-c++} -std=c++20 ${3:+-fsanitize=$3} main.cpp -o by_pkg_config \
    $(pkg-config --static --cflags --libs thresh)
  ./by_pkg_config rows.svm | cmp - out.txt
  awk '/^```c$/ {on = 1; next} /^```/ {if (on) exit} on' "$source/docs/c.md" > example.c
  ${CC:-cc} -std=c11 ${3:+-fsanitize=$3} example.c -o c_by_pkg_config $(pkg-config --cflags --libs thresh-c) \
    -Wl,-rpath,"$(pkg-config --variable=libdir thresh-c)"
  ./c_by_pkg_config | grep -qx 'label 1'
fi
