"""A stored problem that is not as it was written is built again."""

import io
import json
import os
import re

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import problem_store, results, seen
from structbench.bench.verbs.data_check import check_data
from structbench.datasets import data_ref
from structbench.datasets.problems import storage
from tests.narrowing import not_none

DATA = data_ref("toy-english:sentences=5,test_sentences=2")
DAMAGE = {
    "a number of the description": (
        "problem.json",
        lambda content: re.sub(rb'": (\d+)', b'": 1', content, count=1),
    ),
    "a torn description": ("problem.json", lambda content: content[:-20]),
    "a torn array": ("train.*.npy", lambda content: content[:40]),
    "a note of another shape": (
        "../*.json",
        lambda content: b'{"made from": [], "written": {"problem.json": "0"}}',
    ),
    "a changed vocabulary": ("vocabulary.npz", lambda content: content.replace(b"dog", b"cat") + b"0"),
}


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """The folder of the problem, and its fingerprint."""
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    return problem_store.folder(DATA), problem_store.obtain(DATA)[1]


def read(file):
    return read_bytes(file.name, file.read_bytes())


def read_bytes(name, content):
    """What a file holds, without times."""
    if name.endswith(".npz"):
        with np.load(io.BytesIO(content)) as opened:
            return {each: opened[each].tobytes() for each in opened}
    return json.loads(content) | {"written": {}} if name.endswith(".json") else content


@pytest.mark.parametrize("what", DAMAGE)
def test_what_is_damaged_is_built_again(stored, what):
    folder, sha256 = stored
    pattern, damage = DAMAGE[what]
    file = sorted(folder.glob(pattern))[0]
    before = file.read_bytes()
    file.write_bytes(damage(before))
    assert file.read_bytes() != before
    assert problem_store.obtain(DATA, names=True)[1] == sha256
    assert read(file) == read_bytes(file.name, before)


def test_arrays_that_changed_without_a_trace_in_size_or_time_are_built_again(stored):
    folder, sha256 = stored
    file = folder / "train.y.npy"
    before, about = file.read_bytes(), file.stat()
    for at in (-8, -8):  # a second time, too: what was sound once is not believed for ever
        damaged = bytearray(before)
        damaged[at:] = bytes(8 - (before[at:] == bytes(8)) for _ in range(8))
        file.write_bytes(damaged)
        os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
        assert problem_store.obtain(DATA)[1] == sha256
        assert file.read_bytes() == before


def test_the_arrays_of_a_problem_are_read_once_for_each_version(stored, monkeypatch):
    folder, _ = stored
    read = []
    fingerprint = storage.fingerprint
    monkeypatch.setattr(storage, "fingerprint", lambda problem: read.append(1) or fingerprint(problem))
    monkeypatch.setattr(seen, "SETTLED", -1.0)
    for _ in range(3):
        problem_store.obtain(DATA)
    seen.write_seen()
    problem_store.obtain(DATA)
    assert len(read) == 1
    (folder / "train.y.npy").touch()
    problem_store.obtain(DATA)
    assert len(read) == 2


def test_names_are_those_that_were_written(stored):
    folder, sha256 = stored
    made = {"data_sha256": sha256, "data_from": problem_store.made_from(DATA, None)}
    labels, vocabulary = problem_store.labels_and_vocabulary(DATA, None, "key", made)
    for file in (folder / "vocabulary.npz", sorted(folder.glob("train.*.npy"))[0]):
        file.write_bytes(file.read_bytes()[:40])
        again = problem_store.labels_and_vocabulary(DATA, None, "key", made)
        assert again[0] == labels and not_none(again[1]).keys() == not_none(vocabulary).keys()


def test_data_without_an_end_are_refused_and_not_read():
    """A run of a stranger may name them."""
    with pytest.raises(UserError, match=r"^cannot read '/dev/zero': it is no regular file$"):
        problem_store.made_from(data_ref("svmlight:/dev/zero"), None)


def test_a_pipe_is_checked_as_little_as_it_is_learned_from(tmp_path):
    """It can be read only once: the check would miss its beginning."""
    begin, end = os.pipe()
    pipe, file = f"/dev/fd/{begin}", tmp_path / "train.txt"
    file.write_bytes(text := b"dog N\nruns V\n")
    os.write(end, text)
    os.close(end)
    for data, test in ((f"columns:{pipe}", None), (f"columns:{file}", pipe)):
        with pytest.raises(UserError, match=f"^cannot read '{pipe}': it is no regular file$"):
            check_data(data, test)
    os.close(begin)
    (tmp_path / "page.html").write_text('<p data-record="1"><b data-label="A">x</b> <i>y</i></p>')
    assert check_data(f"webpages:{tmp_path}", None).splits["train"].examples == 1


@pytest.mark.parametrize(
    "behind, sentence",
    [
        (
            "validaton=0.1",
            "columns has no option 'validaton': did you mean 'validation'\\? it has names, templates",
        ),
        ("names=w,pos", "columns: the value of an option has no comma: 'names=w,pos'"),
    ],
)
def test_a_misspelt_option_behind_a_file_is_no_part_of_its_name(behind, sentence, tmp_path):
    (tmp_path / "train.txt").write_text("dog N\n")
    mistaken = data_ref(f"columns:{tmp_path}/train.txt,{behind}")
    for way in (problem_store.user_files, problem_store.obtain, lambda data: check_data(data.text, None)):
        with pytest.raises(UserError, match=sentence):
            way(mistaken)
    (tmp_path / f"train.txt,{behind}").write_text("cat N\n")
    assert problem_store.user_files(mistaken) == [f"{tmp_path}/train.txt,{behind}"]


def test_a_file_that_is_not_there_is_said_to_be_looked_for_here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    data, hint = data_ref("columns:nowhere.txt"), "No such file or directory: paths are relative to the folder you"
    with pytest.raises(UserError, match=f"cannot read .*nowhere.txt': {hint}"):
        problem_store.obtain(data)
