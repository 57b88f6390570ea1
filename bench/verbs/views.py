"""``figures``, ``track`` and ``report``: what is made of a config's finished runs."""

import argparse
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from structbench.algorithms.runtime.commands import as_called, command
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import are, meant
from structbench.bench.runs import results
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec, parse
from structbench.bench.verbs import named
from structbench.bench.verbs.saying import NOT_KEPT, say
from structbench.bench.verbs.states import chosen
from structbench.bench.verbs.verb import A_RUN, CONFIG, PUBLISHED, STALE, argument, flag, verb
from structbench.bench.workflow import config, config_files
from structbench.datasets.references import file_names

if TYPE_CHECKING:
    from structbench.bench.drawing.draw import Figure

Chosen = TypeVar("Chosen")  # what is told from others by its name


@verb(
    CONFIG,
    STALE,
    argument("--only", metavar="PAPER[/FIGURE]", help="just a paper's, grid-NAME's, or a figure, of its own runs"),
    flag("--pdf", "write PDF, too"),
    flag("--claims", "judge the papers' sentences, too"),
    examples=("figures --only eg2008/fig10-mnist", "figures --only eg2008 --config config/paper.yaml", "figures"),
)
def do_figures(given: argparse.Namespace) -> int:
    """Draw the figures of a config from finished runs.

    List those that cannot be drawn. Return 1 if one of them was asked for by name, or if a drawing fails.
    """
    from structbench.bench.drawing import draw
    from structbench.bench.papers import judging

    checked = config.read_config(given.config)
    # with the figures of data that cannot be had: the list has them, too
    wanted = _chosen(replace(checked, without={}).figures, given.only)
    by_name = given.only not in (None, *wanted)
    runs = draw.Runs(with_stale=given.stale)
    if given.only is None and not runs.joined(checked.specs).present(checked.specs):
        raise UserError(
            f"none of the {len(checked.specs)} runs of the config {checked.name} is finished under "
            f"{runs.root.absolute()}: make them first "
            f"(`{command('status', *config_files.unless_usual(given.config), *results.words())}` says more)"
        )
    config_files.note_owner(checked.name, config_files.config_file(given.config))
    kinds = ("png",) if checked.scale == "tiny" else draw.USUAL
    kinds += ("pdf",) if given.pdf else ()
    lacking, failed = {}, False  # with --claims the workflow asks: its last job says which failed
    for paper, members in wanted.items():
        for stem, figure in members.items():
            if stem not in checked.figures[paper]:
                lacking[f"{paper}/{stem}"] = _asked(figure, runs)
                continue
            (sidecar,) = draw.draw_figures(paper, {stem: figure}, runs, results.figures(checked.name), kinds)
            said = draw.read_sidecar(sidecar)
            if said.failed:
                say(f"{paper}/{stem} is not drawn: {said.failed}")
                failed = True
            elif said.runs or not said.missing:
                missing, merged = len(said.missing), _merged(checked)
                why = (
                    "were made on another machine"
                    if merged.issuperset(said.missing)
                    else f"{are(missing)} not finished"
                )
                some = f", without {missing} of its {missing + len(said.runs)} runs, which {why}"
                say(f"drew {sidecar.with_suffix('.png')}{some if missing else ''}")
            else:
                lacking[f"{paper}/{stem}"] = said.missing
    is_judged = given.claims and not given.stale  # a report would show verdicts of stale runs as others
    if given.claims and given.stale:
        say(NOT_KEPT)
    for paper in [name for name in wanted if is_judged and name in checked.papers]:
        judged = judging.judge(checked.claims[paper], runs.afresh())
        judging.write_claims(paper, checked.scale, judged, results.claims(checked.name))
    if lacking:
        _say_lacking(lacking, checked, config_files.config_file(given.config))
    return 1 if (by_name and lacking) or (failed and not given.claims) else 0


def _asked(figure: "Figure", runs: Runs) -> list[str]:
    """The keys of the runs that a figure of data that cannot be had asks for, until drawing it fails."""
    asked = runs.afresh()
    with suppress(Exception):  # of any kind, as in ``draw``: it is not drawn in any case
        figure.draw(asked)
    return [spec.key for spec in asked.asked]


def _merged(checked: config.Config) -> set[str]:
    """The keys of the merged runs that need not be made here."""
    return {spec.key for spec, each in checked.merged.items() if each.is_finished}


def _say_lacking(lacking: dict[str, list[str]], checked: config.Config, file: str) -> None:
    """List figures that cannot be drawn, each with the keys of its runs, and say what would help.

    file: The config's.
    """
    cannot_be_had = checked.without
    paths = {name: path for spec in checked.specs for name, path in spec.paths.items()}
    say(f"{len(lacking)} not drawn:")
    gone, makeable, merged = {}, [], _merged(checked)
    for name, keys in lacking.items():
        data = {parse(key, paths).data.name for key in keys} & cannot_be_had.keys()
        gone |= {each: cannot_be_had[each] for each in sorted(data)}
        if data or not keys:
            say(f"  {name} needs {' and '.join(sorted(data)) or 'data that cannot be had'}")
        elif merged.issuperset(keys):  # what a figure lacks of such runs is their seconds
            runs = f"{len(keys)} runs were" if len(keys) > 1 else "run was"
            say(f"  {name} needs seconds of this machine: its {runs} made on another")
        else:
            keys = [key for key in keys if key not in merged]
            makeable += keys
            runs = f"{len(keys)} runs that are" if len(keys) > 1 else "a run that is"
            say(f"  {name} needs {runs} not finished, for example {keys[0]}")
    say(*dict.fromkeys(gone.values()))
    if makeable:
        alone = parse(makeable[0], paths).command().removesuffix(" --out DIR")
        makes = config_files.make_command(file)
        say(f"`{makes}` makes all runs of the config; the first of these alone: `{alone}`")


def _chosen(named: dict[str, dict[str, Chosen]], only: str | None) -> dict[str, dict[str, Chosen]]:
    """All papers, or the one that is named, or of one PAPER/FIGURE just that figure.

    Raises:
        UserError: There is no such paper or figure.
    """
    if only is None:
        return named
    if only in named:
        return {only: named[only]}
    figures = {f"{paper}/{stem}": {paper: {stem: has[stem]}} for paper, has in named.items() for stem in has}
    if only in figures:
        return figures[only]
    hint = meant(only, [*named, *figures]).strip()
    there = ", ".join(named.get(only.partition("/")[0], named)) or "nothing"
    raise UserError(f"--only {only}: {hint or f'there is {there}'}")


@verb(
    CONFIG,
    STALE,
    flag("--without-figures", "only the runs"),
    argument("--model", action="append", default=[], metavar="RUN", help=f"with the model of {A_RUN}"),
    examples=("track", "track --config config/mine.yaml --without-figures"),
)
def do_track(given: argparse.Namespace) -> int:
    """Log finished runs and drawn figures to MLflow."""
    from structbench.bench.drawing import best
    from structbench.bench.tracking import served
    from structbench.bench.tracking.track import track

    experiments: dict[str, list[str]] = {}
    checked = config.read_config(given.config)
    for experiment, specs in checked.experiments.items():
        for spec in specs:
            experiments.setdefault(spec.key, []).append(experiment)
    runs = chosen(given.stale, with_others=True)  # also those that the config does not have
    missing = len(experiments.keys() - {run.key for run in runs})
    models = {}
    for name in given.model:
        with results.kept():
            run = named.run_named(name)
        if run.folder.resolve() not in {each.folder.resolve() for each in runs}:
            raise UserError(f"--model {run.folder}: it is not among the {len(runs)} finished runs that are logged")
        if not served.can_serve(run):
            raise UserError(f"--model {run.folder}: its model takes no text: use `bench predict`, not MLflow")
        models[run.key] = run
    made = Runs(with_stale=given.stale)
    for grid in () if given.without_figures else checked.grids:
        for table in best.best(grid.specs, made).tables:
            spec = table.rows[0].on_everything
            if (run := made.joined([spec])[spec]) is not None:
                models[model_name(grid.name, spec)] = run
            elif spec != table.rows[0].runs[0]:
                say(f"grid {grid.name}: no model: {served.of_fold(spec)}")
    name, curves = "" if given.without_figures else checked.name, checked.given.get("mlflow_curves", False)
    counts = track(runs, families=experiments, config=name, drawn=checked.figures, models=models, curves=curves)
    counts |= {"missing": missing} if missing else {}
    told = (f"{count} {'models' if what == 'models' else f'runs {what}'}" for what, count in counts.items())
    say(f"MLflow: {', '.join(told)}")
    return 0


def model_name(grid: str, spec: Spec) -> str:
    """What MLflow calls the model of the best run of a grid: with short names of the user's files."""
    return f"best of {grid} on {spec.data.key}" + (f" {file_names.short(spec.test)}" if spec.test else "")


@verb(CONFIG, STALE, PUBLISHED, examples=("report --config config/mine.yaml", "report --published eg2008"))
def do_report(given: argparse.Namespace) -> int:
    """Write the report of a config, results/CONFIG/report/index.html."""
    from structbench.bench.drawing import best
    from structbench.bench.report import published_runs, report
    from structbench.bench.workflow import outcome

    checked = config.read_config(given.config)
    asked = {name: checked.runs_of[name] for name in (f"grid-{grid.name}" for grid in checked.grids)}
    made = Runs(with_stale=given.stale)
    grids = {name: best.best(specs, made, best.headline(specs)) for name, specs in asked.items()}
    wanted = {spec.key for spec in checked.specs}
    runs = chosen(given.stale, given.config, wanted)
    there = {run.key for run in runs}
    elsewhere = chosen(given.stale, given.config, wanted, with_ours=False, with_others=True)
    if given.published:
        beside = published_runs.published_beside(runs, given.published, with_seconds=True)
        elsewhere += beside.runs
        say(*beside.said)
    config_files.note_owner(checked.name, config_files.config_file(given.config))
    page = report.write_report(
        results.report(checked.name),
        runs,
        results.figures(checked.name),
        results.claims(checked.name),
        checked.figures,
        missing={key: why for key, why in outcome.missing(checked).items() if key not in there},
        left_out=[*checked.left_out, *checked.skipped],
        elsewhere=elsewhere,
        name=checked.name,
        grids=grids,
        warnings=[*map(as_called, outcome.timed(checked, given.stale, given.config))],
    )
    say(f"wrote {page}, and {page.with_name('explorer.html')}")
    return 0
