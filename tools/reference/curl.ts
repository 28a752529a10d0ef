import type { Route } from "../../packages/contract/src/index.ts";
import { STREAM_EXAMPLE } from "./examples.ts";

export function curlOf(route: Route, request: object): string {
  const inQuery = route.query === undefined ? [] : Object.entries(request);
  const query = inQuery.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
  const body = route.body === undefined ? "" : ` \\\n  --json '${JSON.stringify(request, undefined, 2)}'`;
  if (route.form !== undefined) {
    const parts = Object.entries(request).map(
      ([name, value]) => ` \\\n  -F "${name}=${value instanceof File ? `@${value.name}` : String(value)}"`,
    );
    return `curl "$SIGNALBOX_URL${route.path}" \\\n  -H "Authorization: Bearer $SIGNALBOX_API_KEY"${parts.join("")}`;
  }
  if (body.slice(0, -1).split("'").length > 2)
    throw new Error(`the example of ${route.path} has an apostrophe`);
  const key = route.auth === "none" ? "" : ` \\\n  -H "Authorization: Bearer $SIGNALBOX_API_KEY"`;
  const method = route.method === "GET" ? "" : `-X ${route.method} `;
  const values = new Map(Object.entries(request).map(([name, value]) => [name, String(value)]));
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => values.get(name) ?? "");
  return `curl ${method}"$SIGNALBOX_URL${path}${query === "" ? "" : `?${query}`}"${key}${body}`;
}

/** The same call in streaming mode, as a terminal shows it. */
export function streamingCurlOf(route: Route, request: object): string[] {
  const streamed = curlOf(route, { ...request, response_mode: "streaming" }).replace("curl ", "curl -N ");
  const events = STREAM_EXAMPLE.map((event) => `data: ${JSON.stringify(event)}\n`).join("\n");
  return [
    "### Streaming, in a terminal",
    "`-N` shows each event when it comes. `FlowOutput` is the whole reply as it is stored: if a piece differs from it, it wins.",
    `\`\`\`sh\n${streamed}\n\`\`\``,
    `\`\`\`text\n${events.trimEnd()}\n\`\`\``,
  ];
}
