import type { TalkDetail, TalkMessage, TalkNote } from "@signalbox/contract";

/** What happened to the talk itself. */
export type TalkStep = "requested" | "taken" | "closed";

export type TalkItem =
  | { kind: "message"; time: number; message: TalkMessage }
  | { kind: "note"; time: number; note: TalkNote }
  | { kind: "step"; time: number; step: TalkStep };

export interface TalkDay {
  /** Any moment of it. */
  time: number;
  items: TalkItem[];
}

type Told = Pick<TalkDetail, "notes" | "request_time" | "take_time" | "close_time">;

/** Messages in their order, with notes and steps where they happened. */
export function itemsOf(talk: Told, messages: readonly TalkMessage[]): TalkItem[] {
  const step = (name: TalkStep, time: number | null): TalkItem[] =>
    time === null ? [] : [{ kind: "step", time, step: name }];
  const beside: TalkItem[] = [
    ...step("requested", talk.request_time),
    ...step("taken", talk.take_time),
    ...talk.notes.map((note): TalkItem => ({ kind: "note", time: note.time, note })),
    ...step("closed", talk.close_time),
  ].toSorted((one, other) => one.time - other.time);
  const first = messages[0]?.time ?? 0;
  // Older messages are not here yet: what happened before them would stand in a wrong place.
  const rest = messages.length === 0 ? beside : beside.filter(({ time }) => time >= first);
  const items: TalkItem[] = [];
  for (const message of messages) {
    while (rest[0] !== undefined && rest[0].time < message.time) items.push(...rest.splice(0, 1));
    items.push({ kind: "message", time: message.time, message });
  }
  return [...items, ...rest];
}

/** Under one line a day; `dayOf` names the day of a moment in the reader's time zone. */
export function byDay(items: readonly TalkItem[], dayOf: (time: number) => string): TalkDay[] {
  const days: TalkDay[] = [];
  let last: string | undefined;
  for (const item of items) {
    const day = dayOf(item.time);
    if (day !== last) days.push({ time: item.time, items: [] });
    last = day;
    days.at(-1)?.items.push(item);
  }
  return days;
}
