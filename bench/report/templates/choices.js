// What can be chosen and what is: the form, and the same behind the page's address.
const form = document.getElementById("choices");
const CHOICES = ["paper", "figure", "data", "loss", "C", "y", "x", "host", "band", "level"], TICKS = ["alone", "logx", "logy"];
const Y = { // name of the axis, what it is, whether it is drawn on a logarithmic axis at first
  gap: ["certified gap (relative)", "How far a run is from the optimum at most, as a share, by its own dual value: "
    + "(primal - dual) / |primal|. Lower is better.", true],
  distance: ["distance to the optimum, at most (relative)", "How far a run is from the optimum at most, as a share: "
    + "(primal - bound) / |primal|. The bound is the greatest dual value of all runs of the problem. Lower is better.", true],
  primal: ["primal objective", "The sum of the losses plus the penalty. Lower is better.", false],
  error: ["test error (%)", "The share of wrong decisions on the test split. Lower is better.", false],
  validation: ["validation error (%)", "The share of wrong decisions on the examples held out of training. Lower is better.", false],
  f1: ["test F1 (%)", "F1 of the chunks on the test split. Higher is better.", false],
};
const X = {
  passes: ["passes", "A pass is as many inference calls as there are training examples."],
  get seconds() {
    const wall = ofProblem().filter(isParallel).length, word = !wall ? "CPU seconds" : wall === ofProblem().length ? "wall seconds"
      : "seconds (one thread: CPU; several: wall)";
    return [word, "Seconds are of the algorithm alone: evaluation and compilation do not count."];
  },
};
const NAMES = Object.fromEntries([...form.elements.y.options].map(option => [option.value, option.text]));
const EVERY = "every", isParallel = run => run.key.includes("threads=");
let DATA = null, runs = []; // of the report, or of the paper that is chosen
let hidden = new Set(); // names of lines that are not shown

// A data set's title; if two have one title, with its name.
function titled(data) {
  const own = new Map(DATA.data).get(data) ?? "";
  return DATA.data.filter(([, title]) => title === own).length > 1 ? `${own} (${data})` : own;
}
const chosen = name => form.elements[name].value;
const ticked = name => form.elements[name].checked;
const timed = () => chosen("x") === "seconds";
const wishes = () => Object.fromEntries(CHOICES.filter(name => form.elements[name]).map(name => [name, chosen(name)]));

// The runs of the figure that is chosen, or all.
function ofFigure() {
  const figure = DATA.figures.find(figure => figure.id === chosen("figure"));
  return figure ? figure.runs.map(place => runs[place]) : runs;
}

// Of these, the runs of the problem that is chosen.
const ofProblem = () => ofFigure().filter(run => run.problem[0] === chosen("data")
  && [EVERY, run.problem[1]].includes(chosen("loss")) && [EVERY, run.problem[2]].includes(chosen("C")));

// Whether a run may count: against seconds it must be of the host that is chosen.
const mayCount = run => !timed() || (run.host === chosen("host") && (!ticked("alone") || run.alone === true));

function fill(name, values, wanted, text = value => value) {
  const list = form.elements[name];
  list.replaceChildren(...values.map(value => new Option(text(value), value)));
  list.value = values.includes(wanted) ? wanted : values[0] ?? "";
}

// Take the runs of a file, and list its figures by paper.
function take(data) {
  DATA = data;
  runs = data.runs.map(run => ({
    ...run,
    curve: Object.fromEntries(data.columns.map((name, k) => [name, run.curve[k]])),
    problem: data.problems[run.problem], variant: data.variants[run.variant], host: data.hosts[run.host],
  }));
  const groups = [...new Set(data.figures.map(figure => figure.paper))].map(paper => {
    const group = document.createElement("optgroup");
    group.label = paper;
    group.append(...data.figures.filter(figure => figure.paper === paper)
      .map(figure => new Option(figure.title, figure.id)));
    return group;
  });
  form.elements.figure.replaceChildren(new Option("all runs", EVERY), ...groups);
}

// The lists of data sets, losses, C and hosts: what there is, and of it what is wanted if it is there.
function refill(wanted) {
  form.elements.figure.value = wanted.figure ?? EVERY;
  if (!chosen("figure")) form.elements.figure.value = EVERY;
  let matching = ofFigure();
  const narrow = (name, place, values, text) => {
    fill(name, values, wanted[name], text);
    if (chosen(name) !== wanted[name] && place) form.elements[name].value = busiest(matching)[place];
    matching = matching.filter(run => [EVERY, run.problem[place]].includes(chosen(name)));
  };
  const there = place => [...new Set(matching.map(run => run.problem[place]))];
  narrow("data", 0, DATA.data.map(([name]) => name).filter(name => there(0).includes(name)), titled);
  narrow("loss", 1, [EVERY, ...there(1).sort()]);
  narrow("C", 2, [EVERY, ...there(2).sort((a, b) => a - b)]);
  const counts = new Map();
  const own = new Set(matching.filter(isOwn).map(({ host }) => host));
  for (const { host } of matching) counts.set(host, (counts.get(host) ?? 0) + 1);
  fill("host", [...counts.keys()].sort((a, b) => own.has(b) - own.has(a) || counts.get(b) - counts.get(a)), wanted.host);
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1)), wanted = given.toString() ? Object.fromEntries(given) : { ...DATA.begin };
  if (!CHOICES.some(name => name !== "paper" && name in wanted)) wanted.figure = firstFigure();
  for (const name of ["y", "x", "band", "level"]) {
    const options = [...form.elements[name].options].map(option => option.value);
    form.elements[name].value = options.includes(wanted[name]) ? wanted[name] : options[0];
  }
  refill(wanted);
  const telling = tellingMeasure(ofProblem());
  if (!wanted.y && telling) form.elements.y.value = telling;
  for (const name of TICKS) {
    const usual = name === "logy" && Y[chosen("y")][2];
    form.elements[name].checked = name in wanted ? wanted[name] === "1" : usual;
  }
  hidden = new Set(given.getAll("without").filter(Boolean));
  if (!given.has("without")) showFirst();
}

function writeAddress() {
  const said = new URLSearchParams(wishes());
  if (!timed()) said.delete("host");
  for (const name of TICKS) said.set(name, ticked(name) ? "1" : "0");
  for (const name of hidden.size ? hidden : [""]) said.append("without", name);
  history.replaceState(null, "", `#${said}`);
}
