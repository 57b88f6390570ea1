# What the rules share: the config's runs, problems, batches and figures, and the files of each.

with starting.sentences():
    CONFIG = configs.of(dict(config))
    BATCHES = CONFIG.batches
    # A job of a cluster is told what to make: it need not look at all that is there.
    MANIFESTS = CONFIG.manifests if workflow.is_main_process else {}
    FIGURES = CONFIG.figures if workflow.is_main_process else {}
    TRACKED = str(address.stamp(CONFIG.name))
    PROBLEMS = {str(problems.note(spec.data, spec.test)): spec for spec in CONFIG.specs}

RESULTS = results.root()


def problem_inputs(wildcards):
    spec = PROBLEMS[f"{RESULTS}/problems/{wildcards.problem}.json"]
    return [*programs.of_data(spec.data), *problems.user_files(spec.data, spec.test)]


def problem_words(wildcards):
    spec = PROBLEMS[f"{RESULTS}/problems/{wildcards.problem}.json"]
    return [spec.data, *(["--test", spec.test] if spec.test else [])]


def batch_inputs(wildcards):
    specs = BATCHES[wildcards.batch].specs
    files = {file for spec in specs for file in programs.of_run(spec)}
    # Other problems of a batch are folds or draws of the same data: its runs build them, faster than jobs would.
    return [str(problems.note(specs[0].data, specs[0].test)), *sorted(files)]


def batches_of(paper):
    """The files of all batches that make runs of a paper, or of the grid NAME for ``grid-NAME``."""
    wanted = set(CONFIG.runs_of[paper])
    return [str(MANIFESTS[name]) for name, batch in BATCHES.items() if wanted.intersection(batch.specs)]


def figure_code(paper):
    """What draws and judges a paper, or the generic figures of a grid."""
    rooms = [Path("bench/drawing"), Path("bench/papers"), Path("bench/papers", paper)]
    return sorted(file for room in rooms for file in room.glob("*.py"))


def breakdowns_of(paper):
    """The files of the measurements of one update that the paper's figures read."""
    return [str(update_costs.file(data)) for data in CONFIG.costs_of.get(paper, [])]


def breakdown_code(wildcards):
    return programs.of_breakdown(PROBLEMS[f"{RESULTS}/problems/{wildcards.problem}.json"].data)


def drawn():
    """The PNG files of all figures."""
    return [
        f"{results.figures(CONFIG.name)}/{paper}/{stem}.png"
        for paper, members in FIGURES.items()
        for stem in members
    ]
