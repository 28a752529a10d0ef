import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { usePollMs } from "./changes.ts";
import { call, type EntryOf, type InputOf, type PageName, usePages, useCall } from "./calls.ts";

const NEWEST = 50;

interface Page<Entry> {
  list: Entry[];
  next_cursor: string | null;
}

export interface LiveListOptions<Entry> {
  idOf: (entry: Entry) => string;
  paused: boolean;
}

/**
 * A list that is newest first and goes on by itself without moving: entries that are shown take on their new state, new ones
 * are counted until somebody asks for them.
 */
export function useLiveList<Name extends PageName>(
  name: Name,
  input: InputOf<Name>,
  { idOf, paused }: LiveListOptions<EntryOf<Name>>,
) {
  const client = useQueryClient();
  const pollMs = usePollMs();
  const pages = usePages(name, input);
  const newestInput = { ...input, limit: NEWEST } as InputOf<Name>;
  const newest = useCall(name, newestInput, {
    refetchMs: paused ? false : pollMs,
    enabled: !paused && pages.isSuccess,
  });
  const fresh = (newest.data as Page<EntryOf<Name>> | undefined)?.list;

  const { entries, newCount } = useMemo(() => {
    if (fresh === undefined) return { entries: pages.entries, newCount: 0 };
    const byId = new Map(fresh.map((entry) => [idOf(entry), entry]));
    const shown = new Set(pages.entries.map(idOf));
    const first = pages.entries[0];
    // Those before the first one that is shown already; with none shown, all of them.
    const end = first === undefined ? fresh.length : fresh.findIndex((entry) => shown.has(idOf(entry)));
    return {
      entries: pages.entries.map((entry) => byId.get(idOf(entry)) ?? entry),
      newCount: end === -1 ? fresh.length : end,
    };
  }, [fresh, pages.entries, idOf]);

  const showNew = async () => {
    const key = [name, input, "pages"];
    const page = (await call(name, newestInput)) as Page<EntryOf<Name>>;
    client.setQueryData<InfiniteData<Page<EntryOf<Name>>, string | null>>(key, {
      pages: [page],
      pageParams: [null],
    });
  };
  return { ...pages, entries, newCount, newIsMore: newCount >= NEWEST, showNew };
}
