import type { Inbox, InboxAssignment } from "@signalbox/contract";
import { useState } from "react";
import { Field, FormDialog, Input, problemOf, Select, showToast } from "../../design/index.ts";
import { bodyProblems, useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { withSeconds } from "../agent/handoff-timer.ts";
import { BusinessHoursFields } from "../endpoints/business-hours.tsx";
import { useInboxWords } from "./words.ts";

const ASSIGNMENTS: readonly InboxAssignment[] = ["manual", "turn", "load"];
const NO_WARNING = { seconds: 0, warn_seconds: 0 };

export interface SettingsDialogProps {
  agentId: string;
  inbox: Inbox;
  onClose: () => void;
}

/** What the team decides about its inbox: its name and hours, who gets a chat, and how soon users get a reply. */
export function SettingsDialog({ agentId, inbox, onClose }: SettingsDialogProps) {
  const words = useWords();
  const text = useInboxWords().settings;
  const [name, setName] = useState(inbox.name);
  const [assignment, setAssignment] = useState(inbox.assignment);
  const [hours, setHours] = useState(inbox.business_hours);
  const [firstReply, setFirstReply] = useState(inbox.first_reply?.seconds.toString() ?? "");
  const [problems, setProblems] = useState<Record<string, string>>({});
  const save = useAction("setInbox", { changes: ["getInbox", "listHumanServices"] });
  const submit = async () => {
    const body = {
      name: name.trim(),
      assignment,
      business_hours: hours,
      first_reply:
        firstReply.trim() === "" ? null : withSeconds(inbox.first_reply ?? NO_WARNING, Number(firstReply)),
    };
    const found = bodyProblems("setInbox", body);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      await save.mutateAsync({ agent_id: agentId, ...body });
      showToast({ title: words.common.saved });
      onClose();
    } catch (error) {
      setProblems({ name: problemOf(error, words).detail });
    }
  };
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={text.title}
      description={text.lead}
      submit={words.common.save}
      busy={save.isPending}
      onSubmit={submit}
    >
      <Field label={text.name} help={text.nameHelp} problem={problems["name"]}>
        <Input autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={text.assignment} help={text.assignmentHelp[assignment]}>
        <Select
          value={assignment}
          options={ASSIGNMENTS.map((value) => ({ value, label: text.assignments[value] }))}
          onChange={setAssignment}
        />
      </Field>
      <Field
        label={text.firstReply}
        note={words.common.optional}
        help={text.firstReplyHelp}
        problem={problems["first_reply"] === undefined ? undefined : text.firstReplyProblem}
      >
        <Input
          inputMode="numeric"
          value={firstReply}
          onChange={(event) => setFirstReply(event.target.value)}
        />
      </Field>
      <BusinessHoursFields hours={hours} problem={problems["business_hours"]} onChange={setHours} />
    </FormDialog>
  );
}
