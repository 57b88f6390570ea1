# What the rules share: the config's runs, problems, batches and figures, and the files of each.

with starting.sentences():
    CONFIG = configs.of(dict(config))
    unchanged.begin(ASKED, CONFIG, workflow.configfiles, address.of().file)
    BATCHES = CONFIG.batches
    # A job of a cluster is told what to make: it need not look at all that is there.
    MANIFESTS = CONFIG.manifests if workflow.is_main_process else {}
    FIGURES = CONFIG.figures if workflow.is_main_process else {}
    TRACKED = str(address.stamp(CONFIG.name))
    PROBLEMS = {str(problems.note(*each)): each for each in {(spec.data, spec.test) for spec in CONFIG.specs}}
    if workflow.is_main_process:
        parts.write(CONFIG)
        store.writable(results.batches() / "batch")

RESULTS = results.root()


def problem_of(wildcards):
    """The data set and the test file of a problem."""
    return PROBLEMS[f"{RESULTS}/problems/{wildcards.problem}.json"]


def problem_words(wildcards):
    data, test = problem_of(wildcards)
    return [data, *(["--test", test] if test else [])]


def batch_inputs(wildcards):
    specs = BATCHES[wildcards.batch].specs
    # Other problems of a batch are of the same files: its runs build them, faster than jobs would.
    return [str(problems.note(specs[0].data, specs[0].test)), *sorted(set(map(stamps.of_run, specs)))]


def batches_of(paper):
    """The files of all batches that make runs of a paper, or of the grid NAME for ``grid-NAME``."""
    wanted = {spec.key for spec in CONFIG.runs_of[paper]}
    return [
        str(MANIFESTS[name]) for name, batch in BATCHES.items() if any(spec.key in wanted for spec in batch.specs)
    ]


def breakdowns_of(paper):
    """The files of the measurements of one update that the paper's figures read."""
    return [str(update_costs.file(data)) for data in CONFIG.costs_of.get(paper, [])]


def label(title):
    """A title in Snakemake's own report, which takes a name in braces for a wildcard."""
    return title.replace("{", "(").replace("}", ")")


def drawn():
    """The PNG files of all figures."""
    return [
        f"{results.figures(CONFIG.name)}/{paper}/{stem}.png"
        for paper, members in FIGURES.items()
        for stem in members
    ]
