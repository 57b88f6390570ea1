# Runs in batches. A batch that is killed keeps its finished runs, and one whose code changed makes again
# just the runs that the change touches: bench/runs/execute.py compares hashes.


rule batch:
    input:
        batch_inputs,
    output:
        f"{RESULTS}/batches/{{batch}}.json",
    log:
        f"{RESULTS}/logs/batches/{{batch}}.log",
    conda:
        "../../environment.yml"
    threads: lambda wildcards: BATCHES[wildcards.batch][0].threads
    params:
        runs=lambda wildcards: [spec.key for spec in BATCHES[wildcards.batch]],
    shell:
        "python -m bench batch --out {output:q} {params.runs:q} 2>&1 | tee {log:q}"


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
    params:
        data=lambda wildcards: PROBLEMS[f"{RESULTS}/problems/{wildcards.problem}.json"].data,
    shell:
        "python -m bench breakdown {params.data:q} --out {output:q} 2>&1 | tee {log:q}"
