import { judgeViews } from "@signalbox/tests/support/client-views.ts";
import { Refusal } from "../../packages/server/src/platform/index.ts";
import { MODEL_ANSWER } from "./callers.ts";
import { AnswerLost, Crash } from "./schedule.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import type { Arrival } from "./world-parts.ts";
import type { World } from "./world-shape.ts";

/** The messages sent, each with its answer; undefined when none came. */
export interface Account {
  said: { conversationId: string; text: string; answer: unknown }[];
  /** In blocking and streaming mode. */
  asked: { text: string; answer: unknown }[];
  replied: { handoffId: string; timestamp: number; body: string; answer: unknown }[];
  world: World;
}

interface Message {
  seq: number;
  id: string;
  sender: "user" | "ai" | "human" | "system";
  text: string;
  author: string | null;
}

interface HandoffRow {
  id: string;
  trigger: string;
  state: string;
  reason: string | null;
}

interface Facts {
  messages: Message[];
  handoffs: HandoffRow[];
  /** Intervals in which a human held control: above `from`, up to `to`. */
  held: { from: number; to: number }[];
  answered: { after_seq: number; to_seq: number }[];
  closes: { handoff_id: string }[];
  lanes: { id: string; handoff_id: string | null }[];
}

/** Compares what both sides saw with what is in the database, and that with what was promised. */
export async function judge(
  database: SimulatedDatabase,
  { said, asked, replied, world }: Account,
): Promise<string[]> {
  const noted = await database.query<{ what: string }>("select what from watch.violation");
  const problems = [
    ...noted.map(({ what }) => what),
    ...world.surprises.map((surprise) => `somebody was answered with a failure of ours: ${surprise}`),
    ...world.repeats.map((what) => `${what} was sent twice although nobody failed`),
  ];
  for (const conversationId of [world.conversationId, ...world.neighbours]) {
    const facts = await readFacts(database, world.agentId, conversationId);
    const isMain = conversationId === world.conversationId;
    if (isMain) problems.push(...judgeClients(facts, asked, world));
    if (isMain && isErased(world)) continue;
    const isOfHandoff = (id: string) => facts.handoffs.some((handoff) => handoff.id === id);
    const own = {
      said: said.filter((one) => one.conversationId === conversationId),
      replied: replied.filter(({ handoffId }) => isOfHandoff(handoffId)),
      // A desk is called with the id of a handoff in place of the conversation's.
      arrivals: world.arrivals.filter(
        ({ body }) => body.conversation_id === conversationId || isOfHandoff(body.conversation_id),
      ),
    };
    problems.push(...judgeConversation(facts, own, world));
  }
  return problems;
}

function isErased({ clients }: World): boolean {
  return clients.views.some(({ saw }) => saw === "erasure");
}

/** What clients were shown, of a conversation that may be erased by now. */
function judgeClients({ messages }: Facts, asked: Account["asked"], world: World): string[] {
  const stored = messages.map(({ author, ...message }) => ({ ...message, author: author ?? undefined }));
  const left = isErased(world) ? messages.length : 0;
  return [
    // Word has reached everybody when a round ends.
    ...judgeViews(world.clients.views, stored, { withinMs: 0, lookMs: 0 }),
    ...(left > 0 ? [`${left} messages are left of a conversation that was erased`] : []),
    ...asked.flatMap(({ text }) => {
      const count = messages.filter((one) => one.sender === "user" && one.text === text).length;
      return count > 1 ? [`"${text}" was stored ${count} times`] : [];
    }),
  ];
}

type Heard = Pick<Account, "said" | "replied"> & Pick<World, "arrivals">;

function judgeConversation(facts: Facts, heard: Heard, { cutOffLanes }: World): string[] {
  const firsts = firstArrivals(heard.arrivals);
  return [
    ...judgeSpeakers(facts),
    ...judgeEnds(facts),
    ...judgeGrammar(facts, firsts, cutOffLanes),
    ...judgeUser(facts, firsts),
    ...judgeDesk(facts, firsts),
    ...judgeLosses(facts, heard),
    ...judgeRepeats(facts),
  ];
}

async function readFacts(
  { query }: SimulatedDatabase,
  agentId: string,
  conversationId: string,
): Promise<Facts> {
  const of = [agentId, conversationId];
  const control = await query<{ control: string; last_seq: string }>(
    "select control, last_seq from watch.control where conversation_id = $1 order by at",
    [conversationId],
  );
  const held: Facts["held"] = [];
  for (const { control: who, last_seq } of control) {
    const last = held.at(-1);
    if (who === "human") held.push({ from: Number(last_seq), to: Number.POSITIVE_INFINITY });
    else if (last !== undefined) last.to = Number(last_seq);
  }
  return {
    messages: await query<Message>(
      "select seq::int, id, sender, text, author_name as author from message where agent_id = $1 and conversation_id = $2 order by seq",
      of,
    ),
    handoffs: await query<HandoffRow>(
      "select id, trigger, state, reason from handoff where agent_id = $1 and conversation_id = $2 order by requested_at",
      of,
    ),
    held,
    answered: await query(
      "select after_seq::int, to_seq::int from watch.answered where conversation_id = $1",
      [conversationId],
    ),
    closes: await query(
      `select l.handoff_id from delivery d join lane l on l.agent_id = d.agent_id and l.id = d.lane_id
       where d.agent_id = $1 and l.conversation_id = $2 and d.event = 'handoff_closed'`,
      of,
    ),
    lanes: await query("select id, handoff_id from lane where agent_id = $1 and conversation_id = $2", of),
  };
}

/** Order and content are judged on first arrivals: a repeat with the same id is allowed. */
function firstArrivals(arrivals: Arrival[]): Arrival[] {
  const seen = new Map<string, string>();
  return arrivals.filter(({ webhookId, body }) => {
    const text = JSON.stringify(body);
    if (seen.has(webhookId) && seen.get(webhookId) !== text) throw new Error("a repeat has another body");
    const isFirst = !seen.has(webhookId);
    seen.set(webhookId, text);
    return isFirst;
  });
}

const isHeld = ({ held }: Facts, seq: number) => held.some(({ from, to }) => seq > from && seq <= to);

function judgeSpeakers(facts: Facts): string[] {
  return facts.messages.flatMap(({ seq, sender }) => {
    if (sender === "ai" && isHeld(facts, seq))
      return [`message ${seq} of the bot while a human held control`];
    if (sender === "human" && !isHeld(facts, seq)) return [`message ${seq} of a human outside of a handoff`];
    return [];
  });
}

function judgeEnds({ handoffs, closes }: Facts): string[] {
  return handoffs.flatMap(({ id, state, reason }) => {
    const count = closes.filter(({ handoff_id }) => handoff_id === id).length;
    const [least, most] =
      reason === null || reason === "human_closed" || reason === "desk_removed"
        ? [0, 0]
        : reason === "refused"
          ? [0, 1]
          : [1, 1];
    return count >= least && count <= most
      ? []
      : [`${count} closes of a handoff that is ${state} (${reason})`];
  });
}

const GRAMMAR = /^(e(c*x?)?)?$/;

/** Rule 11: a desk that may have the request, because a worker died with it in hand, is told that it is over. */
function judgeGrammar({ lanes }: Facts, firsts: Arrival[], cutOffLanes: Set<string>): string[] {
  const desk = firsts.filter(({ call }) => call !== "message");
  return [...Map.groupBy(desk, ({ body }) => body.conversation_id)].flatMap(([handoffId, calls]) => {
    const word = calls
      .map(({ call }) => ({ establish: "e", chat: "c", close: "x", message: "" })[call])
      .join("");
    const wasCutOff = lanes.some(({ id, handoff_id }) => handoff_id === handoffId && cutOffLanes.has(id));
    return GRAMMAR.test(word) || (word === "x" && wasCutOff)
      ? []
      : [`the desk heard ${calls.map(({ call }) => call).join(", ")}`];
  });
}

/** What the user was told is what is in the conversation, all of it, in its order. */
function judgeUser({ messages }: Facts, firsts: Arrival[]): string[] {
  const told = firsts.filter(({ call }) => call === "message").map(({ body }) => body.message_id);
  const said = messages
    // Those who wait for their reply are given it, and no webhook.
    .filter(({ sender, text }) => sender !== "user" && text !== MODEL_ANSWER)
    .map(({ id }) => id);
  return JSON.stringify(told) === JSON.stringify(said)
    ? []
    : [`the user was told ${told.length} messages of ${said.length}, or in another order`];
}

/** What the desk heard of one handoff are the user's words, in order, none twice. */
function judgeDesk({ messages }: Facts, firsts: Arrival[]): string[] {
  const users = messages.filter(({ sender }) => sender === "user").map(({ text }) => text);
  const chats = Map.groupBy(
    firsts.filter(({ call }) => call === "chat"),
    ({ body }) => body.conversation_id,
  );
  return [...chats.values()].flatMap((calls) => {
    const places = calls.map(({ body }) => users.indexOf(String(body.body)));
    const isInOrder = places.every((place, index) => place !== -1 && place > (places[index - 1] ?? -1));
    return isInOrder ? [] : [`the desk heard ${calls.map(({ body }) => String(body.body)).join(", ")}`];
  });
}

/** Everything that was accepted is somewhere: answered, heard by a desk, or left behind by a user who left. */
function judgeLosses(facts: Facts, { said, replied, arrivals }: Heard): string[] {
  const { messages, handoffs } = facts;
  const heard = new Set(arrivals.filter(({ call }) => call === "chat").map(({ body }) => String(body.body)));
  const refused = new Set(handoffs.filter(({ reason }) => reason === "refused").map(({ id }) => id));
  const transcripts = arrivals
    // A desk that said no has thrown it away.
    .filter(({ call, body }) => call === "establish" && !refused.has(body.conversation_id))
    .flatMap(({ body }) => (body.body as { text: string }[]).map(({ text }) => text));
  const known = new Set([...heard, ...transcripts]);
  // A user who asks for a person is answered by any outcome.
  const hasAsked = handoffs.some(({ trigger }) => trigger === "phrase");
  const userLeft = handoffs.some(({ reason }) => reason === "user_closed");
  const counts = Map.groupBy(messages, ({ sender, text }) => `${sender} ${text}`);
  const problems: string[] = [];
  for (const { text, answer } of said) {
    const stored = counts.get(`user ${text}`) ?? [];
    if (stored.length > 1) problems.push(`"${text}" was stored ${stored.length} times`);
    if (wasAccepted(answer) && stored.length === 0) problems.push(`"${text}" was accepted and is gone`);
    // Whether it is stored can be read, so its caller is told.
    if (answer instanceof AnswerLost) problems.push(`the caller of "${text}" was not told what became of it`);
    for (const { seq } of stored) {
      const isAnswered = facts.answered.some(({ after_seq, to_seq }) => seq > after_seq && seq <= to_seq);
      const isRequest = hasAsked && text.startsWith("human please");
      if (!isAnswered && !isRequest && !known.has(text) && !userLeft)
        problems.push(`"${text}" was neither answered nor heard`);
    }
  }
  for (const { body, answer } of replied) {
    const stored = counts.get(`human ${body}`) ?? [];
    if (stored.length > 1) problems.push(`"${body}" was said ${stored.length} times`);
    if (wasAccepted(answer) && stored.length === 0) problems.push(`"${body}" was accepted and never said`);
  }
  return problems;
}

/** However many workers are at work: one answer to each message. */
function judgeRepeats({ messages }: Facts): string[] {
  const by = (sender: Message["sender"]) => messages.filter((one) => one.sender === sender).length;
  return by("ai") > by("user") ? [`${by("ai")} answers to ${by("user")} messages`] : [];
}

/** Answered as the contract says of what was done: neither refused, nor cut off by a crash of ours. */
function wasAccepted(answer: unknown): boolean {
  return (
    answer !== undefined &&
    !(answer instanceof Refusal) &&
    !(answer instanceof Crash) &&
    !(answer instanceof Error)
  );
}
