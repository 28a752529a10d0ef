import { z } from "zod";
import { MESSAGE_TEXT_MAX_CHARACTERS } from "./conversations.ts";
import { identifier, textProblem } from "./values.ts";

// The UI message stream of the AI SDK, which `useChat` speaks: what its transport sends, and what it reads.

export const UI_MESSAGE_STREAM_HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };

const UiMessage = z.object({
  role: z.enum(["user", "assistant", "system"]),
  parts: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).max(1_000),
});

export const SendUiMessageRequest = z
  .object({
    id: identifier.describe("The conversation, as the id of the chat"),
    messages: z.array(UiMessage).min(1).max(1_000),
    trigger: z.literal("submit-message", "must be submit-message: an answer is not made again").optional(),
  })
  .check(({ value, issues }) => {
    const problem = problemOf(value.messages.at(-1));
    if (problem !== undefined)
      issues.push({ code: "custom", input: value, path: ["messages"], message: problem });
  });

function problemOf(last: z.output<typeof UiMessage> | undefined): string | undefined {
  if (last?.role !== "user") return "must end with a message whose role is user";
  const text = textOfUiMessage(last);
  return text.trim() === ""
    ? "must end with a message that has a text part"
    : textProblem(text, MESSAGE_TEXT_MAX_CHARACTERS);
}

export function textOfUiMessage({ parts }: z.output<typeof UiMessage>): string {
  return parts.flatMap(({ type, text }) => (type === "text" ? (text ?? []) : [])).join("\n");
}

export const UiChatPath = z.object({ id: identifier });

/** One event of the stream; of the AI SDK's kinds these are used. */
export type UiMessageChunk =
  | { type: "start"; messageId: string }
  | { type: "text-start" | "text-end"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "source-document"; sourceId: string; mediaType: "text/plain"; title: string }
  | { type: "data-speaker"; data: { speaker: "agent" | "human" | "notice"; name?: string } }
  | { type: "data-suggestions"; data: string[] }
  | { type: "data-withdrawn"; data: { message_id: string } }
  | { type: "data-handoff"; data: { holder: "agent" | "waiting" | "human" }; transient: true }
  | { type: "error"; errorText: string }
  | { type: "finish" };
