/** One span as an OpenTelemetry exporter sent it, ids in hexadecimal. */
export type ExportedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  attributes: Record<string, string | number | string[]>;
};

/** `value` is that of a number; anything else is bytes. */
type Field = { number: number; bytes: Buffer; value?: number };

/** Reads ExportTraceServiceRequest of OTLP: a request holds resources, these hold scopes, and these hold spans. */
export function readSpans(request: Buffer): ExportedSpan[] {
  return within(request, 1)
    .flatMap((resource) => within(resource, 2))
    .flatMap((scope) => within(scope, 2))
    .map((span) => ({
      traceId: within(span, 1)[0]?.toString("hex") ?? "",
      spanId: within(span, 2)[0]?.toString("hex") ?? "",
      parentSpanId: within(span, 4)[0]?.toString("hex") ?? "",
      name: within(span, 5)[0]?.toString() ?? "",
      attributes: Object.fromEntries(
        within(span, 9).map((pair) => [
          within(pair, 1)[0]?.toString() ?? "",
          valueOf(within(pair, 2)[0] ?? Buffer.of()),
        ]),
      ),
    }));
}

const within = (message: Buffer, number: number): Buffer[] =>
  fieldsOf(message).flatMap((field) => (field.number === number ? [field.bytes] : []));

/** AnyValue: a text, a whole number, or a list of texts. */
function valueOf(any: Buffer): string | number | string[] {
  const [field] = fieldsOf(any);
  if (field?.value !== undefined) return field.value;
  if (field?.number === 5) return within(field.bytes, 1).map((one) => String(valueOf(one)));
  return field?.bytes.toString() ?? "";
}

/** The fields of a protocol buffer; numbers of fixed length are passed over. */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [number, type] = [Math.floor(tag / 8), tag % 8];
    if (type === 0) fields.push({ number, bytes: Buffer.of(), value: varint() });
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else {
      const length = varint();
      fields.push({ number, bytes: message.subarray(at, (at += length)) });
    }
  }
  return fields;
}
