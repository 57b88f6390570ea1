"""What was made of a config's runs, gathered from its files: each paper's judged claims and drawn figures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from structbench.bench.drawing import sidecars
from structbench.bench.papers import judged
from structbench.bench.report import origin
from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import fields_of
from structbench.bench.workflow.names import title


def papers(figures: Path, claims: Path) -> list[dict[str, Any]]:
    """Each paper's claims and figures; ``uses`` are the keys of the runs that a claim or figure asks for.

    Raises:
        UserError: A sidecar or a claims file is broken.
    """
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(claims.glob("*.json")):
        said = judged.read(file)
        made = [claim | {"uses": claim["runs"]} for claim in said["claims"]]
        found[file.stem] = nothing(file.stem) | {"scale": said["scale"], "claims": made}
    for file in sorted(figures.glob("*/*.json")):
        said = sidecars.read(file)
        name = file.parent.name
        paper = found[name] = found.get(name) or nothing(name)
        said |= {"id": f"{paper['id']}/{file.stem}", "stem": file.stem, "file": file}
        paper["figures"].append(said | {"uses": said["runs"] + said["missing"]})
    for name, paper in found.items():
        for user in (*paper["figures"], *paper["claims"]):
            user["paper"] = name
            data = {named(key)["data"] for key in user["uses"]}.union(user.get("data", ()))
            user["origin"] = origin.origin(name, data)
    return [paper for _, paper in sorted(found.items())]


def short_title(figure: Mapping[str, Any]) -> str:
    """A figure's title without the id of its paper, which stands beside it."""
    return figure["title"].removeprefix(figure["paper"]).lstrip(",: ")


def nothing(name: str) -> dict[str, Any]:
    """A paper, or a grid as ``grid-NAME``, of which nothing is made yet."""
    about = {"id": name, "title": title(name), "about": catalogue.papers().get(name, "")}
    return about | {"scale": "", "claims": [], "figures": []}


def named(key: str) -> dict[str, Any]:
    """What a run's name says, in columns; of a text that is no run's name, only ``key``."""
    try:
        data, loss, c, algorithm, *rest = fields_of(key)
        strength = None if c is None else float(c.removeprefix("C="))
    except (ValueError, IndexError):
        data, loss, strength, algorithm, rest = "", "", None, "", []
    name, _, given = algorithm.partition(":")
    options = [unquote(word) for word in (*filter(None, given.split(",")), *rest)]
    said = {"key": key, "data": unquote(data), "loss": loss, "C": strength}
    return said | {"algorithm": name, "options": options}
