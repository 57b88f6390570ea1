"""Constants of eg2008's experiments: C, step sizes, EG's starts, limits, and which errors are level."""

CS = (1000.0, 100.0, 10.0, 1.0)
SGD_ERROR_CS = (1000.0, 100.0, 10.0, 0.01)  # Figure 9
ALIKE_CS = (1.0, 0.1, 0.01)  # of SGD, left out of Figure 9 as nearly identical
SLOW_C = 0.1  # at which section 7.1 found EG slow
CONJUGATE_CS = (100.0, 10.0)  # at which conjugate gradient is run
POST_HOC = {"eta0": 0.1}  # Figure 10, C = 1
FIXED_RATE = {"decay": False}  # section 7.1.3
# Figures 8 and 10, C = 1: t <= 5 is our pass 6, as our first pass computes w of the first u
ANNEALED = {"anneal": 10.0, "hold": 6.0, "rate": 0.7}
START, UNIFORM = 10.0, 0.0  # EG's first dual point: ours, and the uniform one; the paper does not say
STARTS = (START, UNIFORM)
SHOWN = 60.0  # passes on the x axis; Figures 6, 7 and 14 show whole runs
GAP = 1e-5  # relative gap that ends runs: a hundredth of the least level of a rule
NEAR, CLOSE = 0.01, 0.001  # relative distances from the optimum at which rules look; Table 2's tolerance
POINT = 0.01  # of error
LEVEL = 0.2 * POINT  # errors of 10,000 examples this close are level
FIXED = ("lbfgs", "cutting-plane", "conjugate-gradient")  # no random draw matters
