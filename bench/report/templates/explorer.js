// The page: what is chosen, in the form and behind the page's address, and the lines that it draws.
const DATA = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("choices"), plot = document.getElementById("plot");
const at = id => document.getElementById(id);
const MOST_LINES = 200; // drawn one by one: more are neither told apart nor quick
const CHOICES = ["data", "loss", "C", "y", "x", "host", "band"], TICKS = ["alone", "logx", "logy"];
const Y = {
  gap: ["certified gap (relative)", "(primal - dual) / |primal|: what a run itself certifies of its distance to the optimum.", true],
  distance: ["certified distance to the optimum (relative)", "(primal - bound) / |primal|, with the greatest dual value of all runs of the problem as bound.", true],
  primal: ["primal objective", "The sum of the losses plus the penalty.", false],
  error: ["test error (%)", "The share of wrong decisions on the test split.", false],
  f1: ["test F1 (%)", "F1 of the chunks on the test split.", false],
};
const NAMES = Object.fromEntries([...form.elements.y.options].map(option => [option.value, option.text]));
const X = {
  passes: ["effective passes", "A pass is as many inference calls as there are training examples."],
  seconds: ["seconds", "Wall seconds of the algorithm alone: evaluation and compilation do not count."],
};
// Without the button that sends a picture's data to a server.
const CONFIG = { responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "", modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"] };
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const MARKS = { converged: "circle", diverged: "x" };
let hidden = new Set(); // names of lines that are not shown

const runs = DATA.runs.map(run => ({
  ...run,
  curve: Object.fromEntries(DATA.columns.map((name, k) => [name, run.curve[k]])),
  problem: DATA.problems[run.problem], variant: DATA.variants[run.variant], host: DATA.hosts[run.host],
}));

// ---- words

const safe = text => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const brief = value => value === null || value === undefined || !Number.isFinite(value) ? "-" : String(+value.toPrecision(4));
const plural = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
const counted = words => [...words.reduce((m, w) => m.set(w, (m.get(w) ?? 0) + 1), new Map())].map(([w, n]) => `${w} (${n})`).join(", ");
const last = (run, column) => run.curve[column]?.findLast(value => value !== null) ?? null;
const middle = (some, column) => {
  const values = some.map(run => last(run, column)).filter(value => value !== null);
  return values.length ? quantile(values, 0.5) : null;
};
const ALONE = { true: "alone on the machine", false: "not alone on the machine: its seconds are no measure", null: "not recorded whether it was alone on the machine" };

// ---- the form and the address

const chosen = name => form.elements[name].value;
const ticked = name => form.elements[name].checked;

function fill(name, values, wanted, text = value => value) {
  const list = form.elements[name];
  list.replaceChildren(...values.map(value => new Option(text(value), value)));
  list.value = values.includes(wanted) ? wanted : values[0] ?? "";
}

// The problem that most lines are on, of those with certificates if there are any: where a reader begins.
function busiest(some) {
  const lines = new Map(), certified = some.filter(run => run.curve.gap);
  for (const run of certified.length ? certified : some) {
    const key = JSON.stringify(run.problem);
    lines.set(key, (lines.get(key) ?? new Set()).add(run.variant));
  }
  return lines.size ? JSON.parse([...lines].reduce((a, b) => b[1].size > a[1].size ? b : a)[0]) : ["", "", ""];
}

function refill(wanted) {
  const first = place => [...new Set(matching.map(run => run.problem[place]))];
  const begin = busiest(runs.filter(run => !wanted.data || run.problem[0] === wanted.data));
  let matching = runs;
  fill("data", first(0).sort(), wanted.data ?? begin[0]);
  matching = matching.filter(run => run.problem[0] === chosen("data"));
  fill("loss", ["every", ...first(1).sort()], wanted.loss ?? begin[1]);
  if (!wanted.loss || chosen("loss") !== wanted.loss) form.elements.loss.value = busiest(matching)[1];
  matching = matching.filter(run => ["every", run.problem[1]].includes(chosen("loss")));
  fill("C", ["every", ...first(2).sort((a, b) => a - b)], wanted.C);
  if (!wanted.C || chosen("C") !== wanted.C) form.elements.C.value = busiest(matching)[2];
  matching = matching.filter(run => ["every", run.problem[2]].includes(chosen("C")));
  const hosts = matching.map(run => run.host), count = host => hosts.filter(other => other === host).length;
  fill("host", [...new Set(hosts)].sort((a, b) => count(b) - count(a)), wanted.host);
}

const wishes = () => Object.fromEntries(CHOICES.map(name => [name, chosen(name)]));

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1)), wanted = Object.fromEntries(given);
  for (const name of ["y", "x", "band"]) {
    const list = form.elements[name];
    list.value = [...list.options].some(option => option.value === wanted[name]) ? wanted[name] : list.options[0].value;
  }
  hidden = new Set(given.getAll("without"));
  refill(wanted);
  if (!wanted.y && !something(chosen("y"))) form.elements.y.value = something("error") ? "error" : "f1";
  for (const name of TICKS) form.elements[name].checked = name in wanted ? wanted[name] === "1" : name === "logy" && Y[chosen("y")][2];
}

function writeAddress() {
  const said = new URLSearchParams(wishes());
  if (chosen("x") !== "seconds") said.delete("host");
  for (const name of TICKS) said.set(name, ticked(name) ? "1" : "0");
  for (const name of hidden) said.append("without", name);
  history.replaceState(null, "", `#${said}`);
}

// ---- what is drawn

const shownRuns = () => runs.filter(run => run.problem[0] === chosen("data")
  && ["every", run.problem[1]].includes(chosen("loss")) && ["every", run.problem[2]].includes(chosen("C")));
const something = column => shownRuns().some(run => run.curve[column]);

function named(run) {
  const [algorithm, setting] = run.variant;
  const said = [setting, chosen("loss") === "every" && run.problem[1], chosen("C") === "every" && run.problem[2] !== "-" && `C = ${run.problem[2]}`];
  return [algorithm, ...said.filter(Boolean)].join(", ");
}

// All lines of the problem, each with its look, whether they are shown or not: a look does not change with that.
function grouped() {
  const groups = new Map(), colours = new Map(), dashes = new Map();
  for (const run of shownRuns()) {
    const name = named(run);
    if (!groups.has(name)) groups.set(name, { name, algorithm: run.variant[0], runs: [] });
    groups.get(name).runs.push(run);
  }
  const made = [...groups.values()].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  const algorithms = [...new Set(made.map(group => group.algorithm))];
  const taken = new Set(), spare = () => DATA.colours.all.find(colour => !taken.has(colour));
  const take = (algorithm, colour) => { colours.set(algorithm, colour); taken.add(colour); };
  for (const algorithm of algorithms) {
    const own = DATA.colours.own[algorithm];
    if (own && !taken.has(own)) take(algorithm, own);
  }
  algorithms.forEach((algorithm, k) => {
    if (!colours.has(algorithm)) take(algorithm, spare() ?? DATA.colours.all[k % DATA.colours.all.length]);
  });
  for (const group of made) {
    if (dashes.get(colours.get(group.algorithm)) >= DASHES.length && spare()) take(group.algorithm, spare());
    group.colour = colours.get(group.algorithm);
    const used = dashes.get(group.colour) ?? 0;
    group.dash = DASHES[used % DASHES.length];
    dashes.set(group.colour, used + 1);
  }
  return made;
}

// Of a group the runs that count: one for each seed; against seconds, those of the host that is chosen.
function counting(group) {
  const timed = chosen("x") === "seconds";
  const here = group.runs.filter(run => !timed || (run.host === chosen("host") && (!ticked("alone") || run.alone === true)));
  return longest(here);
}

function soft(colour, share) {
  const part = k => parseInt(colour.slice(k, k + 2), 16);
  return `rgba(${part(1)},${part(3)},${part(5)},${share})`;
}

function runTrace(group, run, thin) {
  const [x, y, places] = points(run, chosen("x"), chosen("y")), timed = chosen("x") === "seconds";
  const crowded = timed && run.alone === false, mark = MARKS[run.status], end = x.length - 1;
  const about = [`seed ${run.seed}`, run.status, ...(timed ? [ALONE[String(run.alone ?? null)]] : [])].join(", ");
  const key = safe(run.key).replace(/__/g, "<br>__");
  return {
    x, y, mode: "lines+markers", showlegend: false, run,
    line: { color: group.colour, width: thin ? 0.9 : 2, dash: group.dash }, opacity: thin ? 0.5 : 1,
    marker: { color: group.colour, symbol: x.map((_, k) => crowded ? "x-thin-open" : k === end && mark || "circle"),
              size: x.map((_, k) => crowded ? 6 : k === end && mark ? 7 : 0.1) },
    customdata: places.map(k => ["passes", "seconds", "gap", "primal", "error", "f1"].map(name => brief(run.curve[name]?.[k]))),
    hovertemplate: `<b>${safe(group.name)}</b><br>%{customdata[0]} passes, %{customdata[1]} s<br>gap %{customdata[2]}, primal %{customdata[3]}<br>`
      + `test error %{customdata[4]} %, F1 %{customdata[5]} %<br>${about}<br>${safe(run.host)}<br>${key}<extra></extra>`,
  };
}

function bandTraces(group, some, q) {
  const found = band(some, chosen("x"), chosen("y"), q, ticked("logy"));
  const crowded = chosen("x") === "seconds" && some.some(run => run.alone === false);
  const edge = { x: found.x, mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false };
  const about = `median of ${plural(found.seeds, "run")}${crowded ? ", some not alone on the machine" : ""}<br>ended: ${counted(some.map(run => run.status))}`;
  const range = q === 0 ? "least to greatest" : `${100 * q} to ${100 - 100 * q} %`;
  const area = chosen("band") === "none" ? [] : [{ ...edge, y: found.low }, { ...edge, y: found.high, fill: "tonexty", fillcolor: soft(group.colour, 0.18) }];
  return [...area, {
    x: found.x, y: found.median, mode: crowded ? "lines+markers" : "lines", showlegend: false,
    line: { color: group.colour, width: 2.4, dash: group.dash }, marker: { symbol: "x-thin-open", size: 6, color: group.colour },
    customdata: found.x.map((_, k) => [brief(found.low[k]), brief(found.high[k])]),
    hovertemplate: `<b>${safe(group.name)}</b><br>%{y:.4g} at %{x:.4g}<br>${range}: %{customdata[0]} to %{customdata[1]}<br>${about}<extra></extra>`,
  }];
}

function draw() {
  const groups = grouped(), timed = chosen("x") === "seconds", y = chosen("y"), x = chosen("x");
  at("of-host").hidden = at("of-alone").hidden = !timed;
  const shown = groups.filter(group => !hidden.has(group.name)).map(group => [group, counting(group).filter(run => run.curve[y])]);
  const some = shown.flatMap(([, members]) => members);
  const traces = [], single = some.length <= MOST_LINES, apart = chosen("band") === "runs";
  for (const [group, members] of shown) {
    const alone = members.length === 1 || apart;
    if (!alone && members.length) traces.push(...bandTraces(group, members, Number(chosen("band")) / 100 || 0));
    if (single || members.length === 1) traces.push(...members.map(run => runTrace(group, run, !alone)));
    if (members.length) traces.push({ x: [null], y: [null], mode: "lines", name: safe(group.name), line: { color: group.colour, dash: group.dash, width: 2.4 } });
  }
  const axis = (title, log, values) => ({ title: { text: title, standoff: 12 }, type: log ? "log" : "linear", automargin: true, gridcolor: "#e4e4e4", zeroline: false,
    linecolor: "#777", exponentformat: "power", ...(log && span(values) > 2 && span(values) < 8 ? { dtick: 1 } : {}) });
  const narrow = plot.clientWidth < 600;
  Plotly.react(plot, traces, {
    xaxis: { ...axis(X[x][0] + (timed ? ` on ${safe(chosen("host"))}` : ""), ticked("logx"), some.flatMap(run => run.curve[x] ?? [])), rangemode: "nonnegative" },
    yaxis: axis(Y[y][0], ticked("logy"), some.flatMap(run => run.curve[y] ?? [])),
    font: { family: getComputedStyle(document.body).fontFamily, size: narrow ? 11 : 12.5, color: "#222" },
    margin: { l: 50, r: 14, t: 14, b: 44 }, paper_bgcolor: "#fff", plot_bgcolor: "#fff", hovermode: "closest", hoverdistance: 24,
    hoverlabel: { align: "left", bgcolor: "#fff", font: { size: 11.5, color: "#222" }, namelength: -1 },
    showlegend: !narrow && shown.length > 1 && shown.length <= 10,
    legend: { orientation: "h", y: -0.16, traceorder: "normal", itemclick: false, itemdoubleclick: false },
    uirevision: JSON.stringify([chosen("data"), chosen("loss"), chosen("C"), x, y, ticked("logx"), ticked("logy")]),
  }, CONFIG);
  say(groups, shown, single);
  tabulate(shown);
}

// How many decades positive numbers span.
const span = values => {
  const positive = values.filter(value => value > 0);
  return positive.length ? Math.log10(positive.reduce((a, b) => Math.max(a, b)) / positive.reduce((a, b) => Math.min(a, b))) : 0;
};

// ---- what is said beside the plot

function say(groups, shown, single) {
  const y = chosen("y"), timed = chosen("x") === "seconds", some = shown.flatMap(([, members]) => members), all = shownRuns();
  const objective = chosen("loss") === "every" ? "every loss" : chosen("loss") === "none" ? "no loss" : `${chosen("loss")} loss`;
  at("title").textContent = `${chosen("data")}, ${objective}${chosen("C") === "-" ? "" : chosen("C") === "every" ? ", every C" : `, C = ${chosen("C")}`}`;
  at("meaning").textContent = `${Y[y][1]} ${X[chosen("x")][1]}`;
  at("said").textContent = some.length
    ? `${plural(some.length, "run")} in ${plural(shown.filter(([, members]) => members.length).length, "line")}. A dot at the end: the gap asked for was reached; a cross: diverged.`
    : runs.length ? `Nothing to draw: no run that is chosen has a ${NAMES[y]}.` : "No run is finished yet.";
  const visible = all.filter(run => !hidden.has(named(run)));
  const without = visible.filter(run => !run.curve[y]).length;
  const here = timed ? visible.filter(run => run.host === chosen("host")) : visible;
  const crowded = here.filter(run => run.alone === false).length, unknown = here.filter(run => run.alone === null).length;
  const repeated = visible.filter(run => run.curve[y] && (!timed || (run.host === chosen("host") && (!ticked("alone") || run.alone === true)))).length - some.length;
  const notes = [
    without && `${plural(without, "run")} without a ${NAMES[y]} ${without === 1 ? "is" : "are"} not drawn.`,
    timed && here.length < visible.length && `${plural(visible.length - here.length, "run")} of other hosts: seconds of two machines are not compared.`,
    timed && crowded > 0 && (ticked("alone") ? `${plural(crowded, "run")} not alone on the machine ${crowded === 1 ? "is" : "are"} left out.`
      : `Marked with crosses along the line: ${plural(crowded, "run")} not alone on the machine, whose seconds are no measure.`),
    timed && unknown > 0 && `Of ${plural(unknown, "run")} it is not recorded whether they were alone on the machine${ticked("alone") ? ": they are left out" : ""}.`,
    repeated > 0 && `${plural(repeated, "run")} that differ${repeated === 1 ? "s" : ""} from another only in when it stops or where it was made: of each seed the longest counts.`,
    !single && `${some.length.toLocaleString("en")} runs are too many to draw one by one (at most ${MOST_LINES}): only medians and bands are drawn. Choose fewer algorithms to see each run.`,
    !single && chosen("band") === "runs" && "With so many, choose a median to see anything.",
  ];
  at("notes").replaceChildren(...notes.filter(Boolean).map(text => element("li", text)));
}

function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

function tabulate(shown) {
  const y = chosen("y");
  at("value-head").textContent = NAMES[y];
  at("value-head").hidden = ["primal", "gap", "error"].includes(y);
  at("ends").tBodies[0].replaceChildren(...shown.filter(([, members]) => members.length).map(([group, members]) => {
    const row = document.createElement("tr"), names = document.createElement("details");
    names.append(element("summary", plural(members.length, "run")), ...members.map(run => element("code", run.key)));
    const cells = [element("td", group.name), element("td", members.length, "n"), element("td", counted(members.map(run => run.status))),
      element("td", brief(middle(members, y)), "n"), ...["primal", "gap", "error"].map(name => element("td", brief(middle(members, name)), "n"))];
    cells[3].hidden = at("value-head").hidden;
    const last = document.createElement("td");
    last.append(names);
    row.append(...cells, last);
    return row;
  }));
}

function list() {
  at("lines").querySelector("div").replaceChildren(...grouped().map(group => {
    const label = document.createElement("label"), tick = Object.assign(document.createElement("input"), { type: "checkbox", checked: !hidden.has(group.name) });
    tick.addEventListener("change", () => {
      if (tick.checked) hidden.delete(group.name); else hidden.add(group.name);
      writeAddress();
      draw();
    });
    const swatch = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    swatch.setAttribute("width", "28");
    swatch.setAttribute("height", "12");
    swatch.setAttribute("aria-hidden", "true");
    const dash = { solid: "", dash: "7 4", dot: "2 3", dashdot: "7 3 2 3", longdash: "11 4", longdashdot: "11 3 2 3" }[group.dash];
    const stroke = document.createElementNS("http://www.w3.org/2000/svg", "line");
    for (const [name, value] of Object.entries({ x1: 0, x2: 28, y1: 6, y2: 6, stroke: group.colour, "stroke-width": 2.5, "stroke-dasharray": dash })) stroke.setAttribute(name, value);
    swatch.append(stroke);
    label.append(tick, swatch, element("span", group.name));
    return label;
  }));
}

function show() {
  list();
  draw();
}

// ---- begin

form.addEventListener("change", event => {
  const name = event.target.name;
  if (!name) return; // an algorithm: it has listeners of its own
  if (["data", "loss", "C"].includes(name)) refill(wishes());
  if (name === "y") form.elements.logy.checked = Y[chosen("y")][2];
  writeAddress();
  show();
});
for (const [id, nothing] of [["every", false], ["no", true]]) {
  at(id).addEventListener("click", () => {
    hidden = new Set(nothing ? grouped().map(group => group.name) : []);
    writeAddress();
    show();
  });
}
addEventListener("hashchange", () => { readAddress(); show(); });
readAddress();
show();
plot.on("plotly_click", ({ points: [point] }) => {
  const run = point.data.run;
  if (!run) return;
  const name = element("code", run.key);
  at("picked").replaceChildren(`${named(run)}, seed ${run.seed}, ${run.status}, on ${run.host}: `, name);
});
