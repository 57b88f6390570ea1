"""``export``, ``publish``, ``compare`` and ``merge``: share finished runs, import others', and compare two."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import results, state, store
from structbench.bench.verbs import named
from structbench.bench.verbs.saying import document, percent, say, say_disturbed, text
from structbench.bench.verbs.states import chosen
from structbench.bench.verbs.verb import A_RUN, CONFIG, JSON, PUBLISHED, STALE, USUAL_CONFIG, argument, flag, verb
from structbench.bench.workflow import config
from structbench.bench.workflow.config_files import make_command

if TYPE_CHECKING:
    from structbench.bench.sharing.compare import Comparison, Level


@verb(
    STALE,
    argument("--config", metavar="FILE", help="just the runs of this config (default: all)"),
    argument("--model", metavar="RUN", help=f"instead: the model of {A_RUN}"),
    argument(
        "--out",
        metavar="DIR",
        help="a .parquet file (default: results/export.parquet); of a model, a folder (default: results/model)",
    ),
    examples=("export --config mine --out mine.parquet", "export --model results/runs/mine --out m", "export"),
)
def do_export(given: argparse.Namespace) -> int:
    """Write the checkpoints of all runs as one Parquet file, or the model of a run."""
    from structbench.bench.sharing.export import export

    if given.model:
        from structbench.bench.verbs.predicting import read_model

        if given.config or given.stale:
            raise UserError("--model is of one run: leave out --config and --stale")
        say(f"wrote {read_model(given.model).write(Path(given.out or results.root() / 'model'))}")
        return 0
    out = named.file_out(given.out) if given.out else None
    if given.config:
        keys = {spec.key for spec in config.read_config(given.config).specs}  # first: it may name folders
        runs = chosen(given.stale, given.config, keys, with_others=True)
        if not runs:
            makes = make_command(given.config)
            raise UserError(
                f"no run of the config {given.config} is finished to be exported: `{makes}` makes them"
            )
    else:
        runs = chosen(given.stale, with_others=True)
    say(f"wrote {export(runs, out or results.root() / 'export.parquet')}")
    return 0


@verb(
    argument("papers", nargs="*", metavar="PAPER", help="just these; of others, what is there stays"),
    CONFIG,
    argument("--out", metavar="DIR", default="docs/results", help="where to (default: docs/results)"),
    flag("--check", "instead: what is edited, of older code or rules, or of a commit not in the history"),
    flag("--optima", "instead: the table of certified optima, with what your finished runs prove"),
    examples=("publish --config config/paper.yaml", "publish laso2005 --config paper", "publish --check"),
)
def do_publish(given: argparse.Namespace) -> int:
    """Write what came of a config's runs into docs/results."""
    from structbench.bench.report import history, published_check

    out, own = Path(given.out), list[store.Run]()
    if (given.check or given.optima) and (given.papers or (given.check and given.optima)):
        which = " or ".join(f"--{each}" for each in ("check", "optima") if getattr(given, each))
        raise UserError(f"call {which} alone, without papers")
    if (given.check or given.optima) and given.config != USUAL_CONFIG:
        raise UserError(f"--check and --optima are of all that is published: leave out --config {given.config}")
    if given.check:
        return _check_published(out)
    if given.optima:
        own = chosen(with_stale=False)
        history.require({run.key: run.summary["provenance"]["git_commit"] for run in own})
    else:
        _publish(given, out)
    say(
        f"wrote {', '.join(map(str, published_check.write_derived(out, own))) or 'nothing else: all is as it was'}"
    )
    return 0


def _publish(given: argparse.Namespace, out: Path) -> None:
    from structbench.bench.report import gathered, history, publish

    checked = config.read_config(given.config)
    unknown = [paper for paper in given.papers if paper not in checked.figures]
    if unknown:
        raise UserError(f"{given.config} has no paper {unknown[0]!r}: it has {', '.join(checked.figures)}")
    papers = given.papers or [*checked.figures]
    wanted = {spec.key for paper in papers for spec in checked.runs_of[paper]}
    runs = chosen(with_stale=False, of=given.config, keys=wanted)
    history.require({run.key: run.summary["provenance"]["git_commit"] for run in runs})
    drawn, judged = results.figures(checked.name), results.claims(checked.name)
    there = {paper.id for paper in gathered.papers(drawn, judged) if paper.users}
    if lacking := [paper for paper in papers if paper not in there and (given.papers or not there)]:
        draws = command("figures", "--claims", "--only", lacking[0], "--config", given.config)
        raise UserError(f"{lacking[0]} has neither figures nor claims yet: `{draws}` makes them")
    say(f"wrote {publish.publish(out, runs, drawn, judged, papers)}")


def _check_published(out: Path) -> int:
    """Return 1 if a file is not as it was published, a page not what follows, or a commit not in the history.

    Runs of older code or of commits that are known to be lost, and changed rules, are only reported, also on the
    pages. If a published file was edited, no page is written.
    """
    from structbench.bench.report import answers, judged_twice, published, published_check

    if not (papers := published.papers_of(out)):
        raise UserError(f"nothing is published in {out}: `python -m bench publish` does it")
    wrong = [f"{file} is not as it was published" for file in published_check.edited_files(out)]
    for paper in papers:
        wrong += [
            f"{out / paper / published.RECORD}: {part} is not what the evidence gives"
            for part in published_check.contradictions(out / paper)
        ]
    wrong += [
        f"{out / judged_twice.RECORD}: {paper} was judged twice before its present rules or verdicts"
        for paper in judged_twice.outdated(out)
    ]
    if wrong:
        wrong.append(
            "`bench publish` makes such files again, `bench measure --page` contests.json, and "
            "`bench claims PAPER --fresh --page` judged-twice.json; no page is written"
        )
    say(*wrong)
    changed = [] if wrong else published_check.write_derived(out)
    for file in changed:
        say(f"wrote {file}: it was not what the published records and this checkout give")
    for folder in (out / paper for paper in papers):
        older, total = published.of_older_code(folder), len(published.code(folder))
        say(f"{folder}: {len(older)} of {total} runs are of older code than this checkout's")
        if lost := published.runs_of_lost_commits(folder):
            say(f"{folder}: commit lost of {lost} of {total} runs, until they are made again")
        if published.has_other_rules(folder):
            say(f"{folder}: its rules changed since these verdicts: `python -m bench publish` judges by today's")
        if not wrong:
            published.write_code_age(folder, len(older), total)
    if not wrong and published_check.is_projects(out):
        answers.write_pages()  # they mark answers from older code
    return int(_outside_history(out) or bool(wrong or changed))


def _outside_history(out: Path) -> bool:
    """Name published runs whose commits are not in the branch's history. Returns whether there are some."""
    from structbench.bench.report import history, published

    records = {out / paper: published.record(out / paper) for paper in published.papers_of(out)}
    found = [
        (folder, str(commit), number)
        for folder, said in records.items()
        for commit, number in said.commits
        if commit not in said.lost
    ]
    try:
        wrong = history.outside_history(commit for _, commit, _ in found)
    except UserError as error:
        say(f"commits are not checked: {error}")
        return False
    for folder, commit, number in found:
        if commit in wrong:
            say(f"{folder}: the commit {commit} of {number} runs {wrong[commit]}: make these runs again")
    return bool(wrong)


@verb(
    argument("source", metavar="DIR", help="the results of another checkout, or its runs"),
    flag("--replace", "let a newer run replace an older one of its host"),
    examples=("merge /mnt/other/structbench/results", "merge copied-runs --replace"),
)
def do_merge(given: argparse.Namespace) -> int:
    """Bring the runs of another machine in, checked, under results/hosts."""
    from structbench.bench.sharing.merge import merge

    merged = merge(Path(given.source), given.replace, say)
    say(f"merged {given.source}: {merged}")
    for name in sorted(merged.without_data):
        say(f"data {name} are not here, so their runs do not count: make one run on them and merge again")
    return 1 if merged.refused else 0


@verb(
    argument("runs", nargs="+", metavar="RUN", help=f"two, or with --published one: {A_RUN}"),
    PUBLISHED,
    JSON,
    examples=(
        "compare mnist__log__C=10__eg mnist__log__C=10__lbfgs",
        "compare mnist__log__C=10__eg --published eg2008",
        "compare mnist__log__C=10__eg my-host:mnist__log__C=10__eg --json",
    ),
)
def do_compare(given: argparse.Namespace) -> int:
    """Say what differs between two runs: spec, outcome, curve, provenance; or set one beside published ones."""
    from structbench.bench.sharing.compare import compare

    wanted = 1 if given.published else 2
    if len(given.runs) != wanted:
        raise UserError(f"compare takes two runs, or one with --published, not {len(given.runs)}")
    runs = named.runs_named(given.runs)
    if given.published:
        return _beside_published(runs[0], given.published, given.json)
    found = compare(*runs)
    for run in runs:
        there = state.of_folder(run.folder)
        if there.reason and store.finished(run.folder):
            say(f"{run.folder} is {there.state}: {there.reason}")
    if given.json:
        return document(found)
    say_disturbed(runs)
    _print_comparison(found)
    return 0


def _beside_published(run: store.Run, paper: str, as_json: bool) -> int:
    """Print an own run among published ones of its problem: the soonest near the optimum is first."""
    from structbench.bench.report import published_runs, ranked

    beside = published_runs.published_beside([run], paper)
    rows = ranked.ranked_beside(run, beside.runs)
    say(*beside.said)
    if as_json:
        return document(rows)
    say_disturbed([run])
    cells = [
        [percent(str(name), float(f"{v:.3g}") if isinstance(v, float) else v) for name, v in row.items()]
        for row in rows
    ]
    print_table([str(name).replace("_", " ") for name in rows[0]], cells)
    return 0


def _print_comparison(found: "Comparison") -> None:
    """The comparison in tables and sentences."""
    for name, folder in zip(("first ", "second"), found.folders, strict=True):
        print(f"{name} {folder}")
    print()
    for title, pairs in (("spec", found.spec), ("provenance", found.provenance)):
        if pairs:
            print_table([title, "first", "second"], [[name, *map(text, pair)] for name, pair in pairs.items()])
        else:
            print(f"the same {title}\n")
    rows = [
        [name, *(percent(name, each) for each in side.values), _times(side.ratio)]
        for name, side in found.outcome.items()
    ]
    print_table(["outcome", "first", "second", "second / first"], rows)
    _print_levels(found.to_gap)
    print(*_said_of_curves(found), sep="\n")


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.4g}"


def _print_levels(levels: "list[Level]") -> None:
    sides = [f"{what}, {side}" for what in ("passes", "wall s") for side in ("first", "second")]
    header, rows = ["relative gap", *sides[:2], "ratio", *sides[2:], "ratio"], []
    for level in levels:
        of_passes, of_seconds = map(_times, level.ratios)
        passes, seconds = map(text, level.passes), map(text, level.seconds)
        rows.append([f"{level.relative_gap:g}", *passes, of_passes, *seconds, of_seconds])
    if rows:
        print_table(header, rows)


def _said_of_curves(found: "Comparison") -> list[str]:
    """Sentences on the curves."""
    if found.equal:
        return ["equal bit for bit: curve and weights, times apart"]
    curve = found.curve
    first, second = curve.checkpoints
    said = [f"curves: {first} and {second} checkpoints, {curve.common} of them after the same visits"]
    if differs := curve.first_difference:
        values = " and ".join(f"{value:.12g}" for value in differs.values)
        said.append(f"they differ beyond rounding from pass {differs.passes:g} on: {differs.column} is {values}")
    elif curve.common:
        said.append("they do not differ there beyond rounding")
    for name, most in curve.largest.items():
        said.append(f"largest relative difference of {name}: {most.relative:.3g}, at pass {most.passes:g}")
    if "host" in found.provenance:
        said.append("they are of two machines: their seconds are not to be compared")
    return said
