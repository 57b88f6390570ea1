# Figures and claims of each paper, and the generic figures of each grid: they read finished runs.


def batches_of_paper(paper):
    name = paper.removeprefix("grid-")
    return batches_of(*(f for f in CONFIG.families if f.startswith(f"{paper}/") or f == f"grid/{name}"))


for PAPER, MEMBERS in FIGURES.items():

    rule:
        name:
            f"figures_{PAPER.replace('-', '_')}"
        input:
            batches_of_paper(PAPER),
            sorted(Path("bench/figures").glob("*.py")),
            "bench/draw.py",
        output:
            *[
                report(
                    f"results/figures/{PAPER}/{stem}.png",
                    caption="../report/figure.rst",
                    category=PAPER,
                    labels={"figure": figure.title},
                )
                for stem, figure in MEMBERS.items()
            ],
        log:
            f"results/logs/figures-{PAPER}.log",
        conda:
            "../../environment.yml"
        params:
            paper=PAPER,
            config=CONFIG.text,
        shell:
            "python -m bench figures --only {params.paper:q} --config {params.config:q} 2>&1 | tee {log:q}"


rule claims:
    input:
        lambda wildcards: batches_of_paper(wildcards.paper),
        sorted(Path("bench/figures").glob("*.py")),
        "bench/claims.py",
    output:
        "results/claims/{paper}.json",
    log:
        "results/logs/claims-{paper}.log",
    conda:
        "../../environment.yml"
    params:
        config=CONFIG.text,
    shell:
        "python -m bench claims --only {wildcards.paper:q} --config {params.config:q} > {log:q} 2>&1"


def drawn():
    """The PNG files of all figures."""
    return [f"results/figures/{paper}/{stem}.png" for paper, members in FIGURES.items() for stem in members]
