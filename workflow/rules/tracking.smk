# Views of the finished runs: MLflow and the report.


rule track:
    input:
        [batch_file(name) for name in BATCHES],
        drawn(),
        sorted(Path("bench/tracking").glob("*.py")),
    output:
        update(TRACKED),
    log:
        f"{RESULTS}/logs/track.log",
    conda:
        "../../environment.yml"
    params:
        config=CONFIG.text,
    shell:
        "python -m bench track --config {params.config:q} 2>&1 | tee {log:q} && touch {output:q}"


rule report:
    input:
        [batch_file(name) for name in BATCHES],
        drawn(),
        expand(str(results.claims(CONFIG.name) / "{paper}.json"), paper=CONFIG.papers),
        sorted(file for file in Path("bench/report").rglob("*") if file.is_file() and file.suffix != ".pyc"),
    output:
        report(f"{results.report(CONFIG.name)}/index.html", caption="../report/report.rst", category="report"),
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        "../../environment.yml"
    params:
        config=CONFIG.text,
    shell:
        "python -m bench report --config {params.config:q} 2>&1 | tee {log:q}"
