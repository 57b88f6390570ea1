"""The guarded cache of kernels."""

import fcntl
import threading

from numba.core.caching import IndexDataCacheFile

import algorithms  # noqa: F401 - puts the lock around numba's cache


def test_a_kernel_is_neither_written_nor_read_while_another_process_writes(tmp_path):
    files = IndexDataCacheFile(str(tmp_path), "kernel", source_stamp=1)
    files.save("one type", "its code")
    found = []
    work = [
        threading.Thread(target=files.save, args=("another type", "other code")),
        threading.Thread(target=lambda: found.append(files.load("one type"))),
    ]
    with (tmp_path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for thread in work:
            thread.start()
        for thread in work:
            thread.join(timeout=0.3)
            assert thread.is_alive()
        assert not found
    for thread in work:
        thread.join()
    assert found == ["its code"] and files.load("another type") == "other code"
