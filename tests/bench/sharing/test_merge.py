"""Merging: sound runs come and go where they belong, anything else is refused with the reason."""

import io
import json
import os
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked
from structbench.bench.__main__ import main
from structbench.bench.runs import hosts, results, store
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
        content = store.sealed(folder, content)
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
    assert hosts.names() == ["a%2Fb", HOST]
    assert store.all_runs() == []
    before = kept(ours)
    merged = merge(theirs.parent)
    assert len(merged.there) == 2 and not merged.came and kept(ours) == before


def test_the_folder_of_runs_itself_will_do_and_what_they_had_merged_comes_too(ours, theirs):
    fake_runs.write(theirs)
    mine = fake_runs.write(results.runs())
    merged = merge(theirs)
    assert merged.there == [mine.key] and hosts.names() == [], "a run of ours that comes back"
    shutil.rmtree(mine.folder)
    far = fake_runs.write(theirs.parent / "hosts" / "far" / "runs", seed=1)
    change(far.folder, made_host="far")
    assert len(merge(theirs).came) == 1
    merged = merge(theirs.parent)
    assert (merged.came, len(merged.there)) == ([far.key], 1)
    assert hosts.names() == [HOST, "far"]


@pytest.mark.parametrize("newer", [True, False])
def test_one_that_differs_takes_its_place_only_if_newer_and_only_if_asked(ours, theirs, newer):
    run = fake_runs.write(theirs)
    merge(theirs)
    before = kept(ours)
    started = f"2026-11-{22 if newer else 20}T00:00:00+00:00"
    change(run.folder, made_code_sha256="0" * 64, made_started=started)
    merged = merge(theirs)
    (reason,) = merged.refused.values()
    assert "(other code) and is " in reason and ("--replace takes it" in reason) == newer
    assert kept(ours) == before
    merged = merge(theirs, replace=True)
    assert merged.replaced == [run.key] * newer
    assert (kept(ours) == before) != newer
    (place,) = hosts.runs(HOST).iterdir()
    assert store.read(place).summary["provenance"]["started"] == (
        started if newer else "2026-11-21T07:00:00+00:00"
    )
    (place / "summary.json").unlink()
    (reason,) = merge(theirs, replace=True).refused.values()
    assert "is no sound run: delete it" in reason


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


def link(file):
    """Move a file or folder out of the folder of runs and leave a link to it."""
    target = next(parent for parent in file.parents if parent.name == "theirs") / "elsewhere"
    os.rename(file, target)
    file.symlink_to(target)


def pipe(file):
    file.unlink()
    os.mkfifo(file)


def at_places(places, count=None):
    """Weights that are 1 at places, and 0 elsewhere."""
    values = np.ones(len(places) if count is None else count)
    return lambda folder: archive(folder / "weights.npz", size=SIZE, places=places, values=values)


LOST, OTHERWISE = "does not hold 7,840 weights", "are not what the run wrote: their SHA-256 differ"
ZIP = b"PK\x03\x04\x2d\x00\x00\x00\x00\x00\x00"
SPOILED = {
    "a missing file": (lambda f: (f / "curve.parquet").unlink(), "it has no curve.parquet"),
    "a link to a file": (lambda f: link(f / "weights.npz"), "its weights.npz is a symbolic link"),
    "a link to a folder": (link, "it is a symbolic link"),
    "a pipe": (lambda f: pipe(f / "spec.json"), "its spec.json is not a file"),
    "a huge file": (lambda f: os.truncate(f / "summary.json", 2**20 + 1), "its summary.json is larger than 1 MB"),
    "another name": (lambda f: f.rename(f.with_name(f"{f.name}__seed=3")), "name is not its key"),
    "no name of a run": (lambda f: f.rename(f.with_name("mine")), "'mine' is not the name of a run"),
    "an unknown algorithm": (lambda f: f.rename(f.with_name("mnist__log__C=1__magic")), "algorithm 'magic'"),
    "another spec": (lambda f: change(f, "spec.json", passes=61.0), "max_passes is 61.0, not 60.0"),
    "one more field": (lambda f: change(f, "spec.json", shell="rm"), "a spec has no field 'shell'"),
    "another key": (lambda f: change(f, key="../../evil"), "not its key, '../../evil'"),
    "no JSON": (lambda f: (f / "spec.json").write_text("{"), "spec.json is broken"),
    "deep JSON": (lambda f: (f / "spec.json").write_text("[" * 200_000), "nested too deeply"),
    "an unknown status": (lambda f: change(f, status="fine"), "malformed, status: 'fine' is not one of"),
    "no provenance": (lambda f: change(f, provenance={}), "it.provenance has no 'host'"),
    "no JSON number": (lambda f: change(f, notes={"eta": float("inf")}), "numbers that are not finite"),
    "no hash": (lambda f: change(f, made_code_sha256="x"), "malformed, provenance.code_sha256"),
    "no date": (lambda f: change(f, made_started="yesterday"), "'yesterday', which is no time with a zone"),
    "another outcome": (lambda f: change(f, primal=1.0), "its summary.json says 1.0"),
    "a torn curve": (lambda f: os.truncate(f / "curve.parquet", 200), "its curve.parquet is damaged"),
    "words in a curve": (lambda f: curve_with(f, note=pa.array(["a"] * 60)), "columns that are not numbers"),
    "no dual": (lambda f: curve_with(f, dual=None), "its curve has no column dual"),
    "torn weights": (lambda f: os.truncate(f / "weights.npz", 90), "its weights.npz is damaged"),
    "a pickle": (
        lambda f: archive(f / "weights.npz", weights=np.array([print], dtype=object)),
        "weights.npy is no array of numbers",
    ),
    "too few weights": (lambda f: archive(f / "weights.npz", weights=np.zeros(9)), LOST),
    "a header of petabytes": (
        lambda f: archive(f / "weights.npz", weights=npy_header((2**50,))),
        "weights.npy is no array of numbers",
    ),
    "places beyond the end": (at_places(np.array([7840])), LOST),
    "places out of order": (at_places(np.array([9, 3], "u2")), LOST),
    "places that are no whole numbers": (at_places(np.array([3.0])), LOST),
    "more places than weights": (at_places(np.array([3, 9]), count=1), LOST),
    "chunks of other checkpoints": (
        lambda f: archive(f / "weights.npz", weights=np.zeros(7840), chunks=np.zeros((59, 5, 3), "u1")),
        "its chunks have the shape (59, 5, 3), not (60, sentences, 3)",
    ),
    "chunks that are no counts": (
        lambda f: archive(f / "weights.npz", weights=np.zeros(7840), chunks=np.zeros((60, 5, 3))),
        "chunks.npy is no array of counts",
    ),
    "another array": (lambda f: archive(f / "weights.npz", weights=np.zeros(7840), more=np.zeros(1)), LOST),
    # each passes all that is checked of what it says
    "other white space": (lambda f: flip(f / "spec.json", b"\n", b"\t"), f"its spec.json {OTHERWISE}"),
    "other words": (lambda f: flip(f / "summary.json", b'age": "', b'age": "T'), f"summary.json {OTHERWISE}"),
    "a byte of an archive": (lambda f: flip(f / "weights.npz", ZIP, ZIP[:-1] + b"\1"), f"weights.npz {OTHERWISE}"),
    "a checkpoint": (lambda f: curve_with(f, weight_norm=pa.array([0.5] * 60)), f"its curve.parquet {OTHERWISE}"),
    "no checksums": (lambda f: change(f, sha256=None), "are not what the run wrote"),
}  # fmt: skip


OUTCOME = ("primal", "dual", "gap", "relative_gap", "passes", "visits", "wall_seconds", "cpu_seconds")


@pytest.mark.parametrize("name", OUTCOME)
def test_a_summary_has_a_number_for_each_outcome(sound, name):
    without = {field: value for field, value in sound.summary.items() if field != name}
    for summary, said in (
        (without | {name: "12"}, f"{name}: '12' is not of type"),
        (without, f"'{name}' is a required"),
    ):
        with pytest.raises(UserError, match=said):
            incoming._check_summary(replace(sound, summary=summary))


LIMITS = {"message": 10_000, "key": 10_000, "git_commit": 10_000, "cpu": 10_000, "host": 255, "started": 50}


@pytest.mark.parametrize("field", LIMITS)
def test_texts_and_files_of_others_are_limited(sound, field):
    made = sound.summary["provenance"]
    for length, refused in ((LIMITS[field], field == "started"), (LIMITS[field] + 1, True)):
        text = {field: "x" * length}
        summary = sound.summary | (
            text | {"provenance": made} if field in sound.summary else {"provenance": made | text}
        )
        said = "no time with a zone" if length <= LIMITS[field] else f"{field}: 'x{{1,299}}'?( is too long)?$"
        with pytest.raises(UserError, match=said) if refused else nullcontext():
            incoming._check_summary(replace(sound, summary=summary))
    megabytes = {"spec.json": 1, "summary.json": 1, "curve.parquet": 256, "weights.npz": 4096}
    assert {name: most / 2**20 for name, most in incoming.MOST_BYTES.items()} == megabytes
    assert (incoming.MOST_CHECKPOINTS, incoming.MOST_COLUMNS) == (10**6, 200)


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
        incoming._check_weights(tmp_path / "weights.npz", 100_000, 60)


@pytest.mark.parametrize(("most", "refused"), [(9, False), (8, True)])
def test_a_file_or_a_curve_may_have_a_limited_size(ours, theirs, sound, monkeypatch, most, refused):
    """Nine megabytes in pieces of one; sixty checkpoints of twelve columns."""
    (theirs / "large").write_bytes(bytes(9 << 20))
    monkeypatch.setitem(incoming.MOST_BYTES, "large", most << 20)
    with ExitStack() as held:
        place = os.open(theirs, os.O_RDONLY)
        held.callback(os.close, place)
        with pytest.raises(UserError, match="its large is larger than 8 MB") if refused else nullcontext():
            incoming._copy_file(place, "large", ours / "large")
    for name, count in (("MOST_CHECKPOINTS", 60), ("MOST_COLUMNS", len(sound.curve.columns))):
        with monkeypatch.context() as patch:
            patch.setattr(incoming, name, count - refused)
            with pytest.raises(UserError, match="its curve has 60 rows and") if refused else nullcontext():
                assert incoming._check_curve(sound) == 60


def test_only_the_files_of_a_run_come(ours, theirs, sound):
    at_places(np.array([0, 7839]))(sound.folder)  # few weights, with their places
    change(sound.folder)
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
    change(two.folder, status="fine")
    assert main(["merge", str(theirs)]) == 1
    said = capsys.readouterr().err
    assert f"refused '{two.folder}': its summary.json is malformed" in said
    assert "1 runs came, 0 were there, 1 were refused" in said
    change(two.folder, status="passes")
    assert main(["merge", str(theirs)]) == 0
    assert (hosts.runs(HOST) / one.key).is_dir() and main(["show", f"{HOST}:{two.key}"]) == 0
