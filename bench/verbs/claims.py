"""``claims``: judge the papers' claims by finished runs, or show the published verdicts and evidence."""

import argparse
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.drawing.terminal import print_table
from structbench.bench.papers import judging, shown
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.verdicts import tally
from structbench.bench.report import fresh_verdicts, frozen, history, judged_twice, published
from structbench.bench.report.fresh_verdicts import FreshVerdict
from structbench.bench.report.judged_twice import Twice
from structbench.bench.report.published import Published
from structbench.bench.runs import catalogue, results, store
from structbench.bench.verbs.saying import NOT_KEPT, document, say
from structbench.bench.verbs.verb import CONFIG, JSON, STALE, USUAL_CONFIG, argument, flag, verb
from structbench.bench.workflow import config as configs
from structbench.bench.workflow import config_files
from structbench.bench.workflow.paper_modules import title

Claim = TypeVar("Claim", Published, judging.Claim)


@verb(
    CONFIG,
    STALE,
    argument("paper", nargs="?", metavar="PAPER", help="just this one's"),
    argument("id", nargs="?", metavar="ID", help="just this sentence, with its evidence"),
    flag("--published", "those of docs/results"),
    flag("--fresh", "the verdicts on seeds that no rule has seen beside those that there are"),
    flag("--page", "with --fresh: write them to docs/results/judged-twice.md, too"),
    JSON,
    examples=(
        "claims eg2008",
        "claims eg2008 beats-lbfgs-mnist --published",
        "claims --config mine.yaml --json",
        "claims eg2008 --fresh --config config/paper.yaml",
    ),
)
def do_claims(given: argparse.Namespace) -> int:
    """Answer the papers' sentences by finished runs, or show the evidence of one."""
    if given.fresh and given.published:
        raise UserError("--fresh shows published verdicts, too: leave out --published")
    if given.published and (given.stale or given.config != USUAL_CONFIG):
        raise UserError("--published is of docs/results, not of runs of yours: leave out --config and --stale")
    if given.page and (not (given.fresh and given.paper) or given.id or given.stale):
        raise UserError("--page is of all sentences of a paper on fresh seeds: claims PAPER --fresh --page")
    config = None if given.published else configs.read_config(given.config)  # first: it may name papers
    papers = catalogue.papers()
    paper, _, name = (given.paper or "").partition("/")
    if paper in papers and name and not given.id:
        given.paper, given.id = paper, name
    elif paper and not given.id and paper not in papers:
        given.paper, given.id = _found(given.paper, config, papers)
    elif given.paper and given.paper not in papers:
        hint = meant(given.paper, papers)
        raise UserError(f"unknown paper {given.paper!r}: {hint}there are {', '.join(papers)}")
    given.id = given.id and given.id.removeprefix(f"{given.paper}/")
    if given.fresh and config:
        return _print_fresh(given, config)
    judged = _judged(given, config) if config else _published(given.paper, given.id)
    if given.json:
        return document({paper: [each.record() for each in claims] for paper, claims in judged.items()})
    if not judged:
        lacking = _lacking(config, given.paper) if config and given.paper else ""
        who = given.paper or (f"the config {given.config}" if config else "docs/results")
        say(f"{who} has no claims" + (f" without data that it needs: {lacking}" if lacking else ""))
    for paper, claims in judged.items():
        if given.id:
            _print_one(claims[0])
            continue
        print(f"{title(paper)}: {tally(claim.verdict for claim in claims)}")
        rows = [[claim.name, claim.verdict, claim.answer] for claim in claims]
        print_table(["claim", "verdict", "answer"], rows)
    return 0


def _found(name: str, config: configs.Config | None, papers: Collection[str]) -> tuple[str, str]:
    """The paper and the id of the one claim with this id, of a config's papers or the published ones.

    Raises:
        UserError: None has it, or several have.
    """
    every = config.claims if config else _published(None, None)
    keys = [claim.id for claims in every.values() for claim in claims]
    having = [paper for paper, _, each in (key.partition("/") for key in keys) if each == name]
    if len(having) == 1:
        return having[0], name
    if having:
        raise UserError(f"{' and '.join(having)} have a claim {name!r}: name the paper before it")
    hint = meant(name, [*papers, *(key.partition("/")[2] for key in keys)])
    raise UserError(
        f"unknown paper {name!r}, and no claim has this ID: {hint}there are {', '.join(papers)}; "
        "`python -m bench claims` lists all claims"
    )


def _judged(given: argparse.Namespace, config: configs.Config) -> dict[str, list[Judged]]:
    """Judge the claims of a config's papers; write all of a paper's, unless stale runs count."""
    from structbench.bench.runs.finished import Runs

    if given.results and not Path(given.results).is_dir():
        raise UserError(f"--results {given.results}: there is no such folder")
    if given.paper and given.paper not in config.claims:
        raise UserError(f"{given.paper}: figures of {given.config} lists {', '.join(config.claims) or 'no paper'}")
    found = {}
    say(*[NOT_KEPT] * given.stale)
    for paper in [given.paper] if given.paper else config.claims:
        claims = config.claims[paper]
        if given.id:
            claims = [_one(claims, paper, given.id, _lacking(config, paper))]
        found[paper] = judging.judge(claims, Runs(with_stale=given.stale))
        if not (given.id or given.stale):  # a report would show verdicts of stale runs as others
            try:
                config_files.note_owner(config.name, config_files.config_file(given.config))
                judging.write_claims(paper, config.scale, found[paper], results.claims(config.name))
            except UserError as error:  # as of a folder of another's that can only be read
                say(f"not kept for a report: {error}")
    return {paper: claims for paper, claims in found.items() if claims}


def _lacking(config: configs.Config, paper: str) -> str:
    """Which of a paper's data cannot be had, and how to get them; empty if all can."""
    needed = {spec.data.name for spec in replace(config, without={}).runs_of[paper]}
    return " ".join(dict.fromkeys(why for name, why in config.without.items() if name in needed))


def _print_fresh(given: argparse.Namespace, config: configs.Config) -> int:
    """Print each verdict beside that of the same rule on fresh seeds, and the share that stays."""
    config_files.check_owner(config_files.FRESH, config_files.config_file(given.config))
    papers = [given.paper] if given.paper else [*config.claims]
    there = {paper: fresh_verdicts.published_verdicts(paper, config.scale) for paper in papers}
    if given.page and None in there.values():
        raise UserError(f"{given.paper} has no published verdicts to stand beside: publish it first")
    usual = _judged(given, config) if None in there.values() else {}
    former: dict[str, str] = {}
    for paper, verdicts in there.items():
        judged = {claim.id: claim.verdict for claim in usual.get(paper, [])}
        former |= judged if verdicts is None else verdicts
    fresh = _judged(given, replace(config, fresh=True, name=config_files.FRESH))
    later = [claim for claims in fresh.values() for claim in claims]
    runs = {claim.id: {spec.key for spec in claim.runs} for claims in config.claims.values() for claim in claims}
    found = fresh_verdicts.beside(former, runs, later)
    missing = {key for claim in later for key in claim.missing}
    if given.page:
        _write_page(given.paper, found, later, missing)
    if given.json:
        return document(found)
    rows = [[each.claim, each.verdict, each.fresh, each.stays] for each in found]
    print_table(["sentence", "verdict", "on fresh seeds", "what stays"], rows)
    print(f"{fresh_verdicts.share(found)}.")
    if missing:
        make = config_files.fresh_command(given.config, papers)
        say(f"{len(missing)} runs with fresh seeds are missing: `{make}` makes them")
    return 0


def _write_page(paper: str, verdicts: list[FreshVerdict], claims: list[Judged], missing: Collection[str]) -> None:
    """Publish verdicts on fresh seeds.

    Raises:
        UserError: Runs are missing, or of commits that are in no history.
    """
    if missing:
        raise UserError(
            f"{len(missing)} runs with fresh seeds are missing: no page is written before all are made"
        )
    made = {key: store.read_run(results.runs() / key) for claim in claims for key in claim.runs}
    commits = {key: run.summary["provenance"]["git_commit"] for key, run in made.items()}
    history.require(commits)
    twice = Twice(frozen.rules_sha256(paper), len(made), sorted({*commits.values()}), verdicts)
    say(f"wrote {judged_twice.keep(published.RESULTS, paper, twice)}")


def _published(paper: str | None, only: str | None) -> dict[str, list[Published]]:
    """The claims as ``docs/results`` has them.

    Raises:
        UserError: The paper is not there yet.
    """
    folder = published.RESULTS
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder}: {published.OF_A_CLONE}")
    if paper in published.not_run(published.papers_of(folder)):
        small = f"`python -m bench claims {paper}` judges it on the runs of your config"
        raise UserError(f"{paper} is not run yet at the paper's size: {small}")
    found = {name: published.claims(folder, name) for name in ([paper] if paper else published.papers_of(folder))}
    if paper and only:
        return {paper: [_one(found[paper], paper, only)]}
    return {name: claims for name, claims in found.items() if claims}


def _one(claims: list[Claim], paper: str, name: str, lacking: str = "") -> Claim:
    """The claim of this name.

    Raises:
        UserError: There is none, maybe as data are ``lacking``.
    """
    names = {claim.id.partition("/")[2]: claim for claim in claims}
    if name not in names:
        hint = meant(name, names)
        if lacking and not hint:
            raise UserError(f"{paper} has no claim {name!r} without data that it needs: {lacking}")
        raise UserError(f"{paper} has no claim {name!r}: {hint}`python -m bench claims {paper}` lists them")
    return names[name]


def _print_one(claim: Judged | Published) -> None:
    theirs = f"The paper's numbers: {claim.theirs}" if claim.theirs else ""
    print("\n".join(filter(None, (f"{claim.claim} ({claim.where})", theirs, claim.answer))))
    if rows := [shown.row(each) for each in claim.conditions]:
        print_table([*rows[0]], [[*row.values()] for row in rows])
    if isinstance(claim, Judged) and claim.stale:
        say(f"{len(claim.stale)} of its {len(claim.runs)} runs are stale: `bench status` says why")
