/** What is kept over a reload: where the conversation is, what was not sent, what was being written. */
export interface Remembered {
  conversationId?: string | undefined;
  unsent: { key: string; text: string; at: number }[];
  draft: string;
}

export interface Memory {
  read(): Remembered;
  write(change: Partial<Remembered>): void;
}

/** In the browser's storage, and only in this page where the browser allows none. */
export function createMemory(name: string, storage: Storage | undefined): Memory {
  let kept: Remembered = { unsent: [], draft: "" };
  try {
    const text = storage?.getItem(name);
    if (text) kept = { ...kept, ...(JSON.parse(text) as Partial<Remembered>) };
  } catch {
    // What cannot be read is begun anew.
  }
  return {
    read: () => kept,
    write(change) {
      kept = { ...kept, ...change };
      try {
        storage?.setItem(name, JSON.stringify(kept));
      } catch {
        // A full or forbidden storage costs the resume, not the chat.
      }
    },
  };
}
