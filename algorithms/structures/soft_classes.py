"""Multiclass scores from soft-thresholded weights (``soft_features``), in float64 or in float32."""

import numpy as np

from structbench.algorithms.runtime.rows import gather_times_soft
from structbench.algorithms.structures import soft_features
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.multiclass import Multiclass
from structbench.algorithms.structures.single_precision import ShortClasses
from structbench.algorithms.structures.soft_views import soft_layout


@implements(soft_layout("SoftClasses", Multiclass))
def scores(m, i, w, out):  # pyright: ignore[reportRedeclaration] - another layout's follows
    out[:] = 0.0
    soft_features.add_soft_row_times(m.x, i, w.reshape((-1, m.num_labels)), m.threshold, out)


@implements(soft_layout("SoftShortClasses", ShortClasses))
def scores(m, i, w, out):  # noqa: F811 - of the other layout
    out[:] = 0.0
    W = w.view(np.float32).reshape((-1, m.width))
    gather_times_soft(m.indices, m.values, m.indptr[i], m.indptr[i + 1], W, m.threshold, out)
