"""Files and folders that are whole or not there at all, and locks between processes."""

import errno
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from structbench.algorithms.runtime import files
from structbench.algorithms.runtime.files import atomic_file, atomic_folder, is_locked, locked, write_atomically
from tests.narrowing import line_of

ROOT = Path(__file__).parents[3]
SIZE = 100_000
HOLDER = """
import sys, time
from pathlib import Path
from structbench.algorithms.runtime.files import locked
print("waiting", flush=True)
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def process(program, *words):
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def place(tmp_path):
    """A folder with a file and a folder that were written before."""
    write_atomically(tmp_path / "file", "before")
    with atomic_folder(tmp_path / "folder") as partial:
        (partial / "a").write_text("before")
    return tmp_path


def is_as_before(place):
    found = (place / "file").read_text(), os.listdir(place / "folder"), (place / "folder" / "a").read_text()
    return found == ("before", ["a"], "before")


# ---- files and folders -----------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["é\r\n", b"\xff\x00", ""])
def test_a_file_is_what_was_written_and_has_the_usual_mode(tmp_path, content):
    (tmp_path / "usual").touch()
    for each in ("before", content):
        write_atomically(tmp_path / "deep" / "file.txt", each)
    file = tmp_path / "deep" / "file.txt"
    assert file.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert file.stat().st_mode == (tmp_path / "usual").stat().st_mode
    assert os.listdir(tmp_path / "deep") == ["file.txt"]


def test_a_partial_file_is_hidden_and_has_the_ending_of_the_whole_one(tmp_path):
    with atomic_file(tmp_path / "array.npz") as partial:
        assert partial.suffix == ".npz" and partial.parent.parent == tmp_path and partial.parent.name[0] == "."
        partial.touch()


def test_a_folder_replaces_the_one_before(tmp_path):
    for name in "ab":
        with atomic_folder(tmp_path / "deep" / "folder") as partial:
            assert os.listdir(partial) == []
            (partial / name).touch()
        assert os.listdir(tmp_path / "deep" / "folder") == [name]
    assert os.listdir(tmp_path / "deep") == ["folder"]


def test_a_file_is_not_replaced_by_a_folder(place):
    with pytest.raises(NotADirectoryError), atomic_folder(place / "file"):
        pass
    assert is_as_before(place) and sorted(os.listdir(place)) == ["file", "folder"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("name", ["file", "new"])
def test_a_full_disk_leaves_the_file_before(place, monkeypatch, step, name):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, step, full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(place / name, "after")
    assert is_as_before(place) and sorted(os.listdir(place)) == ["file", "folder"]


@pytest.mark.parametrize("mistake", [OSError("full"), KeyboardInterrupt()])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_an_exception_half_way_leaves_what_was_before(place, kind, mistake):
    with pytest.raises(type(mistake)), getattr(files, f"atomic_{kind}")(place / kind) as partial:
        (partial / "b" if partial.is_dir() else partial).write_text("hal")
        raise mistake
    assert is_as_before(place) and sorted(os.listdir(place)) == ["file", "folder"]


@pytest.mark.parametrize("mistake", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_the_folder_before_is_put_back_if_the_new_one_cannot_take_its_place(place, monkeypatch, mistake):
    replace, asked = os.replace, []

    def fail_after_moving_the_former(source, target):
        asked.append(Path(source).name)
        if asked == ["complete", "folder", "complete"]:
            raise mistake
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", fail_after_moving_the_former)
    with pytest.raises(type(mistake)), atomic_folder(place / "folder") as partial:
        (partial / "b").touch()
    assert is_as_before(place) and sorted(os.listdir(place)) == ["file", "folder"]
    assert len(asked) == 4


def test_writers_of_the_same_never_mix(tmp_path):
    def write(letter):
        write_atomically(tmp_path / "file", letter * SIZE)
        with atomic_folder(tmp_path / "folder") as partial:
            for name in "abc":
                (partial / name).write_text(letter)

    write("a")
    with ThreadPoolExecutor(8) as pool:
        writing = [pool.submit(write, letter) for letter in "abcdefgh" * 25]
        while not all(each.done() for each in writing):
            text = (tmp_path / "file").read_text()
            assert text == text[0] * SIZE
    assert [each.result() for each in writing] == [None] * 200
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert sorted(os.listdir(tmp_path / "folder")) == ["a", "b", "c"]
    assert len({(tmp_path / "folder" / name).read_text() for name in "abc"}) == 1


# ---- locks -----------------------------------------------------------------------------------------


@pytest.fixture
def lock(tmp_path):
    return tmp_path / "deep" / "lock"


def test_a_second_process_waits(lock):
    said = []
    with locked(lock):
        other = process(HOLDER, lock, 0)
        assert line_of(other) == "waiting\n"
        reader = threading.Thread(target=lambda: said.append(line_of(other)))
        reader.start()
        reader.join(timeout=0.5)
        assert reader.is_alive() and not said
    reader.join()
    assert said == ["held\n"]
    other.communicate()
    assert other.returncode == 0


def test_a_killed_holder_blocks_nobody(lock):
    with process(HOLDER, lock, 60) as holder:
        assert line_of(holder) + line_of(holder) == "waiting\nheld\n"
        with pytest.raises(BlockingIOError, match=r"locked by another process.*lock"), locked(lock, patience=0.1):
            pass
        holder.kill()
    with locked(lock, patience=0):
        assert lock.exists()


def test_a_lock_is_seen_is_not_waited_for_by_its_own_thread_and_ends_with_an_exception(lock):
    assert not is_locked(lock) and not lock.exists()
    with pytest.raises(RuntimeError, match="already held"), locked(lock):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(is_locked, lock).result()
        with locked(lock):
            pass
    assert not is_locked(lock)


def test_a_lock_that_cannot_be_made_is_an_error_of_files(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"), locked(tmp_path / "file" / "lock"):
        pass
