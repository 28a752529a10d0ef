import { agent } from "./agent.ts";
import { causes } from "./causes.ts";
import { conversations } from "./conversations.ts";
import { deliveries, replay } from "./deliveries.ts";
import { endpoints } from "./endpoints.ts";
import { health } from "./health.ts";
import { start } from "./start.ts";

/** Fetched beside the first screen. */
export const screens = { causes, start, deliveries, replay, conversations, endpoints, agent, health };
