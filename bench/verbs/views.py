"""``figures``, ``claims``, ``track`` and ``report``: what is made of a config's finished runs."""

import argparse

from algorithms.runtime.errors import UserError
from bench.drawing.terminal import print_table
from bench.runs import hosts, results, store
from bench.verbs.saying import say


def _config(given: argparse.Namespace):
    from bench.workflow import config

    return config.read(given.config)


def do_figures(given: argparse.Namespace) -> int:
    from bench.drawing import draw

    checked = _config(given)
    wanted = _chosen(checked.figures, given.only)
    runs = draw.Runs()
    if not any(store.finished(runs.root / spec.key) for spec in checked.specs):
        raise UserError(
            f"none of the {len(checked.specs)} runs of the config {checked.name} is finished under {runs.root}: "
            "make them first"
        )
    kinds = ("png",) if checked.scale == "tiny" else None
    for paper, members in wanted.items():
        for stem, figure in members.items():
            (sidecar,) = draw.draw(paper, {stem: figure}, runs, results.figures(checked.name), kinds)
            say(f"drew {sidecar.with_suffix('.png')}")
    return 0


def do_claims(given: argparse.Namespace) -> int:
    from bench.drawing import draw
    from bench.papers import judging as claims

    checked = _config(given)
    for paper, members in _chosen(checked.claims, given.only).items():
        judged = claims.judge(members, draw.Runs())
        claims.write(paper, checked.scale, judged, results.claims(checked.name))
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
    from bench.tracking.track import track

    experiments: dict[str, list[str]] = {}
    checked = _config(given)
    for experiment, specs in checked.experiments.items():
        for spec in specs:
            experiments.setdefault(spec.key, []).append(experiment)
    runs = store.all_runs()
    missing = len(experiments.keys() - {run.key for run in runs})
    counts = track(
        [*runs, *(run for _, run in hosts.merged())],
        families=experiments,
        figures=None if given.without_figures else results.figures(checked.name),
        missing=missing,
    )
    say("MLflow: " + ", ".join(f"{count} runs {what}" for what, count in counts.items()))
    return 0


def do_report(given: argparse.Namespace) -> int:
    from bench.report import report
    from bench.workflow import outcome

    checked = _config(given)
    wanted = {spec.key for spec in checked.specs}
    runs = [run for run in store.all_runs() if run.key in wanted]
    page = report.write(
        results.report(checked.name) / "index.html",
        runs,
        results.figures(checked.name),
        results.claims(checked.name),
        checked.figures,
        missing=outcome.missing(checked),
        left_out=[*checked.left_out, *checked.skipped],
        elsewhere=[run for _, run in hosts.merged() if run.key in wanted],
    )
    say(f"wrote {page}, and {page.with_name('explorer.html')}")
    return 0
