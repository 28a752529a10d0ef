import type { BusinessHours } from "@signalbox/contract";

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Every weekly timetable opens within a week and a day. */
const SEARCH_DAYS = 8;

interface LocalTime {
  day: (typeof DAYS)[number];
  /** "09:30", so that times of day compare as texts. */
  time: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function localTime(timeZone: string, at: number): LocalTime {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = DAYS.find((name) => name === parts["weekday"]?.toLowerCase()) ?? "mon";
  return { day, time: `${parts["hour"]}:${parts["minute"]}` };
}

/** Null means that somebody is always there. */
export function isWithinHours(hours: BusinessHours | null, at: number): boolean {
  if (hours === null) return true;
  const { day, time } = localTime(hours.time_zone, at);
  return hours.open.some(({ days, from, to }) => days.includes(day) && from <= time && time < to);
}

/** The first minute from `at` on in which somebody is there. */
export function nextOpening(hours: BusinessHours | null, at: number): number {
  if (hours === null || isWithinHours(hours, at)) return at;
  const wholeMinute = at - (at % MINUTE_MS);
  const openings: number[] = [];
  for (let day = 0; day <= SEARCH_DAYS; day += 1) {
    const sameTime = wholeMinute + day * DAY_MS;
    const now = minutesOf(localTime(hours.time_zone, sameTime).time);
    for (const { from } of hours.open) {
      // An hour to either side, because clocks are moved: which of the three it is, the timetable itself tells.
      for (const moved of [-60, 0, 60]) openings.push(sameTime + (minutesOf(from) - now + moved) * MINUTE_MS);
    }
  }
  const next = openings.filter((time) => time > at && isWithinHours(hours, time));
  return Math.min(...next, wholeMinute + SEARCH_DAYS * DAY_MS);
}

function minutesOf(time: string): number {
  const [hour = "0", minute = "0"] = time.split(":");
  return Number(hour) * 60 + Number(minute);
}
