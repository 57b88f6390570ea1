"""Plausible finished runs, figures and claims without running anything, for the tests of what reads them."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from structbench.bench.drawing import plotted
from structbench.bench.papers.evidence import Evidence
from structbench.bench.runs import documents, programs, seals, store, writing
from structbench.bench.runs.spec import Spec, make

EXAMPLES = {"mnist": 59_000, "ocr": 6_251}
MISSING = "mnist__log__C=10__eg__seed=7"
RATES = {"eg": 0.6, "lbfgs": 0.12, "sgd": 0.9}  # nats of the gap per pass, at C = 10


def curve(spec: Spec, checkpoints: int = 60, diverges: bool = False, second_per_pass: float = 0.4) -> pd.DataFrame:
    """A curve of the right shape: EG's gap falls linearly, SGD's stalls, L-BFGS is slow at first."""
    rng = np.random.default_rng(spec.seed)
    passes = np.concatenate([[0.0], np.geomspace(0.1, spec.passes, checkpoints - 1)])
    n = EXAMPLES[spec.data.name]
    optimum = 0.25 * n * spec.C**0.1
    decay = np.exp(-RATES[spec.algorithm] * (0.6 if "cyclic" in dict(spec.params).values() else 1) * passes)
    gap = n * 2.3 * (np.maximum(decay, 1e-3) if spec.algorithm == "sgd" else decay) + 1e-9 * n
    gap = gap * np.exp(0.05 * rng.normal(size=checkpoints))
    primal = optimum + 0.7 * gap
    dual = np.full(checkpoints, np.nan) if spec.algorithm == "sgd" else primal - gap
    if diverges:
        primal[-1] = gap[-1] = np.inf
    with np.errstate(invalid="ignore"):
        relative = gap / primal
    wall = passes * second_per_pass * (1 + 0.01 * rng.random())
    error = 0.075 + 0.83 * np.exp(-3 * np.sqrt(passes))
    found = pd.DataFrame({"C": spec.C, "passes": passes, "visits": np.round(passes * n)})
    found = found.assign(wall_seconds=wall, cpu_seconds=wall * 0.98, primal=primal, dual=dual)
    certified = {"gap": gap, "relative_gap": relative} if spec.algorithm != "sgd" else {}
    found = found.assign(**{"gap": np.nan, "relative_gap": np.nan} | certified)
    f1 = 1 - error if spec.data.name == "ocr" else np.nan
    return found.assign(weight_norm=30 * (1 - np.exp(-passes)), test_error=error, test_f1=f1)


def write(
    root: Path,
    data: str = "mnist",
    C: float = 10.0,
    algorithm: str = "eg",
    seed: int = 0,
    checkpoints: int = 60,
    diverges: bool = False,
    loss: str = "log",
    host: str = "bench-host",
    code: str | None = None,
    passes: float = 60.0,
    machine: dict[str, Any] | None = None,
    **params,
) -> store.Run:
    """One finished run under ``root``, as ``bench run`` leaves it; ``machine`` is added to its provenance."""
    spec = make(data, loss, C, algorithm, params, passes=passes, seed=seed)
    points = curve(spec, checkpoints, diverges)
    last = points.iloc[-1].to_dict()
    columns = ("primal", "dual", "gap", "relative_gap", "passes", "visits", "wall_seconds", "cpu_seconds")
    summary = {name: last[name] for name in columns} | {
        "key": spec.key,
        "status": "diverged" if diverges else "passes",
        "message": f"{algorithm} met a value that is not finite" if diverges else "60 of 60 passes made",
        "setup_seconds": 1.5,
        "train_error": 0.06,
        "test_error": last["test_error"],
        "train_f1": None,
        "test_f1": last["test_f1"],
        "num_weights": 7840,
        "num_examples": EXAMPLES[data],
        "calibration_passes": 0.0,
        "notes": {"eta": 0.5},
        "provenance": {
            "data_sha256": {"mnist": "ba89", "ocr": "4cf6"}[data] * 16,
            "code_sha256": code * 16 if code else programs.sha256_of_run(spec),
            "git_commit": "0123456789abcdef0123456789abcdef01234567",
            "host": host,
            "cpu": "Some CPU @ 3 GHz",
            "threads": 1,
            "alone": True,
            "python": "3.11.7",
            "numba": "0.68.1",
            "numpy": "2.4.6",
            "scipy": "1.17.1",
            "started": "2026-11-21T07:00:00+00:00",
            **(machine or {}),
        },
    }
    writing.write_run(root / spec.key, spec.as_dict(), points, summary, np.zeros(summary["num_weights"]))
    return store.read_run(root / spec.key)


def become(run: store.Run, spec: Spec) -> Path:
    """Have a run be that of another spec, of today's programs, in the folder of its key beside the former one."""
    folder = run.folder.rename(run.folder.parent / spec.key)
    (folder / "spec.json").write_text(documents.to_json(spec.as_dict()))
    made = run.summary["provenance"] | {"code_sha256": programs.sha256_of_run(spec)}
    summary = run.summary | {"key": spec.key, "provenance": made}
    (folder / "summary.json").write_text(documents.to_json(seals.sealed(folder, summary)))
    return folder


def grid(root: Path) -> list[store.Run]:
    """Twenty-two runs: two data sets, three algorithms, three C, three orders; one diverged."""
    every = product(EXAMPLES, (1.0, 10.0, 100.0), RATES)
    made = [write(root, data=data, C=C, algorithm=algorithm) for data, C, algorithm in every]
    made += [write(root, order=order) for order in ("cyclic", "permuted")]
    made += [write(root, mode="batch"), write(root, algorithm="sgd", seed=1, diverges=True, eta0=1.0)]
    return made


def figures(folder: Path, runs: list[store.Run]) -> None:
    """Two drawn figures with their sidecars, as ``bench figures`` leaves them."""
    import matplotlib.pyplot as plt

    for data in EXAMPLES:
        shown = [run for run in runs if run.spec.data.name == data and run.spec.C == 10]
        if not shown:
            continue
        figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
        for run in shown:
            above = run.curve.primal - 0.99 * run.curve.primal.min()
            plotted.line(axes, run.curve.passes, above, label=run.key[:20])
        axes.set(xlabel="effective passes", ylabel="primal - optimum", yscale="log")
        name = f"fig04-{data}"
        (folder / "eg2008").mkdir(parents=True, exist_ok=True)
        for kind in ("svg", "png", "pdf"):
            figure.savefig(folder / "eg2008" / f"{name}.{kind}")
        (folder / "eg2008" / f"{name}.csv").write_text(plotted.as_csv(figure))
        plt.close(figure)
        sidecar = {
            "title": f"Figure 4 on {data}",
            "caption": "Primal objective against effective passes at C = 10. Ours: today's machine.",
            "paper": "eg2008",
            "runs": [run.key for run in shown],
            "missing": [],
            "commit": "0123456789abcdef0123456789abcdef01234567",
            "data_sha256": {data: shown[0].summary["provenance"]["data_sha256"]},
        }
        (folder / "eg2008" / f"{name}.json").write_text(json.dumps(sidecar))


SLOPE = Evidence({"C": 10.0}, 2.0, told="<least squares>", band=1.1, low=1.5, high=2.5, count=3, none=1.0)
CONDITION = SLOPE._replace(says="the slope is {} times theirs", claimed="above").record()
# of a file that has all that readers look for
SIDECAR = {"title": "", "caption": "", "runs": [], "missing": [], "commit": "", "data_sha256": {}}
CLAIM = (
    dict.fromkeys(("id", "paper", "where", "setting", "claim", "by", "theirs", "verdict", "answer"), "")
    | {"holds": 0, "of": 0, "quantifier": "all"}
    | {name: [] for name in ("conditions", "missing", "runs", "figures")}
)


def claims(folder: Path, runs: list[store.Run]) -> None:
    """Claims of three verdicts, as ``bench claims`` leaves them; the last asks for a run that is missing."""
    sentences = {
        "reproduced": "The log of EG's duality gap falls about linearly",
        "not reproduced": "Randomized EG beats deterministic EG",
        "not run": "EG overtakes SGD within 5 passes",
    }
    against = SLOPE._replace(says="the slope is {} times theirs", claimed="above", none=9.0).record()
    shown = {"reproduced": [CONDITION], "not reproduced": [against], "not run": []}
    made = [
        {
            "id": f"eg2008/claim-{number}",
            "paper": "eg2008",
            "where": f"Figure {number + 4}",
            "setting": "MNIST, the data of the paper",
            "claim": sentence,
            "by": "paper",
            "asks": "Does it fall?",
            "theirs": "slope -0.1",
            "answer": f"{verdict}: slope -0.2 <at C = 10>.",
            "verdict": verdict,
            "quantifier": "all",
            "holds": int(verdict == "reproduced"),
            "of": int(verdict != "not run"),
            "conditions": shown[verdict],
            "missing": [MISSING] if verdict == "not run" else [],
            "runs": [runs[0].key, *([MISSING] if verdict == "not run" else [])],
            "figures": ["fig04-mnist"],
        }
        for number, (verdict, sentence) in enumerate(sentences.items())
    ]
    folder.mkdir(parents=True)
    (folder / "eg2008.json").write_text(json.dumps({"paper": "eg2008", "scale": "quick", "claims": made}))
