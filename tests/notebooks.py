"""Runs the cells of a notebook: ``python tests/notebooks.py FILE`` prints their outputs as JSON."""

import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl


def outputs_of(codes: list[str]) -> list[list[dict[str, Any]]]:
    """For each cell what a notebook keeps of it: its text, and its figures."""
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {}
    found = []
    for code in codes:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, "a cell", "exec"), names)
        texts = [{"output_type": "stream", "name": "stdout", "text": said.getvalue()}] if said.getvalue() else []
        found.append([*texts, *(_picture(plt.figure(number)) for number in plt.get_fignums())])
        plt.close("all")
    return found


def _picture(figure: Any) -> dict[str, Any]:
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png")
    data = {"text/plain": "<Figure>", "image/png": base64.b64encode(drawn.getvalue()).decode()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


if __name__ == "__main__":
    mpl.use("agg")
    cells = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["cells"]
    print(json.dumps(outputs_of(["".join(each["source"]) for each in cells if each["cell_type"] == "code"])))
