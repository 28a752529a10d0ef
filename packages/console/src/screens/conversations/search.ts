import { ConversationChannel, ConversationOutcome } from "@signalbox/contract";
import { type Since, SINCE_MS } from "../deliveries/search.ts";

/** The filters of conversations as they stand in the address. */
export interface ConversationSearch {
  text?: string | undefined;
  user?: string | undefined;
  outcome?: ConversationOutcome | undefined;
  channel?: "api" | "widget" | undefined;
  control?: "bot" | "human" | undefined;
  since?: Since | undefined;
}

const TEXT_MAX = 200;

function textOf(value: unknown): string | undefined {
  const text =
    typeof value === "string" || typeof value === "number" ? String(value).trim().slice(0, TEXT_MAX) : "";
  return text === "" ? undefined : text;
}

export function readConversationSearch(search: Record<string, unknown>): ConversationSearch {
  const { control, since } = search;
  return {
    text: textOf(search["text"]),
    user: textOf(search["user"]),
    outcome: ConversationOutcome.safeParse(search["outcome"]).data,
    channel: ConversationChannel.safeParse(search["channel"]).data,
    control: control === "bot" || control === "human" ? control : undefined,
    since: typeof since === "string" && Object.hasOwn(SINCE_MS, since) ? (since as Since) : undefined,
  };
}
