"""Euclidean projection onto the l1 ball, in expected time linear in the nonzero weights.

Duchi, Shalev-Shwartz, Singer and Chandra, Efficient projections onto the l1-ball for learning in high dimensions,
ICML 2008, Figure 2. The size |w_k| shrinks by the theta at which the sizes add up to the radius. Partitions around
random pivots find theta, as they find the k-th largest number. Nonzero weights are kept in a list, so that zeros
need no time at all.
"""

from structbench.algorithms.runtime.kernel import kernel

MULTIPLIER, INCREMENT, MODULUS = 1103515245, 12345, 2**31  # of the generator that draws pivots


@kernel
def shrinkage(sizes, radius):
    """theta >= 0 with sum_k max(sizes_k - theta, 0) = radius, or 0 where the sum of sizes is no larger.

    ``sizes``, at least 0, is reordered.
    """
    total = 0.0
    for k in range(sizes.shape[0]):
        total += sizes[k]
    if total <= radius:
        return 0.0
    state = sizes.shape[0]
    low, high = 0, sizes.shape[0]  # whether these sizes exceed theta is still open
    above, count = 0.0, 0  # sum and number of sizes that exceed theta for certain
    while low < high:
        state = (state * MULTIPLIER + INCREMENT) % MODULUS
        p = low + (state >> 8) % (high - low)
        pivot = sizes[p]
        sizes[p], sizes[low] = sizes[low], pivot
        middle, larger = low + 1, pivot  # sizes[low:middle] >= pivot, and their sum
        for k in range(low + 1, high):
            if sizes[k] >= pivot:
                larger += sizes[k]
                sizes[k], sizes[middle] = sizes[middle], sizes[k]
                middle += 1
        if above + larger - (count + middle - low) * pivot < radius:
            above += larger
            count += middle - low
            low = middle
        else:  # the pivot itself does not exceed theta
            sizes[low] = sizes[middle - 1]
            low, high = low, middle - 1
    return (above - radius) / count


@kernel
def project(w, listed, where, count, radius, sizes):
    """Project w onto the ball. Returns the new number of weights listed, which are not 0.

    Args:
        listed, where: listed[k] says whether weight k is among where[:count]; others are 0.
        sizes: working memory, as long as w.
    """
    for j in range(count):
        sizes[j] = abs(w[where[j]])
    theta = shrinkage(sizes[:count], radius)
    if theta == 0.0:
        return count
    kept = 0
    for j in range(count):
        k = where[j]
        if w[k] > theta:
            w[k] -= theta
        elif w[k] < -theta:
            w[k] += theta
        else:
            w[k] = 0.0
            listed[k] = False
            continue
        where[kept] = k
        kept += 1
    return kept
