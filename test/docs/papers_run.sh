#!/usr/bin/env bash
# Every command of docs/papers.md runs.
# Usage: test/docs/papers_run.sh THRESH SOURCE_DIR
# Words in capitals stand for files and numbers; small ones are put in. Commands that only name a
# subcommand, or have an ellipsis, are left out.
set -euo pipefail
thresh=$1
page=$2/docs/papers.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

"$thresh" generate gaussian --rows 120 --features 30 --seed 1 -o data.svm -q
"$thresh" generate gaussian --rows 60 --features 30 --seed 2 -o test.svm -q
printf '0 1:0.5 2:1 4:0.2\n1 1:1 3:0.7\n2 2:0.3 3:1\n0 1:0.6 2:0.9\n1 1:0.8 3:0.9\n' > digits.svm
head -n 3 digits.svm > support.svm
printf 'spam\tcheap pills\nham\tsee you at lunch\nspam\tcheap watches\n' > texts.txt
"$thresh" train data.svm --solver margin-perceptron --no-intercept -o model.thresh -q
"$thresh" train data.svm --solver smidas --p 2ln --no-intercept -o smidas.thresh --trace trace.jsonl -q

filled() {
  sed -e 's/\bDATA MODEL --only exponents/data.svm smidas.thresh --only exponents/' \
      -e 's/\bMODEL DATA\b/certified.thresh data.svm/; s/-o MODEL\b/-o certified.thresh/' \
      -e 's/\bMODEL\b/model.thresh/g; s/\bDATA\b/data.svm/g; s/\bTRAIN\b/data.svm/g' \
      -e 's/\b\(TEST\|VALID\)\b/test.svm/g; s/\bDIGITS\b/digits.svm/; s/\bSUPPORT\b/support.svm/' \
      -e 's/\bTEXTS\b/texts.txt/; s/\bOUT\b/out.svm/; s/\bSOLVER\b/truncated-gradient/' \
      -e 's/--trace FILE/--trace trace.jsonl/; s/\bETA\b/0.1/; s/\bTAU\b/0.1/; s/\bL\b/0.01/' \
      -e 's/\bS%/40%/; s/\b[KS]\b/5/; s/\bZ\b/2/; s/--gamma G\b/--gamma 500/; s/--epsilon E\b/--epsilon 0.1/' \
      -e 's/--delta D\b/--delta 0.1/; s/--lower A --upper B/--lower -1 --upper 1/; s/--norm B --rows M/--norm 2 --rows 50/' \
      -e 's/--steps N\b/--steps 20/; s/--passes T\b/--passes 5/' \
      -e 's/--features 2000/--features 20/; s/--probes 2500/--probes 25/; s/--add-noise 1000/--add-noise 10/'
}

grep -o '`thresh [^`]*`' "$page" | tr -d '`' | awk '!seen[$0]++' | grep -v -e '\.\.\.' \
  -e '^thresh [a-z]*$' -e '^thresh tune --grid$' -e '^thresh diagnose --only runtimes --json$' > commands
failed=0
ran=0
while IFS= read -r command; do
  line=$(printf '%s\n' "$command" | filled)
  ran=$((ran + 1))
  if ! (eval "\"$thresh\" ${line#thresh }") > said 2>&1 < /dev/null; then
    printf 'docs/papers.md: %s\n  run as: %s\n' "$command" "$line"
    sed 's/^/  /' said
    failed=1
  fi
done < commands
[ "$ran" -ge 40 ] || { echo "docs/papers.md: only $ran commands found"; exit 1; }
exit $failed
