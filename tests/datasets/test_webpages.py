"""A user's own pages: which are learned from, labels, features of neighbours, and a run that learns them."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import driver, problem_store, spec
from structbench.datasets import webpages
from structbench.datasets.web import html
from tests.datasets.matrices import array_of


def page(price="$12.99", wrapped=False):
    cost = f"<span class=cost data-label=Price>{price}</span>"
    return f"<body><h3 data-label=Name>Red Shoe</h3>{f'<div>{cost}</div>' if wrapped else cost}<i>new</i></body>"


@pytest.fixture
def folder(tmp_path):
    """``folder({name: page})`` writes pages, and returns the folder, as text."""

    def write(pages, name="pages"):
        for file, content in pages.items():
            place = tmp_path / name / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
        return str(tmp_path / name)

    return write


def test_every_fifth_page_is_tested_on(folder):
    path = folder({f"{k}/p.htm": page() for k in range(10)} | {"notes.txt": "no page", "z.HTML": page()})
    learn, evaluate = webpages.splits(path, None)
    assert [file.parent.name for file in evaluate] == ["4", "9"]
    assert [file.parent.name for file in learn] == ["0", "1", "2", "3", "5", "6", "7", "8", "pages"]
    assert webpages.load(None, path=folder({"a.html": page()}, "one")).test is None


def test_folders_for_training_and_test(folder):
    path = folder({"train/a.html": page(), "train/b.html": page(), "test/a.html": page(), "c.html": "not read"})
    found = [[file.parent.name for file in each] for each in webpages.splits(path, None)]
    assert found == [["train", "train"], ["test"]]
    given = folder({"x.html": page()}, "other")
    assert [len(each) for each in webpages.splits(given, f"{path}/train")] == [1, 2]


def test_labels_trees_and_attributes(folder):
    given = folder({"a.html": page()}), folder({"b.html": page(wrapped=True).replace("Name", "Title")}, "test")
    one = datasets.build(f"webpages:{given[0]}", given[1])
    assert one.labels == ("Name", "Price", html.ABOVE, html.OTHER)
    assert one.attributes == one.key_attributes == (0, 1)
    assert one.train.parents.tolist() == [-1, 0, 1, 1, 1]  # html, body, and what is in it
    assert one.train.y.tolist() == [2, 2, 0, 1, 3]
    assert one.test.y.tolist() == [2, 2, -1, 2, 1, 3]  # a label that training never saw
    assert datasets.data_ref(f"webpages:{given[0]}").structure == one.train.id == "tree"


def test_features_of_the_neighbours_and_of_the_box_above(folder, monkeypatch):
    monkeypatch.setattr(webpages, "NODES", ("tag_before", "tag_after", "above_css", "third"))
    path = folder({"a.html": "<body class=shop><p data-label=A>one two three</p><b>x</b></body>"})
    rows = array_of(datasets.build(f"webpages:{path}").train.x)
    # html: what is after; body: both; p: both, above, third word; b: before (none after), above
    assert rows.sum(axis=1).tolist() == [1, 2, 4, 2]


def test_other_names_of_attributes(folder):
    path = folder({"a.html": "<ul><li item><b kind=A>x</b><li item><b kind=B>y</b></ul>"})
    one = datasets.build(f"webpages:{path},label=kind,record=item")
    assert np.diff(one.train.starts).tolist() == [2, 2] and one.labels[:2] == ("A", "B")


@pytest.mark.parametrize(
    ("pages", "options", "message"),
    [
        ({"notes.txt": "x"}, "", r"pages: expected pages, files that end in .html, .htm, .xhtml; found none"),
        ({"a.html": page(), "b.html": "<p>x"}, "", r"b.html: expected elements with the attribute data-label"),
        ({"a.html": page()}, ",label=Kind", "label must be an attribute in small letters, not 'Kind'"),
        ({"a.html": page()}, ",record=", "record must be an attribute in small letters, not ''"),
        ({"a.html": "".join(f"<p data-label=a{k}>" for k in range(101))}, "", "at most 100 labels, found 101"),
    ],
)
def test_what_is_refused(folder, pages, options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"webpages:{folder(pages)}{options}")
    with pytest.raises(UserError, match="nowhere: expected a folder of pages, which there is not"):
        problem_store.user_files(datasets.data_ref("webpages:nowhere"))
    with pytest.raises(UserError, match=r"data set webpages has no option 'lable': did you mean 'label'\?"):
        problem_store.user_files(datasets.data_ref(f"webpages:{folder(pages)},lable=x"))


def test_pages_that_would_take_too_much_memory(folder, monkeypatch):
    monkeypatch.setattr(webpages, "GRAMS", 8 * 5**2)
    good, large = folder({"a.html": page()}), folder({"a.html": page(), "b.html": page()}, "large")
    assert webpages.load(None, path=good, test=good).train.id == "tree"
    for path, test in ((large, None), (good, large)):
        with pytest.raises(UserError, match=r"large: .* take 0.0 GB, expected at most 0: mark smaller examples"):
            webpages.load(None, path=path, test=test)


def test_a_problem_is_made_anew_when_a_page_changes(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(problem_store.results, "problems", lambda: tmp_path / "problems")
    data = datasets.data_ref(f"webpages:{folder({'a.html': page()})}")
    _, before = problem_store.obtain(data)
    assert problem_store.obtain(data)[1] == before
    folder({"a.html": page("12 USD")})
    assert problem_store.obtain(data)[1] != before
    assert problem_store.user_files(data) == [str(tmp_path / "pages" / "a.html")]


def test_links_to_folders_are_followed_once(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(problem_store.results, "problems", lambda: tmp_path / "problems")
    elsewhere = folder({"train/a.html": page(), "test/b.html": page()}, "elsewhere")
    (tmp_path / "linked").mkdir()
    for name in webpages.SPLITS:
        (tmp_path / "linked" / name).symlink_to(f"{elsewhere}/{name}")
    data = datasets.data_ref(f"webpages:{tmp_path / 'linked'}")
    (tmp_path / "linked" / "train" / "up").symlink_to(tmp_path / "linked")  # a circle
    _, before = problem_store.obtain(data)
    folder({"train/a.html": page("12 USD")}, "elsewhere")
    assert problem_store.obtain(data)[1] != before
    assert [len(each) for each in webpages.splits(elsewhere, None)] == [2, 1]


def test_what_is_learned_finds_the_price_on_a_new_page(folder):
    rows = {f"{k}.html": page(f"${k}.99", wrapped=k % 2 == 1) for k in range(10)}
    made = spec.make(f"webpages:{folder(rows)}", "log", 0.1, "lbfgs", passes=30)
    result = driver.run(made, datasets.build(made.data))
    assert result.rows[-1]["test_error"] == 0.0 and result.rows[0]["test_error"] > 0.0


def test_test_pages_are_not_learned_from(folder):
    path = folder({"train/a.html": page(), "test/b.html": page()})
    found = [[file.name for file in each] for each in webpages.splits(path, f"{path}/test")]
    assert found == [["a.html"], ["b.html"]]
    with pytest.raises(UserError, match="all of its pages are test pages"):
        webpages.splits(f"{path}/train", path)
    assert [len(each) for each in webpages.splits(path, path)] == [2, 2]


def test_records_of_a_page_are_in_one_fold(folder):
    record = "<ul>" + "".join(f"<li data-record>{page(f'${k}')}</li>" for k in range(3)) + "</ul>"
    path = folder({f"{k}.html": record for k in range(4)})
    whole = webpages.load(None, path=path, test=folder({"x.html": page()}, "other"))
    assert whole.documents.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_a_folder_cannot_be_the_validation_split(folder):
    path, dev = folder({f"{k}.html": page() for k in range(5)}), folder({"x.html": page()}, "dev")
    with pytest.raises(UserError, match="this data set takes no files: hold out a share"):
        datasets.build(f"webpages:{path},validation={dev}")
