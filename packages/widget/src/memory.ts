import type { Attachment, Rating } from "./transport.ts";

/** State kept over a reload: the visitor, the conversation, unsent messages and the draft. */
export interface Remembered {
  /** The visitor's, as the token endpoint told it. */
  anonymousId?: string | undefined;
  conversationId?: string | undefined;
  unsent: { key: string; text: string; attachments?: readonly Attachment[] | undefined; at: number }[];
  draft: string;
  /** What the user thought of answers, by message. */
  ratings: Record<string, Rating>;
  hasSound: boolean;
}

export interface Memory {
  read(): Remembered;
  write(change: Partial<Remembered>): void;
}

const NOTHING: Remembered = { unsent: [], draft: "", ratings: {}, hasSound: false };

/** In the browser's storage, and only in this page where the browser allows none. */
export function createMemory(name: string, storage: Storage | undefined): Memory {
  let kept = stored() ?? NOTHING;

  function stored(): Remembered | undefined {
    try {
      const text = storage?.getItem(name);
      return text ? { ...NOTHING, ...(JSON.parse(text) as Partial<Remembered>) } : undefined;
    } catch {
      // What cannot be read is begun anew.
      return undefined;
    }
  }

  return {
    read: () => kept,
    write(change) {
      // Another tab may have written, or the user signed out: what was kept here must not come back.
      kept = { ...(storage === undefined ? kept : (stored() ?? NOTHING)), ...change };
      try {
        storage?.setItem(name, JSON.stringify(kept));
      } catch {
        // A full or forbidden storage costs the resume, not the chat.
      }
    },
  };
}
