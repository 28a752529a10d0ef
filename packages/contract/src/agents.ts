import { z } from "zod";
import { Language } from "./languages.ts";
import { SmallTalkSettings, synonymGroups } from "./phrasing.ts";
import { identifier, pageOf, timestamp, words } from "./values.ts";

// Our own bodies: an unknown field is refused, because a misspelt setting that is ignored is found out too late.
// In every PUT a field left out stays as it is, and null removes what is stored.

export const AgentPath = z.strictObject({ agent_id: identifier });

const agentName = words(100);
const language = Language;
const fallbackText = words(2_000).describe(
  "What the agent says if it finds no answer. null uses the default text",
);

const score = z.number().min(0).max(1);
const scoreFields = {
  direct_score: score
    .nullish()
    .describe("Score from which a pair's answer is given word for word. null uses the calibrated default"),
  answer_score: score.nullish().describe("Minimum score of an answer. null uses the calibrated default"),
};

const importFields = {
  hold_failing_imports: z
    .boolean()
    .optional()
    .describe("Hold an import back until an editor publishes it, if it makes a saved question fail"),
};

const phrasingFields = {
  small_talk: SmallTalkSettings.nullish().describe(
    "Replies to greetings, thanks and other small talk. null uses the default texts",
  ),
  synonyms: synonymGroups
    .nullish()
    .describe("Groups of synonyms of this agent, in addition to the built-in ones; null for none"),
};

export const CreateAgentRequest = z
  .strictObject({
    name: agentName,
    language: language.default("en"),
    fallback_text: fallbackText.nullish(),
    ...scoreFields,
    ...phrasingFields,
    ...importFields,
  })
  .meta({ id: "CreateAgentRequest" });
export type CreateAgentRequest = z.output<typeof CreateAgentRequest>;

export const UpdateAgentRequest = z
  .strictObject({
    name: agentName.optional(),
    language: language.optional(),
    fallback_text: fallbackText.nullish(),
    ...scoreFields,
    ...phrasingFields,
    ...importFields,
  })
  .meta({ id: "UpdateAgentRequest" });
export type UpdateAgentRequest = z.output<typeof UpdateAgentRequest>;

export const Agent = z
  .object({
    agent_id: identifier,
    name: z.string(),
    language,
    fallback_text: z.string().nullable(),
    direct_score: score.nullable(),
    answer_score: score.nullable(),
    small_talk: SmallTalkSettings.nullable(),
    synonyms: z.array(z.array(z.string())).nullable(),
    hold_failing_imports: z.boolean(),
    default_knowledge_base_id: identifier,
    create_time: timestamp,
    delete_time: timestamp.nullable(),
  })
  .meta({ id: "Agent" });
export type Agent = z.output<typeof Agent>;

export const AgentPage = pageOf(Agent).meta({ id: "AgentPage" });
export type AgentPage = z.output<typeof AgentPage>;
