"""What came of a workflow: where its results are, and which runs it has not made, and why."""

import json
from typing import Any

from bench.papers.judging import by_setting, tally
from bench.runs import results
from bench.workflow.config import Config

SHOWN = 20  # missing runs that are named


def missing(config: Config) -> dict[str, str]:
    """Run -> why it is not there, for all that the config asks for."""
    return {key: why for batch in config.batches.values() for key, why in batch.last().items()}


def complaint(gone: dict[str, str]) -> str:
    """A sentence on the runs that are missing, and a line on each."""
    named = [f"  {key}: {why}" for key, why in sorted(gone.items())[:SHOWN]]
    more = [f"  and {len(gone) - SHOWN} more"] if len(gone) > SHOWN else []
    return "\n".join(
        [
            f"error: {len(gone)} run{' is' if len(gone) == 1 else 's are'} missing; figures, claims, MLflow and "
            "the report are made of the others and say so. The same command tries again:",
            *named,
            *more,
        ]
    )


def where(config: Config, mlflow: str) -> str:
    """Where the results are; ``mlflow`` says where MLflow has them."""
    figures = sum(map(len, config.figures.values()))
    lines = [f"figures  {results.figures(config.name)}/ ({figures}, each as PNG, SVG and PDF)"]
    lines.append(f"claims   {results.claims(config.name)}/")
    for paper in config.papers:
        for setting, claims in by_setting(_judged(config, paper)):
            lines.append(f"         {setting}: {tally(claim['verdict'] for claim in claims)}")
    lines.append(f"report   {results.report(config.name)}/index.html")
    lines.append(f"explorer {results.report(config.name)}/explorer.html")
    lines.append(f"MLflow   {mlflow}")
    return "\n".join(lines)


def _judged(config: Config, paper: str) -> list[dict[str, Any]]:
    file = results.claims(config.name) / f"{paper}.json"
    return json.loads(file.read_text(encoding="utf-8"))["claims"] if file.is_file() else []
