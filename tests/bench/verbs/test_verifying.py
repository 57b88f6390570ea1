"""``bench verify``: published runs, made again here, are what was published."""

from pathlib import Path

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
    assert code == 0 and out == "2 of 2 runs are as published\n", err
    assert (
        "another type of CPU" not in err
        and "1 runs with a limit of seconds are not drawn" in err
        and "2 of 2 runs are drawn" in err
    )
    made = sorted(results.verified().glob("*/summary.json"))
    times = [file.stat().st_mtime_ns for file in made]
    assert len(made) == 2 and not results.runs().exists()
    assert verify(bench, tiny, "--sample", "5", "--seed", "3")[0] == 0
    assert [file.stat().st_mtime_ns for file in made] == times


def test_another_number_is_listed_and_ends_with_1(bench, tiny, monkeypatch):
    rewrite(tiny, monkeypatch, test_error="0.999", passes="2")
    code, out, _ = verify(bench, tiny)
    assert code == 1 and "1 of 2 runs are as published" in out
    rewrite(tiny, monkeypatch, cpu="Another CPU")
    assert "1 of them were made on another type of CPU than" in verify(bench, tiny)[2]
    assert "test error 0" in out and "published 0.999" in out and "passes 3, published 2" in out


def test_runs_of_older_code_are_drawn_only_if_asked(bench, tiny, monkeypatch):
    monkeypatch.setattr(published, "_sha256_of_today", lambda key: "0" * 64)
    code, out, err = verify(bench, tiny)
    assert code == 2 and not out and "3 published runs of tiny are of older code" in err
    assert "none of the published runs of tiny to draw from is of today's code: `--older`" in err
    assert verify(bench, tiny, "--older")[0] == 0
    rewrite(tiny, monkeypatch, run="toy-points__log__C=1__gone")  # cannot be made
    assert "1 of 1 runs are drawn" in verify(bench, tiny, "--older")[2]


def test_the_seed_draws_and_mistakes_are_sentences(bench, tiny):
    def drawn(seed):
        return verification.draw_published(tiny, 1, seed, False).rows[0][0].key

    assert drawn(1) == drawn(1) and len({drawn(seed) for seed in range(9)}) == 2
    assert "'none' is not published in" in bench("verify", "none", "--out", str(tiny.parent))[2]
    assert "--sample must be at least 1, not 0" in verify(bench, tiny, "--sample", "0")[2]


def test_a_run_that_cannot_be_made_differs(bench, tiny, monkeypatch):
    monkeypatch.setattr("structbench.bench.runs.execute.run_one", lambda *given: 1 / 0)
    code, out, _ = verify(bench, tiny)
    assert code == 1 and "ZeroDivisionError" in out and "0 of 2 runs" in out


@pytest.mark.parametrize(
    ("name", "factor", "here", "elsewhere"),
    [
        ("primal", 1, [], []),
        ("primal", 1 + 5e-7, ["objective"], []),
        ("primal", 1 + 2e-6, ["objective"], ["objective"]),
        ("test_error", 1 + 9e-3, ["test error"], []),
        ("test_error", 1.5, ["test error"], ["test error"]),
        ("passes", 2, ["passes"], []),
    ],
)
def test_another_type_of_cpu_has_a_tolerance(tmp_path, name, factor, here, elsewhere):
    run = fake_runs.write(tmp_path)
    row = published.published_row(run)
    row |= {name: f"{float(row[name]) * factor:.8g}"}
    for cpu, expected in ((row["cpu"], here), ("Another CPU", elsewhere)):
        found = verification.run_differences(row | {"cpu": cpu}, run)
        assert [each.rpartition(" published")[0].rpartition(" ")[0] for each in found] == expected


def test_a_number_that_only_one_of_them_has_differs(tmp_path):
    row = published.published_row(fake_runs.write(tmp_path)) | {"primal": "", "cpu": "Another CPU"}
    run = fake_runs.write(Path(tmp_path))
    (found,) = verification.run_differences(row, run)
    assert found.startswith("objective ") and found.endswith("published none")
    assert verification.run_differences(row | {"passes": "2"}, run) == [found, "passes 60, published 2"]
