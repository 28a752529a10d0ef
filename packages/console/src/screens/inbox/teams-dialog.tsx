import type { InboxTeam } from "@signalbox/contract";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import {
  Button,
  Checkbox,
  ConfirmDialog,
  Dialog,
  Field,
  IconButton,
  Input,
  problemOf,
  showToast,
  SkeletonLines,
} from "../../design/index.ts";
import { bodyProblems, useAction, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { TALK_CHANGES } from "./talks.ts";
import { useInboxWords } from "./words.ts";

const CHANGES = ["listInboxTeams", ...TALK_CHANGES] as const;

/** Who answers together, and whom a chat can be transferred to. */
export function TeamsDialog({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const text = useInboxWords();
  const { data } = useCall("listInboxTeams", { agent_id: agentId });
  const remove = useAction("deleteInboxTeam", { changes: CHANGES });
  const [edited, setEdited] = useState<InboxTeam | "new">();
  const [doomed, setDoomed] = useState<InboxTeam>();
  return (
    <Dialog open onOpenChange={onClose} title={text.teams} description={text.teamsLead}>
      {edited !== undefined ? (
        <TeamForm
          agentId={agentId}
          team={edited === "new" ? undefined : edited}
          onDone={() => setEdited(undefined)}
        />
      ) : data === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <div className="flex flex-col gap-4">
          {data.list.length === 0 ? (
            <p className="text-sm text-ink-soft">
              {text.teamsNone}. {text.teamsNoneLead}
            </p>
          ) : (
            <ul className="flex flex-col">
              {data.list.map((team) => (
                <li
                  key={team.team_id}
                  className="flex items-start gap-2 border-t border-line py-2 first:border-t-0"
                >
                  <span className="flex min-w-0 flex-1 flex-col">
                    <span className="truncate text-sm font-medium text-ink">{team.name}</span>
                    <span className="text-xs wrap-anywhere text-ink-soft">
                      {team.members.length === 0
                        ? text.teamEmpty
                        : text.teamMembers(team.members.map(({ name }) => name))}
                    </span>
                  </span>
                  <IconButton size="sm" label={text.teamEdit(team.name)} onClick={() => setEdited(team)}>
                    <Pencil className="size-3.5" aria-hidden />
                  </IconButton>
                  <IconButton size="sm" label={text.teamDelete(team.name)} onClick={() => setDoomed(team)}>
                    <Trash2 className="size-3.5" aria-hidden />
                  </IconButton>
                </li>
              ))}
            </ul>
          )}
          <Button
            className="self-start"
            tone={data.list.length === 0 ? "primary" : "plain"}
            icon={<Plus className="size-3.5" aria-hidden />}
            onClick={() => setEdited("new")}
          >
            {text.teamNew}
          </Button>
        </div>
      )}
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
    </Dialog>
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
