import { OPERATOR_SCOPES } from "@signalbox/contract";
import { type Client, createClient, isFailure } from "@signalbox/sdk";
import type { Home } from "./home.ts";
import { SEED_PAIRS } from "./seed-pairs.ts";
import { type DevSettings, saveSettings, type SeededAgent } from "./settings.ts";

interface Seed {
  name: string;
  language: "en" | "zh-CN";
  document: string;
  /** The name users see of those who answer. */
  team: string;
}

/** A small shop, in both languages, so that there is somebody to talk to before anything is imported. */
const SEEDS: readonly Seed[] = [
  { name: "Corner shop", language: "en", document: "About the shop", team: "Support" },
  { name: "街角小店", language: "zh-CN", document: "关于小店", team: "客服" },
];

/** Somebody who tries it has to find the inbox first. */
const FIRST_REPLY = { seconds: 900, warn_seconds: 0 };

/** Makes those agents that no earlier start made, and points all of them at the pages, whose port may be another one now. */
export async function seedAgents(
  home: Home,
  settings: DevSettings,
  { desk: wantsDesk }: { desk: boolean },
): Promise<DevSettings> {
  const { ports } = settings;
  const baseUrl = `http://127.0.0.1:${ports.http}`;
  let seeded = await nameOperator(home, settings, baseUrl);
  const operator = createClient({ baseUrl, operatorToken: seeded.operatorToken });
  for (const seed of SEEDS) {
    const { language } = seed;
    const agent = seeded.agents[language] ?? (await makeAgent(operator, baseUrl, seed));
    const { signing_secret: signingSecret = agent.signingSecret } = await operator.webhooks.set({
      agent_id: agent.agentId,
      url: `http://127.0.0.1:${ports.pages}/hooks/${language}`,
      mirror_live_channel: true,
    });
    if (agent.hasInbox !== true) await openInbox(operator, agent, seed);
    const desk = wantsDesk
      ? await connectDesk(operator, agent, `http://127.0.0.1:${ports.pages}/desk/hooks`)
      : await disconnectDesk(operator, agent);
    const known = { ...agent, signingSecret, hasInbox: true, desk };
    seeded = { ...seeded, agents: { ...seeded.agents, [language]: known } };
    await saveSettings(home, seeded);
  }
  return seeded;
}

/** The first start makes an operator token with a name, as every operator should. */
async function nameOperator(home: Home, settings: DevSettings, baseUrl: string): Promise<DevSettings> {
  if (settings.operatorToken !== "") return settings;
  const bootstrap = createClient({ baseUrl, operatorToken: settings.bootstrapToken });
  const { operator_token: operatorToken } = await bootstrap.tokens.create({
    name: "signalbox dev",
    scopes: [...OPERATOR_SCOPES],
  });
  const named = { ...settings, operatorToken };
  await saveSettings(home, named);
  return named;
}

async function openInbox(operator: Client, { agentId }: SeededAgent, { team }: Seed): Promise<void> {
  await operator.inbox.set({ agent_id: agentId, name: team, first_reply: FIRST_REPLY });
}

/** The sample desk is asked before the inbox. It is the one of an earlier start, unless somebody has removed that since. */
async function connectDesk(
  operator: Client,
  { agentId: agent_id, desk }: SeededAgent,
  url: string,
): Promise<NonNullable<SeededAgent["desk"]>> {
  if (desk !== undefined) {
    try {
      const rule = { priority: 0 };
      await operator.desks.update({ agent_id, component_id: desk.componentId, url, rule });
      return desk;
    } catch (error) {
      if (!isFailure(error, "notFound")) throw error;
    }
  }
  const { component_id, signing_secret = "" } = await operator.desks.create({
    agent_id,
    name: "Desk",
    url,
    rule: { priority: 0 },
    first_reply: FIRST_REPLY,
  });
  return { componentId: component_id, signingSecret: signing_secret };
}

/** Nobody answers there any more: the inbox is asked again. */
async function disconnectDesk(operator: Client, { agentId, desk }: SeededAgent): Promise<undefined> {
  if (desk === undefined) return;
  try {
    await operator.desks.delete({ agent_id: agentId, component_id: desk.componentId });
  } catch (error) {
    if (!isFailure(error, "notFound")) throw error;
  }
}

async function makeAgent(
  operator: Client,
  baseUrl: string,
  { name, language, document }: Seed,
): Promise<SeededAgent> {
  const { agent_id } = await operator.agents.create({ name, language });
  const { api_key } = await operator.keys.create({ agent_id, name: "signalbox dev" });
  const client = createClient({ baseUrl, apiKey: api_key });
  const chunks = SEED_PAIRS[language];
  // A list of 4.1 has no room for alternates: the document begins with one pair, whose place they all take.
  const { doc } = await client.knowledge.add({
    purpose: "QA_TEXT",
    name: document,
    qaList: chunks.slice(0, 1),
  });
  await client.knowledge.addPairs({ doc_id: doc[0]?.doc_id ?? "", chunks, replace: true });
  return { name, agentId: agent_id, apiKey: api_key, signingSecret: "" };
}
