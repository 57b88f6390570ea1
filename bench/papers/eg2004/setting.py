"""Constants of eg2004's experiments: step sizes, starts, and what the paper leaves open."""

CS = (100.0, 10.0, 1.0)  # C' = 1, with features divided by sqrt(C)
THEIR_LEAD = 1.1  # EG's dual over SMO's at the end: "a larger than 10% increase"
ETAS = (0.5, 1.0)  # Figure 4a
THETAS = (2.7, 3.0, 4.5)  # Figure 4b, negated
THETA = 4.5  # of Figure 4a, where the paper does not say
TOUCHED = 3  # parts of a wrong label: its node and two edges
FIXED, ADAPTIVE = False, True
SWEEPS = 99.0  # over the training set: the end of the paper's axis
SMO_VISITS = 2.0  # per sentence and sweep: a transfer of mass needs two searches
SMO_PASSES = 10  # of the hybrid
MIXED = 1e-5  # of the uniform distribution in its marginals at the switch
THEIR_SENTENCES = 1000
STEPS = 10_000.0  # of EG-QP
QP_CS = (100.0, 10.0)
QP_DATA = "mnist:train=50,test=100"
