/**
 * Whether the chat is dark. `theme` of the element says `light`, `dark` or `system`; otherwise it looks like the page around it,
 * and changes with it. Gives what ends that.
 */
export function followTheme(host: HTMLElement, onTheme: (isDark: boolean) => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let shown: boolean | undefined;
  const update = () => {
    const isDark = isDarkAround(host, system.matches);
    if (isDark !== shown) onTheme(isDark);
    shown = isDark;
  };
  update();
  // Pages switch by a class, an attribute or a style of their root, and their style sheets may come late.
  const changes = new MutationObserver(update);
  for (const element of [document.documentElement, document.body, host])
    changes.observe(element, { attributes: true });
  document.addEventListener("transitionend", update);
  globalThis.addEventListener("load", update);
  system.addEventListener("change", update);
  return () => {
    changes.disconnect();
    document.removeEventListener("transitionend", update);
    globalThis.removeEventListener("load", update);
    system.removeEventListener("change", update);
  };
}

function isDarkAround(host: HTMLElement, isSystemDark: boolean): boolean {
  const theme = host.getAttribute("theme");
  if (theme === "light" || theme === "dark") return theme === "dark";
  if (theme === "system") return isSystemDark;
  for (let around = host.parentElement; around !== null; around = around.parentElement) {
    const lightness = lightnessOf(getComputedStyle(around).backgroundColor);
    if (lightness !== undefined) return lightness < 0.5;
  }
  // Nothing has a colour of its own: the browser paints the page by its colour scheme.
  const schemes = getComputedStyle(document.documentElement).colorScheme.split(" ");
  return schemes.includes("dark") && (isSystemDark || !schemes.includes("light"));
}

const OPAQUE_MIN = 0.5;

/** Undefined for what one sees through, and for a colour that is written in another way. */
function lightnessOf(colour: string): number | undefined {
  const numbers = /^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? \/? ?([\d.]+))?\)$/.exec(colour);
  if (numbers === null) return undefined;
  const [red = 0, green = 0, blue = 0, opacity = 1] = numbers.slice(1).map((one) => Number(one ?? 1));
  if (opacity < OPAQUE_MIN) return undefined;
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}
