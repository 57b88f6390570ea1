"""Files and folders that are whole or not there at all, and locks between processes."""

import errno
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from structbench.algorithms.runtime import files
from structbench.algorithms.runtime.files import atomic_file, atomic_folder, is_locked, locked, write_atomically

ROOT = Path(__file__).parents[3]
ROUNDS = 100
SIZE = 100_000

WRITER = f"""
import sys
from pathlib import Path
from structbench.algorithms.runtime.files import atomic_folder, write_atomically
folder, letter = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for _ in range({ROUNDS}):
    write_atomically(folder / "file", letter * {SIZE})
    with atomic_folder(folder / "folder") as partial:
        for name in "abc":
            (partial / name).write_text(letter)
"""

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
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# ---- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["é\r\n", b"\xff\x00", ""])
def test_a_file_is_what_was_written(tmp_path, content):
    write_atomically(tmp_path / "deep" / "file.txt", "before")
    write_atomically(tmp_path / "deep" / "file.txt", content)
    found = (tmp_path / "deep" / "file.txt").read_bytes()
    assert found == (content.encode() if isinstance(content, str) else content)
    assert os.listdir(tmp_path / "deep") == ["file.txt"]


def test_a_file_may_be_read_by_whom_the_system_says(tmp_path):
    (tmp_path / "usual").touch()
    write_atomically(tmp_path / "file", "x")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_partial_file_has_the_ending_of_the_whole_one(tmp_path):
    with atomic_file(tmp_path / "array.npz") as partial:
        assert partial.suffix == ".npz" and partial.parent.parent == tmp_path and partial.parent.name[0] == "."
        partial.touch()


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("before", [True, False])
def test_a_full_disk_leaves_the_file_before(tmp_path, monkeypatch, step, before):
    if before:
        write_atomically(tmp_path / "file", "before")
    monkeypatch.setattr(files.os, step, full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(tmp_path / "file", "after")
    assert os.listdir(tmp_path) == ["file"] * before
    assert not before or (tmp_path / "file").read_text() == "before"


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_killed_writer_leaves_what_was_before(tmp_path, kind):
    write_atomically(tmp_path / "file", "before")
    with atomic_folder(tmp_path / "folder") as partial:
        (partial / "a").write_text("before")
    program = f"""
import sys, time
from pathlib import Path
from structbench.algorithms.runtime.files import atomic_{kind}
with atomic_{kind}(Path(sys.argv[1])) as partial:
    (partial if "{kind}" == "file" else partial / "a").write_text("hal")
    print("half", flush=True)
    time.sleep(60)
"""
    with process(program, tmp_path / kind) as writer:
        assert writer.stdout.readline() == "half\n"
        writer.kill()
    assert (tmp_path / "file").read_text() == (tmp_path / "folder" / "a").read_text() == "before"
    left = [name for name in os.listdir(tmp_path) if name not in ("file", "folder")]
    assert [name.startswith(".") and name.endswith(".partial") for name in left] == [True]


# ---- folders ---------------------------------------------------------------------------------------


def test_a_folder_replaces_the_one_before(tmp_path):
    for name in "ab":
        with atomic_folder(tmp_path / "deep" / "folder") as partial:
            assert os.listdir(partial) == []
            (partial / name).touch()
        assert os.listdir(tmp_path / "deep" / "folder") == [name]
    assert os.listdir(tmp_path / "deep") == ["folder"]


@pytest.mark.parametrize("mistake", [OSError("full"), KeyboardInterrupt()])
def test_an_exception_half_way_leaves_what_was_before(tmp_path, mistake):
    write_atomically(tmp_path / "file", "before")
    with atomic_folder(tmp_path / "folder") as partial:
        (partial / "a").touch()
    with pytest.raises(type(mistake)), atomic_file(tmp_path / "file") as partial:
        partial.write_text("hal")
        raise mistake
    with pytest.raises(type(mistake)), atomic_folder(tmp_path / "folder") as partial:
        (partial / "b").touch()
        raise mistake
    assert (tmp_path / "file").read_text() == "before"
    assert os.listdir(tmp_path / "folder") == ["a"]
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.parametrize("mistake", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_the_folder_before_is_put_back_if_the_new_one_cannot_take_its_place(tmp_path, monkeypatch, mistake):
    with atomic_folder(tmp_path / "folder") as partial:
        (partial / "a").touch()
    replace = os.replace
    asked = []

    def fail_after_moving_the_former(source, target):
        asked.append(Path(source).name)
        if asked == ["complete", "folder", "complete"]:
            raise mistake
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", fail_after_moving_the_former)
    with pytest.raises(type(mistake)), atomic_folder(tmp_path / "folder") as partial:
        (partial / "b").touch()
    assert os.listdir(tmp_path / "folder") == ["a"]
    assert os.listdir(tmp_path) == ["folder"]
    assert len(asked) == 4


def test_a_file_is_not_replaced_by_a_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotADirectoryError), atomic_folder(tmp_path / "file"):
        pass
    assert (tmp_path / "file").read_text() == "mine"
    assert os.listdir(tmp_path) == ["file"]


# ---- races -----------------------------------------------------------------------------------------


def test_two_processes_that_write_the_same_never_mix(tmp_path):
    writers = [process(WRITER, tmp_path, letter) for letter in "xy"]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("\n")
        writer.stdin.flush()
    seen = Counter()
    while any(writer.poll() is None for writer in writers):
        if (tmp_path / "file").exists():
            text = (tmp_path / "file").read_text()
            assert text in ("x" * SIZE, "y" * SIZE)
            seen[text[0]] += 1
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    assert seen.total() > 10
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert len({(tmp_path / "folder" / name).read_text() for name in "abc"}) == 1
    assert sorted(os.listdir(tmp_path / "folder")) == ["a", "b", "c"]


def test_threads_that_write_one_folder_do_not_lose_it(tmp_path):
    def write(letter):
        with atomic_folder(tmp_path / "folder") as partial:
            for name in "abc":
                (partial / name).write_text(letter)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, "abcdefgh" * 25))
    assert os.listdir(tmp_path) == ["folder"]
    assert len({(tmp_path / "folder" / name).read_text() for name in "abc"}) == 1


# ---- locks -----------------------------------------------------------------------------------------


@pytest.fixture
def lock(tmp_path):
    return tmp_path / "deep" / "lock"


def test_a_second_process_waits(lock):
    said = []
    with locked(lock):
        other = process(HOLDER, lock, 0)
        assert other.stdout.readline() == "waiting\n"
        reader = threading.Thread(target=lambda: said.append(other.stdout.readline()))
        reader.start()
        reader.join(timeout=0.5)
        assert reader.is_alive() and not said
    reader.join()
    assert said == ["held\n"]
    other.communicate()
    assert other.returncode == 0


def test_a_killed_holder_blocks_nobody(lock):
    with process(HOLDER, lock, 60) as holder:
        assert holder.stdout.readline() + holder.stdout.readline() == "waiting\nheld\n"
        with pytest.raises(BlockingIOError, match=r"locked by another process.*lock"), locked(lock, patience=0.1):
            pass
        holder.kill()
    with locked(lock, patience=0):
        assert lock.exists()


def test_threads_take_turns(lock):
    inside = []

    def enter(_):
        with locked(lock):
            inside.append(1)
            time.sleep(0.001)
            found = len(inside)
            inside.pop()
            return found

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(enter, range(40))) == {1}


def test_an_exception_releases_the_lock(lock):
    with pytest.raises(KeyError), locked(lock):
        raise KeyError
    with locked(lock, patience=0):
        pass


def test_a_lock_that_is_held_is_not_waited_for_by_its_own_thread(lock):
    with locked(lock), pytest.raises(RuntimeError, match="already held"), locked(lock):
        pass


def test_a_lock_that_cannot_be_made_is_an_error_of_files(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"), locked(tmp_path / "file" / "lock"):
        pass


def test_whether_a_lock_is_held_can_be_seen(tmp_path):
    lock = tmp_path / "lock"
    assert not is_locked(lock) and not lock.exists()
    with ThreadPoolExecutor(1) as pool, locked(lock):
        assert pool.submit(is_locked, lock).result()
    assert not is_locked(lock)
