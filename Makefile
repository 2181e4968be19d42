# The commands of this clone.  Each first runs the setup that it needs; repeated setup is quick.
PYTEST = .venv/bin/python -m pytest -n auto

.PHONY: demo test test-long check format lint types imports check-c bench wheel setup setup-demo setup-tests clean

demo: setup-demo ## build the sample and run it, verified, on the emulated device
	.venv/bin/buildtool run sim -- bin/htp-probe

test: setup-tests ## one variant of each capability, with fixed seeds
	$(PYTEST) -p randomly -p no:cacheprovider --randomly-seed=1

test-long: export BUILDTOOL_LONG = 1
test-long: setup-tests ## all variants and many more random cases, in a random order
	$(PYTEST)

check: lint types imports check-c ## what a change must pass besides the tests

format: setup
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .
	.venv/bin/python scripts/check_c.py --format

lint: setup
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .

types: setup
	.venv/bin/mypy

imports: setup
	.venv/bin/lint-imports --no-cache

# Layout, warnings and clang-tidy, for both sides: clang-tidy parses Hexagon code like any other.
check-c: setup
	.venv/bin/python scripts/check_c.py

bench: setup-tests ## measure builds against a CMake superbuild and Ninja, packing, pushes, and the overhead
	.venv/bin/python bench/build.py
	.venv/bin/python bench/overhead.py
	.venv/bin/python bench/package.py
	.venv/bin/python bench/deploy.py
	.venv/bin/python bench/watch.py
	PYTHONPATH=. .venv/bin/python bench/shards.py
	PYTHONPATH=. .venv/bin/python bench/floats.py
	PYTHONPATH=. .venv/bin/python bench/hmx.py
	.venv/bin/python bench/compare.py
	.venv/bin/python bench/distribute.py

wheel: setup ## a wheel in dist/, with the programs of the emulated device inside
	.venv/bin/python scripts/make_wheel.py dist

setup:
	@scripts/setup

setup-demo:
	@scripts/setup demo

setup-tests:
	@scripts/setup tests

clean: ## delete all build results of this clone; the shared cache stays
	rm -rf .buildtool .venv
