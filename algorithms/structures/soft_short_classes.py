"""Classes whose weights are float32, and whose visits read them shrunk towards 0."""

import numpy as np

from structbench.algorithms.runtime.rows import gather_times_soft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.single_precision import ShortClasses
from structbench.algorithms.structures.soft_views import soft_layout

SoftShortClasses = soft_layout("SoftShortClasses", ShortClasses)


@implements(SoftShortClasses)
def scores(m, i, w, out):
    out[:] = 0.0
    W = w.view(np.float32).reshape((-1, m.width))
    gather_times_soft(m.indices, m.values, m.indptr[i], m.indptr[i + 1], W, m.threshold, out)
