#!/usr/bin/env bash
# Trains every solver on generated rows and compares checksums of the models and of predictions with
# models.txt: they must be the same on every machine. After a change of a solver that is meant,
# `test/same/models.sh build/thresh > test/same/models.txt`.
# Usage: test/same/models.sh THRESH [EXPECTED]      RUNNER=qemu-aarch64 for another processor's program
set -euo pipefail
thresh=$(realpath "$1") expected=${2:+$(realpath "$2")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

thresh() { ${RUNNER:-} "$thresh" "$@"; }
checksum() { echo "$(cat "${@:2}" | sha256sum | cut -d ' ' -f 1)  $1"; }
train() {  # NAME ROWS OPTIONS...
  thresh train "$2" -q -o model.thresh "${@:3}" 2> /dev/null
  thresh predict model.thresh fresh.svm -q --output margin -o margins
  checksum "$1" model.thresh margins
}

train_all() {
  thresh generate corpus --rows 2000 --features 3000 -q -o corpus.svm
  thresh generate corpus --rows 500 --features 3000 --seed 2 -q -o fresh.svm
  awk '{$1 = NR % 3; print}' corpus.svm > classes.svm
  checksum "generated rows" corpus.svm fresh.svm
  thresh solvers --json | sed -n 's/^    "name": "\(.*\)",$/\1/p' > solvers
  while read -r solver; do
    case $solver in
      l0-sgd|grades) size=(--features 200) ;;
      projected-*|eg) size=(--radius 50) ;;
      *) size=() ;;
    esac
    train "$solver" corpus.svm --solver "$solver" "${size[@]}"
  done < solvers
  train "all sizes" corpus.svm
  train "a ridge" corpus.svm --features 200 --ridge 0.1
  train "a search for few features" corpus.svm --features 10 --ridge 0.1
  train "one against the rest" classes.svm --features 100
  train "softmax" classes.svm --features 100 --multiclass softmax
}

if [ -z "$expected" ]; then
  train_all
else
  train_all | tee found
  diff found "$expected" && echo "the same models as everywhere"
fi
