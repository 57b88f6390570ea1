// The lines: which runs each has, how it looks, and what is said of its points.
const MOST_LINES = 200; // drawn one by one: more are neither told apart nor quick
const NEAR = 0.12; // a distance of colours, as `perceived`: lines whose colours are nearer have different dashes
const DASHES = ["", "9 5", "2 3", "14 4 2 4"];
const ENDS = { converged: "dot", diverged: "end" };
const ENDED = {
  converged: "gap reached", passes: "all passes used", timeout: "time limit", stalled: "no further step",
};
const DARK = matchMedia("(prefers-color-scheme: dark)");
const WHITE = { ink: "#222", line: "#e4e4e4", paper: "#fff", dark: false }; // of a picture that is kept
const ALONE = {
  true: "alone on the machine",
  false: "not alone on the machine: its seconds are no measure",
  null: "not recorded whether it was alone on the machine",
};

const varied = new Map(); // algorithm -> the parameters in which its runs of the problem differ
const MOST_DEFAULTS = 2; // of an algorithm with more such parameters, names would be too long with defaults
const brief = value => !Number.isFinite(value) ? "-" : value && Math.abs(value) < 1e-3 ? value.toExponential(1) : String(+value.toPrecision(4));
const plural = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

// How runs ended, such as "all passes used (3), gap reached (2)".
function endings(some) {
  const counts = new Map();
  for (const word of some.map(run => ENDED[run.status] ?? run.status)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size === 1 ? [...counts.keys()][0] : [...counts].map(([word, count]) => `${word} (${count})`).join(", ");
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

// A line's name, as in figures: the algorithm, and that in which its runs of the problem differ. A setting that others
// have and it leaves at its default is said, too, where the page knows the default.
function named(run) {
  const [algorithm, setting] = run.variant, [, loss, C] = run.problem, names = varied.get(algorithm) ?? new Set();
  const [settings, given] = [setting.split(", "), setting.split(", ").map(each => each.split("=")[0])];
  const usual = names.size > MOST_DEFAULTS ? [] : Object.entries(DATA.defaults?.[algorithm] ?? {})
    .filter(([name]) => names.has(name) && !given.includes(name)).map(each => each.join("="));
  const told = [...settings.filter((_, k) => names.has(given[k])), ...usual].map(each => each.replace("=", " "));
  const said = [...told, chosen("loss") === EVERY && loss, chosen("C") === EVERY && C !== "-" && `C = ${C}`];
  return [algorithm, ...said.filter(Boolean)].join(", ");
}

// All lines of the problem with their looks, whether they are shown or not: a look does not change with that.
function grouped() {
  const groups = new Map();
  varied.clear();
  for (const [algorithm, some] of Map.groupBy(ofProblem(), run => run.variant[0])) {
    const settings = some.map(run => run.variant[1].split(", "));
    const differ = settings.flat().filter(each => each && (each.startsWith("published") || !settings.every(own => own.includes(each))));
    varied.set(algorithm, new Set(differ.map(each => each.split("=")[0])));
  }
  for (const run of ofProblem()) {
    const name = named(run);
    if (!groups.has(name)) groups.set(name, { name, algorithm: run.variant[0], set: run.variant[1] !== "", runs: [] });
    groups.get(name).runs.push(run);
  }
  return withLooks([...groups.values()].sort((a, b) => a.set - b.set || a.name.localeCompare(b.name, "en", { numeric: true })));
}

// A colour for each algorithm, by the rule of `colours.picture_colours`, and a dash for each variant of it. No two lines
// have one colour and dash: when an algorithm has no dash left, its lines take other colours. If no look is left at all,
// a line that is ticked takes that of one that is not; else it has none.
function withLooks(groups) {
  const { own, hues = own, all } = DATA.colours, colours = new Map(), taken = new Set();
  const algorithms = [...new Set([...Object.keys(own), ...groups.map(group => group.algorithm)])]
    .filter(name => groups.some(group => group.algorithm === name));
  const free = all.filter(colour => !algorithms.some(name => hues[name] === colour));
  for (const name of algorithms) {
    const keeps = own[name] && (!taken.has(hues[name]) || hues[name] === DATA.colours.user || !free.length);
    colours.set(name, keeps ? own[name] : free.shift() ?? all[0]);
    taken.add(hues[name]);
  }
  for (const group of groups) {
    const looks = [colours.get(group.algorithm), ...free, ...all].flatMap(colour => DASHES.map(dash => ({ colour, dash })));
    const from = looks.findIndex(({ colour, dash }) => !groups.some(other => other.dash === dash && isNear(other.colour, colour)));
    Object.assign(group, looks[from]);
    const used = free.indexOf(group.colour);
    if (used >= 0) colours.set(group.algorithm, ...free.splice(used, 1));
  }
  for (const group of groups.filter(({ name, colour }) => !colour && !hidden.has(name))) {
    const other = groups.find(({ name, colour }) => colour && hidden.has(name));
    if (other) [group.colour, group.dash, other.colour, other.dash] = [other.colour, other.dash];
  }
  return groups;
}

// Tick the first lines, at most so many that a reader tells them apart.
function showFirst() {
  hidden = new Set();
  const groups = bestFirst(grouped()), shown = new Set(firstTicked(groups));
  hidden = new Set(groups.filter(group => !shown.has(group)).map(group => group.name));
}

const parts = colour => [1, 3, 5].map(k => parseInt(colour.slice(k, k + 2), 16));
const linear = part => part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4;
const isNear = (a, b) => a && Math.hypot(...perceived(a).map((part, k) => part - perceived(b)[k])) < NEAR;

// A colour in Ottosson's OKLab, with less of the lightness: two blues are one colour for who reads a legend.
const ofColour = new Map(); // colour -> what is perceived of it: lines ask thousands of times
function perceived(colour) {
  if (!ofColour.has(colour)) ofColour.set(colour, inOklab(colour));
  return ofColour.get(colour);
}

function inOklab(colour) {
  const times = (rows, given) => rows.map(row => row.reduce((sum, each, k) => sum + each * given[k], 0));
  const cones = times([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.63]], parts(colour).map(linear));
  return times([[0.0632, 0.2381, -0.0012], [1.978, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]], cones.map(Math.cbrt));
}

// The colours of ink, grid and ground: those of the page.
function ground() {
  const style = getComputedStyle(document.body), colour = name => style.getPropertyValue(`--${name}`).trim();
  return { ink: colour("ink"), line: colour("line"), paper: colour("paper"), dark: DARK.matches };
}

// A line's colour; on dark ground turned as the page's style turns figures: invert(.91) hue-rotate(180deg) brightness(1.2).
function visible(colour, on) {
  if (!on.dark) return colour;
  const turned = parts(colour).map(part => 0.91 * 255 - 0.82 * part), cut = part => Math.min(255, Math.max(0, part));
  const grey = 0.213 * turned[0] + 0.715 * turned[1] + 0.072 * turned[2];
  return `#${turned.map(part => Math.round(cut(1.2 * cut(2 * grey - part))).toString(16).padStart(2, "0")).join("")}`;
}

function runLine(group, run) {
  const [x, y, places] = points(run, chosen("x"), chosen("y")), end = x.length - 1;
  const crossed = timed() && run.alone === false, mark = ENDS[run.status] ?? (end ? "" : "point");
  const about = [...(run.fold ? [run.fold] : []), `seed ${run.seed}`, `ended: ${endings([run])}`, ...(timed() ? [ALONE[run.alone]] : [])]
    .join(", ");
  const said = (name, k) => brief(run.curve[name]?.[places[k]]);
  return {
    ...group, x, y, run, width: 2, marks: x.map((_, k) => crossed ? "cross" : k === end ? mark : ""),
    tell: k => [
      group.name,
      `${said("passes", k)} passes, ${said("seconds", k)} ${isParallel(run) ? "s of wall" : "CPU s"}`,
      `gap ${said("gap", k)}, primal ${said("primal", k)}`,
      ...["error", "f1", "validation"].filter(name => run.curve[name]).map(name => `${NAMES[name]} ${said(name, k)} %`),
      about, run.host,
    ],
    code: wrapped(run.key),
  };
}

function bandLine(group, some, q) {
  const { x, low, median, high, seeds } = band(some, chosen("x"), chosen("y"), q, ticked("logy"));
  const crossed = timed() && some.some(run => run.alone === false), end = x.length - 1;
  const last = some.every(run => run.status === "converged") ? "dot" : "";
  const range = q === 0 ? "least to greatest" : `${100 * q} to ${100 - 100 * q} %`;
  return {
    ...group, x, y: median, width: 2.4, marks: x.map((_, k) => crossed ? "cross" : k === end ? last : ""),
    ...(chosen("band") === "none" ? {} : { low, high }),
    tell: k => [
      group.name,
      `${brief(median[k])} at ${brief(x[k])}`,
      `${range}: ${brief(low[k])} to ${brief(high[k])}`,
      `median of ${plural(seeds, "run")}${crossed ? ", some not alone on the machine" : ""}`,
      `ended: ${endings(some)}`,
    ],
  };
}

// The lines that are ticked, each with the runs of it that count and have what is shown; one run for each seed.
const shownLines = groups => groups.filter(group => group.colour && !hidden.has(group.name))
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
    x: { title: X[chosen("x")][0] + (timed() && plot.clientWidth >= NARROW ? ` on ${chosen("host")}` : ""), log: ticked("logx") },
    y: { title: Y[chosen("y")][0], log: ticked("logy") },
    // a zoom stays until other axes are chosen
    revision: JSON.stringify(["data", "loss", "C", "x", "y"].map(chosen).concat(["logx", "logy"].map(ticked))),
  };
}

function drawLines(shown) {
  const picture = pictured(shown, ground());
  at("legend").replaceChildren(...picture.legend.map(withSwatch));
  draw({ ...picture, legend: [] });
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
