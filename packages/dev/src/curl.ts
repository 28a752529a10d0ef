import type { PreparedCall } from "@signalbox/sdk/testing";

/** The call as a command for a POSIX shell. */
export function asCurl({ url, headers, body }: PreparedCall): string {
  const lines = Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`);
  return [`curl -i ${quoted(url)}`, ...lines, `  --data-binary ${quoted(body)}`].join(" \\\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
