# What the rules share: the config's runs, problems, batches and figures, and the files of each.

with starting.sentences():
    starting.check_results(results.root())
    with config_files.named(str((workflow.configfiles or ["config"])[-1]), bool(workflow.config_settings.config)):
        CONFIG = configs.config_of(dict(config))
    starting.check_results(results.root())  # the config may have named another
    starting.check_cores(sys.argv)
    if MAKES:
        starting.check_slurm(sys.argv)
        store.writable(results.batches() / "batch")
        for said in lock.take():
            print(said, file=sys.stderr, flush=True)
        if workflow.configfiles and not IMPORTED:
            config_files.note_owner(CONFIG.name, workflow.configfiles[-1])
        view_inputs.sweep(CONFIG)
        batches.write_jobs(CONFIG.name, CONFIG.batches)
    # A job of a cluster is told what to make: it need not look at all that is there.
    BATCHES = CONFIG.batches if MAIN else {}
    JOBS = {name: batch.job for name, batch in BATCHES.items()} if MAIN else batches.read_jobs(CONFIG.name)
    JOURNALS = [str(batch.journal) for batch in BATCHES.values()]
    FIGURES = CONFIG.figures if MAIN else {}
    TRACKED = str(address.stamp(CONFIG.name))
    PROBLEMS = {str(problem_store.note(*each)): each for each in {(spec.data, spec.test) for spec in CONFIG.specs}}
    if MAIN:
        view_inputs.write_inputs(CONFIG)

RESULTS = results.root()


def job(wildcards):
    """What the job of a batch needs."""
    return JOBS[wildcards.batch]


def problem_words(wildcards):
    """The data set and the test file of a problem, as ``bench problem`` takes them."""
    data, test = PROBLEMS[f"{RESULTS}/problems/{wildcards.problem}.json"]
    return [data.text, *(["--test", test] if test else [])]


def batches_of(paper):
    """The journals of the batches that make runs of a paper, or of the grid NAME for ``grid-NAME``."""
    wanted = set(CONFIG.runs_of[paper])
    return [str(batch.journal) for batch in BATCHES.values() if not wanted.isdisjoint(batch.specs)]


def breakdowns_of(paper):
    """The files of the measurements of one update that the paper's figures read."""
    return [str(update_costs.file(data)) for data in CONFIG.costs_of.get(paper, [])]


def inputs_of(view):
    """The two files by which a view is seen to be out of date; the first is a config for its job."""
    return [view_inputs.part(CONFIG.name, view), view_inputs.runs(CONFIG.name, view)]


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
