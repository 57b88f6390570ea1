"""Features of arcs, against templates spelled out as strings."""

import gc

import numpy as np
import pytest

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.dependency.arcs import head_of
from structbench.datasets.text import arc_features
from structbench.datasets.text.dependencies import Sentence
from tests.narrowing import UNUSED, fake

RNG = np.random.default_rng(0)
WORDS = ("a", "an", "window", "windows", "windowless", "of", "of-a-kind")


def drawn(length: int) -> Sentence:
    words = tuple(RNG.choice(WORDS, size=length).tolist())
    lemmas = tuple(word.rstrip("s") for word in words)
    tags = tuple(RNG.choice(["N", "V", "D", "P"], size=length).tolist())
    morphology = tuple(RNG.choice(["num=s", "num=p", "_"], size=length).tolist())
    heads = np.arange(length, dtype=np.int32)  # a chain, then some
    heads[length // 2 :] = min(1, length // 2)
    return Sentence(words, lemmas, tuple(tag.lower() for tag in tags), tags, morphology, heads)


TRAIN = [drawn(length) for length in (1, 2, 5, 9, 14)]
TEST = [drawn(length) for length in (1, 6, 13)]


def spelled(sentence: Sentence, h: int, m: int, templates: str) -> set[str]:
    """All features of an arc."""
    ROOT = "root"
    words, lemmas = (ROOT, *sentence.words), (ROOT, *sentence.lemmas)
    coarse, morphology = (ROOT, *sentence.coarse), (ROOT, *sentence.morphology)
    tags = dict(enumerate((ROOT, *sentence.tags))) | {-1: "before", len(words): "after"}
    value = {"pw": words[h], "cw": words[m], "pl": lemmas[h], "cl": lemmas[m]}
    value |= {"pm": morphology[h], "cm": morphology[m]}
    value |= {"pt": tags[h], "ct": tags[m], "pc": coarse[h], "cc": coarse[m]}
    value |= {"pp": words[h][:5], "cp": words[m][:5]}
    value |= {"pt-1": tags[h - 1], "pt+1": tags[h + 1], "ct-1": tags[m - 1], "ct+1": tags[m + 1]}
    longer = {"pp": h > 0 and len(words[h]) > 5, "cp": len(words[m]) > 5}
    distance = abs(h - m)
    bucket = distance if distance <= 5 else 6 if distance <= 10 else 7
    found = set()
    for template in (each.strip() for line in templates.strip().splitlines() for each in line.split(",")):
        fields = template.split()
        prefixes = [field for field in fields if field in longer]
        if prefixes and not any(longer[field] for field in prefixes):
            continue
        for b in {tags[t] for t in range(min(h, m) + 1, max(h, m))} if "b" in fields else {""}:
            feature = f"{template}: {' '.join((value | {'b': b})[field] for field in fields)}"
            found |= {feature, f"{feature}, {'left' if h > m else 'right'} {bucket}"}
    return found


def rows(x, sentence: Sentence, first: int) -> dict[tuple[int, int], set[int]]:
    """(head, modifier) -> columns."""
    T, found = len(sentence.words), {}
    for k in range(T * T):
        r = first + k
        arc = int(head_of.python(k, T)), k // T + 1
        columns = x.indices[x.indptr[r] : x.indptr[r + 1]].tolist()
        assert len(columns) == len(set(columns))
        found[arc] = set(columns)
    return found


@pytest.mark.parametrize("templates", arc_features.TEMPLATES)
@pytest.mark.parametrize("threads", [1, 2])
def test_an_arc_has_the_features_that_a_right_arc_of_training_has(templates, threads, monkeypatch):
    """However many arcs are looked at together."""
    with parallel.using(threads):
        monkeypatch.setattr(arc_features, "ARCS_AT_ONCE", 30 if threads > 1 else 2**16)
        text = arc_features.TEMPLATES[templates]
        train, test, vocabulary = arc_features.extract(TRAIN, [each.heads for each in TRAIN], TEST, templates)
        new = arc_features.rows_of(TEST, vocabulary, templates)
        for found, wanted in zip(new, test, strict=True):
            np.testing.assert_array_equal(found, wanted)
        right = {f for s in TRAIN for m, h in enumerate(s.heads.tolist(), 1) for f in spelled(s, h, m, text)}
        assert len(train.counts) == len(test.counts) == len(right)
        name: dict[int, set[str]] = {}  # a column's feature, once an arc tells it from all others
        for x, sentences in ((train, TRAIN), (test, TEST)):
            first = 0
            for sentence in sentences:
                for (h, m), columns in rows(x, sentence, first).items():
                    wanted = spelled(sentence, h, m, text) & right
                    assert len(columns) == len(wanted)
                    for column in columns:
                        name[column] = name.get(column, wanted) & wanted
                first += len(sentence.words) ** 2
        assert all(name.values()), "a column has a feature that all of its arcs share"


def test_what_a_vocabulary_says_is_looked_up_in_tables_that_are_made_once(monkeypatch):
    made, make = [], arc_features._table
    monkeypatch.setattr(arc_features, "_table", lambda keys: made.append(len(keys)) or make(keys))
    *_, vocabulary = arc_features.extract(TRAIN, [each.heads for each in TRAIN], TEST, "mcdonald")
    first, *others = (arc_features.rows_of(TEST, vocabulary, "mcdonald") for _ in range(3))
    tables = {kind: vocabulary[kind].table for kind in arc_features.KINDS}
    assert made == [len(vocabulary["keys"])] * 2, "one for training"
    assert all(vocabulary[kind].table is table for kind, table in tables.items())
    for each in others:
        np.testing.assert_array_equal(each.indices, first.indices)
    kept = id(vocabulary["keys"])
    assert kept in arc_features._tables
    del vocabulary
    gc.collect()
    assert kept not in arc_features._tables, "it goes with the model"


def test_a_list_that_is_longer_than_expected_is_made_again(monkeypatch):
    def listed(tokens, templates, i, heads, out):
        out[:] = np.arange(len(out))
        return 100_000

    monkeypatch.setattr(arc_features, "_right_keys", listed)
    found = arc_features._in_sentences(fake(starts=[0, 1, 2]), UNUSED, UNUSED)
    assert [each.tolist() for each in found] == [[*range(100_000)]] * 2


def test_more_tags_than_a_key_has_room_for():
    many = tuple(f"T{k}" for k in range(300))
    sentence = Sentence(("a",) * 300, ("a",) * 300, many, many, ("_",) * 300, np.arange(300, dtype=np.int32))
    with pytest.raises(
        UserError, match="are 600 different values of tag, and room for 252: write _ in the fifth column"
    ):
        arc_features.extract([sentence], [sentence.heads], [], "mcdonald")


def test_templates_are_of_known_fields_and_fit_a_key():
    for text in arc_features.TEMPLATES.values():
        templates = arc_features.parsed(text)
        assert len(templates) < 2**9
        for fields in templates:
            kept = fields[fields >= 0]
            words = np.count_nonzero(kept < arc_features.FIRST_TAG)
            bits = words * arc_features.WORD_BITS + (len(kept) - words) * arc_features.TAG_BITS
            assert bits + arc_features.WHERE_BITS <= arc_features.TEMPLATE_SHIFT
            assert arc_features.BETWEEN not in kept[1:], "b comes first"
