#!/usr/bin/env bash
# Streams rows through a pipe in one pass: memory must stay flat, and all rows must be counted. Then
# a writer that pauses, one that vanishes, and runs with little memory.
# Usage: soak.sh THRESH ROWS
set -euo pipefail
thresh=$1 rows=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "soak: $*" >&2
  exit 1
}
# Short rows, repeated: the reader and the learner are to work, not the writer.
block() {
  awk 'BEGIN { for (i = 0; i < 1000; ++i) {
    printf "%s %d:1 %d:%d.5\n", i % 3 ? "1" : "-1", 1 + i % 97, 100 + i % 89, i % 7 } }'
}
generate() { yes -- "$(block)" | head -n "$1" || true; }
options=(train - --solver ftrl --order sequential --passes 1 --positive 1 -q -o)
learn() { "$thresh" "${options[@]}" "$1"; }
rss_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status" 2> /dev/null || true; }

# 1. Flat memory: the largest size in the second half of the run against that in the first.
"$thresh" "${options[@]}" big < <(generate "$rows") &
pid=$!
: > sizes
start=$SECONDS
while kill -0 "$pid" 2> /dev/null; do
  rss_kb "$pid" >> sizes
  sleep 0.2
done
wait "$pid" || fail "a run over $rows rows failed"
seconds=$((SECONDS - start))
seen=$("$thresh" weights big --json | grep -o '"examples":[0-9]*' | head -1 | cut -d: -f2 || true)
[ -n "$seen" ] || seen=$(head -c 4000 big | grep -ao '"examples":[0-9]*' | head -1 | cut -d: -f2)
[ "$seen" = "$rows" ] || fail "$seen of $rows rows were learned from"
samples=$(wc -l < sizes)
first=$(head -n $((samples / 2 + 1)) sizes | sort -n | tail -1)
last=$(tail -n $((samples / 2 + 1)) sizes | sort -n | tail -1)
echo "soak: $rows rows in $seconds s, at most ${first:-0} kB in the first half, ${last:-0} kB in the second"
[ "${last:-0}" -le $((${first:-0} + 8192)) ] || fail "memory grew from $first to $last kB"

# 2. A writer that pauses in the middle of a row changes nothing.
generate 5000 > rows
learn whole < rows
half=$(($(wc -c < rows) / 2))
{ head -c "$half" rows; sleep 2; tail -c +$((half + 1)) rows; } | learn paused
cmp -s whole paused || fail "a paused writer gave another model"

# 3. A writer that vanishes: compressed data are known to be incomplete, plain rows are not.
gzip -c rows > rows.gz
if head -c $(($(wc -c < rows.gz) / 2)) rows.gz | learn gone 2> message; then
  fail "an incomplete stream was accepted"
fi
[ "$(grep -c '^thresh: ' message)" = 1 ] && [ ! -e gone ] || fail "an incomplete stream: $(cat message)"
status=0
{ generate 100000 & writer=$!; sleep 0.1; kill "$writer" 2> /dev/null || true; } 2> /dev/null |
  learn gone 2> message || status=$?
[ "$status" -le 1 ] || fail "a vanished writer ended in $status: $(cat message)"

# 4. Little memory: success, or exit code 1 and one line.
for limit in 1000000 300000 200000 150000 100000 70000 50000 40000; do
  status=0
  (ulimit -v "$limit" && learn little < rows) 2> message || status=$?
  case $status in
    0) cmp -s whole little || fail "with ulimit -v $limit there is another model" ;;
    1) [ "$(wc -l < message)" = 1 ] || fail "ulimit -v $limit: $(cat message)" ;;
    127) ;;  # the loader had no memory for libraries
    *) fail "ulimit -v $limit ended in $status: $(cat message)" ;;
  esac
  rm -f little
done
echo "soak: paused, vanished and low-memory runs ended well"
