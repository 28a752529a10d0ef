import {
  HumanServiceRuleRequest,
  type BusinessHours,
  type HandoffTimer,
  type HandoffTrigger,
  type HumanServiceRule,
  type Language,
} from "@signalbox/contract";
import type { Database } from "../../platform/index.ts";
import { isWithinHours, nextOpening } from "./business-hours.ts";

export interface Desk {
  id: string;
  name: string;
  rule: HumanServiceRule;
  hours: BusinessHours | null;
  firstReply: HandoffTimer | null;
}

export interface Occasion {
  trigger: HandoffTrigger;
  /** What the user said lately, the last message last. */
  words: string[];
  /** By the database's clock, in milliseconds. */
  at: number;
}

export type Choice =
  | { kind: "open"; desk: Desk }
  /** The one that opens first of those that fit. */
  | { kind: "away"; desk: Desk; opensAt: number }
  | { kind: "none" };

/** Components that fit the occasion, lowest priority first; of those the first in which somebody is there. */
export function chooseDesk(desks: readonly Desk[], occasion: Occasion): Choice {
  const fitting = desks
    .filter(({ rule }) => fits(rule, occasion))
    .toSorted((a, b) => a.rule.priority - b.rule.priority);
  const open = fitting.find(({ hours }) => isWithinHours(hours, occasion.at));
  if (open !== undefined) return { kind: "open", desk: open };
  const [first] = fitting
    .map((desk) => ({ desk, opensAt: nextOpening(desk.hours, occasion.at) }))
    .toSorted((a, b) => a.opensAt - b.opensAt);
  return first === undefined ? { kind: "none" } : { kind: "away", ...first };
}

function fits({ languages, triggers, keywords }: HumanServiceRule, { trigger, words }: Occasion): boolean {
  const said = words.join("\n").toLowerCase();
  return (
    (languages === undefined || languages.includes(languageOf(words.at(-1) ?? ""))) &&
    (triggers === undefined || triggers.includes(trigger)) &&
    (keywords === undefined || keywords.some((keyword) => said.includes(keyword.toLowerCase())))
  );
}

function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? "zh-CN" : "en";
}

/** The older of two desks with the same priority is asked. */
export async function readDesks(db: Database, agentId: string): Promise<Desk[]> {
  const rows = await db
    .selectFrom("webhook")
    .select(["id", "name", "rule", "business_hours", "first_reply"])
    .where("agent_id", "=", agentId)
    .where("kind", "=", "human_service")
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id, name, rule, business_hours, first_reply }) => ({
    id,
    name: name ?? "",
    rule: HumanServiceRuleRequest.parse(rule),
    hours: business_hours as BusinessHours | null,
    firstReply: first_reply as HandoffTimer | null,
  }));
}
