import {
  textOfUiMessage,
  UI_MESSAGE_STREAM_HEADERS,
  type SendMessageRequest,
  type SendUiMessageRequest,
} from "@signalbox/contract";
import type { z } from "zod";
import { EventStream, refuse, Refusal, type ChatCaller } from "../platform/index.ts";
import { followChat } from "./follow-chat.ts";
import { admitMessage, sayAdmitted, type SayInChatParts } from "./say-in-chat.ts";
import { framesOfAnswer, framesSinceUser, toldHuman } from "./ui-message-frames.ts";
import { payerOf } from "./visitor-limits.ts";

/** The agent's answer in streaming mode, for which this user pays. */
export type StreamAnswer = (
  caller: ChatCaller,
  request: SendMessageRequest,
  payer: string,
) => Promise<unknown>;

export interface SendUiMessageParts extends SayInChatParts {
  streamAnswer: StreamAnswer;
}

/** For `useChat` of the AI SDK: the agent's answer as it comes, or nothing of the agent while a human holds the chat. */
export async function sendUiMessage(
  parts: SendUiMessageParts,
  caller: ChatCaller,
  { id: conversation_id, messages }: z.output<typeof SendUiMessageRequest>,
): Promise<EventStream | Refusal> {
  const last = messages.at(-1);
  const content = last === undefined ? "" : textOfUiMessage(last);
  const refusal = await admitMessage(parts, caller, conversation_id);
  if (refusal !== undefined) return refusal;
  const request: SendMessageRequest = {
    conversation_id,
    response_mode: "streaming",
    messages: [{ role: "user", content }],
  };
  const answer = await parts.streamAnswer(caller, request, payerOf(caller));
  if (answer instanceof EventStream)
    return new EventStream((left) => framesOfAnswer(answer.open(left)), UI_MESSAGE_STREAM_HEADERS);
  if (!(answer instanceof Refusal)) return refuse("internal");
  if (answer.failure !== "stateConflict") return answer;
  const message = { conversation_id, text: content, attachments: [], client_id: undefined };
  const said = await sayAdmitted(parts, caller, message);
  return said instanceof Refusal ? said : new EventStream(() => toldHuman(), UI_MESSAGE_STREAM_HEADERS);
}

/** What the page missed, and what a human says, however much later. */
export async function resumeUiMessages(
  parts: Parameters<typeof followChat>[0],
  caller: ChatCaller,
  { id }: { id: string },
): Promise<EventStream | Refusal> {
  const followed = await followChat(parts, caller, { conversation_id: id });
  if (followed instanceof Refusal) return followed;
  return new EventStream((left) => framesSinceUser(followed.open(left)), UI_MESSAGE_STREAM_HEADERS);
}
