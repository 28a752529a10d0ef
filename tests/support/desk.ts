import { randomUUID } from "node:crypto";
import type { RequestOf } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";
import { makeAgent, operatorOf } from "./agents.ts";
import type { AgentToMake, MadeAgent } from "./agents.ts";
import type { Bed } from "./bed.ts";
import { eventually } from "./processes.ts";
import type { ReceivedRequest, Reply } from "./receiver.ts";

export type DeskCall = "establish" | "chat" | "close";

const PATHS: Record<DeskCall, string> = {
  establish: "/conversation/establish",
  chat: "/chat",
  close: "/conversation/close",
};

type DeskBody = { conversation_id: string; timestamp: number; body?: unknown; type?: string };

/** A human service that the bed's receiver plays, with an agent that hands over to it. */
export type Desk = {
  agent: MadeAgent;
  componentId: string;
  /** What arrived, in order: the call with what it said. */
  calls(): { call: DeskCall; handoffId: string; said: unknown; request: ReceivedRequest }[];
  /** The same as short texts: `establish`, `chat hello`, `close TIMEOUT`. */
  attempts(): string[];
  /** Without repeats: on a busy machine an answer may come too late for us. */
  story(): string[];
  arrived(call: DeskCall, count?: number): Promise<ReceivedRequest>;
  /** How the desk answers from now on; undefined is 200. */
  answer(
    call: DeskCall,
    reply: (request: ReceivedRequest) => Reply | undefined | Promise<Reply | undefined>,
  ): void;
  /** What the user was told by 4.5, in order: who spoke, and the words. */
  told(): string[];
  toldAll(count: number, timeoutMs?: number): Promise<string[]>;
  converse(): Promise<string>;
  /** Asks for a person; gives the handoff's id. */
  request(conversationId: string): Promise<string>;
  /** Until the desk has said yes. */
  connect(conversationId: string): Promise<string>;
  reply(handoffId: string, body: string, client?: Client): Promise<unknown>;
  close(handoffId: string): Promise<{ conversation_id: string; timestamp: number }>;
  isIn(conversationId: string, state: string, timeoutMs?: number): Promise<void>;
};

export async function makeDesk(
  bed: Bed,
  options: {
    agent?: AgentToMake;
    component?: Partial<RequestOf<"createHumanService">>;
    settings?: Omit<RequestOf<"setHandoffSettings">, "agent_id">;
  } = {},
): Promise<Desk> {
  const agent = await makeAgent(bed, options.agent);
  const place = `/desks/${randomUUID()}`;
  const componentId = await agent.component({ url: `${bed.receiver.url}${place}`, ...options.component });
  if (options.settings !== undefined)
    await operatorOf(bed).handoffs.setSettings({ agent_id: agent.agentId, ...options.settings });

  const callOf = (path: string) =>
    (Object.keys(PATHS) as DeskCall[]).find((call) => path === `${place}${PATHS[call]}`);
  const requestsOf = (call?: DeskCall) =>
    bed.receiver.requests.filter(({ path }) => {
      const found = callOf(path);
      return found !== undefined && (call === undefined || call === found);
    });
  const calls = () =>
    requestsOf().map((request) => {
      const { conversation_id, body, type } = request.body as DeskBody;
      const call = callOf(request.path) ?? "chat";
      return { call, handoffId: conversation_id, said: call === "close" ? type : body, request };
    });
  const inShort = ({ call, said }: { call: DeskCall; said: unknown }) =>
    call === "establish" ? call : `${call} ${String(said)}`;
  const told = () =>
    agent.arrived().map(({ headers, body }) => {
      const { output } = body as { output: { content: { text: string } }[] };
      return `${headers["signalbox-sender"]}: ${output[0]?.content.text}`;
    });
  const isIn = async (conversation_id: string, state: string, timeoutMs = 20_000) =>
    void (await eventually(
      `the handoff is ${state}`,
      async () => (await agent.client.handoffs.get({ conversation_id })).handoff?.state === state,
      { timeoutMs },
    ));
  const request = async (conversation_id: string) => {
    const { handoff } = await agent.client.handoffs.request({ conversation_id });
    if (handoff === null) throw new Error("no handoff was begun");
    return handoff.handoff_id;
  };

  return {
    agent,
    componentId,
    calls,
    attempts: () => calls().map(inShort),
    story: () =>
      calls()
        .filter(
          ({ request }, index, all) =>
            all.findIndex((one) => one.request.headers["webhook-id"] === request.headers["webhook-id"]) ===
            index,
        )
        .map(inShort),
    async arrived(call, count = 1) {
      await bed.receiver.waitFor(() => requestsOf(call).length >= count, 20_000);
      const found = requestsOf(call)[count - 1];
      if (found === undefined) throw new Error(`${call} did not arrive`);
      return found;
    },
    answer: (call, reply) => agent.respondAt(`${place}${PATHS[call]}`, reply),
    told,
    async toldAll(count, timeoutMs = 20_000) {
      await bed.receiver
        .waitFor(() => told().length >= count, timeoutMs)
        .catch((error: unknown) => {
          throw new Error(`the user was told ${told().length} of ${count}: ${told().join(" / ")}`, {
            cause: error,
          });
        });
      return told();
    },
    converse: () => agent.converse(),
    request,
    async connect(conversationId) {
      const handoffId = await request(conversationId);
      await isIn(conversationId, "connecting");
      return handoffId;
    },
    reply: (conversation_id, body, client = agent.client) =>
      client.handoffs.reply({ conversation_id, timestamp: Date.now(), body }),
    close: (conversation_id) => agent.client.handoffs.close({ conversation_id, timestamp: Date.now() }),
    isIn,
  };
}

/** Open on another day of the week alone, whatever day it is now. */
export function closedNow() {
  const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
  const other = days[(new Date().getUTCDay() + 3) % 7] ?? "sun";
  return { time_zone: "UTC", open: [{ days: [other], from: "09:00", to: "10:00" }] };
}
