# Figures and claims of each paper, and the generic figures of each grid: they read finished runs.


for PAPER, MEMBERS in FIGURES.items():

    rule:
        name:
            f"figures_{PAPER.replace('-', '_')}"
        input:
            batches_of(PAPER),
            breakdowns_of(PAPER),
            config=inputs_of(PAPER),
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
            *([str(results.claims(CONFIG.name) / f"{PAPER}.json")] if PAPER in CONFIG.papers else []),
        log:
            f"{RESULTS}/logs/figures-{PAPER}.log",
        localrule: True
        conda:
            "../../environment.yml"
        params:
            paper=PAPER,
        message:
            label(f"drawing {paper_modules.title(PAPER)}")
        shell:
            "python -m bench figures --claims --only {params.paper:q} --config {input.config[0]:q} > {log:q} 2>&1"
