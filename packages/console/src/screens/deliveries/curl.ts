import type { DeliveryAttempt } from "@signalbox/contract";

/** An attempt as a command for a POSIX shell. Its credentials are redacted: the developer fills them in. */
export function curlOf(attempt: DeliveryAttempt, body: string): string | undefined {
  const { url, request_headers: headers } = attempt;
  if (url === null || headers === null) return undefined;
  const lines = Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`);
  return [`curl -i ${quoted(url)}`, ...lines, `  --data-binary ${quoted(body)}`].join(" \\\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
