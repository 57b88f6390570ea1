"""What is said while kernels are compiled, and how long something is, in words."""

import pytest

from structbench.bench.runs import news
from structbench.bench.runs.spec import make


def test_compiling_is_said_now_and_then_and_once_it_is_over(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(news.time, "monotonic", lambda: now[0])
    said: list[str] = []
    heard = news.Compiling(make("mnist", "log", 1.0, "eg"), said.append, 5.0)
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


@pytest.mark.parametrize(
    ("seconds", "said"), [(-1, "0 s"), (89.4, "89 s"), (150, "2 min"), (5000, "83 min"), (7200, "2.0 h")]
)
def test_durations_are_words(seconds, said):
    assert news.duration(seconds) == said
