# `make demo` and `make test` are all a fresh machine needs: they make .venv themselves.
PYTHON ?= python3
BIN := .venv/bin

# What a change usually breaks, chosen by measured durations. tests/nn/test_tracing.py alone takes half a minute.
FAST := tests/test_architecture.py tests/test_api.py tests/test_checkpoint.py tests/nn tests/text tests/models tests/evaluation \
	tests/generation/test_rules.py tests/generation/test_sampling.py

.PHONY: help demo web check-web native test test-older-processor test-processors test-long test-arm test-versions check check-fast coverage bench bench-gpu bench-generation bench-training bench-serving \
	soak results docs guide notebooks examples clean

help:
	@echo "make demo    train the built-in task and show the result (less than 2 minutes)"
	@echo "make test    run the tests, but for those that take minutes each"
	@echo "make test-older-processor  run the tests of what differs without AVX-512, as if there were none"
	@echo "make test-processors  run all tests as on an AVX2 processor, then as on one with AVX-512 without bfloat16"
	@echo "make test-long  run the tests that take minutes each"
	@echo "make test-arm  run the tests of the layers in C as on three ARM processors, in an emulator"
	@echo "make test-versions  run tests with the lowest versions that pyproject.toml allows, and with the newest (TORCH=2.13.0: with this PyTorch)"
	@echo "make check   lint and type-check (the page's sources, too, where there is npm)"
	@echo "make check-fast  make check and a selection of the tests, in under two minutes (the first run takes a minute more)"
	@echo "make coverage  run the tests and print which share of the lines they run"
	@echo "make bench   measure training, decoding and attention beside PyTorch's own"
	@echo "make bench-generation MODEL=folder  measure decoding beside Hugging Face and CTranslate2"
	@echo "make bench-serving MODEL=folder SOURCE=file  measure the server under load"
	@echo "make soak    run the server for an hour under all kinds of clients (MINUTES=60; MODEL=folder SOURCE=file)"
	@echo "make bench-gpu  measure training and decoding on a GPU"
	@echo "make bench-training  measure training beside other trainers (JOEYNMT=python: the one that has it)"
	@echo "make native  compile the layers in C again (installing has done it where there is a C compiler)"
	@echo "make web     bundle the page from its sources in web/ (needs npm)"
	@echo "make results train and measure the recipes of docs/results.md (hours)"
	@echo "make docs    build the site of the documentation into site/, and check its links"
	@echo "make guide   make the long trainings, the pictures and the outputs of docs/guide again (half an hour; DATA=folder)"
	@echo "make notebooks  write docs/guide/notebooks from the chapters"
	@echo "make examples  run the notebooks of examples/ and write them from examples/sources"
	@echo "make clean   remove .venv and the demo's model"

demo: .venv/demo
	$(BIN)/regard demo -o demo-model --overwrite

# Each process of the tests has several threads. Those that wait must not spin: the others need the processor (docs/experiments.md).
test: .venv/dev .venv/native
	OMP_WAIT_POLICY=PASSIVE $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile

test-older-processor: .venv/dev .venv/native
	@if [ "$$($(BIN)/python -c 'import torch; print(torch.backends.cpu.get_cpu_capability())')" != AVX512 ]; then \
		echo "This processor has no AVX-512: make test runs the tests as this target would."; \
	else OMP_WAIT_POLICY=PASSIVE ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 $(BIN)/python -m pytest -n auto --maxprocesses 8 \
		tests/engines tests/nn/test_attention.py tests/generation/test_beam.py tests/pipelines/test_threads.py \
		tests/cli/test_generation_options.py; fi

# PyTorch, oneDNN and the layers in C held back. What tests and chapters show may not depend on it.
test-processors: .venv/dev .venv/native
	OMP_WAIT_POLICY=PASSIVE ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 REGARD_CPU=avx2 \
		$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile
	OMP_WAIT_POLICY=PASSIVE ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI ATEN_CPU_CAPABILITY=avx512 \
		$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile

test-arm: .venv/dev
	native/try_arm.sh

test-long: .venv/dev
	$(BIN)/python -m pytest -m slow

test-versions: .venv/dev
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python tests/try_versions.py $(if $(TORCH),--torch $(TORCH))

# Without its cache: that does not know that a module moved, which changes the order of imports.
check: .venv/dev check-web
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Users of the Python part need no npm: without it, or without a network for its packages, the sources of the page are left out.
check-web:
	@if ! command -v npm > /dev/null; then echo "The page's sources were not checked: there is no npm."; \
	elif $(MAKE) --silent web/node_modules/.package-lock.json; then cd web && npm run --silent check; \
	else echo "The page's sources were not checked: npm could not install what checks them."; fi

check-fast: check .venv/native
	$(BIN)/python -m pytest -n 2 --dist loadfile $(FAST) --ignore tests/nn/test_tracing.py

coverage: .venv/dev
	OMP_WAIT_POLICY=PASSIVE $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile --cov=regard --cov-report=term:skip-covered

bench: .venv/dev
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/attention.py

bench-gpu: .venv/dev
	$(BIN)/python benchmarks/gpu.py

bench-generation: .venv/dev
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev,bench]'
	$(BIN)/python benchmarks/generation.py --model $(MODEL)

bench-serving: .venv/dev
	$(BIN)/python benchmarks/serving.py $(MODEL) $(SOURCE)

soak: .venv/dev
	$(BIN)/python benchmarks/soak.py $(MODEL) $(SOURCE) --minutes $(or $(MINUTES),60)

bench-training: .venv/dev
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev,bench]'
	$(BIN)/python benchmarks/training.py $(if $(JOEYNMT),--joeynmt $(JOEYNMT))

results: .venv/dev
	$(BIN)/python benchmarks/results.py

docs: .venv/docs
	$(BIN)/python docs/build_site.py

guide: .venv/dev
	for script in docs/guide/trainings/train_*.py; do $(BIN)/python $$script $(if $(DATA),--data $(DATA)) || exit 1; done
	$(BIN)/python docs/run_page.py --write docs/guide/[01]*.md docs/guide/solutions/*.md
	for script in docs/guide/pictures/draw_*.py; do $(BIN)/python $$script || exit 1; done
	$(MAKE) notebooks

notebooks: .venv/dev
	$(BIN)/python docs/guide/write_notebooks.py

examples: .venv/dev
	$(BIN)/python docs/write_examples.py

web: web/node_modules/.package-lock.json .venv/dev
	$(BIN)/python web/write_schemas.py > web/schemas.json
	cd web && npm run --silent types && rm schemas.json
	cd web && npx prettier --write --log-level warn src/api.d.ts && npx tsc --noEmit && node build.mjs

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

# Also where a library is there that cannot be loaded.
native: .venv/dev
	$(BIN)/python native/build.py
	@touch .venv/native

clean:
	rm -rf .venv .arm site demo-model histogram-model src/regard/compiled/layers-*

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Regard needs Python 3.11 or newer; choose one with: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv

.venv/demo: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[demo]'
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@ .venv/demo

.venv/docs: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[docs]'
	@touch $@

# Installing has compiled them where there is a compiler; this does it again when their source has changed.
.venv/native: .venv/dev $(wildcard native/*.*)
	-$(BIN)/python native/build.py --missing
	@touch $@
