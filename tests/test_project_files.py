"""The files that machines read of the project: for coding agents, and for catalogues of software."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from structbench.bench.runs import catalogue
from structbench.bench.verbs.command_line import parse_words

ROOT = Path(__file__).resolve().parent.parent
AGENTS = (ROOT / "AGENTS.md").read_text(encoding="utf-8")


def test_the_page_for_agents_is_one_screen():
    assert len(AGENTS.splitlines()) <= 50 and max(map(len, AGENTS.splitlines())) <= 132


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110


def test_readme_counts_the_algorithms_without_those_of_others():
    (said,) = re.findall(
        r"structbench runs over (\d+) algorithms", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    ours = len(catalogue.algorithms()) - len([*(ROOT / "algorithms/black_boxes").glob("*.yaml")])
    assert int(said) < ours <= int(said) + 10


def test_commands_for_agents_exist():
    blocks = re.findall(r"```sh\n(.*?)```", AGENTS, re.DOTALL)
    commands = [shlex.split(line, comments=True) for line in "".join(blocks).splitlines()]
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for program, *words in commands:
        if program == "make":
            assert {*words} <= {*targets}, words
        elif words[1] == "pytest":
            assert (ROOT / words[2]).is_file(), words
        elif words[2:] != ["--help"]:
            assert program == ".venv/bin/python" and callable(parse_words(words[2:]).do)
    assert len(commands) >= 9
    for verb in re.findall(r"`bench ([a-z]+) ", AGENTS):
        with pytest.raises(SystemExit) as ended:
            parse_words([verb, "--help"])
        assert ended.value.code == 0, verb


def test_places_for_agents_exist():
    for name in re.findall(r"`((?:algorithms|bench|datasets|docs|tests)/[\w./<>-]*|[A-Z]+\.md)`", AGENTS):
        pattern = re.sub(r"<\w+>", "*", name)
        assert [*ROOT.glob(pattern)], name


def codemeta() -> dict[str, object]:
    """What catalogues of software ask for (https://codemeta.github.io), from what the project says elsewhere."""
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    papers = [
        {
            "@type": "ScholarlyArticle",
            "name": each["title"],
            "datePublished": str(each["year"]),
            "author": [{"@type": "Person", "name": _name(author)} for author in each["authors"]],
            **({"@id": f"https://doi.org/{each['doi']}"} if "doi" in each else {}),
        }
        for each in said["references"]
    ]
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "description": project["description"],
        "version": project["version"],
        "datePublished": str(said["date-released"]),
        "license": f"https://spdx.org/licenses/{said['license']}",
        "author": [{"@type": "Organization", "name": author["name"]} for author in said["authors"]],
        "keywords": said["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "operatingSystem": ["Linux", "macOS"],
        "softwareRequirements": project["dependencies"],
        "referencePublication": papers,
    }


def _name(author: dict[str, str]) -> str:
    return " ".join(filter(None, map(author.get, ("given-names", "family-names", "name-suffix"))))


def test_the_description_for_catalogues_says_what_the_project_says():
    file, text = ROOT / "codemeta.json", json.dumps(codemeta(), indent=2, ensure_ascii=False) + "\n"
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
        pytest.fail("codemeta.json was not that of CITATION.cff and pyproject.toml: it is now, commit it")
