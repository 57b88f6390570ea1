"""Snakemake's scheduler, told to look for jobs only when there may be one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snakemake.scheduling.job_scheduler import JobScheduler


def unlimit_job_rate(scheduler: "JobScheduler") -> None:
    """Have Snakemake choose jobs when one ends or is ready, and not all the time.

    Because of its limit on jobs a second, it looks again after each second. Every job that ends adds one such look
    for good. After forty jobs these looks took a quarter of a core. No option removes the limit, and no plugin
    reaches it: it is an attribute of the scheduler itself.
    """
    scheduler.job_rate_limiter = None
