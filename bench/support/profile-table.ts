import { type CallFrame, callersOf, readProfile } from "./cpu-profile.ts";

const LEFT_OUT = new Set(["(idle)", "(program)", "(root)", "reallyExit"]);
const SMALLEST_SHARE = 0.01;

/** A V8 CPU profile as a Markdown table: in whose code the time was spent. Idle time and the loading of modules are left out. */
export function profileTable(profilePath: string): string {
  const profile = readProfile(profilePath);
  const { nodes, samples, timeDeltas } = profile;
  const callers = callersOf(profile);
  const byId = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const isLoading = (sample: number): boolean => {
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id))
      if (byId.get(id)?.url.startsWith("node:internal/modules") === true) return true;
    return false;
  };
  const loads = new Map(nodes.map(({ id }) => [id, isLoading(id)]));
  const spent = new Map<string, number>();
  let all = 0;
  for (const [index, sample] of samples.entries()) {
    const frame = byId.get(sample);
    if (frame === undefined || loads.get(sample) === true || LEFT_OUT.has(frame.functionName)) continue;
    const ms = (timeDeltas[index] ?? 0) / 1000;
    all += ms;
    const place = placeOf(frame);
    spent.set(place, (spent.get(place) ?? 0) + ms);
  }
  const rows = [...spent]
    .filter(([, ms]) => ms >= SMALLEST_SHARE * all)
    .toSorted(([, one], [, other]) => other - one)
    .map(([place, ms]) => `| ${place} | ${((100 * ms) / all).toFixed(1)} % |`);
  return ["| in | share |", "|---|---|", ...rows].join("\n");
}

/** A room of the server, a package, or Node. */
function placeOf({ functionName, url }: CallFrame): string {
  if (url.includes("/node_modules/"))
    return /\/node_modules\/(@[^/]+\/[^/]+|[^/]+)\/[^]*$/.exec(url)?.[1] ?? url;
  if (url.includes("/server/src/"))
    return (url.split("/server/src/")[1] ?? "").split("/").slice(0, -1).join("/");
  if (url.includes("/packages/")) return (url.split("/packages/")[1] ?? "").split("/")[0] ?? "";
  if (functionName === "(garbage collector)") return "garbage collection";
  return /^write(v|Buffer|\w*String)$/.test(functionName) ? "writes to sockets" : "Node";
}
