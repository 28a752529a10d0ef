import { z } from "zod";
import { AgentPath } from "./agents.ts";
import { InboxPerson } from "./inbox.ts";
import { identifier, timestamp, words } from "./values.ts";

/** As many people as one team may have. */
const MEMBERS_MAX = 500;

export const InboxTeamPath = AgentPath.extend({ team_id: identifier });

export const InboxTeamRequest = z
  .strictObject({
    name: words(100).describe("What people see it by. No two teams of an inbox have the same"),
    account_ids: z
      .array(identifier)
      .max(MEMBERS_MAX)
      .default([])
      .describe("Its members; they replace those it has"),
  })
  .meta({ id: "InboxTeamRequest", examples: [{ name: "Billing", account_ids: [] }] });
export type InboxTeamRequest = z.output<typeof InboxTeamRequest>;

export const InboxTeam = z
  .object({
    team_id: identifier,
    name: z.string(),
    members: z.array(InboxPerson).describe("Those who may still answer for this agent, by name"),
    available_count: z.int().min(0).describe("Members who are available now"),
    waiting_count: z.int().min(0).describe("Chats that wait for this team"),
    create_time: timestamp,
    update_time: timestamp,
  })
  .meta({ id: "InboxTeam" });
export type InboxTeam = z.output<typeof InboxTeam>;

export const InboxTeamList = z
  .object({ list: z.array(InboxTeam).describe("By name") })
  .meta({ id: "InboxTeamList" });
export type InboxTeamList = z.output<typeof InboxTeamList>;
