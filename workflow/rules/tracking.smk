# Views of the finished runs: MLflow and the report.


# Most of the tracking is done while figures are drawn.
rule track_runs:
    input:
        JOURNALS,
        config=inputs_of("tracking"),
    output:
        touch(f"{RESULTS}/{CONFIG.name}/runs-tracked"),
    log:
        f"{RESULTS}/logs/track-runs.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "logging the runs to MLflow"
    shell:
        "python -m bench track --without-figures --config {input.config[0]:q} > {log:q} 2>&1"


rule track:
    input:
        JOURNALS,
        rules.track_runs.output,
        drawn(),
        expand(str(results.claims(CONFIG.name) / "{paper}.json"), paper=CONFIG.papers),
        config=inputs_of("tracking"),
    output:
        touch(TRACKED),
    log:
        f"{RESULTS}/logs/track.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "logging to MLflow"
    shell:
        "python -m bench track --config {input.config[0]:q} > {log:q} 2>&1"


rule report:
    input:
        JOURNALS,
        drawn(),
        expand(str(results.claims(CONFIG.name) / "{paper}.json"), paper=CONFIG.papers),
        config=inputs_of("report"),
    output:
        report(
            directory(results.report(CONFIG.name)),
            caption="../report/report.rst",
            category="report",
            htmlindex="index.html",
        ),
    log:
        f"{RESULTS}/logs/report.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "writing the report"
    shell:
        "python -m bench report --config {input.config[0]:q} > {log:q} 2>&1"


# The last word: it fails if a run is missing, once all else is made of the others.
rule outcome:
    input:
        rules.report.output,
        TRACKED,
    output:
        f"{RESULTS}/{CONFIG.name}/complete",
    log:
        f"{RESULTS}/logs/outcome.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        config=inputs_of("report")[0],
    shell:
        "python -m bench outcome --config {params.config:q} --out {output:q} > {log:q} 2>&1"
