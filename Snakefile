# structbench: data -> problems -> runs -> figures, claims, MLflow, report.
#
#   snakemake --cores 2                                    config/quick.yaml
#   snakemake --cores 2 --configfile config/paper.yaml     the papers' grids, hours
#   snakemake --cores 2 --config mirror=DIR                data sets' files from a folder
#   snakemake --profile workflow/profiles/slurm            batches as SLURM jobs: docs/how-to/clusters.md

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).absolute()))

from snakemake.utils import min_version

from structbench.algorithms.runtime.commands import as_called
from structbench.bench.runs import problem_store, results, seen, store, update_costs
from structbench.bench.workflow import batches, config_files, interrupt, lock, messages, outcome, paper_modules
from structbench.bench.workflow import config as configs
from structbench.bench.workflow import plan, starting, view_inputs, watch
from structbench.bench.tracking import address

min_version("9.0")
# `module` of another workflow imports this one: its terminal and its signals are not ours then.
IMPORTED = workflow.modifier.base_snakefile is not None
MAIN, DRY = workflow.is_main_process, workflow.output_settings.dryrun
MAKES = MAIN and not DRY and not any(map(starting.LOOK.fullmatch, sys.argv))
starting.prepare_jobs(sys.argv)
if MAIN and not IMPORTED:
    interrupt.before_jobs()
    messages.attach(workflow.output_settings)


if IMPORTED or not workflow.configfiles:
    DEFAULT = os.path.relpath(config_files.DEFAULT)
    with starting.sentences():
        config_files.loaded(DEFAULT)

    # for `module` Snakemake leaves it out where that gives a config
    configfile: DEFAULT


if config.get("name") is None:
    config["name"] = config_files.named_after((workflow.configfiles or ["config"])[-1])


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/tracking.smk"


localrules:
    all,


WATCH = watch.Watch()

if MAIN and DRY:
    print(plan.describe(plan.make_plan(CONFIG, workflow.cores, workflow.nodes or 1), CONFIG), flush=True)
    seen.forget()


rule all:
    default_target: True
    input:
        results.report(CONFIG.name),
        TRACKED,
        # asked for by name, or one that is gone would not be missed while what is made of it is there
        JOURNALS,
        drawn(),
        f"{RESULTS}/{CONFIG.name}/complete",


onstart:
    os.environ[batches.ATTEMPTS_VARIABLE] = str(1 + rules.batch.rule.restart_times)
    PLAN = plan.make_plan(CONFIG, workflow.cores, workflow.nodes or 1)
    print(plan.describe(PLAN, CONFIG), flush=True)
    # Because of its limit on jobs a second, which no option removes, Snakemake looks for jobs again after each
    # second. Every job that ends adds one such look for good: after forty jobs they take a quarter of a core.
    workflow.scheduler.job_rate_limiter = None
    interrupt.with_jobs(WATCH.end)
    WATCH.begin(PLAN)


onsuccess:
    WATCH.end()
    outcome.show_best(CONFIG)
    print(as_called(outcome.where(CONFIG, address.shown())), flush=True)


onerror:
    WATCH.end()
    TIMED = [] if messages.SILENT.is_set() else outcome.timed(CONFIG)
    print(*map(as_called, TIMED), interrupt.last_words(), sep="\n", flush=True)
