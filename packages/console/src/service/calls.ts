import { type ReplyOf, type RequestOf, type RouteName, routes } from "@signalbox/contract";
import { type CallOptions, type Client, createClient, isFailure } from "@signalbox/sdk";
import {
  type InfiniteData,
  MutationCache,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import { confirmSession, endSession, getSession, onSessionChange, type Session } from "./session.ts";

/** Streams are followed, not called. */
export type CallName = Exclude<RouteName, "followChat" | "followChanges" | "sendMessage">;

/** Whose reply is a page of a list. */
export type PageName = { [Name in CallName]: ReplyOf<Name> extends Page<unknown> ? Name : never }[CallName];

interface Page<Entry> {
  list: Entry[];
  next_cursor: string | null;
}
export type EntryOf<Name extends PageName> = ReplyOf<Name> extends Page<infer Entry> ? Entry : never;

/** A filter that is not set is left out. */
type Loose<Request> = { [Field in keyof Request]: Request[Field] | undefined };
export type InputOf<Name extends CallName> = Loose<RequestOf<Name>>;

let made: { session: Session; client: Client } | undefined;

/** Before anybody has signed in. */
const NOBODY: Session = { operatorToken: "" };

export function clientOf(session: Session): Client {
  const credentials = "isAccount" in session ? { session: true } : session;
  return createClient({ baseUrl: location.origin, ...credentials, retries: 1, timeoutMs: 20_000 });
}

/** The client of the signed-in person. */
export function currentClient(): Client {
  const session = getSession() ?? NOBODY;
  if (made?.session !== session) made = { session, client: clientOf(session) };
  return made.client;
}

/** A token is forgotten; the session of an account ends at the service too. */
export async function signOut(): Promise<void> {
  const session = getSession();
  // If the service is out of reach, its cookie is left: signing in again replaces it.
  if (session !== undefined && "isAccount" in session) await call("signOut", {}).catch(() => undefined);
  endSession({ ended: false });
}

type Method<Name extends CallName> = (input: object, options: CallOptions) => Promise<ReplyOf<Name>>;

export function call<Name extends CallName>(
  name: Name,
  input: InputOf<Name>,
  options: CallOptions = {},
): Promise<ReplyOf<Name>> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const [resource = "", verb = ""] = routes[name].sdk.split(".");
  // Safe because the client has a method for each route, where the route says.
  const client = currentClient() as unknown as Record<string, Record<string, Method<Name>>>;
  const method = client[resource]?.[verb];
  if (method === undefined) throw new TypeError(`the client has no ${routes[name].sdk}`);
  return method(given, options);
}

export function leaveWhenRefused(error: unknown): void {
  if (isFailure(error, "developerAuth")) endSession({ ended: true });
}

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: leaveWhenRefused, onSuccess: confirmSession }),
    mutationCache: new MutationCache({ onError: leaveWhenRefused }),
    // The SDK repeats what is worth repeating.
    defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true } },
  });
  // The next person to sign in sees nothing that the last one was shown.
  onSessionChange(() => client.clear());
  return client;
}

export interface UseCallOptions {
  enabled?: boolean;
  refetchMs?: number | false;
}

/** What a route answers, kept fresh; the input is its key. */
export function useCall<Name extends CallName>(
  name: Name,
  input: InputOf<Name>,
  options: UseCallOptions = {},
) {
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, { signal }),
    enabled: options.enabled ?? true,
    refetchInterval: options.refetchMs ?? false,
  });
}

const PAGE_LIMIT = 50;

/** A list, page after page, as one. */
export function usePages<Name extends PageName>(
  name: Name,
  input: InputOf<Name>,
  options: UseCallOptions = {},
) {
  const query = useInfiniteQuery({
    queryKey: [name, input, "pages"],
    queryFn: ({ pageParam, signal }) =>
      call(
        name,
        { limit: PAGE_LIMIT, ...input, cursor: pageParam ?? undefined },
        {
          signal,
        },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as Page<unknown>).next_cursor,
    enabled: options.enabled ?? true,
    refetchInterval: options.refetchMs ?? false,
  });
  const data = query.data as InfiniteData<Page<EntryOf<Name>>> | undefined;
  const entries = useMemo(() => data?.pages.flatMap((page) => page.list) ?? [], [data]);
  return { ...query, entries };
}

export interface UseActionOptions<Name extends CallName> {
  /** The lists and things it changes, by the routes that read them. */
  changes?: readonly CallName[];
  onDone?: (reply: ReplyOf<Name>) => void;
  /** For one that may take longer than others. */
  timeoutMs?: number;
}

/** A route that changes something. */
export function useAction<Name extends CallName>(
  name: Name,
  { changes = [], onDone, timeoutMs }: UseActionOptions<Name> = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: InputOf<Name>) =>
      call(name, input, { ...(timeoutMs !== undefined && { timeoutMs, retries: 0 }) }),
    onSuccess: async (reply) => {
      onDone?.(reply);
      await Promise.all(changes.map((changed) => client.invalidateQueries({ queryKey: [changed] })));
    },
  });
}
