import type { Noted, View } from "../../support/client-views.ts";
import { viewsOfEvent } from "../../support/reply-views.ts";
import { streamMessage } from "../../support/streamed-reply.ts";

/** What callers of each conversation received, in order. */
export type Shown = Map<string, View[]>;

export function noteShown(shown: Shown, conversationId: string, client: string, noted: Noted): void {
  const views = shown.get(conversationId) ?? [];
  shown.set(conversationId, views);
  views.push({ at: performance.now(), client, ...noted });
}

export interface StreamEnd {
  /** The id of the whole reply. */
  messageId?: string;
  failure?: string;
  refusal?: string;
}

/** Says something and reads the reply piece by piece, as far as it comes. */
export async function streamOnce(
  at: { baseUrl: string; apiKey: string; signal: AbortSignal },
  { conversationId, text, call }: { conversationId: string; text: string; call: string },
  shown: Shown,
): Promise<StreamEnd> {
  const note = (noted: Noted) => noteShown(shown, conversationId, "streaming caller", noted);
  let messageId = "";
  let end: StreamEnd = { failure: "unanswered" };
  try {
    const reply = await streamMessage(at, conversationId, text);
    if (reply.status !== 200) {
      const { code, message } = await reply.refusal();
      note({ saw: "end", call, as: "failed" });
      return { failure: String(code), refusal: message };
    }
    await reply.events(({ code, message, data }) => {
      if (message === "MessageInfo") ({ message_id: messageId } = data as { message_id: string });
      for (const noted of viewsOfEvent({ code, message, data }, call, messageId)) {
        note(noted);
        if (noted.saw !== "end") continue;
        end = noted.as === "whole" ? { messageId } : { failure: String(code), refusal: message };
      }
    });
  } catch {
    // The connection broke, or the caller has waited long enough.
  }
  if (end.failure === "unanswered") note({ saw: "end", call, as: "cut off" });
  return end;
}
