# Runs in batches, of runs that bench/runs/state.py does not find finished. A batch that is killed keeps its finished
# runs. `snakemake -F` makes all of them again. One whose seconds are read takes all cores, so that nothing runs beside
# it; on a cluster, a node. There, batches of a group share a job, one after another. If the system killed a run, for
# memory, the batch fails while attempts are left; then what reads the runs is made of the others.


rule batch:
    input:
        lambda wildcards: ancient(job(wildcards).problem),
    output:
        f"{RESULTS}/batches/{{batch}}.{{attempt}}.journal",
    log:
        f"{RESULTS}/logs/batches/{{batch}}.{{attempt}}.log",
    wildcard_constraints:
        attempt=r"\d+",
    group:
        lambda wildcards: "alone" if job(wildcards).alone else "together"
    conda:
        "../../environment.yml"
    threads: lambda wildcards: workflow.cores if job(wildcards).alone else job(wildcards).threads
    resources:
        cpus_per_task=lambda wildcards: job(wildcards).threads,
        slurm_extra=lambda wildcards: "--exclusive" if job(wildcards).alone else "",
        attempt=lambda wildcards, attempt: attempt,
        runtime=lambda wildcards, attempt: job(wildcards).minutes_for(attempt),
        mem_mb=lambda wildcards, attempt: job(wildcards).megabytes_for(attempt),
    params:
        runs=lambda wildcards: job(wildcards).runs,
        how=lambda wildcards: job(wildcards).how,
    shell:
        "python -m bench batch --out {output:q} --attempt {resources.attempt} {params.how} {params.runs:q} > {log:q} 2>&1"


rule breakdown:
    input:
        ancient(f"{RESULTS}/problems/{{problem}}.json"),
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
        data=lambda wildcards: problem_words(wildcards)[0],
    message:
        "timing an update on {params.data}"
    shell:
        "python -m bench breakdown --out {output:q} {params.data:q} > {log:q} 2>&1"
