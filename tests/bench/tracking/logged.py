"""What MLflow shows, read through its client."""

from mlflow import MlflowClient


def counted(**counts):
    return {"logged": 0, "amended": 0, "replaced": 0, "kept": 0} | counts


def found(uri, filter_string=""):
    """The runs that MLflow shows, in all experiments, with this filter."""
    experiments = [experiment.experiment_id for experiment in MlflowClient(uri).search_experiments()]
    return MlflowClient(uri).search_runs(experiments, filter_string)


def shown(uri, filter_string=""):
    return sorted(run.info.run_name for run in found(uri, filter_string))


def only(uri, filter_string=""):
    (run,) = found(uri, filter_string)
    return run


def history(uri, metric):
    points = MlflowClient(uri).get_metric_history(only(uri).info.run_id, metric)
    return sorted((point.step, point.value) for point in points)
