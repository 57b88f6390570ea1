"""Makers of the archives that the tests read."""

import io
import tarfile
import zipfile


def zipped(path, members):
    """Members that are None are left out."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            if data is not None:
                archive.writestr(member, data)
    return path


def tarred(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for member, data in members.items():
            info = tarfile.TarInfo(member)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path
