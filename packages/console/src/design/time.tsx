import { Tooltip } from "@base-ui/react/tooltip";
import { useEffect, useState } from "react";
import { usePreferences, type Zone } from "../preferences/index.ts";
import { classNames } from "./class-names.ts";
import { FLOATING } from "./floating.ts";
import { absoluteTime, relativeTime } from "./moments.ts";

const TICK_MS = 10_000;

/** One clock for all times on the page. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = () => setNow(Date.now());
    listeners.add(tick);
    timer ??= setInterval(() => listeners.forEach((listener) => listener()), TICK_MS);
    return () => {
      listeners.delete(tick);
      if (listeners.size === 0 && timer !== undefined) {
        clearInterval(timer);
        timer = undefined;
      }
    };
  }, []);
  return now;
}

export interface TimeProps {
  at: number;
  /** relative: how long ago; otherwise the moment itself. The other one is a hover away. */
  as?: "relative" | "short" | "clock" | "minutes" | "full";
  className?: string;
}

/** A moment, with the other way to say it and both time zones in its tooltip. */
export function Time({ at, as = "relative", className }: TimeProps) {
  const preferences = usePreferences();
  const now = useNow();
  const { language } = preferences;
  const text = as === "relative" ? relativeTime(at, now, language) : absoluteTime(at, preferences, as);
  const other: Zone = preferences.zone === "utc" ? "local" : "utc";
  return (
    <Tooltip.Root>
      <Tooltip.Trigger
        render={
          <time
            dateTime={new Date(at).toISOString()}
            className={classNames("tabular relative z-10", as !== "full" && "whitespace-nowrap", className)}
          />
        }
      >
        {text}
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup
            className={classNames(
              FLOATING,
              "tabular flex flex-col rounded-md px-2.5 py-1.5 text-xs text-ink",
            )}
          >
            <span>{relativeTime(at, now, language)}</span>
            <span>{absoluteTime(at, preferences)}</span>
            <span className="text-ink-soft">{absoluteTime(at, { language, zone: other })}</span>
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
