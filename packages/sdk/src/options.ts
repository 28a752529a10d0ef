/** What a request is, before it is sent. */
export interface RequestEvent {
  /** The method of the client, such as `conversations.sendMessage`. */
  call: string;
  method: string;
  url: string;
  /** As they are sent, with the credential. What the hook sets here is sent too. */
  headers: Headers;
  /** 1 at first, 2 when it is sent again. */
  attempt: number;
}

/** What became of a request. */
export interface ResponseEvent {
  call: string;
  method: string;
  url: string;
  attempt: number;
  /** Until the headers came, in milliseconds. */
  durationMs: number;
  /** HTTP status; undefined if no answer came. */
  status: number | undefined;
  headers: Headers | undefined;
  /** Names this request in the service's log. */
  requestId: string | undefined;
  /** Why no answer came. */
  error: unknown;
}

export interface ClientOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`. */
  baseUrl?: string;
  /** Several nodes of one installation: when one does not answer, the next is asked. */
  baseUrls?: readonly string[];
  /** An agent's key (`sbx_…`), for everything but `/admin/v1` and the live channel. */
  apiKey?: string | undefined;
  /** One user's token for the live channel: the only credential for a browser. */
  chatToken?: string | undefined;
  /** For `/admin/v1` (`sbo_…`). Never use it in a browser. */
  operatorToken?: string | undefined;
  /** In a page of the service itself: calls of `/admin/v1` use the cookie of the person who is signed in. */
  session?: boolean | undefined;
  /** Your own, for proxies or tests. */
  fetch?: typeof globalThis.fetch;
  /** For each attempt, in milliseconds; of a stream, the longest silence. Default 30000 */
  timeoutMs?: number;
  /** How often a request is sent again when the network fails or the service asks for it. Default 2 */
  retries?: number;
  /** Sent with every request, such as `traceparent`. They win over the client's own. */
  headers?: Readonly<Record<string, string>>;
  /** Before each attempt: to log it, or to set headers. What it throws rejects the call. */
  onRequest?: (event: RequestEvent) => void | Promise<void>;
  /** After each attempt: to log or to count it. What it throws rejects the call. */
  onResponse?: (event: ResponseEvent) => void | Promise<void>;
}

export interface CallOptions {
  /** Your own key, so that a repeat from another process is recognised too. */
  idempotencyKey?: string;
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** For each attempt of this call, in milliseconds. */
  timeoutMs?: number;
  /** How often this request is sent again. */
  retries?: number;
  /** Sent with this call. They win over those of the client. */
  headers?: Readonly<Record<string, string>>;
}

export interface StreamOptions extends CallOptions {
  /** Goes on behind this event. */
  lastEventId?: string | undefined;
}
