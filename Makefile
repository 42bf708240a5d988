# `make answer` sets everything up and answers a first question; `make test` sets everything up and runs every check.
VENV := .venv
UV := $(VENV)/bin/uv
BIN := $(VENV)/bin

.PHONY: answer test setup setup-dev lint types imports unit bench docs clean

$(VENV)/bin/python:
	python3 -m venv $(VENV)

$(UV): $(VENV)/bin/python
	$(BIN)/pip install --quiet --upgrade uv

$(VENV)/.core: $(UV) pyproject.toml constraints.txt
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --compile-bytecode -e '.[writeup]' -c constraints.txt
	touch $@

# torch in a step of its own, by pip: the CPU build
$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -c 'import torch' 2>/dev/null || $(BIN)/pip install --quiet torch==2.13.0
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --compile-bytecode -e '.[writeup]' --group dev -c constraints.txt
	touch $@

setup: $(VENV)/.core
setup-dev: $(VENV)/.dev

answer: setup
	@$(BIN)/flopcast estimate llama-3.1-8b 1T --on 64xH100 --price 2.5/h
	@echo
	@echo "Your own question:  $(BIN)/flopcast estimate MODEL TOKENS --on COUNTxCHIP     (all commands: $(BIN)/flopcast --help)"

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup-dev
	$(BIN)/mypy

imports: setup-dev
	$(BIN)/lint-imports

unit: setup-dev
	$(BIN)/pytest -n 2

test: lint types imports unit

bench: setup-dev
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/bench_step.py

docs: setup-dev
	$(BIN)/zensical build

clean:
	rm -rf $(VENV) site dist build
