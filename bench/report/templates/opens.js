// What the page opens on: a problem, a measure, lines that are ticked and a part of the plot where something is seen.
const MOST_TICKED = 12, FEWEST_BESIDE = 4; // lines that a problem opens with; of these published ones beside own ones
const FALLEN = 0.5, START = 0.05; // a distance that says something; the share of x that is a start
const MOST_ENDS = 0.75, FAR = 3; // the share of lines that is most; how much farther than these the others may go

const isOwn = run => !run.variant[1].includes("published in ");
const least = (run, column) => Math.min(...(run.curve[column] ?? []).filter(value => value !== null));
const falls = column => run => least(run, column) < FALLEN;

// Powers of ten between a run's greatest and least distance.
function decades(run) {
  const values = (run.curve.distance ?? []).filter(value => value > 0);
  return values.length ? Math.log10(Math.max(...values) / Math.min(...values)) : 0;
}

// The problem on which most lines come near the optimum, of those with certificates if there are any; then that with
// most lines, and then that on which a line falls deepest.
function busiest(some) {
  const certified = some.filter(run => run.curve.gap);
  const found = [...Map.groupBy(certified.length ? certified : some, run => JSON.stringify(run.problem))].map(([key, runs]) => {
    const lines = which => new Set(which.map(run => run.variant)).size;
    return { key, worth: [lines(runs.filter(falls("distance"))), lines(runs), Math.max(...runs.map(decades))] };
  });
  const better = (a, b) => a.map((value, k) => value - b[k]).find(Boolean) > 0;
  return found.length ? JSON.parse(found.reduce((a, b) => better(b.worth, a.worth) ? b : a).key) : ["", "", ""];
}

// The figure that a paper's page opens on: the first of the paper itself, on its own data.
function firstFigure() {
  const papers = DATA.figures.filter(({ title }) => title.startsWith("Figure"));
  return form.elements.paper ? (papers.find(({ title }) => !title.includes("substitute")) ?? papers[0])?.id : undefined;
}

// The measure that a problem opens on: the distance or the gap if a line comes down, else an error.
function tellingMeasure(some) {
  const there = ["validation", "error", "f1", "distance", "gap"].filter(column => some.some(run => run.curve[column]));
  return ["distance", "gap"].find(column => some.some(falls(column))) ?? there[0];
}

// Of lines, the best first, those that are ticked: own ones all if others are published, and of the rest the best.
function firstTicked(groups) {
  const own = groups.filter(group => group.runs.some(isOwn));
  return groups.slice(0, own.length < groups.length ? Math.max(MOST_TICKED, own.length + FEWEST_BESIDE) : MOST_TICKED);
}

// What a plot opens on: x to where most lines end; and where the start of the lines leaves no room for the rest on a
// linear axis, the rest.
function opening({ lines, x, y }) {
  const whole = span(lines.flatMap(line => line.x), x.log), ends = lines.map(line => line.x.at(-1)).sort((a, b) => a - b);
  const most = ends[Math.ceil(MOST_ENDS * ends.length) - 1], cut = !x.log && ends.at(-1) > FAR * most && most > 0;
  const range = cut ? [whole[0], 1.03 * most] : whole, from = range[0] + START * (range[1] - range[0]);
  const values = after => lines.flatMap(line => ["y", "low", "high"].flatMap(name => (line[name] ?? [])
    .filter((_, k) => unit(line.x[k], x.log) >= after && unit(line.x[k], x.log) <= range[1])));
  const [all, rest] = [-Infinity, from].map(after => span(values(after), y.log));
  const isSteep = !y.log && rest[1] - rest[0] < (all[1] - all[0]) / 2 && values(from).length;
  return cut || isSteep ? { x: range, y: isSteep ? rest : all, ...(cut && { most, last: ends.at(-1) }) } : null;
}
