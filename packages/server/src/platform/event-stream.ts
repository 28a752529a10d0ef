/**
 * A reply that is told event by event while it comes about, each a frame of server-sent events. `open` is given a signal that
 * the client has left, after which it is read no further, and the id of the last event the client has, if it comes back.
 */
export class EventStream {
  readonly open: OpenStream;
  /** Beside those of every stream. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(open: OpenStream, headers: Readonly<Record<string, string>> = {}) {
    this.open = open;
    this.headers = headers;
  }
}

type OpenStream = (left: AbortSignal, lastEventId?: string) => AsyncIterable<string>;

/** One frame; what has no id is not told again to a client that comes back. */
export function eventFrame(data: unknown, { event, id }: { event?: string; id?: string } = {}): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  const eventLine = event === undefined ? "" : `event: ${event}\n`;
  return `${idLine}${eventLine}data: ${JSON.stringify(data)}\n\n`;
}

/** The same frames; `close` is called at the end, to count open streams. */
export async function* closing(frames: AsyncGenerator<string>, close: () => void): AsyncGenerator<string> {
  try {
    yield* frames;
  } finally {
    close();
  }
}
