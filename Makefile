# `make demo` shows what OIDA does, `make test` runs everything the project checks; both set up .venv on their own.
# Nothing but Python 3.11 or newer, make and git is needed; packages come from the configured index, and nothing else is downloaded.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.ONESHELL:

# The first interpreter that is new enough; `make demo PYTHON=/path/to/python3.12` names another.
PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$each; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input -c constraints.txt
WORKERS ?= 1
CORPUS ?= ../shared/bench/halden
PROPOSALS ?= ../shared/data/rfc-python-peps
REPORTS ?= reports
SECONDS ?= 60
SEED ?= 1
EDGES ?= 1000000,10000000
KILLS ?= 1000
POWER ?= 1000

# What tests, types and measurements import; everything a user could install but llama-index, which nothing here runs.
EXTRAS := dev,engine,readers,otel,connectors,plots,train,bench

.PHONY: help demo experiments test check lint types layers tests fix docs bench bench-gravity bench-retrieval bench-retrieval-size certify train-classifier train-relations \
	measure-ingestion corpus-report kill9 test-server bench-server chaos fuzz bench-cluster bench-web test-browser sbom audit-dependencies constraints clean

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22

demo: $(VENV)/.ready ## Set up, build a memory from the demo company's exports, ask it questions, print what it did
	@$(BIN)/oida demo

test: check ## Set up, then lint, types, layers and all tests (what CI runs)

check: lint types layers tests ## The same as test

lint: $(VENV)/.ready-dev ## Format and lint rules
	@$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --diff --quiet . | head -40; echo 'make fix formats these'; exit 1; }
	$(BIN)/ruff check .

types: $(VENV)/.ready-dev ## mypy --strict
	@$(BIN)/mypy

layers: $(VENV)/.ready-dev ## The layer contracts of the house
	@$(BIN)/lint-imports --no-logo

tests: $(VENV)/.ready-dev ## All tests, with branch coverage of the core rooms; WORKERS=2 runs two at a time
	@$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term:skip-covered

test-server: $(VENV)/.ready-dev ## The suites of storage, verbs and faces on a PostgreSQL server that the run starts itself
	@OIDA_TEST_SERVER=own $(BIN)/python -m pytest -n $(WORKERS) tests/adapters/test_postgres.py tests/adapters/test_server.py tests/adapters/test_event_log.py \
		tests/adapters/test_content_store.py tests/adapters/test_projections.py tests/adapters/test_following.py tests/properties tests/workspace tests/faces \
		--ignore=tests/faces/web/test_browser.py

test-browser: $(VENV)/.ready-dev ## Walk the pages in Chromium (the system's), with the accessibility check
	@$(INSTALL) -e '.[browser]'
	$(BIN)/python -m pytest tests/faces/web/test_browser.py

bench-web: $(VENV)/.ready-dev ## Speed of every page on a base of 100,000 objects
	@$(BIN)/python -m benchmarks.web

sbom: $(VENV)/.ready-dev ## A bill of materials of the environment, CycloneDX JSON, in reports/
	@$(BIN)/python deploy/dependencies.py sbom --out $(REPORTS)/sbom.cdx.json

audit-dependencies: $(VENV)/.ready-dev ## Versions against pins, files against their wheels' digests; ADVISORIES=FOLDER adds OSV records
	@$(BIN)/python deploy/dependencies.py audit $(if $(ADVISORIES),--advisories $(ADVISORIES))

fix: $(VENV)/.ready-dev ## Format, and mend what ruff can mend
	@$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format .

docs: $(VENV)/.ready-dev ## Write docs/reference and docs/paper.md anew from the program
	@$(BIN)/python docs/write_reference.py
	$(BIN)/python -m benchmarks.paper_doc

bench: $(VENV)/.ready ## Speed and size of the main job, as figures
	@$(BIN)/python -m benchmarks.main_job

bench-gravity: $(VENV)/.ready-dev ## Speed and memory of the engine, as ratios to plain NumPy
	@$(BIN)/python -m benchmarks.gravity

bench-retrieval: $(VENV)/.ready-dev ## Rankings compared on a gold organisation and on meetings
	@$(BIN)/python benchmarks/retrieval.py

bench-server: $(VENV)/.ready-dev ## A base on PostgreSQL against one in a file: context, ingestion, migration, engine, as ratios
	@$(BIN)/python -m benchmarks.server

bench-retrieval-size: $(VENV)/.ready-dev ## A whole context beside a bare search, at 10,000 and 100,000 objects, alone and beside a writer
	@OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.retrieval_size

certify: $(VENV)/.ready-dev ## The convergence certificate of a graph with a hub of in-degree 43
	@$(BIN)/python -m benchmarks.certify

train-classifier: $(VENV)/.ready-dev ## Train the statement classifier that ships, and measure it
	@$(BIN)/python -m training.train_classifier

train-relations: $(VENV)/.ready-dev ## Train the pair model that ships, and measure it
	@$(BIN)/python -m training.train_relations

measure-ingestion: $(VENV)/.ready-dev ## How well statements are cut, located and related
	@$(BIN)/python -m training.measure_ingestion

corpus-report: $(VENV)/.ready-dev ## What becomes of each folder of public exports: items, statements, problems by code
	@$(BIN)/python -m benchmarks.corpus_report

kill9: $(VENV)/.ready-dev ## Kill an ingestion at many moments; does the base come out as if undisturbed?
	@$(BIN)/python benchmarks/kill9.py

chaos: $(VENV)/.ready-dev ## Faults, one line each; KILLS=1000 POWER=1000 say how many moments
	@$(BIN)/python -m benchmarks.chaos --kills $(KILLS) --power $(POWER)

fuzz: $(VENV)/.ready-dev ## Read mutated files of every format; SECONDS=600 SEED=7 say for how long and which
	@$(BIN)/python -m tests.fuzzing --seconds $(SECONDS) --seed $(SEED)

bench-cluster: $(VENV)/.ready-dev ## The engine on a Ray cluster of this machine beside the local engine; needs the extra `cluster`
	@$(INSTALL) -e '.[cluster]'
	$(BIN)/python -m benchmarks.cluster --edges $(EDGES)

experiments: $(VENV)/.ready-dev ## E2, E4, E5, E6, questions and classes on a benchmark organisation, in reports/; CORPUS=DIR and PROPOSALS=DIR name others
	@for each in e2 e5 e6; do $(BIN)/oida evaluate $$each --corpus $(CORPUS) --out $(REPORTS); done
	$(BIN)/oida evaluate e4 --corpus $(CORPUS) --out $(REPORTS) $(if $(wildcard $(PROPOSALS)),--proposals $(PROPOSALS))
	if [ -d $(CORPUS)/sources ]; then
		$(BIN)/oida evaluate e4 --memory own --corpus $(CORPUS) --out $(REPORTS)
		$(BIN)/oida evaluate questions --memory own --corpus $(CORPUS) --out $(REPORTS)
		$(BIN)/oida audit-classes $(CORPUS) --report $(REPORTS)
	fi

constraints: ## Pin the dependencies anew (installs uv in a scratch environment)
	@$(call require-python)
	scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT
	$(PYTHON) -m venv "$$scratch"
	"$$scratch/bin/pip" install --quiet --disable-pip-version-check uv
	"$$scratch/bin/uv" pip compile pyproject.toml --all-extras --universal --no-header --no-annotate --quiet -o constraints.txt
	! grep -n '://' constraints.txt

clean: ## Remove the environment, the demo's base and every cache
	@rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* build dist

define require-python
if [ -z "$(PYTHON)" ]; then
	echo "OIDA needs Python 3.11 or newer; found $$(python3 --version 2>/dev/null || echo no python3)." >&2
	echo "Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2
	exit 1
fi
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
	echo "OIDA needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2
	exit 1
}
endef

$(BIN)/python:
	@$(call require-python)
	$(PYTHON) -m venv $(VENV) || {
		rm -rf $(VENV)
		echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu install the package python3-venv." >&2
		exit 1
	}

$(VENV)/.ready: $(BIN)/python pyproject.toml constraints.txt
	@echo "setting up $(VENV) (once)"
	$(INSTALL) -e .
	touch $@

$(VENV)/.ready-dev: $(BIN)/python pyproject.toml constraints.txt
	@echo "setting up $(VENV) with what development needs (once)"
	$(INSTALL) -e '.[$(EXTRAS)]'
	touch $@ $(VENV)/.ready
