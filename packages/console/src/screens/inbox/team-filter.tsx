import { Select } from "../../design/index.ts";
import { useCall } from "../../service/index.ts";
import { useInboxWords } from "./words.ts";

export interface TeamFilterProps {
  agentId: string;
  team: string | undefined;
  onTeam: (team: string | undefined) => void;
}

/** One team's talks alone, those that wait for it included. */
export function TeamFilter({ agentId, team, onTeam }: TeamFilterProps) {
  const text = useInboxWords();
  const teams = useCall("listInboxTeams", { agent_id: agentId }).data?.list ?? [];
  if (teams.length === 0) return null;
  return (
    <div className="shrink-0 border-b border-line p-2">
      <Select
        look="filter"
        label={text.team}
        value={team ?? null}
        options={[
          { value: null, label: text.anyTeam },
          ...teams.map(({ team_id, name, waiting_count }) => ({
            value: team_id,
            label: waiting_count === 0 ? name : text.teamWaiting(name, waiting_count),
          })),
        ]}
        onChange={(id) => onTeam(id ?? undefined)}
      />
    </div>
  );
}
