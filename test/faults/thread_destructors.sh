#!/usr/bin/env bash
# No thread_local object of the library or the program may have a destructor: if the C library has no
# memory to note it, the process is aborted. PerThread (src/sparse/per_thread.hpp) throws instead.
# Usage: thread_destructors.sh FILE...
set -euo pipefail
broken=0
for file in "$@"; do
  nm -C "$file" > /dev/null  # fails for anything but objects and programs
  if nm -AC "$file" 2> /dev/null | grep -E 'U __cxa_thread_atexit(@|$)'; then broken=1; fi
done
[ $broken = 0 ] || echo "use PerThread instead of thread_local there"
exit $broken
