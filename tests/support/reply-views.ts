import { FAILURES } from "@signalbox/contract";
import type { Noted } from "./client-views.ts";

/** An event of a reply that is streamed. */
export interface StreamedEvent {
  code: number;
  message: string;
  data: unknown;
}

/** What a streaming caller saw of its call by this event. */
export function viewsOfEvent(
  { code, message, data }: StreamedEvent,
  call: string,
  messageId: string,
): Noted[] {
  if (code >= FAILURES.badParameter.code) return [{ saw: "end", call, as: "failed" }];
  switch (message) {
    case "Text":
      return [{ saw: "piece", call, text: String(data) }];
    case "FlowOutput": {
      const output = data as { content: { text: string }; branch: string }[];
      return [{ saw: "message", call, messageId, sender: senderOf(output[0]?.branch), text: textOf(output) }];
    }
    case "Withdrawn":
      return [{ saw: "withdrawal", call }];
    case "End":
      return [{ saw: "end", call, as: "whole" }];
    default:
      return [];
  }
}

export function textOf(output: readonly { content: { text: string } }[]): string {
  return output.map(({ content }) => content.text).join("\n");
}

/** A notice is the service's own. */
export function senderOf(branch: string | undefined): "ai" | "system" {
  return branch === "notice" ? "system" : "ai";
}
