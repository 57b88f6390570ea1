"""The folder of compiled kernels, named after the processor and the versions of Python, numba and numpy."""

import hashlib
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def home() -> Path:
    """The folder of what is compiled: in a clone among its results, of an installed package the user's cache."""
    if given := os.environ.get("STRUCTBENCH_KERNELS"):
        return Path(given)
    if (ROOT / "pyproject.toml").is_file():
        return ROOT / "results" / "kernels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "structbench" / "kernels"


def folder() -> Path:
    """The folder of kernels for this Python, this numba and this processor."""
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    processor = hashlib.sha256(f"{platform.machine()} {_processor()}".encode()).hexdigest()[:8]
    return home() / f"{python}-numba{version('numba')}-numpy{version('numpy')}-{processor}"


def compiled() -> set[str]:
    """The names of the kernels in the folder, such as ``dual_variables.step``, of this code or of earlier code."""
    return {file.name.rpartition("-")[0] for file in folder().glob("*.nbi")}


def _processor() -> str:
    """The processor's model and features: several machines may share a file system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "".join(sorted({line for line in lines if line.startswith(("model name", "flags"))}))
