"""One module per algorithm: a generator ``solve(problem, objective, rng, *, parameter=default, ...)``.

Importing this package points numba's cache at a folder that is named after the sources of all kernels,
numba's version and the processor: numba itself notices an edit only in the file of the kernel that it
caches, not in the kernels which that one calls.
"""

import hashlib
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def kernel_hash(folder: Path = ROOT / "algorithms") -> str:
    """Hash of everything that decides what a cached kernel computes."""
    digest = hashlib.sha256(f"{version('numba')} {platform.machine()} {_processor()}".encode())
    for source in sorted(folder.rglob("*.py")):
        digest.update(source.relative_to(folder).as_posix().encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _processor() -> str:
    """The processor's model and features, for machines that share a file system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "".join(sorted({line for line in lines if line.startswith(("model name", "flags"))}))


CACHE = Path(os.environ.get("STRUCTBENCH_KERNELS", ROOT / "results" / "kernels")) / kernel_hash()
os.environ["NUMBA_CACHE_DIR"] = str(CACHE)
if "numba" in sys.modules:  # it has read its environment already
    sys.modules["numba"].config.CACHE_DIR = str(CACHE)
