import { useEffect, useSyncExternalStore } from "react";

let shown: string | undefined;
const listeners = new Set<() => void>();

function setShown(name: string | undefined): void {
  shown = name;
  for (const listener of listeners) listener();
}

/** What the open screen is called, for as long as it is open: the frame names the browser's tab after it. */
export function useScreenTitle(name: string): void {
  useEffect(() => {
    setShown(name);
    return () => setShown(undefined);
  }, [name]);
}

export function useShownScreenTitle(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}
