"""Dependency parsing: the problem of the sentences of a treebank, over projective trees or over all trees."""

import unicodedata
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import dependencies, projectivity
from structbench.datasets.text.dependencies import Sentence
from structbench.datasets.text.lines import decode

Features = Literal["mcdonald", "rich"]
Structure = Literal["projective", "nonprojective"]
Nonprojective = Literal["lift", "drop"]
STRUCTURES = {"projective": "dependency", "nonprojective": "nonprojective"}
SCORES = ("attachments",)


def structure_id(*, structure: str, **_: Any) -> str:
    """The id of the structure that a problem with this option is of."""
    return STRUCTURES[structure]


def problem(
    train: list[Sentence],
    test: list[Sentence] | None,
    *,
    features: str = "mcdonald",
    structure: str = "projective",
    nonprojective: str = "lift",
) -> Problem:
    """The problem of what ``dependencies.read_trees`` gives.

    Errors are counted against the heads as they are, in training and test sentences equally. If the tree of a
    training sentence has several tokens under the root, any tree may. Else the costs of test sentences count
    against ``projectivity.single_rooted`` trees.

    Args:
        features: Of arcs, a name that ``arc_features.extract`` knows.
        structure: Learn and predict projective trees only, or any tree.
        nonprojective: For the projective structure, what a training sentence without a projective tree gives.
            ``lift``: The tree that ``projectivity.lifted`` makes of it. ``drop``: Nothing.

    Raises:
        UserError: No training sentence is left, or an option has no effect on this structure.
    """
    from structbench.datasets.text import arc_features

    projective = structure == "projective"
    if not projective and nonprojective != "lift":
        raise UserError(
            f"nonprojective={nonprojective} is an option of structure=projective only: structure={structure} "
            "learns every tree as it is"
        )
    if nonprojective == "drop":
        train = [sentence for sentence in train if not projectivity.crossing(sentence.heads).any()]
        if not train:
            raise UserError("nonprojective=drop leaves no training sentence: none has a projective tree")
    evaluate = test or []
    kept = projectivity.lifted if projective else np.asarray
    learned = [[kept(each.heads) for each in part] for part in (train, evaluate)]
    single_root = all(np.count_nonzero(heads == 0) == 1 for heads in learned[0])
    if single_root:
        learned[1] = [projectivity.single_rooted(heads) for heads in learned[1]]
    arcs = arc_features.extract(train, learned[0], evaluate, features)
    splits = [
        _split(projective, arcs[k], part, learned[k], single_root) if part else None
        for k, part in enumerate((train, evaluate))
    ]
    vocabulary = arcs[-1] | {"single root": np.array(single_root)}
    return Problem(splits[0], splits[1], (), punctuation=punctuation([*train, *evaluate]), vocabulary=vocabulary)


def loader(style: dependencies.Style, single_root: bool = False) -> Callable[..., Problem]:
    """The function ``load`` of a data set of the user's files in a style."""

    def load(
        files: Any,
        *,
        path: str,
        test: str | None = None,
        sentences: int = 0,
        test_sentences: int = 0,
        features: Features = "mcdonald",
        structure: Structure = "projective",
        nonprojective: Nonprojective = "lift",
    ) -> Problem:
        """The problem of a training file and, maybe, a test file; ``files`` is not used.

        ``sentences`` and ``test_sentences`` keep only the first sentences (0: all).

        Args:
            features, structure, nonprojective: See ``problem``.

        Raises:
            UserError: A file cannot be read or has fewer sentences. A line is malformed, or heads are no tree
                (names file, line and what was expected). An option is out of range or has no effect.
        """
        learn = dependencies.read_file(path, style, sentences, single_root)
        evaluate = None if test is None else dependencies.read_file(test, style, test_sentences, single_root)
        return problem(learn, evaluate, features=features, structure=structure, nonprojective=nonprojective)

    return load


def encode(
    content: bytes,
    source: str,
    labels: tuple[str, ...],
    vocabulary: Vocabulary,
    style: dependencies.Style = "conllx",
    *,
    features: str,
    structure: str,
    **_: Any,
) -> Unlabelled:
    """New sentences for a model of ``problem``, in the format of its treebank. Heads are not read.

    Raises:
        UserError: A line is malformed.
    """
    text = decode(content, source)
    sentences = dependencies.read_trees(text, source, style, labelled=False)
    split = new_split(sentences, vocabulary, features=features, structure=structure)
    return Unlabelled(split, *dependencies.around(text, style, dependencies.HEAD_COLUMN))


def new_split(sentences: list[Sentence], vocabulary: Vocabulary, *, features: str, structure: str) -> Any:
    """A split of new sentences for a model of ``problem``. Their heads are not read."""
    from structbench.datasets.text import arc_features

    # trees that stand for unknown ones
    chains = [np.arange(len(each.words), dtype=np.int32) for each in sentences]
    sentences = [each._replace(heads=heads) for each, heads in zip(sentences, chains, strict=True)]
    arcs = arc_features.rows_of(sentences, vocabulary, features)
    return _split(structure == "projective", arcs, sentences, chains, bool(vocabulary["single root"]))


def _split(
    projective: bool, arcs: Any, sentences: list[Sentence], learned: list[np.ndarray], single_root: bool
) -> Any:
    if projective:
        from structbench.algorithms.structures.dependency.model import build
    else:
        from structbench.algorithms.structures.nonprojective.model import build

    lengths = np.array([len(sentence.words) for sentence in sentences])
    heads = np.concatenate([sentence.heads for sentence in sentences])
    return build(arcs, lengths, heads, np.concatenate(learned), single_root)


def punctuation(sentences: list[Sentence]) -> np.ndarray:
    """The tokens, one sentence after the other, that are punctuation alone, as Unicode has it; bool (tokens,).

    CoNLL-X leaves them out of its scores (Buchholz and Marsi, 2006).
    """
    words = [word for sentence in sentences for word in sentence.words]
    known = {word: all(unicodedata.category(c).startswith("P") for c in word) for word in dict.fromkeys(words)}
    return np.array([known[word] for word in words], bool)
