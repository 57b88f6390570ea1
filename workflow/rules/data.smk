# Every problem is built once, where the downloads are; runs memory-map it. The note of one that is out of date is
# taken away when the workflow starts (bench/workflow/view_inputs.py).


rule problem:
    output:
        f"{RESULTS}/problems/{{problem}}.json",
    log:
        f"{RESULTS}/logs/problems/{{problem}}.log",
    retries: 1
    localrule: True
    conda:
        "../../environment.yml"
    params:
        words=problem_words,
    message:
        "preparing {params.words}"
    shell:
        "python -m bench problem {params.words:q} > {log:q} 2>&1"
