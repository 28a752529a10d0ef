import type { Bodies, CallKind } from "../receiver/calls.ts";
import type { WebhookCredentials } from "../receiver/credentials.ts";
import { type CallResult, type CallToSend, prepareCall, sendCall } from "../testing/calling.ts";
import { sampleBody } from "../testing/samples.ts";

export interface ConformOptions extends WebhookCredentials {
  /** The address as it is configured at the service. */
  url: string;
  /** What the receiver is for; left out: a message webhook. */
  as?: "message" | "human-service" | "both";
  /** The webhook's `whsec_…`; without it signatures are not judged. */
  signingSecret?: string | undefined;
  /**
   * Everything the receiver has handled so far, as text in which each handled call shows by its text or its ids: a log, a
   * page, a dump. Without it nobody can see from outside whether a test or a repeat was processed.
   */
  effects?: (() => Promise<string>) | undefined;
  /** Only these rules, by id. */
  rules?: readonly string[] | undefined;
  /** How soon a call must be answered. The service itself gives up after 10 s, its availability test after 5. */
  timeLimitMs?: number;
  /** How long the whole run may take; 55 s when left out. What is not judged by then is skipped. */
  runLimitMs?: number;
  /** How long after the answer an effect may show. */
  effectsDelayMs?: number;
  fetch?: typeof globalThis.fetch;
}

/** A message left while nobody is there has the path and the body of a request. */
export type ProbedKind = Exclude<CallKind, "operator_event" | "message_left">;

/** One body made for a probe, and the words by which its effect is found. */
export interface Probe<Kind extends ProbedKind = ProbedKind> {
  kind: Kind;
  body: Bodies[Kind];
  marks: string[];
  /** Sent after the handoff it belongs to was asked for, as the service does. */
  followsHandoff: boolean;
}

export interface Prober {
  kinds: ProbedKind[];
  timeLimitMs: number;
  has: { credentials: boolean; signing: boolean; effects: boolean };
  options: ConformOptions;
  /** The time left for the whole run. */
  leftMs(): number;
  /** One ordinary call of each kind and its result: made once, and judged by every rule that asks no more. */
  firstContact(): Promise<Contact[]>;
  /** A body nobody has sent before. */
  probe<Kind extends ProbedKind>(kind: Kind, changes?: Partial<Bodies[Kind]>): Probe<Kind>;
  send(probe: Probe, changes?: Partial<CallToSend>): Promise<CallResult>;
  /** Everything handled so far, once what was sent has had time to show. */
  effectsText(): Promise<string>;
  /** How often each of these calls shows among the effects. */
  effectsOf(probes: readonly Probe[]): Promise<number[]>;
}

export interface Contact {
  kind: ProbedKind;
  result: CallResult;
}

const CALL_TIMEOUT_MS = 10_000;
const RUN_LIMIT_MS = 55_000;

export function createProber(options: ConformOptions): Prober {
  const { url, username, secret, signingSecret, as = "message" } = options;
  const { timeLimitMs = 5_000, effectsDelayMs = 300, fetch = globalThis.fetch } = options;
  const messages: ProbedKind[] = as === "human-service" ? [] : ["message"];
  const handoffs: ProbedKind[] =
    as === "message" ? [] : ["handoff_requested", "user_message", "handoff_closed"];
  const endsAt = performance.now() + (options.runLimitMs ?? RUN_LIMIT_MS);
  const leftMs = () => Math.floor(endsAt - performance.now());
  const askedFor = new Set<string>();
  let contact: Promise<Contact[]> | undefined;
  let shownByRequest: Promise<number> | undefined;

  async function post(
    kind: ProbedKind,
    body: object,
    changes: Partial<CallToSend> = {},
  ): Promise<CallResult> {
    const call = { url, kind, body, username, secret, signingSecrets: signingSecret };
    const timeoutMs = Math.max(1, Math.min(Math.max(CALL_TIMEOUT_MS, timeLimitMs), leftMs()));
    return sendCall(await prepareCall({ ...call, ...changes }), { timeoutMs, fetch });
  }

  async function askForHandoff(conversation_id: string): Promise<void> {
    if (askedFor.has(conversation_id)) return;
    askedFor.add(conversation_id);
    await post("handoff_requested", sampleBody("handoff_requested", { conversation_id }));
  }

  async function effectsText(): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, effectsDelayMs));
    return (await options.effects?.()) ?? "";
  }

  async function countEffects(marks: readonly string[][]): Promise<number[]> {
    const text = await effectsText();
    const count = (mark: string) => text.split(mark).length - 1;
    return marks.map((some) => Math.max(...some.map(count)));
  }

  /** A close shows only by the id of its handoff, by which the request that came before shows as well. */
  async function countRequest(): Promise<number> {
    const conversation_id = crypto.randomUUID();
    await askForHandoff(conversation_id);
    const [count = 0] = await countEffects([[conversation_id]]);
    return count;
  }

  /** Those of a human service belong to one handoff, in its order. The first that is not answered is the last. */
  async function makeContact(prober: Prober): Promise<Contact[]> {
    const handoff = { conversation_id: crypto.randomUUID() };
    const contacts: Contact[] = [];
    for (const kind of prober.kinds) {
      const probe = kind === "message" ? prober.probe(kind) : prober.probe(kind, handoff);
      const result = await prober.send(probe);
      contacts.push({ kind, result });
      if (result.kind === "unanswered") break;
    }
    return contacts;
  }

  const prober: Prober = {
    kinds: [...messages, ...handoffs],
    timeLimitMs,
    leftMs,
    effectsText,
    firstContact: () => (contact ??= makeContact(prober)),
    has: {
      credentials: Boolean(username),
      signing: Boolean(signingSecret),
      effects: options.effects !== undefined,
    },
    options,
    probe(kind, changes = {}) {
      const conversation_id = crypto.randomUUID();
      const mark = `conform-${crypto.randomUUID().slice(0, 13)}`;
      const made: { [Kind in ProbedKind]: Partial<Bodies[Kind]> } = {
        message: {
          conversation_id,
          message_id: crypto.randomUUID(),
          output: [textOutput(mark)],
          user_id: "conform",
        },
        handoff_requested: { conversation_id, body: [{ text: mark, message_type: "QUESTION" }] },
        user_message: { conversation_id, body: mark },
        handoff_closed: { conversation_id },
      };
      const body = sampleBody(kind, { ...made[kind], ...changes });
      const followsHandoff = kind === "user_message" || kind === "handoff_closed";
      const id = handoffOf(body);
      const marks = {
        message: [mark, id],
        handoff_requested: [mark, id],
        user_message: [mark],
        handoff_closed: [id],
      };
      return { kind, body, marks: marks[kind], followsHandoff };
    },
    async send({ kind, body, followsHandoff }, changes) {
      if (followsHandoff) await askForHandoff(handoffOf(body));
      else if (kind === "handoff_requested") askedFor.add(handoffOf(body));
      return post(kind, body, changes);
    },
    async effectsOf(probes) {
      const counts = await countEffects(probes.map(({ marks }) => marks));
      const isClose = ({ kind, followsHandoff }: Probe) => kind === "handoff_closed" && followsHandoff;
      if (!probes.some(isClose)) return counts;
      const ofRequest = await (shownByRequest ??= countRequest());
      return counts.map(
        (count, at) => count - (probes[at] !== undefined && isClose(probes[at]) ? ofRequest : 0),
      );
    },
  };
  return prober;
}

function handoffOf(body: object): string {
  return (body as { conversation_id: string }).conversation_id;
}

export function textOutput(text: string, branch = "direct"): Bodies["message"]["output"][number] {
  return { from_component_branch: branch, from_component_name: "Conform", content: { text, audio: [] } };
}
