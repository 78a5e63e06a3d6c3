# The commands of the README, and a command that removes their output. The work is done in scripts/.
.PHONY: help demo test bench clean

help: ## This list.
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

demo: ## Builds Recto and compresses the documents in examples/, through Python and the command line.
	@scripts/demo

test: ## Runs every check and every test, as the continuous integration does.
	@scripts/test

bench: ## Compares Recto with other programs in one run, and writes docs/benchmarks.md.
	@scripts/bench

clean: ## Removes the build output in this folder; the caches outside it stay.
	rm -rf build dist target .mypy_cache .ruff_cache .pytest_cache
