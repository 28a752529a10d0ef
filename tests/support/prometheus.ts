import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, freePort, startProcess } from "./processes.ts";

export type Prometheus = AsyncDisposable & {
  /** Names of the alerts that fire now. */
  firing(): Promise<Set<string>>;
};

export interface Watched {
  directory: string;
  operatorToken: string;
  targets: readonly string[];
  rules: string;
}

/** A real Prometheus with the given rules as they are, except that each alert fires after a second and not after minutes. */
export async function startPrometheus(watched: Watched): Promise<Prometheus> {
  const { directory, operatorToken, targets, rules } = watched;
  const home = join(directory, "prometheus");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "alerts.yml"), readFileSync(rules, "utf8").replaceAll(/^( *for:) .*$/gm, "$1 1s"));
  const hosts = targets.map((url) => JSON.stringify(new URL(url).host)).join(", ");
  writeFileSync(
    join(home, "prometheus.yml"),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: signalbox
    authorization: { credentials: ${JSON.stringify(operatorToken)} }
    static_configs: [{ targets: [${hosts}] }]
`,
  );
  const address = `127.0.0.1:${await freePort()}`;
  const started = startProcess({
    name: "prometheus",
    command: "prometheus",
    args: [
      `--config.file=${join(home, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(home, "data")}`,
      `--web.listen-address=${address}`,
      "--log.level=warn",
    ],
    env: { PATH: process.env["PATH"] ?? "" },
    cwd: home,
    logFile: join(directory, "prometheus.log"),
  });
  const read = async (path: string) => {
    const response = await fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(2_000) });
    return await response.text();
  };
  // A counter that was never read at 0 has no first event.
  await eventually("Prometheus has read every process", async () =>
    read(`/api/v1/query?query=${encodeURIComponent("count(signalbox_build_info)")}`).then(
      (text) => text.includes(`"${targets.length}"]`),
      () => false,
    ),
  );
  return {
    async firing() {
      const { data } = JSON.parse(await read("/api/v1/alerts")) as {
        data: { alerts: { state: string; labels: { alertname: string } }[] };
      };
      const names = data.alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels }) => labels.alertname);
      return new Set(names);
    },
    [Symbol.asyncDispose]: () => started.end("SIGTERM", 10_000),
  };
}
