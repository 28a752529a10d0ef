import { useEffect, useRef } from "react";
import { runScreenKey } from "../design/index.ts";
import { usePreferences } from "../preferences/index.ts";

/** How long the second key of two is waited for. */
const SEQUENCE_MS = 1_200;
/** Time stamps begin with the page, so that 0 is not long ago. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

export interface Shortcuts {
  onPalette: () => void;
  onSheet: () => void;
  onFilter: () => void;
  /** The key after g. */
  onGo: (key: string) => boolean;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select, [role=combobox]"))
  );
}

/** Ctrl or Cmd with K works everywhere; single keys only where nothing is typed, and unless they were turned off. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  const { shortcuts: areOn } = usePreferences();
  useEffect(() => {
    let goSince = LONG_AGO;
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        current.current.onPalette();
        return;
      }
      const path = event.composedPath()[0] ?? null;
      if (!areOn || event.metaKey || event.ctrlKey || event.altKey || event.isComposing || isTyping(path))
        return;
      if (document.querySelector("[role=dialog], [role=alertdialog]") !== null) return;
      if (event.timeStamp - goSince < SEQUENCE_MS) {
        goSince = LONG_AGO;
        if (current.current.onGo(event.key)) event.preventDefault();
        return;
      }
      if (event.key === "g") goSince = event.timeStamp;
      else if (event.key === "?") current.current.onSheet();
      else if (event.key === "/") {
        event.preventDefault();
        current.current.onFilter();
      } else if (runScreenKey(event.key)) event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [areOn]);
}

export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
