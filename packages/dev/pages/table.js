import { make } from "/desk/page/elements.js";

/** Up to here a cell stays on one line. */
const SHORT_CHARACTERS = 12;

/** A table that stays one for screen readers where a narrow page shows its rows as cards. */
export function table(label, headings, rows) {
  const cell = (content, index) => {
    const className = typeof content === "string" && content.length <= SHORT_CHARACTERS ? "short" : "";
    return make("td", { role: "cell", className, "data-label": headings[index] }, content);
  };
  return make(
    "table",
    { role: "table", "aria-label": label },
    make(
      "thead",
      { role: "rowgroup" },
      make(
        "tr",
        { role: "row" },
        ...headings.map((text) => make("th", { role: "columnheader", scope: "col", textContent: text })),
      ),
    ),
    make("tbody", { role: "rowgroup" }, ...rows.map((row) => make("tr", { role: "row" }, ...row.map(cell)))),
  );
}
