# make demo    the whole thing once, in a minute
# make test    the tests that tell whether it works here: five minutes on two cores
# make test-all  all tests, in a quarter of an hour or more; needs compilers, a browser and more, which it installs
# make test-times  the same, with the seconds of each folder and the slowest tests
# make size    lines, modules and functions by room, and how many files an ordinary change touches
# make check   format, lint, types, layers, all tests: what must pass before a commit
# make check-fast  format, lint, types, layers and the tests of pure functions: a minute
# make bench   every figure we claim (BENCH_MATCHES=10000000: the board with ten million matches too)
# make fair    the clock experiment: false and missed time-outs beside busy programs (FAIR=--quick: a look)
# make runtimes  bots in Java, Kotlin, C# and JavaScript that search for 35 of 50 ms: how often they are late
# make operations  a standby takes over, two releases share a schema, each command of docs/operations.md is typed
# make chaos   a ladder under load, everything killed, stopped, filled or set back: nothing lost or doubled; alerts come where nobody mends it
# make containers  image and compose file of deploy/ on a real engine: all healthy, killed, cut off, upgraded, nothing lost
# make fleet   simulated fleets of 20 to 1,000 processes on one PostgreSQL: who plays, paces, sessions, memory; how many workers are wanted
# make bosses  each league's boss against the one below it: 65 to 80 % of the points; a first day's bot against those of Wood
# make sprt    gates and the tuner by simulation: error rates, length, what gates cost; Elo gained; ranks of newcomers
# make mutants  mistakes put into clock, rules, verdicts and the like one by one: do the tests notice? (MUTANTS=clock: one module)
# The program itself is bin/ladder. Each of these does the set-up it needs by itself. Where a tool is missing,
# deploy/setup.sh says in one line how to get it and ends with 5; make itself ends with 2 after any error, and says so.

.DEFAULT_GOAL := help
.PHONY: help setup tests-packages demo test test-all test-rest test-times size check check-fast lint bench fair runtimes chaos containers operations fleet bosses sprt mutants lock clean

bin := .venv/bin
lock := .uv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
	--no-emit-find-links --upgrade --quiet
# As the person can type it: with `make -C` the shell is in another folder.
ladder := $(if $(filter $(PWD),$(CURDIR)),,$(CURDIR)/)bin/ladder

help:
	@sed -n '/^$$/q; s/^# //p' Makefile

# What a developer needs: the program, and the packages of tests and lint.
setup:
	@sh deploy/setup.sh lint

demo:
	@sh deploy/setup.sh program
	@$(ladder) demo

tests-packages:
	@sh deploy/setup.sh tests

test:
	@sh deploy/setup.sh tests
	@$(bin)/pytest --tier quick

test-all:
	@sh deploy/setup.sh all-tests
	@$(bin)/pytest

test-rest:
	@sh deploy/setup.sh all-tests
	@$(bin)/pytest --tier rest

test-times:
	@sh deploy/setup.sh all-tests
	@$(bin)/python -m tests.times $(TESTS)

size: tests-packages
	@$(bin)/python -m tests.size $(SIZE)

lint: setup
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/mypy
	$(bin)/pyright
	$(bin)/lint-imports

check: lint test-all

check-fast: setup
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/mypy
	$(bin)/lint-imports
	$(bin)/pytest -q tests/unit tests/golden

bench:
	@sh deploy/setup.sh bench
	@$(bin)/python -m tests.bench

fair: tests-packages
	@$(bin)/python -m tests.fair $(FAIR)

runtimes: tests-packages
	@$(bin)/python -m tests.runtimes

operations: tests-packages
	@$(bin)/pytest -m weekly tests/operations

chaos: tests-packages
	@$(bin)/python -m tests.chaos $(CHAOS)

containers: tests-packages
	@$(bin)/python -m tests.containers

fleet: tests-packages
	@$(bin)/python -m tests.fleet $(FLEET)

bosses: tests-packages
	@$(bin)/python -m tests.bosses

sprt: tests-packages
	@$(bin)/python -m tests.sprt
	@$(bin)/python -m tests.readings
	@$(bin)/python -m tests.tuner

mutants:
	@sh deploy/setup.sh mutants
	@$(bin)/python -m tests.mutants $(MUTANTS)

# The lock files name no index, so that they work with anybody's. Each keeps to the versions of those before it.
lock: setup
	$(lock) pyproject.toml --extra embedded --group build -o requirements/program.lock
	$(lock) -c requirements/program.lock pyproject.toml --extra embedded --extra openskill -o requirements/openskill.lock
	$(lock) -c requirements/program.lock pyproject.toml --extra embedded --extra gym -o requirements/gym.lock
	$(lock) -c requirements/program.lock pyproject.toml --extra embedded --extra parquet -o requirements/parquet.lock
	$(lock) -c requirements/program.lock --group tests -o requirements/tests.lock
	$(lock) -c requirements/tests.lock --group lint -o requirements/lint.lock
	$(lock) -c requirements/program.lock -c requirements/tests.lock --group mutants -o requirements/mutants.lock
	$(lock) --group uv -o requirements/uv.lock

clean:
	rm -rf .venv .uv .setup.lock *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .test-artefacts
