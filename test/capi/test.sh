#!/usr/bin/env bash
# Compiles the example of docs/c.md and the programs of test/capi as C11 with all warnings, runs them, and
# compares their models with the program's. Looks at what the library exports.
# Usage: test/capi/test.sh SOURCE_DIR BUILD_DIR [SANITIZERS]
set -euo pipefail
source=$(realpath "$1") build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
library=$build/libthresh.so.0
compile() {
  ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror ${3:+-fsanitize=$3} "$1" \
    -I"$source/include" "$library" -Wl,-rpath,"$build" -lm -o "$2"
}

if nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^thresh_'; then
  echo "exported, but not of thresh.h"
  exit 1
fi
grep -o '\bthresh_[a-z0-9_]*(' "$source/include/thresh/thresh.h" | tr -d '(' | sort -u > declared
nm -D --defined-only "$library" | awk '{print $3}' | sort -u > exported
comm -3 declared exported | grep . && { echo "declared and exported functions differ"; exit 1; }

awk '/^```c$/ {on = 1; next} /^```/ {if (on) exit} on' "$source/docs/c.md" > example.c
compile example.c example "${3:-}"
./example | tee example.txt
grep -qx 'label 1' example.txt
printf '1 0:1 2:0.5\n-1 1:2\n1 0:1.5 2:1\n-1 1:1\n' > four.svm
"$build/thresh" train four.svm --zero-based --features 1 -q -o program.thresh
cmp example.thresh program.thresh

# Values that a float holds. Rows without entries, and a last column that all rows may lack.
awk 'BEGIN { srand(7); n = 1500; p = 200
  for (i = 0; i < n; ++i) {
    k = 0; sum = 0; text = ""
    for (j = 0; j < p; ++j) if (rand() < 0.05 && i % 50) {
      v = (int(rand() * 64) - 31.5) / 8; text = text " " j ":" v
      indices = indices " " j; values = values " " v; ++k; if (j < 5) sum += v }
    y = sum + rand() - 0.5 > 0 ? 1 : -1
    print y text > "rows.svm"; entries += k; starts = starts " " entries; labels = labels " " y }
  print n, p + 3, entries, "\n0" starts "\n" indices "\n" values "\n" labels > "rows.csr" }'
"$build/thresh" train rows.svm --zero-based --dim 203 -q -o program.thresh
compile "$source/test/capi/interface.c" interface "${3:-}"
./interface rows.csr program.thresh

# Options by name give the program's model; what arrays cannot have is refused.
compile "$source/test/capi/options.c" options "${3:-}"
seq 0 29 | awk '{print $1, "g" int($1 / 3)}' > groups
same() { # the program's options, as one word, then names and values
  local flags=$1
  shift
  # shellcheck disable=SC2086
  "$build/thresh" train rows.svm --zero-based --dim 203 $flags -q -o program.options
  ./options rows.csr options.thresh "$@"
  cmp options.thresh program.options
}
same "--loss huber --huber-delta 0.5 --features 4" loss huber huber-delta 0.5 features 4
same "--loss quantile --quantile 0.7 --solver l1" loss quantile quantile 0.7 solver l1
same "--class-weight balanced --features 5" class-weight balanced features 5
same "--class-weight -1=3,1=0.5 --features 5" class-weight -1=3,1=0.5 features 5
same "--signs +3,-7 --features 5" signs +3,-7 features 5
same "--groups groups --features 6" groups groups features 6
same "--fewest-errors --ridge 0.1 --features 2" fewest-errors true ridge 0.1 features 2
same "--contrast --ridge 0.1 --features 80" contrast true ridge 0.1 features 80
same "--threshold-by recall=0.9 --features 5" threshold-by recall=0.9 features 5
same "--prove 5% --prove-time 1m --features 1" prove 0.05 prove-time 1m features 1
refuse() { # the message, then names and values
  local message=$1 code=0
  shift
  ./options rows.csr options.thresh "$@" > message || code=$?
  [ $code = 2 ] && grep -q -e "$message" message || { echo "not refused with $message: $*"; cat message; exit 1; }
}
for option in checkpoint=c save-state=s from=s hash-bits=3 dim=9; do
  refuse "--${option%=*} applies to files, not to arrays" "${option%=*}" "${option#*=}"
done
for option in text group time date missing; do refuse "--$option applies to tables" $option zero; done
refuse "--ngrams applies only to texts" ngrams 1:2
refuse "--loss poisson requires --task regression" task classification loss poisson
refuse "--prove-time requires --prove" prove-time 1m
refuse "--contrast requires --ridge" contrast true features 2
refuse "--fewest-errors requires --ridge" fewest-errors true features 2

compile "$source/test/capi/cache.c" cache "${3:-}"
./cache rows.svm

compile "$source/test/capi/tables.c" tables "${3:-}"
./tables

head -n 700 rows.svm > first.svm
tail -n +701 rows.svm > second.svm
compile "$source/test/capi/going_on.c" going_on "${3:-}"
./going_on

compile "$source/test/capi/kinds.c" kinds "${3:-}"
./kinds
