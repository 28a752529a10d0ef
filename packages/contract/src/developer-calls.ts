import { z } from "zod";
import type { DeliveryEvent } from "./deliveries.ts";
import { CloseHandoff, EstablishHandoff, HandoffAnswer, HandoffChat } from "./handoff.ts";
import { AgentResponseMessage, MessageAcknowledgement } from "./messages.ts";
import { OperatorEventBody } from "./webhooks.ts";

export interface DeveloperCall {
  /** The section of the specification that defines it. */
  readonly section?: string;
  readonly summary: string;
  /** Which configured URL is called. */
  readonly target: "message" | "human_service" | "operator";
  /** The path appended to that URL. */
  readonly suffix: "" | `/${string}`;
  readonly request: z.ZodType;
  readonly reply: z.ZodType;
}

/* oxfmt-ignore */
export const developerCalls = {
  deliverMessage: { section: "4.5", summary: "A message from the agent or a human", target: "message", suffix: "", request: AgentResponseMessage, reply: MessageAcknowledgement },
  establishHandoff: { section: "4.6", summary: "A user requests a human", target: "human_service", suffix: "/conversation/establish", request: EstablishHandoff, reply: HandoffAnswer },
  sendHandoffChat: { section: "4.7", summary: "A user writes to the human", target: "human_service", suffix: "/chat", request: HandoffChat, reply: HandoffAnswer },
  closeHandoff: { section: "4.8", summary: "The user left, or the handoff timed out", target: "human_service", suffix: "/conversation/close", request: CloseHandoff, reply: HandoffAnswer },
  tellOperator: { summary: "A webhook fails, is disabled or recovers, or a delivery is given up", target: "operator", suffix: "", request: OperatorEventBody, reply: z.unknown() },
} as const satisfies Record<string, DeveloperCall>;

export type DeveloperCalls = typeof developerCalls;
export type DeveloperCallName = keyof DeveloperCalls;

export const DEVELOPER_CALL_NAMES = Object.keys(developerCalls) as DeveloperCallName[];

/** The call that each event of a delivery is made by. */
export const CALL_OF_EVENT = {
  message: "deliverMessage",
  handoff_requested: "establishHandoff",
  message_left: "establishHandoff",
  user_message: "sendHandoffChat",
  handoff_closed: "closeHandoff",
  operator_event: "tellOperator",
} as const satisfies Record<DeliveryEvent, DeveloperCallName>;

/** Where a call goes. A query the developer configured stays, behind the longer path. */
export function developerCallUrl(configuredUrl: string, name: DeveloperCallName): string {
  const { suffix } = developerCalls[name];
  if (suffix === "") return configuredUrl;
  const url = new URL(configuredUrl);
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, "") + suffix;
  return url.href;
}
