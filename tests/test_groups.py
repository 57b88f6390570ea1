"""How several processes share the tests: ``conftest.group``."""

import pytest

from tests.conftest import group

INTERFACE = "tests/algorithms/structures/test_interface.py"
RUNS, WARM_UP = "tests/algorithms/test_runs.py", "tests/bench/runs/test_warm_up.py"


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("tests/bench/test_light.py::test_a_mistake[run eg]", "tests/bench/test_light.py"),
        (f"{INTERFACE}::test_inference_is_that_of_all_outputs_written_out[nonprojective-sparse]", "nonprojective"),
        ("tests/algorithms/structures/test_cliques.py::test_a_sum[chain-sparse-edges]", "chain"),
        (f"{RUNS}::test_a_run[segments-dense-smo-eg:smo_passes=1-hinge]", "smo-eg"),
        (f"{RUNS}::test_a_run[segments-dense-eg-log]", "eg"),
        (f"{WARM_UP}::test_nothing_compiles_after_the_warm_up[log__C=1__eg:order=gap__gap=0]", "eg"),
        (f"{WARM_UP}::test_every_algorithm_is_among_them", WARM_UP),
    ],
)
def test_a_file_is_whole_unless_it_tries_all_structures_or_algorithms(test, expected):
    assert group(test) == expected
