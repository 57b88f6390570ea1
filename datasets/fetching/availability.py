"""Whether a file can be had, found out without fetching it."""

import importlib.util
import shutil
import urllib.request
from functools import cache
from urllib.parse import urlsplit

from structbench.datasets.fetching.download import File, mirror_folder, size
from structbench.datasets.fetching.mirror import Mirror
from structbench.datasets.fetching.network import NoNetwork, in_time
from structbench.datasets.fetching.sources import Npm, Source, Url

_unreachable: set[str] = set()  # hosts that did not answer: they are not asked again


def can_be_had(file: File) -> bool:
    """Whether it is in the cache or in a mirror, or a source of it answers."""
    mirror = mirror_folder()
    held = size(file) is not None or (mirror and Mirror(mirror, file.name, file.sources).holds)
    return bool(held) or any(map(_answers, file.sources))


@cache
def _answers(source: Source) -> bool:
    """Whether a source seems to be there; of package registries only whether their program is."""
    if isinstance(source, Url):
        return urlsplit(source.url).netloc not in _unreachable and _has(source.url)
    return (
        shutil.which("npm") is not None if isinstance(source, Npm) else importlib.util.find_spec("pip") is not None
    )


def _has(url: str) -> bool:
    request = urllib.request.Request(url, method="HEAD")
    try:
        in_time(lambda: urllib.request.urlopen(request).close())
    except NoNetwork:
        _unreachable.add(urlsplit(url).netloc)
        return False
    except (OSError, ValueError):
        return False
    return True
