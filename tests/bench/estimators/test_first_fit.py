"""A first fit, and a first answer, say that kernels are compiled for them."""

from types import SimpleNamespace
from typing import Any

import pytest

from structbench.algorithms.runtime import compiling
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import ChainCRF
from structbench.bench.runs import driver, news
from structbench.bench.runs.model import Model

WORDS, LABELS = [["a", "b"]], [["x", "y"]]


def test_what_fits_and_answers_compile_is_told_on_stderr(monkeypatch, capsys):
    def compiles(*_: Any, **__: Any) -> None:
        compiling._tell(SimpleNamespace(py_func=compiles), False)
        raise UserError("that is all")

    model = ChainCRF(max_passes=1, tol=1).fit(WORDS, LABELS)
    capsys.readouterr()
    monkeypatch.setattr(news, "EVERY", 0.0)
    monkeypatch.setattr(driver, "run", compiles)
    monkeypatch.setattr(Model, "k_best", compiles)
    with pytest.raises(UserError, match="that is all"):
        ChainCRF().fit(WORDS, LABELS)
    assert capsys.readouterr().err == "compiling for chain, once: 0 kernels so far\n"
    with pytest.raises(UserError, match="that is all"):
        model.predict_k_best([["a"]], 2)
    assert capsys.readouterr().err == "compiling, once: 0 kernels so far\n"
