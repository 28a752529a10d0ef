/** The whole of a reply. */
export async function readWhole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces));
}

/** The last event of a streamed reply. */
const DONE = "[DONE]";

/** Server-sent events whose data is JSON, up to the one that says it was the last. */
export async function* readJsonEvents(pieces: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  let data: string[] = [];
  for await (const line of readLines(pieces)) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    const text = data.join("\n");
    data = [];
    if (text.startsWith(DONE)) return;
    const event: unknown = JSON.parse(text);
    failIfError(event);
    yield event;
  }
}

/** A server that fails in the middle says so in an event, because its status is sent. */
function failIfError(event: unknown): void {
  const { error } = (event ?? {}) as { error?: unknown };
  if (error === undefined || error === null) return;
  const { message } = error as { message?: unknown };
  throw new Error(typeof message === "string" ? message : JSON.stringify(error));
}

/** Each piece is searched once: a line may be as long as the reply. */
async function* readLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let unended: string[] = [];
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      const line = unended.join("") + text.slice(from, at);
      unended = [];
      from = at + 1;
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
    if (from < text.length) unended.push(text.slice(from));
  }
}
