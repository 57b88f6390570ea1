"""The option ``costs`` of every data set: from a file, or of chunks; and what is said of a wrong one."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import problem_store
from structbench.datasets.problems import storage
from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import costs


def of_labels(labels, cost):
    """The text of a file: the labels backwards, and the costs that a function gives."""
    backwards = labels[::-1]
    rows = [" ".join([right, *(str(cost(right, each)) for each in backwards)]) for right in labels]
    return "\n".join(["\t".join(backwards), *rows, ""])


def number(right, label):
    return 0 if right == label else 1 + ord(right[0]) + 7 * ord(label[0])


def test_a_file_of_costs(written, tmp_path):
    plain = datasets.build("toy-english:sentences=30,task=chunks")
    file = written(of_labels(plain.labels, number))
    data = f"toy-english:sentences=30,task=chunks,costs={file}"
    made = datasets.build(data)
    expected = [[number(a, b) for b in plain.labels] for a in plain.labels]
    np.testing.assert_array_equal(made.train.costs, expected)
    np.testing.assert_array_equal(made.test.costs, expected)
    ref = datasets.data_ref(data)
    assert problem_store.user_files(ref) == [str(file)]  # whose content decides whether the problem is current
    assert storage.fingerprint(made) != storage.fingerprint(plain)
    assert ref.scores == made.scores == ("chunks", "costs")
    right, predicted = np.array([0, 2, -1]), np.array([1, 2, 0])
    judged = Judged(made, "test", predicted, right, np.array([0, 3]))
    assert costs.scores(judged).cost == pytest.approx((expected[0][1] + 1) / 3)
    storage.save(made, tmp_path / "problem")
    np.testing.assert_array_equal(storage.load(tmp_path / "problem").train.costs, expected)


def test_costs_of_chunks():
    made = datasets.build("toy-english:sentences=30,task=segments,costs=chunks")
    assert (made.train.chunk_costs, made.test.chunk_costs) == (1, 1)
    plain = datasets.build("toy-english:sentences=30,task=segments")
    assert storage.fingerprint(made) != storage.fingerprint(plain)
    assert problem_store.user_files(datasets.data_ref("toy-english:task=segments,costs=chunks")) == []
    with pytest.raises(UserError, match=r"of the structure multiclass take share or a file$"):
        datasets.build("toy-points:costs=chunks")


def test_the_share_of_wrong_labels(tmp_path):
    data = "toy-english:sentences=30,task=chunks,costs=share"
    made, plain = datasets.build(data), datasets.build(data.removesuffix(",costs=share"))
    assert storage.fingerprint(made) != storage.fingerprint(plain)
    assert made.scores == ("chunks", "costs") and problem_store.user_files(datasets.data_ref(data)) == []
    storage.save(made, tmp_path / "problem")
    again = storage.load(tmp_path / "problem")
    out = np.zeros(parts.num_parts(again.train, 0))
    parts.add_costs(again.train, 0, 6.0, out)
    length, K = again.train.starts[1], again.train.num_labels
    assert out[: length * K].sum() == pytest.approx(6.0 * (K - 1))
    right, predicted, starts = np.array([0, 2, -1, 1]), np.array([1, 2, 0, 1]), np.array([0, 1, 4])
    assert costs.scores(Judged(again, "test", predicted, right, starts)).cost == pytest.approx((1 + 1 / 3) / 2)


def of_points(first, second, right="class 2"):
    return f"class 1\tclass 2\nclass 1\t{first}\n{right}\t{second}"


@pytest.mark.parametrize(
    ("data", "text", "message"),
    [
        ("toy-english:task=chunks", "", r"line 1: expected each of the \d+ labels once; wrong or missing: .*B-"),
        ("toy-points", of_points("0\t1", "1"), "line 3: expected a right label and 2 numbers, found '1'"),
        ("toy-points", of_points("0\tx", "1\t0"), "line 2: expected a right label and 2 numbers, found '0 x'"),
        ("toy-points", of_points("0\t.5", "1\t0"), "class 2 where class 1 is right must be 1 or more, .* not 0.5"),
        ("toy-points", of_points("2\t1", "1\t0"), "label class 1 where class 1 is right must be 0, not 2"),
        ("toy-points", of_points("0\t1", "1\t0", "class 1"), "the 2 labels once; wrong or missing: class 2$"),
        ("toy-points", of_points("0\t1e400", "1\t0"), "1 or more, and finite, not inf"),
        (
            "toy-points",
            "class 1\t\tclass 2",
            "line 1: .* the 2 labels once; wrong or missing: an empty cell$",
        ),
        ("toy-points", "class 1\tclass 2\tclass 2", r"wrong or missing: class 2 \(twice\)$"),
        (
            "toy-points",
            "A,B",
            "line 1: expected each of the 2 labels once, with tabs or blanks between; wrong or missing: A,B",
        ),
        ("toy-points", "a\tb\tc", "wrong or missing: a, b, c, class 1, class 2$"),
        ("toy-points", "a\tb\tc\td\te\tf", "wrong or missing: a, b, c, class 1, class 2 and 3 more$"),
        ("toy-english:task=segments", "O\nO 0", "of the structure segments take chunks$"),
        ("toy-english:task=dependencies", "", "of the structure dependency take none$"),
        ("toy-points", None, "there is no such file"),
    ],
)
def test_what_is_wrong(written, data, text, message):
    file = written(text) if text is not None else "no/such/file"
    with pytest.raises(UserError, match=message):
        datasets.build(f"{data}{',' if ':' in data else ':'}costs={file}")


def test_the_corner_of_a_table_may_be_empty(written):
    table = of_points("0\t3", "2\t0")
    files = written(table, "plain"), written("\t" + table, "corner")
    plain, corner = (datasets.build(f"toy-points:costs={file}") for file in files)
    assert storage.fingerprint(plain) == storage.fingerprint(corner)


def test_a_file_of_costs_is_of_one_kind_of_labels(tmp_path):
    file = tmp_path / "costs"
    file.write_text("a b\na 0 1\nb 1 0\n")
    said = "a decision here is two labels in one: costs=share counts both"
    with pytest.raises(UserError, match=said):
        datasets.build(f"toy-english:sentences=30,task=factorial,costs={file}")
    datasets.build("toy-english:sentences=30,task=factorial,costs=share")
