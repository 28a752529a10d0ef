import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ResponseMode } from "@signalbox/contract";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { drained } from "../support/load.ts";
import type { Mutation } from "../support/mutant-module.ts";
import { mutantEnvironment, mutationsIn } from "../support/mutant-service.ts";
import { judgeStored, readStored, type Call, type StoredVerdict } from "../support/stored-account.ts";
import { sendRequest } from "../support/wire.ts";

const QUESTION = "When do you open?";
const CALLS = 40;
const WAVE = 10;
const WAVE_MS = 200;
const CUTS = 3;
const ANSWERED_MS = 10_000;
const DRAINED_MS = 60_000;

/** Commits by a part of their statement. */
const ACCEPT = /insert into message/;
const REPLY = /answered as/;
const OUTCOME = /settlement as/;

/** One node of each kind behind proxies, perhaps with bugs, and one agent. */
class Scene {
  readonly bed: Bed;
  readonly #agent: MadeAgent;
  /** By everybody so far. */
  readonly calls: Call[] = [];

  private constructor(bed: Bed, agent: MadeAgent) {
    this.bed = bed;
    this.#agent = agent;
  }

  static async open(mutations: Mutation[] = []): Promise<Scene> {
    const environment = {
      LOG_LEVEL: "info",
      RATE_LIMIT_PER_SECOND: "100000",
      ...(mutations.length > 0 ? mutantEnvironment(mutations) : {}),
    };
    const bed = await openBed({ apis: 1, workers: 1, proxied: true, environment });
    const agent = await makeAgent(bed, { qaList: [{ question: QUESTION, answer: "At nine." }] });
    return new Scene(bed, agent);
  }

  /** Many calls, each in a conversation of its own, while the answers to commits that match are cut off. */
  async callWhileCut(mode: ResponseMode, of: RegExp): Promise<Call[]> {
    // What earlier calls left to do would be cut in place of these.
    await drained(this.bed, DRAINED_MS);
    const conversations = await Promise.all(Array.from({ length: CALLS }, () => this.#agent.converse()));
    const cutting = this.#cut(of).catch((error: unknown) => error);
    const calls = await Promise.all(
      conversations.map(async (conversationId, index) => {
        // Together enough to share a commit, and apart enough for several.
        await sleep(WAVE_MS * Math.floor(index / WAVE));
        return this.#call(mode, conversationId);
      }),
    );
    this.calls.push(...calls);
    assert.equal(await cutting, CUTS, "void: fewer commits than wanted were cut");
    return calls;
  }

  async #cut(of: RegExp): Promise<number> {
    let lost = 0;
    for (let cut = 0; cut < CUTS; cut += 1)
      if ((await this.bed.proxies().database.cutNext({ moment: "commit", of })).isAnswerLost) lost += 1;
    return lost;
  }

  async #call(response_mode: ResponseMode, conversationId: string): Promise<Call> {
    const messages = [{ role: "user", content: QUESTION }];
    const { status, body } = await sendRequest(this.bed.baseUrl, {
      method: "POST",
      path: "/v2/conversation/message",
      headers: { authorization: `Bearer ${this.#agent.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ conversation_id: conversationId, response_mode, messages }),
    });
    const { message, message_id } = body as { message?: string; message_id?: string };
    const isAnswered = status === 200;
    const told = isAnswered ? { messageId: message_id } : { refusal: message };
    return { conversationId, text: QUESTION, isAnswered, ...told };
  }

  async judge(): Promise<StoredVerdict> {
    await drained(this.bed, DRAINED_MS);
    return judgeStored(this.calls, await readStored(this.bed));
  }
}

describe("commit whose answer is lost", () => {
  const open = new AsyncDisposableStack();
  let scene: Scene;

  before(async () => {
    scene = await Scene.open();
    open.use(scene.bed);
  });
  after(() => open.disposeAsync());

  for (const [what, mode, of] of [
    ["a message for the webhook", "webhook", ACCEPT],
    ["a message whose caller waits", "blocking", ACCEPT],
    ["a reply to a caller who waits", "blocking", REPLY],
    ["a reply for the webhook", "webhook", REPLY],
    ["an outcome of an attempt", "webhook", OUTCOME],
  ] as const)
    it(`every call is stored once and answered once when the commit of ${what} is not answered`, async () => {
      const begun = performance.now();
      const calls = await scene.callWhileCut(mode, of);
      const tookMs = performance.now() - begun;
      assert.deepEqual(await scene.judge(), { storedTwice: [], falseRefusals: [], notStored: [] });
      assert.deepEqual(
        calls.filter(({ isAnswered }) => !isAnswered),
        [],
      );
      assert.ok(tookMs < ANSWERED_MS, `callers waited for ${Math.round(tookMs)} ms`);
    });
});

/** The service as it would be without reading back. */
const UNSEEN: Mutation[] = [
  {
    file: "conversations/message-acceptor.ts",
    find: "readBack: (_, messages) => readAccepted(agents, messages),\n    log,\n  });\n  return async",
    replace: 'readBack: "repeatable",\n    log,\n  });\n  return async',
  },
  {
    file: "conversations/commit-together.ts",
    find: "readBack: (answered) => findCommitted(db, answered),",
    replace: 'readBack: "repeatable",',
  },
  {
    file: "conversations/commit-together.ts",
    find: "if (superseded.length === 0) return results;",
    replace: "if (superseded.length >= 0) return results;",
  },
  {
    file: "delivery/lanes/attempt-recorder.ts",
    find: "readBack: (settlements) => findSettled(db, settlements),",
    replace: 'readBack: "repeatable",',
  },
];

describe("judge of commits whose answers are lost", () => {
  it("the judge notices messages and attempts that are written again, and callers who are refused their replies", async () => {
    const scene = await Scene.open(UNSEEN);
    await using bed = scene.bed;
    assert.equal(mutationsIn(bed.api().logs()).length, UNSEEN.length, "the service is no mutant");
    await bed.database.query("drop index if exists message_once");
    await scene.callWhileCut("webhook", ACCEPT);
    const asked = await scene.callWhileCut("blocking", REPLY);
    await scene.callWhileCut("webhook", OUTCOME);
    const { storedTwice } = await scene.judge();
    for (const what of ["the user's message", "the attempt"])
      assert.ok(
        storedTwice.some((one) => one.startsWith(what)),
        `${what} is never stored twice`,
      );
    assert.equal(
      asked.every(({ isAnswered }) => isAnswered),
      false,
      "nobody was refused",
    );
  });
});
