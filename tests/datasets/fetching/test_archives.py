"""Archives: one regular file is read out of them, nothing is ever written, bombs and damage are refused."""

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


def test_member(archived):
    path = archived({"a": b"other", "b/c": GOOD})
    assert archives.read_member(path, "b/c", 10_000) == GOOD


def test_names_that_leave_the_folder_are_never_written(archived, tmp_path):
    path = archived({"../../evil": b"evil", "/tmp/evil": b"evil", "good": GOOD})
    before = sorted(tmp_path.parent.rglob("*"))
    assert archives.read_member(path, "good", 10_000) == GOOD
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_members_of_a_zip(tmp_path):
    path = zipped(tmp_path / "archive", {"a": b"other", "b/c": GOOD})
    assert list(archives.read_members(path, ["b/c", "a"], 10_000)) == [GOOD, b"other"]
    for members, message in ((["a", "b"], "has no member b"), (["b/c"], "larger than the 10 bytes")):
        with pytest.raises(archives.ArchiveError, match=message):
            list(archives.read_members(path, members, 10))
    with pytest.raises(archives.ArchiveError, match="is damaged"):
        list(archives.read_members(tarred(tmp_path / "other", {"a": GOOD}), ["a"], 10_000))


def test_missing_member(archived):
    with pytest.raises(UserError, match="archive has no member b"):
        archives.read_member(archived({"a": b""}), "b", 10)


def test_bomb(archived):
    with pytest.raises(UserError, match="larger than the 1000 bytes"):
        archives.read_member(archived({"a": bytes(10_000_000)}), "a", 1000)


def test_bomb_before_the_member(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "LARGEST", 1_000_000)
    path = tarred(tmp_path / "archive", {"bomb": bytes(10_000_000), "a": b"a"})
    with pytest.raises(UserError, match="more than 1000000 bytes"):
        archives.read_member(path, "a", 1000)


def test_truncated_archive(archived):
    path = archived({"a": os.urandom(50_000), "b": GOOD})
    path.write_bytes(path.read_bytes()[:40_000])
    with pytest.raises(UserError, match="is damaged"):
        archives.read_member(path, "b", 10_000)


def test_flipped_byte_in_a_zip(tmp_path):
    path = tmp_path / "archive"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a", GOOD)
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match="is damaged: Bad CRC"):
        archives.read_member(path, "a", 10_000)


def test_neither_zip_nor_tar(tmp_path):
    (tmp_path / "archive").write_bytes(b"text")
    with pytest.raises(UserError, match="is damaged"):
        archives.read_member(tmp_path / "archive", "a", 10)


def test_link_in_a_zip(tmp_path):
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = zipped(tmp_path / "archive", {link: "/etc/passwd", "folder/": b""})
    for member in ("link", "folder/"):
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
