const SKIPPED = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "nav",
  "aside",
  "select",
  "button",
  "iframe",
  "object",
  "head",
]);
const SKIPPED_CLASSES = new Set(["toc", "navheader", "navfooter", "breadcrumb", "breadcrumbs", "navbar"]);

/** Parts of a page that are no content: scripts, menus, tables of contents, hidden elements. */
export function isSkipped(name: string, attributes: Record<string, string>): boolean {
  if (SKIPPED.has(name)) return true;
  if (attributes["hidden"] !== undefined || attributes["aria-hidden"] === "true") return true;
  if (attributes["role"] === "navigation") return true;
  const classes = attributes["class"];
  return (
    classes !== undefined && classes.split(/\s+/).some((name) => SKIPPED_CLASSES.has(name.toLowerCase()))
  );
}
