#!/usr/bin/env bash
# Installs the library into an empty folder and builds an example against it.
# Usage: test/package/test.sh SOURCE_DIR BUILD_DIR [SANITIZERS]
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$2" --prefix "$prefix" > /dev/null
"$(dirname "$0")/example.sh" "$1" "$prefix" ${3:+"$3"}
