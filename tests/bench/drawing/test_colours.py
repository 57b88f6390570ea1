"""Looks of algorithms: the hue is the family, the dash the setting, and both are the same in every figure."""

import itertools
import sys

import pytest

from structbench.algorithms.runtime import own_folders
from structbench.bench.drawing import colours, method_looks, style
from structbench.bench.runs.algorithm_files import by_family
from structbench.bench.runs.spec import Spec, make

DATA = "mnist:train=100"


def spec(algorithm: str = "eg", loss: str = "log", **params: object) -> Spec:
    return make(DATA, loss, 10.0, algorithm, params, passes=40.0)


def looks(*specs: Spec) -> list[dict]:
    """Looks without the places of markers, which follow the order of the lines."""
    found = method_looks.looks(method_looks.labels([*specs])).values()
    return [{name: value for name, value in look.items() if name != "markevery"} for look in found]


def test_every_family_has_a_hue_of_its_own_and_its_members_differ() -> None:
    families = {family for family, _ in by_family().values()}
    assert families <= colours.HUES.keys() and len({*colours.HUES.values()}) == len(colours.HUES)
    for family in families:
        names = [name for name, (theirs, _) in by_family().items() if theirs == family]
        hues = {colours.HUES["batch" if name in colours.BATCH else family] for name in names}
        assert {colours.hue(name) for name in names} == hues
        assert len({colours.colour(name) for name in names}) == len(names)
        assert len({(colours.hue(name), colours.marker(name)) for name in names}) == len(names)
    assert colours.colour("an-algorithm-that-is-no-more") == colours.OTHER


def test_a_look_does_not_depend_on_what_else_is_drawn() -> None:
    alone, gap = looks(spec("sgd")), looks(spec(), spec(order="gap"))
    assert looks(spec("lbfgs"), spec("sgd"), spec("sag"))[1:2] == alone  # of those that are usual
    assert looks(spec("eg"), spec("lbfgs"))[1:] == looks(spec("lbfgs"))
    assert looks(spec(start=0.0), spec(), spec(order="gap"))[1:] == gap
    assert gap[0]["color"] == gap[1]["color"] == colours.colour("eg")
    assert gap[0]["linestyle"] == "-" != gap[1]["linestyle"]
    assert method_looks.look("eg", order="gap")["linestyle"] == gap[1]["linestyle"]  # of papers' figures


def test_two_of_a_family_in_one_picture_have_different_hues() -> None:
    usual, other, third = looks(spec("sgd"), spec("sag"), spec("adagrad"))
    assert usual["color"] == colours.colour("sgd") and other["color"] in colours.SPARE
    assert len({usual["color"], other["color"], third["color"]}) == 3
    assert looks(spec("sag"))[0]["color"] == colours.colour("sag")
    everything = colours.picture_colours(by_family())
    assert all(everything[name] in (colours.colour(name), *colours.SPARE) for name in everything)


CHANGES = ({"mode": "batch"}, {"order": "cyclic"}, {"order": "gap"}, {"start": 0.0}, {"anneal": 10.0})


@pytest.mark.parametrize("pair", [*itertools.combinations(CHANGES, 2)], ids=str)
def test_settings_of_an_algorithm_have_different_dashes(pair: tuple[dict, dict]) -> None:
    """Alone, together and, where the numbers of two would be one dash, by taking the next."""
    both = {**pair[0], **pair[1]}
    settings = [{}, pair[0], pair[1], both] if len(both) == 2 else [{}, *pair]
    dashes = [look["linestyle"] for look in looks(*(spec(**params) for params in settings))]
    assert len({*map(str, dashes)}) == len(settings) <= len(style.DASHES)


def test_more_settings_than_dashes_begin_again() -> None:
    many = [spec(eta=0.1 * k) for k in range(1, 12)]
    assert len({str(look["linestyle"]) for look in looks(*many)}) == len(style.DASHES)


def test_an_algorithm_of_the_user_is_in_a_strong_colour_of_its_own(tmp_path, monkeypatch) -> None:
    (tmp_path / "algorithms" / "gradient").mkdir(parents=True)
    (tmp_path / "algorithms" / "gradient" / "my_steps.yaml").write_text("about: mine\n")
    monkeypatch.setenv(own_folders.VARIABLE, str(tmp_path))
    for each in (by_family, colours._hues, colours.colour):
        monkeypatch.setattr(sys.modules[each.__module__], each.__name__, each.__wrapped__)
    monkeypatch.setattr(colours, "by_family", sys.modules[by_family.__module__].by_family)
    assert colours.colour("my-steps") == colours.OWN and colours.hue("sgd") == colours.HUES["gradient"]


def test_no_two_algorithms_of_a_picture_have_one_marker():
    assert colours.marker("sgd") == colours.marker("sklearn"), "or the test says nothing"
    found = colours.picture_markers(["sklearn", "eg", "sgd", "lbfgs"])
    assert found["sgd"] == colours.marker("sgd") and found["eg"] == ""
    assert len({*found.values()}) == 4
