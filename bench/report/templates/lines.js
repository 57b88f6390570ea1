// The lines: which runs each has, how it looks, and what is said of its points.
const MOST_LINES = 200; // drawn one by one: more are neither told apart nor quick
const MOST_NAMED = 10; // lines of which the plot has a legend: the list of algorithms has all
const DASHES = ["", "8 5", "2 3", "8 4 2 4", "14 5", "14 4 2 4"];
const ENDS = { converged: "dot", diverged: "end" };
const DARK = matchMedia("(prefers-color-scheme: dark)"), DIM = 0.15; // the least luminance that is seen on dark ground
const WHITE = { ink: "#222", line: "#e4e4e4", paper: "#fff", dark: false }; // of a picture that is kept
const ALONE = {
  true: "alone on the machine",
  false: "not alone on the machine: its seconds are no measure",
  null: "not recorded whether it was alone on the machine",
};

const brief = value => Number.isFinite(value) ? String(+value.toPrecision(4)) : "-";
const plural = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

// "passes (3), converged (2)"
function counted(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${word} (${count})`).join(", ");
}

// A run's name in lines that are not much longer than the others of a box.
function wrapped(key) {
  const lines = [""];
  for (const field of key.split(/(?=__)/)) {
    if (lines.at(-1) && lines.at(-1).length + field.length > 50) lines.push("");
    lines[lines.length - 1] += field;
  }
  return lines;
}

// A line's name: the algorithm, and that in which it differs from others.
function named(run) {
  const [algorithm, setting] = run.variant, [, loss, C] = run.problem;
  const said = [setting, chosen("loss") === EVERY && loss, chosen("C") === EVERY && C !== "-" && `C = ${C}`];
  return [algorithm, ...said.filter(Boolean)].join(", ");
}

// All lines of the problem with their looks, whether they are shown or not: a look does not change with that.
function grouped() {
  const groups = new Map();
  for (const run of ofProblem()) {
    const name = named(run);
    if (!groups.has(name)) groups.set(name, { name, algorithm: run.variant[0], runs: [] });
    groups.get(name).runs.push(run);
  }
  return withLooks([...groups.values()].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })));
}

// A colour for each algorithm, that of the figures if it has one there, and a dash for each variant of it; one
// with more variants than there are dashes takes another colour.
function withLooks(groups) {
  const colours = new Map(), taken = new Set(), dashes = new Map();
  const take = (algorithm, colour) => { colours.set(algorithm, colour); taken.add(colour); };
  const spare = () => DATA.colours.all.find(colour => !taken.has(colour));
  const algorithms = [...new Set(groups.map(group => group.algorithm))];
  for (const algorithm of algorithms) {
    const own = DATA.colours.own[algorithm];
    if (own && !taken.has(own)) take(algorithm, own);
  }
  algorithms.forEach((algorithm, k) => {
    if (!colours.has(algorithm)) take(algorithm, spare() ?? DATA.colours.all[k % DATA.colours.all.length]);
  });
  for (const group of groups) {
    if (dashes.get(colours.get(group.algorithm)) >= DASHES.length && spare()) take(group.algorithm, spare());
    group.colour = colours.get(group.algorithm);
    const used = dashes.get(group.colour) ?? 0;
    group.dash = DASHES[used % DASHES.length];
    dashes.set(group.colour, used + 1);
  }
  return groups;
}

const parts = colour => [1, 3, 5].map(k => parseInt(colour.slice(k, k + 2), 16));

// The colours of ink, grid and ground: those of the page.
function ground() {
  const style = getComputedStyle(document.body), colour = name => style.getPropertyValue(`--${name}`).trim();
  return { ink: colour("ink"), line: colour("line"), paper: colour("paper"), dark: DARK.matches };
}

// A line's colour; on dark ground, one that is too dark gets lighter.
function visible(colour, on) {
  if (!on.dark) return colour;
  const linear = part => part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  let found = parts(colour);
  while (luminance(found) < DIM) found = found.map(part => Math.round(part + (255 - part) / 8));
  return `#${found.map(part => part.toString(16).padStart(2, "0")).join("")}`;
}

function runLine(group, run) {
  const [x, y, places] = points(run, chosen("x"), chosen("y")), end = x.length - 1;
  const crossed = timed() && run.alone === false, mark = ENDS[run.status] ?? (end ? "" : "point");
  const about = [`seed ${run.seed}`, `ended: ${run.status}`, ...(timed() ? [ALONE[run.alone]] : [])].join(", ");
  const said = (name, k) => brief(run.curve[name]?.[places[k]]);
  return {
    ...group, x, y, run, width: 2, marks: x.map((_, k) => crossed ? "cross" : k === end ? mark : ""),
    tell: k => [
      group.name,
      `${said("passes", k)} passes, ${said("seconds", k)} ${run.key.includes("threads=") ? "s of wall" : "CPU s"}`,
      `gap ${said("gap", k)}, primal ${said("primal", k)}`,
      `test error ${said("error", k)} %, F1 ${said("f1", k)} %`,
      about, run.host,
    ],
    code: wrapped(run.key),
  };
}

function bandLine(group, some, q) {
  const { x, low, median, high, seeds } = band(some, chosen("x"), chosen("y"), q, ticked("logy"));
  const crossed = timed() && some.some(run => run.alone === false);
  const range = q === 0 ? "least to greatest" : `${100 * q} to ${100 - 100 * q} %`;
  return {
    ...group, x, y: median, width: 2.4, marks: x.map(() => crossed ? "cross" : ""),
    ...(chosen("band") === "none" ? {} : { low, high }),
    tell: k => [
      group.name,
      `${brief(median[k])} at ${brief(x[k])}`,
      `${range}: ${brief(low[k])} to ${brief(high[k])}`,
      `median of ${plural(seeds, "run")}${crossed ? ", some not alone on the machine" : ""}`,
      `ended: ${counted(some.map(run => run.status))}`,
    ],
  };
}

// The lines that are ticked, each with the runs of it that count and have what is shown; one run for each seed.
const shownLines = groups => groups.filter(group => !hidden.has(group.name))
  .map(group => [group, longest(group.runs.filter(mayCount)).filter(run => run.curve[chosen("y")])]);

// Whether there is room for each run, if each is asked for.
const hasRoom = shown => chosen("band") !== "runs"
  || shown.reduce((sum, [, some]) => sum + some.length, 0) <= MOST_LINES;

// The picture of them on this ground.
function pictured(shown, on) {
  const each = chosen("band") === "runs" && hasRoom(shown);
  const seen = shown.filter(([, some]) => some.length)
    .map(([{ name, colour, dash, algorithm }, some]) => [{ name, algorithm, colour: visible(colour, on), dash }, some]);
  return {
    on, legend: seen.map(([group]) => group),
    lines: seen.flatMap(([group, some]) => some.length === 1 || each ? some.map(run => runLine(group, run))
      : [bandLine(group, some, Number(chosen("band")) / 100 || 0)]),
    x: { title: X[chosen("x")][0] + (timed() ? ` on ${chosen("host")}` : ""), log: ticked("logx") },
    y: { title: Y[chosen("y")][0], log: ticked("logy") },
    // a zoom stays until other axes are chosen
    revision: JSON.stringify(["data", "loss", "C", "x", "y"].map(chosen).concat(["logx", "logy"].map(ticked))),
  };
}

function drawLines(shown) {
  const picture = pictured(shown, ground()), named = picture.legend.length;
  draw({ ...picture, legend: named > 1 && named <= MOST_NAMED ? picture.legend : [] });
}

// A picture of the plot with its title, named after data, loss and C.
async function save(format) {
  const picture = { ...pictured(shownLines(bestFirst(grouped())), WHITE), title: at("title").textContent };
  const link = document.createElement("a");
  const name = [chosen("data"), `${chosen("loss")} loss`, chosen("C") === "-" ? "" : `C=${chosen("C")}`];
  link.download = `${name.filter(Boolean).join(" ").replace(/[^\w=.-]+/g, "-")}.${format}`;
  link.href = await fileOf(picture, format);
  link.click();
}
