"""Classes whose visits read weights shrunk towards 0 (``soft_features``)."""

from typing import Any

from structbench.algorithms.structures import soft_features
from structbench.algorithms.structures import soft_short_classes as soft_short_classes
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.layouts import extended
from structbench.algorithms.structures.multiclass import Multiclass

SoftClasses = extended("SoftClasses", Multiclass, threshold=float)


@implements(Multiclass)
def with_threshold(m: Multiclass, threshold: float) -> Any:
    return SoftClasses(*m, threshold)


@implements(SoftClasses)
def scores(m, i, w, out):
    out[:] = 0.0
    soft_features.add_soft_row_times(m.x, i, w.reshape((-1, m.num_labels)), m.threshold, out)
