# Everything starts from here; each target works in a fresh clone (see tools/setup.sh).
.DEFAULT_GOAL := help
.PHONY: help demo quick test test-wide test-all test-user sim bench build check lint typecheck format clean setup install uninstall test-packages test-clis

SEEDS ?= 100
ARGS ?=
SINCE ?=
RESULTS := .tools/test-results.json

# In front of a command: our Node and the project's own tools come first on PATH.
WITH := PATH="$$(sh tools/node.sh):$(CURDIR)/node_modules/.bin:$$PATH"
VITEST := vitest run --reporter=default --reporter=json --outputFile.json=$(RESULTS)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: setup ## a whole run on a throw-away repository, offline
	@$(WITH) bin/supervisor demo $(ARGS)

quick: setup ## lint, types and the tests that your change can reach, in about a minute (SINCE=commit)
	@$(WITH) node tools/quick.ts $(SINCE)

test: test-packages test-clis check ## lint, types and the tests
	@rm -f $(RESULTS); $(WITH) $(VITEST) $(ARGS)

test-wide: test-packages test-clis setup ## the tests that make test leaves out to stay short (test/wide.txt)
	@rm -f $(RESULTS); $(WITH) $(VITEST) $$(grep '^test/' test/wide.txt)

test-all: test-packages test-clis check ## all tests, with the long suites
	@rm -f $(RESULTS); $(WITH) TEST_ALL=1 $(VITEST) $(ARGS)

test-user: test-packages test-clis setup ## make test as an ordinary user, whom root makes for it
	@sh tools/as-user.sh make test ARGS='$(ARGS)'

sim: setup ## simulate crashes and faults (SEEDS=n)
	@$(WITH) node test/simulation/main.ts --seeds $(SEEDS) $(ARGS)

bench: setup ## measure
	@$(WITH) node bench/main.ts $(ARGS)

build: setup ## bundle into dist/
	@$(WITH) node tools/build.ts

install: setup ## put supervisor on PATH: into ~/.local, as root into /usr/local (PREFIX=DIR)
	@$(WITH) sh tools/install.sh

uninstall: ## remove what install has put there
	@sh tools/install.sh uninstall

check: lint typecheck ## lint, format and types, without changing anything

lint: setup
	@$(WITH) biome ci . $$([ -t 1 ] || echo --colors=off)

typecheck: setup
	@$(WITH) tsc

format: setup ## fix what can be fixed
	@$(WITH) biome check --write .

setup: ## bring Node, dependencies and system packages
	@sh tools/setup.sh

test-packages:
	@sh tools/test-packages.sh

test-clis: ## bring the AI CLIs that the tests run (once, into a cache)
	@sh tools/clis.sh >/dev/null

clean: ## remove what was built
	rm -rf dist coverage $(RESULTS)
