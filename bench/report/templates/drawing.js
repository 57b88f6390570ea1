// A chart in SVG: axes, lines with bands and marks; pointing, zooming and saving. It knows nothing of runs.
//
// A picture has `lines`, axes `x` and `y` ({ title, log }), a `legend` ({ name, colour, dash } each), the colours `on`
// which it is drawn, a `title` if it is to be kept, and a `revision`: a zoom lasts until that changes. A line has `x`,
// `y`, maybe `low` and `high` of a band, a mark of `MARKS` or none for each point in `marks`, `colour`, `dash`, `width`,
// and what is said of its point k: the texts `tell(k)`, and maybe, of each point, the texts `code`.
const plot = document.getElementById("plot"), tip = document.createElement("div");
const whole = document.getElementById("whole"); // the button that ends a zoom
tip.className = "tip";
const view = { picture: null, zoom: null, chart: { paths: [], inside: () => false }, start: null };
const NARROW = 600, ROW = 20; // pixels of a narrow plot; pixels of a row
const REACH = 24, ON = 3, SHORTEST = 8; // pixels: how near a line is pointed at, or a point itself; the least drag
const CROSS = "m-3.5-3.5l7 7m0-7l-7 7";
const MARKS = { dot: ["h0", 7], point: ["h0", 5], cross: [CROSS, 1.8], end: [CROSS, 3] }; // a path, its stroke's width
const pen = document.createElement("canvas").getContext("2d"); // measures texts
const font = () => getComputedStyle(document.body).fontFamily;

function make(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// ---- axes: their ranges are of values or, on a logarithmic axis, of the values' logarithms to base 10

const unit = (value, log) => log ? Math.log10(value ?? NaN) : value ?? NaN;
const power = value => Math.floor(Math.log10(Math.abs(value)) + 1e-9);
const tenTo = k => `10${String(k).replace(/./g, sign => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)])}`;

// The range that shows all these values, with a margin.
function span(values, log) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    const at = unit(value, log);
    if (Number.isFinite(at)) [low, high] = [Math.min(low, at), Math.max(high, at)];
  }
  if (low > high) return [0, 1];
  const margin = 0.03 * (high - low) || (log ? 0.5 : Math.abs(high) / 2 || 1);
  return [!log && low >= 0 ? Math.max(0, low - margin) : low - margin, high + margin];
}

// A value as a tick has it, where ticks are a step apart; of large and of small ones in units of 10 to the k.
function word(value, step, k) {
  const digits = Math.max(0, -power(step));
  if (digits <= 4 && k < 7) {
    return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  const factor = (value / 10 ** k).toFixed(Math.max(0, k - power(step)));
  return !value ? "0" : factor === "1" ? tenTo(k) : `${factor}×${tenTo(k)}`;
}

// At most so many ticks from low to high, 1, 2 or 5 times a power of ten apart.
function evenly(low, high, most) {
  const least = (high - low) / most, ten = 10 ** power(least);
  const step = [1, 2, 5, 10].find(factor => factor * ten >= least) * ten, first = Math.ceil(low / step);
  const k = power(Math.max(Math.abs(low), Math.abs(high)));
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => {
    const value = Number(((first + n) * step).toPrecision(12));
    return { value, text: word(value, step, k) };
  });
}

// The ticks of a range; on a logarithmic axis powers of ten, and where there is room 2 and 5 times these.
function ticks([low, high], log, most) {
  if (!log) return evenly(low, high, most);
  if (high - low < 1) return evenly(10 ** low, 10 ** high, most);
  const factors = 3 * (high - low) <= most ? [1, 2, 5] : [1], every = Math.ceil((high - low) / most), found = [];
  for (let k = Math.floor(low); k <= high; k++) {
    const plain = factors.length > 1 ? k > -4 && k < 7 : k > -2 && k < 3;
    for (const factor of k % every ? [] : factors) {
      const value = Number(`${factor}e${k}`), times = factor > 1 ? `${factor}×` : "";
      found.push({ value, text: plain ? word(value, 10 ** k, k) : times + tenTo(k) });
    }
  }
  return found.filter(({ value }) => Math.log10(value) >= low && Math.log10(value) <= high);
}

// From a value to its pixel, and from a pixel to what a range has.
const scale = ([low, high], log, from, to) => ({
  at: value => from + (unit(value, log) - low) / (high - low) * (to - from),
  back: pixel => low + (pixel - from) / (to - from) * (high - low),
});

// ---- the parts of a chart

function wide(text, size) {
  pen.font = `${size}px ${font()}`;
  return pen.measureText(text).width;
}

// The entries of a legend in rows, each with its place and width.
function arranged(entries, width, size) {
  const rows = [];
  let at = Infinity;
  for (const entry of entries) {
    const own = wide(entry.name, size) + 54;
    if (at + own > width) [at] = [0, rows.push([])];
    rows.at(-1).push({ ...entry, at, own });
    at += own;
  }
  return rows;
}

// Where everything is: the edges of the frame, the axes with their ticks, the rows of the legend.
function laidOut(picture, width, height, zoom) {
  const size = width < NARROW ? 11 : 12.5;
  const values = names => picture.lines.flatMap(line => names.flatMap(name => line[name] ?? []));
  const rows = arranged(picture.legend, width - 28, size);
  const top = picture.title ? 44 : 14, right = width - 20, bottom = height - 50 - ROW * rows.length;
  const range = zoom ?? { x: span(values(["x"]), picture.x.log), y: span(values(["y", "low", "high"]), picture.y.log) };
  const upward = ticks(range.y, picture.y.log, (bottom - top) / 40);
  const left = 38 + Math.max(0, ...upward.map(({ text }) => wide(text, size)));
  const along = ticks(range.x, picture.x.log, (right - left) / 80);
  const x = scale(range.x, picture.x.log, left, right), y = scale(range.y, picture.y.log, bottom, top);
  return { width, height, size, left, right, top, bottom, x, y, along, upward, rows };
}

const pair = point => point.map(place => place.toFixed(1)).join(" ");
const path = points => points.map((point, k) => point && (points[k - 1] ? "L" : "M") + pair(point)).join("");
const stroke = ({ colour, dash, width }) => ({ stroke: colour, "stroke-dasharray": dash, "stroke-width": width });
const words = (text, x, y, anchor, more = {}) => make("text", { x, y, "text-anchor": anchor, ...more }, text);

// Points in pixels; null for one that the axes do not have.
const placed = (xs, ys, { x, y }) => xs.map((value, k) => [x.at(value), y.at(ys[k])])
  .map(point => point.every(Number.isFinite) ? point : null);

function bandOf({ x, low, high, colour }, at) {
  const floor = low.map(value => Number.isFinite(at.y.at(value)) ? value : 10 ** at.y.back(at.bottom));
  const edge = [...placed(x, high, at), ...placed(x, floor, at).reverse()].filter(Boolean);
  return make("path", { d: edge.length ? `${path(edge)}Z` : "", fill: colour, "fill-opacity": 0.18 });
}

function marksOf(line, points) {
  return Object.entries(MARKS).filter(([mark]) => line.marks.includes(mark)).map(([mark, [form, width]]) => {
    const d = points.map((point, k) => point && line.marks[k] === mark ? `M${pair(point)}${form}` : "").join("");
    const cap = form === CROSS ? "butt" : "round";
    return make("path", { d, stroke: line.colour, "stroke-width": width, "stroke-linecap": cap });
  });
}

function axesOf(picture, { left, right, top, bottom, x, y, along, upward }) {
  const middle = (top + bottom) / 2;
  return [
    ...along.map(({ value, text }) => words(text, x.at(value), bottom + 17, "middle")),
    ...upward.map(({ value, text }) => words(text, left - 6, y.at(value) + 4, "end")),
    words(picture.x.title, (left + right) / 2, bottom + 38, "middle"),
    words(picture.y.title, 18, middle, "middle", { transform: `rotate(-90 18 ${middle})` }),
  ];
}

const gridOf = ({ left, right, top, bottom, x, y, along, upward }) => [
  ...along.map(({ value }) => `M${pair([x.at(value), top])}V${bottom}`),
  ...upward.map(({ value }) => `M${pair([left, y.at(value)])}H${right}`)].join("");

const legendOf = ({ rows, width, bottom }) => rows.flatMap((row, k) => {
  const left = (width - row.at(-1).at - row.at(-1).own + 18) / 2, y = bottom + 60 + ROW * k;
  return row.flatMap(entry => [
    make("path", { d: `M${pair([left + entry.at, y - 4])}h28`, ...stroke({ ...entry, width: 2.4 }) }),
    words(entry.name, left + entry.at + 34, y, "start"),
  ]);
});

// The drawing of a picture, where its parts are, and the lines that can be pointed at.
function chartOf(picture, width, height, zoom) {
  const at = laidOut(picture, width, height, zoom), { left, right, top, bottom } = at, { lines, on } = picture;
  const all = lines.map(line => placed(line.x, line.y, at)), box = { width: right - left, height: bottom - top };
  const inside = ([x, y]) => x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;
  const cut = { x: left, y: top, viewBox: `${left} ${top} ${box.width} ${box.height}`, ...box };
  const sheet = { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": font(), "font-size": at.size };
  const svg = make("svg", sheet,
    make("rect", { width, height, fill: on.paper }),
    make("path", { d: gridOf(at), stroke: on.line }),
    make("svg", { ...cut, fill: "none", "stroke-linejoin": "round" },
      ...lines.filter(line => line.low).map(line => bandOf(line, at)),
      ...lines.map((line, k) => make("path", { d: path(all[k]), ...stroke(line) })),
      ...lines.flatMap((line, k) => marksOf(line, all[k]))),
    make("path", { d: `M${left} ${top}V${bottom}H${right}`, stroke: "#777", fill: "none" }),
    make("g", { fill: on.ink }, ...axesOf(picture, at), ...legendOf(at),
      words(picture.title ?? "", width / 2, 27, "middle", { "font-size": 16 })));
  return { ...at, svg, inside, paths: lines.map((line, n) => ({ line, places: all[n] })) };
}

// ---- on the page

function draw(picture) {
  if (view.picture?.revision !== picture.revision) view.zoom = view.opening = opening(picture);
  view.picture = picture;
  render();
}

function render() {
  if (!view.picture || plot.clientWidth < REACH * 5) return; // too narrow for axes: the page is not laid out yet
  view.chart = chartOf(view.picture, plot.clientWidth, plot.clientHeight, view.zoom);
  tip.hidden = true;
  whole.hidden = !view.zoom;
  plot.replaceChildren(view.chart.svg, tip);
}

function zoom(range) {
  const spans = Object.values(range ?? {});
  if (spans.some(([low, high]) => high - low <= 1e-9 * Math.abs(high))) return; // too deep for numbers
  view.zoom = range;
  render();
}

// The checkpoint that is nearest on the line that is nearest to a place of the plot, if a line is near.
function nearest(spot) {
  const far = ([x, y]) => Math.hypot(x - spot[0], y - spot[1]);
  let found = null, least = REACH;
  for (const { line, places } of view.chart.paths) {
    places.forEach((place, k) => {
      const from = places[k - 1] ?? place, at = place && onto(spot, from, place);
      if (!at || !view.chart.inside(at)) return;
      const near = k && far(from) < far(place) ? k - 1 : k, score = Math.min(far(at) + ON, far(places[near]));
      if (score < least) [found, least] = [{ line, k: near, place: view.chart.inside(places[near]) ? places[near] : at }, score];
    });
  }
  return found;
}

// Show what is said of a point, within the plot; without a point, nothing.
function point(found) {
  plot.querySelector(".over")?.remove();
  tip.hidden = !found;
  if (!found) return;
  const [x, y] = found.place, title = document.createElement("b"), [first, ...texts] = [...found.line.tell(found.k), ...found.line.code ?? []];
  title.append(first);
  tip.replaceChildren(title, ...texts.flatMap(text => [document.createElement("br"), text]));
  const { offsetWidth: width, offsetHeight: height } = tip;
  const right = x + 14 + width < plot.clientWidth, above = y - 10 - height > 0;
  tip.style.left = `${Math.max(4, right ? x + 14 : x - 14 - width)}px`;
  tip.style.top = `${Math.max(4, Math.min(above ? y - 10 - height : y + 14, plot.clientHeight - height - 4))}px`;
  over("circle", { cx: x, cy: y, r: 5, fill: "none", stroke: found.line.colour, "stroke-width": 2 });
}

function over(tag, attributes) {
  plot.querySelector(".over")?.remove();
  view.chart.svg.append(make(tag, { class: "over", ...attributes }));
}

// Where a pointer is in the plot.
function spot(event) {
  const box = plot.getBoundingClientRect();
  return [event.clientX - box.left - plot.clientLeft, event.clientY - box.top - plot.clientTop];
}

// The edges of what is dragged; of the frame in a direction in which hardly anything is. Null for a click.
function dragged([x, y]) {
  const { left, right, top, bottom } = view.chart, [fromX, fromY] = view.start;
  const edges = (from, to, low, high) => Math.abs(to - from) < SHORTEST ? [low, high]
    : [from, to].map(at => Math.min(high, Math.max(low, at))).sort((a, b) => a - b);
  return Math.hypot(x - fromX, y - fromY) < SHORTEST ? null
    : [edges(fromX, x, left, right), edges(fromY, y, top, bottom)];
}

plot.addEventListener("pointerdown", event => {
  if (event.button || !view.chart.inside(spot(event))) return;
  view.start = spot(event);
  plot.setPointerCapture(event.pointerId);
});
plot.addEventListener("pointermove", event => {
  const edges = view.start && dragged(spot(event));
  if (!edges) return point(nearest(spot(event)));
  const [[left, right], [top, bottom]] = edges;
  tip.hidden = true;
  over("rect", { x: left, y: top, width: right - left, height: bottom - top, fill: "#777", "fill-opacity": 0.2 });
});
plot.addEventListener("pointerup", event => {
  if (!view.start) return;
  const edges = dragged(spot(event)), found = nearest(spot(event)), { x, y } = view.chart;
  view.start = null;
  if (edges) zoom({ x: edges[0].map(x.back), y: edges[1].map(y.back).reverse() });
  else if (found) plot.dispatchEvent(new CustomEvent("pick", { detail: found }));
});
for (const kind of ["pointerleave", "pointercancel"]) {
  plot.addEventListener(kind, () => {
    view.start = null;
    point(null);
  });
}
plot.addEventListener("dblclick", () => zoom(null));
whole.addEventListener("click", () => zoom(null));
new ResizeObserver(render).observe(plot);

// The address of a picture as a file, SVG or PNG, at double size.
async function fileOf(picture, format) {
  const { width, height } = plot.getBoundingClientRect(), { svg } = chartOf(picture, width, height, view.zoom);
  svg.setAttribute("width", 2 * width);
  svg.setAttribute("height", 2 * height);
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  if (format === "svg") return image.src;
  await image.decode();
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL();
}
