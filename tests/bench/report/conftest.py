"""One browser for the tests of all pages."""

import pytest

from tests.bench.chromium import chromium


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page
