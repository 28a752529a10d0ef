import type { InboxTeam } from "@signalbox/contract";
import { type SubmitEvent, useState } from "react";
import { Button, Checkbox, ConfirmDialog, Field, Input, problemOf, showToast } from "../../design/index.ts";
import { bodyProblems, useAction, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { EditedList } from "./edited-list.tsx";
import { TALK_CHANGES } from "./talks.ts";
import { useInboxWords } from "./words.ts";

const CHANGES = ["listInboxTeams", ...TALK_CHANGES] as const;

/** Who answers together, and whom a chat can be transferred to. */
export function TeamsDialog({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const text = useInboxWords();
  const { data, error, refetch } = useCall("listInboxTeams", { agent_id: agentId });
  const remove = useAction("deleteInboxTeam", { changes: CHANGES });
  const [doomed, setDoomed] = useState<InboxTeam>();
  return (
    <EditedList
      title={text.teams}
      lead={text.teamsLead}
      none={`${text.teamsNone}. ${text.teamsNoneLead}`}
      add={text.teamNew}
      list={{ items: data?.list, error, refetch }}
      describe={({ team_id, name, members }) => ({
        key: team_id,
        name,
        detail: members.length === 0 ? text.teamEmpty : text.teamMembers(members.map((one) => one.name)),
        edit: text.teamEdit(name),
        remove: text.teamDelete(name),
      })}
      onRemove={setDoomed}
      form={(team, onDone) => <TeamForm agentId={agentId} team={team} onDone={onDone} />}
      onClose={onClose}
    >
      <ConfirmDialog
        open={doomed !== undefined}
        onOpenChange={() => setDoomed(undefined)}
        title={text.teamDeleteTitle(doomed?.name ?? "")}
        description={text.teamDeleteLead}
        confirm={text.teamDeleteConfirm}
        onConfirm={async () => {
          await remove.mutateAsync({ agent_id: agentId, team_id: doomed?.team_id ?? "" });
          showToast({ title: text.teamDeleted });
        }}
      />
    </EditedList>
  );
}

interface TeamFormProps {
  agentId: string;
  team: InboxTeam | undefined;
  onDone: () => void;
}

function TeamForm({ agentId, team, onDone }: TeamFormProps) {
  const words = useWords();
  const text = useInboxWords();
  const people = useCall("listInboxMembers", { agent_id: agentId });
  const [name, setName] = useState(team?.name ?? "");
  const [chosen, setChosen] = useState(
    () => new Set(team?.members.flatMap(({ account_id }) => account_id ?? [])),
  );
  const [problems, setProblems] = useState<Record<string, string>>({});
  const create = useAction("createInboxTeam", { changes: CHANGES });
  const update = useAction("updateInboxTeam", { changes: CHANGES });
  const choose = (accountId: string, isIn: boolean) =>
    setChosen((before) => {
      const after = new Set(before);
      if (isIn) after.add(accountId);
      else after.delete(accountId);
      return after;
    });
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = { name: name.trim(), account_ids: [...chosen] };
    const found = bodyProblems("createInboxTeam", fields);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      if (team === undefined) await create.mutateAsync({ agent_id: agentId, ...fields });
      else await update.mutateAsync({ agent_id: agentId, team_id: team.team_id, ...fields });
      showToast({ title: text.teamSaved });
      onDone();
    } catch (error) {
      setProblems({ name: problemOf(error, words).detail });
    }
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
      <Field label={text.teamName} help={text.teamNameHelp} problem={problems["name"]}>
        <Input autoFocus value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 text-sm font-medium text-ink">{text.teamWho}</legend>
        <div className="flex max-h-64 flex-col gap-1 overflow-y-auto">
          {(people.data?.list ?? []).map((person) => (
            <Checkbox
              key={person.account_id}
              checked={chosen.has(person.account_id)}
              onChange={(isIn) => choose(person.account_id, isIn)}
              label={`${person.name} (${person.email})`}
            />
          ))}
        </div>
        {people.data?.list.length === 0 && <p className="text-sm text-ink-soft">{text.nobodyElse}</p>}
      </fieldset>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{words.common.cancel}</Button>
        <Button tone="primary" type="submit" busy={create.isPending || update.isPending}>
          {words.common.save}
        </Button>
      </div>
    </form>
  );
}
