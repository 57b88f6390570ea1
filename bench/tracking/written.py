"""Tags that the collector wrote, told apart from the users' tags. A tag that a user changed is the user's."""

import json
from collections.abc import Mapping
from hashlib import sha256

WRITTEN = "written"  # what the collector wrote: name of a tag -> hash of its value
CONTENT, FILES = "content_sha", "files_sha"  # hashes of what is shown, and of what that was made of


def changes(found: Mapping[str, str], wanted: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The tags to set, in this order, and to delete, so that the collector's tags become ``wanted``.

    While a tag changes, both of its values count as the collector's: an interruption may come between.
    """
    known = _known(found)
    theirs = {name for name, value in users(found).items() if value != wanted.get(name)}
    ours = {name: value for name, value in wanted.items() if name not in theirs}
    changed = {name: value for name, value in ours.items() if found.get(name) != value}
    gone = [name for name in known if name in found and name not in wanted and name not in theirs]
    shas = {name: [_sha(value)] for name, value in ours.items()}
    for name in (*changed, *gone):
        if name in found:
            shas[name] = [_sha(found[name]), *shas.get(name, [])]
    said = json.dumps({name: " ".join(some) for name, some in shas.items()})
    return ({WRITTEN: said} if changed or gone or WRITTEN not in found else {}) | changed, gone


def users(found: Mapping[str, str]) -> dict[str, str]:
    """The tags that users added or changed."""
    known = _known(found)
    others = {name: value for name, value in found.items() if name not in (WRITTEN, CONTENT, FILES)}
    return {name: value for name, value in others.items() if _sha(value) not in known.get(name, "").split()}


def _known(found: Mapping[str, str]) -> dict[str, str]:
    try:
        said = json.loads(found.get(WRITTEN, "{}"))
        return {name: str(shas) for name, shas in said.items()}
    except (ValueError, AttributeError):  # somebody wrote into it: all is theirs then
        return {}


def _sha(value: str) -> str:
    return sha256(value.encode()).hexdigest()[:8]
