"""Klein's lecture of 2011, from naive Bayes to structured SVMs: its ideas in pictures, its learners compared.

A lecture has no experiments of its own. Every learner here runs on the same handwriting (OCR) and digits (MNIST),
and on points in the plane. ``docs/klein2011.md`` walks through the slides.
"""

from functools import partial

from structbench.bench.drawing.draw import Figure
from structbench.bench.drawing.tables import table
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.klein2011 import (
    alphas,
    claims,
    documents,
    figures,
    figures_plane,
    kernels,
    portrait,
    stoplights,
)
from structbench.bench.papers.klein2011.runs import scale_of
from structbench.bench.runs.spec import Spec

__all__ = ["claims_of", "figures_of", "runs_of", "timed_of"]

NAME = "Klein 2011"
REPEATED = "Lines are means over repetitions (other folds of OCR, other orders of MNIST), bands their range."
DRAWN = {
    "losses": (
        "losses, and the margins they lead to",
        "Above: the losses of a margin m = w . f(y*) - max w . f(y), two classes; log loss in bits, so that it is "
        "an upper bound on the 0-1 loss as the hinge is. Below: margins of the same overlapping points under each "
        "learner's last weights, those of learners without a loss in units of their mean. The hinge is 0 from 1 "
        "on; log loss never gets to 0.",
        figures.losses,
    ),
    "separators": (
        "separators, margins, support vectors",
        "The same points for each learner. Dashed: where an SVM's scores differ by 1; circled: its support "
        "vectors. The perceptron stops at the first line that separates.",
        figures_plane.separators,
    ),
    "mistakes": (
        "the perceptron's mistakes, and their bound",
        "Separable points: mistakes until a pass makes none, against the bound (R / gamma)^2, with gamma the "
        "greatest margin there is, from a hard-margin SVM, and R the largest norm of f(y*) - f(y). A point is a "
        "data set.",
        figures_plane.mistakes,
    ),
    "thrashing": (
        "thrashing and averaging",
        "The separator after each of the last passes over points that no line separates, the later the "
        "darker: the perceptron's last weights, and the average of all.",
        figures_plane.thrashing,
    ),
    "perceptron": (
        "the perceptron pass by pass",
        f"Test error of the last weights and of averaged ones. {REPEATED}",
        figures.perceptron,
    ),
    "optimisers": (
        "general and special optimisers of the log loss",
        "Certified relative gap against passes, line searches included, at the smallest C that the claims are "
        "judged at. The grey line is the gap to which passes are counted.",
        figures.optimisers,
    ),
    "kernels": (
        "kernels and neighbours on more and more digits",
        "MNIST: test error, CPU seconds of learning (five passes; of the SVM at most 50) and wall seconds to "
        "predict 500 images, against the number of training images. RBF: exp(-0.03 ||x - x'||^2). Points are "
        "means over orders of the images, bands their range.",
        kernels.draw,
    ),
    "alphas": (
        "dual variables as a run goes on",
        "An SVM on points that overlap, C = 1, by coordinate ascent on its dual, from alpha = 0: left, the alpha "
        "of each point, which is a constraint; right, how many are above 0. In the end they are 0 off the margin, "
        "1 / C within it or on the wrong side, and between on it.",
        alphas.draw,
    ),
    "constraints": (
        "constraints that cutting planes make",
        "Outputs in the working sets of cutting planes at a certified gap of 1 %, the mean over examples, against "
        "all outputs that there are: as many constraints has the SVM's program.",
        figures.constraints,
    ),
    "mira": (
        "MIRA and cutting planes",
        "Test error against CPU seconds of MIRA, its averaged and its last weights, and of cutting planes, at "
        f"each cap and C that the claims are judged at. {REPEATED}",
        figures.mira,
    ),
    "portrait": (
        "the portrait of the family",
        "Every learner on the same data: test error, mean and 95 % interval over repetitions, and CPU seconds of "
        "learning, median and range. Colour: the loss; mark: primal or dual; in brackets: regularisation and "
        "inference. Learners of an objective end at a certified gap of 1 % or at a limit of passes, the others "
        "after a number of passes.",
        portrait.plot,
    ),
}


def figures_of(scale: str) -> dict[str, Figure]:
    """Return all figures and tables by file stem."""
    chosen = scale_of(scale)
    drawn = {
        stem: Figure(f"klein2011, {title}", caption, partial(draw, chosen))
        for stem, (title, caption, draw) in DRAWN.items()
    }
    said = (
        "Loss, regularisation, form and inference of each learner; test error, mean and 95 % interval over "
        "repetitions; median CPU seconds and passes of learning; the largest certified gap, in percent. "
        "A gap is to a learner's own dual point; above bound: to the greatest dual value of all learners of the "
        "same data, loss, penalty and C."
    )
    drawn["stoplights"] = Figure(
        "klein2011, the stoplights",
        "P(broken) when both lights are red, and when one is. Naive Bayes with the counts of the slide says 4/10, "
        "and so guesses that they work; with P(b) boosted to 1/2 it says 4/5. Discriminative weights are bought "
        "at the expense of likelihood in the same way; an SVM's scores are read as log P here.",
        stoplights.draw,
    )
    drawn["table-documents"] = table(
        "klein2011, the documents of the slides",
        'Scores w . f(y) of "win the election" for each class: with the weights that the slide gives, 0, 2, -3, '
        "and with those that learners find on its three documents.",
        documents.table,
    )
    drawn["table-portrait"] = table("klein2011, the portrait as a table", said, partial(portrait.table, chosen))
    return drawn


def claims_of(scale: str) -> list[Claim]:
    """Return the claims of its slides."""
    return claims.claims(scale_of(scale))


def timed_of(scale: str) -> list[Spec]:
    """Return the runs whose seconds the overview, the figure of kernels and the claims on speed read."""
    chosen = scale_of(scale)
    shown = [spec for task in chosen.tasks for spec in portrait.specs(task)]
    fast = [claim for claim in claims.claims(chosen) if claims.is_on_speed(claim)]
    judged = [spec for claim in fast for spec in claim.runs]
    return list(dict.fromkeys([*shown, *judged, *kernels.specs(chosen)]))


def runs_of(scale: str) -> dict[str, list[Spec]]:
    """Return the runs, each once, by MLflow experiment."""
    chosen = scale_of(scale)
    found = {f"klein2011/portrait-{task.stem}": portrait.specs(task) for task in chosen.tasks}
    found["klein2011/plane"] = [
        *figures_plane.needed(chosen),
        *stoplights.specs(),
        *documents.specs(),
        *alphas.specs(chosen),
    ]
    found["klein2011/kernels"] = kernels.specs(chosen)
    found["klein2011/claims"] = [spec for claim in claims.claims(chosen) for spec in claim.runs]
    listed: set[Spec] = set()
    for name, specs in found.items():
        found[name] = [spec for spec in dict.fromkeys(specs) if spec not in listed]
        listed.update(specs)
    return found
