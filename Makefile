# The two commands of the README, and a broom. The work is done by scripts/.
.PHONY: help demo test bench clean

help: ## This list.
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

demo: ## Builds Recto and compresses the documents in examples/, through Python and the command line.
	@scripts/demo

test: ## Runs every check and every test, as the continuous integration does.
	@scripts/test

bench: ## Measures Recto beside its peers, side by side in one run, and writes docs/benchmarks.md.
	@scripts/bench

clean: ## Removes what was built in this folder; the caches outside it stay.
	rm -rf build dist target .mypy_cache .ruff_cache .pytest_cache
