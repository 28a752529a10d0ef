import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { EmbeddingModel } from "../../platform/index.ts";
import { threadEntry } from "../thread-entry.ts";
import type { EncodeReply, EncodeRequest } from "./encoder-thread.ts";
import type { Glosses } from "./glosses.ts";
import { PIECES_MAX } from "./sentence-encoder.ts";
import { createWordPieces, type CutText } from "./word-pieces.ts";

/** The built-in sentence encoder: English, and Chinese by glosses, in a thread of its own. */
export interface Encoder {
  /** The name its vectors are stored under. */
  readonly model: string;
  /** Whether its vocabulary has the word whole. */
  hasWord(word: string): boolean;
  /** Whether these texts, taken together, are of a language it was made for. */
  knowsLanguageOf(texts: readonly string[]): boolean;
  /** A vector of length 1. Undefined where the text is garbled or of another script, or too many wait. */
  encode(text: string): Promise<number[] | undefined>;
  /** For pairs: a text it cannot read has an empty vector. */
  asModel(): EmbeddingModel;
  close(): Promise<void>;
}

export interface EncoderOptions {
  /** Chinese is read by these; without them not at all. */
  glosses?: Glosses | undefined;
  onCpu: (seconds: number) => void;
  onFailure: (error: unknown) => void;
}

export const ENCODER_MODEL = "builtin/minilm-l6-en-2";
const WEIGHTS = new URL("../../../encoder/minilm-l6-en.int8", import.meta.url);
const VOCABULARY = new URL("../../../encoder/minilm-l6-en.vocabulary", import.meta.url);
const ENTRY = threadEntry(new URL("./encoder-thread.ts", import.meta.url));
/** Questions that wait for the thread; the next is answered by its words. */
const WAITING_MAX = 64;
/** A longer question is known by its beginning and its end, a longer text of a pair by its beginning: time grows with the text. */
const QUESTION_CHARACTERS_MAX = 400;
const PAIR_CHARACTERS_MAX = 320;
/** Each is two or three pieces. A Chinese story says in its first words what it is about. */
const QUESTION_GLOSSED_WORDS_MAX = 16;
const PAIR_GLOSSED_WORDS_MAX = 40;
/** Characters a word piece has. English has about four; one with a third of its letters dropped 2.5, German 2.9, French 3.2. */
const READABLE_FROM = 2.7;
const KNOWN_LANGUAGE_FROM = 3.5;
/** The two signs that stand around a text. */
const CUT_PIECES_MAX = PIECES_MAX - 2;
const LATIN = /\p{Script=Latin}/gu;
const LETTER = /\p{L}/gu;
const HAN = /\p{Script=Han}/u;
const KANA_OR_HANGUL = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export function createEncoder({ glosses, onCpu, onFailure }: EncoderOptions): Encoder {
  const pieces = createWordPieces(readFileSync(VOCABULARY, "utf8").trimEnd().split("\n"));
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

  function ask({ ids, ofWords }: CutText): Promise<EncodeReply | undefined> {
    if (isClosed) return Promise.resolve(undefined);
    worker ??= start();
    const request: EncodeRequest = { id: ++last, pieces: ids, ofWords };
    const reply = new Promise<EncodeReply | undefined>((resolve) => waiting.set(request.id, resolve));
    worker.postMessage(request);
    return reply;
  }

  let lastOfImports: Promise<unknown> = Promise.resolve();

  /**
   * For imports, one text at a time: a question waits for one of them at most. The thread then rests as long as it worked, so that
   * however many pairs wait, they take half of one core.
   */
  function askInTurn(cut: CutText): Promise<EncodeReply | undefined> {
    const reply = lastOfImports.then(() => ask(cut));
    lastOfImports = reply.then((encoded) => setTimeout(encoded?.cpuMs ?? 0, undefined, { ref: false }));
    return reply;
  }

  /** Undefined where the encoder would not understand it. */
  function readPieces(text: string, glossedWordsMax: number): CutText | undefined {
    const english = isLatin(text)
      ? text
      : (glosses !== undefined && isChinese(text) && glosses.english(text, glossedWordsMax)) || "";
    if (english === "") return undefined;
    const cut = pieces.cut(english, CUT_PIECES_MAX);
    return cut.charactersPerPiece < READABLE_FROM ? undefined : cut;
  }

  return {
    model: ENCODER_MODEL,
    hasWord: (word) => pieces.has(word),
    knowsLanguageOf(texts) {
      if (glosses !== undefined && texts.filter(isChinese).length > texts.length / 2) return true;
      const read = texts.filter(isLatin).map((text) => pieces.cut(text, CUT_PIECES_MAX).charactersPerPiece);
      return median(read) >= KNOWN_LANGUAGE_FROM;
    },
    async encode(text) {
      const cut = readPieces(bothEnds(text), QUESTION_GLOSSED_WORDS_MAX);
      if (cut === undefined || waiting.size >= WAITING_MAX) return undefined;
      const reply = await ask(cut);
      return reply && [...reply.vector];
    },
    asModel: () => ({
      model: ENCODER_MODEL,
      async embed(texts, signal) {
        const vectors: number[][] = [];
        for (const text of texts) {
          if (signal?.aborted === true)
            return { kind: "failed", cause: "called_off", detail: "the worker is stopping" };
          const cut = readPieces(text.slice(0, PAIR_CHARACTERS_MAX), PAIR_GLOSSED_WORDS_MAX);
          const reply = cut && (await askInTurn(cut));
          // An empty vector stays for good, so it must not stand for a thread that died.
          if (cut !== undefined && reply === undefined)
            return { kind: "failed", cause: "unavailable", detail: "the encoder's thread ended" };
          vectors.push(reply === undefined ? [] : [...reply.vector]);
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

function isLatin(text: string): boolean {
  const letters = text.match(LETTER)?.length ?? 0;
  return letters > 0 && (text.match(LATIN)?.length ?? 0) > letters / 2;
}

/** Japanese and Korean have letters of their own beside Chinese ones. */
export function isChinese(text: string): boolean {
  return HAN.test(text) && !KANA_OR_HANGUL.test(text) && !isLatin(text);
}

function bothEnds(text: string): string {
  if (text.length <= QUESTION_CHARACTERS_MAX) return text;
  return `${text.slice(0, QUESTION_CHARACTERS_MAX / 2)} ${text.slice(-QUESTION_CHARACTERS_MAX / 2)}`;
}

/** 0 of none. */
function median(numbers: number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
