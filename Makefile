# The daily commands; `make` alone lists them.

PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
PORT ?= 5000
ARGS ?=

READY := .venv/.ready
RUN := .venv/bin/python -m
# Jobs of the workflow call `python`: they get the one of .venv.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: help run test ui paper bench lint setup lock clean distclean

help: ## list these commands
	@echo "Usage: make COMMAND [CORES=$(CORES)] [PORT=$(PORT)] [PYTHON=$(PYTHON)] [ARGS='more options']"
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' Makefile

run: $(READY) ## run config/quick.yaml; says at the end where figures, report and MLflow database are
	@$(RUN) snakemake --cores $(CORES) $(ARGS)

test: $(READY) ## run the whole test suite (ARGS='-k eg' for a part of it)
	@$(RUN) pytest $(ARGS)

ui: $(READY) ## browse the runs in MLflow at http://127.0.0.1:PORT
	@test -f results/mlflow.db || { echo "error: results/mlflow.db does not exist yet: 'make run' makes it" >&2; exit 1; }
	@echo "MLflow at http://127.0.0.1:$(PORT) in some 10 seconds; Ctrl-C ends it"
	@MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true \
	  $(RUN) mlflow server --host 127.0.0.1 --port $(PORT) --workers 1 \
	  --backend-store-uri sqlite:///results/mlflow.db $(ARGS)

paper: $(READY) ## run config/paper.yaml: the papers' full grids, hours
	@$(RUN) snakemake --cores $(CORES) --configfile config/paper.yaml $(ARGS)

bench: $(READY) ## measure our solvers and their peers side by side
	@$(RUN) bench compare $(ARGS)

lint: $(READY) ## check style: ruff, snakefmt, snakemake --lint
	@$(RUN) ruff check .
	@$(RUN) ruff format --check .
	@$(RUN) snakefmt --check Snakefile workflow
	@$(RUN) snakemake --lint

setup: $(READY) ## only install what the other commands need, into .venv
	@echo ".venv is ready"

lock: $(READY) ## bring requirements.lock up to date with pyproject.toml
	@$(RUN) uv pip compile --quiet --universal --generate-hashes --no-annotate --group dev --group peers \
	  --custom-compile-command "make lock" --output-file requirements.lock pyproject.toml
	@echo "requirements.lock is up to date"

clean: ## remove what runs produced; keeps results/data and .venv
	@if test -d results; then find results -mindepth 1 -maxdepth 1 ! -name data -exec rm -rf {} +; fi
	@rm -rf .snakemake .pytest_cache .ruff_cache .hypothesis
	@find . -name .venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "removed the results; kept results/data and .venv ('make distclean' removes them, too)"

distclean: clean ## remove downloads and .venv, too
	@rm -rf results .venv
	@echo "removed results/data and .venv"

# A set-up starts from an empty .venv, so that one which was killed is mended by the next.
$(READY): requirements.lock
	@version=$$("$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || version=missing; \
	case $$version in missing|2.*|3.[0-9]|3.10) \
	  echo "error: structbench needs Python 3.11 or later, but $(PYTHON) is $$version: try make PYTHON=python3.12" >&2; \
	  exit 1;; esac
	@echo "Setting up .venv from requirements.lock: some 400 MB to download, about a minute"
	@"$(PYTHON)" -m venv --clear .venv >/dev/null 2>&1 \
	  || { "$(PYTHON)" -m venv --clear --without-pip .venv && \
	       "$(PYTHON)" -m pip --python .venv/bin/python install --quiet pip; } \
	  || { echo "error: $(PYTHON) made no virtual environment: it needs its venv module or pip" >&2; exit 1; }
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > .venv/uv.txt
	@$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.txt && \
	  $(RUN) uv pip install --quiet --python .venv/bin/python --compile-bytecode --require-hashes -r requirements.lock \
	  || { echo "uv could not install them (see above): trying pip, about 4 minutes" >&2; \
	       $(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock; } \
	  || { echo "error: packages are missing (see above); a package index must be reachable, and Python 3.11" \
	            "to 3.13 on Linux or Apple silicon needs no compiler: run make again when that is mended" >&2; exit 1; }
	@touch $(READY)
