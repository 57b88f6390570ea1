"""Figures 1 and 2 of Schmidt et al. 2015, SAG for CRFs, and the comparison of Le Priol et al. 2018, SDCA for CRFs.

Both papers have the same data, the same lambda and the same axes. ``docs/reference/sag2015.md`` says what they
leave open and what we decided.
"""

from functools import partial

from structbench.bench.papers import figure_rows
from structbench.bench.papers.sag2015 import figures, rules
from structbench.bench.papers.sag2015.runs import NAMES, TAGS, tasks
from structbench.bench.papers.terms import Claim, Figure, Spec

NAME = "Schmidt et al. 2015 (SAG), Le Priol et al. 2018 (SDCA)"
CORPORA = ("conll2000", "conll2002", TAGS)
OWN_DATA = tuple(NAMES)
REFERENCES = ("sag2015", "lepriol2018")


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    return {f"sag2015/{task.data}": task.made for found in tasks(scale, without).values() for task in found}


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    drawn = {stem: partial(figures.draw, *about) for stem, about in figures.SHOWN.items()}
    found: dict[str, Figure] = {}
    for suffix, made in tasks(scale, without).items():
        on = ", substitute data" if suffix else ""
        found |= figure_rows.figures(__file__, drawn, made, suffix=suffix, on=on)
    return found


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    return [claim for each in tasks(scale, without).items() for claim in rules.sag2015_claims(*each)]
