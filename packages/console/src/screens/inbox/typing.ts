import type { TalkDetail } from "@signalbox/contract";
import { useEffect, useState } from "react";
import { call, onUserTyping } from "../../service/index.ts";

const TOLD_EVERY_MS = 3_000;
const SHOWN_MS = 6_000;

/** By chat, when the user was last told that somebody types here. */
const toldAt = new Map<string, number>();

/** Tells the user, at most every three seconds. Only the holder's words reach the user. */
export function tellTyping({ agent_id, talk_id, is_mine, state }: TalkDetail): void {
  if (!is_mine || state !== "taken") return;
  const now = Date.now();
  if (now - (toldAt.get(talk_id) ?? 0) < TOLD_EVERY_MS) return;
  toldAt.set(talk_id, now);
  // Not shown is the worst that follows.
  call("typeInTalk", { agent_id, talk_id }).catch(() => undefined);
}

/** The reply is sent: the next key is reported at once. */
export function endTyping(talkId: string): void {
  toldAt.delete(talkId);
}

/** Whether the user of a chat types. Over when their message is there, or when nothing more is heard. */
export function useUserTyping(talkId: string, lastAsked: string | undefined): boolean {
  const [typing, setTyping] = useState<{ before: string | undefined }>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = (typed: string) => {
      if (typed !== talkId) return;
      clearTimeout(timer);
      setTyping({ before: lastAsked });
      timer = setTimeout(() => setTyping(undefined), SHOWN_MS);
    };
    onUserTyping.add(hear);
    return () => {
      clearTimeout(timer);
      onUserTyping.delete(hear);
    };
  }, [talkId, lastAsked]);
  return typing !== undefined && typing.before === lastAsked;
}
