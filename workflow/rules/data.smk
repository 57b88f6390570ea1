# Every problem is built once; runs memory-map it.


def problem_file(spec):
    """The file that says from what a problem was built."""
    return str(problems.note(spec.data, spec.test))


PROBLEMS = {problem_file(spec): spec for spec in CONFIG.specs}


def problem_inputs(wildcards):
    spec = PROBLEMS[f"results/problems/{wildcards.problem}.json"]
    return [*code.files_of_data(spec.data), *problems.user_files(spec.data, spec.test)]


def problem_words(wildcards):
    spec = PROBLEMS[f"results/problems/{wildcards.problem}.json"]
    return [spec.data, *(["--test", spec.test] if spec.test else [])]


rule problem:
    input:
        problem_inputs,
    output:
        "results/problems/{problem}.json",
    log:
        "results/logs/problems/{problem}.log",
    retries: 1
    conda:
        "../../environment.yml"
    params:
        words=problem_words,
    shell:
        "python -m bench problem {params.words:q} 2>&1 | tee {log:q}"
