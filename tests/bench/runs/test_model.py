"""Models: they predict what their runs did, with probabilities of a brute force, from a run or a folder."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import structbench
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.runs import results, seals, spec, store
from structbench.bench.runs.execute import run_one
from structbench.bench.runs.store import Run
from structbench.datasets import toy_english

SENTENCES = "toy-english:sentences=60,test_sentences=40"
NEW = [[("The", "DT"), ("dog", "NN")], [("Mary", "NNP")]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(autouse=True)
def _here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(results.VARIABLE, str(root))


def made(data: str, algorithm: str, loss: str | None = "log", **params: object) -> Run:
    """A finished run, made once."""
    of = spec.make(data, loss, None if loss is None else 1.0, algorithm, params, passes=20)
    return run_one(of, results.runs() / of.key, lambda line: None)


def error(found: list[list[str]], text: str, column: int = -1) -> float:
    right = [line.split(" ")[column] for line in text.split("\n") if line]
    return float(np.mean([a != b for a, b in zip(itertools.chain(*found), right, strict=True)]))


@pytest.mark.parametrize(
    ("data", "algorithm", "loss", "params"),
    [
        (SENTENCES, "lbfgs", "log", {}),
        (f"{SENTENCES},task=entities", "smo", "hinge", {}),
        (SENTENCES, "laso", None, {"beam": 3}),
    ],
)
def test_the_test_split_is_labelled_as_the_run_said(data, algorithm, loss, params, tmp_path):
    run = made(data, algorithm, loss, **params)
    text = toy_english.text(40, 0, "test", "entities" if "entities" in data else "chunks")
    (file := tmp_path / "test.txt").write_text(text)
    model = structbench.load(run.folder)
    assert error(model.predict(file), text) == pytest.approx(run.summary["test_error"], abs=1e-12)
    assert structbench.load(run.key).predict(str(file)) == model.predict(file)


def test_probabilities_are_those_of_a_brute_force():
    model = structbench.load(made(SENTENCES, "lbfgs").folder)
    labels, K = model.labels, len(model.labels)
    nodes, transitions = model.weights[: -K * K].reshape(-1, K), model.weights[-K * K :].reshape(K, K)
    x = model.encode(NEW[:1]).split.x
    rows = [nodes[x.indices[x.indptr[t] : x.indptr[t + 1]]].sum(axis=0) for t in range(2)]
    scores = rows[0][:, None] + transitions + rows[1][None]
    p = np.exp(scores) / np.exp(scores).sum()
    (found,) = model.predict_probabilities(NEW[:1])
    np.testing.assert_allclose(found, [p.sum(axis=1), p.sum(axis=0)], atol=1e-12)
    (best,) = model.k_best(NEW[:1], 4)
    order = np.argsort(-p.ravel())[:4]
    assert [each.labels for each in best] == [[labels[k // K], labels[k % K]] for k in order]
    np.testing.assert_allclose([each.probability for each in best], p.ravel()[order], atol=1e-12)
    np.testing.assert_allclose([each.score for each in best], scores.ravel()[order], atol=1e-12)


def test_an_exported_model_needs_no_run_and_no_data(tmp_path):
    run = made(f"{SENTENCES},task=dependencies", "lbfgs")
    model = structbench.load(run.folder)
    assert model.write(tmp_path / "model") == tmp_path / "model"
    again = structbench.load(tmp_path / "model")
    new = tmp_path / "new.txt"
    new.write_text("1\tMary\t_\tN\tNNP\t_\t_\t_\n2\truns\t_\tV\tVBZ\t_\t_\t_\n")
    assert again.predict(new) == model.predict(new) == [["2", "0"]]
    assert again.k_best(new, 2) == model.k_best(new, 2) and len(again.k_best(new, 9)[0]) == 2
    with pytest.raises(UserError, match="has no probabilities of single labels"):
        again.predict_probabilities(new)
    about = json.loads((tmp_path / "model" / "model.json").read_text())
    assert about["key"] == run.key and about["provenance"]["data_sha256"]
    with pytest.raises(UserError, match="holds something other than a model"):
        model.write(tmp_path)
    description = tmp_path / "model" / "model.json"
    whole = description.read_text()
    description.write_text(whole.replace('"format": 1', '"format": 99'))
    with pytest.raises(UserError, match="format 99, not 1"):
        structbench.load(tmp_path / "model")
    description.write_text(whole)
    for broken in (lambda file: file.write_bytes(b"PK"), lambda file: file.unlink()):
        broken(tmp_path / "model" / "weights.npz")
        with pytest.raises(UserError, match="holds a broken model"):
            structbench.load(tmp_path / "model")


def test_a_broken_vocabulary_whose_hash_fits_is_said_in_a_sentence(tmp_path):
    file = tmp_path / "whole.svm"
    file.write_text("1 1:0.5 2:1\n2 1:-1 3:2\n")
    folder = structbench.load(made(f"svmlight:{file}", "smo", "hinge").folder).write(tmp_path / "model")
    names, about = folder / "vocabulary.npz", json.loads((folder / "model.json").read_text())
    whole = names.read_bytes()

    def changed(content: bytes) -> Path:
        names.write_bytes(content)
        about["sha256"][names.name] = seals.file_sha256(names)
        (folder / "model.json").write_text(json.dumps(about))
        return folder

    for broken in (b"", whole[:60] + bytes(40) + whole[100:]):  # numpy leaves other ones open
        with pytest.raises(UserError, match="holds a broken model"):
            structbench.load(changed(broken))
    np.savez(names, others=np.zeros(1))
    with pytest.raises(UserError, match=r"is broken .its vocabulary has no 'columns'.: export it again"):
        structbench.load(changed(names.read_bytes())).predict([{1: 1.0}])


def test_what_labels_nothing_says_so(tmp_path):
    file = tmp_path / "train.svm"
    file.write_text("1 1:0.5 2:1\n2 1:-1 3:2\n1 1:1\n3 3:1\n")
    model = structbench.load(made(f"svmlight:{file}", "smo", "hinge").folder)
    assert model.predict([{1: 0.5, 2: 1.0}, {3: 9.0}]) == ["1", "2"]
    with pytest.raises(UserError, match="a model of the loss hinge has no probabilities"):
        model.predict_probabilities([{1: 1.0}])
    for k in (0, 10**9, 2.5):
        with pytest.raises(UserError, match=r"from 1 to 10,000, found|k must be a whole number"):
            model.k_best([{1: 1.0}], k)
    pairs = structbench.load(made(f"svmlight:{file}", "pairwise", None).folder)
    assert len(pairs.predict([{1: 1.0}])) == 1
    with pytest.raises(UserError, match="pairwise predicts in its own way"):
        pairs.k_best([{1: 1.0}], 2)
    wild = structbench.load(made(f"svmlight:{file}", "sgd", eta0=1e300).folder)
    for label in (lambda: wild.predict([{1: 1.0}]), lambda: wild.write(tmp_path / "wild")):
        with pytest.raises(UserError, match="diverged: its weights label nothing"):
            label()
    assert not (tmp_path / "wild").exists()
    for algorithm, loss in (("kernel-svm", "hinge"), ("nearest-neighbours", None)):
        kept = made(f"svmlight:{file}", algorithm, loss)
        with pytest.raises(UserError, match=f"is of {algorithm}, which keeps no weights of features"):
            structbench.load(kept.folder)
    with pytest.raises(UserError, match=r"cannot read nowhere.txt: No such file"):
        model.predict("nowhere.txt")
    stored = results.problems()
    (kept,) = (each for each in stored.iterdir() if each.is_dir() and "svmlight:train~" in each.name)
    kept.rename(tmp_path / "away")
    file.write_text("1 1:0.5 2:1\n2 1:-1 3:2\n")
    with pytest.raises(UserError, match=r"is no longer what the run .* learned from"):
        structbench.load(model.about["key"])


def test_the_names_of_features_are_those_of_the_run(tmp_path):
    """Numbers that are equal do not make a file the one that was learned from."""
    file = tmp_path / "named.svm"
    file.write_text("1 2:1\n2 3:1\n")
    run = made(f"svmlight:{file}", "smo", "hinge")
    assert structbench.load(run.folder).predict([{2: 1.0}, {3: 1.0}]) == ["1", "2"]
    file.write_text("1 1:1\n2 2:1\n")
    structbench.run(f"svmlight:{file}", "smo", loss="hinge", C=2, passes=5)
    with pytest.raises(UserError, match=r"is no longer what the run .* learned from"):
        structbench.load(run.folder)


def test_a_torn_run_has_no_model_and_a_stale_one_says_so(tmp_path):
    run = made("toy-english:sentences=30,test_sentences=20", "lbfgs")
    summary = run.folder / "summary.json"
    assert structbench.load(run.folder).stale == ""
    store.amend(run, {"provenance": run.summary["provenance"] | {"code_sha256": "of another"}})
    assert structbench.load(run.folder).stale == "it is of other programs"
    whole = summary.read_text()
    summary.write_text(json.dumps(json.loads(whole) | {"message": "edited"}))
    with pytest.raises(UserError, match=r"has no model, it is torn: not as written: summary.json"):
        structbench.load(run.folder)


def said(words: list[str], capfd: pytest.CaptureFixture) -> tuple[int, str, str]:
    capfd.readouterr()
    code = main(words)
    return code, *capfd.readouterr()


def test_a_full_disk_is_said_in_a_sentence(tmp_path):
    run = made(SENTENCES, "lbfgs")
    (new := tmp_path / "new.txt").write_text(2000 * "The DT\n\n")
    for words in ([], ["--k-best", "2"]):
        command = [sys.executable, "-m", "structbench.bench", "predict", str(run.folder), str(new), *words]
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (2, "error: cannot write the output: No space left on device\n")


def test_labels_are_written_as_the_format_writes_them_wherever_they_are_printed(tmp_path, capfd):
    (file := tmp_path / "train.crf").write_text("\\:\tx\nB\ty\n\nB\ty\n\\:\tx\n")
    run = made(f"crfsuite:{file}", "lbfgs")
    (new := tmp_path / "new.crf").write_text("x\ny\n")
    assert said(["predict", run.key, str(new)], capfd)[1] == "\\:\tx\nB\ty\n\n"
    for words in (["--k-best", "1"], ["--probabilities"]):
        lines = said(["predict", run.key, str(new), *words], capfd)[1].splitlines()
        assert [line.split()[0] for line in lines if line and line[0] != "#"] == ["\\:", "B"]


def test_files_are_labelled_from_the_command_line(tmp_path, capfd):
    run = made(SENTENCES, "lbfgs")
    model = structbench.load(run.folder)
    (first, second), (chances, _) = model.predict(NEW), model.predict_probabilities(NEW)
    (new := tmp_path / "new.txt").write_text("The DT\ndog NN\n\nMary NNP\n")
    plain = f"The DT {first[0]}\ndog NN {first[1]}\n\nMary NNP {second[0]}\n\n"
    assert said(["predict", run.key, str(new)], capfd) == (0, plain, "")
    out = tmp_path / "out.txt"
    assert said(["predict", run.key, str(new), "--out", str(out)], capfd) == (0, "", f"wrote {out}\n")
    assert out.read_text() == plain
    nowhere = tmp_path / "nodir" / "x"
    code, _, error = said(["predict", run.key, str(new), "--out", str(nowhere)], capfd)
    assert code == 2 and f"there is no folder {nowhere.parent}: make it first" in error
    assert not nowhere.parent.exists()
    code, printed, _ = said(["predict", run.key, str(new), "--probabilities"], capfd)
    assert (code, printed.split("\n")[0]) == (0, f"The DT {first[0]} {chances[0].max():.6f}")
    code, printed, _ = said(["predict", run.key, str(new), "--k-best", "2"], capfd)
    blocks = printed.split("\n\n")[:-1]
    assert [block.split("\n")[0].split()[1] for block in blocks] == ["1", "2", "1", "2"]
    assert blocks[0].split("\n")[1:] == [f"The DT {first[0]}", f"dog NN {first[1]}"]
    assert blocks[2].split("\n")[1:] == [f"Mary NNP {second[0]}"]
    for k in ("0", "10001"):
        code, _, wrong = said(["predict", run.key, str(new), "--k-best", k], capfd)
        assert code == 2 and f"--k-best must be from 1 to 10,000, not {k}" in wrong
    svm = made(f"{SENTENCES},task=entities", "smo", "hinge")
    code, _, wrong = said(["predict", svm.key, str(new), "--probabilities", "--out", str(out)], capfd)
    assert code == 2 and "has no probabilities" in wrong and out.read_text() == plain
    code, _, wrong = said(["predict", run.key, str(new), "--k-best", "2", "--probabilities"], capfd)
    assert code == 2 and "leave out --probabilities" in wrong
    model_folder = tmp_path / "model"
    assert said(["export", "--model", run.key, "--out", str(model_folder)], capfd)[0] == 0
    assert said(["predict", str(model_folder), str(new)], capfd) == (0, plain, "")


def test_k_best_lines_are_those_of_the_format(tmp_path, capfd):
    """All columns and the lines of no token are there, and each sentence ends with an empty line."""
    cells, empty = "{0}\tgo\tgo\tV\tVB\t_\t{1}\tx\t_\tno=space\n", "2.1" + 9 * "\t_" + "\n"
    sentence = "# text = go go\n" + cells.format(1, "{}") + cells.format(2, "{}") + empty + "# end\n"
    (file := tmp_path / "train.conllu").write_text(4 * f"{sentence.format(2, 0)}\n")
    run = made(f"conllu:{file}", "lbfgs")
    (new := tmp_path / "new.conllu").write_text(2 * f"{sentence.format('_', '_')}\n")
    lines = said(["predict", run.key, str(new), "--k-best", "2"], capfd)[1].splitlines(keepends=True)
    assert sum(line.startswith("# 1 score") for line in lines) == 2
    first, second = sentence.format(2, 0), sentence.format(0, 1)
    plain = "".join(line for line in lines if " score " not in line)
    assert plain == 2 * f"{first}\n{second}\n"
    assert said(["predict", run.key, str(new)], capfd)[1] == 2 * f"{first}\n"


def test_a_model_takes_no_place_of_other_files(tmp_path):
    model = structbench.load(made(f"{SENTENCES},task=dependencies", "lbfgs").folder)
    model.write(tmp_path / "model")
    model.write(tmp_path / "model")
    (tmp_path / "model" / "notes.txt").write_text("mine")
    for folder in (tmp_path / "model", tmp_path / "model" / "notes.txt"):
        with pytest.raises(UserError, match="holds something other than a model: choose another --out"):
            model.write(folder)
    assert (tmp_path / "model" / "notes.txt").read_text() == "mine"


def test_a_sentence_without_a_tree_has_no_k_best_and_the_others_have(tmp_path, capsys):
    (tmp_path / "train.mrg").write_text("( (S (NP (NN grass)) (VP (VBZ grows)) (. .)) )\n" * 4)
    (tmp_path / "new.mrg").write_text("(TOP (UH oh) (UH my))\n(TOP (NN grass) (VBZ grows) (. .))\n")
    run = made(f"penn:{tmp_path / 'train.mrg'}", "lbfgs")
    assert main(["predict", str(run.folder), str(tmp_path / "new.mrg"), "--k-best", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["# the model has no output", "(TOP (UH oh) (UH my))"]
    assert lines[3].startswith("# 1 score ") and lines[4].startswith("(S (NP (NN grass))")


def test_two_labels_in_one_have_no_probabilities_of_single_labels(tmp_path):
    run = made("toy-english:sentences=20,task=factorial,tagset=universal", "lbfgs")
    with pytest.raises(UserError, match=r"the task of toy-english.* has no probabilities of single labels"):
        structbench.load(run.folder).predict_probabilities([[("the", "DT"), ("dog", "NN")]])
