"""Ctrl-C while numba is imported is what the caller sees."""

import pytest

from structbench.algorithms.runtime import kernel


def test_an_interrupt_before_the_dispatcher_is_built_is_raised_as_it_is(monkeypatch):
    def interrupted(self, inner: bool):
        raise KeyboardInterrupt

    made = kernel.Kernel(lambda x: x, (), cached=True)
    monkeypatch.setattr(kernel.Kernel, "_built", interrupted)
    monkeypatch.setattr(kernel, "COMPILED", True)
    with pytest.raises(KeyboardInterrupt) as caught:
        made(1)
    assert caught.value.__context__ is None, "it was not built a second time"
