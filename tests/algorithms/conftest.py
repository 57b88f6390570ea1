"""What the tests of algorithms share."""

import pytest

from algorithms.runtime import parallel


@pytest.fixture(autouse=True)
def one_thread():
    """Whatever a test did, the next begins with one thread."""
    yield
    parallel.set_threads(1)
