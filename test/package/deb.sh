#!/usr/bin/env bash
# Builds the Debian packages, unpacks them into an empty folder and runs what was in them.
# Usage: test/package/deb.sh BUILD_DIR
set -euo pipefail
build=$1
for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v $tool > /dev/null || { echo "$tool is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
cpack --config "$build/CPackConfig.cmake" -B "$work/packages" > cpack.log || { cat cpack.log; exit 1; }
version=$("$build/thresh" --version)
names=(thresh libthresh-dev)
[ ! -e "$build/thresh-mpi.so" ] || names+=(thresh-mpi)
for name in "${names[@]}"; do
  deb=$(echo packages/"${name}"_*.deb)
  [ "thresh $(dpkg-deb -f "$deb" Version)" = "$version" ]
  dpkg-deb -x "$deb" root
  dpkg-deb -c "$deb" | awk '{print $1, $6}' > "$name.list"
done

has() { grep -q " \./usr/$2\$" "$1.list" || { echo "$1: no $2"; cat "$1.list"; exit 1; }; }
has thresh bin/thresh
has thresh share/man/man1/thresh.1.gz
has thresh share/man/man1/thresh-generate-corpus.1.gz
has thresh share/bash-completion/completions/thresh
has thresh share/zsh/site-functions/_thresh
has thresh share/doc/thresh/copyright
has thresh share/doc/thresh/changelog.gz
has libthresh-dev include/thresh/thresh.hpp
has libthresh-dev 'lib/.*libthresh.a'
has libthresh-dev include/thresh/thresh.h
has libthresh-dev 'lib/.*libthresh.so.0'
has libthresh-dev 'lib/.*pkgconfig/thresh-c.pc'
has libthresh-dev 'lib/.*pkgconfig/thresh.pc'
has libthresh-dev 'lib/.*cmake/thresh/threshConfig.cmake'
if grep -q 'include/\|\.a$' thresh.list; then echo "thresh: files of the library"; exit 1; fi
if [ -e "$build/thresh-mpi.so" ]; then
  has thresh-mpi 'lib/.*thresh/thresh-mpi.so'
  has thresh-mpi share/doc/thresh-mpi/copyright
  has thresh-mpi share/doc/thresh-mpi/changelog.gz
  files=$(grep -vc '/$' thresh-mpi.list)
  [ "$files" = 3 ] || { echo "thresh-mpi: more than the plugin"; cat thresh-mpi.list; exit 1; }
  dpkg-deb -f packages/thresh-mpi_*.deb Depends > depends
  grep -qF "thresh (= ${version#thresh })" depends || { echo "thresh-mpi depends on"; cat depends; exit 1; }
  ! readelf -d "$build/thresh-mpi.so" | grep -q 'libmpi' || grep -q 'libopenmpi\|libmpich' depends
fi
dpkg-deb -f packages/thresh_*.deb Depends | grep -q 'libc6 '
dpkg-deb -f packages/libthresh-dev_*.deb Depends | grep -q 'libfmt-dev'

[ "$(root/usr/bin/thresh --version)" = "$version" ]
printf '+1 3:1\n-1 3:-1\n' > rows.svm
root/usr/bin/thresh train rows.svm --features 1 -q -o model.thresh
root/usr/bin/thresh eval model.thresh rows.svm --json | grep -q '"error": 0.0'
gzip -dc root/usr/share/man/man1/thresh-train.1.gz | grep -q '^\.TH THRESH'
