"""The setting of eg2008's experiments: values of C, step sizes, EG's starts, limits."""

CS = (1000.0, 100.0, 10.0, 1.0)
SGD_ERROR_CS = (1000.0, 100.0, 10.0, 0.01)  # Figure 9
POST_HOC = {"eta0": 0.1}  # Figure 10, C = 1
ANNEALED = {"anneal": 10.0, "hold": 5.0, "rate": 0.7}  # Figures 8 and 10, C = 1
START, UNIFORM = 10.0, 0.0  # EG's first dual point, which the paper leaves open: ours, and the uniform one
SHOWN = 60.0  # passes on the x axis of all but Figures 6, 7 and 14, which show whole runs
HINGE_PASSES = 100.0
FIXED = ("lbfgs", "cutting-plane")  # nothing is drawn at random, or nothing that decides where they go
