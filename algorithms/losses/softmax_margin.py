"""The softmax-margin: the log loss with costs, log sum_y exp(e_i(y) + w . f(x_i, y)) - w . f(x_i, y_i).

K. Gimpel and N. Smith, Softmax-margin CRFs: training log-linear models with cost functions, NAACL 2010.
"""

from structbench.algorithms.losses.family import Loss

LOSS = Loss(temperature=1.0, cost=1.0)
