"use strict";
// Every table with tools: its headings sort, its search box, lists and links choose rows.
function equip(tools) {
  const table = document.getElementById(tools.dataset.for), what = table.dataset.what;
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const search = tools.querySelector("input"), lists = [...tools.querySelectorAll("select")];
  const shown = tools.querySelector(".shown"), all = tools.querySelector(".all");
  const strength = heads.findIndex(head => head.textContent.trim() === "C");
  const texts = new Map(rows.map(row => {
    const cells = [...row.cells].map(cell => cell.textContent.trim());
    return [row, `${cells.join(" ")} ${strength < 0 ? "" : `C=${cells[strength]}`}`.toLowerCase()];
  }));
  let chosen = null; // the runs of one figure or claim

  const wanted = (row, words) => (!chosen || chosen.has(row.dataset.row))
    && lists.every(list => !list.value || row.dataset[list.dataset.column] === list.value)
    && words.every(word => texts.get(row).includes(word));
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      row.hidden = !wanted(row, words);
      count += !row.hidden;
    }
    const total = `${rows.length} ${what}${rows.length === 1 ? "" : "s"}`;
    shown.textContent = count === rows.length ? total : `${count} of ${total}`;
    all.hidden = count === rows.length;
  };
  const choose = (some = {}, those = null) => { // nothing but what is asked for
    chosen = those;
    search.value = "";
    for (const list of lists) list.value = some[list.dataset.column] ?? "";
    show();
  };
  search.addEventListener("input", show);
  for (const list of lists) list.addEventListener("change", show);
  all.addEventListener("click", () => { choose(); search.focus(); });

  const value = (row, column) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    rows.sort((a, b) => {
      const [x, y] = [value(a, column), value(b, column)];
      if (!x || !y) return !x - !y; // rows without a value come last, whichever the direction
      const order = a.cells[column].dataset.v === undefined ? x.localeCompare(y, "en", { numeric: true }) : x - y;
      return down ? -order : order;
    });
    body.append(...rows);
  }));
  show(); // a browser that comes back keeps what was typed
  return choose;
}

const allTools = [...document.querySelectorAll(".tools")];
const tables = Object.fromEntries(allTools.map(tools => [tools.dataset.for, equip(tools)]));
for (const link of document.querySelectorAll("a.those")) {
  link.addEventListener("click", () => tables["runs-table"]({}, new Set(link.dataset.rows.split(" "))));
}
for (const link of document.querySelectorAll("a[href='#claims'][data-origin]")) {
  link.addEventListener("click", () => tables["claims-table"](link.dataset));
}
for (const image of document.querySelectorAll("figure img")) {
  image.addEventListener("click", () => image.closest("figure").classList.toggle("large"));
}
