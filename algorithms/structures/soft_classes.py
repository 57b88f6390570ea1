"""Classes whose visits read weights shrunk towards 0 (``soft_features``)."""

from structbench.algorithms.structures import soft_features
from structbench.algorithms.structures import soft_short_classes as soft_short_classes
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.multiclass import Multiclass
from structbench.algorithms.structures.soft_views import soft_layout

SoftClasses = soft_layout("SoftClasses", Multiclass)


@implements(SoftClasses)
def scores(m, i, w, out):
    out[:] = 0.0
    soft_features.add_soft_row_times(m.x, i, w.reshape((-1, m.num_labels)), m.threshold, out)
