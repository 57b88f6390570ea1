"""Run a program of others with growing budgets; for the hinge, an untimed SMO run supplies its dual point."""

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from structbench.algorithms.black_boxes.box import CURVES, Box, Given, at
from structbench.algorithms.black_boxes.classes import Class
from structbench.algorithms.black_boxes.commands import Command
from structbench.algorithms.black_boxes.examples import Labels
from structbench.algorithms.coordinate_ascent import smo
from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Objective, require_labels
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.costs import require_hamming

GROWTH = 1.6  # of the iterations, from one run to the next
TOLERANCES = 37  # the last one is above 1e-10
MOST_ITERATIONS = 100_000  # of a run with a tolerance: liblinear makes no more


def run_box(box: Box, problem: Any, objective: Objective, seed: int, params: Given) -> Iterator[Iterate]:
    """Yields where the program stands: before it is started, then at each point of its curve.

    Handing it the data, reading its weights or labels and the dual point of the hinge are not its own work.

    Raises:
        UserError: It cannot learn these data, or what is declared of it is wrong.
        Fault: It fails, or gives something else than it should.
    """
    split, n, notes = objective.split, parts.num_examples(objective.split), box.notes
    require_labels(split, box.name)
    if not parts.has(split, parts.decisions) and (count := parts.label_sequences(split).num_edge_features):
        raise UserError(f"{box.name} knows no observed edge features, but these data have {count}")
    bound = None
    if box.minimises and not objective.smooth:
        require_hamming(split, box.name)
        bound = HingeBound(problem, objective, seed)
    weights = np.zeros(parts.num_weights(split) if box.has_weights else 0)
    model = None if box.has_weights else Labels(problem.test)
    yield Iterate(weights, 0, notes=notes, hints=Hints(seconds=(0.0, 0.0), model=model))
    with tempfile.TemporaryDirectory(prefix="structbench-") as folder:
        given = box, problem, split, box.values(objective, seed, params)
        program = Class(*given) if box.class_name else Command(*given, folder)
        total, before = (0.0, 0.0), 0
        for budget in budgets(program.how):
            made, visits, seconds = program.run(budget, before)
            goes_on = CURVES[program.how].goes_on
            total = (total[0] + seconds[0], total[1] + seconds[1]) if goes_on else seconds
            if program.how == "tolerances":
                notes = notes | {"tolerance": at({}, budget)["falling_tolerance"]}
            if made > before:
                visits, found = visits or n * made, program.found()
                weights, model = (found, None) if box.has_weights else (weights, Labels(problem.test, found))
                dual = bound.after(visits) if bound else None
                label = getattr(getattr(program, "learner", None), "label_one", None)
                hints = Hints(seconds=total, model=model, label_one=label)
                yield Iterate(weights, visits, dual, notes, hints=hints)
            if made >= MOST_ITERATIONS if program.how == "tolerances" else made < budget:
                return
            before = max(made, before)


def budgets(how: str) -> Iterator[int]:
    """The limit of iterations of each point: 1, 2, 3, 5, 8, 13, ...; of passes and tolerances 1, 2, 3, 4, ..."""
    budget = 1
    while how != "tolerances" or budget <= TOLERANCES:
        yield budget
        if how == "one":
            return
        budget = max(budget + 1, round(GROWTH * budget) if how in ("limits", "restarts") else 0)


class HingeBound:
    """A dual point for a program that gives none. Our SMO runs next to it, untimed, and finds it."""

    def __init__(self, problem: Any, objective: Objective, seed: int) -> None:
        self.solver = smo.solve(problem, objective, np.random.default_rng(seed), average=False)
        self.reached = next(self.solver)
        self.C = objective.C

    def after(self, visits: int) -> Dual | None:
        """The dual point after as many visits as the program made, or at the optimum."""
        while self.reached.visits < visits:
            following = next(self.solver, None)
            if following is None:
                break
            self.reached = following
        w = self.C * self.reached.scale * self.reached.vector
        return self.reached.dual._replace(weights=w) if self.reached.dual else None


def warm(objective: Objective) -> None:
    """Call the kernels of ``HingeBound``."""
    if objective.loss != NO_LOSS and not objective.smooth:
        dual = HingeBound(None, objective, 0).after(1)
        if dual and dual.recompute:
            dual.recompute()
