# Everything a fresh machine needs: Python 3.11 to 3.14, Node 20.19+ and make. `make help` lists the targets.

PYTHON ?= python3
BIN    := .venv/bin
ARGS   ?=
# Test processes on two cores: long tests wait for a quarter of their time. Each process starts servers and a browser.
JOBS   ?= 4

export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
# The tests start Python hundreds of times: what is compiled once is kept.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup ui demo test test-quick test-long test-web test-agents test-browsers example coverage check check-web demo-alone lint types layers gen gen-check fmt picture framework-pictures gallery bench soak lock neighbours wheel clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Create .venv with the locked packages and build the web UI; does nothing when nothing changed
	@$(PYTHON) scripts/setup.py

ui: ## Build the web UI into src/askback/static
	@$(PYTHON) scripts/setup.py --ui

demo: setup ## A server, a real agent and a page: answer its questions (ARGS=--auto answers automatically)
	@$(BIN)/askback demo $(ARGS)

# Side by side, unless ARGS picks: then the few picked tests end last, where their result is seen.
test: setup ## Run the quick tests: web units, Python, a few journeys in Chromium (ARGS="-k name" picks from all)
	@$(MAKE) --no-print-directory --jobs=$(if $(ARGS),1,2) test-web test-quick

test-web:
	cd web && npm run --silent test

test-long: setup ## Run the tests that `make test` leaves out: most pages, faults, whole programs (some seven minutes)

# `tests/quick.py` divides the tests.
test-quick: PICKED = $(or $(ARGS),--quick)
test-quick: JOBS = 3
test-long: PICKED = $(or $(ARGS),--long)

test-quick test-long:
	@$(PYTHON) scripts/setup.py --browser
	$(BIN)/python -m pytest -q --processes $(JOBS) --durations=10 $(PICKED)

test-agents: setup ## Test the adapters beside the real frameworks, each in its own environment (ARGS="langgraph mcp" picks)
	@$(BIN)/python scripts/adapters.py test $(ARGS)

test-browsers: setup ## Use the application in Firefox and WebKitGTK (installs Debian's packages where that is possible)
	@$(PYTHON) scripts/setup.py --browsers
	$(BIN)/python -m pytest -q tests/browsers $(ARGS)

example: setup ## Run the example of a framework with a fake model and a server of its own (ARGS=langgraph)
	@$(BIN)/python scripts/adapters.py example $(ARGS)

coverage: setup ## Run the Python tests and show which lines and branches none of them runs (build/coverage)
	@mkdir -p build/coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet --directory build/coverage/html
	$(BIN)/coverage report --skip-covered --sort=cover

# Pyright uses one core, and tests wait now and then: they run side by side.
check: setup ## Before a commit: lint, types, layers, generated files, the tests of `make test`, demo, wheel
	@$(MAKE) --no-print-directory lint layers
	@$(MAKE) --no-print-directory --jobs=2 test-quick types gen-check check-web test-web demo-alone wheel

check-web:
	cd web && npm run --silent check
	cd web && npm run --silent size

demo-alone:
	$(BIN)/askback demo --auto --output build/demo

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/pyright

layers:
	$(BIN)/lint-imports --no-logo

gen: ## Write the generated files (schemas, OpenAPI, TypeScript types, reference pages)
	@for script in scripts/gen_*.py; do echo "$$script"; $(BIN)/python $$script || exit 1; done

gen-check:
	@for script in scripts/gen_*.py; do echo "$$script --check"; $(BIN)/python $$script --check || exit 1; done

fmt: ## Format Python and TypeScript
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	cd web && npm run --silent fmt

picture: setup ## Take the pictures of the README and the docs again (needs Chromium)
	@$(BIN)/python scripts/take_picture.py
	@$(BIN)/python scripts/take_client_pictures.py

framework-pictures: setup ## Take the pictures of the pages about frameworks again (needs Chromium; ARGS="langgraph adk" picks)
	@$(BIN)/python scripts/take_framework_pictures.py $(ARGS)

gallery: setup ## Photograph every state of the gallery, light and dark, en and de, wide and narrow (build/gallery; needs Chromium)
	@$(BIN)/python scripts/take_gallery.py $(ARGS)

bench: setup ## Measure speed beside the limits of this machine and beside peers (ARGS="roundtrip fanout" picks)
	$(BIN)/python -m bench $(or $(ARGS),--quick)

soak: setup ## Kill and cut off servers, agents and Postgres for SOAK_MINUTES (60), and converse with every store; prints each seed
	HYPOTHESIS_PROFILE=many $(BIN)/python -m pytest -q --timeout=900 tests/domain
	MODEL_EXAMPLES=1000 $(BIN)/python -m pytest -q tests/storage/test_model.py
	FUZZ_COMMANDS=20000 FAULT_SEED=$$(date +%s) $(BIN)/python -m pytest -q tests/fault/test_shell_fuzz.py tests/fault/test_extended_fuzz.py
	FAULT_POWER_TRIALS=4000 $(BIN)/python -m pytest -q tests/fault/test_power_loss.py
	$(BIN)/python -m pytest -q -n $(JOBS) tests/planted
	$(BIN)/python -m pytest -q --processes $(JOBS) --late-parts -m e2e tests/journeys
	$(BIN)/python -m tests.fault.soak $(ARGS)

lock: ## Choose new versions for all Python packages and write the locks (needs uv)
	@for lock in "requirements.lock" "requirements-dev.lock --extra postgres --extra files --group dev" "requirements-tools.lock --group tools"; do \
	  set -- $$lock; out=$$1; shift; \
	  case $$out in requirements-tools.lock) input= ;; *) input=pyproject.toml ;; esac; \
	  uv pip compile $$input $$@ --upgrade --quiet --universal --generate-hashes --no-header \
	    --no-emit-index-url --no-emit-find-links --python-version 3.11 -o $$out >/dev/null || exit 1; \
	done
	@$(BIN)/python scripts/adapters.py lock

neighbours: setup ## Resolve the newest agent frameworks alone and beside askback, and fail where the versions differ
	@$(BIN)/python scripts/check_neighbours.py

wheel: ## Build the wheel and check that it carries the UI
	@$(BIN)/python scripts/check_wheel.py

clean: ## Remove what was built (not .venv)
	rm -rf dist build src/askback/static web/node_modules/.askback-built
