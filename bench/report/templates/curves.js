"use strict";
// Numbers of runs: values between checkpoints, medians and quantiles over seeds. Nothing here knows of the page.

// The points of a run at which both columns have a number, as [xs, ys, places in the curve].
function points(run, x, y) {
  const [xs, ys, places] = [[], [], []];
  for (let k = 0; run.curve[y] && k < run.curve[y].length; k++) {
    if (run.curve[x][k] !== null && run.curve[y][k] !== null) {
      xs.push(run.curve[x][k]);
      ys.push(run.curve[y][k]);
      places.push(k);
    }
  }
  return [xs, ys, places];
}

// What a diverged run counts as, of a quantity of which less, or more, is better.
const worstOf = y => ["f1", "dual"].includes(y) ? -Infinity : Infinity;

// Linear between checkpoints, of a logarithm where that is what is drawn; null before the first checkpoint.
// After the last: the `worst` for a run that diverged, else what it ended with.
function interpolated([xs, ys], x, log, diverged, worst) {
  const last = xs.length - 1;
  if (x < xs[0]) return null;
  if (x > xs[last]) return diverged ? worst : ys[last];
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle; else high = middle;
  }
  if (x === xs[high] || xs[high] === xs[low]) return ys[high];
  const share = (x - xs[low]) / (xs[high] - xs[low]);
  return log && ys[low] > 0 && ys[high] > 0
    ? Math.exp((1 - share) * Math.log(ys[low]) + share * Math.log(ys[high]))
    : (1 - share) * ys[low] + share * ys[high];
}

// The q-th quantile of numbers, linear between two of them (Hyndman and Fan's type 7).
function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = q * (sorted.length - 1), below = Math.floor(place), share = place - below;
  return share ? (1 - share) * sorted[below] + share * sorted[below + 1] : sorted[below];
}

// Median and quantiles of several runs at common xs, up to where the first of them was stopped short: a run that
// reached its gap has nothing more to do and keeps its last value, any other might have gone on.
function band(runs, x, y, q, log, most = 150) {
  const curves = runs.map(run => points(run, x, y)).filter(([xs]) => xs.length);
  const found = { x: [], low: [], median: [], high: [], seeds: curves.length };
  if (!curves.length) return found;
  const of = runs.filter(run => points(run, x, y)[0].length);
  const ends = curves.map(([xs]) => xs[xs.length - 1]);
  const top = curves.reduce((most, [, ys]) => Math.max(most, ...ys), -Infinity); // where runs diverge
  const bottom = curves.reduce((least, [, ys]) => Math.min(least, ...ys), Infinity);
  const open = ends.filter((_, k) => !["converged", "diverged"].includes(of[k].status));
  const end = open.length ? Math.min(...open) : Math.max(...ends);
  let grid = [...new Set(curves.flatMap(([xs]) => xs))].filter(at => at <= end).sort((a, b) => a - b);
  const step = Math.ceil(grid.length / most);
  grid = grid.filter((_, k) => k === grid.length - 1 || k % step === 0);
  for (const at of grid) {
    const values = curves.map((curve, k) => interpolated(curve, at, log, of[k].status === "diverged", worstOf(y)));
    if (values.includes(null)) continue;
    const three = [q, 0.5, 1 - q].map(share => quantile(values, share));
    if (!Number.isFinite(three[1])) break;
    found.x.push(at);
    found.low.push(Math.max(three[0], bottom));
    found.median.push(three[1]);
    found.high.push(Math.min(three[2], top));
  }
  return found;
}

// The passes of a run; a path that ended before its C has none there.
const passesOf = run => run.curve.passes?.at(-1) ?? -1;

// Of runs that differ only in when they stop, the longest: one for each seed and fold.
function longest(runs) {
  const bySeed = new Map();
  for (const run of runs) {
    const place = `${run.seed} ${run.fold}`, other = bySeed.get(place);
    if (!other || passesOf(run) > passesOf(other)) bySeed.set(place, run);
  }
  return [...bySeed.values()];
}

// The place between two that is nearest to a third.
function onto([x, y], [fromX, fromY], [toX, toY]) {
  const [wide, high] = [toX - fromX, toY - fromY];
  const share = Math.min(1, Math.max(0, ((x - fromX) * wide + (y - fromY) * high) / (wide * wide + high * high || 1)));
  return [fromX + share * wide, fromY + share * high];
}
