# Every target sets up what it needs: a virtual environment in .venv with the package
# installed editable. A stamp file for each group of dependencies makes the next run instant.

.DEFAULT_GOAL := help
.PHONY: help demo test lint clients bench bench-quick bench-quality bench-server samples upgrade clean

# The first Python that is new enough and can make virtual environments.
FIND_PYTHON = for python in python3 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$python; exit; }; done
PYTHON ?= $(shell $(FIND_PYTHON))

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r target words; do \
		printf '  make %-15s %s\n' "$$target" "$$words"; done

demo: .venv/.package  ## build the sample handbook, ask it a question, say how to go on
	@$(BIN)/ctx build samples/handbook --force
	@echo
	@echo '$$ ctx resolve -c handbook -q "how do we roll back a deployment" -b 2000 --format table'
	@$(BIN)/ctx resolve -c handbook -q "how do we roll back a deployment" -b 2000 --format table
	@echo
	@echo 'Go on with (after `. .venv/bin/activate`, or with .venv/bin/ before each):'
	@echo '  ctx resolve -c handbook -q "how do we roll back a deployment" -b 2000   the same, as an agent gets it'
	@echo '  ctx why -c handbook -q "how do we roll back a deployment" -b 2000       why these, and why not the others'
	@echo '  ctx build YOUR_FOLDER                                                   the same with your own documents'

test: .venv/.dev  ## run every test
	$(BIN)/pytest -q -n 2

lint: .venv/.dev  ## check style, types and the arrows between the parts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

clients: .venv/.dev clients/node_modules/.installed  ## try the server with real clients, and for long
	ENDURANCE=1 $(BIN)/pytest -q tests/server/test_contract.py
	$(BIN)/python clients/endurance.py
	$(BIN)/python clients/others.py

bench-quality: .venv/.bench  ## measure ranking quality beside other libraries
	$(BIN)/python -m benchmarks.quality $(ARGS)

bench: .venv/.bench  ## measure speed, builds, cold starts and the server (half an hour)
	$(BIN)/python -m benchmarks.speed 10000 100000 1000000
	$(BIN)/python -m benchmarks.build samples/handbook $(FOLDERS)
	$(BIN)/python -m benchmarks.cold
	$(BIN)/python -m benchmarks.server

bench-quick: .venv/.bench  ## the same in two minutes, on small caches
	$(BIN)/python -m benchmarks.speed 10000
	$(BIN)/python -m benchmarks.build samples/handbook
	$(BIN)/python -m benchmarks.cold --runs 10
	$(BIN)/python -m benchmarks.server --documents 10000 --calls 300 --starts 5

bench-server: .venv/.package  ## time the server's start and its calls
	$(BIN)/python -m benchmarks.server $(ARGS)

samples: .venv/.package  ## rebuild sample_caches/ from samples/ and docs/, and what README and stories show
	$(BIN)/python scripts/renew_stories.py
	$(BIN)/python scripts/build_samples.py
	$(BIN)/python scripts/renew_readme.py

upgrade: .venv/.dev .venv/.bench  ## renew constraints.txt from what is released now
	$(PIP) install --upgrade --editable '.[code,convert,fast]' --group dev --group bench
	{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip list --format=freeze --exclude-editable \
		--exclude pip --exclude setuptools | LC_ALL=C sort -f; } > .venv/constraints.txt
	mv .venv/constraints.txt constraints.txt

clean:  ## remove what the targets made
	rm -rf .venv clients/node_modules build dist *.egg-info .ctx .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# `--group` needs a pip newer than the one that a fresh Python brings.
.venv/.pip:
	@test -n "$(PYTHON)" || { echo 'error: no Python >= 3.11 with venv found; install one, or say make PYTHON=…' >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

clients/node_modules/.installed: clients/package.json
	npm install --prefix clients --no-package-lock --no-audit --no-fund
	@touch $@

.venv/.package: .venv/.pip pyproject.toml constraints.txt
	$(PIP) install --editable . --constraint constraints.txt
	@touch $@

.venv/.dev .venv/.bench: .venv/.%: .venv/.package
	$(PIP) install --editable '.[code,convert,fast]' --group $* --constraint constraints.txt
	@touch $@
