import { createAgent } from "../../packages/server/src/agents/index.ts";
import { addDefaultBase } from "../../packages/server/src/knowledge/index.ts";
import { createHumanService, setInbox, setMessageWebhook } from "../../packages/server/src/webhooks/index.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { kept, nobody, OPERATOR, sealer, type Place, type Settled } from "./world-parts.ts";

/** An agent with a message webhook and a desk, and one with a message webhook and the inbox. */
export async function settle(database: SimulatedDatabase): Promise<Settled> {
  return { desk: await settleAgent(database, false), inbox: await settleAgent(database, true) };
}

async function settleAgent({ db }: SimulatedDatabase, isInbox: boolean): Promise<Place> {
  const operator = { db, sealer, httpsOnly: false, onChanged: nobody, onDeleted: nobody, addDefaultBase };
  const { agent_id } = kept(
    await createAgent(operator, OPERATOR, { name: "Agent", language: "en", fallback_text: "No idea." }),
  );
  kept(await setMessageWebhook(operator, OPERATOR, { agent_id, url: "http://developer.example/messages" }));
  if (isInbox) {
    const inbox = {
      agent_id,
      name: "Support",
      assignment: "manual",
      business_hours: null,
      first_reply: null,
    } as const;
    kept(await setInbox({ ...operator, inboxUrl: "http://service.example" }, OPERATOR, inbox));
  } else {
    kept(
      await createHumanService(operator, OPERATOR, {
        agent_id,
        name: "Desk",
        url: "http://desk.example",
        allow_unauthenticated_replies: false,
        establish_timeout_seconds: 3,
        establish_tries: 3,
      }),
    );
  }
  return { agentId: agent_id, isInbox };
}
