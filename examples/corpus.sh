#!/usr/bin/env bash
# The whole path on made-up documents: generate, train, evaluate, look, report.
# Usage: examples/corpus.sh THRESH FOLDER
set -euo pipefail
thresh=$(realpath "$1")
mkdir -p "$2" && cd "$2"

show() { printf '\n$ thresh'; printf ' %q' "$@"; printf '\n'; "$thresh" "$@"; }

show generate corpus --rows 20000 --features 50000 -o corpus.svm --names corpus.names
show train corpus.svm --names corpus.names -o corpus.thresh
printf '\n$ thresh generate corpus --rows 24000 | tail -n 4000 > fresh.svm\n'  # documents it has not seen
"$thresh" generate corpus --rows 24000 --features 50000 | tail -n 4000 > fresh.svm
show eval corpus.thresh fresh.svm
show weights corpus.thresh --top 12
show train corpus.svm --names corpus.names --solver margin-perceptron --holdout 10% -q \
  --trace corpus.jsonl --trace-at densities -o perceptron.thresh
printf '\n$ thresh eval corpus.thresh fresh.svm --json > fresh.json\n'
"$thresh" eval corpus.thresh fresh.svm --json > fresh.json
rm -f report.html
show report corpus.jsonl corpus.thresh fresh.json --title 'Made-up documents' -o report.html
printf '\nThe model is in %s.\n' "$PWD/corpus.thresh"
[ ! -e report.html ] || printf 'The page is in %s.\n' "$PWD/report.html"
