"""The news of compiling: of what is compiled, and of nothing that is loaded from its files."""

import pytest

from structbench.algorithms.runtime import compiling, kernel_folder
from structbench.algorithms.runtime.kernel import COMPILED, kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="kernels are plain Python")


def inner(x):
    return x + 1.0


nested = kernel(inner)


def outer(x):
    return nested(x) * 2.0


def test_each_kernel_that_is_compiled_is_told_of_and_none_that_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_KERNELS", str(tmp_path))
    heard = []
    for _ in range(2):  # the second time they are there
        monkeypatch.setitem(globals(), "nested", kernel(inner))
        with compiling.heard(lambda *news: heard.append(news)):
            assert kernel(outer)(1.0) == 4.0
    names = ["test_compiling.outer", "test_compiling.inner"]
    assert heard == [(names[0], False), (names[1], False), (names[1], True), (names[0], True)]
    assert kernel_folder.compiled() == {names[0]}, "which has the other one in it"
    assert kernel(inner)(2) == 3 and len(heard) == 4  # nobody listens any more
