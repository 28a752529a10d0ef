/**
 * A reply that is told event by event while it comes about, each a frame of server-sent events. `open` is given a signal that
 * the client has left; what it gives is then read no further.
 */
export class EventStream {
  readonly open: (left: AbortSignal) => AsyncIterable<string>;

  constructor(open: (left: AbortSignal) => AsyncIterable<string>) {
    this.open = open;
  }
}

/** One frame; what has no id is not told again to a client that comes back. */
export function eventFrame(data: unknown, { event, id }: { event?: string; id?: string } = {}): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  const eventLine = event === undefined ? "" : `event: ${event}\n`;
  return `${idLine}${eventLine}data: ${JSON.stringify(data)}\n\n`;
}
