"""An archive holds a config's results, has the same bytes each time, and is opened without trust."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench import notebook
from structbench.bench.__main__ import main
from structbench.bench.runs import results, store
from structbench.bench.sharing import crate
from structbench.bench.workflow.config import read_config
from tests.bench import fake_runs

GRID = "grids:\n  - {name: mine, data: [mnist], C: [10], algorithms: {eg: {}, lbfgs: {}}, passes: 60}\n"


@pytest.fixture
def archive(ours, monkeypatch) -> Path:
    """That of a config with two runs, of which one is finished."""
    monkeypatch.chdir(ours)
    Path("mine.yaml").write_text(GRID)
    fake_runs.write(results.runs())
    shown = {
        results.claims("mine") / "eg2008",
        *(results.figures("mine") / name for name in ("b", "c", "d", "a\\b")),
    }
    monkeypatch.setattr(crate, "_shown", lambda config: shown)
    (results.claims("mine")).mkdir(parents=True)
    for name in ("eg2008", "eg2004"):  # the second is of an earlier text of the config
        (results.claims("mine") / f"{name}.json").write_text('{"scale": "quick", "claims": []}')
    assert main(["archive", "mine.yaml"]) == 0
    return Path("mine.crate.zip")


def changed(archive: Path, name: str, content: bytes | None, new: str = "") -> Path:
    """A copy in which a member has another content or name, or is missing."""
    with zipfile.ZipFile(archive) as before, zipfile.ZipFile("changed.zip", "w") as after:
        for each in before.namelist():
            if each != name:
                after.writestr(each, before.read(each))
            elif content is not None:
                after.writestr(new or name, content)
    return Path("changed.zip")


def test_it_holds_config_tables_hashes_lock_and_references(archive):
    with zipfile.ZipFile(archive) as opened:
        held = {name: opened.read(name) for name in opened.namelist()}
    assert held["config.yaml"].decode() == GRID and json.loads(held["claims/eg2008.json"])["claims"] == []
    assert "claims/eg2004.json" not in held
    assert b"eg__passes=60" in held["runs.csv"] and len(held["runs.csv"].splitlines()) == 2
    (made,) = json.loads(held["programs.json"]).values()
    assert len(made["code_sha256"]) == 64 and b"numpy==" in held["requirements.lock"]
    assert b"@article{eg2008," in held["references.bib"]
    said = {each["@id"]: each for each in json.loads(held[crate.METADATA])["@graph"]}
    assert said["./"]["description"] == "1 of 2 runs of the config mine"
    assert {each["@id"] for each in said["./"]["hasPart"]} == held.keys() - {crate.METADATA}
    assert said["./"]["license"] == {"@id": "https://spdx.org/licenses/MIT"} and said[crate.LICENCE]["name"]
    assert [said[each["@id"]]["name"] for each in said["./"]["author"]] == ["structbench contributors"]
    assert said["runs.csv"]["encodingFormat"] == "text/csv" and said[crate.METADATA]["about"] == {"@id": "./"}


def test_own_files_are_in_it_and_its_check_says_what_to_add(archive, tmp_path, monkeypatch, capsys):
    file = tmp_path / "own" / "algorithms" / "my_steps.py"
    file.parent.mkdir(parents=True)
    file.write_text('"""Mine."""')
    monkeypatch.setattr(
        crate.programs, "own_files", lambda spec: {"algorithms/my_steps.py": str(tmp_path / "own")}
    )
    with monkeypatch.context() as patch:
        patch.setenv("STRUCTBENCH_WITH", str(tmp_path / "own"))
        assert main(["archive", "mine.yaml"]) == 0 and "1 of them of your own folders" in capsys.readouterr().err
    with zipfile.ZipFile(archive) as opened:
        assert opened.read("own/algorithms/my_steps.py") == file.read_bytes()
    monkeypatch.setattr(crate, "_code_of", lambda key, paths: None)
    assert main(["archive", "--check", str(archive)]) == 0
    assert (
        "1 files of its sender's folders are under own/: unpack these, and add --with own"
        in capsys.readouterr().err
    )


def test_the_same_results_give_the_same_bytes(archive):
    assert main(["archive", "mine", "--out", "again.zip"]) == 2, "mine.yaml lies here, not in config/"
    assert main(["archive", "mine.yaml", "--out", "again.zip"]) == 0
    assert Path("again.zip").read_bytes() == archive.read_bytes()


def test_what_was_changed_is_named(archive, capsys):
    assert crate.opened(archive)._replace(of_today=0) == crate.Opened(1, 0, 8, [], 0)
    assert crate.opened(changed(archive, "runs.csv", b"")).wrong == ["runs.csv was changed"]
    assert crate.opened(changed(archive, "runs.csv", None)).wrong == ["runs.csv is missing"]
    assert main(["archive", "--check", str(changed(archive, "runs.csv", b"a", "b.csv"))]) == 1
    assert "b.csv is not named in ro-crate-metadata.json" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../b.csv", "/b.csv", "a/../../b.csv", "C:b.csv", "a\\b.csv", "runs//b.csv"])
def test_names_that_lead_out_of_a_folder_are_refused(archive, name):
    with pytest.raises(UserError, match="outside a folder"):
        crate.opened(changed(archive, "runs.csv", b"a", name))


def test_runs_of_own_files_are_of_today_and_folders_are_inside(ours, monkeypatch):
    monkeypatch.chdir(ours)
    Path("train.txt").write_text("1 1:1\n2 2:1\n" * 5)
    Path("mine.yaml").write_text(GRID.replace("mnist", "svmlight:train.txt").replace("60", "2"))
    notebook.grid("mine.yaml")
    assert main(["archive", "mine.yaml"]) == 0
    with zipfile.ZipFile("mine.crate.zip", "a") as archive:
        archive.mkdir("figures")
    found = crate.opened(Path("mine.crate.zip"))
    assert found.of_today == found.runs == 2 and not found.wrong


@pytest.mark.parametrize("text", [b"[]", b"{}", b"nothing", b'{"@graph": [1]}', b"[" * 100_000])
def test_a_broken_description_is_refused(archive, text):
    for name in (crate.METADATA, crate.PROGRAMS):
        if (name, text) != (crate.PROGRAMS, b"{}"):  # which names no run
            with pytest.raises(UserError, match="is no archive of structbench"):
                crate.opened(changed(archive, name, text))


def test_large_and_damaged_files_are_refused(archive, monkeypatch):
    whole = archive.read_bytes()
    Path("damaged.zip").write_bytes(whole[:3000] + b"0000" + whole[3004:])
    with pytest.raises(UserError, match=r"damaged\.zip is damaged"):
        crate.opened(Path("damaged.zip"))
    for content in (
        whole[len(whole) // 2 :],
        whole.replace(b"PK\1\2", b"PK\1\3"),
        b"0" * 9 + whole[:-3] + b"\xff" * 3,
    ):
        Path("damaged.zip").write_bytes(content)
        with pytest.raises(UserError, match=r"damaged\.zip is (damaged|no zip file)"):
            crate.opened(Path("damaged.zip"))
    with zipfile.ZipFile("damaged.zip", "w") as nameless:
        nameless.writestr(zipfile.ZipInfo("\0"), "")  # a name ends at 0
    with pytest.raises(UserError, match=r"damaged\.zip (is damaged|holds '')"):
        crate.opened(Path("damaged.zip"))
    with pytest.raises(UserError, match=r"mine\.yaml is no zip file"):
        crate.opened(Path("mine.yaml"))
    monkeypatch.setattr(crate, "LARGEST", 1000)
    with pytest.raises(UserError, match="bytes, or holds a name twice"):
        crate.opened(archive)


@pytest.mark.parametrize("key", ["a" * 5000, "nothing__log__C=1__eg", "mnist__log__C=10__eg__passes=60"])
def test_a_run_without_a_hash_or_with_any_name_is_not_of_today(archive, key):
    made = json.dumps({key: {"code_sha256": ""}}).encode()
    assert crate.opened(changed(archive, crate.PROGRAMS, made)).of_today == 0


def test_links_and_folders_are_no_figures_and_other_files_stay(archive, capsys):
    folder = results.figures("mine")
    (folder / "b.csv").mkdir(parents=True)
    for name, place in (("c.csv", "nowhere"), ("d.csv", Path("mine.yaml").absolute())):
        (folder / name).symlink_to(place)
    assert main(["archive", "mine.yaml"]) == 0 and "the names of machines" in capsys.readouterr().err
    assert not [name for name in zipfile.ZipFile(archive).namelist() if name.startswith("figures/")]
    (folder / "a\\b.csv").write_text("a")
    assert main(["archive", "mine.yaml"]) == 2 and "in its name: rename it" in capsys.readouterr().err
    with zipfile.ZipFile("photos.zip", "w") as other:
        other.writestr("a.txt", "a")
    before = Path("photos.zip").read_bytes()
    assert main(["archive", "mine.yaml", "--out", "photos.zip"]) == 2
    assert "error: photos.zip is a zip file, and no archive" in capsys.readouterr().err
    assert Path("photos.zip").read_bytes() == before


def test_mistakes_are_one_sentence(ours, monkeypatch, capsys):
    monkeypatch.chdir(ours)
    Path("mine.yaml").write_text(GRID)
    for words, said in (
        (["mine.yaml"], "none of the 2 runs of mine counts as finished: `make run CONFIG=mine.yaml` makes them"),
        (["mine.yaml", "--out", "mine.tar"], "--out must be a file that ends in .zip, not 'mine.tar'"),
        (["mine.yaml", "--out", "none/a.zip"], "--out none/a.zip: there is no folder "),
        (["--check", "a.zip", "--out", "b.zip"], "--check reads a file and writes none: leave out --out"),
        (["mine", "--check", "a.zip"], "--check reads a file, whatever config it is of: leave out mine"),
        (["nothing"], "cannot read the config nothing"),
    ):
        assert main(["archive", *words]) == 2
        assert said in capsys.readouterr().err


def test_runs_that_were_made_and_do_not_count_are_said(ours, monkeypatch, capsys):
    monkeypatch.chdir(ours)
    Path("mine.yaml").write_text(GRID)
    fake_runs.write(results.runs(), machine={"alone": False})
    assert main(["archive", "mine.yaml"]) == 2
    assert "of mine counts as finished (1 stale: it was not timed alone)" in capsys.readouterr().err


def test_paths_that_are_no_texts_are_left_out(archive):
    key = "svmlight:a~123456__log__C=1__lbfgs"
    made = json.dumps({key: {"code_sha256": "", "paths": {"a~123456": 3}}}).encode()
    found = crate.opened(changed(archive, crate.PROGRAMS, made))
    assert found.wrong == [f"{crate.PROGRAMS} was changed"]


def test_an_archive_of_another_program_is_not_replaced(archive, capsys):
    other = changed(archive, "programs.json", None)
    before = other.read_bytes()
    assert main(["archive", "mine.yaml", "--out", str(other)]) == 2 and other.read_bytes() == before
    assert "is a zip file, and no archive of structbench" in capsys.readouterr().err


def test_what_an_earlier_text_of_the_config_made_is_left_out(ours, monkeypatch):
    monkeypatch.chdir(ours)
    Path("mine.yaml").write_text(GRID)
    found = crate._shown(read_config("mine.yaml"))
    assert {each.parent.name for each in found} == {"grid-mine"}


@pytest.mark.parametrize(("key", "field"), [("runs", "gone"), ("missing", "there")])
@pytest.mark.parametrize("kind", ["figures", "claims"])
def test_what_was_made_of_other_runs_than_the_archives_is_refused(archive, ours, capsys, kind, key, field):
    run = next(results.runs().iterdir()).name
    changed = {key: [run if field == "there" else "mnist__log__C=1__eg"]}
    if kind == "figures":
        file = results.figures("mine") / "b.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(fake_runs.SIDECAR | {"runs": [run], "missing": []} | changed))
    else:
        shutil.rmtree(results.claims("mine"))
        fake_runs.claims(results.claims("mine"), [store.read_run(results.runs() / run)])
        file = results.claims("mine") / "eg2008.json"
        made = json.loads(file.read_text())
        made["claims"] = [made["claims"][0] | {"runs": [run], "missing": []} | changed]
        file.write_text(json.dumps(made))
    assert main(["archive", "mine.yaml"]) == 2
    assert f"{file} was {'drawn' if kind == 'figures' else 'judged'} of other runs" in capsys.readouterr().err
