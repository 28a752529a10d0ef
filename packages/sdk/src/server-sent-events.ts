export interface ServerSentEvent {
  /** Empty until the stream has given one. */
  id: string;
  /** `message` unless the stream named it. */
  event: string;
  data: string;
}

const LINE_END = /\r\n|\n|\r/;
const EVENT_MAX_CHARACTERS = 4_000_000;

/** Reads a stream of server-sent events, however its bytes were cut; an event without data is none. */
export async function* readServerSentEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let waiting = "";
  let id = "";
  let event = "";
  let data: string[] = [];
  for await (const chunk of bytes) {
    waiting += decoder.decode(chunk, { stream: true });
    // A carriage return at the very end may be half of a line end whose other half is still on its way.
    const isCut = waiting.endsWith("\r");
    const lines = (isCut ? waiting.slice(0, -1) : waiting).split(LINE_END);
    waiting = (lines.pop() ?? "") + (isCut ? "\r" : "");
    if (waiting.length > EVENT_MAX_CHARACTERS) throw new RangeError("a server-sent event is too large");
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { id, event: event === "" ? "message" : event, data: data.join("\n") };
        event = "";
        data = [];
        continue;
      }
      const [field, value] = fieldOf(line);
      if (field === "data") data.push(value);
      else if (field === "event") event = value;
      else if (field === "id" && !value.includes("\u0000")) id = value;
    }
  }
}

function fieldOf(line: string): [field: string, value: string] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, ""];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}

/** Not every web runtime can iterate over a stream, but every one can read it. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // A caller that stops listening also hangs up, so that the answer is not made for nobody.
    await reader.cancel().catch(() => undefined);
  }
}
