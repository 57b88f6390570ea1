"""Merging: sound runs come and go where they belong, anything else is refused with the reason."""

import io
import json
import os
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked
from structbench.bench.__main__ import main
from structbench.bench.runs import hosts, results, seals, store
from structbench.bench.sharing import incoming
from structbench.bench.sharing.merge import merge
from tests.bench import fake_runs

HOST = "bench-host"
SIZE = np.array(7840)  # weights of a run of ``fake_runs``


def change(folder, name="summary.json", **fields):
    """Other values for fields of a JSON file, as if the run had been written so; prefix ``made_``: provenance."""
    content = json.loads((folder / name).read_text())
    for field, value in fields.items():
        within = content["provenance"] if field.startswith("made_") else content
        within[field.removeprefix("made_")] = value
    if name == "summary.json" and "sha256" not in fields:
        content = seals.sealed(folder, content)
    (folder / name).write_text(json.dumps(content))


def flip(file, before, after):
    """Change bytes of a file, of which these are the first such."""
    content = file.read_bytes()
    assert content.count(before)
    file.write_bytes(content.replace(before, after, 1))


def kept(root):
    """All files under a folder, but for locks."""
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in root.rglob("*")
        if file.is_file() and file.suffix != ".lock"
    }


def test_runs_come_by_host_as_they_are(ours, theirs):
    one, two = fake_runs.write(theirs), fake_runs.write(theirs, seed=1)
    change(two.folder, made_host="a/b")
    merged = merge(theirs.parent)
    assert (merged.came, merged.there, merged.refused) == ([one.key, two.key], [], {})
    assert kept(hosts.runs(HOST) / one.key) == kept(one.folder)
    assert hosts.host_names() == ["a%2Fb", HOST]
    assert store.all_runs(results.runs()) == []
    before = kept(ours)
    merged = merge(theirs.parent)
    assert len(merged.there) == 2 and not merged.came and kept(ours) == before


def test_the_folder_of_runs_itself_will_do_and_what_they_had_merged_comes_too(ours, theirs):
    fake_runs.write(theirs)
    mine = fake_runs.write(results.runs())
    merged = merge(theirs)
    assert merged.there == [mine.key] and hosts.host_names() == [], "a run of ours that comes back"
    shutil.rmtree(mine.folder)
    far = fake_runs.write(theirs.parent / "hosts" / "far" / "runs", seed=1)
    change(far.folder, made_host="far")
    assert len(merge(theirs).came) == 1
    merged = merge(theirs.parent)
    assert (merged.came, len(merged.there)) == ([far.key], 1)
    assert hosts.host_names() == [HOST, "far"]


@pytest.mark.parametrize("newer", [True, False])
def test_one_that_differs_takes_its_place_only_if_newer_and_only_if_asked(ours, theirs, newer):
    run = fake_runs.write(theirs)
    merge(theirs)
    before = kept(ours)
    started = f"2026-11-{22 if newer else 20}T00:00:00+00:00"
    change(run.folder, made_code_sha256="0" * 64, made_started=started)
    merged = merge(theirs)
    (reason,) = merged.refused.values()
    assert "it differs from" in reason and ("--replace takes it" in reason) == newer
    assert kept(ours) == before
    merged = merge(theirs, replace=True)
    assert merged.replaced == [run.key] * newer
    assert (kept(ours) == before) != newer
    (place,) = hosts.runs(HOST).iterdir()
    assert store.read_run(place).summary["provenance"]["started"] == (
        started if newer else "2026-11-21T07:00:00+00:00"
    )
    (place / "summary.json").unlink()
    assert merge(theirs).came == [run.key], "what is torn there is no run to keep"


def archive(file, **members):
    """A .npz of these members: arrays, or the bytes of a member."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            if isinstance(content, np.ndarray):
                buffer = io.BytesIO()
                np.save(buffer, content, allow_pickle=True)
                content = buffer.getvalue()
            packed.writestr(f"{name}.npy", content)


def npy_header(shape):
    """An array of float64 as its file begins, with no data behind."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def curve_with(folder, **columns):
    """The curve with other columns."""
    table = pq.read_table(folder / "curve.parquet")
    for name, values in columns.items():
        index = table.schema.get_field_index(name)
        table = table.remove_column(index) if index >= 0 else table
        table = table if values is None else table.append_column(name, values)
    pq.write_table(table, folder / "curve.parquet")
    change(folder)


def link(file):
    """Move a file or folder out of the folder of runs and leave a link to it."""
    target = next(parent for parent in file.parents if parent.name == "theirs") / "elsewhere"
    os.rename(file, target)
    file.symlink_to(target)


def pipe(file):
    file.unlink()
    os.mkfifo(file)


def forge(folder, name="summary.json", **fields):
    """As ``change``, with the SHA-256 that a run notes mended."""
    change(folder, name, **fields)
    change(folder)


def small(folder, **arrays):
    """Weights of these arrays, as if the run had written them."""
    archive(folder / "weights.npz", **arrays)
    change(folder)


def sparse(folder, places, size=SIZE):
    small(folder, size=size, places=places, values=np.ones(len(places)))


DAMAGED = "is no array of"
ZIP = b"PK\x03\x04\x2d\x00\x00\x00\x00\x00\x00"
SPOILED = {
    "a missing file": (lambda f: (f / "curve.parquet").unlink(), "curve.parquet cannot be copied (No such file"),
    "a link to a file": (lambda f: link(f / "weights.npz"), "weights.npz cannot be copied (it is a symb"),
    "a link to a folder": (link, "it is a symbolic link"),
    "a pipe": (lambda f: pipe(f / "spec.json"), "its spec.json is not a file"),
    "a huge file": (lambda f: os.truncate(f / "summary.json", 2**20 + 1), "its summary.json is larger than 1 MB"),
    "another name": (lambda f: f.rename(f.with_name(f"{f.name}__seed=3")), "it is torn: it is a copy of mnist"),
    "no name of a run": (lambda f: f.rename(f.with_name("mine")), "it is torn: it is a copy of mnist"),
    "a hidden name": (lambda f: f.rename(f.with_name(".x")), "its name is not that of a finished run"),
    "another spec": (lambda f: forge(f, "spec.json", passes=61.0), "it is torn: it is a copy of mnist"),
    "one more field": (lambda f: forge(f, "spec.json", shell="rm"), "it is torn: it cannot be read"),
    "another key": (lambda f: change(f, key="../../evil"), "it is torn: it is a copy of ../../evil"),
    "no JSON": (lambda f: (f / "spec.json").write_text("{"), "it is torn: it cannot be read"),
    "deep JSON": (lambda f: (f / "spec.json").write_text("[" * 200_000), "it is torn: it cannot be read"),
    "no provenance": (lambda f: change(f, provenance={}), "it is torn: it cannot be read"),
    "odd scores": (lambda f: change(f, by_label={"a": [1, 2]}), "it is torn: it cannot be read"),
    "a torn curve": (lambda f: os.truncate(f / "curve.parquet", 200), "it is torn: not as written: curve.parquet"),
    "no curve": (lambda f: ((f / "curve.parquet").write_bytes(b"PAR1"), change(f)), "curve.parquet is damaged"),
    "words in a curve": (lambda f: curve_with(f, note=pa.array(["a"] * 60)), "note has no numbers"),
    "no dual": (lambda f: curve_with(f, dual=None), "dual has no numbers"),
    "torn weights": (lambda f: os.truncate(f / "weights.npz", 90), "it is torn: not as written: weights.npz"),
    "a pickle": (lambda f: small(f, weights=np.array([print], dtype=object)), DAMAGED),
    "too few weights": (lambda f: small(f, weights=np.zeros(9)), "60 checkpoints and 9 weights, not 60 and 7,840"),
    "a header of petabytes": (lambda f: small(f, weights=npy_header((2**50,))), DAMAGED),
    "places beyond the end": (lambda f: sparse(f, np.array([7840])), "weights.npz is broken"),
    "places that are no whole numbers": (lambda f: sparse(f, np.array([3.0])), "weights.npz is broken"),
    "other sizes": (lambda f: sparse(f, np.array([3]), np.array(10**15)), "it is not of 7,840 weights"),
    "petabytes of zeros": (lambda f: change(f, num_weights=10**15), "1000000000000000 weights: expected at most"),
    "no number of weights": (lambda f: change(f, num_weights="9"), "it says that it has '9' weights"),
    "other white space": (lambda f: flip(f / "spec.json", b"\n", b"\t"), "not as written: spec.json"),
    "other words": (lambda f: flip(f / "summary.json", b'age": "', b'age": "T'), "not as written: summary.json"),
    "a byte of an archive": (lambda f: flip(f / "weights.npz", ZIP, ZIP[:-1] + b"\1"), "written: weights.npz"),
    "no checksums": (lambda f: change(f, sha256=None), "it is torn: not as written: spec.json and"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "columns"), [(1_000_000, 200), (1, 1001), (0, 11)])
def test_a_curve_is_refused_by_its_size_before_it_is_read(ours, theirs, sound, monkeypatch, rows, columns):
    """A million rows of 200 equal columns are a file of 0.9 MB that took 2.4 GB."""
    names = [*store.COLUMNS, "weight_norm", *(f"c{k}" for k in range(columns - 11))]
    zeros = pa.array(np.zeros(rows))
    pq.write_table(pa.table(dict.fromkeys(names, zeros)), sound.folder / "curve.parquet", compression="zstd")
    assert (sound.folder / "curve.parquet").stat().st_size < 2 << 20
    change(sound.folder)
    monkeypatch.setattr(store.Run, "_table", lambda *_: pytest.fail("it was read"))
    (reason,) = merge(theirs).refused.values()
    assert reason == f"its curve has {rows:,} rows and {columns:,} columns"


@pytest.mark.parametrize(("limit", "value"), [("MOST_NUMBERS", 720), ("MOST_COLUMNS", 12), ("MOST_WEIGHTS", 7840)])
def test_what_a_run_holds_is_limited(ours, theirs, sound, monkeypatch, limit, value):
    assert len(sound.curve.columns) == 12
    monkeypatch.setattr(incoming, limit, value - 1)
    assert len(merge(theirs).refused) == 1
    monkeypatch.setattr(incoming, limit, value)
    assert merge(theirs).came == [sound.key]


def test_counts_of_chunks_are_limited_as_they_take_eight_bytes_each(tmp_path, monkeypatch):
    archive(tmp_path / "weights.npz", chunks=np.zeros(100, np.uint8))
    monkeypatch.setattr(incoming, "MOST_WEIGHTS", 99)
    with pytest.raises(UserError, match="has more than 99 numbers"):
        incoming._check_archive(tmp_path / "weights.npz", 0)


@pytest.fixture
def sound(theirs):
    """A run that is refused for what a test does to it alone."""
    return fake_runs.write(theirs)


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_run_that_is_not_sound_is_refused_and_the_others_come(ours, theirs, sound, spoiled):
    spoil, said = SPOILED[spoiled]
    good = fake_runs.write(theirs, seed=1)
    spoil(sound.folder)
    merged = merge(theirs)
    assert merged.came == [good.key]
    (reason,) = merged.refused.values()
    assert said in reason and str(ours) not in reason
    assert {file.split("/runs/")[1].split("/")[0] for file in kept(ours)} == {good.key}
    assert not list(results.hosts().glob(".*.partial"))


@pytest.mark.parametrize(("most", "refused"), [(800_128, False), (800_127, True)])  # with the header of the array
def test_weights_that_grow_are_refused(tmp_path, monkeypatch, most, refused):
    archive(tmp_path / "weights.npz", weights=np.zeros(100_000))
    monkeypatch.setitem(incoming.MOST_BYTES, "weights.npz", most)
    with pytest.raises(UserError, match="grows too large") if refused else nullcontext():
        incoming._check_archive(tmp_path / "weights.npz", 100_000)


def test_only_the_files_of_a_run_come(ours, theirs, sound):
    sparse(sound.folder, np.array([0, 7839]))
    (sound.folder / "run.sh").write_text("echo no")
    (theirs / "note.txt").write_text("mine")
    (theirs / f"{sound.key}__seed=1.partial").mkdir()
    (theirs / ".x").mkdir()
    merged = merge(theirs)
    assert (merged.came, merged.refused) == ([sound.key], {})
    assert sorted(file.name for file in (hosts.runs(HOST) / sound.key).iterdir()) == sorted(store.FILES)


def test_a_folder_without_runs_or_of_our_own_is_the_user_s_mistake(ours, theirs):
    def refused(folder, said):
        with pytest.raises(UserError, match=said):
            merge(folder)

    refused(theirs.parent, "there is no folder")
    theirs.mkdir(parents=True)
    refused(theirs.parent, "holds no runs")
    theirs.rename(theirs.with_name("real"))
    theirs.symlink_to("real")
    refused(theirs.parent, "symbolic link")
    fake_runs.write(results.runs())
    for folder in (ours, results.runs()):
        refused(folder, "part of these results themselves")


def test_two_do_not_merge_at_once(ours, theirs):
    fake_runs.write(theirs)
    with ThreadPoolExecutor(1) as other, locked(results.hosts() / ".merge.lock"):
        second = other.submit(merge, theirs)
        assert "another process is merging" in str(second.exception())


def test_the_verb_counts_and_fails_if_one_was_refused(ours, theirs, capsys):
    one, two = fake_runs.write(theirs), fake_runs.write(theirs, seed=1)
    change(two.folder, num_weights=-1)
    assert main(["merge", str(theirs)]) == 1
    said = capsys.readouterr().err
    assert f"refused '{two.folder}': it says that it has -1 weights" in said
    assert "1 runs came, 0 certificates were recomputed, 0 were there, 1 were refused" in said
    change(two.folder, num_weights=7840)
    assert main(["merge", str(theirs)]) == 0
    said = capsys.readouterr().err
    assert f"data {one.spec.data} are not here, so their runs do not count: make one run on them" in said
    assert (hosts.runs(HOST) / one.key).is_dir() and main(["show", f"{HOST}:{two.key}"]) == 0
