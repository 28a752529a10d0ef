import { sql } from "kysely";
import { forUpdate, type Database, type LockedRows } from "../../platform/index.ts";
import { openSettings, type StoredSettings } from "../settings/agent-settings.ts";
import {
  HANDOFF_COLUMNS,
  storedHandoff,
  type Conversation,
  type HandoffRow,
  type LockedConversation,
  type StoredHandoff,
} from "./lock-conversation.ts";

export interface AskedHandoff {
  agentId: string;
  handoffId: string;
}

export type LockedHandoff =
  | { kind: "locked"; locked: LockedConversation; handoff: StoredHandoff }
  /** Somebody else has the conversation. */
  | { kind: "busy" }
  /** It is no more, or was erased. */
  | { kind: "gone" }
  /** Its row says what no handoff can be. */
  | { kind: "unreadable"; error: unknown };

type Found = Omit<Conversation, "agentId" | "id" | "messageWebhookId" | "at"> & {
  place: number;
  /** Null when it is locked by somebody else, or erased. */
  id: string | null;
  isErased: boolean;
  at: Date;
};

interface AgentRow {
  id: string;
  agent: StoredSettings | null;
  webhookId: string | null;
  mirrorsLive: boolean | null;
}

/**
 * `lockConversation` for handoffs of any agents: the locks first, and what stands behind them in statements that begin after. Each handoff at most
 * once. Where locked rows are skipped nobody is waited for, so the order of the locks does not matter (rule 9).
 */
export async function lockMany(
  db: Database,
  asked: readonly AskedHandoff[],
  lockedRows: LockedRows,
): Promise<LockedHandoff[]> {
  const keys = sql`unnest(${asked.map(({ agentId }) => agentId)}::uuid[], ${asked.map(({ handoffId }) => handoffId)}::uuid[])
    with ordinality as asked(agent_id, id, place)`;
  const locking = sql<Found>`
    select asked.place, c.*, now() as at, c.id is null and exists (
        select from conversation where agent_id = asked.agent_id and id = h.conversation_id and redacted_at is not null) as "isErased"
    from ${keys},
    lateral (select conversation_id from handoff where agent_id = asked.agent_id and id = asked.id limit 1) h
    left join lateral (
      select id, channel, control, epoch, last_seq as "lastSeq", away_component_id as "awayDeskId", user_id as "userId",
        anonymous_id as "anonymousId", email, phone
      from conversation where agent_id = asked.agent_id and id = h.conversation_id and redacted_at is null ${forUpdate(lockedRows)}
    ) c on true`.execute(db);
  const reading = sql<HandoffRow & { place: number }>`
    select asked.place, ${HANDOFF_COLUMNS}
    from ${keys},
    lateral (select * from handoff where agent_id = asked.agent_id and id = asked.id limit 1) h
    left join lateral (select name, first_reply from webhook where id = h.component_id and agent_id = h.agent_id limit 1) w on true`.execute(
    db,
  );
  // Once for each agent, whose handoffs share it.
  const agentsReading = sql<AgentRow>`
    select asked.id, m.id as "webhookId", m.mirrors_live as "mirrorsLive",
      (select json_build_object('language', language, 'settings', handoff_settings) from agent where id = asked.id and deleted_at is null) as agent
    from unnest(${[...new Set(asked.map(({ agentId }) => agentId))]}::uuid[]) as asked(id)
    left join lateral (
      select id, mirrors_live from webhook where agent_id = asked.id and kind = 'message' and deleted_at is null limit 1
    ) m on true`.execute(db);
  const [{ rows: found }, { rows: handoffs }, { rows: agents }] = await Promise.all([
    locking,
    reading,
    agentsReading,
  ]);
  const foundAt = new Map(found.map((row) => [row.place, row]));
  const handoffAt = new Map(handoffs.map((row) => [row.place, row]));
  const openAgent = agentOpener(agents);
  return asked.map(({ agentId }, index): LockedHandoff => {
    const [row, stored] = [foundAt.get(index + 1), handoffAt.get(index + 1)];
    if (row === undefined || stored === undefined || row.isErased) return { kind: "gone" };
    if (row.id === null) return lockedRows === "skip" ? { kind: "busy" } : { kind: "gone" };
    try {
      const handoff = storedHandoff(stored);
      const { agent, webhookId, mirrorsLive } = openAgent(agentId);
      const reachesWebhook = row.channel === "api" || mirrorsLive === true;
      const conversation: Conversation = {
        ...row,
        agentId,
        id: row.id,
        messageWebhookId: reachesWebhook ? webhookId : null,
        at: row.at.getTime(),
      };
      return { kind: "locked", locked: { conversation, handoff, agent }, handoff };
    } catch (error) {
      return { kind: "unreadable", error };
    }
  });
}

type OpenedAgent = Pick<LockedConversation, "agent"> & Pick<AgentRow, "webhookId" | "mirrorsLive">;

/** Settings are read once for all handoffs of an agent: that takes longer than everything else about one of them. */
function agentOpener(rows: AgentRow[]): (agentId: string) => OpenedAgent {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const opened = new Map<string, OpenedAgent>();
  return (agentId) => {
    const known = opened.get(agentId);
    if (known !== undefined) return known;
    const { agent = null, webhookId = null, mirrorsLive = null } = byId.get(agentId) ?? {};
    const fresh = { agent: agent === null ? undefined : openSettings(agent), webhookId, mirrorsLive };
    opened.set(agentId, fresh);
    return fresh;
  };
}
