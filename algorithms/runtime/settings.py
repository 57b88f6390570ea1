"""Settings of numba that change what kernels compute: part of a run's spec and of a kernel's name."""

import os
from pathlib import Path

# How kernels are compiled, or that they are not, with what is usual; settings of caches, threads, warnings and
# debugging change no number.
USUAL = {
    "NUMBA_BOUNDSCHECK": "0",
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_CPU_NAME": "",
    "NUMBA_DISABLE_INTEL_SVML": "0",
    "NUMBA_DISABLE_JIT": "0",
    "NUMBA_ENABLE_AVX": "1",
    "NUMBA_LOOP_VECTORIZE": "1",
    "NUMBA_OPT": "3",
    "NUMBA_SLP_VECTORIZE": "0",
}


FILE = Path(".numba_config.yaml")  # which numba reads in the working folder


def given() -> dict[str, str]:
    """The settings that differ from the defaults, by name. The environment comes before numba's file."""
    of_file = _of_file()
    found = {name: os.environ.get(name, of_file.get(name, "")).strip() for name in USUAL}
    return {name: value for name, value in found.items() if value not in ("", USUAL[name])}


def _of_file() -> dict[str, str]:
    try:
        text = FILE.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    import yaml

    try:
        said = yaml.safe_load(text)
    except yaml.YAMLError:  # numba takes nothing from it either
        return {}
    return {f"NUMBA_{name}".upper(): str(value) for name, value in said.items()} if isinstance(said, dict) else {}
