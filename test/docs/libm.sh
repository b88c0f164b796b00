#!/usr/bin/env bash
# Nothing that reaches a model, a prediction or a choice may differ between machines: no functions of
# libm but exact ones and sqrt (math/elementary.hpp has others), no long doubles, none of the standard
# library's distributions, no Eigen.
# Usage: test/docs/libm.sh SOURCE_DIR
set -euo pipefail
cd "$1"

# These print, or write fewer digits than they compute.
elsewhere='^src/(certify|diagnose)/'
# Text of C programs; a projection that no solver uses.
allowed='^src/(model/export_(c|c_text|python|javascript|sql)|projection/weighted)\.cpp$'

functions='a?(sin|cos|tan)h?|atan2|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|[lt]gamma|erfc?'
calls="(?<![\\w:.>~])(std::|::)?($functions)[fl]?\\("
others='\blong double\b|\bstd::\w+_distribution\b|\bstd::(shuffle|sample)\b|<Eigen/|<Spectra/'
# src/math defines functions of these names, and there only.
own='^src/math/'

broken=0
while IFS= read -r file; do
  pattern="$calls|$others"
  [[ $file =~ $own ]] && pattern="(std|)::($functions)[fl]?\\(|$others"
  # What is in comments and strings is not called.
  code=$(sed -E 's/"([^"\\]|\\.)*"/""/g; s,//.*,,' "$file")
  found=$(grep -nP "$pattern" <<< "$code") || continue
  while IFS= read -r line; do echo "$file:$line"; done <<< "$found"
  broken=1
done < <(find src cli -name '*.[ch]pp' | grep -vE "$elsewhere|$allowed" | sort)
[[ $broken == 0 ]] || echo "may differ in the last bit between machines; see math/elementary.hpp"
exit $broken
