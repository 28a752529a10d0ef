import type { Outbound } from "../../packages/server/src/platform/index.ts";
import type { Schedule } from "./schedule.ts";
import type { Arrival } from "./world-parts.ts";
import type { World } from "./world-shape.ts";

type Call = Parameters<Outbound["post"]>[0];

/** Those who are called: a developer with a webhook and a desk, or the inbox of the service itself. */
export function openDevelopers(
  world: Pick<World, "arrivals" | "behave" | "clients" | "mayRepeat" | "repeats" | "team">,
  schedule: Schedule,
) {
  /** Calls that were taken, or are on their way. */
  const sent = new Set<string>();

  /** It arrives at one moment and its answer at another; in between anything may happen. */
  return async function post({ url, body, headers }: Pick<Call, "url" | "body" | "headers">) {
    const call = callOf(url);
    const behaviour = world.behave(call);
    const webhookId = headers["webhook-id"] ?? "";
    if (sent.has(webhookId) && !world.mayRepeat) world.repeats.push(`${call} ${webhookId}`);
    sent.add(webhookId);
    await schedule.step(async () => {
      if (behaviour === "unreachable") return;
      const arrival = { call, webhookId, body: JSON.parse(body.toString("utf8")) as Arrival["body"] };
      world.arrivals.push(arrival);
      world.clients.noteArrival(arrival, headers["signalbox-sender"]);
    });
    const isInbox = world.team !== undefined && call !== "message";
    // A node that receives is not the one that calls, and lives on when that one dies.
    if (isInbox && behaviour !== "unreachable" && behaviour !== "refuses")
      await schedule.apart(call, async () => world.team?.receive(url, body, headers));
    return schedule.step(async () => {
      if (behaviour !== "ok") sent.delete(webhookId);
      if (behaviour === "lost" || behaviour === "unreachable") {
        const cause = behaviour === "lost" ? "connection_lost" : "connect_refused";
        return { kind: "unanswered", cause, detail: "" } as const;
      }
      const status = behaviour === "ok" ? 200 : 503;
      const answer = Buffer.from('{"code":200,"msg":"success"}');
      return { kind: "answered", status, body: answer, retryAfter: undefined, date: undefined } as const;
    });
  };
}

function callOf(url: string): Arrival["call"] {
  if (url.endsWith("/messages")) return "message";
  if (url.endsWith("/establish")) return "establish";
  return url.endsWith("/chat") ? "chat" : "close";
}
