import { useState } from "react";
import { Button, Dialog, Field, Select, TextArea } from "../../design/index.ts";
import { useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import type { TalkActions, TransferTarget } from "./use-talk-actions.ts";
import { useInboxWords } from "./words.ts";

export interface TransferDialogProps {
  agentId: string;
  talkId: string;
  actions: TalkActions;
  onClose: () => void;
}

/** To a colleague or a team, or back to the queue. */
export function TransferDialog({ agentId, talkId, actions, onClose }: TransferDialogProps) {
  const words = useWords();
  const text = useInboxWords();
  const members = useCall("listInboxMembers", { agent_id: agentId });
  const teams = useCall("listInboxTeams", { agent_id: agentId }).data?.list ?? [];
  const [to, setTo] = useState<string | null>(null);
  const [note, setNote] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const others = (members.data?.list ?? []).filter(({ is_me }) => !is_me);
  const options = [
    { value: null, label: text.toQueue },
    ...teams.map(({ team_id, name, available_count }) => ({
      value: team_id,
      label: text.toTeam(name, available_count),
    })),
    ...others.map(({ account_id, name, presence, open_count }) => ({
      value: account_id,
      label: text.toPerson(name, text[presence], text.openCount(open_count)),
    })),
  ];
  const targetOf = (id: string | null): TransferTarget | null => {
    const person = others.find(({ account_id }) => account_id === id);
    if (person !== undefined) return { account_id: person.account_id, name: person.name };
    const team = teams.find(({ team_id }) => team_id === id);
    return team === undefined ? null : { team_id: team.team_id, name: team.name };
  };
  const submit = async () => {
    setIsBusy(true);
    const isDone = await actions.transfer(talkId, targetOf(to), note.trim());
    setIsBusy(false);
    if (isDone) onClose();
  };
  return (
    <Dialog
      open
      width="sm"
      onOpenChange={onClose}
      title={text.transferTitle}
      description={text.transferLead}
      footer={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button tone="primary" busy={isBusy} onClick={() => void submit()}>
            {text.transfer}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field
          label={text.transferTo}
          {...(members.data !== undefined && others.length === 0 && { help: text.nobodyElse })}
        >
          <Select value={to} options={options} onChange={setTo} />
        </Field>
        <Field label={text.transferNote} note={words.common.optional}>
          <TextArea rows={3} value={note} onChange={({ currentTarget }) => setNote(currentTarget.value)} />
        </Field>
      </div>
    </Dialog>
  );
}
