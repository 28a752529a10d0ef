type Properties = Record<string, string | boolean | undefined>;

/** An element with attributes and children; text is only ever text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(properties))
    if (value !== undefined && value !== false) made.setAttribute(attribute, value === true ? "" : value);
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** A drawing of lines. Made node by node, because pages may forbid HTML from strings. */
export function icon(lines: string, size = 20): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", lines);
  for (const [name, value] of Object.entries({
    viewBox: "0 0 24 24",
    width: String(size),
    "aria-hidden": "true",
  }))
    svg.setAttribute(name, value);
  svg.append(path);
  return svg;
}
