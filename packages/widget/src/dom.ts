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
