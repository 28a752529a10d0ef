const TABBABLE =
  ":is(a[href], button:enabled, input:enabled, textarea:enabled, [tabindex='0']):not([tabindex='-1'], [aria-hidden])";
const LIST = "[role=region][tabindex='0']";
const MAIN = "#content";

/** An element and all it stands in, so that its place is known when it is gone; of a dialog, then what opened it. */
export type FocusPath = readonly HTMLElement[];

export interface OpenDialog {
  popup: { readonly current: HTMLElement | null };
  /** The path of the element that opened it. */
  path: FocusPath;
}
export const openDialogs = new Set<OpenDialog>();

export function focusPathOf(element: Element | null): FocusPath {
  const path: HTMLElement[] = [];
  for (let at = element; at instanceof HTMLElement && at !== document.body; at = at.parentElement)
    path.push(at);
  const dialog = [...openDialogs].find(({ popup }) => popup.current?.contains(element));
  return [...path, ...(dialog?.path ?? [])];
}

/** The element itself, or the nearest control to where it stood; where a whole screen is gone, the next screen. */
export function nearestIn(path: FocusPath): HTMLElement | null {
  for (const place of path) {
    if (!place.isConnected) continue;
    if (place === path[0] || place.matches(MAIN) || place.matches(TABBABLE)) return place;
    // The keys of a list work from the list itself, and Enter does nothing there.
    const control = place.closest<HTMLElement>(LIST) ?? place.querySelector<HTMLElement>(TABBABLE);
    if (control !== null) return control;
  }
  return document.querySelector(MAIN);
}
