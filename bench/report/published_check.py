"""Check published files against their hashes and verdicts against their evidence, and rewrite derived pages."""

from collections.abc import Iterable
from pathlib import Path

from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.papers import verdicts
from structbench.bench.papers.evidence import HOLDS
from structbench.bench.report import (
    answers,
    judged_twice,
    paper_pages,
    performance,
    publish,
    publish_optima,
    published,
    published_explorer,
    sealed,
    what_held,
)  # fmt: skip
from structbench.bench.runs.store import Run


def edited_files(out: Path) -> list[Path]:
    """The files that only ``publish``, ``measure`` and ``claims`` write, and that were edited since."""
    found = [out / paper / name for paper in published.papers_of(out) for name in published.altered(out / paper)]
    records = {out / each.RECORD: each.AGAIN for each in (performance, judged_twice)}
    return found + [file for file, again in records.items() if file.exists() and sealed.was_edited(file, again)]


def contradictions(folder: Path) -> list[str]:
    """What a paper's record says otherwise than its evidence, if today's rules are those of the record."""
    said = published.record(folder)
    if not said.claims or published.has_other_rules(folder):
        return []
    by_origin = paper_pages.by_origin(said.claims.values())
    wrong = ["counts"] * (said.counts != {kind: verdicts.count(some) for kind, some in by_origin.items()})
    for claim in published.claims(folder.parent, folder.name):
        was = said.claims[claim.id]
        counted = [each for each in verdicts.deciding(claim.conditions, claim.quantifier)[0] if each.counted]
        now = claim.verdict, sum(each.outcome == HOLDS for each in counted), len(counted)
        if claim.conditions and now != (was.verdict, was.holds, was.of):
            wrong.append(claim.id)
    return wrong


def write_derived(out: Path, own: Iterable[Run] = ()) -> list[Path]:
    """Write the pages and tables that follow from all records, and ``own`` runs. Returns those that changed."""

    def contents() -> dict[Path, bytes]:
        files = [*out.glob("*"), out / published.CURVES / published_explorer.PAGE]
        files += [answers.PAGE, performance.PAGE] * is_projects(out)
        return {file: file.read_bytes() for file in files if file.is_file()}

    before = contents()
    if papers := {name: out / name for name in published.papers_of(out)}:
        write_atomically(out / published.INDEX, publish.index(papers))
    what_held.write_what_held(out)
    publish_optima.write_optima(out, own)
    if (out / judged_twice.RECORD).exists():
        judged_twice.write_page(out)
    if (out / published.CURVES).exists():
        published_explorer.write_page(out)
    if is_projects(out):
        answers.write_pages()
    return [file for file, content in contents().items() if before.get(file) != content]


def is_projects(out: Path) -> bool:
    """Whether it is the folder of the project's own publications."""
    return out.resolve() == answers.RESULTS.resolve()
