# Figures and claims of each paper, and the generic figures of each grid: they read finished runs.


for PAPER, MEMBERS in FIGURES.items():

    rule:
        name:
            f"figures_{PAPER.replace('-', '_')}"
        input:
            batches_of(PAPER),
            breakdowns_of(PAPER),
            stamps.of_view(PAPER),
            config=str(parts.part(CONFIG, PAPER)),
        output:
            *[
                report(
                    f"{results.figures(CONFIG.name)}/{PAPER}/{stem}.png",
                    caption="../report/figure.rst",
                    category=PAPER,
                    labels={"figure": label(figure.title)},
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
        shell:
            "python -m bench figures --only {params.paper:q} --config {input.config:q} > {log:q} 2>&1"


rule claims:
    input:
        lambda wildcards: batches_of(wildcards.paper),
        lambda wildcards: breakdowns_of(wildcards.paper),
        lambda wildcards: stamps.of_view(wildcards.paper),
        config=lambda wildcards: str(parts.part(CONFIG, wildcards.paper)),
    output:
        str(results.claims(CONFIG.name) / "{paper}.json"),
    log:
        f"{RESULTS}/logs/claims-{{paper}}.log",
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "python -m bench claims {wildcards.paper:q} --config {input.config:q} > {log:q} 2>&1"
