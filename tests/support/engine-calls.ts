import type { ReceivedRequest } from "./receiver.ts";

/** A call that the engine was given, in an invocation of its own or in one that it shares. */
export type EngineCall = {
  object: string;
  handler: string;
  agentId: string;
  id: string;
  callId: string | undefined;
  delayMs: number;
};

/** Read from a receiver that stands where the engine's ingress is. */
export function callsIn(requests: ReceivedRequest[]): EngineCall[] {
  return requests.flatMap(({ path, body }) => {
    const { pathname, searchParams } = new URL(path, "http://engine");
    const delayMs = Number.parseInt(searchParams.get("delay") ?? "0", 10);
    if (pathname === "/batch/run/send")
      return (body as { calls: string[] }).calls.map((text) => {
        const [object = "", handler = "", key = "", callId = ""] = text.split("/");
        return { object, handler, ...rowOf(key), callId, delayMs };
      });
    const [, object = "", key = "", handler = "", send] = pathname.split("/");
    if (send !== "send") return [];
    const callId = typeof body === "string" ? body : undefined;
    return [{ object, handler, ...rowOf(key), callId, delayMs }];
  });
}

function rowOf(key: string): { agentId: string; id: string } {
  const [agentId = "", id = ""] = key.split(".");
  return { agentId, id };
}
