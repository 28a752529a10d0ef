import type { IncomingMessage, ServerResponse } from "node:http";
import { CAUSES, type DeliveryDetail, type DeliveryEvent, DeliveryState } from "@signalbox/contract";
import { type Client, createClient, SignalboxError } from "@signalbox/sdk";
import { prepareCall } from "@signalbox/sdk/testing";
import { asCurl } from "./curl.ts";
import { readJson, reply } from "./serving.ts";
import type { DevSettings } from "./settings.ts";
import { eventOf, sampleOf, sendTest } from "./trial.ts";

const SHOWN = 50;

/** What the inspector's page asks for, below `/inspect/api`. */
export function createInspector(settings: DevSettings, serviceUrl: string) {
  const operator = createClient({ baseUrl: serviceUrl, operatorToken: settings.operatorToken });
  const agents = Object.values(settings.agents);
  const agentNames = Object.fromEntries(agents.map(({ agentId, name }) => [agentId, name]));
  const secretOf = ({ agent_id, event }: { agent_id: string; event: DeliveryEvent }) => {
    const agent = agents.find(({ agentId }) => agentId === agent_id);
    return event === "message" ? agent?.signingSecret : agent?.desk?.signingSecret;
  };

  /** As the service would make it now, with a signature that is good for five minutes. */
  const callOf = (delivery: DeliveryDetail, url: string) =>
    prepareCall({
      url,
      kind: delivery.event,
      body: delivery.body,
      webhookId: delivery.replay_of ?? delivery.delivery_id,
      attempt: delivery.attempt_count + 1,
      sequence: delivery.sequence,
      signingSecrets: secretOf(delivery),
    });

  async function detailOf(delivery_id: string): Promise<object> {
    const [delivery, webhooks] = await Promise.all([
      operator.getDelivery({ delivery_id }),
      operator.listDestinations({ limit: 100 }),
    ]);
    const webhook = webhooks.list.find(({ webhook_id }) => webhook_id === delivery.webhook_id);
    const curl = webhook === undefined ? null : asCurl(await callOf(delivery, webhook.url));
    return { delivery, curl, webhook: webhook ?? null };
  }

  async function check(): Promise<object> {
    const results = await Promise.all(
      agents.map(async ({ name, apiKey }) => {
        const checked = await createClient({ baseUrl: serviceUrl, apiKey }).checkWebhooks();
        return checked.results.map((result) => ({ agent_name: name, ...result }));
      }),
    );
    return { results: results.flat() };
  }

  return async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const query = new URLSearchParams(request.url?.split("?")[1]);
    const isPost = request.method === "POST";
    const [, id = "", action] = path.match(/^\/deliveries\/([\w-]{1,64})(?:\/(replay))?$/) ?? [];
    try {
      if (path === "/deliveries") reply(response, 200, await listOf(operator, query));
      else if (path === "/names") reply(response, 200, { causes: CAUSES, agents: agentNames });
      else if (path === "/check" && isPost) reply(response, 200, await check());
      else if (path === "/test" && isPost)
        reply(response, 200, await sendTest(await readJson(request), settings));
      else if (path === "/sample")
        reply(response, 200, sampleOf(eventOf(query.get("event")) ?? "message", settings));
      else if (action === "replay" && isPost)
        reply(response, 200, await operator.replayDelivery({ delivery_id: id }));
      else if (id !== "") reply(response, 200, await detailOf(id));
      else reply(response, 404, { problem: "unknown" });
    } catch (error) {
      if (error instanceof SignalboxError) return reply(response, error.status, { problem: error.message });
      return reply(response, 502, { problem: error instanceof Error ? error.message : String(error) });
    }
  };
}

async function listOf(operator: Client, query: URLSearchParams): Promise<object> {
  const state = DeliveryState.options.find((one) => one === query.get("state"));
  const event = eventOf(query.get("event"));
  const cursor = query.get("cursor");
  return operator.listDeliveries({
    limit: SHOWN,
    ...(state !== undefined && { state }),
    ...(event !== undefined && { event }),
    ...(cursor !== null && { cursor }),
  });
}
