# Every target sets up what it needs: a virtual environment in .venv with the package
# installed editable. A stamp file for each group of dependencies makes the next run instant.

.DEFAULT_GOAL := help
.PHONY: help demo docs test lint clients gauntlet fuzz bench bench-quick bench-quality bench-server samples upgrade clean

# The first Python that is new enough and can make virtual environments. CPython 3.11.0 to 3.11.4 match
# some regular expressions wrongly and would build other caches (see `src/regex.py`).
FLOOR := 3.11.5
IS_ADMITTED = -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < ($(subst .,$(comma),$(FLOOR))))'
comma := ,
FIND_PYTHON = for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python $(IS_ADMITTED) 2>/dev/null && { echo $$python; exit; }; done
PYTHON ?= $(shell $(FIND_PYTHON))
NO_PYTHON = error: $(if $(PYTHON),$(PYTHON) is not,there is no) CPython $(FLOOR) or newer with venv (3.11.0 to 3.11.4 match \
	some regular expressions wrongly and would build other caches); install Python 3.13 with its venv module \
	(a package of the system, `uv python install 3.13`, pyenv), then say make PYTHON=python3.13

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

docs: .venv/.docs  ## build the documentation site in build/site, and check its links
	$(BIN)/python scripts/build_site.py

test: .venv/.dev  ## run every test
	$(BIN)/pytest -q -n 2

lint: .venv/.dev  ## check style, types, spelling and the arrows between the parts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

clients: .venv/.dev clients/node_modules/.installed  ## try the server with real clients, and for long
	ENDURANCE=1 $(BIN)/pytest -q tests/server/test_contract.py
	$(BIN)/python clients/endurance.py
	$(BIN)/python clients/others.py
	$(BIN)/python clients/conformance.py

gauntlet: .venv/.dev  ## damage, craft, refuse, kill, ask every door, send random lines, in thousands (some hours)
	$(BIN)/python -m gauntlet.damage 10000
	$(BIN)/python -m gauntlet.crafted 5000
	$(BIN)/python -m gauntlet.faults
	$(BIN)/python -m gauntlet.kills 1000
	$(BIN)/python -m gauntlet.scratch 1000
	$(BIN)/python -m gauntlet.doors 10000
	$(BIN)/python -m gauntlet.frames 100000

# No pin in constraints.txt: it comes for CPython 3.11 to 3.13 on Linux alone, and nothing else needs it.
fuzz: .venv/.dev  ## fuzz each parser for MINUTES of processor time, 60 if none are given
	$(PIP) install atheris==3.0.0
	$(BIN)/python -m gauntlet.fuzz $(MINUTES)

bench-quality: .venv/.bench  ## measure ranking quality beside other libraries
	$(BIN)/python -m benchmarks.quality $(ARGS)

bench: .venv/.bench  ## measure speed, builds, cold starts and the server (half an hour)
	$(BIN)/python -m benchmarks.speed 10000 100000 1000000 $(if $(FOLDERS),--folder $(firstword $(FOLDERS)))
	$(BIN)/python -m benchmarks.build samples/handbook $(FOLDERS)
	$(BIN)/python -m benchmarks.cold
	$(BIN)/python -m benchmarks.server
	$(BIN)/python -m benchmarks.families

bench-quick: .venv/.bench  ## the same in two minutes, on small caches
	$(BIN)/python -m benchmarks.speed 10000
	$(BIN)/python -m benchmarks.build samples/handbook
	$(BIN)/python -m benchmarks.cold --runs 10
	$(BIN)/python -m benchmarks.server --documents 10000 --calls 300 --starts 5

bench-server: .venv/.package  ## time the server's start and its calls
	$(BIN)/python -m benchmarks.server $(ARGS)

samples: .venv/.package  ## rebuild sample_caches/ from samples/ and docs/, and what README, stories and manual show
	$(BIN)/python scripts/renew_stories.py
	$(BIN)/python scripts/renew_api.py
	$(BIN)/ctx --man > docs/ctx.1
	$(BIN)/python scripts/build_samples.py
	$(BIN)/python scripts/renew_readme.py

upgrade: .venv/.dev .venv/.bench .venv/.docs  ## renew constraints.txt from what is released now
	$(PIP) install --upgrade --editable '.[code,convert,dask,fast]' --group dev --group bench --group docs
	{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip list --format=freeze --exclude-editable \
		--exclude pip --exclude setuptools | LC_ALL=C sort -f; } > .venv/constraints.txt
	mv .venv/constraints.txt constraints.txt

clean:  ## remove what the targets made
	rm -rf .venv clients/node_modules build dist *.egg-info .ctx .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# `--group` needs a pip newer than the one that a fresh Python brings.
.venv/.pip:
	@$(or $(PYTHON),false) $(IS_ADMITTED) 2>/dev/null || { echo '$(NO_PYTHON)' >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

clients/node_modules/.installed: clients/package.json
	npm install --prefix clients --no-package-lock --no-audit --no-fund
	@touch $@

# Where an install fails, the pins are tried without what they need: pip then names the one that cannot be
# had, where with all of them it may say no more than that it searched for too long.
define INSTALL
@$(BIN)/python $(IS_ADMITTED) || { echo 'error: .venv holds another Python than is asked for; say make clean' >&2; exit 1; }
$(PIP) install --constraint constraints.txt --editable $(1) || { \
	pin=$$($(PIP) install --dry-run --ignore-installed --no-deps --requirement constraints.txt 2>&1 \
		| sed -n 's/.*No matching distribution found for //p'); \
	echo "error: $${pin:-what pip named above} cannot be had for $$($(BIN)/python -V): say make clean, then make" \
	"with PYTHON=… of another version, or change its line in constraints.txt" >&2; exit 1; }
@touch $@
endef

.venv/.package: .venv/.pip pyproject.toml constraints.txt
	$(call INSTALL,.)

.venv/.dev .venv/.bench .venv/.docs: .venv/.%: .venv/.package
	$(call INSTALL,'.[code$(comma)convert$(comma)dask$(comma)fast]' --group $*)
