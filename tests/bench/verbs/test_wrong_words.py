"""Wrong words on the command line get the words of all other messages, not argparse's."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.verbs.command_line import parse_words


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run --data a --algorithm eg --C much", "^--C must be a number, not 'much'; see `.*run --help`$"),
        ("predict a b --k-best 1.5", "^--k-best must be a whole number, not '1.5'; see"),
        (
            "best a.yaml --by tset_f1",
            "^--by must be one of .*, test_f1, .*, not 'tset_f1': did you mean 'test_f1'. see",
        ),
        ("best a.yaml --by luck", "^--by must be one of validation_error, .*, seconds, not 'luck'; see"),
    ],
)
def test_a_wrong_value_is_one_plain_sentence(words, sentence):
    with pytest.raises(UserError, match=sentence):
        parse_words(words.split())
