import { useSyncExternalStore } from "react";

/** Room for three panes beside the navigation. */
const WIDE = "(min-width: 80rem)";

export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(WIDE).matches);
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}
