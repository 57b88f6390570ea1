"""The simulated cluster: what can be worked out by hand."""

import pytest

from structbench.bench.measure.nodes import Costs, Queue, simulate

FREE = Costs(0, 0, 0, 0, 0, 0)
AT_ONCE = Queue(100, 1e-3)


def test_equal_jobs_share_the_nodes():
    jobs = [[[10.0, 20.0], [30.0]]] * 8
    assert [simulate(jobs, nodes, FREE, AT_ONCE).made for nodes in (1, 2, 4, 8, 100)] == [480, 240, 120, 60, 60]


def test_each_cost_counts_as_often_as_it_is_paid():
    jobs = [[[1.0], [2.0, 3.0]], [[4.0]]]
    costs = Costs(plan=1000, submit=1, job=10, batch=0.5, run=0.1, track=7)
    first, second = 10 + 2 * 0.5 + 3 * 0.1 + 6, 10 + 0.5 + 0.1 + 4
    ended = simulate(jobs, 1, costs, AT_ONCE)
    assert ended.made == pytest.approx(1000 + 1 + first + second)
    assert ended.logged - ended.seen == pytest.approx(4 * 7)
    assert simulate(jobs, 2, costs, AT_ONCE).made == pytest.approx(1000 + max(1 + first, 2 + second))


def test_a_place_in_the_queue_is_free_when_the_head_node_has_looked():
    """It looks after 20 s and, as the job had not ended, again after 30 s."""
    ended = simulate([[[25.0]]] * 3, 1, FREE, Queue(1, 20.0))
    assert (ended.made, ended.seen) == (2 * 50 + 25, 3 * 50)
