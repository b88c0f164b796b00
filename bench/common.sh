# Shared by the benchmark scripts: where things are, data sets made once, timing.
work=${THRESH_BENCH_WORK:+$(realpath -m "$THRESH_BENCH_WORK")}
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
thresh=$PWD/build/thresh
work=${work:-$PWD/bench/work}
mkdir -p "$work"

# corpus ROWS FEATURES: the path of a generated libsvm file, made if it is not there yet.
corpus() {
  local file=$work/corpus-$1-$2.svm
  [ -s "$file" ] || "$thresh" generate corpus --rows "$1" --features "$2" -q -o "$file"
  echo "$file"
}

# measure COMMAND...: runs it and prints "SECONDS KILOBYTES" (elapsed, largest resident set).
measure() {
  command time -o "$work/time" -f '%e %M' "$@" > "$work/stdout" 2> "$work/stderr" ||
    { cat "$work/stderr" >&2; return 1; }
  cat "$work/time"
}

# best N COMMAND...: the fastest of N measurements.
best() {
  local n=$1; shift
  for _ in $(seq "$n"); do measure "$@" || return 1; done | sort -g | head -1
}
