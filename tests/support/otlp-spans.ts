/** One span as an OpenTelemetry exporter sent it, ids in hexadecimal. */
export type ExportedSpan = { traceId: string; spanId: string; parentSpanId: string; name: string };

type Field = { number: number; bytes: Buffer };

/** Reads ExportTraceServiceRequest of OTLP: a request holds resources, these hold scopes, and these hold spans. */
export function readSpans(request: Buffer): ExportedSpan[] {
  const within = (message: Buffer, number: number) =>
    fieldsOf(message).flatMap((field) => (field.number === number ? [field.bytes] : []));
  return within(request, 1)
    .flatMap((resource) => within(resource, 2))
    .flatMap((scope) => within(scope, 2))
    .map((span) => ({
      traceId: within(span, 1)[0]?.toString("hex") ?? "",
      spanId: within(span, 2)[0]?.toString("hex") ?? "",
      parentSpanId: within(span, 4)[0]?.toString("hex") ?? "",
      name: within(span, 5)[0]?.toString() ?? "",
    }));
}

/** The fields of a protocol buffer that have a length; numbers are passed over. */
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
    if (type === 0) varint();
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else {
      const length = varint();
      fields.push({ number, bytes: message.subarray(at, (at += length)) });
    }
  }
  return fields;
}
