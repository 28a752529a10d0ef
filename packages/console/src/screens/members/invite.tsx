import type { Role } from "@signalbox/contract";
import { useState } from "react";
import { Field, FormDialog, Input, problemOf, Select, ShownOnce } from "../../design/index.ts";
import { bodyProblems, useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { RoleField, useRoleScopes } from "./role-fields.tsx";
import { useMemberWords } from "./words.ts";

const EXPIRIES = ["1", "7", "30"] as const;
type Expiry = (typeof EXPIRIES)[number];
const DAY_MS = 86_400_000;

export interface InviteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The agent the screen is about. */
  agentId: string | undefined;
}

/** Asks for the role, then shows the link this once. */
export function Invite({ open, onOpenChange, agentId }: InviteProps) {
  const words = useWords();
  const text = useMemberWords();
  const scopes = useRoleScopes();
  const [role, setRole] = useState<Role>("viewer");
  const [scope, setScope] = useState<string | null>(agentId ?? null);
  const [email, setEmail] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("7");
  const [problem, setProblem] = useState<string>();
  const create = useAction("createInvitation", { changes: ["listInvitations"] });
  const submit = async () => {
    const body = {
      role,
      agent_id: scope,
      email: email.trim() === "" ? null : email.trim(),
      expire_time: Date.now() + Number(expiry) * DAY_MS,
    };
    if ("email" in bodyProblems("createInvitation", body)) return setProblem(text.emailProblem);
    try {
      setProblem(undefined);
      await create.mutateAsync(body);
    } catch (error) {
      setProblem(problemOf(error, words).detail);
    }
  };
  if (create.data !== undefined)
    return (
      <ShownOnce
        open={open}
        onOpenChange={onOpenChange}
        title={text.created}
        description={text.createdLead}
        text={`${location.origin}${create.data.path}`}
      />
    );
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      width="sm"
      title={text.inviteTitle}
      description={text.inviteLead}
      submit={text.createLink}
      busy={create.isPending}
      onSubmit={submit}
    >
      <Field label={text.email} note={words.common.optional} help={text.emailHelp} problem={problem}>
        <Input
          type="email"
          autoComplete="off"
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <RoleField value={role} onChange={setRole} />
      <Field label={text.for}>
        <Select label={text.for} value={scope} options={scopes} onChange={setScope} />
      </Field>
      <Field label={text.expires}>
        <Select
          label={text.expires}
          value={expiry}
          options={EXPIRIES.map((value) => ({ value, label: text.expiries[value] }))}
          onChange={setExpiry}
        />
      </Field>
    </FormDialog>
  );
}
