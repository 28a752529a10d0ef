import { WEBHOOK_HEADERS } from "@signalbox/contract";
import { acknowledge, type OutgoingAnswer, refuse, refuseAsBusy } from "./answers.ts";
import { sha256, toBase64 } from "./bytes.ts";
import {
  type Bodies,
  bodyProblem,
  type CallContext,
  type CallKind,
  contextOf,
  type IncomingCall,
  kindOf,
  readBody,
} from "./calls.ts";
import { areCredentialsRight, authorizationOf, type WebhookCredentials } from "./credentials.ts";
import { createMemoryStore, type DeduplicationStore } from "./deduplication.ts";
import { BodyTooLargeError, RawBodyUnavailableError } from "./raw-body.ts";
import { importVerifyingKey, verifySignature } from "./signature.ts";
import { answerRequest, type AnsweringReceiver } from "./web.ts";

type Handler<Kind extends CallKind> = (body: Bodies[Kind], context: CallContext) => Promise<void> | void;

export interface ReceiverOptions extends WebhookCredentials {
  /** The webhook's `whsec_…`, or its `whpk_…` where the receiver must hold no secret; two while it is being replaced. */
  signingSecrets?: string | readonly (string | undefined)[] | undefined;
  /** Takes calls from anybody. For a network that nobody else can reach. */
  allowAnybody?: boolean;
  /** A message of the agent or of a human (4.5). */
  onMessage?: Handler<"message">;
  /** A user asks for a human (4.6); `busy` hands the user back to the agent. */
  onHandoffRequested?: (
    body: Bodies["handoff_requested"],
    context: CallContext,
  ) => Promise<"busy" | void> | "busy" | void;
  /** A user left word while nobody was there: a request that is closed behind itself. Without it `onHandoffRequested` is called. */
  onMessageLeft?: Handler<"message_left">;
  /** The user writes to the human (4.7). */
  onUserMessage?: Handler<"user_message">;
  /** The user left, or time ran out (4.8). Comes also for a handoff that was refused or never seen. */
  onHandoffClosed?: Handler<"handoff_closed">;
  /** What operators are told of webhooks that fail and of messages given up. */
  onOperatorEvent?: Handler<"operator_event">;
  /** Hears of everything that went wrong here, and of handlers that threw; otherwise it goes to the console. */
  onError?: (error: unknown, context: CallContext | undefined) => void;
  /** In memory unless you give one that all your processes share. */
  deduplication?: DeduplicationStore;
  /** Handle what an operator sends again even if it was handled before. */
  handleReplays?: boolean;
  /** How old a signature may be. */
  toleranceSeconds?: number;
  maxBodyBytes?: number;
}

export interface Receiver extends AnsweringReceiver {
  /** For web runtimes and whatever speaks `Request` and `Response`. */
  readonly fetch: (request: Request) => Promise<Response>;
}

// A handoff's 20 items of 25,000 characters each, in a script that takes three bytes a character, and room to spare.
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export function createReceiver(options: ReceiverOptions): Receiver {
  const { toleranceSeconds = 300, maxBodyBytes = MAX_BODY_BYTES, handleReplays = false } = options;
  const store = options.deduplication ?? createMemoryStore();
  const expectedAuthorization = authorizationOf(options);
  const secrets = [options.signingSecrets].flat().filter((secret): secret is string => Boolean(secret));
  if (options.secret && !options.username)
    throw new TypeError("createReceiver: secret needs a username. Together they are sent as HTTP Basic");
  if (expectedAuthorization === undefined && secrets.length === 0 && !options.allowAnybody)
    throw new TypeError(
      "createReceiver needs a username or signingSecrets. Without them, anyone could send requests to your receiver",
    );
  const signingKeys = Promise.all(secrets.map((secret) => importVerifyingKey(secret)));
  const underWay = new Map<string, Promise<OutgoingAnswer>>();

  const report = (error: unknown, context?: CallContext) => {
    try {
      if (options.onError !== undefined) return options.onError(error, context);
    } catch (failed) {
      error = new AggregateError([error, failed], "onError threw an error");
    }
    // oxlint-disable-next-line no-console -- a failure nobody listens for must not be silent
    console.error(error);
  };

  const handlers: Record<CallKind, ((body: never, context: CallContext) => unknown) | undefined> = {
    message: options.onMessage,
    handoff_requested: options.onHandoffRequested,
    message_left: options.onMessageLeft ?? options.onHandoffRequested,
    user_message: options.onUserMessage,
    handoff_closed: options.onHandoffClosed,
    operator_event: options.onOperatorEvent,
  };

  async function refusalOf(call: IncomingCall): Promise<OutgoingAnswer | undefined> {
    if (call.method !== "POST") return refuse(405, "this webhook only accepts POST", { allow: "POST" });
    if (call.body.length > maxBodyBytes) return refuse(413, `the body is larger than ${maxBodyBytes} bytes`);
    if (!(await areCredentialsRight(expectedAuthorization, call.header("authorization"))))
      return refuse(401, "the credentials are wrong");
    if (secrets.length === 0) return undefined;
    const verdict = await verifySignature(
      await signingKeys,
      {
        id: call.header(WEBHOOK_HEADERS.id),
        timestamp: call.header(WEBHOOK_HEADERS.timestamp),
        signature: call.header(WEBHOOK_HEADERS.signature),
        body: call.body,
      },
      { nowMs: Date.now(), toleranceSeconds },
    );
    return verdict.ok ? undefined : refuse(401, SIGNATURE_PROBLEMS[verdict.problem]);
  }

  async function handle(
    kind: CallKind,
    body: Record<string, unknown>,
    context: CallContext,
  ): Promise<OutgoingAnswer> {
    const id = context.webhookId;
    const isForced = handleReplays && context.isReplay;
    const claim = isForced ? "claimed" : await store.claim(id);
    if (claim === "handled") return acknowledge(kind);
    if (claim === "in_progress")
      return refuse(409, "another process is handling this request", { "retry-after": "1" });
    try {
      // Safe because the body was just found to be of this kind, and the table has its handler.
      const decision = await handlers[kind]?.(body as never, context);
      if (decision === "busy") {
        await store.release(id);
        return refuseAsBusy();
      }
      await store.confirm(id);
      return acknowledge(kind);
    } catch (error) {
      report(error, context);
      if (!isForced) await store.release(id).catch((releasing: unknown) => report(releasing, context));
      return refuse(500, "the handler failed; see the receiver's log");
    }
  }

  async function take(call: IncomingCall): Promise<OutgoingAnswer> {
    const refusal = await refusalOf(call);
    if (refusal !== undefined) return refusal;
    const read = readBody(call.body);
    if (!read.ok) return refuse(400, read.problem);
    const kind = kindOf(call);
    // Section 4.3: an availability test is answered wherever it arrives, and does nothing.
    if (read.body["istest"] === true) return acknowledge(kind ?? "message");
    if (kind === undefined) return refuse(404, "unknown event; update the SDK");
    const problem = bodyProblem(kind, read.body);
    if (problem !== undefined) return refuse(400, problem);
    if (handlers[kind] === undefined) return refuse(404, `no handler for ${kind}`);

    const id = call.header(WEBHOOK_HEADERS.id) ?? (await idOf(kind, read.body, call.body));
    // A repeat that overtakes its first attempt gets that attempt's answer.
    const joined = underWay.get(id);
    if (joined !== undefined) return joined;
    const handling = handle(kind, read.body, contextOf(kind, call, read.body, id)).finally(() =>
      underWay.delete(id),
    );
    underWay.set(id, handling);
    return handling;
  }

  const receiver: Receiver = {
    maxBodyBytes,
    async answer(call) {
      try {
        return await take(call);
      } catch (error) {
        report(error);
        return refuse(500, "the receiver failed; see its log");
      }
    },
    refuseUnread(error) {
      if (error instanceof BodyTooLargeError) return refuse(413, error.message);
      report(error);
      // The service keeps the beginning of an answer: the developer finds the fix in the delivery log as well.
      return refuse(
        500,
        error instanceof RawBodyUnavailableError ? error.message : "the body could not be read",
      );
    },
    fetch: (request) => answerRequest(receiver, request, "web"),
  };
  return receiver;
}

const SIGNATURE_PROBLEMS = {
  missing: "the signature headers are missing",
  stale: "the signature is too old",
  early: "the signature's timestamp is in the future; check both clocks",
  wrong: "the signature does not match the body with any signing secret",
};

/** For a sender without ids: what it says is all there is to tell calls apart. */
async function idOf(kind: CallKind, body: Record<string, unknown>, bytes: Uint8Array): Promise<string> {
  const { conversation_id: conversationId, message_id: messageId } = body;
  if (kind === "message") return `${String(conversationId)}:${String(messageId)}`;
  return `${kind}:${toBase64(await sha256(Uint8Array.from(bytes)))}`;
}
