import { z } from "zod";
import { SendUiMessageRequest, UiChatPath } from "../ui-messages.ts";
import type { Route } from "./route.ts";

const UI_MESSAGES = "/chat/v1/ui-message-stream";

/** What `useChat` of the AI SDK calls with a chat token. They stand beside the table: the protocol is the AI SDK's. */
export const UI_MESSAGE_ROUTES = {
  send: {
    method: "POST",
    path: UI_MESSAGES,
    auth: "chatToken",
    sdk: "uiMessages.send",
    summary: "Send a user's message, and stream the answer",
    body: SendUiMessageRequest,
    reply: z.never(),
  },
  resume: {
    method: "GET",
    path: `${UI_MESSAGES}/:id/stream`,
    auth: "chatToken",
    sdk: "uiMessages.resume",
    summary: "Stream what was said since the user's last message, and what a human says",
    params: UiChatPath,
    reply: z.never(),
  },
} as const satisfies Record<string, Route>;
