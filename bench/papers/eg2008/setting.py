"""The setting of eg2008's experiments: values of C, step sizes, EG's starts, limits, and what counts as level."""

CS = (1000.0, 100.0, 10.0, 1.0)
SGD_ERROR_CS = (1000.0, 100.0, 10.0, 0.01)  # Figure 9
ALIKE_CS = (1.0, 0.1, 0.01)  # of SGD, left out of Figure 9 as nearly identical
SLOW_C = 0.1  # at which section 7.1 found EG slow
CONJUGATE_CS = (100.0, 10.0)  # at which conjugate gradient is run
POST_HOC = {"eta0": 0.1}  # Figure 10, C = 1
FIXED_RATE = {"decay": False}  # section 7.1.3
# Figures 8 and 10, C = 1: t <= 5 is pass 6 of ours, which counts the pass that computes w of the first u
ANNEALED = {"anneal": 10.0, "hold": 6.0, "rate": 0.7}
START, UNIFORM = 10.0, 0.0  # EG's first dual point, which the paper leaves open: ours, and the uniform one
STARTS = (START, UNIFORM)
SHOWN = 60.0  # passes on the x axis of all but Figures 6, 7 and 14, which show whole runs
GAP = 1e-5  # relative, at which runs end: a hundredth of the least level that a rule asks for
NEAR, CLOSE = 0.01, 0.001  # relative distances from the optimum at which rules look; Table 2's tolerance
POINT = 0.01  # of error
LEVEL = 0.2 * POINT  # errors of 10,000 examples that are no further apart are level
FIXED = ("lbfgs", "cutting-plane", "conjugate-gradient")  # nothing that matters is drawn at random
