import type { MessageAttachment } from "@signalbox/contract";
import { useSyncExternalStore } from "react";
import { onSessionChange } from "../../service/index.ts";

/** What the composer writes: to the user, or for colleagues alone. */
export type ComposerMode = "reply" | "note";

export interface Draft {
  mode: ComposerMode;
  reply: string;
  note: string;
  /** Files that go with the reply. */
  files: readonly MessageAttachment[];
}

const EMPTY: Draft = { mode: "reply", reply: "", note: "", files: [] };

const STORE_KEY = "signalbox.drafts";

/** By handoff: another conversation, or a reload, loses no words. They belong to this tab, and go with its session. */
const drafts = new Map(stored());
const listeners = new Set<() => void>();

function stored(): [string, Draft][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORE_KEY) ?? "[]") as [string, Draft][];
  } catch {
    return [];
  }
}

function tell(): void {
  sessionStorage.setItem(STORE_KEY, JSON.stringify([...drafts]));
  for (const listener of listeners) listener();
}

onSessionChange(() => {
  drafts.clear();
  tell();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function changeDraft(id: string, change: Partial<Draft>): void {
  const next = { ...draftOf(id), ...change };
  const isEmpty = next.reply === "" && next.note === "" && next.files.length === 0;
  if (isEmpty && next.mode === "reply") drafts.delete(id);
  else drafts.set(id, next);
  tell();
}

export function draftOf(id: string): Draft {
  return drafts.get(id) ?? EMPTY;
}

export function useDraft(id: string): Draft {
  return useSyncExternalStore(subscribe, () => draftOf(id));
}

/** Whether something is written that was not sent. */
export function useHasDraft(id: string): boolean {
  const { reply, note, files } = useDraft(id);
  return reply.trim() !== "" || note.trim() !== "" || files.length > 0;
}
