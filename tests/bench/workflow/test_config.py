"""A config's own data for a paper, runs whose programs are not installed, and the batches of runs."""

import json
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers import scaling
from structbench.bench.runs import algorithm_module, catalogue, results
from structbench.bench.workflow import config, config_files

GRID = {
    "name": "peers",
    "data": ["mnist:train=100"],
    "C": [10],
    "algorithms": {"eg": {}, "sklearn": {"method": ["lbfgs", "saga"]}},
}


def of(**more):
    return config.config_of({"scale": "tiny", "figures": [], **more})


def test_what_cannot_be_had_is_left_out_by_name(monkeypatch):
    """The figures of a grid still ask for such runs: they are listed as missing."""
    complete = of(grids=[GRID])
    assert sorted(spec.algorithm for spec in complete.specs) == ["eg", "sklearn", "sklearn"]
    assert complete.left_out == []
    monkeypatch.setattr(catalogue, "missing", lambda name: {"sklearn": "scikit-learn"}.get(name))
    without = of(grids=[GRID | {"memory": True}])
    assert {*without.specs} == without.timed == without.measured  # a peer that is not installed was timed
    assert [spec.algorithm for spec in without.specs] == ["eg"] and len(without.experiments["grid/peers"]) == 3
    (said,) = without.left_out
    assert "sklearn is left out" in said and "scikit-learn" in said
    broken = "cannot be read: algorithms/gradient/sgd.py:9: x"
    monkeypatch.setattr(algorithm_module, "broken", lambda: {"sgd": broken})
    found = of(figures=["methods"])  # of all that there are
    assert "sag" in {spec.algorithm for spec in found.specs} and "sgd" not in {s.algorithm for s in found.specs}
    assert f"sgd is left out: {broken}" in found.left_out


def test_grids_need_neither_a_scale_nor_figures(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("grids:\n  - {name: peers, data: mnist, C: 1, algorithms: {eg: }}\n")
    found = config.read_config(str(file))
    assert (found.scale, found.papers, len(found.specs)) == ("quick", (), 1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("grids:\n  - data: [mnist\n    C: 1\n", "line 3: not YAML: expected ',' or ']', but got ':' (while"),
        ("scale: quick\nfigures: 'eg2008\n", "line 3: not YAML: found unexpected end of stream (while scanning"),
        ("a: 1\n b: 2\n", "line 2: not YAML: mapping values are not allowed here"),
        ("a:\n\tb: 1\n", "line 2: not YAML: found character"),
        ("\0", "cannot be read as YAML: "),
        (
            "grids: !!python/object/apply:os.system ['true']\n",
            "line 1: not YAML: could not determine a constructor",
        ),
        ("[" * 5000, "it is nested too deeply"),
        ("{a: " * 3000 + "1" + "}" * 3000, "it is nested too deeply"),
        ("grids: &a [*a]\n", "its aliases stand for more than 1,000,000 values: write out what you mean"),
        (
            "x0: &a [1,1,1,1,1,1,1,1,1]\n"
            + "".join(
                f"x{k}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for k, (a, b) in enumerate(pairwise("abcdefgh"), 1)
            )
            + "grids: [{name: g, data: [mnist], loss: log, C: *h, algorithms: {eg: {}}}]\n",
            "its aliases stand for more than 1,000,000 values: write out what you mean",
        ),
        (b"\xff\xfe\xfa", "is not UTF-8 text"),
        ("grids: []\nscale: tiny\ngrids: []\n", "line 3: grids is given twice, first in line 1: keep one"),
        ("grids:\n- {name: g, C: [1], C: [2]}\n", "line 2: C is given twice, first in line 2: keep one"),
        ("grids:\n- {name: g, C: [010, 1]}\n", "line 2: YAML reads 010 as another number: write it in decimals"),
        ("grids: []\npasses: 1:30\n", "line 2: YAML reads 1:30 as another number"),
        ("name: 2026-02-30\n", "day is out of range for month: put a text that looks like a date in quotes"),
        ("seeds: [-007]\n", "line 1: YAML reads -007 as another number"),
        ('{"grids": [], "grids": []}', "line 1: grids is given twice, first in line 1"),
    ],
)
def test_a_file_that_is_no_yaml_is_refused_with_its_line(tmp_path, text, sentence):
    file = tmp_path / "mine.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError) as error:
        config.read_config(str(file))
    assert str(file) in str(error.value) and sentence in str(error.value) and "\n" not in str(error.value)


def test_what_yaml_reads_as_it_stands_is_no_odd_number(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("a: [0, 0.1, 00.5, 10, 1_000, '010', '1:30', 08]\n")
    assert config_files.loaded(str(file)) == {"a": [0, 0.1, 0.5, 10, 1000, "010", "1:30", "08"]}


def test_a_json_config_of_the_users_among_results_is_checked(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    text = '{"name": "g", "grids": [{"name": "g", "data": "toy-points", "C": [1], "algorithm": {"lbfgs": {}}}]}'
    for place in ("mine.json", "config/mine.json", "g/parts/deep/mine.json"):
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        with pytest.raises(UserError, match="algorithm"):
            config.read_config(str(file))


def test_two_configs_of_one_name_do_not_share_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    first, second = (tmp_path / name / "mine.yaml" for name in "ab")
    for file in (first, second):
        file.parent.mkdir()
        file.write_text("grids:\n  - {name: peers, data: mnist, C: 1, algorithms: {eg: }}\n")
    config_files.note_owner("mine", str(first))
    assert config.read_config(str(first)).name == "mine"
    sentence = f"{tmp_path}/results/mine holds what {first} made: set `name:` in {second} for a folder of its own"
    for refused in (lambda: config.read_config(str(second)), lambda: config_files.note_owner("mine", str(second))):
        with pytest.raises(UserError, match=re.escape(sentence)):
            refused()
    second.write_text("name: other\n" + second.read_text())
    assert config.read_config(str(second)).name == "other"
    first.rename(tmp_path / "mine.yaml")  # a file that has moved is the same config
    config_files.note_owner("mine", str(tmp_path / "mine.yaml"))


def test_a_config_that_lies_elsewhere_is_found_by_the_name_of_its_results(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    file = tmp_path / "elsewhere.yaml"
    file.write_text("grids:\n  - {name: peers, data: mnist, C: 1, algorithms: {eg: }}\n")
    with pytest.raises(UserError, match="cannot read the config elsewhere"):
        config.read_config("elsewhere")
    config_files.note_owner("elsewhere", str(file))
    assert config.read_config("elsewhere").specs == config.read_config(str(file)).specs


def test_a_copy_of_results_and_config_finds_its_own(tmp_path, monkeypatch):
    (made := tmp_path / "made").mkdir()
    (made / "mine.yaml").write_text("grids:\n  - {name: peers, data: mnist, C: 1, algorithms: {eg: }}\n")
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(made / "results"))
    config_files.note_owner("mine", str(made / "mine.yaml"))
    shutil.copytree(made, tmp_path / "copy")
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "copy" / "results"))
    monkeypatch.chdir(tmp_path / "copy")
    assert config.read_config("mine.yaml").name == "mine"
    with pytest.raises(UserError, match=f"holds what {tmp_path}/copy/mine.yaml made"):
        config.read_config(str(made / "mine.yaml"))


def test_a_paper_can_be_drawn_on_other_data(tmp_path):
    file = tmp_path / "eng.train"
    file.write_text("EU NNP I-NP I-ORG\n\n")
    name = f"conll2003:{file}"
    chosen = of(figures=["eg2004"], data={"eg2004": name})
    own = of(figures=["eg2004"])
    assert {spec.data.text for spec in chosen.experiments["eg2004/entities-hinge"]} == {f"{name},sentences=1000"}
    longer = of(figures=["eg2004"], data={"eg2004": f"{name},sentences=2"})
    assert {spec.data.text for spec in longer.experiments["eg2004/entities-hinge"]} == {f"{name},sentences=2"}
    assert name not in {spec.data.text for spec in own.specs}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        *(
            (given, r"neither figures nor grids: give one, such as figures: \[eg2008\]")
            for given in ({}, {"grids": []})
        ),
        ({"figures": ["EG2008"]}, r"unknown paper 'EG2008': did you mean 'eg2008'\? there are bcfw2013, eg2004, "),
        ({"figures": ["eg2008"], "data": {"eg2004": "ocr"}}, "figures lists eg2008, not 'eg2004'"),
        (
            {"figures": ["eg2008"], "data": {"eg2008": "ocr"}},
            "the figures of eg2008 are of its own data sets only",
        ),
        ({"figures": ["eg2008"], "data": {"eg2008": 3}}, "must be text, not 3"),
        (
            {"figures": ["eg2004"], "data": {"eg2004": "conll2003:no.txt"}},
            r"data\.eg2004: there is no file 'no\.txt'",
        ),
        ({"grids": [GRID], "without": {1: "x"}}, "1"),
        ({"grids": [GRID], "mirror": "nowhere"}, "mirror 'nowhere' is not a folder"),
        ({"grids": [GRID, GRID]}, "two grids are called 'peers': give each its own name"),
        ({"grids": [GRID], "name": "runs"}, "the folder 'runs' is for all configs: give this one another name"),
    ],
)
def test_what_cannot_be_is_refused(given, words):
    with pytest.raises(UserError, match=words):
        of(**given)
    with pytest.raises(UserError, match=r"cannot read the config nowhere\.yaml: No such file"):
        config.read_config("nowhere.yaml")


def test_an_empty_file_is_said_to_be_empty(tmp_path):
    (tmp_path / "mine.yaml").write_text("# nothing\n")
    with pytest.raises(UserError, match=r"mine\.yaml is empty: a config has figures, .*, or grids"):
        config.read_config(str(tmp_path / "mine.yaml"))


@pytest.mark.parametrize("ending", config_files.ENDINGS)
def test_a_config_of_any_ending_has_a_name_which_may_be_left_empty(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    grid = {"name": "g", "data": "toy-points", "C": [1], "algorithms": {"lbfgs": {}}}
    (tmp_path / "config" / f"mine{ending}").write_text(json.dumps({"name": None, "grids": [grid]}))
    assert config_files.config_file("mine") == f"config/mine{ending}"
    assert config.read_config("mine").specs[0].algorithm == "lbfgs"
    assert config_files.named_after(config_files.config_file("mine")) == "mine"


def test_elsewhere_a_name_is_that_of_a_config_of_ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        Path(config_files.config_file("tiny"))
        == Path(config_files.config_file("config/tiny.yaml"))
        == config_files.ROOT / "config/tiny.yaml"
    )


def test_the_folder_of_fresh_runs_names_the_config_with_fresh_seeds(tmp_path, monkeypatch):
    """Messages of a workflow say ``bench status fresh``."""
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    mine = tmp_path / "mine.yaml"
    mine.write_text("scale: tiny\nfigures: [eg2004, klein2011]\n")
    for name in ("mine", "fresh"):
        config_files.note_owner(name, str(mine))
    usual, fresh = map(config.read_config, ("mine", "fresh"))
    assert (usual.name, fresh.name) == ("mine", "fresh") and not usual.fresh
    assert fresh.specs == of(figures=["eg2004", "klein2011"], fresh=True).specs != usual.specs
    assert config_files.make_command("mine") == f"make run CONFIG={mine}"
    words = "--config fresh=true name=fresh grids=[]"
    assert config_files.make_command("fresh") == f'make run ARGS="--configfile {mine} {words}"'


def test_the_fresh_runs_of_our_papers_have_a_short_command(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    assert config_files.fresh_command("paper", ["klein2011"]) == "make paper PAPER=klein2011 FRESH=1"
    config_files.note_owner("fresh", str(config_files.ROOT / "config/paper.yaml"))
    assert config_files.make_command("fresh") == "make paper FRESH=1"
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    Path("config/fresh.yaml").write_text("figures: [eg2004]\n")
    assert not config_files.is_fresh("fresh"), "a file of the user's with that name comes first"


def test_an_optional_grid_leaves_out_data_that_cannot_be_had(monkeypatch):
    """Any other grid keeps them, so that their runs fail."""
    monkeypatch.setattr(config.availability, "can_be_had", lambda file: file.name != "conll2000.zip")
    both = {**GRID, "data": ["mnist:train=100", "conll2000:sentences=5"], "algorithms": {"eg": {}}}
    alone = {**both, "name": "alone", "data": ["bottou:sentences=5"]}
    found = of(grids=[both | {"optional": True}, alone | {"optional": True}])
    assert {spec.data.name for spec in found.specs} == {"mnist"} and [*found.runs_of] == ["grid-peers"]
    assert [each.partition(": neither in ")[0] for each in found.left_out] == ["bottou, conll2000"]
    assert [*found.part("grid-peers")["without"]] == ["conll2000"]
    again = config.config_of(found.part("grid-peers"), is_checked=True)
    assert again.specs == found.specs and again.figures["grid-peers"].keys() == found.figures["grid-peers"].keys()
    assert {spec.data.name for spec in of(grids=[both, alone]).specs} == {"mnist", "conll2000", "bottou"}
    with pytest.raises(UserError, match=r"no run is left: bottou: neither in .* put conll2000\.zip into"):
        of(grids=[alone | {"optional": True}])


def test_what_a_config_names_is_left_out_of_any_grid():
    both = {**GRID, "data": ["mnist:train=100", "toy-points"], "algorithms": {"eg": {}}}
    found = of(grids=[both], without={"mnist": "licence not settled"})
    assert {spec.data.name for spec in found.specs} == {"toy-points"}
    assert found.left_out == ["mnist is left out: licence not settled"]
    again = config.config_of(found.part("grid-peers"), is_checked=True)
    assert again.specs == found.specs and again.left_out == found.left_out, "a job reads its config from there"
    for more, said in (
        ({"grids": [GRID], "without": {"minst": "x"}}, "config, without: unknown data set 'minst': did you mean"),
        ({"grids": [GRID], "without": {"mnist": "x"}}, "config, grid 'peers', without: it leaves out all data"),
        ({"figures": ["eg2008"], "without": {"mnist": "x"}}, "figures of eg2008 are never without mnist: drop"),
    ):
        with pytest.raises(UserError, match=said):
            of(**more)


def test_memory_is_measured_for_the_runs_of_which_a_figure_shows_it():
    checked = config.config_of({"scale": "tiny", "figures": ["scaling", "eg2004"]})
    assert checked.measured == frozenset(spec for specs in scaling.runs_of("tiny").values() for spec in specs)
    assert checked.measured < frozenset(checked.specs)


def test_corpora_that_cannot_be_had_are_named_in_one_order(monkeypatch):
    """The config's text is a parameter of jobs: in another order all figures would be drawn again."""
    monkeypatch.setattr(config.availability, "can_be_had", lambda file: False)
    found = list(config.config_of({"scale": "quick", "figures": ["laso2005", "eg2008", "eg2004"]}).without)
    assert found == sorted(found)
    assert {"conll2000", "conll2002", "conll2007"} <= set(found)


def test_a_mistake_in_a_config_names_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text, said in {
        "scale: huge\n": ", scale: must be one of tiny",
        "grid: []\n": ": there is no key 'grid'",
    }.items():
        Path("odd.yaml").write_text(text)
        with pytest.raises(UserError, match=f"^odd.yaml{said}"):
            config.read_config("odd.yaml")


@pytest.mark.parametrize(("changed", "blamed"), [(False, "mine.yaml"), (True, "mine.yaml with --config")])
def test_a_mistake_is_of_the_file_or_of_what_the_command_changes_in_it(changed, blamed):
    with pytest.raises(UserError, match=f"^{blamed}: no figures"), config_files.named("mine.yaml", changed):
        raise UserError("config: no figures")


def test_the_results_that_the_call_names_come_before_those_of_a_config(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, "results")
    given = {"scale": "tiny", "grids": [GRID], "results": str(tmp_path / "of-config")}
    config.config_of(given)
    assert results.root() == tmp_path / "of-config"
    for named, wanted in ((tmp_path / "of-call", "of-call"), (None, "of-config")):
        results.use(named and str(named), of_call=True)
        config.config_of(given)
        assert results.root() == tmp_path / wanted


def test_a_contest_whose_data_cannot_be_had_is_left_out(monkeypatch):
    methods, named = {"algorithms": {"eg": {}}, "optional": True}, (("a", "mnist"), ("b", "ocr"))
    grids = [GRID | methods | {"name": name, "data": [data]} for name, data in named]
    contests = [{"part": "p", "grid": name, "ours": ["eg"], "quantity": "primal"} for name in ("a", "b")]
    assert len(of(grids=grids, contests=contests).contests) == 2
    monkeypatch.setattr(config, "_cannot_be_had", lambda *given: {"ocr": "no network"})
    assert [each.problem.title for each in of(grids=grids, contests=contests).contests] == ["MNIST digits"]
    with pytest.raises(UserError, match="contest 'p': unknown grid 'c'"):
        of(grids=grids, contests=[contests[0] | {"grid": "c"}])
