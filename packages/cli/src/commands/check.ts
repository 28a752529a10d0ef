import type { Command } from "../command.ts";
import { exitCodeFor } from "../exit-codes.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Ask the service whether the agent's webhooks can be reached",
  about: [
    "Section 4.3: the service sends each configured webhook a test and tells what came back. Needs the agent's key.",
  ],
  examples: ["signalbox check", "signalbox check --json"],
  async run({ client, output }) {
    const { results } = await client().checkWebhooks();
    output.result({ results }, () => {
      if (results.length === 0) return output.line("No webhook is configured.");
      const rows = results.map(
        ({ reachable, type, component_name: name, webhook_url: url, http_status, latency_ms }) => [
          reachable ? "✔" : "✖",
          name === null ? type : `${type} ${name}`,
          http_status ? `HTTP ${http_status}` : "no answer",
          `${latency_ms} ms`,
          url,
        ],
      );
      output.table(["", "webhook", "answer", "took", "url"], rows);
    });
    return exitCodeFor(results.every(({ reachable }) => reachable));
  },
};
