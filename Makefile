# The daily verbs. `make run` and `make test` install missing Debian packages by name first; with
# everything in place they need no network.
.DEFAULT_GOAL := build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: build run test check install deb bench bench-peers format clean format-check tidy sanitize threads \
        fuzz valgrind hardened long engines fresh arm64 python release

# The program and its library, nothing else.
build: deps-build build/build.ninja
	@cmake --build build --target thresh_cli -j $(JOBS)

build/build.ninja:
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) > build.log || { cat build.log; rm build.log; exit 1; }
	@rm build.log

deps-%:
	@scripts/install-deps $*

# The main job on an embedded default: make a corpus, learn it under a feature budget, look at it.
run: build
	@examples/corpus.sh build/thresh demo

test: deps-test
	@cmake --preset release -DTHRESH_TESTS=ON > /dev/null
	@cmake --build build -j $(JOBS)
	@cd build && ctest --output-on-failure -j $(JOBS) -LE long

check: deps-check format-check tidy sanitize threads fuzz valgrind hardened long engines python fresh

# Tests that take minutes, on the build of `make test`.
long: test
	@cd build && ctest --output-on-failure -j $(JOBS) -L long

# Exports in the engines that run them. DuckDB and onnxruntime come from PyPI.
engines: test
	@python3 -m venv build/engines && build/engines/bin/pip install -q duckdb onnxruntime numpy
	@cd build && THRESH_PYTHON=$$PWD/engines/bin/python ctest --output-on-failure -R ExportAlone

# Both README commands in minimal roots.
fresh: deps-check
	@for suite in bookworm trixie; do \
	   scripts/fresh $$suite run test offline install && scripts/fresh $$suite no-apt user && \
	   scripts/fresh $$suite warnings && scripts/fresh $$suite arm64 || exit 1; done

# Cross-compiled for 64-bit ARM, tested under qemu; needs `dpkg --add-architecture arm64`.
arm64: deps-arm64 build
	@scripts/arm64

format-check: deps-check
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format --dry-run -Werror && echo "format: clean"

format:
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format -i

tidy: deps-check
	@JOBS=$(JOBS) scripts/tidy

sanitize: deps-check
	@cmake --preset check > /dev/null && cmake --build build-check -j $(JOBS)
	@cd build-check && ctest --output-on-failure -j $(JOBS)

# The tests that use threads, with the thread sanitizer.
threads: deps-check
	@cmake --preset threads > /dev/null && cmake --build build-threads -j $(JOBS)
	@ctest --preset threads -j $(JOBS)

# Every target FUZZ_SECONDS long, JOBS of them side by side. What they find is kept in fuzz-corpus/.
fuzz: deps-check
	@cmake --preset fuzz > /dev/null && cmake --build build-fuzz -j $(JOBS) --target fuzzers
	@scripts/fuzz build-fuzz $(FUZZ_SECONDS) $(JOBS)

# Some tests of the program, on the build of `make test`.
valgrind: deps-check test
	@scripts/valgrind build $(JOBS)

# The packages of `make deb` start, and make the same models.
hardened: deb
	@test/package/hardened.sh build .

install: build
	@cmake --build build --target thresh_shared -j $(JOBS)
	@cmake --install build --prefix $(PREFIX)

# Debian packages of the program, of the library and of the plugin for MPI, in build/.
deb: deps-deb
	@cmake --preset release -B build-deb -DTHRESH_HARDEN=ON > /dev/null
	@cmake --build build-deb --target packaged -j $(JOBS)
	@cd build-deb && cpack -G DEB -B ../build

# What a release consists of, in build-release/: a tarball that runs without installation, packages, the
# wheel and checksums, made in a new, minimal Debian 12; then the tarball is tried on Debian 13.
release: deps-check
	@scripts/fresh bookworm release
	@scripts/fresh trixie tarball

# The wheel, in build-python/, and its tests in a new virtual environment with packages from PyPI.
python: deps-python build
	@scripts/python-wheel build-python
	@scripts/python-test build-python build/thresh
	@scripts/python-versions build-python build/thresh

bench: deps-bench build
	@bench/run

# What the benchmarks compare with, as far as the package registries have it.
bench-peers: deps-bench
	@bench/peers

# What the papers showed, see docs/experiments; QUICK=--quick for a trial on small generated data.
# A run that was interrupted goes on where it was.
experiment-%: deps-test
	@cmake --preset release -DTHRESH_TESTS=ON > /dev/null
	@cmake --build build --target experiment -j $(JOBS)
	@build/experiment $(EXPERIMENT_$*) $(QUICK)

EXPERIMENT_dhingra := dhingra
EXPERIMENT_duchi := duchi
EXPERIMENT_shalev := shalev-shwartz
EXPERIMENT_xie := xie

clean:
	rm -rf build build-* demo bench/work
