/*
 * Tables that sort and filter.  A column is
 *   {key, label, type: "name" | "text" | "long" | "number", value(row), show(value, row)}
 * value defaults to the row's member, show to the value itself; null is shown as unknown and sorts last either way.
 */

const FIRST_ROWS = 50;

const byText = new Intl.Collator("en", { numeric: true }).compare;

function compareBy(column, direction) {
  return (a, b) => {
    const x = column.value(a),
      y = column.value(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return direction * (typeof x === "number" && typeof y === "number" ? x - y : byText(String(x), String(y)));
  };
}

function cell(column, row) {
  const value = column.value(row);
  const shown = value === null ? null : column.show(value, row);
  if (shown === null) {
    return make(
      "td",
      { class: column.type },
      make("span", { class: "unknown", title: column.none || "not known" }, column.none ? "–" : "?"),
    );
  }
  return make("td", { class: column.type }, shown);
}

/* options: name (for readers of the screen), filter (true: offer one), sort: [key, 1 or -1], empty (text). */
function table(parent, columns, rows, options) {
  for (const column of columns) {
    column.value = column.value || ((row) => (row[column.key] === undefined ? null : row[column.key]));
    column.show = column.show || ((value) => (column.type === "number" ? count(value) : String(value)));
  }
  if (!rows.length) {
    parent.append(note(options.empty || "None."));
    return null;
  }
  let [sortKey, direction] = options.sort || [null, 1];
  let needle = "",
    all = false;

  const heads = columns.map((column) => {
    const button = make("button", { type: "button", title: column.title || null }, column.label);
    button.addEventListener("click", () => {
      /* Of numbers, people ask for the greatest first. */
      direction = sortKey === column.key ? -direction : column.type === "number" ? -1 : 1;
      sortKey = column.key;
      fill();
    });
    return make(
      "th",
      { scope: "col", class: column.type === "number" ? "number" : null, "data-key": column.key },
      button,
    );
  });
  const body = make("tbody");
  const counted = make("p", { class: "count", role: "status" });
  const more = make("button", { type: "button" }, "Show all rows");
  more.addEventListener("click", () => {
    all = true;
    fill();
  });

  function matches(row) {
    return columns.some((column) => {
      const value = column.value(row);
      return value !== null && String(column.show(value, row)).toLowerCase().includes(needle);
    });
  }

  function fill() {
    const found = needle ? rows.filter(matches) : rows.slice();
    const column = columns.find((c) => c.key === sortKey);
    if (column) found.sort(compareBy(column, direction));
    const shown = all ? found : found.slice(0, FIRST_ROWS);
    body.replaceChildren(...shown.map((row) => make("tr", null, ...columns.map((c) => cell(c, row)))));
    for (const head of heads) {
      if (head.dataset.key === sortKey) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
    counted.textContent =
      found.length === rows.length
        ? several(rows.length, "row")
        : `${whole(found.length)} of ${several(rows.length, "row")}`;
    if (shown.length < found.length) counted.textContent += `, the first ${shown.length} shown`;
    more.hidden = shown.length === found.length;
  }

  const controls = make("div", { class: "controls" });
  let input = null;
  if (options.filter) {
    input = make("input", { type: "search", spellcheck: "false", autocomplete: "off" });
    input.addEventListener("input", () => {
      needle = input.value.trim().toLowerCase();
      fill();
    });
    controls.append(make("label", null, "Filter", input));
  }
  controls.append(more);
  parent.append(
    controls,
    make(
      "div",
      { class: "table", tabindex: "0", role: "region", "aria-label": options.name },
      make("table", null, make("thead", null, make("tr", null, ...heads)), body),
    ),
    counted,
  );
  fill();
  return {
    /* Shows the rows with this text only. */
    filter(text) {
      if (!input) return;
      input.value = text;
      needle = text.toLowerCase();
      fill();
    },
  };
}
