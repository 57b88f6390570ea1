"""What is said of a JSON file that has another shape than ours."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import documents

SHAPE = {"name": str, "size?": (int, float), "runs": [{"key": str}], "files": {str: str}}
WHOLE = '{"name": "a", "runs": [{"key": "k", "more": 1}], "files": {"b": "c"}}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "it is a list, not an object"),
        ('{"runs": [], "files": {}}', "it has no 'name'"),
        (WHOLE.replace('"a"', "7"), "it.name is a number, not text"),
        (WHOLE.replace('"name"', '"size": null, "name"'), "it.size is null, not a number"),
        (WHOLE.replace('{"key": "k", "more": 1}', "3"), r"it.runs\[0\] is a number, not an object"),
        (WHOLE.replace('"c"', "[]"), "it.files.b is a list, not text"),
        (WHOLE[:-1], "delimiter"),
        ("[" * 100_000, "nested too deeply"),
        ("\ud800", "can't decode"),
        (WHOLE.replace('"c"', r'"\ud800"'), "can't encode"),
    ],
)
def test_a_document_of_another_shape_is_named_with_the_place(tmp_path, text, said):
    (tmp_path / "a.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(UserError, match=rf"a.json is broken \(.*{said}.*\): make it again"):
        documents.content(tmp_path / "a.json", SHAPE, "make it again")


def test_what_has_the_shape_is_read(tmp_path):
    (tmp_path / "a.json").write_text(WHOLE)
    assert documents.content(tmp_path / "a.json", SHAPE, "")["files"] == {"b": "c"}
