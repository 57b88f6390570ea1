"""Relations on the Spanish trees: the splits of ``conll2007``, a share of the first, and the real archive."""

import numpy as np
import pytest

from structbench import datasets
from structbench.datasets import conll2007, conll2007_relations
from tests.datasets.packed import zipped


def archive(path):
    def sentences(first, last):
        lines = (
            f"1\tw{k}\t_\tn\tnc\t_\t2\tSUJ\t2\tSUJ\n2\tv\t_\tv\tvm\t_\t0\tROOT\t0\tROOT\n\n"
            for k in range(first, last)
        )
        return "".join(lines)

    return zipped(path, dict(zip(conll2007.MEMBERS, (sentences(0, 700), sentences(700, 3512)), strict=True)))


def test_a_share_of_the_training_sentences(tmp_path):
    path = archive(tmp_path / "conll2007.zip")
    one = conll2007_relations.load(lambda file: path, sentences=200, test_sentences=30, share=10, draw=1)
    assert len(one.train.starts) - 1 == 20
    assert len(one.test.starts) - 1 == 30
    other = conll2007_relations.load(lambda file: path, sentences=200, test_sentences=30, share=10, draw=2)
    np.testing.assert_array_equal(one.test.y, other.test.y)
    assert one.labels == ("ROOT", "SUJ")


@pytest.mark.corpus(conll2007.CORPUS)
def test_the_real_trees():
    one = datasets.build("conll2007-relations:sentences=300,test_sentences=20")
    assert len(one.train.starts) - 1 == 300
    assert {"SUJ", "CD", "ATR", "ROOT", "_"} <= set(one.labels)
    assert [one.labels[k] for k in one.key_attributes] == ["SUJ", "CD", "ATR"]
    assert datasets.structure("conll2007-relations") == one.train.id == "tree"
