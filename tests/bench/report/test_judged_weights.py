"""Weights of anybody's solver beside the certified optimum; the page's solver; and what is said of wrong files."""

import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

import structbench
from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.__main__ import main
from structbench.bench.report import judged_weights, optima
from structbench.bench.runs import problem_store, results
from structbench.datasets import data_ref
from structbench.datasets.problems import storage
from tests.narrowing import not_none

ALL = "all weights"
HUGE = b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000,)}"
DATA, ENGLISH, POINTS = "synthetic", "toy-english:sentences=20,test_sentences=10", "toy-points"
PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "judge.md"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(autouse=True)
def here(root, monkeypatch, tmp_path):
    monkeypatch.setenv(results.VARIABLE, str(root))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def best(here):
    """A run that certifies the optimum."""
    return structbench.run(DATA, "lbfgs", loss="log", C=10, gap=1e-8)


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def judged(file, data=DATA, loss="log", C=10.0, **more) -> judged_weights.Judged:
    return judged_weights.judge_weights(Path(file), data, loss, C, **more)


def test_the_solver_of_the_page_comes_to_the_optimum_of_an_own_run(best, capsys):
    solver = blocks("python")[0]
    assert len([line for line in solver.splitlines() if line.strip()]) <= 30
    exec(solver.replace('"ocr"', f'"{DATA}"'), {})
    assert main(["judge", "mine.npy", "--data", DATA, "--loss", "log", "--C", "10"]) == 0
    said = capsys.readouterr().out
    assert f"{best.key} (unpublished)" in said and "objective" in said
    found = judged("mine.npy")
    assert abs(found.above[1]) < 1e-6 and found.above[0] <= found.above[1]
    assert found.objective == pytest.approx(best.summary["primal"], rel=1e-6)
    assert found.own_bound <= not_none(found.optimum).objective and found.test_error == best.summary["test_error"]


def test_optimum_is_an_interval_with_its_runs(best):
    found = structbench.optimum(DATA, loss="log", C=10)
    assert found.lower_bound <= best.summary["dual"] <= best.summary["primal"] <= found.objective
    assert 0 < found.relative_gap < 3e-8 and {found.bound_by.run, found.objective_by.run} == {best.key}
    assert found.problem.data_sha256 == best.summary["provenance"]["data_sha256"][:12]
    with pytest.raises(UserError, match=r"C = 11 is known: of synthetic the table has none$"):
        structbench.optimum(DATA, loss="log", C=11)
    with pytest.raises(UserError, match=r"C = 3 is known: of ocr the table has hinge with C = 1, .*, log with"):
        structbench.optimum("ocr", loss="log", C=3)
    with pytest.raises(UserError, match=r"l1, C = 1 is known: of ocr .* log with C = 1 \(l2\)"):
        structbench.optimum("ocr", loss="log", C=1, penalty="l1")
    with pytest.raises(UserError, match="unknown loss 'lgo': did you mean 'log'"):
        structbench.optimum(DATA, loss="lgo", C=10)
    with pytest.raises(UserError, match="synthtic"):
        structbench.optimum("synthtic", loss="log", C=10)


def test_the_published_optimum_of_ocr_is_there_without_its_data():
    found = structbench.optimum("ocr", loss="log", C=1)
    assert 18067.44 < found.lower_bound < found.objective < 18067.46 and found.bound_by.paper == "methods"


def test_names_of_labels_that_training_lacks_are_no_part_of_a_problem(monkeypatch):
    """Tables of earlier days have a hash without them."""
    Path("train.txt").write_text("a\tx\nb\ty\n\n")
    Path("test.txt").write_text("a\tx\nc\ty\n\n")
    data = data_ref("crfsuite:train.txt")
    problem, sha256 = problem_store.obtain(data, "test.txt")
    assert problem.unseen == ("c",)
    today, earlier = problem_store.known_hashes(data, "test.txt", sha256)
    assert today == sha256 != earlier == storage.fingerprint(problem._replace(unseen=()))
    assert problem_store.known_hashes(data, "test.txt", "f" * 64) == ("f" * 64,)
    problem_store.obtain(data_ref(DATA))
    sha256 = not_none(problem_store.fingerprint(data_ref(DATA)))
    table = [optima.read_optima()[0]._replace(problem=optima.Problem(DATA, "e" * 12, "log", "l2", 7.0))]
    monkeypatch.setattr(optima, "read_optima", lambda: table)
    with pytest.raises(UserError, match="synthetic is built here from other files than those of"):
        structbench.optimum(DATA, loss="log", C=7)
    monkeypatch.setattr(problem_store, "known_hashes", lambda *given: (sha256, "e" * 64))
    assert structbench.optimum(DATA, loss="log", C=7).problem.data_sha256 == sha256[:12]


def test_weights_below_the_bound_refute_it(best, monkeypatch):
    true = structbench.optimum(DATA, loss="log", C=10)
    refuted = true._replace(lower_bound=1.1 * true.objective)
    monkeypatch.setattr(optima, "known_optimum", lambda *given: refuted)
    assert "is refuted" in judged(best.folder / "weights.npz").verdict


def test_a_run_with_a_test_file_certifies_weights_that_are_judged_with_it(capsys):
    for name, count in (("train", 6), ("test", 3)):
        Path(f"{name}.txt").write_text("1 1:1\n2 2:1\n1 2:0.5\n" * count)
    run = structbench.run("svmlight:train.txt", "lbfgs", loss="log", C=10, gap=1e-8, test="test.txt")
    words = [str(run.folder / "weights.npz"), *["--data", "svmlight:train.txt", "--loss", "log", "--C", "10"]]
    assert main(["judge", *words, "--test", "test.txt"]) == 0
    said = capsys.readouterr().out
    assert f"{run.key} (unpublished)" in said and re.search(r"gap of these weights +\d", said)
    assert problem_store.fingerprint(run.spec.data, run.spec.test)  # judging has left the problem as it was built
    assert main(["judge", *words]) == 0
    assert "(the --test file is one)" in capsys.readouterr().out
    found = structbench.optimum("svmlight:train.txt", loss="log", C=10, test="test.txt")
    assert found.objective_by.run == run.key and structbench.arrays("svmlight:train.txt", "test.txt").test
    with pytest.raises(UserError, match="the --test file is one"):
        structbench.optimum("svmlight:train.txt", loss="log", C=10)
    with pytest.raises(UserError, match=r"C = 10\.0000000001 is known"):
        structbench.optimum("svmlight:train.txt", loss="log", C=10.0000000001, test="test.txt")


def test_a_distance_whose_ends_are_printed_alike_is_one_number(best):
    found = judged(best.folder / "weights.npz")
    ends = {(1.061e-5, 1.0613e-5): "is 0.00106 % above", (1.0e-5, 1.1e-5): "is 0.001 to 0.0011 % above"}
    for above, said in (ends | {(0.8561, 0.8561): "is 595 % above"}).items():
        objective = found.objective if above[0] < 0.1 else not_none(found.optimum).objective / (1 - 0.8561)
        assert said in found._replace(above=above, objective=objective).verdict


@pytest.mark.parametrize("bound", [-10.0, 0.0])
def test_a_bound_that_is_not_above_0_gives_no_share_of_the_optimum(best, bound):
    found = judged(best.folder / "weights.npz")
    known = not_none(found.optimum)._replace(lower_bound=bound, objective=100.0)
    said = "The bound is not above 0: no share of the optimum is certain."
    for objective, where in ((120.0, "20 above the least known one"), (100.0, "not above any known one")):
        over = (objective - 100) / objective, (objective - bound) / objective
        verdict = found._replace(optimum=known, objective=objective, above=over).verdict
        assert verdict == f"The objective is {where}. {said}"


def test_another_C_has_an_objective_and_a_sentence(best, capsys):
    found = judged(best.folder / "weights.npz", C=11.0)
    assert found.optimum is None and np.isnan(found.above).all() and found.own_bound < found.objective
    assert found.verdict.startswith("no optimum of synthetic, log loss, l2, C = 11 is known")
    assert (
        main(["judge", str(best.folder / "weights.npz"), "--data", DATA, "--loss", "log", "--C", "11", "--json"])
        == 0
    )
    assert '"optimum": null' in capsys.readouterr().out


def count() -> int:
    return parts.num_weights(problem_store.obtain(data_ref(ENGLISH))[0].train)


def test_bytes_behind_an_array_or_cut_from_a_model_are_refused(tmp_path):
    np.save("more.npy", np.zeros(count()))
    whole = Path("more.npy").read_bytes()
    for content in (whole + b"0", whole[:-1]):
        Path("more.npy").write_bytes(content)
        with pytest.raises(UserError, match=r"weights is not of the .* bytes that its header says"):
            judged("more.npy", ENGLISH)
    model = bytearray(b"lCRF" + bytes(200))
    for size, kind, sentence in ((210, 0, "it has 204 bytes, not the 210"), (204, 7, "a feature of the kind 7")):
        for at, number in ((4, size), (28, 60), (68, 1), (72, kind)):
            model[at : at + 4] = number.to_bytes(4, "little")
        Path("theirs.model").write_bytes(model)
        with pytest.raises(UserError, match=sentence):
            judged("theirs.model", ENGLISH)


@pytest.mark.parametrize(("at", "value"), [(6, 1), (8, 99)])
def test_encrypted_and_unknown_archives_are_refused(at, value):
    """``at``: of the flag of encryption, and of the method of compression, in both headers of a member."""
    np.savez("theirs.npz", weights=np.zeros(count()))
    content = bytearray(Path("theirs.npz").read_bytes())
    content[at], content[content.rindex(b"PK\1\2") + at + 2] = value, value
    Path("theirs.npz").write_bytes(content)
    with pytest.raises(UserError, match=r"theirs\.npz holds no weights"):
        judged("theirs.npz", ENGLISH)
    with zipfile.ZipFile("theirs.npz", "w") as archive:
        archive.writestr("weights", b"text")
    with pytest.raises(UserError, match="its arrays are none"):
        judged("theirs.npz", ENGLISH)


def test_all_forms_of_a_file_are_the_same_weights(tmp_path):
    train, _, labels, columns = structbench.arrays(ENGLISH)
    K, F = len(labels), train.x.shape[1]
    w = np.random.default_rng(0).normal(size=(F + K) * K)
    np.save("all.npy", w)
    np.savez("all.npz", weights=w)
    np.savez("two.npz", state=w[: F * K].reshape(F, K), transition=w[F * K :].reshape(K, K))
    state = [f"state\t{name}\t{label}" for name in columns for label in labels]
    pairs = [f"transition\t{before}\t{label}" for before in labels for label in labels]
    lines = [f"{line}\t{value!r}" for line, value in zip([*state, *pairs], w.tolist(), strict=True)]
    Path("lines.txt").write_text("\n".join(lines), encoding="utf-8-sig")
    found = [judged(file, ENGLISH).objective for file in ("all.npy", "all.npz", "two.npz", "lines.txt")]
    assert len({*found}) == 1


def test_a_model_of_crfsuite_is_judged_by_the_names_of_the_data():
    pytest.importorskip("pycrfsuite")
    given = blocks("python")[1].replace("conll2000:sentences=500", ENGLISH)
    exec(given, {})
    best = structbench.run(ENGLISH, "lbfgs", loss="log", C=10, gap=1e-8)
    found = judged("theirs.model", ENGLISH)
    assert found.num_nonzero > 1000 and 0 <= found.above[1] < 1e-3
    assert found.objective > best.summary["dual"]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("gone.npy", None, "cannot read gone.npy: No such file or directory: expected a .npy or .npz"),
        (
            "short.npy",
            np.zeros(3),
            "short.npy: 3 weights, 29,546 needed",
        ),
        ("nan.npy", [np.nan], "nan.npy: weight 2 is nan, which is not finite"),
        ("large.npy", [1e200], "large.npy: the objective of these weights is inf"),
        ("words.npy", np.array(["a"]), "weights has <U1, not real numbers"),
        ("parts.npy", np.zeros(3, complex), "weights has complex128, not real numbers"),
        ("days.npz", {"weights": np.zeros(3, "M8[s]")}, "not real numbers"),
        ("flags.npz", {"weights": np.zeros(3, bool)}, "weights has bool, not real numbers"),
        ("turned.npz", {"state": np.zeros((5, 700)), "transition": np.zeros((5, 5))}, "state has the shape"),
        ("half.npz", {"size": np.array(3.5), "places": np.arange(2), "values": np.zeros(2)}, "size has float64"),
        (
            "large.npz",
            {"size": np.array(10**13), "places": np.arange(2), "values": np.zeros(2)},
            "size is another",
        ),
        ("twice.npz", {"size": ALL, "places": np.zeros(2, int), "values": np.zeros(2)}, "its places are not each"),
        ("below.npz", {"size": ALL, "places": np.array([-1]), "values": np.zeros(1)}, "its places are not each"),
        ("folder", "mkdir", "folder is no regular file"),
        ("pipe", "mkfifo", "pipe is no regular file"),
        (
            "huge.npy",
            b"\x93NUMPY\1\0" + len(HUGE).to_bytes(2, "little") + HUGE,
            "000,000 weights, 29,546 needed",
        ),
        ("cut.npy", b"\x93NUMPY\1\0\x08\0{'descr'", "cut.npy holds no weights"),
        ("empty.txt", b"", "empty.txt holds no weights .it names none"),
        (
            "again.txt",
            b"transition\tO\tO\t1\n" * 2,
            "line 2 of the weights, .*, gives a weight that an earlier line",
        ),
        ("torn.npz", b"PK\3\4torn", "torn.npz holds no weights"),
        ("odd.npz", {"theta": np.zeros(3)}, "its arrays are theta, not weights, or state and transition"),
        ("torn.model", b"lCRFtorn", "torn.model holds no weights"),
        ("a.npy.gz", b"\x1f\x8b\x08", "it is a gzip file: unpack it"),
        ("a.bz2", b"BZh91AY", "it is a bzip2 file: unpack it"),
        ("a.npy.xz", b"\xfd7zXZ\0", "it is an xz file: unpack it"),
        ("a.pkl", b"\x80\x04\x95", "it seems to be a pickle"),
        ("utf16.txt", "state".encode("utf-16"), "it is UTF-16: save it as UTF-8"),
        ("a.json", b"0.0, " * 5000, r"line 1 has 25,000 letters"),
        (
            "both.npz",
            {"weights": np.zeros(3), "state": np.zeros(3)},
            "its arrays are state, weights: expected one form of weights",
        ),
        (
            "sparse.npz",
            {"places": np.zeros(3), "values": np.zeros(3), "weights": np.zeros(3)},
            "expected one form",
        ),
        (
            "start.npz",
            {"state": np.zeros((5, 5)), "transition": np.zeros((5, 5)), "start": np.zeros(5)},
            "beside state it has start, which are no weights of these data",
        ),
        ("a.txt", b"state\tsun=\xc3\tNN\t1", "a.txt holds no weights"),
        ("b.txt", b"state\tsun=3\tNN\t1", "line 1 of the weights .*; these data have no 'sun=3'$"),
        ("c.txt", b"feature,label,weight", "line 1 of the weights is 'feature,label,weight': expected tabs"),
        ("d.txt", b"transition\tO\tQQ\t1", "these data have no 'QQ'$"),
        ("e.txt", b"transition\tO\tO\tone", "line 1 of the weights"),
        ("f.txt", b"transition\tO\tO\tinf", r"weight \d+ is inf, which is not finite"),
    ],
)
def test_a_wrong_file_is_told_in_a_sentence(name, content, sentence):
    if isinstance(content, bytes):
        Path(name).write_bytes(content)
    elif isinstance(content, dict):
        arrays = {key: np.array(count()) if value is ALL else value for key, value in content.items()}
        np.savez(name, allow_pickle=True, **arrays)
    elif isinstance(content, str):
        getattr(os, content)(name)
    elif isinstance(content, list):
        w = np.zeros(count())
        w[2] = content[0]
        np.save(name, w)
    elif content is not None:
        np.save(name, content)
    with pytest.raises(UserError, match=sentence):
        judged(name, ENGLISH)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"data": "ocrr"}, "'ocrr'"),
        ({"loss": "none"}, "without a loss there is no objective"),
        ({"loss": "lgo"}, "unknown loss 'lgo'"),
        ({"C": 0.0}, "C must be a number above 0, not 0"),
        ({"C": float("nan")}, "C must be a number above 0, not nan"),
        ({"penalty": "l3"}, "unknown penalty 'l3'"),
        ({"test": "a.txt"}, "has its own test split"),
    ],
)
def test_a_wrong_argument_is_told_in_a_sentence(given, sentence):
    np.save("w.npy", np.zeros(3))
    with pytest.raises(UserError, match=sentence):
        judged("w.npy", **given)


@pytest.mark.parametrize(
    ("data", "loss", "sentence"),
    [
        ("toy-bitext", "log", "^the log loss needs marginals, which matching problems do not have$"),
        ("toy-clusters", "hinge", "^the hinge loss needs parts, which subclasses problems do not have$"),
    ],
)
def test_a_loss_that_a_structure_has_not_is_told_in_a_sentence(data, loss, sentence):
    np.save("w.npy", np.zeros(parts.num_weights(problem_store.obtain(data_ref(data))[0].train)))
    with pytest.raises(UserError, match=sentence):
        judged("w.npy", data, loss)


def test_only_classes_and_chains_have_two_arrays():
    np.savez("two.npz", state=np.zeros((3, 3)), transition=np.zeros((3, 3)))
    with pytest.raises(UserError, match="its arrays are state, transition, not weights, all in one array"):
        judged("two.npz", "toy-grid")


def test_arrays_are_of_classes_and_chains_alone():
    points = structbench.arrays(POINTS)
    assert len(points.train.y) == len(points.train.starts) - 1 == points.train.x.shape[0]
    with pytest.raises(UserError, match="is of dependency: arrays are of multiclass and chain alone"):
        structbench.arrays("toy-english:task=dependencies")
    with pytest.raises(UserError, match="has observed edges"):
        structbench.arrays("toy-english:task=entities")


def test_weights_of_features_of_edges_are_not_told_by_names(tmp_path):
    data = "toy-english:sentences=20,test_sentences=10,task=entities"
    Path("w.txt").write_text("transition\tO\tO\t3\n")
    with pytest.raises(
        UserError, match=r"w.txt names attributes, and these data have \d+ features of edges: give"
    ):
        judged("w.txt", data)
    split = datasets.build(data).train
    np.save("w.npy", np.zeros(parts.num_weights(split)))
    assert judged("w.npy", data).objective > 0
    np.savez("w.npz", state=np.zeros((3, 2)), transition=np.zeros((2, 2)))
    with pytest.raises(UserError, match="weights, all in one array"):
        judged("w.npz", data)


def test_names_with_other_separators_are_not_torn(tmp_path):
    Path("train").write_text("A\tw=a\u2028b\nB\tw=c\n\nB\tw=c\n", encoding="utf-8")
    Path("w.txt").write_text("state\tw=a\u2028b\tA\t1\r\n", encoding="utf-8")
    assert judged("w.txt", "crfsuite:train", test="train").num_nonzero == 1


def test_names_of_svmlight_are_indices(tmp_path):
    Path("train").write_text("1 2:1 9:1\n2 5:1\n")
    Path("w.txt").write_text("state\t9\t1\t1\n")
    assert structbench.arrays("svmlight:train").columns == ["2", "5", "9"]
    Path("v.txt").write_text("state\t5\t2\t1\n")
    one, other = (judged(f"{name}.txt", "svmlight:train").objective for name in "wv")
    assert one == pytest.approx(other)
    with pytest.raises(UserError, match="1"):
        Path("w.txt").write_text("state\t1\t1\t1\n")
        judged("w.txt", "svmlight:train")
