import { useEffect, useRef, useSyncExternalStore } from "react";

/** A key of one screen, and what it does there. */
export interface ScreenKey {
  key: string;
  label: string;
  run: () => void;
  /** Other words by which the command palette finds it. */
  also?: string;
}

export interface ScreenKeys {
  title: string;
  keys: readonly ScreenKey[];
}

const NONE: ScreenKeys = { title: "", keys: [] };
let shown: ScreenKeys = NONE;
const listeners = new Set<() => void>();

function setShown(next: ScreenKeys): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** The keys of this screen, for as long as it is open: the frame listens for them, and lists them with its own. */
export function useScreenKeys(keys: ScreenKeys): void {
  const current = useRef(keys);
  current.current = keys;
  const label = keys.keys.map((one) => `${one.key} ${one.label}`).join("\n");
  useEffect(() => {
    const lent: ScreenKeys = {
      title: current.current.title,
      keys: current.current.keys.map((one) => ({
        ...one,
        // Looked up when it is pressed: what a key does changes more often than what it is called.
        run: () => current.current.keys.find(({ key }) => key === one.key)?.run(),
      })),
    };
    setShown(lent);
    return () => {
      if (shown === lent) setShown(NONE);
    };
  }, [keys.title, label]);
}

export function useShownScreenKeys(): ScreenKeys {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}

/** Whether the open screen has this key; if so, it was pressed. */
export function runScreenKey(key: string): boolean {
  const found = shown.keys.find((one) => one.key === key);
  found?.run();
  return found !== undefined;
}
