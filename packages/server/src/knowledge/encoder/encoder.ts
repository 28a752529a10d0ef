import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { EmbeddingModel } from "../../platform/index.ts";
import { threadEntry } from "../thread-entry.ts";
import type { EncodeReply, EncodeRequest } from "./encoder-thread.ts";

/** The built-in sentence encoder: English, in a thread of its own. */
export interface Encoder {
  /** The name its vectors are stored under. */
  readonly model: string;
  /** Undefined where the text is in no language it knows, or too many wait. */
  encode(text: string): Promise<EncodedText | undefined>;
  /** For pairs: a text it cannot read has an empty vector. */
  asModel(): EmbeddingModel;
  close(): Promise<void>;
}

export interface EncodedText {
  numbers: number[];
  /** How far the encoder is to be trusted with this text, from 0 to 1. */
  trust: number;
}

export interface EncoderOptions {
  onCpu: (seconds: number) => void;
  onFailure: (error: unknown) => void;
}

export const ENCODER_MODEL = "builtin/use-lite-en-1";
const WEIGHTS = new URL("../../../encoder/use-lite-en.int8", import.meta.url);
const ENTRY = threadEntry(new URL("./encoder-thread.ts", import.meta.url));
/** Questions that wait for the thread; the next is answered by its words. */
const WAITING_MAX = 64;
/** A longer question is known by its beginning and its end, a longer answer by its beginning: time grows with the text. */
const QUESTION_CHARACTERS_MAX = 128;
const PAIR_CHARACTERS_MAX = 320;
/** Characters a word piece has: garbled or foreign text falls into crumbs. */
const TRUST = { none: 2.2, full: 3 };
type Encoding = Pick<EncodeReply, "vector" | "charactersPerPiece">;
const NO_WORDS: Encoding = { vector: new Float32Array(), charactersPerPiece: 0 };
const LATIN = /\p{Script=Latin}/gu;
const LETTER = /\p{L}/gu;

export function createEncoder({ onCpu, onFailure }: EncoderOptions): Encoder {
  const waiting = new Map<number, (reply: EncodeReply | undefined) => void>();
  let worker: Worker | undefined;
  let isClosed = false;
  let last = 0;

  function settleAll(): void {
    for (const settle of waiting.values()) settle(undefined);
    waiting.clear();
  }

  /** Started by the first question; one that dies leaves its questions to words, and the next starts another. */
  function start(): Worker {
    const started = new Worker(ENTRY, { workerData: WEIGHTS.href, env: {}, execArgv: [] });
    started.unref();
    started.on("message", (reply: EncodeReply) => {
      onCpu(reply.cpuMs / 1000);
      waiting.get(reply.id)?.(reply);
      waiting.delete(reply.id);
    });
    started.on("error", onFailure);
    started.on("exit", () => {
      if (worker === started) worker = undefined;
      settleAll();
    });
    return started;
  }

  function ask(text: string): Promise<EncodeReply | undefined> {
    if (isClosed) return Promise.resolve(undefined);
    worker ??= start();
    const request: EncodeRequest = { id: ++last, text };
    const reply = new Promise<EncodeReply | undefined>((resolve) => waiting.set(request.id, resolve));
    worker.postMessage(request);
    return reply;
  }

  let lastOfImports: Promise<unknown> = Promise.resolve();

  /**
   * For imports, one text at a time: a question waits for one of them at most. The thread then rests as long as it worked, so that
   * however many pairs wait, they take half of one core.
   */
  function askInTurn(text: string): Promise<EncodeReply | undefined> {
    const reply = lastOfImports.then(() => ask(text));
    lastOfImports = reply.then((encoded) => setTimeout(encoded?.cpuMs ?? 0, undefined, { ref: false }));
    return reply;
  }

  async function encodeQuestion(text: string): Promise<EncodedText | undefined> {
    if (!isLatin(text) || waiting.size >= WAITING_MAX) return undefined;
    const reply = await ask(text);
    return reply === undefined ? undefined : encodedFrom(reply);
  }

  return {
    model: ENCODER_MODEL,
    encode: (text) => encodeQuestion(bothEnds(text)),
    asModel: () => ({
      model: ENCODER_MODEL,
      async embed(texts, signal) {
        const vectors: number[][] = [];
        for (const text of texts) {
          if (signal?.aborted === true)
            return { kind: "failed", cause: "called_off", detail: "the worker is stopping" };
          const start = text.slice(0, PAIR_CHARACTERS_MAX);
          const reply = isLatin(start) ? await askInTurn(start) : NO_WORDS;
          // An empty vector stays for good, so it must not stand for a thread that died.
          if (reply === undefined)
            return { kind: "failed", cause: "unavailable", detail: "the encoder's thread ended" };
          vectors.push(encodedFrom(reply)?.numbers ?? []);
        }
        return { kind: "embedded", vectors, tokens: 0 };
      },
    }),
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
}

/** Undefined where the encoder does not understand the text. */
function encodedFrom({ vector, charactersPerPiece }: Encoding): EncodedText | undefined {
  const trust = trustIn(charactersPerPiece);
  return trust === 0 ? undefined : { numbers: [...vector], trust };
}

function isLatin(text: string): boolean {
  const letters = text.match(LETTER)?.length ?? 0;
  return letters > 0 && (text.match(LATIN)?.length ?? 0) > letters / 2;
}

function bothEnds(text: string): string {
  if (text.length <= QUESTION_CHARACTERS_MAX) return text;
  return `${text.slice(0, QUESTION_CHARACTERS_MAX / 2)} ${text.slice(-QUESTION_CHARACTERS_MAX / 2)}`;
}

function trustIn(charactersPerPiece: number): number {
  return Math.max(0, Math.min(1, (charactersPerPiece - TRUST.none) / (TRUST.full - TRUST.none)));
}
