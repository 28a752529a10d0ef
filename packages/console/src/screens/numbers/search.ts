import { ConversationChannel, NUMBERS_LANGUAGES, type NumbersStep } from "@signalbox/contract";
import type { Zone } from "../../preferences/index.ts";

export type NumbersLanguage = (typeof NUMBERS_LANGUAGES)[number];

export const RANGES = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export type Range = keyof typeof RANGES;

/** The range and the filters as they stand in the address. */
export interface NumbersSearch {
  range?: Range | undefined;
  channel?: ConversationChannel | undefined;
  language?: NumbersLanguage | undefined;
}

type ConversationChannel = (typeof ConversationChannel.options)[number];

/** A value that is not understood is left out: an old link shows more, not an error. */
export function readNumbersSearch(search: Record<string, unknown>): NumbersSearch {
  const { range, channel, language } = search;
  return {
    range: typeof range === "string" && Object.hasOwn(RANGES, range) ? (range as Range) : undefined,
    channel: ConversationChannel.safeParse(channel).data,
    language: NUMBERS_LANGUAGES.find((known) => known === language),
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Shown {
  from_time: number;
  to_time: number;
  step: NumbersStep;
  time_zone: string;
}

/** Up to the end of this hour, so that it is the same question for an hour; days begin where the reader's do. */
export function shownRange(range: Range, now: number, zone: Zone): Shown {
  const to_time = Math.ceil((now + 1) / HOUR_MS) * HOUR_MS;
  const time_zone = zone === "utc" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
  const days = RANGES[range];
  if (days === 1) return { from_time: to_time - DAY_MS, to_time, step: "hour", time_zone };
  const first = new Date(now);
  if (zone === "utc") first.setUTCHours(0, 0, 0, 0);
  else first.setHours(0, 0, 0, 0);
  first.setDate(first.getDate() - (days - 1));
  return { from_time: first.getTime(), to_time, step: "day", time_zone };
}
