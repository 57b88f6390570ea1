# Figures and claims of each paper, and the generic figures of each grid: they read finished runs.


for PAPER, MEMBERS in FIGURES.items():

    rule:
        name:
            f"figures_{PAPER.replace('-', '_')}"
        input:
            batches_of(PAPER),
            breakdowns_of(PAPER),
            figure_code(PAPER),
        output:
            *[
                report(
                    f"{results.figures(CONFIG.name)}/{PAPER}/{stem}.png",
                    caption="../report/figure.rst",
                    category=PAPER,
                    labels={"figure": figure.title},
                )
                for stem, figure in MEMBERS.items()
            ],
        log:
            f"{RESULTS}/logs/figures-{PAPER}.log",
        localrule: True
        conda:
            "../../environment.yml"
        params:
            paper=PAPER,
            config=CONFIG.text,
        shell:
            "python -m bench figures --only {params.paper:q} --config {params.config:q} > {log:q} 2>&1"


rule claims:
    input:
        lambda wildcards: batches_of(wildcards.paper),
        lambda wildcards: breakdowns_of(wildcards.paper),
        lambda wildcards: figure_code(wildcards.paper),
    output:
        str(results.claims(CONFIG.name) / "{paper}.json"),
    log:
        f"{RESULTS}/logs/claims-{{paper}}.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        config=CONFIG.text,
    shell:
        "python -m bench claims --only {wildcards.paper:q} --config {params.config:q} > {log:q} 2>&1"
