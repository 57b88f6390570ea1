"use strict";
const table = document.getElementById("table");
if (table) {
  const body = table.tBodies[0], rows = [...body.rows];
  const filter = document.getElementById("filter"), shown = document.getElementById("shown");
  const all = document.getElementById("all");
  const texts = new Map(rows.map(row => {
    const cells = [...row.cells].map(cell => cell.textContent.trim());
    return [row, `${cells.join(" ")} C=${cells[3]}`.toLowerCase()];
  }));
  let chosen = null; // the runs of one figure or claim

  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const wanted = (!chosen || chosen.has(row.dataset.row)) && words.every(word => texts.get(row).includes(word));
      row.hidden = !wanted;
      count += wanted;
    }
    shown.textContent = count === rows.length ? `${count} runs` : `${count} of ${rows.length} runs`;
    all.hidden = count === rows.length;
  };
  filter.addEventListener("input", show);
  all.addEventListener("click", () => { chosen = null; filter.value = ""; show(); });
  for (const link of document.querySelectorAll("a.those")) {
    link.addEventListener("click", () => { chosen = new Set(link.dataset.rows.split(" ")); filter.value = ""; show(); });
  }

  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = row => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
    rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (!x || !y) return !x - !y; // rows without a value come last, whichever the direction
      const order = a.cells[column].dataset.v === undefined ? x.localeCompare(y) : x - y;
      return down ? -order : order;
    });
    body.append(...rows);
  }));
}
for (const image of document.querySelectorAll("figure img")) {
  image.addEventListener("click", () => image.closest("figure").classList.toggle("large"));
}
