import { CHANGED_IDS_MAX, type ChangeEvent } from "@signalbox/contract";
import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { getPreferences } from "../preferences/index.ts";
import { useEffect, useSyncExternalStore } from "react";
import { currentClient, leaveWhenRefused } from "./calls.ts";
import { useAccess } from "./use-access.ts";

/** While the stream is open, a look now and then finds what it missed. */
const OPEN_POLL_MS = 10_000;
const CLOSED_POLL_MS = 4_000;
const REOPEN_MS = 10_000;
/** Under traffic something changes all the time. */
const REFRESH_EVERY_MS = 1_500;
/** Somebody waits for the answer to what is shown. */
const REFRESH_TALK_EVERY_MS = 50;
const REFRESH_QUEUE_EVERY_MS = 200;
/** A reply that takes longer holds up nobody who asks again. */
const REPLY_MAX_MS = 2_000;

/** Routes whose replies a change makes old. Pages that are shown stay as they are: new rows are counted, not inserted. */
const LISTS = new Set<unknown>(["listDeliveries", "searchConversations", "listDestinations", "listHandoffs"]);

type Changed = ChangeEvent<"changed">;

/** The signal of the stream that is open: one that ends late must not close the next. */
let open: AbortSignal | undefined;
const listeners = new Set<() => void>();

function setOpen(signal: AbortSignal | undefined): void {
  open = signal;
  for (const listener of listeners) listener();
}

/** Hears which chat's user types. */
export const onUserTyping = new Set<(talkId: string) => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** How often to look: seldom while the service says by itself that something changed. */
export function usePollMs(): number {
  return useSyncExternalStore(subscribe, () => open !== undefined) ? OPEN_POLL_MS : CLOSED_POLL_MS;
}

/** Follows what changes while the tab is in view: a browser gives one service six connections in all its tabs. */
export function useFollowedChanges(agentId: string | undefined): void {
  const client = useQueryClient();
  const isAllowed = useAccess().may("followChanges", agentId);
  useEffect(() => {
    if (!isAllowed) return undefined;
    let following: AbortController | undefined;
    const turn = () => {
      // A person who wants alerts wants them while looking at something else.
      if (document.hidden && !getPreferences().alerts) following?.abort();
      else if (following === undefined || following.signal.aborted) {
        following = new AbortController();
        void follow(client, agentId, following.signal);
      }
    };
    turn();
    document.addEventListener("visibilitychange", turn);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      following?.abort();
    };
  }, [client, agentId, isAllowed]);
}

async function follow(client: QueryClient, agentId: string | undefined, signal: AbortSignal): Promise<void> {
  const refreshLists = createRefresh(client, { everyMs: REFRESH_EVERY_MS, isTouched });
  const refreshTalk = createRefresh(client, { everyMs: REFRESH_TALK_EVERY_MS, isTouched: isTouchedTalk });
  const refreshQueue = createRefresh(client, { everyMs: REFRESH_QUEUE_EVERY_MS, isTouched: isQueue });
  const refresh = (changed: Changed | "anything") => {
    if (changed === "anything" || changed.talk_ids.length > 0) {
      // The chat that is open first: it is the one somebody looks at.
      refreshTalk(changed);
      refreshQueue(changed);
    }
    refreshLists(changed);
  };
  const input = agentId === undefined ? {} : { agent_id: agentId };
  let wasReady = false;
  while (!signal.aborted) {
    try {
      for await (const { event, data } of currentClient().service.followChanges(input, {
        signal,
        timeoutMs: 45_000,
      })) {
        if (open !== signal) setOpen(signal);
        if (event === "changed") refresh(data);
        else if (event === "typing") for (const hear of onUserTyping) hear(data.talk_id);
        // Opened again: changes in between were not told.
        else if (wasReady) refresh("anything");
        wasReady = true;
      }
    } catch (error) {
      leaveWhenRefused(error);
    }
    if (open === signal) setOpen(undefined);
    if (!signal.aborted) await sleep(REOPEN_MS);
  }
}

/** Whether a reply that is shown may be old by now. */
type IsTouched = (query: Query, changes: Changes) => boolean;
type Changes = readonly Changed[] | "anything";

/**
 * At once, and then not again before the reply and a moment have passed, however much changes meanwhile. A change that touches
 * nothing on screen holds up nothing.
 */
function createRefresh(
  client: QueryClient,
  { everyMs, isTouched: isOld }: { everyMs: number; isTouched: IsTouched },
): (changed: Changed | "anything") => void {
  let waiting: Changes | undefined;
  let isBusy = false;
  const run = async () => {
    while (waiting !== undefined) {
      const changes = waiting;
      waiting = undefined;
      const touched = { predicate: (query: Query) => isOld(query, changes) };
      const isShown = client.getQueryCache().findAll({ ...touched, type: "active" }).length > 0;
      const refreshed = client.invalidateQueries(touched);
      if (!isShown) continue;
      await Promise.race([refreshed, sleep(REPLY_MAX_MS)]);
      await sleep(everyMs);
    }
    isBusy = false;
  };
  return (changed) => {
    waiting = changed === "anything" || waiting === "anything" ? "anything" : [...(waiting ?? []), changed];
    if (isBusy) return;
    isBusy = true;
    void run();
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function isTouched({ queryKey }: Query, changes: Changes): boolean {
  const [name, input] = queryKey;
  if (LISTS.has(name)) return queryKey.at(-1) !== "pages";
  if (name === "getDelivery") return isNamed(input, changes, ({ delivery_ids }) => delivery_ids);
  if (name === "getConversation") return isNamed(input, changes, ({ conversation_ids }) => conversation_ids);
  return false;
}

/** The lists of the inbox are short and in order of waiting: they are read again whole. */
function isQueue({ queryKey }: Query): boolean {
  return queryKey[0] === "searchTalks";
}

function isTouchedTalk({ queryKey }: Query, changes: Changes): boolean {
  const [name, input] = queryKey;
  return name === "getTalk" && isNamed(input, changes, ({ talk_ids }) => talk_ids);
}

/** An event with as many ids as it may have stands for more. */
function isNamed(input: unknown, changes: Changes, idsOf: (changed: Changed) => readonly string[]): boolean {
  if (changes === "anything") return true;
  const wanted = Object.values((input ?? {}) as Record<string, unknown>);
  return changes.some((changed) => {
    const ids = idsOf(changed);
    return ids.length === CHANGED_IDS_MAX || ids.some((id) => wanted.includes(id));
  });
}
