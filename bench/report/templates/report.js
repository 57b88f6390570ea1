"use strict";
// What sorts and is filtered: the rows of a table, or bodies of two rows each, of which the second is evidence.
const items = table => table.tBodies.length > 1 || table.matches(".claims") ? [...table.tBodies] : [...table.tBodies[0].rows];
const cells = item => (item.rows?.[0] ?? item).cells;
const value = (item, column) => cells(item)[column].dataset.v ?? cells(item)[column].textContent.trim().replace(/^-$/, "");
const number = text => Number(text.replace(/,/g, "").match(/^[-+]?\d[\d.]*(e[-+]?\d+)?(?![^\s%])/i)?.[0] ?? NaN);

for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sorted = items(table).sort((a, b) => {
      const [x, y] = [value(a, column), value(b, column)];
      if (!x || !y) return !x - !y; // rows without a value come last, whichever the direction
      const order = number(x) - number(y);
      return (Number.isNaN(order) ? x.localeCompare(y, "en", { numeric: true }) : order) * (down ? -1 : 1);
    });
    sorted[0].parentNode.append(...sorted);
    table.dispatchEvent(new Event("sorted"));
  }));
}

const STEP = 100; // rows of runs that are laid out at once; more come when the last of them is in view
// The tools of a part: a search box and a list choose among the rows of its tables.
function equip(tools) {
  const part = tools.closest(".part"), what = tools.dataset.what;
  const tables = [...part.querySelectorAll(what === "claim" ? "table.claims" : "#runs-table")];
  const rows = tables.flatMap(items);
  const search = tools.querySelector("input"), lists = [...tools.querySelectorAll("select")];
  const shown = tools.querySelector(".shown"), all = tools.querySelector(".all");
  const strength = [...tables[0].tHead.rows[0].cells].findIndex(head => head.textContent.trim() === "C");
  const texts = new Map(rows.map(row =>
    [row, `${row.textContent} ${strength < 0 ? "" : `C=${cells(row)[strength].textContent}`}`.toLowerCase()]));
  let chosen = null; // the runs of one figure or claim
  let most = what === "run" ? STEP : Infinity;

  const wanted = (row, words) => (!chosen || chosen.has(row.dataset.row))
    && lists.every(list => !list.value || row.dataset[list.dataset.column] === list.value)
    && words.every(word => texts.get(row).includes(word));
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of tables.flatMap(items)) row.hidden = !wanted(row, words) || ++count > most;
    const total = `${rows.length} ${what}${rows.length === 1 ? "" : "s"}`;
    shown.textContent = count === rows.length ? total : `${count} of ${total}`;
    all.hidden = count === rows.length;
    if (what !== "claim") return;
    for (const origin of part.querySelectorAll("details.origin")) origin.open ||= count < rows.length;
    for (const section of part.querySelectorAll("section")) {
      const has = [...section.querySelectorAll("table.claims tbody")].some(body => !body.hidden);
      section.hidden = !has && count < rows.length;
    }
  };
  const choose = (those = null) => { // nothing but what is asked for
    chosen = those;
    search.value = "";
    for (const list of lists) list.value = "";
    begin();
  };
  const begin = () => {
    if (what === "run") most = STEP;
    show();
  };
  search.addEventListener("input", begin);
  for (const list of lists) list.addEventListener("change", begin);
  for (const table of tables) table.addEventListener("sorted", begin);
  const end = part.querySelector(".end");
  if (end) new IntersectionObserver(([{ isIntersecting }], observer) => {
    if (!isIntersecting || most >= rows.length) return;
    most += STEP;
    show();
    observer.unobserve(end); // it is asked again: the end may be in view still
    observer.observe(end);
  }, { root: end.parentNode, rootMargin: "400px" }).observe(end);
  addEventListener("beforeprint", () => { most = Infinity; show(); });
  all.addEventListener("click", () => { choose(); search.focus(); });
  show(); // a browser that comes back keeps what was typed
  return choose;
}

// A claim's row opens and closes its evidence.
function open(body, wanted = body.rows[1].hidden) {
  body.rows[1].hidden = !wanted;
  body.querySelector("button").setAttribute("aria-expanded", wanted);
}
for (const body of document.querySelectorAll("table.claims tbody")) {
  body.rows[0].addEventListener("click", () => open(body));
}

const tools = new Map([...document.querySelectorAll(".tools")].map(some => [some.dataset.what, equip(some)]));
// The address may name a claim, or the runs of a figure or claim.
function follow() {
  const at = decodeURIComponent(location.hash.slice(1)), target = document.getElementById(at);
  if (target?.closest("details.origin")) {
    target.closest("details.origin").open = true;
    target.scrollIntoView();
  }
  if (target?.matches("table.claims tbody")) open(target, true);
  if (at.startsWith("of:") && tools.has("run")) {
    const users = JSON.parse(document.getElementById("users").textContent);
    tools.get("run")(new Set((users[at.slice(3)] ?? []).map(String)));
    document.getElementById("runs-table").scrollIntoView();
  }
}
addEventListener("hashchange", follow);
follow();
for (const image of document.querySelectorAll("figure img")) {
  image.addEventListener("click", () => image.closest("figure").classList.toggle("large"));
}
