import type { InboxPerson, Talk, TalkDetail, TalkMessage } from "@signalbox/contract";
import { type InfiniteData, type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { call, type CallName, usePages, usePollMs } from "../../service/index.ts";
import type { KnownTalk } from "./outbox.ts";
import type { InboxView } from "./search.ts";

/** What shows talks. */
export const TALK_CHANGES: readonly CallName[] = ["searchTalks", "getTalk", "listInboxMembers"];

export function useTalks(
  agentId: string,
  {
    view,
    text,
    team,
    enabled,
  }: { view: InboxView; text: string | undefined; team: string | undefined; enabled: boolean },
) {
  const refetchMs = usePollMs();
  const query = usePages(
    "searchTalks",
    { agent_id: agentId, view, text, team_id: team },
    { enabled, refetchMs },
  );
  const [first] = query.data?.pages ?? [];
  return { ...query, counts: (first as { counts?: ViewCounts } | undefined)?.counts };
}

export type ViewCounts = { waiting: number; mine: number; team: number };

const MESSAGES_LIMIT = 50;

const talkKey = (agentId: string, talkId: string) => ["getTalk", { agent_id: agentId, talk_id: talkId }];

/** How much of a talk this window has. */
export function knownTalk(client: QueryClient, agentId: string, talkId: string): KnownTalk {
  const [newest] = client.getQueryData<InfiniteData<TalkDetail>>(talkKey(agentId, talkId))?.pages ?? [];
  return { sequence: newest?.messages.at(-1)?.sequence ?? 0, notes: newest?.notes.length ?? 0 };
}

/** A talk with its messages, oldest first; older ones are fetched when somebody asks for them. */
export function useTalk(agentId: string, talkId: string) {
  const query = useInfiniteQuery({
    queryKey: talkKey(agentId, talkId),
    queryFn: ({ pageParam, signal }) =>
      call(
        "getTalk",
        { agent_id: agentId, talk_id: talkId, limit: MESSAGES_LIMIT, cursor: pageParam ?? undefined },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: usePollMs(),
  });
  const pages = query.data?.pages;
  const messages = useMemo(() => inOrder(pages ?? []), [pages]);
  return { ...query, talk: pages?.[0], messages };
}

/** While something is said, a message may stand at the end of one page and at the beginning of the next. */
function inOrder(pages: readonly TalkDetail[]): TalkMessage[] {
  const byId = new Map(pages.flatMap((page) => page.messages).map((one) => [one.message_id, one]));
  return [...byId.values()].toSorted((one, other) => one.sequence - other.sequence);
}

/** The best known name of the user. */
export function userNameOf({ user }: Pick<Talk, "user">, anonymous: string): string {
  return user.user_id ?? user.email ?? user.phone ?? anonymous;
}

export function personName(
  person: InboxPerson | null,
  accountId: string | undefined,
  { you, nobody }: { you: string; nobody: string },
): string {
  if (person === null) return nobody;
  return person.account_id !== null && person.account_id === accountId ? you : person.name;
}
