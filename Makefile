# make help    these lines
# make setup   .venv with everything, done only when something changed
# make demo    the main job end to end, on simulated matches
# make test    linters, types, import contracts, tests
# make lint    only the linters; make types: only mypy
# make mutants every mutant of the rules over the golden logs, and the score of each ruleset; minutes
# make bench   benchmarks beside their peers and the table of promises, on a quiet machine; minutes.
#              BENCH="-k nibble" runs a part, BENCH=--save-baseline keeps what was measured
# make growth  time and memory at 10,000, 100,000 and 1,000,000 matches; an hour
# make docs    reference pages of the rulesets and their pictures, from the declarations
# make wheels  wheels of the runtime dependencies, for the test that installs offline
# make clean   removes what the others made, the environment included
# Another interpreter: make PYTHON=python3.12 setup

BIN := .venv/bin
SHELL := bash
.SHELLFLAGS := -o pipefail -c

.PHONY: help setup env wheels demo docs test lint types mutants bench growth clean
.DEFAULT_GOAL := help

help:
	@sed -n '/^#/!q; s/^# //p' Makefile

setup: env wheels

env:
	@.ci/setup env

wheels: env
	@.ci/setup wheels

demo: env
	@$(BIN)/kifold demo --records examples

docs: env
	@$(BIN)/kifold rulesets --format markdown --out docs

lint: env
	$(BIN)/ruff check
	$(BIN)/ruff format --check

# The links that mypy reads stand for the folders at the top; name those.
types: env
	@echo $(BIN)/mypy
	@$(BIN)/mypy | sed 's#^build/__editable__[^/]*/kifold/##'

test: setup lint types
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n auto --dist loadgroup

mutants: env
	@$(BIN)/python -m tests.mutation

bench:
	@.ci/setup env bench
	$(BIN)/pytest benchmarks -p no:xdist --benchmark-quiet $(BENCH)

growth: env
	$(BIN)/python -m benchmarks.growth $(GROWTH)

clean:
	rm -rf .venv .wheels build dist *.egg-info .benchmarks .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
