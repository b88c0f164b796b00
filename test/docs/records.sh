#!/usr/bin/env bash
# JSON is parsed where a file or a text from outside is read, and nowhere else: what a model remembers
# is in records (thresh/record.hpp), which are parsed once, with the file.
# Usage: test/docs/records.sh SOURCE_DIR
set -euo pipefail
cd "$1"

readers='
cli/diagnose.cpp
cli/report.cpp
src/data/cache/words.cpp
src/diagnose/trace_findings.cpp
src/model/model_file.cpp
src/model/model_reader.cpp
src/model/record.cpp
src/report/document.cpp
src/select/state_file.cpp'

found=$(grep -rlE '\b([Jj]son|Record)::parse\(' cli include src | sort)
[ "$found" = "${readers:1}" ] && exit
echo "files that parse JSON, beside those that may:"
diff <(echo "${readers:1}") <(echo "$found") || true
exit 1
