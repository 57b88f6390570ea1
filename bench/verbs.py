"""The verbs of ``python -m bench``; each takes the parsed arguments and returns the exit code."""

import argparse
import json
import math
import sys
from pathlib import Path

import datasets
from algorithms.runtime.errors import UserError
from algorithms.runtime.options import defaults, split_options
from bench.drawing.terminal import print_table
from bench.runs import catalogue, execute, problems, store
from bench.runs.spec import Spec, check_name, make
from bench.runs.spec import parse as parse_key
from bench.workflow import plan
from datasets.fetching import download

OUTCOME = (
    "status", "C", "primal", "dual", "gap", "relative_gap", "passes", "wall_seconds", "cpu_seconds", "train_error",
    "test_error", "train_f1", "test_f1", "num_features", "num_examples", "message",
)  # fmt: skip


def say(line: str) -> None:
    """Tell the user something that is not the result."""
    print(line, file=sys.stderr, flush=True)


def do_run(given: argparse.Namespace) -> int:
    spec = make(
        given.data, given.loss, given.C, given.algorithm, split_options(",".join(given.set)), test=given.test,
        penalty=given.penalty, passes=given.passes, gap=given.gap, seconds=given.seconds, seed=given.seed,
        threads=given.threads,
    )  # fmt: skip
    folder = _folder(spec, given)
    _print_outcome(execute.run_one(spec, folder, say, given.again), folder)
    return 0


def do_path(given: argparse.Namespace) -> int:
    """Optimise falling values of C one after another (eg2008, section 7.1.2 and Table 2)."""
    path = [f"{name}={getattr(given, name)}" for name in ("first", "ratio", "tolerance")]
    params = split_options(",".join([*path, *given.set]))
    spec = make(
        given.data, given.loss, given.C, "eg-path", params, test=given.test, passes=given.passes,
        gap=given.tolerance, seconds=given.seconds, seed=given.seed, threads=given.threads,
    )  # fmt: skip
    folder = _folder(spec, given)
    made = execute.run_one(spec, folder, say, given.again)
    header = ["C", "passes", "total passes", "test error", "relative gap", "seconds"]
    print_table(header, [[_text(value) for value in row] for row in _stages(made.curve)])
    _print_outcome(made, folder)
    return 0


def _stages(curve) -> list[tuple[float, ...]]:
    """Of each C of a path: C, passes, passes up to here, error, gap and seconds up to here."""
    ends = curve[curve["passes"] > 0].groupby("C", sort=False).last()
    passes = ends["passes"].diff().fillna(ends["passes"])
    rows = zip(
        ends.index, passes, ends["passes"], ends["test_error"], ends["relative_gap"], ends["wall_seconds"],
        strict=True,
    )  # fmt: skip
    return [tuple(float(value) for value in row) for row in rows]


def _folder(spec: Spec, given: argparse.Namespace) -> Path:
    """The folder that the user named, or the one of the run's own name."""
    if given.out:
        return Path(given.out)
    check_name(spec)
    return store.RUNS / spec.key


def _print_outcome(made: store.Run, folder: Path) -> None:
    """What ``run`` and ``path`` end with."""
    say(f"{made.summary['status']}: {made.summary['message']}; see `python -m bench show {folder}`")
    outcome = {name: made.summary[name] for name in OUTCOME}
    print(json.dumps(outcome | {"run": made.key, "folder": str(folder)}))


def do_problem(given: argparse.Namespace) -> int:
    from algorithms.structures import interface as parts
    from algorithms.structures.segments import tags as segment_tags

    made = problems.obtain(given.data, given.test)[0]
    train = made.train
    cut = segment_tags.num_too_long(train)
    if cut:
        say(f"problem {given.data}: {cut:,} segments longer than {train.max_length} tokens are learned in pieces")
    say(f"problem {given.data}: {parts.num_examples(train):,} examples, {parts.num_weights(train):,} weights")
    return 0


def do_breakdown(given: argparse.Namespace) -> int:
    from bench.measure import breakdown

    say(f"wrote {breakdown.write(given.data, Path(given.out))}")
    return 0


def do_batch(given: argparse.Namespace) -> int:
    def done(spec: Spec, made: store.Run | None, error: str) -> None:
        if made is None:
            say(f"FAILED {spec.key}: {error}\n  by itself: {spec.command()}")
            return
        left = plan.finished(spec.key) or "[again]"
        error_rate = made.summary["test_error"]
        quality = "" if error_rate is None else f", test error {100 * error_rate:.2f}%"
        say(f"{left} {spec.key}: {made.summary['status']}, {made.summary['passes']:.3g} passes{quality}")

    specs = [parse_key(key) for key in given.keys]
    say(f"running {specs[0].algorithm} on {specs[0].data}, {len(specs)} runs")
    failed = execute.run_all(specs, store.RUNS, done, say)
    if failed:
        say(f"{failed} of {len(specs)} runs failed; the others are kept: the next `snakemake` makes only these")
        return 1
    plan.write_manifest(Path(given.out), [store.read(store.RUNS / spec.key) for spec in specs])
    return 0


def do_data(given: argparse.Namespace) -> int:
    if given.action == "list":
        return _table(("data set", "what it is"), {name: datasets.describe(name) for name in datasets.names()})
    if not given.names:
        raise UserError(f"data {given.action}: name a data set: {', '.join(datasets.names())}")
    for name in given.names:
        module = datasets.module(datasets.parse(name).name if ":" in name else name)
        if given.action == "fetch":
            for file in module.SOURCES:
                say(f"{download.fetch(file)}: {download.size(file):,} bytes, SHA-256 {file.sha256}")
            say(f"licence of {name}: {module.LICENCE}")
        else:
            _show_data(name, module)
    return 0


def _show_data(name: str, module) -> None:
    print(f"{name}: {(module.__doc__ or '').strip()}\n")
    print(f"licence: {module.LICENCE}")
    options = {key: value for key, value in defaults(module.load).items() if key != "test"}
    print(f"options: {', '.join(f'{key}={value}' for key, value in options.items()) or 'none'}")
    for file in module.SOURCES:
        size = download.size(file)
        there = (
            f"{size:,} bytes in {download.cache_folder()}"
            if size
            else f"at most {file.max_bytes:,} bytes, not fetched"
        )
        print(f"\nfile {file.name}: {there}\n  SHA-256 {file.sha256}")
        for source in file.sources:
            print(f"  from {source}")


def do_list(given: argparse.Namespace) -> int:
    kinds = {
        "algorithms": lambda: {
            name: _with_parameters(name, text) for name, text in catalogue.algorithms().items()
        },
        "structures": lambda: catalogue.structures(),
        "datasets": lambda: {name: datasets.describe(name) for name in datasets.names()},
        "figures": catalogue.papers,
    }
    for kind, members in kinds.items():
        if given.kind in (None, kind):
            _table((kind, ""), members())
    return 0


def _with_parameters(name: str, text: str) -> str:
    given = ", ".join(f"{key}={value}" for key, value in catalogue.parameters(name).items())
    penalties = catalogue.penalties(name)
    words = [f"--penalty {' or '.join(penalties)}"] if penalties not in (("l2",), ("none",)) else []
    words += [f"--set {given}"] if given else []
    return "\n".join([text, *words])


def do_show(given: argparse.Namespace) -> int:
    folder = Path(given.run)
    if not folder.exists():
        folder = store.RUNS / given.run
    found = store.read(folder)
    _table(("spec", ""), {k: _text(v) for k, v in found.spec.items() if v is not None})
    shown = {k: _text(v) for k, v in found.summary.items() if k not in ("provenance", "key")}
    _table(("summary", ""), shown)
    _table(("provenance", ""), {k: _text(v) for k, v in found.summary["provenance"].items()})
    curve = found.curve
    columns = [name for name in curve.columns if curve[name].notna().any()]
    rows = [[_text(float(row[name])) for name in columns] for _, row in curve.iterrows()]
    print_table(columns, rows)
    say(f"made by: {found.command}")
    return 0


def _config(given: argparse.Namespace):
    from bench.workflow import config

    return config.read(given.config)


def do_figures(given: argparse.Namespace) -> int:
    from bench.drawing import draw

    wanted = _chosen(_config(given).figures, given.only)
    runs = draw.Runs()
    for paper, members in wanted.items():
        for stem, figure in members.items():
            (sidecar,) = draw.draw(paper, {stem: figure}, runs)
            say(f"drew {sidecar.with_suffix('.png')}")
    return 0


def do_claims(given: argparse.Namespace) -> int:
    from bench.drawing import draw
    from bench.papers import judging as claims

    checked = _config(given)
    for paper, members in _chosen(checked.claims, given.only).items():
        judged = claims.judge(members, draw.Runs())
        claims.write(paper, checked.scale, judged)
        rows = [[c["verdict"], c["id"].partition("/")[2], c["claim"], c["theirs"], c["ours"]] for c in judged]
        print_table(["verdict", "id", "claim", "theirs", "ours"], rows)
    return 0


def _chosen(named: dict, only: str | None) -> dict:
    if only is None:
        return named
    if only not in named:
        raise UserError(f"--only {only}: the config has {', '.join(named) or 'none'}")
    return {only: named[only]}


def do_track(given: argparse.Namespace) -> int:
    from bench.drawing.draw import FIGURES
    from bench.tracking.track import track

    experiments: dict[str, list[str]] = {}
    for experiment, specs in _config(given).experiments.items():
        for spec in specs:
            experiments.setdefault(spec.key, []).append(experiment)
    counts = track(store.all_runs(), families=experiments, figures=FIGURES)
    say("MLflow: " + ", ".join(f"{count} runs {what}" for what, count in counts.items()))
    return 0


def do_report(given: argparse.Namespace) -> int:
    from bench.report import report

    checked = _config(given)
    wanted = {spec.key for spec in checked.specs}
    runs = [run for run in store.all_runs() if run.key in wanted]
    say(f"wrote {report.write(runs=runs, papers=checked.figures)}")
    return 0


def do_compare(given: argparse.Namespace) -> int:
    from bench.measure import compare

    return compare.main(given.parts)


def _text(value) -> str:
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else "-"
    if isinstance(value, dict):
        return ", ".join(f"{k}={_text(v)}" for k, v in value.items())
    return "-" if value is None else str(value)


def _table(header: tuple[str, str], rows: dict[str, str]) -> int:
    print_table([*header], [[name, text] for name, text in rows.items()])
    return 0
