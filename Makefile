# The daily commands; `make` alone lists them.

PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
PORT ?= 5000
RESULTS ?= $(or $(STRUCTBENCH_RESULTS),results)
# Whether the call names it: commands that are printed name it, too.
NAMED := $(filter-out file,$(firstword $(origin RESULTS)))
ARGS ?=

READY := .venv/.ready
# The workflow's jobs call `python`: they get the one of .venv.
RUN := PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/python -m
# As profiles/default has it, without Snakemake's own line on that; `exec`: a signal to make reaches Snakemake.
SNAKEMAKE := PYTHONPATH="$(CURDIR)/workflow/plugins" PATH="$(CURDIR)/.venv/bin:$$PATH" exec .venv/bin/python -m bench start -- \
  --workflow-profile none --keep-going --rerun-triggers mtime --rerun-incomplete --quiet host --scheduler greedy --logger structbench
PIP := .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes
UV := .venv/bin/python -m uv pip install --python .venv/bin/python --compile-bytecode --require-hashes

# `make run FILE.yaml` is `make run CONFIG=FILE.yaml`. No other command takes a config.
FILES := $(filter %.yaml %.yml,$(MAKECMDGOALS))
ifneq ($(FILES),)
ifneq ($(CONFIG)$(filter-out $(FILES),$(MAKECMDGOALS))$(words $(FILES)),run1)
$(error say: make run CONFIG=$(firstword $(FILES)))
endif
CONFIG := $(FILES)
.PHONY: $(FILES)
$(FILES): ; @:
endif

ifneq ($(and $(PAPER)$(FRESH),$(filter demo run bench,$(MAKECMDGOALS))),)
$(error PAPER and FRESH are of make paper; a config has papers in its key figures, and fresh seeds by ARGS='--config fresh=true name=fresh')
endif

ifneq ($(filter-out 1,$(FRESH)),)
$(error FRESH must be 1, or not be given; it is $(FRESH))
endif

# Snakemake takes the last --config and the last --configfile alone.
ifneq ($(PAPER)$(FRESH),)
ifneq ($(filter --config% -C%,$(ARGS)),)
$(error PAPER and FRESH are options of --config, and the last --config counts alone; say: ARGS='mirror=FOLDER', without --config)
endif
endif
ifneq ($(CONFIG),)
ifneq ($(filter --configfile%,$(ARGS))$(filter %.yaml %.yml,$(firstword $(ARGS))),)
$(error there are two configs, $(CONFIG) and one in ARGS: name one)
endif
endif

ifneq ($(filter ~/%,$(firstword $(RESULTS))),)
override RESULTS := $(HOME)/$(patsubst ~/%,%,$(RESULTS))
endif

ifeq ($(origin CONFIG),command line)
ifneq ($(filter demo paper bench,$(MAKECMDGOALS)),)
$(error make $(firstword $(filter demo paper bench,$(MAKECMDGOALS))) has a config of its own; say: make run CONFIG=$(CONFIG))
endif
endif

demo run ui paper bench clean: export STRUCTBENCH_RESULTS := $(RESULTS)
demo run ui paper bench clean: export STRUCTBENCH_RESULTS_NAMED := $(if $(NAMED),$(RESULTS))

# A workflow starts hundreds of processes. Without byte code each takes a third of a second more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo run test long-test cluster-test ui paper bench docs lint setup lock clean distclean

help: ## list these commands
	@echo "Usage: make COMMAND [CORES=$(CORES)] [PORT=$(PORT)] [RESULTS=$(RESULTS)] [PYTHON=$(PYTHON)] [ARGS='more options']"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' Makefile

demo: $(READY) ## an answer in a minute: five methods on MNIST (config/demo.yaml)
	@$(SNAKEMAKE) --configfile config/demo.yaml --cores $(CORES) $(ARGS)

run: $(READY) ## run config/quick.yaml, or CONFIG=FILE: data, runs, MLflow, figures, claims and a report, in minutes
	@$(SNAKEMAKE) $(if $(CONFIG),--configfile '$(subst ','\'',$(CONFIG))') --cores $(CORES) $(if $(filter %.yaml %.yml,$(firstword $(ARGS))),--configfile) $(ARGS)

test: $(READY) ## run the tests, but the long ones and SLURM's, in two processes (ARGS='-k eg' for a part of it)
	@$(RUN) pytest -n 2 --no-loadscope-reorder $(ARGS)

long-test: $(READY) ## test the workflow from real data to the report, PostgreSQL and MLflow's pages: minutes
	@$(RUN) pytest -m long tests/workflow tests/bench/tracking tests/campaigns $(ARGS)

cluster-test: $(READY) ## test the workflow on four SLURM nodes on this machine: root and Debian's slurmctld, slurmd, munge
	@$(RUN) uv pip install --quiet --python .venv/bin/python --group cluster
	@$(RUN) pytest -m cluster tests/cluster $(ARGS)

ui: $(READY) ## browse the runs in MLflow at http://127.0.0.1:PORT
	@test -f "$(RESULTS)/mlflow.db" || { echo "error: no $(RESULTS)/mlflow.db yet: 'make run' makes it" >&2; exit 1; }
	@$(RUN) bench addresses http://127.0.0.1:$(PORT) --start
	@echo "MLflow at these addresses in some 10 seconds; Ctrl-C ends it"
	@trap 'trap "" TERM; kill -TERM 0' INT; : uvicorn ends with a traceback at Ctrl-C, and at SIGTERM without one; \
	  MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true \
	  $(RUN) mlflow server --host 127.0.0.1 --port $(PORT) --workers 1 \
	  --backend-store-uri "sqlite:///$(RESULTS)/mlflow.db" $(ARGS) & wait $$!

paper: $(READY) ## run config/paper.yaml: the papers' full grids, hours (PAPER=laso2005: one; FRESH=1: claims on fresh seeds)
	@$(SNAKEMAKE) --configfile config/paper.yaml --cores $(CORES) \
	  $(if $(PAPER)$(FRESH),--config) $(if $(PAPER),'figures=[$(PAPER)]' 'grids=[]') $(if $(FRESH),fresh=true name=fresh) $(ARGS)

bench: $(READY) ## time our solvers and their peers, alone on the machine (config/measure.yaml), hours; then a table
	@$(SNAKEMAKE) --configfile config/measure.yaml --cores $(CORES) $(ARGS)
	@$(RUN) bench measure

docs: $(READY) ## make the site in docs/_build: all pages, a reference from docstrings, a gallery, a search
	@$(RUN) sphinx --fail-on-warning --keep-going --quiet --fresh-env --jobs $(CORES) --conf-dir docs $(ARGS) . docs/_build
	@echo "wrote docs/_build/index.html"

lint: $(READY) ## check style and types: ruff, basedpyright, snakefmt, snakemake --lint
	@$(RUN) ruff check .
	@$(RUN) ruff format --check .
	@$(RUN) basedpyright
	@$(RUN) snakefmt --check $(wildcard Snakefile) workflow
	@$(RUN) snakemake --lint

setup: $(READY) ## only install what the other commands need, into .venv
	@echo ".venv is ready"

lock: $(READY) ## bring requirements.lock up to date with pyproject.toml
	@$(RUN) uv pip compile --quiet --universal --generate-hashes --no-annotate --group dev --group docs --all-extras \
	  --custom-compile-command "make lock" --output-file requirements.lock pyproject.toml
	@echo "requirements.lock is up to date"

clean: ## remove what runs produced; keeps downloaded data and .venv
	@"$(or $(wildcard .venv/bin/python),$(PYTHON))" -c 'from structbench.bench.runs import results; exit(results.clean())'
	@rm -rf .pytest_cache .ruff_cache .hypothesis docs/_build $(if $(filter results,$(RESULTS)),.snakemake)
	@find . -name .venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "'make distclean' removes results/data and .venv, too"

distclean: clean ## remove downloaded data and .venv, too
	@rm -rf results/data .venv structbench.egg-info
	@echo "removed results/data and .venv"

# A set-up starts from an empty .venv, so that the next one mends one that was interrupted; never through a link, for
# what it would empty then is the environment of another checkout.
$(READY): requirements.lock
	@test ! -L .venv || { echo "error: .venv is a link to $$(readlink .venv), which is older than requirements.lock:" \
	  "run make where that environment is, or remove the link" >&2; exit 1; }
	@version=$$("$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || version=missing; \
	case $$version in missing|2.*|3.[0-9]|3.10) \
	  echo "error: Python 3.11 or later is needed, but $(PYTHON) is $$version: try make PYTHON=python3.12" >&2; \
	  exit 1;; esac
	@echo "Setting up .venv from requirements.lock: some 400 MB to download, one to two minutes"
	@echo "1 of 3: a virtual environment, and uv in it"
	@"$(PYTHON)" -m venv --clear .venv >/dev/null 2>&1 \
	  || { "$(PYTHON)" -m venv --clear --without-pip .venv && \
	       "$(PYTHON)" -m pip --python .venv/bin/python install --quiet pip; } \
	  || { echo "error: $(PYTHON) made no .venv (see above): it needs its venv module and pip" >&2; exit 1; }
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > .venv/uv.txt
	@{ $(PIP) -r .venv/uv.txt && \
	   echo "2 of 3: $$(grep -c '^[a-z].*==' requirements.lock) packages at most; compiling their bytecode takes longest" && \
	   { ( { $(UV) -r requirements.lock 2>&1; echo $$? > .venv/uv.code; } \
	       | while IFS= read -r line; do case "$$line" in " "[+~-]" "*) ;; *) echo "$$line" ;; esac; done; \
	       exit $$(cat .venv/uv.code) ) \
	     || { echo "uv could not install them (see above): trying pip, some minutes" >&2; \
	          $(PIP) -r requirements.lock; }; } && \
	   echo "3 of 3: structbench itself, from this folder" && \
	   { .venv/bin/python -m uv pip install --quiet --python .venv/bin/python --no-deps --editable . \
	     || .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .; }; } \
	  || { echo "error: packages are missing (see above): run make again when a package index can be reached;" \
	            "Python 3.11 to 3.13 on Linux or Apple silicon needs no compiler" >&2; exit 1; }
	@touch $@
