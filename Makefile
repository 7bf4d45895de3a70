# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
#
# One verb each. PRESET=release|debug|asan|tsan picks the build (CMakePresets.json).
#   make demo     install what is missing, build, run the three seed examples
#   make test     the same set-up, then every test
#   make build    build/bin/lockstep
#   make node     the Node package in bindings/node
#   make golden   rewrite expectation files; the diff is the review
#   make format, make lint, make bench, make fuzz

PRESET ?= release
JOBS ?= 2
TARGET ?= all
BUILD := $(if $(filter release,$(PRESET)),build,build-$(PRESET))
LAUNCHER = $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
SOURCES = $(shell git ls-files '*.cc' '*.h')

.PHONY: demo build node test setup format format-check lint layers checks golden bench fuzz clean

setup:
	@tools/setup.sh $(SETUP)

# TARGET=lockstep leaves the tests out.
build: setup
	@echo "== configuring ($(PRESET))"
	@cmake --preset $(PRESET) $(LAUNCHER) $(OPTIONS) > $(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; echo "configuring failed: see the lines above"; exit 1; }
	@rm -f $(BUILD).log
	@echo "== building with $(JOBS) jobs"
	@cmake --build --preset $(PRESET) -j $(JOBS) --target $(TARGET)

node: TARGET = lockstep_node
node test: SETUP = node
node test: OPTIONS = -DLOCKSTEP_NODE=ON
node: build

test: build layers checks
	@echo "== testing"
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

demo: TARGET = lockstep
demo: build
	@tools/demo.sh $(BUILD)/bin/lockstep

layers:
	@python3 tools/check_layers.py

# What a reviewer would count: paths in the documentation, lengths of functions and files.
checks:
	@python3 tools/check_paths.py
	@python3 tools/check_functions.py

golden: build
	@LOCKSTEP_UPDATE_GOLDENS=1 ctest --test-dir $(BUILD) -R golden --output-on-failure
	@git status --short -- '*.ir' '*.expected'

format:
	@clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run --Werror $(SOURCES)

lint: build layers
	@clang-tidy -p $(BUILD) --quiet $(filter %.cc,$(SOURCES))

bench:
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory build PRESET=bench
	@bench/run.py build-bench
	@bench/race.py build-bench

fuzz:
	@tools/setup.sh fuzz
	@$(MAKE) --no-print-directory build PRESET=fuzz
	@fuzz/run.sh build-fuzz

clean:
	@rm -rf build build-debug build-asan build-tsan build-bench build-fuzz
