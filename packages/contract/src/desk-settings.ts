import { z } from "zod";
import { BusinessHours } from "./business-hours.ts";
import {
  checkChangedCredentials,
  checkNewCredentials,
  credentialFields,
  signingSecret,
} from "./credentials.ts";
import { HandoffTimer } from "./handoff-settings.ts";
import { HandoffTrigger } from "./handoff-states.ts";
import { Language } from "./languages.ts";
import { identifier, pageOf, timestamp, webUrl, words } from "./values.ts";

export const HumanServicePath = z.strictObject({ agent_id: identifier, component_id: identifier });

const priority = z.int().min(0).max(1_000).describe("The lowest number is asked first");
const ruleFields = {
  languages: z
    .array(Language)
    .min(1)
    .optional()
    .describe("The user's last message is in one of these languages"),
  triggers: z.array(HandoffTrigger).min(1).optional(),
  keywords: z
    .array(words(100))
    .min(1)
    .max(100)
    .optional()
    .describe("The user's recent messages contain one of these phrases"),
};

/** When a component is the one to ask. All that is given must fit; of those that fit, the lowest priority is asked. */
export const HumanServiceRule = z.strictObject({ priority, ...ruleFields }).meta({ id: "HumanServiceRule" });
export type HumanServiceRule = z.output<typeof HumanServiceRule>;

export const HumanServiceRuleRequest = z
  .strictObject({ priority: priority.default(100), ...ruleFields })
  .meta({ id: "HumanServiceRuleRequest" });

const componentName = words(100);
const rule = HumanServiceRuleRequest.describe("Rules for choosing this component");
const hours = BusinessHours.describe("Business hours; null for always open");

const establishTimeout = z.int().min(1).max(10).describe("Timeout of one establish call (4.6) to this desk");
const establishTries = z
  .int()
  .min(1)
  .max(5)
  .describe("Failed attempts after which the user is told that everyone is busy");
const firstReply = HandoffTimer.describe(
  "Time a human has for the first reply. null uses the agent's handoff settings",
);

export const CreateHumanServiceRequest = z
  .strictObject({
    name: componentName,
    url: webUrl,
    ...credentialFields,
    allow_unauthenticated_replies: z
      .boolean()
      .default(false)
      .describe("If true, 4.9 and 4.10 need no API key"),
    rule: rule.optional(),
    business_hours: hours.nullish(),
    establish_timeout_seconds: establishTimeout.default(3),
    establish_tries: establishTries.default(3),
    first_reply: firstReply.nullish(),
  })
  .check(checkNewCredentials)
  .meta({ id: "CreateHumanServiceRequest" });
export type CreateHumanServiceRequest = z.output<typeof CreateHumanServiceRequest>;

export const UpdateHumanServiceRequest = z
  .strictObject({
    name: componentName.optional(),
    url: webUrl.optional(),
    ...credentialFields,
    allow_unauthenticated_replies: z.boolean().optional(),
    rule: rule.optional(),
    business_hours: hours.nullish(),
    establish_timeout_seconds: establishTimeout.optional(),
    establish_tries: establishTries.optional(),
    first_reply: firstReply.nullish(),
  })
  .check(checkChangedCredentials)
  .meta({ id: "UpdateHumanServiceRequest" });
export type UpdateHumanServiceRequest = z.output<typeof UpdateHumanServiceRequest>;

export const HumanService = z
  .object({
    component_id: identifier,
    kind: z.enum(["webhook", "inbox"]).describe("inbox: people answer in the console"),
    name: z.string(),
    url: z.string(),
    username_set: z.boolean(),
    secret_set: z.boolean(),
    allow_unauthenticated_replies: z.boolean(),
    rule: HumanServiceRule,
    business_hours: BusinessHours.nullable(),
    establish_timeout_seconds: z.int(),
    establish_tries: z.int(),
    first_reply: HandoffTimer.nullable(),
    signing_secret: signingSecret.optional(),
    create_time: timestamp,
    update_time: timestamp,
  })
  .meta({ id: "HumanService" });
export type HumanService = z.output<typeof HumanService>;

export const HumanServicePage = pageOf(HumanService).meta({ id: "HumanServicePage" });
export type HumanServicePage = z.output<typeof HumanServicePage>;
