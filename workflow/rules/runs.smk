# Runs in batches. A batch that is killed keeps its finished runs, and one whose code changed makes again
# just the runs that the change touches: bench/runs/execute.py compares hashes. `snakemake -F` makes all of them again
# (bench/workflow/plan.py). One whose seconds are read takes all
# cores, so that nothing runs beside it; on a cluster, a node. There, batches of a group share a job, one after another.


rule batch:
    input:
        batch_inputs,
    output:
        f"{RESULTS}/batches/{{batch}}.{{attempt}}.json",
    log:
        f"{RESULTS}/logs/batches/{{batch}}.{{attempt}}.log",
    wildcard_constraints:
        attempt=r"\d+",
    group:
        lambda wildcards: "alone" if BATCHES[wildcards.batch].alone else "together"
    conda:
        "../../environment.yml"
    threads: lambda wildcards: workflow.cores if BATCHES[wildcards.batch].alone else BATCHES[wildcards.batch].threads
    resources:
        cpus_per_task=lambda wildcards: BATCHES[wildcards.batch].threads,
        slurm_extra=lambda wildcards: "--exclusive" if BATCHES[wildcards.batch].alone else "",
        # minutes of a SLURM job: ten times what is expected, and an hour at least
        runtime=lambda wildcards: max(60, int(sum(map(estimate.seconds, BATCHES[wildcards.batch].specs)) / 6)),
    params:
        runs=lambda wildcards: [spec.key for spec in BATCHES[wildcards.batch].specs],
        how=lambda wildcards: BATCHES[wildcards.batch].options,
    shell:
        "python -m bench batch --out {output:q} {params.how} {params.runs:q} > {log:q} 2>&1"


rule breakdown:
    input:
        f"{RESULTS}/problems/{{problem}}.json",
        lambda wildcards: stamps.of_breakdown(problem_of(wildcards)[0]),
    output:
        f"{RESULTS}/breakdown/{{problem}}.json",
    log:
        f"{RESULTS}/logs/breakdown/{{problem}}.log",
    priority: 1  # figures wait for it
    conda:
        "../../environment.yml"
    threads: workflow.cores
    resources:
        slurm_extra="--exclusive",
    params:
        data=lambda wildcards: problem_of(wildcards)[0],
    message:
        "timing an update on {params.data}"
    shell:
        "python -m bench breakdown {params.data:q} --out {output:q} > {log:q} 2>&1"
