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
const REFRESH_TALKS_EVERY_MS = 300;

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
      // Whoever wants to be alerted wants it when they look at something else.
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
  const refreshTalks = createRefresh(client, { everyMs: REFRESH_TALKS_EVERY_MS, isTouched: isTouchedTalk });
  const refresh = (changed: readonly Changed[]) => {
    refreshLists(changed);
    if (changed.every(({ talk_ids }) => talk_ids.length > 0)) refreshTalks(changed);
  };
  const input = agentId === undefined ? {} : { agent_id: agentId };
  let wasReady = false;
  while (!signal.aborted) {
    try {
      for await (const { event, data } of currentClient().followChanges(input, {
        signal,
        timeoutMs: 45_000,
      })) {
        if (open !== signal) setOpen(signal);
        if (event === "changed") refresh([data]);
        else if (event === "typing") for (const hear of onUserTyping) hear(data.talk_id);
        // Opened again: changes in between were not told.
        else if (wasReady) refresh([]);
        wasReady = true;
      }
    } catch (error) {
      leaveWhenRefused(error);
    }
    if (open === signal) setOpen(undefined);
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
  }
}

type IsTouched = (query: Query, changes: readonly Changed[]) => boolean;

/** At once, and then not again for a moment, however much changes meanwhile. */
function createRefresh(
  client: QueryClient,
  { everyMs, isTouched: isOld }: { everyMs: number; isTouched: IsTouched },
): (changed: readonly Changed[]) => void {
  let waiting: Changed[] | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    timer = undefined;
    if (waiting === undefined) return;
    const changes = waiting;
    waiting = undefined;
    void client.invalidateQueries({ predicate: (query) => isOld(query, changes) });
    timer = setTimeout(run, everyMs);
  };
  return (changed) => {
    waiting = [...(waiting ?? []), ...changed];
    if (timer === undefined) run();
  };
}

function isTouched({ queryKey }: Query, changes: readonly Changed[]): boolean {
  const [name, input] = queryKey;
  if (LISTS.has(name)) return queryKey.at(-1) !== "pages";
  const ids = Object.values((input ?? {}) as Record<string, unknown>);
  if (name === "getDelivery")
    return changes.some(({ delivery_ids }) => delivery_ids.some((id) => ids.includes(id)));
  if (name === "getConversation")
    return changes.some(({ conversation_ids }) => conversation_ids.some((id) => ids.includes(id)));
  return false;
}

/** The lists of the inbox are short and in order of waiting: they are read again whole. */
function isTouchedTalk({ queryKey }: Query, changes: readonly Changed[]): boolean {
  const [name, input] = queryKey;
  if (name === "searchTalks") return true;
  if (name !== "getTalk") return false;
  const ids = Object.values((input ?? {}) as Record<string, unknown>);
  return (
    changes.length === 0 ||
    changes.some(
      ({ talk_ids }) => talk_ids.length === CHANGED_IDS_MAX || talk_ids.some((id) => ids.includes(id)),
    )
  );
}
