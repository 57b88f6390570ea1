// The lines: which runs each has, how it looks, and how Plotly draws it.
const plot = document.getElementById("plot");
const MOST_LINES = 200; // drawn one by one: more are neither told apart nor quick
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const ENDS = { converged: "circle", diverged: "x" };
const CROSS = "x-thin-open", UNSEEN = 0.1; // the size of a marker that is there to be pointed at
const DARK = matchMedia("(prefers-color-scheme: dark)"), DIM = 0.15; // the least luminance that is seen on dark ground
const WHITE = { ink: "#222", line: "#e4e4e4", paper: "#fff", dark: false }; // of a picture that is kept
// Without the button that sends a picture's data to a server.
const CONFIG = {
  responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "",
  modeBarButtonsToRemove: ["toImage", "lasso2d", "select2d", "autoScale2d"],
};
const ALONE = {
  true: "alone on the machine",
  false: "not alone on the machine: its seconds are no measure",
  null: "not recorded whether it was alone on the machine",
};

// Plotly reads texts as HTML.
const safe = text => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
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
  return lines.map(safe).join("<br>");
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
const soft = (colour, share) => `rgba(${parts(colour).join()},${share})`;

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

function runTrace(group, run) {
  const [x, y, places] = points(run, chosen("x"), chosen("y")), end = x.length - 1;
  const crossed = timed() && run.alone === false, mark = ENDS[run.status];
  const about = [`seed ${run.seed}`, `ended: ${run.status}`, ...(timed() ? [ALONE[run.alone]] : [])].join(", ");
  const shown = ["passes", "seconds", "gap", "primal", "error", "f1"];
  return {
    x, y, run, mode: "lines+markers", showlegend: false,
    line: { color: group.colour, width: 2, dash: group.dash },
    marker: {
      color: group.colour,
      symbol: x.map((_, k) => crossed ? CROSS : k === end && mark || "circle"),
      size: x.map((_, k) => crossed || (k === end && mark) ? 7 : UNSEEN),
      line: { width: crossed ? 1.8 : 0, color: group.colour },
    },
    customdata: places.map(k => shown.map(name => brief(run.curve[name]?.[k]))),
    hovertemplate: [
      `<b>${safe(group.name)}</b>`,
      "%{customdata[0]} passes, %{customdata[1]} s",
      "gap %{customdata[2]}, primal %{customdata[3]}",
      "test error %{customdata[4]} %, F1 %{customdata[5]} %",
      safe(about), safe(run.host), wrapped(run.key),
    ].join("<br>") + "<extra></extra>",
  };
}

function bandTraces(group, some, q) {
  const found = band(some, chosen("x"), chosen("y"), q, ticked("logy"));
  const crossed = timed() && some.some(run => run.alone === false);
  const edge = { x: found.x, mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false };
  const filled = { fill: "tonexty", fillcolor: soft(group.colour, 0.18) };
  const range = q === 0 ? "least to greatest" : `${100 * q} to ${100 - 100 * q} %`;
  return [...(chosen("band") === "none" ? [] : [{ ...edge, y: found.low }, { ...edge, y: found.high, ...filled }]), {
    x: found.x, y: found.median, mode: crossed ? "lines+markers" : "lines", showlegend: false,
    line: { color: group.colour, width: 2.4, dash: group.dash },
    marker: { symbol: CROSS, size: 7, line: { width: 1.8, color: group.colour } },
    customdata: found.x.map((_, k) => [brief(found.low[k]), brief(found.high[k])]),
    hovertemplate: [
      `<b>${safe(group.name)}</b>`,
      "%{y:.4g} at %{x:.4g}",
      `${range}: %{customdata[0]} to %{customdata[1]}`,
      `median of ${plural(found.seeds, "run")}${crossed ? ", some not alone on the machine" : ""}`,
      `ended: ${safe(counted(some.map(run => run.status)))}`,
    ].join("<br>") + "<extra></extra>",
  }];
}

// A picture of the plot with its title, at double size, named after data, loss and C.
async function save(format) {
  const { width, height } = plot.getBoundingClientRect();
  const title = { text: safe(at("title").textContent), x: 0.5, font: { size: 16 } };
  const { data, layout } = pictured(shownLines(bestFirst(grouped())), WHITE);
  const range = axis => ({ ...layout[axis], range: plot.layout[axis].range, autorange: false });
  const figure = { data, config: CONFIG, layout: {
    ...layout, xaxis: range("xaxis"), yaxis: range("yaxis"), title, margin: { ...layout.margin, t: 44 },
    showlegend: true, width, height,
  } };
  const link = document.createElement("a");
  link.href = await Plotly.toImage(figure, { format, width, height, scale: 2 });
  const name = [chosen("data"), `${chosen("loss")} loss`, chosen("C") === "-" ? "" : `C=${chosen("C")}`];
  link.download = `${name.filter(Boolean).join(" ").replace(/[^\w=.-]+/g, "-")}.${format}`;
  link.click();
  return link;
}

// The lines that are ticked, each with the runs of it that count and have what is shown; one run for each seed.
const shownLines = groups => groups.filter(group => !hidden.has(group.name))
  .map(group => [group, longest(group.runs.filter(mayCount)).filter(run => run.curve[chosen("y")])]);

// Whether there is room for each run, if each is asked for.
const hasRoom = shown => chosen("band") !== "runs"
  || shown.reduce((sum, [, some]) => sum + some.length, 0) <= MOST_LINES;

// What Plotly draws of them on this ground.
function pictured(shown, on) {
  const each = chosen("band") === "runs" && hasRoom(shown);
  const data = shown.filter(([, some]) => some.length).flatMap(([line, some]) => {
    const single = some.length === 1 || each, group = { ...line, colour: visible(line.colour, on) };
    const key = { color: group.colour, dash: group.dash, width: 2.4 };
    return [
      ...(single ? [] : bandTraces(group, some, Number(chosen("band")) / 100 || 0)),
      ...(single ? some.map(run => runTrace(group, run)) : []),
      { x: [null], y: [null], mode: "lines", name: safe(group.name), line: key }, // the legend's
    ];
  });
  return { data, layout: layout(shown, on) };
}

function draw(shown) {
  const { data, layout } = pictured(shown, ground());
  Plotly.react(plot, data, layout, CONFIG);
}

function layout(shown, on) {
  const narrow = plot.clientWidth < 600, [x, y] = [chosen("x"), chosen("y")];
  const numbers = column => shown.flatMap(([, some]) => some.flatMap(run => run.curve[column] ?? []));
  return {
    xaxis: axis(X[x][0] + (timed() ? ` on ${safe(chosen("host"))}` : ""), ticked("logx"), numbers(x), on),
    yaxis: { ...axis(Y[y][0], ticked("logy"), numbers(y), on), rangemode: "normal" },
    font: { family: getComputedStyle(document.body).fontFamily, size: narrow ? 11 : 12.5, color: on.ink },
    margin: { l: 50, r: 14, t: 14, b: 44 }, paper_bgcolor: on.paper, plot_bgcolor: on.paper,
    hovermode: "closest", hoverdistance: 24,
    hoverlabel: { align: "left", bgcolor: on.paper, font: { size: 11.5, color: on.ink }, namelength: -1 },
    showlegend: !narrow && shown.length > 1 && shown.length <= 10,
    legend: { orientation: "h", y: -0.16, traceorder: "normal", itemclick: false, itemdoubleclick: false },
    // a zoom stays until other axes are chosen
    uirevision: JSON.stringify(["data", "loss", "C", "x", "y"].map(chosen).concat(["logx", "logy"].map(ticked))),
  };
}

function axis(title, log, values, on) {
  const positive = values.filter(value => value > 0);
  const extreme = which => positive.reduce((a, b) => which(a, b), positive[0]);
  const decades = positive.length ? Math.log10(extreme(Math.max) / extreme(Math.min)) : 0;
  return {
    title: { text: title, standoff: 12 }, type: log ? "log" : "linear", rangemode: "nonnegative", automargin: true,
    gridcolor: on.line, zeroline: false, linecolor: "#777", exponentformat: "power",
    ...(log && decades > 2 && decades < 8 ? { dtick: 1 } : {}),
  };
}
