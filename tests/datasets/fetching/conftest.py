"""What tests of fetching share: a network, a mirror and npm that say what a test wants."""

import os
import urllib.error
import urllib.request
from http.client import HTTPResponse
from typing import Any

import pytest

from structbench.datasets.fetching import network
from tests.datasets.fetching.served import GOOD, Answer
from tests.datasets.packed import tarred


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
        said: Any = answer if isinstance(answer, Answer) else Answer(answer)  # of a socket it reads a file alone
        response: Any = HTTPResponse(said)
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
