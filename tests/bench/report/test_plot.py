"""One plot of some runs, from Python and by the verb."""

import shutil
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

import structbench
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.drawing import style
from structbench.bench.report import optima, plot
from structbench.bench.runs import results, store
from structbench.bench.runs.finished import Machine

DATA = "toy-points:kind=overlapping"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(results.VARIABLE, str(tmp_path_factory.mktemp("results")))
        found = [structbench.run(DATA, name, loss="log", C=C) for C in (1, 0.5) for name in ("lbfgs", "eg")]
        yield [*found, structbench.run(DATA, "perceptron", passes=5)]
    plt.close("all")


def texts(axes):
    return [each.get_text() for each in axes.get_legend().get_texts()]


def test_files_of_one_name_are_two_data_sets(ours, monkeypatch):
    monkeypatch.chdir(ours)
    runs = []
    for folder, text in (("a", "the D\ndog N\n\n"), ("b", "a D\ncat N\nsat V\n\n")):
        (ours / folder).mkdir()
        (ours / folder / "train.txt").write_text(text * 3)
        runs.append(structbench.run(f"columns:{folder}/train.txt", "lbfgs", loss="log", C=1, passes=3))
    axes = structbench.plot.objective(runs)
    names = [run.spec.data.key for run in runs]
    assert texts(axes) == [f"L-BFGS, {name}" for name in names] and names[0] != names[1]
    assert all(name in axes.get_title(loc="left").replace("\n", " ") for name in names)
    plt.close("all")


def test_a_relative_gap_is_the_one_that_a_run_has(made):
    axes = structbench.plot.gap(made[:2], x="seconds")
    assert texts(axes) == ["L-BFGS", "EG"] and axes.get_yscale() == "log"
    line = axes.get_lines()[0]
    assert line.get_ydata().tolist() == made[0].curve["relative_gap"].tolist()
    assert line.get_xdata().tolist() == made[0].curve["cpu_seconds"].tolist()
    assert axes.get_title(loc="left") == f"relative gap\n{DATA}, log loss, C\xa0=\xa01"
    reached = "CPU seconds\nA full dot ends runs that reached a relative gap of 1e-06."
    assert (axes.get_xlabel(), axes.get_ylabel()) == (reached, "(primal - dual) / |primal|")


def test_the_other_quantities_are_those_of_the_curves(made):
    run = made[0]
    shown = {name: getattr(structbench.plot, name)(run).get_lines()[0] for name in ("error", "objective")}
    assert np.allclose(shown["error"].get_ydata(), 100 * run.curve["test_error"])
    assert shown["objective"].get_ydata().tolist() == run.curve["primal"].tolist()
    assert shown["objective"].get_xdata().tolist() == run.curve["passes"].tolist()
    distance = structbench.plot.suboptimality(run).get_lines()[0].get_ydata()
    bound = run.curve["dual"].max()
    assert np.allclose(distance[0], (run.curve["primal"][0] - bound) / run.curve["primal"][0])


def test_suboptimality_is_from_the_certified_optimum_where_one_is_known(made, monkeypatch):
    run, own = made[3], made[3].curve["dual"].max()  # of EG, which ends above L-BFGS's bound
    axes = structbench.plot.suboptimality(run)
    bound = max(each.curve["dual"].max() for each in made[2:4])
    primal = run.curve["primal"][0]
    assert np.allclose(axes.get_lines()[0].get_ydata()[0], (primal - bound) / primal, rtol=1e-7)
    assert bound > own and "bound: the certified optimum, by toy-points" in " ".join(axes.get_xlabel().split())

    def nothing(*given):
        raise optima.UnknownOptimum("none")

    monkeypatch.setattr(optima, "known_optimum", nothing)
    axes = structbench.plot.suboptimality(run)
    assert axes.get_xlabel().splitlines()[::2] == ["passes", plot.OWN_BOUND]
    better = own + 0.5 * (run.curve["primal"].min() - own)
    by = optima.Source("toy-points__log__C=0.5__newton", "paper", "", "")
    problem = optima.Problem("toy-points", "", "log", "l2", 0.5)
    known = optima.Optimum(problem, "classes", 1, 0.0, better, better, by, by)
    monkeypatch.setattr(optima, "known_optimum", lambda *given: known)
    axes = structbench.plot.suboptimality(run)
    assert np.allclose(axes.get_lines()[0].get_ydata()[0], (primal - better) / primal)
    said = "bound: the certified optimum, by toy-points__log__C=0.5__newton (paper)"
    assert said in " ".join(axes.get_xlabel().split())


def test_runs_of_several_problems_are_told_apart_by_what_differs(made):
    figure, axes = plt.subplots()
    assert structbench.plot.error(made, axes=axes) is axes and len(figure.axes) == 1
    assert sorted(texts(axes)) == sorted(
        [f"{name}, log loss, C = {C}" for name in ("L-BFGS", "EG") for C in ("1", "0.5")] + ["Perceptron, no loss"]
    )
    assert axes.get_title(loc="left").count("\n") == 3
    strong, *_ = structbench.plot.gap(made[:2]).get_lines()
    both = [line for line in structbench.plot.gap(made[:4]).get_lines() if len(line.get_xdata()) > 1]
    assert any(np.array_equal(line.get_ydata(), strong.get_ydata()) for line in both), (
        "each C has an optimum of its own"
    )


def test_the_only_point_of_a_run_has_a_marker(made, monkeypatch):
    curve = made[0].curve.tail(1)
    monkeypatch.setitem(vars(made[0]), "curve", curve)
    line = structbench.plot.error(made[0]).get_lines()[0]
    assert len(line.get_xdata()) == 1 and line.get_marker() and line.get_markevery() is None


def test_what_cannot_be_drawn_is_said(made, monkeypatch):
    with pytest.raises(UserError, match="cannot draw the relative gap: no run has a duality gap"):
        structbench.plot.gap(made[-1])
    with pytest.raises(UserError, match="there are no runs to draw"):
        structbench.plot.gap([])
    with pytest.raises(UserError, match="cannot draw against 'minutes': choose passes or seconds"):
        structbench.plot.gap(made, x="minutes")
    monkeypatch.setattr(plot, "machines", lambda runs: [Machine(each, "cpu", "") for each in "ab"])
    with pytest.raises(
        UserError, match=r"seconds of different machines .* of a \(cpu\) and b \(cpu\): draw passes"
    ):
        structbench.plot.gap(made, x="seconds")


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_verb_writes_the_same_file_each_time(made, tmp_path, kind, capsys):
    files = [tmp_path / f"{name}.{kind}" for name in "ab"]
    for file in files:
        words = ["plot", str(made[0].folder), made[1].key, "--y", "gap", "--x", "passes", "--out", str(file)]
        assert main(words) == 0
    assert files[0].read_bytes() == files[1].read_bytes() != b""
    assert capsys.readouterr().err.splitlines() == [f"drew {file}" for file in files]


def test_the_verb_says_which_runs_are_stale(made, tmp_path, monkeypatch, capsys):
    from structbench.bench.runs import programs

    plain, marked = tmp_path / "plain.svg", tmp_path / "marked.svg"
    words = ["plot", made[0].key, "--out"]
    assert main([*words, str(plain)]) == 0
    monkeypatch.setattr(programs, "sha256_of_run", lambda spec: "other")
    assert main([*words, str(marked)]) == 0
    assert f"{made[0].key} is stale: " in capsys.readouterr().err
    assert plain.read_bytes() != marked.read_bytes()
    assert main([*words, str(tmp_path / "none" / "a.svg")]) == 2 and not (tmp_path / "none").exists()
    assert f"there is no folder {tmp_path / 'none'}: make it first" in capsys.readouterr().err
    assert main([*words, str(tmp_path / "a.jpeg")]) == 2
    assert "a figure's name ends in .png, .svg, .pdf" in capsys.readouterr().err


def test_an_axis_that_cuts_published_runs_says_so(made):
    short = structbench.run(DATA, "eg", loss="log", C=1, passes=0.5)
    last = made[1].curve["passes"].iloc[-1]
    assert last > plot.FARTHEST * 0.5
    axes, _ = plot.drawn_beside("gap", short, "passes", None, [("methods", made[1])])
    assert f"The axis is cut: published runs go on to {last:.4g} passes." in axes.get_xlabel()
    assert axes.get_xlim()[1] < last
    whole, _ = plot.drawn_beside("gap", made[1], "passes", None, [("methods", short)])
    assert "cut" not in whole.get_xlabel() and whole.get_xlim()[1] == last


def test_each_problem_has_a_panel_with_few_published_methods_and_says_how_many_there_are(made):
    beside = [(f"paper {k}", run) for k in range(11) for run in made[:4]]
    figure = Figure(layout="constrained")
    with warnings.catch_warnings(), style.context():
        warnings.simplefilter("error")  # such as of axes that collapse
        said = plot.draw_panels(figure, "distance", made[:4], "passes", beside)
        figure.draw_without_rendering()
    assert len(figure.axes) == 2 and len(said) == 2
    for axes, C in zip(figure.axes, ("0.5", "1"), strict=True):
        assert axes.get_window_extent().height / figure.dpi > 2
        assert len(texts(axes)) == 2 + plot.MOST_PUBLISHED and f"C\xa0=\xa0{C}" in axes.get_title(loc="left")
        assert "Of 22 published methods the 8 that end best." in axes.get_xlabel()


def test_a_problem_without_values_has_no_panel_and_is_said(made):
    figure = Figure()
    with style.context():
        (said,) = plot.draw_panels(figure, "gap", [made[0], made[-1]], "passes", [("paper", made[1])])
    assert len(figure.axes) == 1 and said == f"{DATA}, no loss is left out: no run has a duality gap"
    with pytest.raises(UserError, match="cannot draw the relative gap: no run has a duality gap"):
        plot.draw_panels(Figure(), "gap", [made[-1]], "passes", [("paper", made[1])])


def test_runs_that_only_limits_tell_apart_are_two_lines(made):
    short = structbench.run(DATA, "eg", loss="log", C=1, passes=0.5)
    axes = structbench.plot.objective([made[1], short])
    assert texts(axes) == ["EG, at most 100 passes", "EG, at most 0.5 passes"]
    assert "repetitions" not in axes.get_xlabel()
    beside, _ = plot.drawn_beside("gap", short, "passes", None, [("methods", made[1]), ("methods", short)])
    assert texts(beside) == [
        "EG, at most 0.5 passes",
        "EG, at most 0.5 passes (methods)",
        "EG, at most 100 passes (methods)",
    ]


def test_runs_without_values_are_left_out_with_a_sentence(made, tmp_path, capsys):
    words = ["plot", made[-1].key, made[0].key, "--y", "distance", "--out", str(tmp_path / "a.svg")]
    assert main(words) == 0
    name = "Perceptron, no loss"
    told = f"{name} is left out: it has no distance to the optimum"
    assert capsys.readouterr().err.splitlines()[0] == told
    axes = structbench.plot.suboptimality([made[-1], made[0]])
    assert axes.get_title(loc="left") == f"distance to the optimum\n{DATA}, log loss, C\xa0=\xa01"
    assert texts(axes) == ["L-BFGS"] and "Perceptron" in axes.get_xlabel()


def test_a_run_that_diverged_is_said_to(made):
    gone = structbench.run(DATA, "sgd", loss="log", C=1, passes=5, params={"eta0": 1e300})
    axes, said = plot.drawn_beside("gap", [made[0], gone], "passes", None)
    assert said == ["SGD diverged after 0.1 passes"] and "SGD diverged after 0.1 passes." in axes.get_xlabel()


def test_two_makings_of_one_run_are_not_drawn_as_one(made, tmp_path, capsys):
    again = store.read_run(shutil.copytree(made[0].folder, tmp_path / "again"))
    with pytest.raises(UserError, match=r"again are one run, made twice: draw one of them; .*bench compare"):
        structbench.plot.gap([made[0], again])
    structbench.plot.gap([made[0], made[0]])
    provenance = again.summary["provenance"] | {"data_sha256": "0" * 64}
    store.amend(again, {"provenance": provenance | {"code_sha256": "0" * 64}})
    assert main(["plot", made[0].key, str(again.folder), "--out", str(tmp_path / "b.svg")]) == 2
    assert (
        capsys.readouterr().err
        == f"error: {made[0].folder} and {again.folder} are of different data: draw one of them\n"
    )
