"""The one thing in Snakemake that no setting and no plugin reaches."""

import inspect
from types import SimpleNamespace

from snakemake.scheduling.job_scheduler import JobScheduler

from structbench.bench.workflow import scheduler


def test_snakemake_looks_for_jobs_only_when_one_ends():
    """Its limit on jobs a second, which it always has, makes it look for ever more often."""
    made = SimpleNamespace(job_rate_limiter=object())
    scheduler.unlimit_job_rate(made)
    assert made.job_rate_limiter is None
    # an upgrade that names it otherwise is noticed
    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler.job_selector)
    assert "self.job_rate_limiter is not None" in inspect.getsource(JobScheduler.schedule)
