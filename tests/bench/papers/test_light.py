"""Papers are gathered without what draws them: a config is read in every job of a workflow."""

import subprocess
import sys

PROGRAM = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("pandas", "pyarrow", "matplotlib", "mlflow", "scipy.stats", "scipy.linalg")):
            raise AssertionError(f"{name} is imported")

sys.meta_path.insert(0, Blocked())
from structbench.bench.runs import catalogue
from structbench.bench.workflow import config

found = config.of({"scale": "tiny", "figures": [*catalogue.papers()]})
print(len(found.batches), *found.figures, sum(map(len, found.claims.values())))
"""


def test_reading_a_config_of_all_papers_imports_nothing_that_draws():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    batches, *papers, claims = done.stdout.split()
    assert int(batches) > 10 and int(claims) > 100
    assert {"eg2004", "eg2008", "l1m3n2009", "laso2005", "methods", "scaling"} <= {*papers}
