/**
 * The script of the page: it sorts, filters and shows a hundred rows at a time. Texts of images are
 * only ever set as text.
 */
export const pageScript = `
"use strict";
(() => {
  const rows = JSON.parse(document.getElementById("rows").textContent);
  const byId = (id) => document.getElementById(id);
  const perPage = 100;
  const labels = {
    unreadable: "Unreadable", denied: "Access denied", storage: "Storage failed", limit: "Not fully examined",
    off: "Not served", slow: "Slow to zoom", "wrong-extension": "Wrong extension",
    case: "Differs only in case", "no-profile": "No profile",
  };
  const graves = ["error", "warning", "note", ""];
  const collator = new Intl.Collator("en", { numeric: true });
  const size = (bytes) => {
    const power = bytes < 1e3 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
    const value = bytes / 1e3 ** power;
    return (power > 0 && value < 100 ? value.toFixed(1) : Math.round(value)) + " " + ["bytes", "KB", "MB", "GB", "TB"][power];
  };
  const pixels = ({ width = 0, height = 0 }) => width * height;
  const columns = [
    { name: "Image", value: (row) => row.id },
    { name: "Findings", value: (row) => graves.indexOf(row.grave), findings: true },
    { name: "Format", value: (row) => row.format, plain: true },
    { name: "Width × height", value: pixels, text: (row) => row.width === undefined ? "" : row.width + " × " + row.height, number: true },
    { name: "Pages", value: (row) => row.pages ?? 0, text: (row) => row.pages ?? "", number: true },
    { name: "Size", value: (row) => row.bytes, text: (row) => size(row.bytes), number: true },
    { name: "Colour", value: (row) => row.colour ?? "", plain: true },
    { name: "Stored in", value: (row) => row.stored ?? "", plain: true },
    { name: "A tile decodes", value: (row) => row.cost ?? 0, text: (row) => row.cost === undefined ? "" : (row.cost / 1e6).toFixed(1) + " MP (" + row.gain + " ×)", number: true },
  ];
  const state = { column: 1, ascending: true, page: 0, shown: rows };

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const compare = (one, other) =>
    typeof one === "number" ? one - other : collator.compare(one, other);

  const select = () => {
    const name = byId("name").value.toLowerCase();
    const format = byId("format").value;
    const finding = byId("finding").value;
    const { value } = columns[state.column];
    const sign = state.ascending ? 1 : -1;
    state.shown = rows
      .filter((row) =>
        (name === "" || row.id.toLowerCase().includes(name)) &&
        (format === "" || row.format === format) &&
        (finding === "" || (finding === "-" ? row.findings.length === 0 : row.findings.some(([code]) => code === finding))))
      .sort((one, other) => sign * compare(value(one), value(other)) || collator.compare(one.id, other.id));
    state.page = 0;
    show();
  };

  const cellsOf = (row) => {
    const picture = make("td");
    if (row.thumbnail) picture.append(make("img", { src: "data:image/jpeg;base64," + row.thumbnail, alt: "", loading: "lazy" }));
    return [picture, ...columns.map((column, at) => {
      if (column.findings) {
        const list = make("ul", { className: "findings" });
        for (const [code, text] of row.findings)
          list.append(make("li", {}, make("b", { textContent: labels[code] ?? code }), " " + text));
        return make("td", { className: row.grave }, ...(row.findings.length > 0 ? [list] : []));
      }
      const text = String(column.text ? column.text(row) : column.value(row));
      if (at === 0) return make("th", { scope: "row", textContent: text });
      return make("td", { className: column.number ? "number" : "plain", textContent: text });
    })];
  };

  const show = () => {
    const { shown, page } = state;
    const pages = Math.max(1, Math.ceil(shown.length / perPage));
    const part = shown.slice(page * perPage, (page + 1) * perPage);
    byId("table").tBodies[0].replaceChildren(...part.map((row) => make("tr", {}, ...cellsOf(row))));
    byId("count").textContent = shown.length + " of " + rows.length + " images";
    byId("page").textContent = "Page " + (page + 1) + " of " + pages;
    byId("previous").disabled = page === 0;
    byId("following").disabled = page + 1 >= pages;
    byId("pager").hidden = pages === 1;
    for (const [at, cell] of [...byId("table").tHead.rows[0].cells].slice(1).entries())
      if (at === state.column) cell.setAttribute("aria-sort", state.ascending ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
  };

  const turn = (by) => {
    state.page += by;
    show();
    byId("images").scrollIntoView();
  };

  const heads = columns.map(({ name, number }, at) => {
    const button = make("button", { type: "button", textContent: name });
    button.addEventListener("click", () => {
      state.ascending = state.column === at ? !state.ascending : true;
      state.column = at;
      select();
    });
    return make("th", { scope: "col", className: number ? "number" : "" }, button);
  });
  byId("table").tHead.rows[0].append(make("td"), ...heads);
  for (const format of [...new Set(rows.map((row) => row.format))].sort(collator.compare))
    byId("format").append(make("option", { value: format, textContent: format }));
  const codes = new Set(rows.flatMap((row) => row.findings.map(([code]) => code)));
  for (const [code, label] of Object.entries(labels))
    if (codes.has(code)) byId("finding").append(make("option", { value: code, textContent: label }));
  let typing;
  byId("name").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(select, 150);
  });
  for (const id of ["format", "finding"]) byId(id).addEventListener("change", select);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("previous").addEventListener("click", () => turn(-1));
  byId("following").addEventListener("click", () => turn(1));
  byId("filters").hidden = false;
  byId("region").hidden = false;
  select();
})();
`;
