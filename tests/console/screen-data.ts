import { createClient } from "@signalbox/sdk";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import { joinAs } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";

const WAIT = { timeoutMs: 30_000 };
const COUNTED = { timeoutMs: 120_000 };
const HOUR_MS = 3_600_000;

const QA = [
  { question: "When do you open?", answer: "At nine, every day but Sunday." },
  { question: "Do you deliver?", answer: "Yes, within two days, for free from 40 euros." },
  {
    question: "How do I return something?",
    answer: "Within 30 days. Print the label from your order page and bring the parcel to any post office.",
  },
  { question: "Which payment methods do you accept?", answer: "Cards, PayPal and bank transfer." },
];
export interface Shown {
  full: string;
  empty: string;
  delivery: string;
  conversation: string;
  /** A replay of every delivery that failed. */
  replay: string;
  /** An agent whose users wait in the inbox, and the first of them. */
  inbox: { agent: string; talk: string };
  /** The cookie of an owner's session. */
  cookie: string;
}

/** `npm run e2e` looks at every screen in every state, language, theme and width; otherwise a few that differ in everything. */
export const IS_WHOLE = process.env["SIGNALBOX_E2E_TALLY"] !== undefined;

/** An agent with a bit of everything, one of its deliveries failing; and an agent with nothing. */
async function fill(bed: Bed): Promise<Shown> {
  const desk = await makeDesk(bed, { agent: { name: "Corner shop", qaList: QA } });
  const { agent } = desk;
  const operator = operatorOf(bed);
  const agent_id = agent.agentId;
  agent.respond(() => ({ status: 401 }));
  await operator.webhooks.diagnose({ agent_id });
  const failing = await agent.converse({ user_id: "grace@example.com" });
  agent.respond(({ body }) =>
    (body as { conversation_id?: string }).conversation_id === failing
      ? { status: 503, body: { error: "maintenance until 10:00" } }
      : undefined,
  );
  await agent.ask(failing, "Do you deliver?");
  for (const user_id of ["mei@example.com", "tom@example.com", "ines@example.com"])
    await agent.ask(await agent.converse({ user_id }), "Do you deliver?");
  for (const question of [
    "Who painted the ceiling?",
    "Can my dog come along?",
    "Who painted the ceiling?",
    "Do you sell zebras?",
    "do you sell a zebra",
    "Sell me zebras, please",
  ])
    await agent.ask(await agent.converse({ user_id: "lin@example.com" }), question);
  const conversation = await desk.converse();
  await agent.ask(conversation, "When do you open?");
  const handoff = await desk.connect(conversation);
  await desk.reply(handoff, "Ada here. How can I help?");
  const delivery = await eventually(
    "a delivery failed",
    async () => {
      const { list } = await operator.deliveries.list({ agent_id, conversation_id: failing });
      return list.find(({ cause }) => cause !== null)?.delivery_id;
    },
    WAIT,
  );
  await operator.pairs.add({
    agent_id,
    question: "Is there a discount for students?",
    answer: "Ten percent, with a valid student card.",
    alternates: ["Do students pay less?", "Student discount"],
    tags: ["prices"],
  });
  await tagQuestions(bed, agent_id);
  await saveQuestions(bed, agent_id);
  const { replay_id } = await operator.replays.start({ filter: { agent_id, conversation_id: conversation } });
  const { cookie } = await joinAs(bed, { role: "owner", name: "Ada Okafor" });
  await joinAs(bed, { role: "developer", agentId: agent_id, name: "Mei Lin" });
  await joinAs(bed, { role: "support", agentId: agent_id, name: "Tom van den Berg-Hernández" });
  await operator.invitations.create({ role: "editor", agent_id, email: "ines@example.com" });
  await operator.invitations.create({ role: "viewer", agent_id });
  const { agent_id: empty } = await operator.agents.create({ name: "Empty" });
  const inbox = await fillInbox(bed);
  if (IS_WHOLE) await counted(bed, agent_id);
  return { full: agent_id, empty, delivery, conversation, replay: replay_id ?? "", inbox, cookie };
}

async function tagQuestions(bed: Bed, agent_id: string): Promise<void> {
  const operator = operatorOf(bed);
  const { list } = await operator.pairs.list({ agent_id });
  const idsOf = (pattern: RegExp) =>
    list.filter(({ question }) => pattern.test(question)).map(({ pair_id }) => pair_id);
  await operator.pairs.tag({ agent_id, pair_ids: idsOf(/deliver|return/), add: ["delivery"] });
  await operator.pairs.tag({ agent_id, pair_ids: idsOf(/deliver/), add: ["before you buy"] });
}

/** One that passes and one that fails, and a run of them. */
async function saveQuestions(bed: Bed, agent_id: string): Promise<void> {
  const operator = operatorOf(bed);
  const { list } = await operator.pairs.list({ agent_id });
  const pair_id = list.find(({ question }) => question === "When do you open?")?.pair_id ?? "";
  await operator.savedQuestions.add({ agent_id, question: "When do you open?", pair_id });
  await operator.savedQuestions.add({ agent_id, question: "Which payment methods do you accept?" });
  await operator.savedQuestions.run({ agent_id });
}

/** The worker counts after the fact. */
async function counted(bed: Bed, agent_id: string): Promise<void> {
  const range = { from_time: Date.now() - HOUR_MS, to_time: Date.now() + HOUR_MS };
  await eventually(
    "the figures are counted",
    async () => (await operatorOf(bed).numbers.get({ agent_id, ...range })).totals.conversations >= 9,
    COUNTED,
  );
}

/** Three users who wait for a person, one of them taken. */
async function fillInbox(bed: Bed): Promise<Shown["inbox"]> {
  const agent = await makeAgent(bed, { name: "Corner shop support", qaList: QA });
  const agent_id = agent.agentId;
  const operator = operatorOf(bed);
  await operator.inbox.set({ agent_id });
  // They wait for as long as pictures are taken.
  const timer = { seconds: 3_600, warn_seconds: 0 };
  const timers = { first_reply: timer, human_idle: timer, user_idle: timer };
  await operator.handoffs.setSettings({ agent_id, timers });
  for (const [user_id, question] of [
    ["grace@example.com", "My parcel has not arrived, and I leave on Friday. Can you look where it is?"],
    ["mei@example.com", "Do you deliver?"],
    ["tom.van-den-berg-hernandez@example.com", "I would like to return two of the five lamps I ordered."],
  ] as const) {
    const conversation_id = await agent.converse({ user_id });
    await agent.ask(conversation_id, question);
    await agent.client.handoffs.request({ conversation_id });
  }
  const talks = await eventually(
    "three wait",
    async () => {
      const { list } = await operator.talks.search({ agent_id, view: "waiting" });
      return list.length === 3 && list;
    },
    WAIT,
  );
  await operator.cannedReplies.create({
    agent_id,
    title: "hours",
    text: "Hello {{user.id}}, {{human.name}} here. We open at nine, every day but Sunday.",
  });
  await operator.cannedReplies.create({
    agent_id,
    title: "parcel",
    text: "I am looking up where your parcel is.",
  });
  const talk_id = talks[0]?.talk_id ?? "";
  // In her name: what an operator token does shows the name of its holder.
  const { operator_token: operatorToken } = await operator.tokens.create({
    name: "Mei Lin",
    scopes: ["read", "inbox"],
  });
  const mei = createClient({ baseUrl: bed.baseUrl, operatorToken });
  await mei.talks.addNote({ agent_id, talk_id, text: "Her last parcel was late as well." });
  await mei.talks.reply({ agent_id, talk_id, text: "I am looking it up. One moment, please." });
  return { agent: agent_id, talk: talk_id };
}

let filled: Promise<Shown> | undefined;
/** The same for all tests: it is filled once. */
export const shownOn = (bed: Bed) => (filled ??= fill(bed));
