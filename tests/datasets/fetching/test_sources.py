"""Sources: no network, slow and absent programs, and redirects; each ends in the right bytes or a sentence."""

import hashlib
import io
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from dataclasses import replace

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.fetching import availability, download, network, sources
from structbench.datasets.fetching.download import Fetcher, File
from structbench.datasets.fetching.sources import Npm, SourceArchive, SourceError, Url, Wheel
from tests.datasets.fetching.served import ADDRESS, GOOD, Answer, good
from tests.datasets.packed import tarred, zipped
from tests.narrowing import not_none


@pytest.mark.parametrize(
    "does",
    ["echo npm verbose cli; exec sleep 60", "echo 'npm error code EAI_AGAIN'; echo 'npm error log: in x'; exit 1"],
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
    assert not availability.can_be_had(good(Url(ADDRESS)))
    assert not availability.can_be_had(good(Url("https://data.example/other.txt")))
    over.set()
    assert len(asked) == 2  # the fetch, and one look: the second file is on the same host


def test_the_start_of_a_program_is_no_silence_of_the_network(hurried, npm_that):
    """On a busy machine pip and npm need longer to start than a server may need to answer."""
    npm_that("sleep 1; echo npm verbose cli; sleep .2; echo 'npm http fetch GET 200 https://x 3ms'; $packed")
    assert download.fetch(good(Npm("thing@1.0.0", "package/one"))).read_bytes() == GOOD


def test_a_program_that_never_says_anything_is_ended(monkeypatch, npm_that):
    monkeypatch.setattr(network, "START_SECONDS", 0.3)
    npm_that("exec sleep 60")
    with pytest.raises(UserError, match=r"thing@1.0.0: npm said nothing for 0.3 s\n"):
        download.fetch(good(Npm("thing@1.0.0", "package/one")))


@pytest.mark.parametrize(
    "source", [Wheel("thing==1.0", (), "one"), SourceArchive("thing==1.0"), Npm("thing@1.0.0", "package/one")]
)
def test_pip_and_npm_say_something_before_they_ask(nowhere, monkeypatch, source):
    """Else the seconds in which they start would count as silence of the network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        for name in ("PIP_NO_INDEX", "PIP_INDEX_URL", "npm_config_registry"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.getsockname()[1]}")

        def run(command, answered):
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
                server.accept()[0].close()
                process.kill()
                return 1, not_none(process.stdout).read().decode()

        monkeypatch.setattr(network, "run", run)
        with pytest.raises(SourceError) as caught:
            source.open(nowhere)
    assert "it gave no reason" not in str(caught.value)


def test_an_answer_that_comes_late_is_waited_for_once_a_first_one_came(hurried, npm_that):
    npm_that("echo 'npm http fetch GET 200 https://x 3ms'; sleep 1; $packed")
    assert download.fetch(good(Npm("thing@1.0.0", "package/one"))).read_bytes() == GOOD


def test_a_program_that_is_never_done_is_ended(monkeypatch, hurried, npm_that):
    monkeypatch.setattr(network, "COMMAND_SECONDS", 0.5)
    npm_that("echo 'npm http fetch GET 200 https://x 3ms'; exec sleep 60")
    with pytest.raises(UserError, match=r"thing@1.0.0: npm was not done after 0.5 s\n"):
        download.fetch(good(Npm("thing@1.0.0", "package/one")))


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


def archived(nowhere, monkeypatch):
    """A folder that pip looks in, with a source archive whose setup.py must not run."""
    links = nowhere / "links"
    links.mkdir()
    ran = f"open({str(nowhere / 'ran')!r}, 'w')"
    tarred(links / "some-thing-1.0.tar.gz", {"some-thing-1.0/setup.py": ran.encode(), "some-thing-1.0/x": b"x"})
    tarred(links / "some-thing-1.0.1.tar.gz", {"some-thing-1.0.1/setup.py": ran.encode()})
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return (links / "some-thing-1.0.tar.gz").read_bytes()


def test_a_source_archive_is_fetched_and_never_run(nowhere, monkeypatch):
    packed = archived(nowhere, monkeypatch)
    file = File("some-thing-1.0.tar.gz", hashlib.sha256(packed).hexdigest(), len(packed),
                (SourceArchive("some-thing==1.0"),))  # fmt: skip
    assert availability.can_be_had(file)
    assert download.fetch(file).read_bytes() == packed
    assert not (nowhere / "ran").exists()
    (nowhere / "cache" / file.name).unlink()
    with pytest.raises(UserError, match="wrong bytes: SHA-256"):
        download.fetch(replace(file, sha256="0" * 64))
    with pytest.raises(UserError, match=r"package other==1.0: pip: No matching distribution"):
        download.fetch(good(SourceArchive("other==1.0")))


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("https://data.example/p/thing-1.0.tar.gz#sha256=0", None),
        ("https://data.example/p/thing-1.0.tar.gz", None),
        ("http://data.example/p/thing-1.0.tar.gz", "not an https address"),
        ("https://data.example/p/thing-1.0.tar.gz.asc", "pip: No matching"),
        ("https://data.example/p/other-thing-1.0.tar.gz", "pip: No matching"),
        ("file:///nonexistent/thing-1.0.tar.gz", "No such file"),
    ],
)
def test_the_address_of_a_source_archive_is_what_pip_says(nowhere, web, monkeypatch, link, said):
    web["https://data.example/p/thing-1.0.tar.gz"] = GOOD
    line = f"  Skipping link: No sources permitted for thing: {link} (from https://data.example/simple/thing/)"
    monkeypatch.setattr(network, "run", lambda *_: (1, f"{line}\nERROR: No matching distribution\n"))
    if said is None:
        assert download.fetch(good(SourceArchive("thing==1.0"))).read_bytes() == GOOD
    else:
        with pytest.raises(UserError, match=said):
            download.fetch(good(SourceArchive("thing==1.0")))


def test_programs_that_are_not_installed(nowhere, monkeypatch):
    monkeypatch.setattr(sources.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(nowhere))
    for source, said in (
        (Wheel("x==1.0", (), "x"), "pip is not installed for"),
        (SourceArchive("x==1.0"), "pip is not installed for"),
        (Npm("x@1", "x"), "npm is not"),
    ):
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
