"use strict";
const number = text => Number(text.replace(/,/g, "").match(/^(?!\d+ of \d+ )[-+]?\d[\d.]*(e[-+]?\d+)?(?![^\s%])/i)?.[0] ?? NaN);
const NUMBER = /^\s*([-+]?[\d.,]+(e[-+]?\d+)?%?( [±(].*)?|-?|\d+ of \d+)\s*$/;
const value = cell => cell.textContent.trim().replace(/^-$/, "");
const rowsOf = table => [...table.tBodies[0].rows].filter(row => !row.matches(".evidence"));
const STEP = 100; // rows that are laid out at once; more come when the last of them is in view
const LONG = 15; // rows from which on a table has a filter
const VERDICTS = ["reproduced", "weaker", "in part", "open", "not reproduced", "not run"];

function sortable(table, changed) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.scope = "col";
    head.ariaSort = "none";
    button.addEventListener("click", () => {
      const down = head.ariaSort === "ascending";
      for (const other of heads) other.ariaSort = "none";
      head.ariaSort = down ? "descending" : "ascending";
      for (const row of table.querySelectorAll(".evidence")) row.remove();
      const sorted = rowsOf(table).sort((a, b) => {
        const [x, y] = [value(a.cells[column]), value(b.cells[column])];
        if (!x || !y) return !x - !y; // rows without a value come last, whichever the direction
        const places = [x, y].map(text => VERDICTS.indexOf(text));
        const [m, n] = [number(x), number(y)], words = Number.isNaN(m) - Number.isNaN(n); // words come after numbers
        const order = places.includes(-1) ? words || m - n : places[0] - places[1];
        return (Number.isNaN(order) ? x.localeCompare(y, "en", { numeric: true }) : order) * (down ? -1 : 1);
      });
      table.tBodies[0].append(...sorted);
      changed();
    });
  });
}

// A search box above a table: a row stays if it has every word. Returns what shows the runs of these names alone.
function filtered(table) {
  const tools = document.createElement("p"), rows = rowsOf(table);
  tools.className = "tools";
  tools.innerHTML = '<label>Filter <input type="search" autocomplete="off"></label> <span aria-live="polite"></span> <button type="button" hidden>show all</button>';
  const [search, said, all] = tools.querySelectorAll("input, span, button");
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
  let names = null, most = STEP;
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of table.querySelectorAll(".evidence")) row.remove();
    for (const row of rowsOf(table)) {
      const wanted = (!names || names.has(value(row.cells[row.cells.length - 1]))) && words.every(word => texts.get(row).includes(word));
      row.hidden = !wanted || ++count > most;
    }
    said.textContent = count === rows.length ? `${count} rows` : `${count} of ${rows.length} rows`;
    all.hidden = count === rows.length;
  };
  const begin = (only = null) => { names = only; most = STEP; show(); };
  search.addEventListener("input", () => begin(names));
  all.addEventListener("click", () => { search.value = ""; begin(); search.focus(); });
  addEventListener("beforeprint", () => { most = Infinity; show(); });
  table.parentNode.before(tools);
  const end = document.createElement("div");
  end.className = "end";
  table.after(end);
  new IntersectionObserver(([{ isIntersecting }], observer) => {
    if (!isIntersecting || most >= rows.length) return;
    most += STEP;
    show();
    observer.unobserve(end); // it is asked again: the end may be in view still
    observer.observe(end);
  }, { root: table.parentNode, rootMargin: "400px" }).observe(end);
  show(); // a browser that comes back keeps what was typed
  return { show, begin };
}

for (const word of document.querySelectorAll("td:first-child > strong:only-child")) {
  word.classList.add("badge", word.textContent.replace(/\W/g, "-"));
}
for (const caption of document.querySelectorAll("#figures section > p:first-of-type")) {
  const [title, first, ...others] = caption.innerHTML.split("\n");
  if (!others.length) continue;
  const details = document.createElement("details");
  details.innerHTML = `<summary>${first}</summary><p>${others.join("\n")}</p>`;
  caption.innerHTML = title;
  caption.after(details);
}
for (const image of document.querySelectorAll("#figures img")) {
  if (image.getAttribute("width") > 480) image.closest("section").classList.add("whole");
  image.addEventListener("click", () => image.closest("section").classList.toggle("large"));
}

const tools = new Map();
for (const table of document.querySelectorAll("table")) {
  const rows = rowsOf(table);
  if (!rows.length) continue;
  table.classList.toggle("claims", table.tHead.textContent.trim().startsWith("verdict"));
  for (const { cellIndex } of table.tHead.rows[0].cells) {
    const cells = rows.map(row => row.cells[cellIndex]);
    if (cells.every(cell => NUMBER.test(cell.textContent)) && cells.some(value)) {
      for (const cell of [table.tHead.rows[0].cells[cellIndex], ...cells]) cell.classList.add("n");
    }
  }
  table.parentNode.classList.toggle("tall", rows.length > STEP);
  const isOfRuns = !tools.size && document.querySelector("script#data"); // links name some of its rows
  if (rows.length > LONG || isOfRuns) tools.set(table, filtered(table));
  if (rows.length > 1) sortable(table, () => tools.get(table)?.show());
}

// The evidence of a claim and its figures open below its row.
function open(link, wanted) {
  const row = link.closest("tr"), there = row.nextElementSibling?.matches(".evidence") ? row.nextElementSibling : null;
  if (there && !wanted) there.remove();
  link.ariaExpanded = !there || wanted;
  if (there) return;
  const under = row.parentNode.insertRow(row.sectionRowIndex + 1), cell = under.insertCell();
  under.className = "evidence";
  cell.colSpan = row.cells.length;
  const inside = [...document.getElementById(anchor(link)).parentNode.children].slice(1);
  const figures = [...row.querySelectorAll("a[href*='#figures/']")].map(link => document.getElementById(anchor(link)));
  const images = figures.flatMap(head => [...head?.parentNode.querySelectorAll("img") ?? []]);
  cell.append(...[...inside, ...images].map(each => each.cloneNode(true)));
}
const anchor = link => decodeURIComponent(link.hash.slice(1));
const links = new Map([...document.querySelectorAll(".claims a[href*='#evidence/']")]
  .filter(link => link.pathname === location.pathname && document.getElementById(anchor(link)))
  .map(link => [anchor(link), link]));
for (const link of links.values()) {
  link.closest("tr").addEventListener("click", event => {
    const other = event.target.closest("a");
    if (other && other !== link) return;
    event.preventDefault();
    open(link);
  });
}

// The address may name all evidence, a claim, or the runs of a figure or claim.
function follow() {
  const at = decodeURIComponent(location.hash.slice(1)), link = links.get(at);
  document.body.classList.toggle("folds", links.size > 0 && at !== "evidence");
  if (at === "evidence") document.getElementById(at)?.scrollIntoView();
  if (link) {
    open(link, true);
    link.closest("tr").scrollIntoView();
  }
  if (at.startsWith("of:")) {
    const users = JSON.parse(document.getElementById("data").textContent), [table] = tools.keys();
    tools.get(table)?.begin(new Set(users[at.slice(3)] ?? []));
    table?.parentNode.previousElementSibling.scrollIntoView();
  }
}
addEventListener("hashchange", follow);
follow();

// Mark figures that go on beyond the side of a narrow page, once they are there; tables have a shadow there.
function mark() {
  for (const box of document.querySelectorAll("p:has(> img)")) box.classList.toggle("goes-on", box.scrollWidth > box.clientWidth + 1);
}
addEventListener("resize", mark);
addEventListener("load", mark, true); // of each image, too
