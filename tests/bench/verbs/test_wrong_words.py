"""Wrong words on the command line get the words of all other messages, not argparse's."""

import argparse
import os
import subprocess
import sys

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench import __main__
from structbench.bench.verbs.command_line import overview, parse_words


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run --data a --algorithm eg --C much", "^--C must be a number, not 'much'; see `.*run --help`$"),
        ("predict a b --k-best 1.5", "^--k-best must be a whole number, not '1.5'; see"),
        (
            "best a.yaml --by tset_f1",
            "^--by must be one of .*, test_f1, .*, not 'tset_f1': did you mean 'test_f1'. see",
        ),
        ("run --data a --algorithm eg --validation 0.1", "^--validation is an option of the data: write --data"),
        ("run --data a --algorithm eg --validation=0.1", "^--validation=0.1 is an option of the data"),
        ("run --data a --algoritm eg", "^unknown argument '--algoritm': did you mean '--algorithm'"),
        ("run --data a --algorithm eg --C 1 --c 5", "^unknown argument '--c': did you mean '--C'"),
        ("path --data ocr --loss log", "^the following arguments are required: --C; see `.*path --help`$"),
        ("predict |a", "^an argument is empty: is a variable of the shell unset.$"),
        ("best a.yaml --by luck", "^--by must be one of validation_error, .*, seconds, not 'luck'; see"),
    ],
)
def test_a_wrong_value_is_one_plain_sentence(words, sentence):
    with pytest.raises(UserError, match=sentence):
        parse_words(words.replace("|", " ").split(" "))


@pytest.mark.parametrize("name", ["a" * 5000, "train.txt/x", "loop"])
def test_a_path_that_cannot_be_is_a_sentence(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").touch()
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.setattr(__main__, "parse_words", lambda words: argparse.Namespace(do=lambda given: os.stat(name)))
    assert __main__.main([]) == 2
    assert capsys.readouterr().err.startswith(f"error: {name}: ")


@pytest.mark.parametrize("end", [">&-", "2>&-", "| head -1"])
def test_output_that_nobody_reads_is_no_failure(end):
    command = f"set -o pipefail; {sys.executable} -m structbench.bench list algorithms {end}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_what_is_no_data_is_not_listed_under_data():
    under_data = overview().partition("\ndata\n")[2].partition("\n\n")[0]
    assert "\n  data " in under_data and not any(f"  {verb} " in under_data for verb in ("new", "check", "clean"))


def test_a_name_that_is_not_utf_8_is_a_sentence(tmp_path, monkeypatch, capsys):
    """Before any work: what is made of the file could not be written."""
    odd = os.fsdecode(b"caf\xe9.txt")
    assert __main__.main(["run", "--data", f"columns:{odd}", "--algorithm", "perceptron"]) == 2
    assert "caf\\udce9.txt' is not UTF-8: rename the file, or set LC_ALL=C.UTF-8" in capsys.readouterr().err
    monkeypatch.setattr(__main__, "parse_words", lambda words: argparse.Namespace(do=lambda given: odd.encode()))
    assert __main__.main([]) == 2
    assert "error: a path has 'caf\\udce9.txt', which is not UTF-8: rename it" in capsys.readouterr().err


def test_a_folder_that_is_gone_is_a_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setattr(__main__, "parse_words", lambda words: argparse.Namespace(do=lambda given: os.getcwd()))
    assert __main__.main([]) == 2
    assert "the folder that you run this in is gone: change to another one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("new", "structure", "class", "--in", "."), "not 'class', a word of Python"),
        (("check", "mine/algorithms/a.py"), "mine/algorithms/a.py is a file: give the folder of yours in which"),
        (("best", "mine/c1.yml"), "did you mean 'mine/c1.yaml'? give the path of one"),
        (
            ("measure", "peers", "--config", "mine/c1.yaml"),
            "mine/c1.yaml has no contests: config/measure.yaml has",
        ),
        (("archive", "--check", "none.zip"), "error: there is no file none.zip"),
        (
            ("verify", "eg2008", "--sample", "0"),
            "--sample must be at least 1",
        ),  # published ones are found from here
    ],
)
def test_what_is_wrong_is_said_from_any_folder(words, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine" / "algorithms").mkdir(parents=True)
    (tmp_path / "mine" / "algorithms" / "a.py").touch()
    (tmp_path / "mine" / "c1.yaml").write_text("figures: [eg2008]\n")
    assert __main__.main([*words]) == 2
    assert sentence in capsys.readouterr().err
