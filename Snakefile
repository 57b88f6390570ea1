# structbench: data -> problems -> runs -> figures, claims, MLflow, report.
#
#   snakemake --cores 2                                    config/quick.yaml
#   snakemake --cores 2 --configfile config/paper.yaml     the papers' grids, hours
#   snakemake --cores 2 --config mirror=DIR                data sets' files from a folder
#   snakemake --profile workflow/profiles/slurm            batches as SLURM jobs: docs/clusters.md

import os
import sys
from pathlib import Path

sys.path.insert(0, workflow.basedir)  # Snakemake 9 does not look there for modules

from snakemake.utils import min_version

from bench.runs import problems, programs, results, update_costs
from bench.workflow import config as configs
from bench.workflow import interrupt, lock, messages, outcome, plan, scheduler, starting, watch
from bench.tracking import address

min_version("9.0")
plan.use_this_python()
if workflow.is_main_process:
    interrupt.before_jobs()
    messages.attach(workflow.output_settings)


if not workflow.configfiles:
    with starting.sentences():
        configs.loaded("config/quick.yaml")

    configfile: "config/quick.yaml"


config.setdefault("name", configs.named_after(workflow.configfiles[-1]))


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/tracking.smk"


localrules:
    all,


WATCH = watch.Watch()

if workflow.is_main_process and plan.dry(sys.argv):
    print(plan.said(plan.of(CONFIG, workflow.cores, workflow.nodes or 1), CONFIG), flush=True)


rule all:
    default_target: True
    input:
        f"{results.report(CONFIG.name)}/index.html",
        TRACKED,
        # asked for by name, or one that is gone would not be missed while what is made of it is there
        MANIFESTS.values(),
        drawn(),
        f"{RESULTS}/{CONFIG.name}/complete",


onstart:
    lock.hold()
    PLAN = plan.of(CONFIG, workflow.cores, workflow.nodes or 1)
    print(plan.said(PLAN, CONFIG), flush=True)
    scheduler.calm(workflow.scheduler)
    interrupt.with_jobs(WATCH.end)
    WATCH.begin(PLAN)


onsuccess:
    WATCH.end()
    outcome.show_best(CONFIG)
    print(outcome.where(CONFIG, address.shown()), flush=True)


onerror:
    WATCH.end()
    print(interrupt.last_words(), flush=True)
