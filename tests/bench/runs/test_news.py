"""What is said while kernels are compiled, and how long something is, in words."""

import logging
from types import SimpleNamespace

import pytest

from structbench.algorithms.runtime import compiling
from structbench.bench.runs import news


def test_compiling_is_said_now_and_then_and_once_it_is_over(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(news.time, "monotonic", lambda: now[0])
    said: list[str] = []
    heard = news.Compiling("multiclass", said.append)
    heard.over()
    assert said == [], "nothing is compiled"
    heard("m.m", False)
    for name, took in (("x.inside", 1.0), ("m.m", 6.0), ("all.all", 6.0)):
        now[0] += took
        heard(name, True)
    heard.over()
    heard.over()
    assert said == [
        "compiling for multiclass, once: 0 kernels so far",
        "compiling for multiclass, once: 2 kernels so far",
        "compiling for multiclass, once: 3 kernels so far",
        "compiled 3 kernels in 13 s; the next run finds them",
    ]


def test_python_programs_hear_of_it_on_stderr_unless_they_want_no_news(capsys):
    def compile_one():
        with news.on_stderr() as told:
            told.structure = "chain"
            compiling._tell(SimpleNamespace(py_func=test_durations_are_words), False)
            compiling._tell(SimpleNamespace(py_func=test_durations_are_words), True)

    compile_one()
    said = "compiling for chain, once: 0 kernels so far\ncompiled 1 kernels in 0 s; the next run finds them\n"
    assert tuple(capsys.readouterr()) == ("", said)
    logging.getLogger("structbench").setLevel("WARNING")
    try:
        compile_one()
    finally:
        logging.getLogger("structbench").setLevel("INFO")
    assert tuple(capsys.readouterr()) == ("", "")


@pytest.mark.parametrize(
    ("seconds", "said"), [(-1, "0 s"), (89.4, "89 s"), (150, "2 min"), (5000, "83 min"), (7200, "2.0 h")]
)
def test_durations_are_words(seconds, said):
    assert news.duration(seconds) == said
