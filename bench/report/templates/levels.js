// Bars: how far each line goes along the x axis until it is at a level.
const SHARES = [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];

// The value of a level: a gap or distance itself, of anything else so much worse than the best line's end.
const isDistance = y => ["gap", "distance"].includes(y);
const valueOf = (share, best) => isDistance(chosen("y")) ? share
  : best * (chosen("y") === "f1" ? 1 - share : 1 + share);

const SHARE_OF_LEVEL = 1e-3; // a smaller distance counts as this share of the level, since 0 has no logarithm

// From where on a run stays at the level, linear between checkpoints, as `curves.settled`; infinite if it does not.
function arrival(run, level) {
  if (run.status === "diverged" || !Number.isFinite(level)) return Infinity; // what is not finite has no point
  const y = chosen("y"), [xs, ys] = points(run, chosen("x"), y);
  const excess = ys.map(value => y === "f1" ? level - value : isDistance(y)
    ? Math.log10(Math.max(value, SHARE_OF_LEVEL * level) / level) : value - level);
  const first = excess.findLastIndex(value => value > 0) + 1;
  if (!first || first === xs.length) return xs[first] ?? Infinity;
  return xs[first - 1] + excess[first - 1] / (excess[first - 1] - excess[first]) * (xs[first] - xs[first - 1]);
}

// The median of each line, at the level that is asked for or else the nearest that half of the lines reach.
function arrivals(shown) {
  const some = shown.filter(([, runs]) => runs.length);
  const ends = some.map(([, runs]) => middle(runs, chosen("y"))).filter(end => end !== null); // of a diverged line
  const best = chosen("y") === "f1" ? Math.max(...ends) : Math.min(...ends);
  const at = share => some.map(([group, runs]) => [group, quantile(runs.map(run => arrival(run, valueOf(share, best))), 0.5)]);
  const reached = share => 2 * at(share).filter(([, x]) => Number.isFinite(x)).length >= some.length;
  const share = Number(chosen("level")) || (SHARES.findLast(reached) ?? SHARES[0]);
  return { share, found: at(share).sort(([, a], [, b]) => a === b ? 0 : a - b) };
}

function drawBars(shown) {
  const { share, found } = arrivals(shown), most = Math.max(...found.map(([, x]) => x).filter(Number.isFinite));
  const how = chosen("y") === "gap" ? `a certified gap of ${brief(100 * share)} %`
    : `within ${brief(100 * share)} % of the ${chosen("y") === "distance" ? "optimum" : `best ${NAMES[chosen("y")]}`}`;
  at("soon").textContent = `${X[chosen("x")][0]} to ${how}`;
  at("bars").replaceChildren(...found.flatMap(([group, x]) => {
    const bar = element("span", "", "bar"), there = Number.isFinite(x);
    bar.style.width = `${there ? Math.max(0.5, 100 * x / most) : 0}%`;
    bar.style.background = visible(group.colour, ground());
    const cell = element("span");
    cell.append(bar);
    return [withSwatch(group), cell, element("span", !there ? "not reached" : x < 100 ? x.toPrecision(2) : x.toFixed(), "n")];
  }));
}
