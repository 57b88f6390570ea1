# Runs in batches. A batch that is killed keeps its finished runs, and one whose code changed makes again
# just the runs that the change touches: bench/runs/execute.py compares hashes. One whose seconds are read takes all
# cores, so that nothing runs beside it.


rule batch:
    input:
        batch_inputs,
    output:
        f"{RESULTS}/batches/{{batch}}.{{attempt}}.json",
    log:
        f"{RESULTS}/logs/batches/{{batch}}.{{attempt}}.log",
    wildcard_constraints:
        attempt=r"\d+",
    conda:
        "../../environment.yml"
    threads: lambda wildcards: workflow.cores if BATCHES[wildcards.batch].alone else BATCHES[wildcards.batch].threads
    params:
        runs=lambda wildcards: [spec.key for spec in BATCHES[wildcards.batch].specs],
        alone=lambda wildcards: "--alone" if BATCHES[wildcards.batch].alone else "",
        memory=lambda wildcards: "--memory" if CONFIG.measured.intersection(BATCHES[wildcards.batch].specs) else "",
    shell:
        "python -m bench batch --out {output:q} {params.alone} {params.memory} {params.runs:q} > {log:q} 2>&1"


rule breakdown:
    input:
        f"{RESULTS}/problems/{{problem}}.json",
        breakdown_code,
    output:
        f"{RESULTS}/breakdown/{{problem}}.json",
    log:
        f"{RESULTS}/logs/breakdown/{{problem}}.log",
    conda:
        "../../environment.yml"
    threads: workflow.cores
    params:
        data=lambda wildcards: PROBLEMS[f"{RESULTS}/problems/{wildcards.problem}.json"].data,
    shell:
        "python -m bench breakdown {params.data:q} --out {output:q} > {log:q} 2>&1"
