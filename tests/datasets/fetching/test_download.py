"""Fetching: nothing but the right bytes takes the final name, and a failure says what to do."""

import errno
import gzip
import hashlib
import io
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPResponse
from typing import NamedTuple

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import conll2002
from structbench.datasets.fetching import availability, download, network, sources
from structbench.datasets.fetching.download import Fetcher, File
from structbench.datasets.fetching.sources import Npm, Url, Wheel
from tests.datasets.packed import tarred, zipped

GOOD = b"the right bytes\n" * 100
SHA256 = hashlib.sha256(GOOD).hexdigest()
ADDRESS = "https://data.example/things/good.txt"


def good(*origins, **changes):
    return replace(File("good.txt", SHA256, 10_000, origins), **changes)


class Answer(NamedTuple):
    """What a server says: a body, or another address; ``file`` makes an open file of the bytes that it sends."""

    body: bytes = b""
    location: str = ""
    file: Callable[[bytes], io.BytesIO] = io.BytesIO

    def makefile(self, mode):
        """As a socket has it."""
        head = f"302 Found\r\nLocation: {self.location}" if self.location else "200 OK"
        return self.file(f"HTTP/1.1 {head}\r\n\r\n".encode() + self.body)


@pytest.fixture
def web(monkeypatch):
    """Addresses -> what the network answers: an ``Answer``, just its body, or an error.

    ``asked`` lists the questions.
    """
    answers, asked = {}, []

    def answered(_, request):
        asked.append(request.full_url)
        answer = answers.get(request.full_url, urllib.error.URLError("host not found"))
        if isinstance(answer, Exception):
            raise answer
        response = HTTPResponse(answer if isinstance(answer, Answer) else Answer(answer))
        response.begin()
        response.url, response.msg = request.full_url, response.reason
        return response

    monkeypatch.setattr(urllib.request.HTTPSHandler, "https_open", answered)
    monkeypatch.setattr(urllib.request.HTTPHandler, "http_open", answered)
    answers["asked"] = asked
    return answers


@pytest.fixture
def mirror(nowhere, monkeypatch):
    folder = nowhere / "mirror"
    folder.mkdir()
    monkeypatch.setenv("STRUCTBENCH_MIRROR", str(folder))
    return folder


def files_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


# ---- the cache --------------------------------------------------------------------------------------


def test_fetched_once_then_read_from_the_cache(nowhere, web):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS))
    assert download.status(file) == "absent"
    assert download.size(file) is None
    assert download.fetch(file).read_bytes() == GOOD
    assert download.fetch(file) == nowhere / "cache" / "good.txt"
    assert web["asked"] == [ADDRESS]
    assert download.status(file) == "cached"
    assert download.size(file) == len(GOOD)
    assert files_in(nowhere / "cache") == ["good.txt"]


def test_default_cache_folder(monkeypatch):
    monkeypatch.delenv("STRUCTBENCH_DATA", raising=False)
    assert download.cache_folder().as_posix() == "results/data"


def test_corrupt_cache_is_fetched_again_and_said(nowhere, web, capsys):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS))
    path = download.fetch(file)
    path.write_bytes(GOOD[:-1])
    assert download.status(file) == "absent"
    assert download.fetch(file).read_bytes() == GOOD
    assert f"{path} is corrupt" in capsys.readouterr().err


def test_corrupt_cache_is_never_used(nowhere, web):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS))
    download.fetch(file).write_bytes(b"corrupt")
    del web[ADDRESS]
    with pytest.raises(UserError, match="host not found"):
        download.fetch(file)


def test_wrong_checksum_never_gets_in(nowhere, web):
    web[ADDRESS] = b"wrong"
    with pytest.raises(UserError) as caught:
        download.fetch(good(Url(ADDRESS)))
    assert SHA256 in str(caught.value)
    assert hashlib.sha256(b"wrong").hexdigest() in str(caught.value)
    assert files_in(nowhere / "cache") == []


def test_a_download_that_breaks_off_leaves_nothing(nowhere, web):
    class Broken(io.BytesIO):
        def read(self, size=-1):
            return super().read(size) or self.reset()

        def reset(self):
            raise ConnectionResetError("connection reset")

    web[ADDRESS] = Answer(GOOD[:100], file=Broken)
    with pytest.raises(UserError, match="broke off after 100 bytes: connection reset"):
        download.fetch(good(Url(ADDRESS)))
    assert files_in(nowhere / "cache") == []


def test_the_second_source_serves_where_the_first_fails(nowhere, web):
    web["https://b.example/good.txt"] = b"wrong"
    web["https://c.example/good.txt"] = GOOD
    origins = [Url(f"https://{host}.example/good.txt") for host in "abc"]
    assert download.fetch(good(*origins)).read_bytes() == GOOD


def test_all_failures_are_listed_with_what_to_do(nowhere, web):
    wheel = Wheel("no-such-thing==1.0", (), "data")
    npm = Npm("no-such-thing@1.0.0", "package/data")
    with pytest.raises(UserError) as caught:
        download.fetch(good(wheel, npm, Url(ADDRESS)))
    message = str(caught.value)
    assert "the Python wheel no-such-thing==1.0: pip: " in message
    assert "No matching distribution found" in message
    assert "the npm package no-such-thing@1.0.0: npm" in message
    assert f"{ADDRESS}: <urlopen error host not found>" in message
    assert "STRUCTBENCH_MIRROR" in message
    assert "STRUCTBENCH_DATA" in message


# ---- no network -------------------------------------------------------------------------------------


@pytest.fixture
def hurried(monkeypatch):
    monkeypatch.setattr(network, "PATIENCE", 0.5)


def npm_that(nowhere, monkeypatch, does):
    script = nowhere / "bin" / "npm"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\n{does}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")


@pytest.mark.parametrize(
    "does", ["exec sleep 60", "echo 'npm error code EAI_AGAIN'; echo 'npm error log: in x'; exit 1"]
)
def test_without_a_network_that_is_said_in_seconds_and_what_to_do(nowhere, web, monkeypatch, hurried, does):
    npm_that(nowhere, monkeypatch, does)
    web[ADDRESS] = urllib.error.URLError(socket.gaierror(-3, "Temporary failure in name resolution"))
    begun = time.monotonic()
    with pytest.raises(UserError) as caught:
        download.fetch(good(Npm("thing@1.0.0", "package/one"), Url(ADDRESS)))
    assert time.monotonic() - begun < 20
    assert str(caught.value) == (
        f"no network: tried the npm package thing@1.0.0 and {ADDRESS} in 1 s; good.txt is not in "
        f"{nowhere / 'cache'} either\nput good.txt (or thing-1.0.0.tgz, which holds it) into a folder and name "
        "that: STRUCTBENCH_MIRROR=FOLDER, or --config mirror=FOLDER"
    )


def test_a_server_that_never_answers_is_not_waited_for(nowhere, monkeypatch, hurried):
    asked, over = [], threading.Event()
    monkeypatch.setattr(urllib.request.HTTPSHandler, "https_open", lambda *_: asked.append(1) or over.wait(60))
    availability._answers.cache_clear()
    monkeypatch.setattr(availability, "_unreachable", set())
    with pytest.raises(UserError, match="no network"):
        download.fetch(good(Url(ADDRESS)))
    assert availability.place(good(Url(ADDRESS))) is None
    assert availability.place(good(Url("https://data.example/other.txt"))) is None
    over.set()
    assert len(asked) == 2  # the fetch, and one look: the second file is on the same host


def test_an_answer_that_comes_late_is_waited_for_once_a_first_one_came(nowhere, monkeypatch, hurried):
    tarred(nowhere / "packed", {"package/one": GOOD})
    npm_that(
        nowhere,
        monkeypatch,
        f"echo 'npm http fetch GET 200 https://x 3ms'; sleep 1; for to; do [ -d $to ] && break; done\n"
        f"cp {nowhere}/packed $to/thing-1.0.0.tgz",
    )
    assert download.fetch(good(Npm("thing@1.0.0", "package/one"))).read_bytes() == GOOD


@pytest.mark.parametrize(
    ("where", "error", "said"),
    [
        ("write", (errno.ENOSPC, "full"), "no space left for its 10000 bytes"),
        ("fsync", (errno.EDQUOT, "full"), "no space left for its 10000 bytes"),
        ("fsync", (errno.EIO, "a fault"), "a fault"),
        ("fsync", ("without a number",), "without a number"),
    ],
)
def test_what_keeps_a_file_from_being_written_is_said(nowhere, web, monkeypatch, where, error, said):
    def full(*_):
        raise OSError(*error)

    if where == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        opened = download.Path.open

        def open_full(path, mode="r", *rest):
            file = opened(path, mode, *rest)
            return type("Full", (io.BufferedWriter,), {"write": full})(file.detach()) if mode == "xb" else file

        monkeypatch.setattr(download.Path, "open", open_full)
    web[ADDRESS] = GOOD
    with pytest.raises(UserError, match=f"good.txt: {said}; .*STRUCTBENCH_DATA"):
        download.fetch(good(Url(ADDRESS)))
    assert files_in(nowhere / "cache") == []


def test_cache_that_cannot_be_written(nowhere, web):
    web[ADDRESS] = GOOD
    (nowhere / "cache").write_text("a file where the folder should be")
    with pytest.raises(UserError, match="cannot write"):
        download.fetch(good(Url(ADDRESS)))


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


def test_mirror_comes_first(mirror, web):
    (mirror / "own.txt").write_bytes(GOOD)  # under the file's own name, which no address has
    assert download.fetch(good(Url(ADDRESS), name="own.txt")).read_bytes() == GOOD
    assert web["asked"] == []


def test_mirror_may_hold_what_a_source_would_download(mirror):
    zipped(mirror / "some_thing-1.0-py3-none-any.whl", {"thing/good.txt": GOOD})
    assert download.fetch(good(Wheel("some-thing==1.0", (), "thing/good.txt"))).read_bytes() == GOOD
    tarred(mirror / "scope-thing-2.0.0.tgz", {"package/good.txt": GOOD})
    again = good(Npm("@scope/thing@2.0.0", "package/good.txt"), name="again.txt")
    assert download.fetch(again).read_bytes() == GOOD
    (mirror / "third.gz").write_bytes(gzip.compress(GOOD))
    third = good(Url("https://data.example/third.gz", gzipped=True), name="third.txt")
    assert download.fetch(third).read_bytes() == GOOD


def test_a_mirror_that_does_not_help_is_one_failure_among_others(mirror, web, monkeypatch):
    with pytest.raises(UserError, match=f"the mirror {mirror}: it does not hold good.txt or x-1-"):
        download.fetch(good(Url(ADDRESS), Wheel("x==1", (), "x")))
    (mirror / "good.txt").write_bytes(b"wrong")
    with pytest.raises(UserError, match=f"the mirror {mirror}: wrong bytes"):
        download.fetch(good(Url(ADDRESS)))
    monkeypatch.setenv("STRUCTBENCH_MIRROR", str(mirror / "none"))
    with pytest.raises(UserError, match="none: no such folder"):
        download.fetch(good(Url(ADDRESS)))


# ---- the sources ------------------------------------------------------------------------------------


def test_wheel(nowhere, monkeypatch):
    wheels = nowhere / "wheels"
    wheels.mkdir()
    about = "some_thing-1.0.dist-info"
    zipped(
        wheels / "some_thing-1.0-py3-none-any.whl",
        {
            "some_thing/good.txt": GOOD,
            f"{about}/METADATA": "Metadata-Version: 2.1\nName: some-thing\nVersion: 1.0\n",
            f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{about}/RECORD": "",
        },
    )
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    file = good(Wheel("some-thing==1.0", ("--only-binary=:all:",), "some_thing/good.txt"))
    assert download.fetch(file).read_bytes() == GOOD


def test_no_pip(nowhere, monkeypatch):
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pip is not installed for"):
        download.fetch(good(Wheel("some-thing==1.0", (), "good.txt")))


@pytest.fixture
def fake_npm(nowhere, monkeypatch):
    """An npm that copies the archive ``packed`` to where it should go, and notes each call."""
    tarred(nowhere / "packed", {"package/one": GOOD, "package/two": b"two"})
    script = nowhere / "bin" / "npm"
    script.parent.mkdir()
    script.write_text(f"""#!{sys.executable}
import pathlib, shutil, sys
here = pathlib.Path({str(nowhere)!r})
with open(here / "calls", "a") as calls:
    calls.write("called\\n")
shutil.copy(here / "packed", pathlib.Path(sys.argv[sys.argv.index("--pack-destination") + 1], "thing-1.0.0.tgz"))
""")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent))
    return nowhere


def test_npm_package_is_downloaded_once_for_all_its_files(fake_npm):
    with Fetcher() as files:
        assert files(good(Npm("thing@1.0.0", "package/one"))).read_bytes() == GOOD
        two = File("two", hashlib.sha256(b"two").hexdigest(), 10, (Npm("thing@1.0.0", "package/two"),))
        assert files(two).read_bytes() == b"two"
    assert (fake_npm / "calls").read_text() == "called\n"


def test_no_npm(nowhere, monkeypatch):
    monkeypatch.setenv("PATH", str(nowhere))
    with pytest.raises(UserError, match="npm is not installed"):
        download.fetch(good(Npm("thing@1.0.0", "package/one")))


def test_gzipped_address(nowhere, web):
    web[ADDRESS] = gzip.compress(GOOD)
    assert download.fetch(good(Url(ADDRESS, gzipped=True))).read_bytes() == GOOD


@pytest.mark.parametrize(
    "data", [b"not gzip", gzip.compress(GOOD)[:-10], gzip.compress(GOOD)[:20]], ids=["other", "end", "half"]
)
def test_damaged_gzip(nowhere, web, data):
    web[ADDRESS] = data
    with pytest.raises(UserError, match="broke off"):
        download.fetch(good(Url(ADDRESS, gzipped=True)))


def test_only_https(nowhere, web):
    with pytest.raises(UserError, match="not an https address"):
        download.fetch(good(Url("http://data.example/good.txt")))
    assert web["asked"] == []


def test_redirects_from_https_to_https_are_followed(nowhere, web):
    web[ADDRESS] = Answer(location="https://b.example/good.txt")
    web["https://b.example/good.txt"] = Answer(location="/elsewhere")
    web["https://b.example/elsewhere"] = GOOD
    assert download.fetch(good(Url(ADDRESS))).read_bytes() == GOOD


@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize("unsafe", ["http://unsafe.example/good.txt", "ftp://unsafe.example/x"])
def test_no_hop_of_a_redirect_leaves_https(nowhere, web, hops, unsafe):
    """Not even one that leads back to https: what it is told on the way may come from anyone."""
    web[unsafe] = Answer(location="https://end.example/good.txt")
    web["https://end.example/good.txt"] = GOOD
    web[ADDRESS] = Answer(location=unsafe if hops == 1 else "https://b.example/good.txt")
    web["https://b.example/good.txt"] = Answer(location=unsafe)
    with pytest.raises(UserError, match=f"redirected to {unsafe}, which is not an https address"):
        download.fetch(good(Url(ADDRESS)))
    assert web["asked"] == [ADDRESS, "https://b.example/good.txt"][:hops]


def test_what_a_redirect_says_besides_is_not_read(nowhere, web):
    """It may be of any length."""
    web[ADDRESS] = Answer(b"moved" * 10, "https://b.example/good.txt", file=Unread)
    web["https://b.example/good.txt"] = GOOD
    assert download.fetch(good(Url(ADDRESS))).read_bytes() == GOOD


class Unread(io.BytesIO):
    def read(self, *size):
        raise AssertionError("it is read")


@pytest.mark.parametrize("elsewhere", ["file:///etc/hostname", "data:text/plain,x"])
def test_a_redirect_to_another_kind_of_address_is_refused(nowhere, web, elsewhere):
    web[ADDRESS] = Answer(location=elsewhere)
    with pytest.raises(UserError, match=f"Redirection to url '{elsewhere}' is not allowed"):
        download.fetch(good(Url(ADDRESS)))


def test_redirects_in_a_circle_end(nowhere, web):
    web[ADDRESS] = Answer(location=ADDRESS)
    with pytest.raises(UserError, match="infinite loop"):
        download.fetch(good(Url(ADDRESS)))
    assert len(web["asked"]) < 20


@pytest.mark.parametrize("compressed", [False, True])
def test_more_bytes_than_expected_are_not_read(nowhere, web, compressed):
    bomb = bytes(10_000_000)
    web[ADDRESS] = gzip.compress(bomb) if compressed else bomb
    with pytest.raises(UserError, match="more than the 10000 bytes"):
        download.fetch(good(Url(ADDRESS, gzipped=compressed)))


def test_a_damaged_package_is_a_failure_of_its_source(mirror):
    (mirror / "x-1-any.whl").write_bytes(b"PK not a zip")
    with pytest.raises(UserError, match=r"the mirror .*x-1-any.whl is damaged"):
        download.fetch(good(Wheel("x==1", (), "a")))
