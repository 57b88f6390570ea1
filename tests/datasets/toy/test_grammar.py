"""Grammars: drawn as their weights say, never without end, refused where malformed."""

from random import Random

import pytest

from structbench.datasets.text.trees import leaves
from structbench.datasets.toy.grammar import Grammar


def test_weights_and_zipf():
    grammar = Grammar(["S = 3: A@a | 1: B@b"], {"A@a": ["x", "y", "z"], "B@b": ["w"]})
    rng = Random(2)
    drawn = [next(leaves(grammar.draw("S", rng))).word for _ in range(20_000)]
    expected = {"x": 20, "y": 15, "z": 12}  # proportional to 1/3, 1/4, 1/5
    for word, share in expected.items():
        assert drawn.count(word) / 20_000 == pytest.approx(0.75 * share / 47, abs=0.02)
    assert drawn.count("w") / 20_000 == pytest.approx(0.25, abs=0.02)


def test_endless_rules_end():
    grammar = Grammar(["S = 1: a/A | 1000000: b/B S"], {})
    assert sum(1 for _ in leaves(grammar.draw("S", Random(0)))) < 30


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["S 1: a/A"], "expected SYMBOL = weight: right side"),
        (["S = x: a/A"], "could not convert string to float"),
        (["S = 1: NP VP", "NP = 1: a/A"], "no rule and no words for VP"),
        (["S = 1: N@n"], "no rule and no words for N@n"),
    ],
)
def test_malformed_grammar(rules, message):
    with pytest.raises(ValueError, match=message):
        Grammar(rules, {})
