// The page: it draws what is chosen, says what it left out, and lists where the lines end.
const at = id => document.getElementById(id);

function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

function show() {
  const groups = bestFirst(grouped()), shown = shownLines(groups);
  at("of-host").hidden = at("of-alone").hidden = !timed();
  at("lines").querySelector("div").replaceChildren(...groups.map(entry));
  tabulate(shown);
  drawLines(shown);
  drawBars(shown);
  at("yaml").textContent = config(shown.flatMap(([, some]) => some));
  say(shown.flatMap(([, some]) => some), hasRoom(shown));
}

// ---- the list of algorithms

function entry(group) {
  const label = element("label"), tick = element("input");
  tick.type = "checkbox";
  tick.dataset.line = group.name;
  tick.checked = !hidden.has(group.name);
  tick.addEventListener("change", () => {
    if (tick.checked) hidden.delete(group.name); else hidden.add(group.name);
    changed(group.name);
  });
  label.append(tick, swatch(group), element("span", group.name));
  return label;
}

// A line's name after a sample of it: in the legend, before its bar and in the table.
function withSwatch(group) {
  const made = element("span");
  made.append(swatch(group), group.name);
  return made;
}

function swatch({ colour, dash }) {
  if (!colour) return make("svg", { width: 28, height: 12 });
  const line = stroke({ colour: visible(colour, ground()), dash, width: 2.5 });
  return make("svg", { width: 28, height: 12, "aria-hidden": true }, make("path", { d: "M0 6h28", ...line }));
}

// ---- what is said beside the plot

function say(some, room) {
  const loss = { every: "every loss", none: "no loss" }[chosen("loss")] ?? `${chosen("loss")} loss`;
  const strength = { every: ", every C", "-": "" }[chosen("C")] ?? `, C = ${chosen("C")}`;
  const lines = new Set(some.map(named)).size;
  at("title").textContent = runs.length ? `${titled(chosen("data"))}, ${loss}${strength}` : "Explorer";
  at("meaning").textContent = `${Y[chosen("y")][1]} ${X[chosen("x")][1]}`;
  at("said").textContent = !runs.length ? "No run is finished yet."
    : !some.length ? `Nothing to draw: no run that is chosen has a ${NAMES[chosen("y")]}.`
    : [`${plural(some.length, "run")} in ${plural(lines, "line")}.`, ...legendOfMarks()].join(" ");
  at("thinned").textContent = DATA.notes.join(" ");
  at("notes").replaceChildren(...leftOut(some, room).filter(Boolean).map(text => element("li", text)));
}

// What the lines and their marks mean, of those that are drawn.
function legendOfMarks() {
  const { lines } = view.picture, marks = new Set(lines.flatMap(line => line.marks)), some = lines.filter(line => !line.run);
  const folds = runs.some(run => run.fold) ? "seeds and folds" : "seeds";
  return [
    some.length && `A line is the median over ${folds}${some.some(line => line.low) ? ", its band their range" : ""}.`,
    marks.has("dot") && "A dot at the end: the gap asked for was reached.",
    marks.has("end") && "A cross at the end: the run diverged.",
  ].filter(Boolean);
}

// Sentences on what is not drawn, and on what is but should be read with care.
function leftOut(some, room) {
  const visible = ofProblem().filter(run => !hidden.has(named(run)));
  const here = visible.filter(run => !timed() || run.host === chosen("host"));
  const are = count => count === 1 ? "is" : "are";
  const without = here.filter(run => !run.curve[chosen("y")]).length;
  const repeated = here.filter(run => run.curve[chosen("y")] && mayCount(run)).length - some.length;
  const crowded = here.filter(run => run.alone === false).length;
  const unknown = here.filter(run => run.alone === null).length;
  const others = visible.length - here.length, groups = grouped(), drawn = groups.filter(({ name }) => !hidden.has(name));
  return [
    drawn.length < groups.length && `${drawn.length} of ${plural(groups.length, "line")} are ticked: a problem opens with `
      + (groups.some(({ runs }) => !runs.some(isOwn)) ? "your own and the published that end best." : `the ${MOST_TICKED} that end best.`),
    view.opening?.most && `The plot opens with the first ${brief(view.opening.most)} ${X[chosen("x")][0]}, where most lines end: `
      + `others go on to ${brief(view.opening.last)}.`,
    drawn.some(({ colour }) => !colour) && "Lines without a sample in the list are not drawn: no look is left for them.",
    without && `${plural(without, "run")} without a ${NAMES[chosen("y")]} ${are(without)} not drawn.`,
    others && `${plural(others, "run")} of other hosts ${are(others)} not drawn: seconds of two machines are not `
      + "compared.",
    timed() && crowded && (ticked("alone")
      ? `${plural(crowded, "run")} not alone on the machine ${are(crowded)} left out.`
      : `Marked with crosses along the line: ${plural(crowded, "run")} not alone on the machine, whose seconds are `
        + "no measure."),
    timed() && unknown && `Of ${plural(unknown, "run")} it is not recorded whether they were alone on the machine`
      + `${ticked("alone") ? ": they are left out" : ""}.`,
    repeated && `${plural(repeated, "run")} that differ${repeated === 1 ? "s" : ""} from another only in when it `
      + "stops or where it was made: of each seed the longest counts.",
    !room && `${some.length.toLocaleString("en")} runs are too many to draw one by one (at most ${MOST_LINES}): only `
      + "medians and bands are drawn. Choose fewer algorithms to see each run.",
  ];
}

// ---- where the lines end

const last = (run, column) => run.curve[column]?.findLast(value => value !== null) ?? null;

// The median; a run that diverged counts as the worst.
function middle(some, column) {
  const ends = some.map(run => run.status === "diverged" ? worstOf(column) : last(run, column)).filter(value => value !== null);
  const found = ends.length ? quantile(ends, 0.5) : null;
  return Number.isFinite(found) ? found : null;
}

// The lines in the order of where they end, by what is shown, those without it last; own ones before published ones.
function bestFirst(groups) {
  const y = chosen("y"), sign = y === "f1" ? -1 : 1;
  const ends = new Map(groups.map(group => [group, middle(longest(group.runs.filter(mayCount)), y)]));
  const place = group => ends.get(group) === null ? Infinity : sign * ends.get(group);
  const own = group => group.runs.some(isOwn);
  return groups.sort((a, b) => own(b) - own(a) || (place(a) === place(b) ? 0 : place(a) - place(b)));
}

// A number of the table, written as in the report.
const inTable = (column, value) => value === null ? "-" : ["error", "validation", "f1"].includes(column) ? value.toFixed(2)
  : isDistance(column) ? value.toExponential(1) : String(+value.toPrecision(6));

// What the table has of each line: what is shown first, then what else its runs have.
function tabulate(shown) {
  const some = shown.filter(([, runs]) => runs.length), table = at("ends"), percent = ["error", "validation", "f1"];
  const others = ["gap", "error", "validation", "primal"].filter(name => some.some(([, runs]) => runs.some(run => run.curve[name])));
  const columns = [...new Set([chosen("y"), ...others])], headed = name => NAMES[name].replace(" to the optimum, at most", "");
  const numeric = ["runs", ...columns.map(name => headed(name) + (percent.includes(name) ? " %" : ""))];
  const heads = ["algorithm", ...numeric, "ended", "names of the runs"];
  table.tHead.rows[0].replaceChildren(...heads.map(text => element("th", text, numeric.includes(text) ? "n" : "")));
  table.tBodies[0].replaceChildren(...some.map(([group, runs]) => {
    const row = element("tr"), names = element("details"), cell = element("td");
    names.append(element("summary", plural(runs.length, "run")), ...runs.map(run => element("code", run.key)));
    cell.append(names);
    const numbers = columns.map(column => element("td", inTable(column, middle(runs, column)), "n"));
    const named = element("td");
    named.append(withSwatch(group));
    row.append(named, element("td", runs.length, "n"), ...numbers, element("td", endings(runs)), cell);
    return row;
  }));
}

// ---- begin

// Show what the address chooses: of the report's runs, or of those of a paper, which have a file of their own.
function start() {
  const papers = form.elements.paper, wanted = new URLSearchParams(location.hash.slice(1)).get("paper");
  if (papers) papers.value = [...papers.options].some(({ value }) => value === wanted) ? wanted : papers.options[0].value;
  if (papers && DATA?.paper !== papers.value) return load(papers.value);
  if (!DATA) take(JSON.parse(at("data").textContent));
  readAddress();
  show();
}

// A script, since a page that is opened from a disk may not fetch.
function load(paper) {
  const script = element("script");
  script.src = `${paper}.js`;
  script.onload = () => script.remove();
  script.onerror = () => { at("said").textContent = `There is no file ${paper}.js beside this page.`; };
  document.head.append(script);
}

// What the file of a paper calls.
function begin(data) {
  if (data.paper !== chosen("paper")) return; // another was chosen meanwhile
  take(data);
  start();
}

// Draw anew after a choice; the algorithm of that name keeps the keyboard's focus.
function changed(name = "") {
  writeAddress();
  show();
  if (name) [...at("lines").querySelectorAll("input")].find(tick => tick.dataset.line === name)?.focus();
}

form.addEventListener("change", ({ target: { name } }) => {
  if (!name) return; // an algorithm: it has listeners of its own
  if (name === "paper") return void (location.hash = `paper=${chosen(name)}`);
  if (["figure", "data", "loss", "C"].includes(name)) {
    refill(wishes());
    showFirst();
  }
  if (name === "y") form.elements.logy.checked = Y[chosen("y")][2];
  changed();
});
at("every").addEventListener("click", () => {
  hidden.clear();
  changed();
});
at("no").addEventListener("click", () => {
  hidden = new Set(grouped().map(group => group.name));
  changed();
});
for (const button of document.querySelectorAll(".save button")) {
  button.addEventListener("click", () => save(button.dataset.format));
}
addEventListener("hashchange", start);
DARK.addEventListener("change", () => DATA && show());
plot.addEventListener("pick", ({ detail: { line: { run, tell }, k } }) => {
  at("picked").replaceChildren(tell(k).join("; "), ...(run ? [": ", element("code", run.key)] : []));
});
start();
