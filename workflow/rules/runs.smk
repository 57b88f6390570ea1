# Runs in batches. A batch that is killed keeps its finished runs, and one whose code changed makes again
# just the runs that the change touches: bench/execute.py compares hashes.


def batch_file(name):
    return f"results/batches/{name}.json"


def batch_inputs(wildcards):
    specs = BATCHES[wildcards.batch]
    files = {file for spec in specs for file in code.files_of_run(spec)}
    return [problem_file(specs[0]), *sorted(files)]


def batches_of(*families):
    """The files of all batches that make runs of these families."""
    wanted = {spec for family in families for spec in CONFIG.families[family]}
    return [batch_file(name) for name, specs in BATCHES.items() if wanted.intersection(specs)]


rule batch:
    input:
        batch_inputs,
    output:
        "results/batches/{batch}.json",
    log:
        "results/logs/batches/{batch}.log",
    conda:
        "../../environment.yml"
    threads: lambda wildcards: BATCHES[wildcards.batch][0].threads
    params:
        runs=lambda wildcards: [spec.key for spec in BATCHES[wildcards.batch]],
    shell:
        "python -m bench batch --out {output:q} {params.runs:q} 2>&1 | tee {log:q}"
