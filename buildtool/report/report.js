// Makes the columns of tables buttons that sort the rows.
for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.querySelectorAll("thead th")) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, head));
  }
}

function sort(table, head) {
  const up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const value = (row) => row.cells[head.cellIndex];
  const compare = (one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a.dataset.n && b.dataset.n) return a.dataset.n - b.dataset.n;
    return a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  };
  const rows = [...table.tBodies[0].rows].sort((a, b) => (up ? compare(a, b) : compare(b, a)));
  table.tBodies[0].append(...rows);
}
