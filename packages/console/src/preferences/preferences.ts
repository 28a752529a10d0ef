import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
export type Language = "en" | "zh-CN";
export type Zone = "local" | "utc";

export interface Preferences {
  theme: Theme;
  language: Language;
  zone: Zone;
  /** Single-key shortcuts can be in the way of speech input (WCAG 2.1.4). */
  shortcuts: boolean;
  /** Notifications and sound of the inbox, off until somebody turns them on. */
  alerts: boolean;
}

/** Also read by public/appearance.js, before the first paint. */
const KEY = "signalbox.console";

function languageOfBrowser(): Language {
  return navigator.languages
    .find((tag) => /^(en|zh)\b/i.test(tag))
    ?.toLowerCase()
    .startsWith("zh") === true
    ? "zh-CN"
    : "en";
}

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
  } catch {
    return {};
  }
}

let current: Preferences = {
  theme: "system",
  language: languageOfBrowser(),
  zone: "local",
  shortcuts: true,
  alerts: false,
  ...stored(),
};
const listeners = new Set<() => void>();

export function getPreferences(): Preferences {
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Storage is blocked: the choice holds until the page is left.
  }
  show();
  for (const listener of listeners) listener();
}

/** Puts the chosen theme and language on the page. */
export function show(): void {
  const { dataset } = document.documentElement;
  if (current.theme === "system") delete dataset["theme"];
  else dataset["theme"] = current.theme;
  document.documentElement.lang = current.language;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, getPreferences);
}
