/** A reply that is written piece by piece, because it may be longer than what a process should hold. */
export class JsonStream {
  readonly chunks: () => AsyncGenerator<string>;

  private constructor(chunks: () => AsyncGenerator<string>) {
    this.chunks = chunks;
  }

  static of<Body extends object>(body: Streamable<Body>): JsonStream {
    return new JsonStream(() => piecesOf(body));
  }
}

/** A body as the contract has it, with arrays that may come about while they are written. */
export type Streamable<Value> = Value extends readonly (infer Item)[]
  ? Value | AsyncIterable<Streamable<Item>>
  : Value extends object
    ? { [Key in keyof Value]: Streamable<Value[Key]> }
    : Value;

async function* piecesOf(value: unknown): AsyncGenerator<string> {
  if (isAsyncIterable(value)) {
    let between = "[";
    for await (const item of value) {
      yield between;
      yield* piecesOf(item);
      between = ",";
    }
    yield between === "[" ? "[]" : "]";
    return;
  }
  if (!holdsAsyncIterable(value)) {
    yield JSON.stringify(value);
    return;
  }
  let between = "{";
  for (const [name, field] of Object.entries(value)) {
    yield `${between}${JSON.stringify(name)}:`;
    yield* piecesOf(field);
    between = ",";
  }
  yield "}";
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function holdsAsyncIterable(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.values(value).some(isAsyncIterable);
}
