# OneClaw: `make run` shows it working, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TINY := packages/oneclaw-smollm2
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --custom-compile-command 'make requirements'

# Debian packages, installed where one is missing and we may; without them each command does what it can.
RUN_PACKAGES := libgomp1
TEST_PACKAGES := $(RUN_PACKAGES) bubblewrap openssh-client openssh-server openssl ripgrep fd-find tree zsh fish chromium libatomic1 file patch bsdextrautils
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses=4 --dist=loadfile

.PHONY: setup run test quick packages check bench evaluate docs pictures screens training requirements clean

# What is needed to run, to test, and to check; each is installed once per change of its pins.
setup: $(VENV)/.run

$(BIN)/uv:
	@sh tools/make-venv.sh $(PYTHON) $(VENV)

$(VENV)/.%: requirements/%.txt pyproject.toml $(TINY)/pyproject.toml | $(BIN)/uv
	@echo "Installing what is pinned in requirements/$*.txt ..."
	@sh tools/install.sh $(VENV) --require-hashes -r requirements/$*.txt
	@sh tools/install.sh $(VENV) --no-deps --editable . --editable $(TINY)
	@touch $@

# What runs models is not made for every machine: without it the demonstration plays from a script.
$(VENV)/.local: requirements/local.txt pyproject.toml | $(VENV)/.run
	@echo "Installing what is pinned in requirements/local.txt ..."
	@sh tools/install.sh $(VENV) --require-hashes -r requirements/local.txt 2>/dev/null \
		&& touch $@ || echo "What runs local models could not be installed; all else works without it."

# What could not be installed is told by the demonstration, once. A Ctrl-C is told by the program alone.
run: $(VENV)/.run $(VENV)/.local
	@sh tools/system-package.sh $(RUN_PACKAGES) 2>/dev/null || true
	@trap : INT; $(BIN)/oneclaw demo --page || [ $$? -eq 130 ]

# A file of tests stays in one process: tests of a file may share what took long to make.
test: $(VENV)/.test packages
	@$(PYTEST) $(ARGS)

# The tests that are not marked slow: two minutes on two cores.
quick: $(VENV)/.test packages
	@$(PYTEST) -m "not slow" $(ARGS)

packages:
	@sh tools/system-package.sh $(TEST_PACKAGES) || echo "Tests that need these are skipped."

check: $(VENV)/.check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/python docs/build.py --check

bench: $(VENV)/.test
	@$(BIN)/python benchmarks/run.py $(ARGS)

# Everyday conversations with the tiny model, judged by what comes of them; some minutes.
evaluate: $(VENV)/.test
	@cd $(TINY) && ../../$(BIN)/python -m evaluation $(ARGS)

docs: $(VENV)/.test
	@$(BIN)/python docs/build.py

# The main screens of the terminal, played and drawn: docs/images and docs/demo.svg.
pictures: $(VENV)/.test $(VENV)/.local
	@$(BIN)/python -m docs.pictures $(ARGS)

# The screens of the page, wide and narrow, light and dark: build/screens.
screens: $(VENV)/.test
	@$(BIN)/python -m docs.screens_of_page $(ARGS)

# What the tiny model is trained with; nothing else needs it.
training: $(VENV)/.training

# Pins and hashes, without the address of any index.
requirements: $(BIN)/uv
	$(COMPILE) --output-file requirements/run.txt --extra web --extra mcp pyproject.toml
	$(COMPILE) --output-file requirements/local.txt --extra local pyproject.toml
	$(COMPILE) --output-file requirements/test.txt --group test pyproject.toml
	$(COMPILE) --output-file requirements/check.txt --group check pyproject.toml
	$(COMPILE) --output-file requirements/training.txt --group $(TINY)/pyproject.toml:training pyproject.toml
	$(COMPILE) --output-file benchmarks/peers.txt benchmarks/peers.in

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build dist
