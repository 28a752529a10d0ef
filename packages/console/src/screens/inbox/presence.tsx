import type { InboxMemberList, Presence } from "@signalbox/contract";
import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleMinus } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button, Menu, showProblem, showToast } from "../../design/index.ts";
import { call, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useInboxWords } from "./words.ts";

/** Available lapses after two minutes without a repeat. A hidden tab wakes once a minute at most. */
const REPEAT_MS = 45_000;
const ICONS = { available: CircleCheck, away: CircleMinus };
const STATES = ["available", "away"] as const;

/** The teams of a person who has just left in which nobody else is available. */
async function teamsLeft(agentId: string, accountId: string | undefined): Promise<string[]> {
  const { list } = await call("listInboxTeams", { agent_id: agentId });
  return list
    .filter(
      ({ available_count, members }) =>
        available_count === 0 && members.some((one) => one.account_id === accountId),
    )
    .map(({ name }) => name);
}

/** Whether new talks may be given to the signed-in person; an operator token is nobody's. */
export function PresenceMenu({ agentId }: { agentId: string }) {
  const words = useWords();
  const text = useInboxWords();
  const client = useQueryClient();
  const input = { agent_id: agentId };
  const members = useCall("listInboxMembers", input, { refetchMs: REPEAT_MS });
  const me = members.data?.list.find(({ is_me }) => is_me);
  /** The choice made here: a machine that slept is available again when it wakes. */
  const chosen = useRef<Presence>(undefined);
  const set = async (presence: Presence) => {
    const list: InboxMemberList = await call("setPresence", { ...input, presence });
    client.setQueryData(["listInboxMembers", input], list);
    return list;
  };
  const isAvailable = me?.presence === "available";
  useEffect(() => {
    const timer = setInterval(() => {
      if (chosen.current === "available" || (chosen.current === undefined && isAvailable))
        // The next one tries again, and until then the service says what is true.
        void set("available").catch(() => undefined);
    }, REPEAT_MS);
    return () => clearInterval(timer);
  }, [agentId, isAvailable]);
  if (me === undefined) return null;

  const choose = async (presence: Presence) => {
    chosen.current = presence;
    try {
      const { list } = await set(presence);
      const isLast = presence === "away" && !list.some((member) => member.presence === "available");
      const empty = presence === "away" && !isLast ? await teamsLeft(agentId, me?.account_id) : [];
      const description = isLast ? text.lastOne : empty.length > 0 ? text.lastOfTeam(empty) : undefined;
      showToast({
        title: presence === "available" ? text.nowAvailable : text.nowAway,
        ...(description !== undefined && { description }),
      });
    } catch (error) {
      showProblem(error, words);
    }
  };
  const Icon = ICONS[me.presence];
  return (
    <Menu
      trigger={
        <Button
          size="sm"
          aria-label={`${text.presence}: ${text[me.presence]}`}
          icon={
            <Icon className={isAvailable ? "size-3.5 text-good" : "size-3.5 text-ink-faint"} aria-hidden />
          }
        >
          {text[me.presence]}
        </Button>
      }
      groups={[
        {
          label: text.presence,
          items: STATES.map((presence) => ({
            id: presence,
            label: text.presenceChoice[presence],
            checked: me.presence === presence,
            run: () => void choose(presence),
          })),
        },
      ]}
    />
  );
}
