"""``predict``: label a file of new examples with the model of a run."""

import argparse
import sys
from collections.abc import Iterator

from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import model as models
from structbench.bench.verbs import named
from structbench.bench.verbs.saying import say
from structbench.bench.verbs.verb import A_RUN, argument, flag, verb
from structbench.datasets.problems.problem import Unlabelled


def read_model(place: str) -> models.Model:
    """The model of a run, or an exported one; says what has changed since a run was made."""
    model = named.found_by(models.load, place)
    if model.stale:
        say(f"{model.spec.key} is stale: {model.stale}; its model is used as it is")
    return model


@verb(
    argument("run", metavar="RUN|MODEL", help=f"{A_RUN}; or the folder of an exported model"),
    argument("file", metavar="FILE", help="new examples in the format of its data; labels are not read"),
    flag("--probabilities", "print the probability of each label, too"),
    argument("--k-best", type=int, metavar="N", help="print the N best outputs of each example"),
    argument("--out", metavar="FILE", help="where to (default: print it)"),
    examples=(
        "predict results/runs/mine new.txt",
        "predict model new.txt --probabilities --out labelled.txt",
        "predict model new.txt --k-best 3",
    ),
)
def do_predict(given: argparse.Namespace) -> int:
    """Label a file of new examples with the model of a run."""
    if given.probabilities and given.k_best is not None:
        raise UserError("--k-best gives the probability of each output by itself: leave out --probabilities")
    if given.k_best is not None and not 1 <= given.k_best <= models.MOST:
        raise UserError(f"--k-best must be from 1 to {models.MOST:,}, not {given.k_best}")
    out = named.file_out(given.out) if given.out else None
    model = read_model(given.run)
    text = "\n".join([*_lines(model, given), ""])
    if out is None:
        sys.stdout.write(text)
        return 0
    with write_or_explain(out):
        write_atomically(out, text)
    say(f"wrote {given.out}")
    return 0


def _lines(model: models.Model, given: argparse.Namespace) -> Iterator[str]:
    new = model.encode(given.file)
    if given.k_best is not None:
        return _of_k_best(model, new, given.k_best)
    best = model.best(new)
    between = [] if new.single else [""]
    return _of_probabilities(model, new, best, between) if given.probabilities else _labelled(new, best, between)


def _labelled(new: Unlabelled, best: list[list[str]], between: list[str]) -> Iterator[str]:
    """The lines of the file, each with its label."""
    known = {label: new.written(label) for labels in best for label in labels}
    texts = zip(new.before, new.after, strict=True)
    for labels in best:
        for label, (before, after) in zip(labels, texts, strict=False):
            yield f"{before}{known[label]}{after}"
        yield from between


def _of_probabilities(
    model: models.Model, new: Unlabelled, best: list[list[str]], between: list[str]
) -> Iterator[str]:
    """What comes before each label, the label and its probability."""
    column = {label: k for k, label in enumerate(model.labels)}
    before = iter(new.before)
    for labels, chances in zip(best, model.predict_probabilities(new), strict=True):
        for label, row in zip(labels, chances, strict=True):
            text = next(before)
            mark = "\t" if text.endswith("\t") else " "
            yield f"{text}{new.written(label)}{mark}{row[column[label]]:.6f}"
        yield from between


def _of_k_best(model: models.Model, new: Unlabelled, k: int) -> Iterator[str]:
    """For each output of an example a line of its rank, its score and its probability; then its labelled lines.

    A sentence that the grammar has no tree of has what ``Model.best`` says alone, without a score. Lines that an
    empty one parts from the sentence, such as lines of articles, are left out.
    """
    begin, found = 0, model.k_best(new, k)
    before = [each.rpartition("\n\n")[2] for each in new.before]
    after = [each.partition("\n\n")[0] for each in new.after]
    best = [each[0].labels for each in found] if all(found) else model.best(new)
    for outputs, instead in zip(found, best, strict=True):
        end = begin + len(instead)
        example = new._replace(before=before[begin:end], after=after[begin:end])
        if not outputs:
            yield "# the model has no output"
            yield from _labelled(example, [instead], [""])
        for rank, each in enumerate(outputs, 1):
            chance = "" if each.probability != each.probability else f" probability {each.probability:.6f}"
            yield f"# {rank} score {each.score:.6f}{chance}"
            yield from _labelled(example, [each.labels], [""])
        begin = end
