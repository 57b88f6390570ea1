"""Archives: one regular file is read out of them, nothing is ever written, bombs and damage are refused."""

import gzip
import io
import os
import stat
import tarfile
import zipfile

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.fetching import archives
from tests.datasets.packed import tarred, zipped

GOOD = b"the right bytes\n" * 100


@pytest.fixture(params=["zip", "tar"])
def archived(request, tmp_path):
    """Makes an archive of either kind from a dictionary."""
    return lambda members: (zipped if request.param == "zip" else tarred)(tmp_path / "archive", members)


def test_a_member_is_read_and_names_that_leave_the_folder_are_never_written(archived, tmp_path):
    path = archived({"../../evil": b"evil", "/tmp/evil": b"evil", "b/c": GOOD})
    before = sorted(tmp_path.parent.rglob("*"))
    assert archives.read_member(path, "b/c", len(GOOD)) == GOOD
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_members_of_a_zip(tmp_path):
    path = zipped(tmp_path / "archive", {"a": b"other", "b/c": GOOD})
    assert list(archives.read_members(path, ["b/c", "a"], 10_000)) == [GOOD, b"other"]
    for members, message in ((["a", "b"], "has no member b"), (["b/c"], "larger than the 10 bytes")):
        with pytest.raises(archives.ArchiveError, match=message):
            list(archives.read_members(path, members, 10))
    with pytest.raises(archives.ArchiveError, match="is damaged"):
        list(archives.read_members(tarred(tmp_path / "other", {"a": GOOD}), ["a"], 10_000))


def test_missing_member_and_bomb(archived):
    path = archived({"a": bytes(10_000_000)})
    for member, message in (("b", "archive has no member b"), ("a", "larger than the 1000 bytes")):
        with pytest.raises(UserError, match=message):
            archives.read_member(path, member, 1000)


def test_bomb_before_the_member(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "LARGEST", 1_000_000)
    path = tarred(tmp_path / "archive", {"bomb": bytes(10_000_000), "a": b"a"})
    with pytest.raises(UserError, match="more than 1000000 bytes"):
        archives.read_member(path, "a", 1000)
    bomb = gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(bytes(2_000_000))))
    stream = archives._Capped(bomb)
    assert len(stream.read(400_000)) + len(stream.read(600_000)) == 1_000_000
    for size in (1, -1):
        with pytest.raises(UserError, match="more than 1000000 bytes"):
            stream.read(size)


def test_truncated_archive(archived):
    path = archived({"a": os.urandom(50_000), "b": GOOD})
    path.write_bytes(path.read_bytes()[:40_000])
    with pytest.raises(UserError, match="is damaged"):
        archives.read_member(path, "b", 10_000)


def test_damage_that_a_zip_tells_of_and_what_is_no_archive(tmp_path):
    path = tmp_path / "archive"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a", GOOD)
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    for content, message in ((data, "is damaged: Bad CRC"), (b"text", "is damaged")):
        path.write_bytes(content)
        with pytest.raises(UserError, match=message):
            archives.read_member(path, "a", 10_000)


def test_link_in_a_zip(tmp_path):
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = zipped(tmp_path / "archive", {link: "/etc/passwd", "folder/": b"", zipfile.ZipInfo("bare/"): b""})
    for member in ("link", "folder/", "bare/"):
        with pytest.raises(UserError, match=f"{member} in archive is not a regular file"):
            archives.read_member(path, member, 10_000)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_link_in_a_tar(tmp_path, kind):
    with tarfile.open(tmp_path / "archive", "w:gz") as archive:
        info = tarfile.TarInfo("link")
        info.type, info.linkname = kind, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(UserError, match="link in archive is not a regular file"):
        archives.read_member(tmp_path / "archive", "link", 10_000)
