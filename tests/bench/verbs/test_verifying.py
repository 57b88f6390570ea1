"""``bench verify``: published runs, made again here, are what was published."""

from dataclasses import replace

import pytest

from structbench.bench.report import published, verification
from structbench.bench.runs import results
from structbench.bench.runs.execute import run_one
from structbench.bench.runs.spec import make
from tests.bench import fake_runs


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A published paper of three tiny runs, one with a limit of seconds."""
    root = tmp_path_factory.mktemp("published")
    (folder := root / "docs" / "tiny").mkdir(parents=True)
    specs = [make("toy-points", "log", C, "lbfgs", passes=3.0) for C in (1.0, 10.0)]
    specs.append(make("toy-points", "log", 1.0, "lbfgs", passes=3.0, seconds=60.0))
    published.write_runs(folder, [run_one(spec, root / spec.key, print) for spec in specs])
    (folder / published.RECORD).write_text("{}")
    return folder


def rewrite(folder, monkeypatch, **changes):
    """Have the table of runs say something else of its first run."""
    rows = published.published_rows(folder)
    rows[0] |= changes
    monkeypatch.setattr(published, "published_rows", lambda folder: rows)
    return rows[0]


def verify(bench, tiny, *words):
    return bench("verify", "tiny", "--out", str(tiny.parent), *words)


def test_equal_runs_are_made_once_in_a_folder_of_their_own(bench, tiny):
    code, out, err = verify(bench, tiny)
    assert code == 0 and out == "3 of 3 runs are as published: 3 bit for bit\n", err
    assert "another type of CPU" not in err and "1 runs had a limit of seconds" in err and "3 of 3 runs are" in err
    made = sorted((results.root() / "verified").glob("*/summary.json"))
    times = [file.stat().st_mtime_ns for file in made]
    assert len(made) == 2 and not results.runs().exists()
    assert verify(bench, tiny, "--sample", "5", "--seed", "3")[0] == 0
    assert [file.stat().st_mtime_ns for file in made] == times


def test_another_number_is_listed_and_ends_with_1(bench, tiny, monkeypatch):
    rewrite(tiny, monkeypatch, test_error="0.999", dual="-9")
    code, out, err = verify(bench, tiny)
    assert code == 1 and "2 of 3 runs are as published: 2 bit for bit" in out
    assert "test error 0" in out and "published 0.999" in out and "published -9" in out
    assert "were made on another type of CPU" not in err
    rewrite(tiny, monkeypatch, cpu="Another CPU")
    assert "1 of them were made on another type of CPU than" in verify(bench, tiny)[2]


def test_runs_of_older_code_are_drawn_only_if_asked(bench, tiny, monkeypatch):
    monkeypatch.setattr(published, "_sha256_of_today", lambda key: "0" * 64)
    code, out, err = verify(bench, tiny)
    assert code == 2 and not out and "3 published runs of tiny are of older code" in err
    assert "none of the published runs of tiny to draw from is of today's code: `--older`" in err
    assert verify(bench, tiny, "--older")[0] == 0
    rewrite(tiny, monkeypatch, run="toy-points__log__C=1__gone")  # cannot be made
    assert "2 of 2 runs are drawn" in verify(bench, tiny, "--older")[2]


def test_the_seed_draws_and_mistakes_are_sentences(bench, tiny):
    def drawn(seed):
        return verification.sample_published(tiny, 1, seed, False).rows[0][0].key

    assert drawn(1) == drawn(1) and len({drawn(seed) for seed in range(9)}) > 1
    assert "'none' is not published in" in bench("verify", "none", "--out", str(tiny.parent))[2]
    assert "--sample must be at least 1, not 0" in verify(bench, tiny, "--sample", "0")[2]


def test_a_run_that_cannot_be_made_differs(bench, tiny, monkeypatch):
    monkeypatch.setattr("structbench.bench.runs.execute.run_one", lambda *given: 1 / 0)
    code, out, _ = verify(bench, tiny)
    assert code == 1 and "ZeroDivisionError" in out and "0 of 3 runs" in out


OF_PROBLEM = ("dual_of", "num_weights", "data_sha256")
CONVERGED = {"status": "converged", "primal": "100", "dual": "99.9", "test_error": "0.08", "test_f1": "0.9"}


def with_gap(row):
    """The row with the relative gap of its values."""
    primal, dual = (float(row[name] or "nan") for name in ("primal", "dual"))
    return row | {"relative_gap": f"{(primal - dual) / primal:.4g}"}


@pytest.mark.parametrize(
    ("theirs", "differs"),
    [
        ({}, ""),
        ({"primal": "100.2", "dual": "100"}, ""),  # they touch
        ({"primal": "100.2", "dual": "100.01"}, "optimum between 99.9 and 100, published 100.01 and 100.2"),
        ({"primal": "99.8", "dual": "99.7"}, "optimum between 99.9 and 100, published 99.7 and 99.8"),
        ({"test_error": "0.0809"}, ""),
        ({"test_error": "0.0811"}, "test error 0.08, published 0.0811"),
        ({"status": "passes", "primal": "104.9", "test_error": "0.0899"}, ""),
        ({"status": "passes", "primal": "105.3"}, "objective 100, published 105.3"),
        ({"status": "passes", "test_error": "0.0901"}, "test error 0.08, published 0.0901"),
        ({"status": "passes", "primal": ""}, "objective 100, published none"),
        ({"status": "passes", "dual": "94"}, "dual value 99.9, published 94"),
        ({"dual": "1e9"}, "optimum between 99.9 and 100, published 1e+09 and 100"),
        ({"dual": "-1e9"}, "published as converged with a relative gap of 1e+07"),
        ({"relative_gap": "0.002"}, "published relative gap 0.002, which is not that of 100 and 99.9"),
        ({"test_f1": "0.92"}, "test F1 0.9, published 0.92"),
        ({"num_weights": "7841"}, "number of weights 7840, published 7841"),
        ({"dual_of": "dual variables"}, "dual value of weights, published dual variables"),
        ({"data_sha256": "0123"}, "data ba89ba89ba89, published 0123"),
        ({"passes": "2"}, ""),
    ],
)
def test_runs_are_equal_or_converged_ones_enclose_one_optimum_and_others_are_near(
    tmp_path, monkeypatch, theirs, differs
):
    run = fake_runs.write(tmp_path)
    run = replace(run, spec=replace(run.spec, gap=0.01))
    row = with_gap(published.published_row(run) | CONVERGED | {"dual_of": "weights"})
    monkeypatch.setattr(published, "published_row", lambda run: row)
    theirs = with_gap(row | theirs) | theirs
    found = verification.compare_published(theirs | {"cpu": "Another CPU"}, run)
    assert found.differs == [differs] * bool(differs)
    ends = {name: value for name, value in theirs.items() if name not in OF_PROBLEM}
    near = verification.ONE_OPTIMUM if theirs["status"] == "converged" else verification.NEAR
    assert found.how == (verification.EXACT if ends.items() <= row.items() else near)
    assert verification.compare_published(theirs, run) == found  # a CPU's name says too little


def test_a_run_with_a_limit_of_seconds_is_compared_after_the_passes_that_both_made(tmp_path):
    run = fake_runs.write(tmp_path)
    row = published.published_row(run) | {"run": f"{run.key}__seconds=60"}
    ended = run.curve[run.curve["passes"] < 20].iloc[-1]
    row |= {name: f"{ended[name]:.8g}" for name in ("passes", "primal", "dual", "test_error")}
    row |= {"relative_gap": f"{ended['relative_gap']:.4g}"}
    assert verification.compare_published(row, run).differs == []
    false = verification.compare_published(with_gap(row | {"dual": "1e9"}), run)
    assert "dual value" in false.differs[0] and "published 1e9" in false.differs[0]
    assert verification.compare_published(row, run).how == verification.EXACT
    far = row | {"primal": f"{1.06 * ended['primal']:.8g}"}
    assert "objective" in verification.compare_published(with_gap(far), run).differs[0]


def test_a_run_that_seconds_ended_between_checkpoints_is_compared_at_the_nearest(tmp_path):
    run = fake_runs.write(tmp_path / "runs", seed=3)
    row = published.published_row(run) | {"run": f"{run.key}__seconds=60", "status": "timeout"}
    steps = run.curve["dual"].diff().abs()
    before, after = (run.curve.iloc[int(steps.argmax()) + k] for k in (-1, 0))
    row |= {name: f"{after[name]:.8g}" for name in ("primal", "dual", "test_error")}
    row["passes"] = f"{0.1 * before['passes'] + 0.9 * after['passes']:.8g}"
    assert abs(after["dual"] - before["dual"]) > 0.05 * abs(after["primal"]), "at the one before it would differ"
    assert verification.compare_published(with_gap(row), run).differs == []
