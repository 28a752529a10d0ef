import type { MessageAttachment } from "@signalbox/contract";
import { useSyncExternalStore } from "react";
import { onSessionChange } from "../../service/index.ts";
import type { ComposerMode } from "./drafts.ts";

/** Something written here that the service has not confirmed yet. */
export interface OutgoingMessage {
  /** Also its idempotency key: trying again never says it twice. */
  key: string;
  mode: ComposerMode;
  text: string;
  files: readonly MessageAttachment[];
  time: number;
  state: "sending" | "failed";
  known: KnownTalk;
}

/** How much of the chat was here when it was written: what comes later may be the message itself. */
export interface KnownTalk {
  sequence: number;
  notes: number;
}

type Send = (message: OutgoingMessage) => Promise<unknown>;

const NONE: readonly OutgoingMessage[] = [];
const outgoing = new Map<string, readonly OutgoingMessage[]>();
const sends = new Map<string, Send>();
/** By handoff, the end of what is being sent: one after another, in the order they were written. */
const tails = new Map<string, Promise<unknown>>();
const listeners = new Set<() => void>();

onSessionChange(() => {
  outgoing.clear();
  sends.clear();
  tails.clear();
});

function change(
  handoffId: string,
  next: (before: readonly OutgoingMessage[]) => readonly OutgoingMessage[],
): void {
  outgoing.set(handoffId, next(outgoing.get(handoffId) ?? NONE));
  for (const listener of listeners) listener();
}

const setState = (handoffId: string, key: string, state: OutgoingMessage["state"]) =>
  change(handoffId, (before) => before.map((one) => (one.key === key ? { ...one, state } : one)));

export function discard(handoffId: string, key: string): void {
  sends.delete(key);
  change(handoffId, (before) => before.filter((one) => one.key !== key));
}

/** Shown at once; gone when `send` is done, which is when the timeline shows it; kept with a way to repeat if it fails. */
export function post(
  handoffId: string,
  { send, ...said }: Pick<OutgoingMessage, "mode" | "text" | "files" | "known"> & { send: Send },
): void {
  const message: OutgoingMessage = {
    key: crypto.randomUUID(),
    ...said,
    time: Date.now(),
    state: "sending",
  };
  sends.set(message.key, send);
  change(handoffId, (before) => [...before, message]);
  run(handoffId, message);
}

export function retry(handoffId: string, message: OutgoingMessage): void {
  setState(handoffId, message.key, "sending");
  run(handoffId, message);
}

function run(handoffId: string, message: OutgoingMessage): void {
  const attempt = async () => {
    try {
      await sends.get(message.key)?.(message);
      discard(handoffId, message.key);
    } catch {
      setState(handoffId, message.key, "failed");
    }
  };
  tails.set(handoffId, (tails.get(handoffId) ?? Promise.resolve()).then(attempt));
}

export function useOutgoing(handoffId: string): readonly OutgoingMessage[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => outgoing.get(handoffId) ?? NONE,
  );
}
