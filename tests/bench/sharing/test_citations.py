"""What a config runs is cited: each method and data set names references, and each of these has an entry."""

import re
import subprocess
import sys

import yaml

from structbench import datasets
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.__main__ import main
from structbench.bench.runs import algorithm_module, catalogue
from structbench.bench.sharing import citations
from structbench.bench.workflow import config, paper_modules

TOY = "toy-english:sentences=20,test_sentences=10"
GRID = {"name": "mine", "data": TOY, "C": [1], "passes": 5}


def fields(key: str) -> dict[str, str]:
    return dict(citations.FIELD.findall(citations.entries()[key]))


def test_every_entry_has_what_a_list_of_references_prints():
    text = (ROOT / "bench" / "sharing" / citations.NAME).read_text()
    assert len(citations.ENTRY.findall(text)) == text.count("@") and text.isascii()
    for key in citations.entries():
        assert {"author", "title", "year"} <= {*fields(key)} and re.fullmatch(r"\d{4}", fields(key)["year"])
        assert not re.search(r"[\\{}]", citations.plain(key)) and citations.plain(key).count(". ") >= 1
    assert citations.plain("ma2015").startswith(
        "Chenxin Ma, Virginia Smith, Martin Jaggi, Michael I. Jordan, Peter R"
    )


def test_every_algorithm_and_every_published_data_set_names_references():
    keys = {name: algorithm_module.declaration(name).references for name in catalogue.algorithms()}
    assert [name for name, named in keys.items() if not named] == [], (
        "@algorithm(references=(...)), see CONTRIBUTING.md"
    )
    data = {name: getattr(datasets.module(name), "REFERENCES", ()) for name in datasets.names()}
    assert [name for name, named in data.items() if datasets.sources(name) and not named] == [], (
        "REFERENCES = (...)"
    )
    papers = {
        name: getattr(paper_modules.paper_module(name), "REFERENCES", (name,)) for name in catalogue.papers()
    }
    in_readme = re.findall(r'references=\("(\w+)",\)', (ROOT / "README.md").read_text())
    named = {citations.OURS, *in_readme}.union(*keys.values(), *data.values(), *papers.values())
    assert named == citations.entries().keys(), "an entry that nobody names, or a reference without an entry"


def test_a_config_is_cited_with_what_names_each_entry(capsys):
    made = config.config_of({"grids": [GRID | {"algorithms": {"eg": {}, "smo-eg": {}}, "loss": ["log", "hinge"]}]})
    found = citations.cited(made)
    assert found.uses == {
        "structbench": ["all of this"], "eg2008": ["algorithm eg"], "eg2004": ["algorithm eg", "algorithm smo-eg"],
        "darroch1972": ["algorithm smo-eg"],
    }  # fmt: skip
    assert not found.unnamed
    assert main(["cite", "config/demo.yaml"]) == 0
    said = capsys.readouterr().out
    assert "% algorithm eg, algorithm sgd\n@article{eg2008,\n  author = {Michael Collins and" in said
    assert re.findall(r"^@\w+\{(\w+),$", said, re.MULTILINE)[-1] == "lecun1998"


def test_own_methods_are_cited_from_an_own_file(tmp_path, capsys):
    skeleton = (ROOT / "bench/verbs/skeletons/algorithm.txt").read_text().replace("MODULE", "mine")
    (tmp_path / "algorithms").mkdir()
    own, grid = tmp_path / "algorithms" / "mine.py", tmp_path / "c.yaml"
    grid.write_text(yaml.safe_dump({"with": str(tmp_path), "grids": [GRID | {"algorithms": {"mine": {}}}]}))
    own.write_text(skeleton)
    cite = [sys.executable, "-m", "structbench.bench", "cite", str(grid)]
    assert "algorithm mine names no reference" in ask(cite, 0)
    own.write_text(skeleton.replace("random=False,", 'random=False, references=("me2026",),'))
    assert "algorithm mine names the reference 'me2026', which has no entry" in ask(cite, 2)
    entry = "@misc{me2026,\n  author = {Me},\n  title = {Mine},\n  year = {2026},\n}\n"
    others = "@misc{a, title = {A {T1}}}\n  @book{ b ,\n  title = {B}}\n"
    (tmp_path / citations.NAME).write_text(others + entry)
    assert f"% algorithm mine\n{entry}" in ask(cite, 0)
    (tmp_path / citations.NAME).write_text(entry.removesuffix("}\n"))
    assert "the entry me2026 has no closing brace" in ask(cite, 2)
    (tmp_path / citations.NAME).write_text(entry.replace("me2026", "eg2008"))
    assert "has eg2008 a second time" in ask(cite, 2)


def ask(words: list[str], code: int) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_the_citation_file_has_the_same_papers():
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    ours = fields(citations.OURS)
    assert ours["title"] == said["title"] and ours["howpublished"] == f"Version {said['version']}"
    assert ours["note"] == f"Released on {said['date-released']}"
    for each in said["references"]:
        entry = fields(each["notes"])
        assert re.sub("[{}]", "", entry["title"]).lower() == each["title"].lower()
        assert entry["year"] == str(each["year"]) and entry.get("doi") == each.get("doi")
        assert entry.get("pages") == (f"{each['start']}--{each['end']}" if "start" in each else None)
        assert all(author["family-names"] in citations.plain(each["notes"]) for author in each["authors"][1:])
