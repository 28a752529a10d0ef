import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createClient } from "@signalbox/sdk";
import { makeAgent, operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startFileServer } from "../support/file-server.ts";
import { percentile } from "../support/percentile.ts";
import { STARVED_SHARE, watchSteal } from "../support/machine.ts";
import { eventually } from "../support/processes.ts";
import type { Notice, Order } from "./abuser.ts";
import { signIn } from "./signed-in.ts";
import type { Tally } from "./tally.ts";
import { VECTORS, type Arsenal } from "./vectors.ts";
import { makeVictim, noteArrival, type Arrivals, type Seen, type Victim } from "./victim.ts";

export type CampaignOptions = {
  /** Each vector is used for so long. */
  seconds: number;
  /** The victim is watched alone for so long before each vector. */
  restSeconds: number;
  /** Pairs of the document that is appended to. */
  pairs: number;
  perSecond: number;
  /** How often a look is repeated, at most, while the host serves others. */
  tries: number;
  /** All where none is named. */
  only: string[];
  say: (line: string) => void;
};

export type VectorResult = {
  name: string;
  tally: Tally;
  /** Whether the abuser did what harms; otherwise the run is void. */
  proven: boolean;
  medianMs: number;
  p99Ms: number;
  /** Against the p99 of the same tenant with nobody else there. */
  ratio: number;
  /** The share of the machine's CPU time that its host gave to others. */
  stolenShare: number;
  errors: string[];
};

export type CampaignResult = {
  restMedianMs: number;
  restP99Ms: number;
  restErrors: string[];
  vectors: VectorResult[];
};

/** As shipped, since the defaults protect the victim; without a proxy, so that clients on loopback have an address. */
const AS_SHIPPED = {
  TRUSTED_PROXIES: "192.0.2.1",
  LOG_LEVEL: "info",
  RECONCILE_INTERVAL_SECONDS: "5",
  RECONCILE_GRACE_SECONDS: "20",
  OPERATOR_RATE_LIMIT_PER_SECOND: "",
  CONSOLE_POOL_SIZE: "",
  ACCOUNT_TRANSACTIONS_AT_ONCE: "",
};
const CONVERSATIONS = 64;
const ALTERNATES = 50;
const HOSTILE_PAIRS = 200;
const SETTLED_MS = 2_000;

/** One process of each role, a tenant that converses, and an abuser that tries each vector in turn. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { seconds, restSeconds, perSecond, tries, say } = options;
  const vectors = VECTORS.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  if (vectors.length === 0) throw new Error(`no such vector: ${options.only.join(", ")}`);
  await using opening = new AsyncDisposableStack();
  const arrivals: Arrivals = new Map();
  const bed = opening.use(
    await openBed({
      apis: 1,
      workers: 1,
      environment: AS_SHIPPED,
      receiver: { onEnded: (request) => noteArrival(arrivals, request) },
    }),
  );
  limitOpenFiles(bed.api().pid());
  const files = opening.use(await startFileServer());
  const victim = await makeVictim(bed, arrivals);
  const abuser = await startAbuser(opening);
  const arsenal = await arm(bed, abuser, files.put("large.csv", { bytes: manyPairs(options.pairs) }));
  const hours = files.put("hours.csv", { bytes: "question,answer\nWhere are you?,At the corner.\n" });

  const rest = () => unlessStarved(tries, () => victim.converse({ perSecond, seconds: restSeconds }));
  say(`warming up for ${restSeconds} s`);
  await rest();
  const atRest: Seen[] = [];
  const results: Omit<VectorResult, "ratio">[] = [];
  for (const { name, summary, harmsUnlessRefused } of vectors) {
    atRest.push((await rest()).seen);
    const { seen, stolenShare } = await unlessStarved(tries, async () => {
      const [talk, importErrors, newsErrors, tally] = await Promise.all([
        victim.converse({ perSecond, seconds }),
        victim.importFile(hours),
        victim.hearNews(seconds),
        abuser.attack({ vector: name, seconds, arsenal }),
      ]);
      await settled(victim);
      return { ...talk, errors: [...talk.errors, ...importErrors, ...newsErrors], tally };
    });
    const { tally, latenciesMs, errors } = seen;
    const p99Ms = percentile(latenciesMs, 0.99);
    // A request that was neither refused nor failed was accepted, or still kept the service busy at the end.
    const turnedAway = harmsUnlessRefused === true ? tally.refused + tally.failed : 0;
    const proven = tally.requests > turnedAway;
    results.push({ name, tally, proven, medianMs: percentile(latenciesMs, 0.5), p99Ms, stolenShare, errors });
    const stolen = `the host took ${Math.round(stolenShare * 100)} %`;
    say(`${name}: ${summary}; ${describeTally(tally)}; p99 ${Math.round(p99Ms)} ms; ${stolen}`);
  }
  atRest.push((await rest()).seen);
  const restLatenciesMs = atRest.flatMap(({ latenciesMs }) => latenciesMs);
  const restP99Ms = percentile(restLatenciesMs, 0.99);
  return {
    restMedianMs: percentile(restLatenciesMs, 0.5),
    restP99Ms,
    restErrors: atRest.flatMap(({ errors }) => errors),
    vectors: results.map((result) => ({ ...result, ratio: result.p99Ms / restP99Ms })),
  };
}

/** Looks again while the host serves others, when slow answers say nothing of the service. The best of some tries. */
async function unlessStarved<Look>(
  most: number,
  look: () => Promise<Look>,
): Promise<{ seen: Look; stolenShare: number }> {
  let best: { seen: Look; stolenShare: number } | undefined;
  for (let tries = 0; tries < most && (best?.stolenShare ?? 1) > STARVED_SHARE; tries += 1) {
    const stolen = watchSteal();
    const seen = await look();
    const stolenShare = stolen();
    if (best === undefined || stolenShare < best.stolenShare) best = { seen, stolenShare };
  }
  return best!;
}

/** As many as an operator may have left the process: more connections than this are refused by the kernel. */
const OPEN_FILES = 4_096;

function limitOpenFiles(pid: number): void {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${OPEN_FILES}:${OPEN_FILES}`]);
}

type Abuser = { modelUrl: string; fileUrl: string; attack(order: Order): Promise<Tally> };

/** A process of its own, so that what it costs to abuse is not taken from who measures. */
async function startAbuser(opening: AsyncDisposableStack): Promise<Abuser> {
  const child = fork(join(import.meta.dirname, "abuser.ts"));
  const ended = once(child, "exit");
  opening.defer(async () => {
    child.disconnect();
    await ended;
  });
  const nextNotice = async () => {
    const exit = new AbortController();
    void ended.then(() => exit.abort(new Error("the abuser's process ended")));
    const [notice] = (await once(child, "message", { signal: exit.signal })) as [Notice];
    return notice;
  };
  const ready = await nextNotice();
  if (ready.kind !== "ready") throw new Error("the abuser did not get ready");
  return {
    ...ready,
    async attack(order) {
      child.send(order);
      const done = await nextNotice();
      if (done.kind !== "done") throw new Error("the abuser did not say what it did");
      return done.tally;
    },
  };
}

/** Two agents of the abuser's, with what each vector needs. */
async function arm(bed: Bed, abuser: Abuser, largeFileUrl: string): Promise<Arsenal> {
  const plain = await makeAgent(bed, {
    name: "Abuser",
    qaList: [{ question: "What are your opening hours?", answer: "None." }],
  });
  const withModel = await makeAgent(bed, {
    name: "Abuser with a model",
    qaList: [{ question: "What are your opening hours?", answer: "None. 1234567890" }],
  });
  await operatorOf(bed).models.setChat({
    agent_id: withModel.agentId,
    url: abuser.modelUrl,
    model: "hostile",
  });
  const [hostile] = (
    await plain.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "Hostile",
      qaList: [{ question: "w1 w2", answer: "yes" }],
    })
  ).doc;
  await plain.client.knowledge.addPairs({ doc_id: hostile?.doc_id ?? "", chunks: hostilePairs() });
  const large = await plain.client.knowledge.add({
    purpose: "QA_FILE",
    files: [{ file_url: largeFileUrl, file_name: "large.csv" }],
  });
  const largeDocumentId = large.doc[0]?.doc_id ?? "";
  await eventually(
    "the large document is stored",
    async () => (await plain.client.knowledge.listPairs({ doc_id: largeDocumentId })).list.length > 0,
    { timeoutMs: 120_000, everyMs: 250 },
  );
  const conversationsOf = (made: typeof plain) =>
    Promise.all(Array.from({ length: CONVERSATIONS }, (_, index) => made.converse({ user_id: `u${index}` })));
  const { token } = await plain.client.chatTokens.mint({});
  const chat = await createClient({ baseUrl: bed.baseUrl, chatToken: token }).chats.begin();
  return {
    baseUrl: bed.baseUrl,
    apiKey: plain.apiKey,
    conversationIds: await conversationsOf(plain),
    largeDocumentId,
    modelApiKey: withModel.apiKey,
    modelConversationIds: await conversationsOf(withModel),
    chatToken: token,
    chatConversationId: chat.conversation_id,
    fileUrl: abuser.fileUrl,
    signedIn: await signIn(bed, plain),
  };
}

function hostilePairs() {
  return Array.from({ length: HOSTILE_PAIRS }, (_, pair) => ({
    question: `w${pair} w${pair + 1}`,
    answer: "yes",
    keywords: Array.from({ length: ALTERNATES }, (_, alternate) =>
      Array.from({ length: 40 }, (_, word) => `w${(pair * 7 + alternate * 13 + word) % 997}`).join(" "),
    ),
  }));
}

function manyPairs(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, index) => `How large is item ${index}?,Item ${index} is large.`,
  );
  return ["question,answer", ...rows].join("\n");
}

/** What one vector left behind must not be counted as the next one's doing. */
async function settled(victim: Victim): Promise<void> {
  await eventually(
    "the service answers as before",
    async () => (await victim.converse({ perSecond: 2, seconds: SETTLED_MS / 1000 })).errors.length === 0,
    { timeoutMs: 60_000, everyMs: 500 },
  );
}

function describeTally({ requests, accepted, refused, failed }: Tally): string {
  return `${requests} requests, ${accepted} accepted, ${refused} refused, ${failed} failed`;
}
